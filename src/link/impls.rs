//! `impl` blocks: what they hold becomes part of the class that they are for, wherever that stands. One for a type that is
//! not of the project stays a class of its own, which is what calls through its trait need.

use rustc_hash::FxHashMap;

use super::ids::{Cls, Func, Slot};
use super::index::Index;
use super::program::Program;
use super::starts::Starts;
use super::types::Type;
use crate::ir::{ClassKind, Expr, ExprId, FnKind};

impl Index<'_> {
    /// Joins them; imports are known by now.
    pub(super) fn join_impls(&mut self) {
        for class in (0..self.classes.len() as u32).map(Cls) {
            let (_, ir) = self.class_ir(class);
            let ClassKind::Extension(of) = ir.kind else { continue };
            let scope = ir.scope;
            let named = self.statics(scope, of).into_iter();
            let target = named.filter_map(|ty| match ty {
                Type::Class { class: target, .. } if target != class => Some(target),
                _ => None,
            });
            if let Some(target) = target.take(1).next() {
                self.impls.of.entry(target).or_default().push(class);
                self.impls.target.insert(class, target);
            }
        }
        if !self.impls.target.is_empty() {
            let moved = self.move_members();
            self.move_definitions(&moved);
            self.move_functions();
        }
    }

    /// Names of a block become names of the class; one that both bind is one variable. Gives the variables that are no longer.
    fn move_members(&mut self) -> FxHashMap<Slot, Slot> {
        let mut moved = FxHashMap::default();
        let mut parts: Vec<(Cls, Cls)> = self.impls.target.iter().map(|(&part, &of)| (part, of)).collect();
        parts.sort_unstable();
        for (part, target) in parts {
            let (from, to) = (self.class_body(part), self.class_body(target));
            let file = self.file_of(from);
            for export in self.units[file].facts.list(self.ir(from).exports) {
                let name = export.name;
                let own = self.var(from, export.var);
                self.exports.remove(&(from, name));
                let known = match self.exports.get(&(to, name)).copied() {
                    Some(field) if self.is_field(to, field) => {
                        *self.impls.beside_fields.entry((to, name)).or_insert(own)
                    }
                    Some(known) => known,
                    None => *self.exports.entry((to, name)).or_insert(own),
                };
                if known != own {
                    self.set_var(from, export.var, known);
                    moved.insert(own, known);
                }
            }
        }
        moved
    }

    /// Declared by the class itself, without a value.
    fn is_field(&self, body: Func, slot: Slot) -> bool {
        self.definitions(slot).any(|(func, value)| {
            let facts = self.units[self.file_of(func)].facts;
            func == body && matches!(facts.expr(value), Expr::Ascribe { value: None, .. })
        })
    }

    fn move_definitions(&mut self, moved: &FxHashMap<Slot, Slot>) {
        for definition in &mut self.definitions {
            if let Some(&to) = moved.get(&definition.0) {
                definition.0 = to;
            }
        }
        self.sort_definitions();
    }

    pub(super) fn sort_definitions(&mut self) {
        // Nearly sorted already, which the stable sort makes use of.
        self.definitions.sort();
        let slots = self.definitions.iter().map(|definition| definition.0.0);
        self.definitions_of = Starts::new(self.variable_count as usize, slots);
    }

    fn move_functions(&mut self) {
        for class in self.method_of.iter_mut().flatten() {
            *class = self.impls.target.get(class).copied().unwrap_or(*class);
        }
        let stored = std::mem::take(&mut self.stored);
        let mut stored: Vec<_> = stored.into_iter().collect();
        stored.sort_unstable_by_key(|&((class, name), _)| (class, name));
        for ((class, name), values) in stored {
            let class = self.impls.target.get(&class).copied().unwrap_or(class);
            self.stored.entry((class, name)).or_default().extend(values);
        }
    }

    /// True for the object that a method is called on: its first parameter, and in Rust only if that is `self`.
    pub(super) fn is_own_object(&self, func: Func, expr: ExprId) -> bool {
        let Expr::Var(var) = *self.units[self.file_of(func)].facts.expr(expr) else { return false };
        let parameter = self.param_of.get(&self.var(func, var));
        parameter.is_some_and(|&(owner, at)| self.is_receiver(owner, at))
    }

    pub fn is_receiver(&self, method: Func, position: u32) -> bool {
        position == 0 && self.method_of[method.0 as usize].is_some() && self.takes_self(method)
    }

    /// False for a function of a type that is called without an object.
    pub fn takes_self(&self, method: Func) -> bool {
        let file = self.file_of(method);
        let facts = self.units[file].facts;
        let first = facts.list(self.ir(method).params).first();
        !facts.profile().names_object || first.is_some_and(|first| facts.str(first.name) == "self")
    }

    /// A method that a trait names without a body: what runs is an implementor's.
    pub fn is_asked_for(&self, slot: Slot) -> bool {
        self.definitions(slot).any(|(body, value)| {
            let file = self.file_of(body);
            let facts = self.units[file].facts;
            let (Expr::Closure(id), FnKind::ClassBody(class)) = (*facts.expr(value), self.ir(body).kind)
            else {
                return false;
            };
            let is_empty =
                matches!(*facts.expr(facts.function(id).body), Expr::Block(body) if body.is_empty());
            is_empty && facts.class(class).kind == ClassKind::Interface
        })
    }

    /// True for an enumeration with variants: its body binds variants, which no struct's does.
    pub fn has_variants(&self, class: Cls) -> bool {
        let (file, ir) = self.class_ir(class);
        let facts = self.units[file].facts;
        let mut body = facts.function(ir.body).exprs.iter();
        facts.profile().has_variants
            && ir.kind == ClassKind::Plain
            && body.any(|expr| match *facts.expr(expr) {
                Expr::Bind { value, .. } => {
                    matches!(facts.expr(value), Expr::Opaque(_) | Expr::Class(_) | Expr::Lit(_))
                }
                _ => false,
            })
    }

    /// The class whose method a function is, by where it stands. What an inline module holds are no methods.
    pub(super) fn class_around(&self, file: usize, kind: FnKind, parent: FnKind) -> Option<Cls> {
        match (kind, parent) {
            (FnKind::Plain, FnKind::ClassBody(class)) => {
                let is_class = self.units[file].facts.class(class).kind != ClassKind::Namespace;
                is_class.then_some(class)
            }
            _ => None,
        }
    }
}

impl Program<'_> {
    /// True for the parameter that is the object a method is called on.
    pub fn is_receiver(&self, method: Func, position: u32) -> bool {
        self.index.is_receiver(method, position)
    }
}
