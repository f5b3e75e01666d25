//! Assignments to variables and to parts of objects. What is put into a part is in the object, in the variable that names it,
//! and in what the function was given, if that is what the variable stands for.

use super::Lower;
use crate::analysis::valueflow::graph::{Node, Step};
use crate::analysis::valueflow::paths::Key;
use crate::analysis::valueflow::places::Owner;
use crate::ir::{Expr, ExprId, VarId};

impl Lower<'_, '_> {
    pub(super) fn become_value(&mut self, from: Node, var: VarId) {
        let to = self.var(var);
        self.here(from, to, Step::Same);
        self.share(var);
    }

    /// A variable of a function around is one for both.
    fn share(&mut self, var: VarId) {
        if let Some(&outer) = self.captured.get(&var) {
            let parent = self.program.ir(self.func).parent;
            let (own, outer) = (self.var(var), self.places.var(self.program, parent, outer));
            self.here(own, outer, Step::Same);
        }
    }

    pub(super) fn store(&mut self, place: ExprId, value: ExprId) {
        let from = self.expr(value);
        self.put(from, place, Step::Same);
    }

    /// Puts something where an expression stands for a place.
    pub(super) fn put(&mut self, from: Node, place: ExprId, step: Step) {
        let to = self.expr(place);
        self.here(from, to, step);
        self.write(place);
    }

    /// What is put into an expression gets into all that it is a part of.
    pub(super) fn write(&mut self, place: ExprId) {
        let mut next = Some(place);
        while let Some(place) = next.filter(|&place| self.written.insert(place)) {
            next = self.write_one(place);
        }
    }

    /// What the place is a part of.
    fn write_one(&mut self, place: ExprId) -> Option<ExprId> {
        let node = self.expr(place);
        let (base, key) = match *self.facts.expr(place) {
            Expr::Var(var) => {
                self.write_variable(node, var);
                return None;
            }
            Expr::Free(_) => {
                let variable = self.program.variable(self.func, place)?;
                let to = self.places.var(self.program, variable.func, variable.var);
                self.shared(node, to);
                return None;
            }
            Expr::Field { base, name } => {
                if let Some(class) = self.program.own_class(self.func, base) {
                    self.store_field(node, Owner::Stored(class), name);
                }
                (base, Key::Attr(name))
            }
            Expr::Index { base, key } => {
                let (name, to) = (self.expr(key), self.expr(base));
                self.here(name, to, Step::Into(Key::Names));
                (base, self.key(key))
            }
            Expr::Call { callee, args, .. } => match self.same_file(callee, self.facts.list(args)) {
                Some(path) => {
                    let to = self.expr(path);
                    self.moved(node, Key::File, to, Key::File);
                    return Some(path);
                }
                None => self.part_by_method(callee, args)?,
            },
            Expr::Await(inner) | Expr::Ascribe { value: Some(inner), .. } => {
                let to = self.expr(inner);
                self.here(node, to, Step::Same);
                return Some(inner);
            }
            _ => return None,
        };
        let to = self.expr(base);
        self.here(node, to, Step::Into(key));
        Some(base)
    }

    fn write_variable(&mut self, node: Node, var: VarId) {
        let to = self.var(var);
        self.here(node, to, Step::Same);
        self.share(var);
        if let Some(&at) = self.params.get(&var) {
            let changed = self.places.changed(self.program, self.func, at);
            self.here(node, changed, Step::Same);
        }
    }
}
