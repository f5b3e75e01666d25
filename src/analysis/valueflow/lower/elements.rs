//! Whole collections: a test of every element, or of what is left of a collection without a table, proves something of all.

use rustc_hash::FxHashSet;

use super::proof::{Proof, Spot, add};
use super::tested::Tests;
use crate::catalog::{DataOp, Purposes};
use crate::ir::{ArgKind, Expr, ExprId, IfArm, Lit, Op, Pat, PatId, VarId};

/// How a collection is compared with a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Receiver,
    Argument,
}

impl Tests<'_, '_> {
    /// `unknown = set(names) - KNOWN`, and then `if unknown: raise …`: what is proven if nothing is in a collection.
    pub(super) fn by_emptiness(&self, collection: ExprId) -> Vec<Proof> {
        let collection = self.counted(collection);
        match *self.facts.expr(collection) {
            Expr::Op { op: Op::Sub, args } => match self.facts.list(args) {
                &[of, table] if self.is_table(table) => self.of_all(of),
                _ => Vec::new(),
            },
            Expr::Collect { body, item } => self.by_filter(body, item),
            Expr::Call { callee, .. } if self.operation(callee) == Some(DataOp::Difference) => {
                self.compared_with(collection, Side::Receiver)
            }
            _ => Vec::new(),
        }
    }

    /// `len(unknown)`, `list(unknown)`: what is empty with it.
    fn counted(&self, collection: ExprId) -> ExprId {
        let inner = |&expr: &ExprId| match *self.facts.expr(expr) {
            Expr::Call { callee, .. } => match self.operation(callee) {
                Some(DataOp::MakeCollection | DataOp::MakeSet | DataOp::Length) => self.only_argument(expr),
                _ => None,
            },
            _ => None,
        };
        std::iter::successors(Some(collection), inner).last().unwrap_or(collection)
    }

    /// `set(names).issubset(KNOWN)`, `KNOWN.issuperset(names)`
    pub(super) fn by_inclusion(&self, call: ExprId, callee: ExprId, holds: bool) -> Vec<Proof> {
        match self.operation(callee).filter(|_| holds) {
            Some(DataOp::Subset) => self.compared_with(call, Side::Receiver),
            Some(DataOp::Superset) => self.compared_with(call, Side::Argument),
            _ => Vec::new(),
        }
    }

    /// `set(names) <= KNOWN`; numbers are no collections, and lists are compared by their order.
    pub(super) fn by_order(&self, (op, left, right): (Op, ExprId, ExprId), holds: bool) -> Vec<Proof> {
        let is_made = |expr: ExprId| {
            let value = self.definition(expr).map_or(expr, |(_, value)| value);
            match *self.facts.expr(value) {
                Expr::Call { callee, .. } => self.operation(callee) == Some(DataOp::MakeSet),
                _ => false,
            }
        };
        match (op, holds) {
            (Op::Le | Op::Lt, true) if is_made(left) && self.is_table(right) => self.of_all(left),
            (Op::Ge | Op::Gt, true) if is_made(right) && self.is_table(left) => self.of_all(right),
            (Op::Gt | Op::Ne, false) | (Op::Eq, true) if self.is_zero(right) => self.by_size(left),
            _ => Vec::new(),
        }
    }

    fn is_zero(&self, expr: ExprId) -> bool {
        *self.facts.expr(expr) == Expr::Lit(Lit::Int(0))
    }

    /// What is proven if a size is zero.
    fn by_size(&self, size: ExprId) -> Vec<Proof> {
        let Expr::Call { callee, .. } = *self.facts.expr(size) else { return Vec::new() };
        let counted = self.only_argument(size).filter(|_| self.operation(callee) == Some(DataOp::Length));
        counted.map_or_else(Vec::new, |counted| self.by_emptiness(self.unchanged(counted)))
    }

    /// The value of a variable that nothing has taken anything out of.
    pub(super) fn unchanged(&self, expr: ExprId) -> ExprId {
        let Expr::Var(var) = *self.facts.expr(expr) else { return expr };
        match self.definition(expr) {
            Some((_, value)) if !self.changed.get_or_init(|| self.changed()).contains(&var) => value,
            _ => expr,
        }
    }

