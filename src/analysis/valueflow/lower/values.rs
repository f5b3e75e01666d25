//! What an expression makes of the values of its parts.

use super::Lower;
use super::proof::Spot;
use crate::analysis::valueflow::graph::{Node, Step, Way};
use crate::analysis::valueflow::paths::Key;
use crate::catalog::Purposes;
use crate::finding::Confidence;
use crate::ir::{Arm, Entry, EntryKey, Expr, ExprId, Jump, ListOf, Op, Pat, Sym};
use crate::link::{EdgeKind, Target};

impl Lower<'_, '_> {
    pub(super) fn expression(&mut self, expr: ExprId) {
        let node = self.expr(expr);
        match *self.facts.expr(expr) {
            Expr::Var(var) => {
                let from = self.var(var);
                self.cleaned(from, node, Step::Same, self.proven_at(Spot { var, part: None }, expr));
            }
            Expr::Free(_) | Expr::Import(_) => self.global(expr, node),
            Expr::Field { base, name } => self.field(expr, base, name),
            Expr::Index { base, key } => {
                let step = match *self.facts.expr(key) {
                    Expr::Op { op: Op::Slice, .. } => Step::Same,
                    _ => Step::OutOf(self.key(key)),
                };
                self.read_part(expr, base, step);
            }
            Expr::Call { callee, args, .. } => self.call(expr, callee, self.facts.list(args)),
            Expr::Record(entries) => self.record(node, self.facts.list(entries)),
            Expr::Seq(items) => self.sequence(node, items),
            Expr::Text(parts) => self.text(self.facts.list(parts), node, Step::Made),
            Expr::Opaque(parts) => self.all(parts, node, Step::Made),
            Expr::Op { op, args } => self.operation(node, op, self.facts.list(args)),
            Expr::All(parts) | Expr::Any(parts) => self.all(parts, node, Step::Same),
            Expr::Await(inner) | Expr::Ascribe { value: Some(inner), .. } => {
                self.pass(inner, node, Step::Same);
            }
            Expr::Spread(inner) => self.pass(inner, node, Step::OutOf(Key::Each)),
            Expr::Collect { item, body } => match self.copied(item, body) {
                Some(iterable) => self.pass(iterable, node, Step::Same),
                None => self.pass(item, node, Step::Into(Key::Each)),
            },
            _ => self.control(expr, node),
        }
    }

    fn control(&mut self, expr: ExprId, node: Node) {
        match *self.facts.expr(expr) {
            Expr::Bind { pat, value } => {
                let from = self.expr(value);
                self.here(from, node, Step::Same);
                self.bind(from, pat);
                self.bind_file(pat, value);
            }
            Expr::Store { place, value: Some(value), .. } => self.store(place, value),
            Expr::Block(parts) => {
                self.facts.list(parts).last().into_iter().for_each(|&last| self.pass(last, node, Step::Same));
            }
            Expr::If { arms, otherwise } => {
                let bodies = self.facts.list(arms).iter().map(|arm| arm.body);
                bodies.chain(otherwise).for_each(|body| self.pass(body, node, Step::Same));
            }
            Expr::Match { subject, arms } => {
                for arm in self.facts.list(arms) {
                    if self.hands_error_on(arm) {
                        continue;
                    }
                    let subject = self.expr(subject);
                    self.bind(subject, arm.pat);
                    self.pass(arm.body, node, Step::Same);
                }
            }
            Expr::Loop(index) => {
                if let Some((pat, iterable)) = self.facts.arenas.loop_at(index).each {
                    let from = self.expr(iterable);
                    self.bind_part(from, Key::Each, pat);
                }
            }
            Expr::Try(index) => {
                let tried = *self.facts.arenas.try_at(index);
                let handlers = self.facts.list(tried.handlers).iter().map(|handler| handler.body);
                let bodies = [Some(tried.body), tried.otherwise].into_iter().flatten().chain(handlers);
                bodies.for_each(|body| self.pass(body, node, Step::Same));
            }
            Expr::With { context, pat, body, .. } => {
                self.pass(body, node, Step::Same);
                let from = self.expr(context);
                if let Some(pat) = pat {
                    self.bind(from, pat);
                    if self.is_generated(context) {
                        self.bind_part(from, Key::Each, pat);
                    }
                    self.bind_file(pat, context);
                }
            }
            Expr::Yield { value: Some(value), delegate } => {
                let step = if delegate { Step::Same } else { Step::Into(Key::Each) };
                let returned = self.places.returned(self.program, self.func);
                self.pass(value, returned, step);
            }
            Expr::Jump { kind: Jump::Break(_), value: Some(value) } => self.pass(value, node, Step::Same),
            _ => {}
        }
    }

