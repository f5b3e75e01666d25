//! The children of a node, in the order in which they are evaluated. It says nothing of what a node means.

use super::arena::Arenas;
use super::expr::{EntryKey, Expr, Pat};
use super::{ExprId, PatId, VarId};

/// What a node holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    Expr(ExprId),
    Pat(PatId),
}

impl Arenas {
    /// Every expression below one, itself included: also those in patterns, and none of what closures and classes hold.
    pub fn below(&self, id: ExprId) -> Vec<ExprId> {
        let (mut found, mut todo) = (Vec::new(), vec![id]);
        while let Some(id) = todo.pop() {
            found.push(id);
            self.each_expr(id, |child| todo.push(child));
        }
        found
    }

    /// The expressions right below one, also those inside its patterns.
    pub fn each_expr(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        let mut pats: Vec<PatId> = Vec::new();
        let mut child = |child| match child {
            Child::Expr(id) => visit(id),
            Child::Pat(pat) => pats.push(pat),
        };
        self.each_child(id, &mut child);
        while let Some(pat) = pats.pop() {
            self.each_child_of_pat(pat, |child| match child {
                Child::Expr(id) => visit(id),
                Child::Pat(pat) => pats.push(pat),
            });
        }
    }

    /// Calls `visit` with each child of an expression. The heads of closures and classes (defaults, annotations, decorators,
    /// bases) are no children; they are found through `Facts::functions` and `Facts::classes`.
    pub fn each_child(&self, id: ExprId, mut visit: impl FnMut(Child)) {
        let mut expr = |id: ExprId| visit(Child::Expr(id));
        match *self.expr(id) {
            Expr::Lit(_)
            | Expr::Var(_)
            | Expr::Free(_)
            | Expr::Closure(_)
            | Expr::Class(_)
            | Expr::Import(_) => {}
            Expr::Field { base, .. } => expr(base),
            Expr::Index { base, key } => [base, key].into_iter().for_each(expr),
            Expr::Call { callee, args, .. } => {
                expr(callee);
                self.list(args).iter().for_each(|arg| expr(arg.value));
            }
            Expr::Record(entries) => {
                for entry in self.list(entries) {
                    if let EntryKey::Expr(key) = entry.key {
                        expr(key);
                    }
                    expr(entry.value);
                }
            }
            Expr::Seq(list) | Expr::Text(list) | Expr::All(list) | Expr::Any(list) | Expr::Block(list) => {
                self.list(list).iter().copied().for_each(expr);
            }
            Expr::Op { args: list, .. } | Expr::Opaque(list) => {
                self.list(list).iter().copied().for_each(expr)
            }
            Expr::Not(inner) | Expr::Await(inner) | Expr::Spread(inner) => expr(inner),
            // The item stands inside the body.
            Expr::Collect { body, .. } => expr(body),
            Expr::Yield { value, .. } | Expr::Jump { value, .. } => value.into_iter().for_each(expr),
            Expr::Ascribe { value, ty, .. } => value.into_iter().chain([ty]).for_each(expr),
            Expr::Store { place, value, .. } => value.into_iter().chain([place]).for_each(expr),
            _ => self.each_child_of_control(id, &mut visit),
        }
    }

    fn each_child_of_control(&self, id: ExprId, visit: &mut dyn FnMut(Child)) {
        match *self.expr(id) {
            Expr::Bind { pat, value } => [Child::Expr(value), Child::Pat(pat)].into_iter().for_each(visit),
            Expr::If { arms, otherwise } => {
                for arm in self.list(arms) {
                    visit(Child::Expr(arm.test));
                    visit(Child::Expr(arm.body));
                }
                otherwise.into_iter().for_each(|id| visit(Child::Expr(id)));
            }
            Expr::Match { subject, arms } => {
                visit(Child::Expr(subject));
                for arm in self.list(arms) {
                    visit(Child::Pat(arm.pat));
                    arm.guard.into_iter().chain([arm.body]).for_each(|id| visit(Child::Expr(id)));
                }
            }
            Expr::With { context, pat, body, .. } => {
                visit(Child::Expr(context));
                pat.into_iter().for_each(|pat| visit(Child::Pat(pat)));
                visit(Child::Expr(body));
            }
            Expr::Loop(index) => {
                let found = self.loop_at(index);
                found.test.into_iter().for_each(|id| visit(Child::Expr(id)));
                if let Some((pat, iterable)) = found.each {
                    visit(Child::Expr(iterable));
                    visit(Child::Pat(pat));
                }
                [Some(found.body), found.otherwise]
                    .into_iter()
                    .flatten()
                    .for_each(|id| visit(Child::Expr(id)));
            }
            Expr::Try(index) => {
                let found = self.try_at(index);
                visit(Child::Expr(found.body));
                for handler in self.list(found.handlers) {
                    self.list(handler.types).iter().for_each(|&id| visit(Child::Expr(id)));
                    handler.pat.into_iter().for_each(|pat| visit(Child::Pat(pat)));
                    visit(Child::Expr(handler.body));
                }
                [found.otherwise, found.finally].into_iter().flatten().for_each(|id| visit(Child::Expr(id)));
            }
            _ => {}
        }
    }

    /// The variables that a pattern binds.
    pub fn vars_of(&self, pat: PatId) -> Vec<VarId> {
        let (mut found, mut work) = (Vec::new(), vec![pat]);
        while let Some(pat) = work.pop() {
            match *self.pat(pat) {
                Pat::Var(var) | Pat::As { var, .. } => found.push(var),
                _ => {}
            }
            self.each_child_of_pat(pat, |child| work.extend(child.pat()));
        }
        found
    }

    /// Calls `visit` with each child of a pattern.
    pub fn each_child_of_pat(&self, id: PatId, mut visit: impl FnMut(Child)) {
        match *self.pat(id) {
            Pat::Wild | Pat::Var(_) => {}
            Pat::Place(place) | Pat::Value(place) => visit(Child::Expr(place)),
            Pat::Seq { items, .. } | Pat::Or(items) => {
                self.list(items).iter().for_each(|&pat| visit(Child::Pat(pat)));
            }
            Pat::Record { items, rest } => {
                self.list(items).iter().for_each(|field| visit(Child::Pat(field.pat)));
                rest.into_iter().for_each(|pat| visit(Child::Pat(pat)));
            }
            Pat::Ctor { path, items, named } => {
                visit(Child::Expr(path));
                self.list(items).iter().for_each(|&pat| visit(Child::Pat(pat)));
                self.list(named).iter().for_each(|field| visit(Child::Pat(field.pat)));
            }
            Pat::As { pat, .. } => visit(Child::Pat(pat)),
        }
    }
}