    fn changed(&self) -> FxHashSet<VarId> {
        let named = self.program.ir(self.func).exprs.iter().filter_map(|it| match *self.facts.expr(it) {
            Expr::Field { base, name } => match *self.facts.expr(base) {
                Expr::Var(var) if self.catalog.handed_on.mutates(self.facts.str(name)) => Some(var),
                _ => None,
            },
            _ => None,
        });
        named.collect()
    }

    /// `[name for name in names if name not in KNOWN]`: where that is empty, the test failed for every one.
    fn by_filter(&self, body: ExprId, item: ExprId) -> Vec<Proof> {
        let Expr::Loop(index) = *self.facts.expr(self.inner(body)) else { return Vec::new() };
        let each = self.facts.arenas.loop_at(index);
        let (Some(run), Expr::If { arms, otherwise: None }) =
            (each.each, *self.facts.expr(self.inner(each.body)))
        else {
            return Vec::new();
        };
        match self.facts.list(arms) {
            &[IfArm { test, body }] if self.inner(body) == item => {
                self.of_run(run, &self.each_time(true, || self.proven_by(test, false)))
            }
            _ => Vec::new(),
        }
    }

    /// The only part of a block.
    fn inner(&self, body: ExprId) -> ExprId {
        match *self.facts.expr(body) {
            Expr::Block(parts) => match self.facts.list(parts) {
                &[only] => only,
                _ => body,
            },
            _ => body,
        }
    }

    /// What is proven of each element that `item` was made of is proven of all that the loops run through.
    pub(super) fn of_loops(&self, body: ExprId, proofs: &[Proof]) -> Vec<Proof> {
        let Expr::Loop(index) = *self.facts.expr(self.inner(body)) else { return Vec::new() };
        self.facts.arenas.loop_at(index).each.map_or_else(Vec::new, |run| self.of_run(run, proofs))
    }

    fn of_run(&self, (pat, iterable): (PatId, ExprId), proofs: &[Proof]) -> Vec<Proof> {
        let mut found = proofs.to_vec();
        let Pat::Var(var) = *self.facts.pat(pat) else { return found };
        let own = proofs.iter().filter(|(spot, _)| *spot == Spot { var, part: None });
        for &(_, purposes) in own {
            let all = self.of_all(iterable);
            add(&mut found, all.into_iter().map(|(spot, of)| (spot, of.and(purposes))));
        }
        found
    }

    fn compared_with(&self, call: ExprId, side: Side) -> Vec<Proof> {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return Vec::new() };
        let (Expr::Field { base, .. }, Some(other)) = (*self.facts.expr(callee), self.only_argument(call))
        else {
            return Vec::new();
        };
        let (of, table) = match side {
            Side::Receiver => (base, other),
            Side::Argument => (other, base),
        };
        if self.is_table(table) { self.of_all(of) } else { Vec::new() }
    }

    /// What has the elements of a collection: itself, and what it is a copy of.
    fn of_all(&self, collection: ExprId) -> Vec<Proof> {
        let (mut found, mut expr) = (Vec::new(), collection);
        loop {
            if let Some(spot) = self.spot(expr) {
                found.push((spot, Purposes::ALL));
            }
            let next = match *self.facts.expr(expr) {
                Expr::Var(_) => Some(self.unchanged(expr)).filter(|&value| value != expr),
                Expr::Call { callee, .. } => match self.operation(callee) {
                    Some(DataOp::MakeCollection | DataOp::MakeSet) => self.only_argument(expr),
                    _ => None,
                },
                _ => None,
            };
            match next {
                Some(next) => expr = next,
                None => return found,
            }
        }
    }

    fn only_argument(&self, call: ExprId) -> Option<ExprId> {
        let Expr::Call { args, .. } = *self.facts.expr(call) else { return None };
        match self.facts.list(args) {
            [only] if matches!(only.kind, ArgKind::Positional) => Some(only.value),
            _ => None,
        }
    }

    /// What a function of a library or a method does to a collection.
    fn operation(&self, callee: ExprId) -> Option<DataOp> {
        let operations = &self.catalog.operations;
        let known = self.program.library_path(self.func, callee).and_then(|path| operations.of_call(path));
        known.or_else(|| match *self.facts.expr(callee) {
            Expr::Field { name, .. } => operations.own_method(self.facts.lang, self.facts.str(name)),
            _ => None,
        })
    }
}