    /// True for a call of a function that yields: `with` enters by what that yields.
    fn is_generated(&self, context: ExprId) -> bool {
        self.program.edges_at(self.func, context).iter().any(|edge| match edge.to {
            Target::Project(func) => {
                let facts = self.program.facts(self.program.function(func).file);
                self.program.ir(func).exprs.iter().any(|expr| matches!(facts.expr(expr), Expr::Yield { .. }))
            }
            Target::External(_) => false,
        })
    }

    /// `?`: what is wrong goes to the caller. It tells of what was given, and is nothing of it.
    fn hands_error_on(&self, arm: &Arm) -> bool {
        let Expr::Jump { kind: Jump::Return, value: Some(value) } = *self.facts.expr(arm.body) else {
            return false;
        };
        match (*self.facts.pat(arm.pat), *self.facts.expr(value)) {
            (Pat::Var(error), Expr::Var(returned)) => error == returned && self.facts.profile().has_wrappers,
            _ => false,
        }
    }

    /// From an expression to a node.
    pub(super) fn pass(&mut self, from: ExprId, to: Node, step: Step) {
        let from = self.expr(from);
        self.here(from, to, step);
    }

    fn all(&mut self, parts: ListOf<ExprId>, to: Node, step: Step) {
        self.facts.list(parts).iter().for_each(|&part| self.pass(part, to, step));
    }

    /// For what a read is harmless behind the tests before it.
    pub(super) fn proven_at(&self, spot: Spot, read: ExprId) -> Purposes {
        self.proven.at(spot, read)
    }

    fn read_part(&mut self, expr: ExprId, base: ExprId, step: Step) {
        let part = match step {
            Step::OutOf(key) => Some(key),
            _ => None,
        };
        let clean = match *self.facts.expr(base) {
            Expr::Var(var) if part.is_some() => self.proven_at(Spot { var, part }, expr),
            _ => Purposes::default(),
        };
        let (from, node) = (self.expr(base), self.expr(expr));
        self.cleaned(from, node, step, clean);
    }

    fn global(&mut self, expr: ExprId, node: Node) {
        if let Some(variable) = self.program.variable(self.func, expr) {
            let from = self.places.var(self.program, variable.func, variable.var);
            self.shared(from, node);
        }
    }

    fn field(&mut self, expr: ExprId, base: ExprId, name: Sym) {
        let node = self.expr(expr);
        if self.catalog.tells.is_silent_member(self.facts.str(name)) {
            return;
        }
        self.read_part(expr, base, Step::OutOf(Key::Attr(name)));
        self.path_of(expr, base, name);
        if let Some(class) = self.program.own_class(self.func, base) {
            self.read_field(class, name, node);
        }
        // What a property hands back.
        for edge in self.program.edges_at(self.func, expr).to_vec() {
            let (Target::Project(getter), EdgeKind::Call) = (edge.to, edge.kind) else { continue };
            if edge.confidence > Confidence::Low {
                let site = self.site();
                let (base, given) = (self.expr(base), self.places.param(self.program, getter, 0));
                let returned = self.places.returned(self.program, getter);
                self.flow(base, given, Step::Same, Way::Enter(site), edge.confidence);
                self.flow(returned, node, Step::Same, Way::Leave(site), edge.confidence);
            }
        }
    }

    fn record(&mut self, node: Node, entries: &[Entry]) {
        for entry in entries {
            let step = match entry.key {
                EntryKey::Expr(key) => {
                    self.pass(key, node, Step::Into(Key::Names));
                    Step::Into(self.key(key))
                }
                EntryKey::Spread => Step::Same,
            };
            self.pass(entry.value, node, step);
        }
    }
}
