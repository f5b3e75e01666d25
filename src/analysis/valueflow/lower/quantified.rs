//! Tests of every element, or of some: `any(…)`, `all(…)`, and loops that end the function at the first wrong one.

use super::bound::Given;
use super::proof::{Proof, Spot, add};
use super::proofs::After;
use super::tested::{Ending, Held, Tests};
use crate::catalog::Purposes;
use crate::ir::{Arg, Expr, ExprId, IfArm, Jump, Pat, PatId};
use crate::link::{Func, Target};

impl Tests<'_, '_> {
    /// What is proven if a call holds that asks for every element, or for some, or if it does not hold.
    pub(super) fn quantified(&self, call: ExprId, holds: bool) -> Vec<Proof> {
        let Expr::Call { callee, args, .. } = *self.facts.expr(call) else { return Vec::new() };
        let args = self.facts.list(args);
        let (Some(every), [only]) = (self.asks_for_every(call, callee), args) else { return Vec::new() };
        // That one is wrong tells nothing of the others.
        if every && !holds {
            return Vec::new();
        }
        let is_of_all = every == holds;
        match *self.facts.expr(only.value) {
            Expr::Collect { item, body } => {
                let is_of_all = is_of_all && !self.leaves_out(body);
                let proofs = self.each_time(is_of_all, || self.proven_by(item, holds));
                if is_of_all { self.of_loops(body, &proofs) } else { proofs }
            }
            _ => self.by_closure(callee, *only, holds, is_of_all),
        }
    }

    /// True for `all`, false for `any`.
    fn asks_for_every(&self, call: ExprId, callee: ExprId) -> Option<bool> {
        let tells = &self.catalog.tells;
        let path = super::library(self.program, self.func, callee, self.program.edges_at(self.func, call));
        let by_method = || match *self.facts.expr(callee) {
            Expr::Field { name, .. } => tells.of_nothing_by_method(self.facts.str(name)),
            _ => None,
        };
        path.and_then(|path| tells.of_nothing(&path)).or_else(by_method)
    }

    /// `roots.iter().any(|root| path.starts_with(root))`
    fn by_closure(&self, callee: ExprId, closure: Arg, holds: bool, is_of_all: bool) -> Vec<Proof> {
        let Expr::Field { base, .. } = *self.facts.expr(callee) else { return Vec::new() };
        let edges = self.program.edges_at(self.func, closure.value).iter();
        let mut inside = edges.filter_map(|edge| match edge.to {
            Target::Project(func) if self.program.ir(func).parent == self.func => Some(func),
            _ => None,
        });
        let Some(func) = inside.next() else { return Vec::new() };
        let mut found = Vec::new();
        for (held, purposes) in self.helper(func, Ending::of(holds), Given::default()) {
            match held {
                Held::Outer(var) => found.push((Spot { var, part: None }, purposes)),
                Held::Param(_) if is_of_all => self.origins(base, purposes, &mut found),
                Held::Param(_) => {}
            }
        }
        found
    }

    /// What is proven of an element counts for what all of them are taken from only if it is so of all.
    pub(super) fn each_time(&self, is_of_all: bool, proofs: impl FnOnce() -> Vec<Proof>) -> Vec<Proof> {
        let before = self.sees_all.replace(is_of_all && self.sees_all.get());
        let found = proofs();
        self.sees_all.set(before);
        found
    }

    /// `for address in addresses: if is_private(address): raise …`, of what the loop runs through.
    pub(super) fn behind_loop(&self, body: ExprId, each: (PatId, ExprId), known: &After) -> Vec<Proof> {
        let Expr::Block(parts) = *self.facts.expr(body) else { return Vec::new() };
        let mut found = Vec::new();
        for &part in self.facts.list(parts) {
            match *self.facts.expr(part) {
                // What follows is not done for each of them.
                _ if self.goes_on(part) => break,
                Expr::If { arms, otherwise: None } if self.ends(self.facts.list(arms)) => {
                    add(&mut found, known.get(&part).into_iter().flatten().copied());
                }
                _ => add(&mut found, self.returned(part)),
            }
        }
        let (pat, iterable) = each;
        let of_all = self.of_elements(pat, iterable, &found);
        let mut of = Vec::new();
        self.origins(iterable, Purposes::ALL, &mut of);
        found.retain(|(spot, _)| of.iter().any(|(known, _)| known == spot));
        add(&mut found, of_all);
        found
    }

    /// What is proven of each element is proven of what has them: a list, or a text that is split.
    fn of_elements(&self, pat: PatId, iterable: ExprId, found: &[Proof]) -> Vec<Proof> {
        let Pat::Var(var) = *self.facts.pat(pat) else { return Vec::new() };
        let whole = match *self.facts.expr(iterable) {
            Expr::Call { callee, .. } => match *self.facts.expr(callee) {
                Expr::Field { base, name } if self.catalog.handed_on.splits(self.facts.str(name)) => base,
                _ => iterable,
            },
            _ => iterable,
        };
        let Some(spot) = self.spot(whole) else { return Vec::new() };
        let own = found.iter().filter(|(known, _)| *known == Spot { var, part: None });
        own.map(|&(_, purposes)| (spot, purposes)).collect()
    }

    /// True if all arms end the function.
    fn ends(&self, arms: &[IfArm]) -> bool {
        arms.iter().all(|arm| {
            let last = match *self.facts.expr(arm.body) {
                Expr::Block(parts) => self.facts.list(parts).last().copied(),
                _ => Some(arm.body),
            };
            last.is_some_and(|last| {
                matches!(self.facts.expr(last), Expr::Jump { kind: Jump::Return | Jump::Raise, .. })
            })
        })
    }

    /// `for address in addresses if address.version == 4`
    fn leaves_out(&self, body: ExprId) -> bool {
        self.facts.arenas.below(body).into_iter().any(|expr| matches!(self.facts.expr(expr), Expr::If { .. }))
    }

    fn goes_on(&self, below: ExprId) -> bool {
        let goes_on = |expr: ExprId| {
            matches!(self.facts.expr(expr), Expr::Jump { kind: Jump::Continue(_) | Jump::Break(_), .. })
        };
        self.facts.arenas.below(below).into_iter().any(goes_on)
    }

    /// The function that a nested one stands in sees what is proven of its variables.
    pub(super) fn outer_of(&self, spot: Spot) -> Option<Held> {
        if let Some(&at) = self.params.get(&spot.var) {
            return Some(Held::Param(at));
        }
        let captures = self.facts.list(self.program.ir(self.func).captures).iter();
        captures.filter(|it| it.inner == spot.var).map(|it| Held::Outer(it.outer)).next()
    }

    pub(super) fn is_inside(&self, func: Func) -> bool {
        self.program.ir(func).parent == self.func
    }
}
