//! Where a test stands before a read: behind one that a variable passed only as one of few values, it carries nothing that
//! anybody chose. A variable is split where it is tested (e-SSA): its reads behind the test are reads of another value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::harmless::Harmless;
use super::proof::{Merged, Proof, Proven, Spot, add, both};
use super::tested::{Ending, Held, Tests};
use crate::analysis::valueflow::ranges::Ranges;
use crate::catalog::Purposes;
use crate::ir::{Arm, Expr, ExprId, IfArm, Jump, Lit, Pat, PatId};

/// By expression: what is proven behind it.
pub(super) type After = FxHashMap<ExprId, Vec<Proof>>;

impl Tests<'_, '_> {
    pub(super) fn helps(&self, ending: Ending) -> Vec<(Held, Purposes)> {
        let (proven, dead) =
            (Harmless::new(&self.proofs()), self.dead().into_iter().collect::<Ranges<ExprId>>());
        // Callers hear of what they have given, and of nothing else.
        let held: Vec<Spot> = proven.variables().filter(|&spot| self.outer_of(spot).is_some()).collect();
        let at = |at: ExprId| -> Vec<Proof> {
            let here = held.iter().map(|&spot| (spot, proven.at(spot, at)));
            here.filter(|(_, purposes)| !purposes.is_empty()).collect()
        };
        let ends_so = |value: ExprId| {
            let ends_otherwise = matches!(
                (ending, self.facts.expr(value)),
                (Ending::Yes, Expr::Lit(Lit::Bool(false) | Lit::None))
                    | (Ending::No, Expr::Lit(Lit::Bool(true)))
            );
            !ends_otherwise
        };
        let told = |value: ExprId| match ending {
            Ending::Returned => self.returned(value),
            Ending::Yes | Ending::No => self.proven_by(value, ending == Ending::Yes),
        };
        let mut ways: Vec<Vec<Proof>> = Vec::new();
        for expr in self.program.ir(self.func).exprs.iter() {
            let Expr::Jump { kind: Jump::Return, value } = *self.facts.expr(expr) else { continue };
            if dead.has(expr) {
                continue;
            }
            for value in value.into_iter().flat_map(|value| self.arms_of(value)).filter(|&it| ends_so(it)) {
                ways.push(at(expr).into_iter().chain(told(value)).collect());
            }
            if value.is_none() && ending != Ending::Yes {
                ways.push(at(expr));
            }
        }
        // It ends without a word, which is no yes.
        let body = self.program.ir(self.func).body;
        if ending != Ending::Yes && !self.leaves(body) {
            ways.push(at(body));
        }
        let Some((first, others)) = ways.split_first() else { return Vec::new() };
        let all = others.iter().fold(first.clone(), |known, way| both(&known, way));
        let of_params = all.iter().filter(|(spot, _)| spot.part.is_none());
        let held = of_params.filter_map(|&(spot, purposes)| Some((self.outer_of(spot)?, purposes)));
        // In order, so that two answers can be compared.
        let mut held: Vec<_> = held.collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// The values that an expression may be.
    fn arms_of(&self, value: ExprId) -> Vec<ExprId> {
        match *self.facts.expr(value) {
            Expr::Match { arms, .. } => self.facts.list(arms).iter().map(|arm| arm.body).collect(),
            _ => vec![value],
        }
    }

    /// All reads of variables of the function that a test proves harmless.
    pub(super) fn proofs(&self) -> Vec<Proven> {
        let (mut found, mut after) = (Vec::new(), After::default());
        // Children stand before parents.
        for expr in self.program.ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::If { arms, otherwise } => self.in_arms(self.facts.list(arms), otherwise, &mut found),
                Expr::Match { subject, arms } => {
                    let proofs = self.tested(subject);
                    let listed = self.facts.list(arms).iter().filter(|arm: &&Arm| self.is_listed(arm.pat));
                    listed.for_each(|arm| self.prove(&proofs, arm.body, &mut found));
                }
                Expr::All(parts) => self.in_order(self.facts.list(parts), true, &mut found),
                Expr::Any(parts) => self.in_order(self.facts.list(parts), false, &mut found),
                Expr::Block(parts) => self.behind(expr, self.facts.list(parts), &after, &mut found),
                _ => {}
            }
            let proofs = self.after(expr, &after);
            if !proofs.is_empty() {
                after.insert(expr, proofs);
            }
        }
        found
    }

    /// What is proven once an expression has come to its end.
    fn after(&self, expr: ExprId, known: &After) -> Vec<Proof> {
        let of = |expr: ExprId| known.get(&expr).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        match *self.facts.expr(expr) {
            Expr::Block(parts) => {
                let mut seen = FxHashSet::default();
                for &part in self.facts.list(parts) {
                    let proofs = of(part).iter().copied().chain(self.returned(part));
                    found.extend(proofs.filter(|&proof| seen.insert(proof)));
                }
            }
            Expr::If { arms, otherwise } => {
                found = self.left_behind(self.facts.list(arms), otherwise, &of);
            }
            Expr::Jump { kind: Jump::Assert, value: Some(test) } => found = self.proven_by(test, true),
            Expr::With { body, .. } => found = of(body).to_vec(),
            Expr::Loop(index) => {
                let each = self.facts.arenas.loop_at(index);
                if let Some(of) = each.each {
                    found = self.behind_loop(each.body, of, known);
                }
            }
            Expr::Try(index) => {
                let tried = *self.facts.arenas.try_at(index);
                let mut handlers = self.facts.list(tried.handlers).iter();
                // What a body has checked counts if its exceptions end the function.
                if handlers.all(|handler| self.leaves(handler.body)) {
                    add(&mut found, of(tried.body).iter().copied());
                }
                tried.finally.into_iter().for_each(|body| add(&mut found, of(body).iter().copied()));
            }
            _ => {}
        }
        found
    }

    fn prove(&self, proofs: &[Proof], below: ExprId, found: &mut Vec<Proven>) {
        self.prove_to(proofs, (below, below), found);
    }

    /// From the beginning of one expression to the end of another.
    fn prove_to(&self, proofs: &[Proof], (from, last): (ExprId, ExprId), found: &mut Vec<Proven>) {
        if !proofs.is_empty() {
            let first = self.first(from);
            found.extend(proofs.iter().map(|&(spot, purposes)| Proven { spot, first, last, purposes }));
        }
    }

    /// The expression with the lowest number inside another one.
    pub(super) fn first(&self, below: ExprId) -> ExprId {
        self.facts.arenas.below(below).into_iter().min().unwrap_or(below)
    }

    /// Where a test has failed, all that follows it runs; the parts of a ladder stand one behind the other.
    fn in_arms(&self, arms: &[IfArm], otherwise: Option<ExprId>, found: &mut Vec<Proven>) {
        let Some(end) = otherwise.or(arms.last().map(|arm| arm.body)) else { return };
        for (at, arm) in arms.iter().enumerate() {
            self.prove(&self.proven_by(arm.test, true), arm.body, found);
            if let Some(next) = arms.get(at + 1).map(|next| next.test).or(otherwise) {
                self.prove_to(&self.proven_by(arm.test, false), (next, end), found);
            }
        }
    }

    fn is_listed(&self, pat: PatId) -> bool {
        match *self.facts.pat(pat) {
            Pat::Value(_) => true,
            Pat::Or(pats) => self.facts.list(pats).iter().all(|&pat| self.is_listed(pat)),
            _ => false,
        }
    }

    /// What stands behind `x in NAMES and …`.
    fn in_order(&self, parts: &[ExprId], holds: bool, found: &mut Vec<Proven>) {
        let Some(&end) = parts.last() else { return };
        for pair in parts.windows(2) {
            self.prove_to(&self.proven_by(pair[0], holds), (pair[1], end), found);
        }
    }

    /// What stands in a block behind `if x not in NAMES: return`, or behind a call that has checked it.
    fn behind(&self, block: ExprId, parts: &[ExprId], after: &After, found: &mut Vec<Proven>) {
        for (at, &part) in parts.iter().enumerate() {
            let mut proofs = after.get(&part).cloned().unwrap_or_default();
            add(&mut proofs, self.returned(part));
            if !proofs.is_empty() {
                // Behind the last one is the end of the block.
                let first = parts.get(at + 1).map_or(block, |&next| self.first(next));
                let proven = |(spot, purposes)| Proven { spot, first, last: block, purposes };
                found.extend(proofs.into_iter().map(proven));
            }
        }
    }

    /// What is proven on every way that goes on.
    fn left_behind<'k>(
        &self,
        arms: &[IfArm],
        otherwise: Option<ExprId>,
        after: &dyn Fn(ExprId) -> &'k [Proof],
    ) -> Vec<Proof> {
        let (mut failed, mut left) = (Merged::default(), None);
        let mut is_open = true;
        for arm in arms {
            let truth = self.truth(arm.test);
            if truth != Some(false) && is_open && !self.leaves(arm.body) {
                let mut way = self.proven_by(arm.test, true);
                way.extend(self.replaced(arm.body));
                way.extend(after(arm.body));
                left = Some(failed.both(left, &way));
            }
            is_open &= truth != Some(true);
            failed.add(&self.proven_by(arm.test, false));
        }
        if is_open && !otherwise.is_some_and(|body| self.leaves(body)) {
            left = Some(failed.both(left, otherwise.map_or(&[][..], after)));
        }
        left.unwrap_or_default()
    }

    /// Variables that a body gives another value, which is constant: `if name not in NAMES: name = "main"`.
    fn replaced(&self, body: ExprId) -> Vec<Proof> {
        let Expr::Block(parts) = *self.facts.expr(body) else { return Vec::new() };
        let constant = |&part: &ExprId| match *self.facts.expr(part) {
            Expr::Bind { pat, value } if matches!(self.facts.expr(value), Expr::Lit(_)) => {
                match *self.facts.pat(pat) {
                    Pat::Var(var) => Some((Spot { var, part: None }, Purposes::ALL)),
                    _ => None,
                }
            }
            _ => None,
        };
        self.facts.list(parts).iter().filter_map(constant).collect()
    }

    /// True if nothing behind the body runs after it.
    pub(super) fn leaves(&self, body: ExprId) -> bool {
        let last = match *self.facts.expr(body) {
            Expr::Block(parts) => self.facts.list(parts).last().copied(),
            _ => Some(body),
        };
        last.is_some_and(
            |last| matches!(self.facts.expr(last), Expr::Jump { kind, .. } if *kind != Jump::Assert),
        )
    }
}
