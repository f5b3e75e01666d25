//! What tests prove of variables: behind one that a variable passed only as one of few values, it carries nothing that anybody
//! chose. A variable is split where it is tested (e-SSA): its reads behind the test are reads of another value.

use super::Lower;
use crate::catalog::DataOp;
use crate::ir::{Arm, Expr, ExprId, IfArm, Jump, Lit, Op, Pat, PatId, VarId};

/// The reads of a variable that a test stands before: expressions by number, the last one included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proven {
    var: VarId,
    first: ExprId,
    last: ExprId,
}

impl Proven {
    pub(super) fn is_of(&self, var: VarId, read: ExprId) -> bool {
        self.var == var && self.first <= read && read <= self.last
    }
}

impl Lower<'_, '_> {
    /// All reads of variables of the function that a test proves harmless.
    pub(super) fn proofs(&self) -> Vec<Proven> {
        let mut found = Vec::new();
        for expr in self.program.ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::If { arms, otherwise } => self.in_arms(self.facts.list(arms), otherwise, &mut found),
                Expr::Match { subject, arms } => {
                    let var = self.variable(subject);
                    var.into_iter().for_each(|var| self.in_cases(var, self.facts.list(arms), &mut found));
                }
                Expr::All(parts) => self.in_order(self.facts.list(parts), true, &mut found),
                Expr::Any(parts) => self.in_order(self.facts.list(parts), false, &mut found),
                Expr::Block(parts) => self.behind(expr, self.facts.list(parts), &mut found),
                _ => {}
            }
        }
        found
    }

    fn prove(&self, vars: &[VarId], below: ExprId, found: &mut Vec<Proven>) {
        let first = if vars.is_empty() { None } else { self.facts.arenas.below(below).into_iter().min() };
        let proven = vars.iter().filter_map(|&var| Some(Proven { var, first: first?, last: below }));
        found.extend(proven);
    }

    fn in_arms(&self, arms: &[IfArm], otherwise: Option<ExprId>, found: &mut Vec<Proven>) {
        let mut failed = Vec::new();
        for arm in arms {
            let passed = self.proven_by(arm.test, true);
            self.prove(&passed, arm.body, found);
            self.prove(&failed, arm.test, found);
            self.prove(&failed, arm.body, found);
            failed.extend(self.proven_by(arm.test, false));
        }
        otherwise.into_iter().for_each(|body| self.prove(&failed, body, found));
    }

    fn in_cases(&self, var: VarId, arms: &[Arm], found: &mut Vec<Proven>) {
        for arm in arms.iter().filter(|arm| self.is_listed(arm.pat)) {
            self.prove(&[var], arm.body, found);
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
        let mut passed = Vec::new();
        for &part in parts {
            self.prove(&passed, part, found);
            passed.extend(self.proven_by(part, holds));
        }
    }

    /// What stands in a block behind `if x not in NAMES: return`.
    fn behind(&self, block: ExprId, parts: &[ExprId], found: &mut Vec<Proven>) {
        for (at, &part) in parts.iter().enumerate() {
            let Expr::If { arms, otherwise } = *self.facts.expr(part) else { continue };
            let vars = self.left_behind(self.facts.list(arms), otherwise);
            if let (Some(&next), false) = (parts.get(at + 1), vars.is_empty()) {
                let first = self.facts.arenas.below(next).into_iter().min().unwrap_or(next);
                found.extend(vars.into_iter().map(|var| Proven { var, first, last: block }));
            }
        }
    }

    /// What is proven on every way that goes on.
    fn left_behind(&self, arms: &[IfArm], otherwise: Option<ExprId>) -> Vec<VarId> {
        let (mut failed, mut ways): (Vec<VarId>, Vec<Vec<VarId>>) = (Vec::new(), Vec::new());
        for arm in arms {
            if !self.leaves(arm.body) {
                let passed = self.proven_by(arm.test, true);
                ways.push(failed.iter().copied().chain(passed).collect());
            }
            failed.extend(self.proven_by(arm.test, false));
        }
        if !otherwise.is_some_and(|body| self.leaves(body)) {
            ways.push(failed);
        }
        let Some((first, others)) = ways.split_first() else { return Vec::new() };
        first.iter().copied().filter(|var| others.iter().all(|way| way.contains(var))).collect()
    }

    /// True if nothing behind the body runs after it.
    fn leaves(&self, body: ExprId) -> bool {
        let last = match *self.facts.expr(body) {
            Expr::Block(parts) => self.facts.list(parts).last().copied(),
            _ => Some(body),
        };
        last.is_some_and(
            |last| matches!(self.facts.expr(last), Expr::Jump { kind, .. } if *kind != Jump::Assert),
        )
    }

    /// The variables of which a test proves that they are one of few values.
    fn proven_by(&self, test: ExprId, holds: bool) -> Vec<VarId> {
        let (mut found, mut work) = (Vec::new(), vec![(test, holds)]);
        while let Some((test, holds)) = work.pop() {
            match *self.facts.expr(test) {
                Expr::Not(inner) => work.push((inner, !holds)),
                Expr::All(parts) if holds => work.extend(self.facts.list(parts).iter().map(|&it| (it, true))),
                Expr::Any(parts) if !holds => {
                    work.extend(self.facts.list(parts).iter().map(|&it| (it, false)));
                }
                Expr::Op { op, args } => found.extend(self.compared(op, self.facts.list(args), holds)),
                Expr::Call { callee, args, .. } if holds => {
                    let args: Vec<ExprId> = self.facts.list(args).iter().map(|arg| arg.value).collect();
                    found.extend(self.asked((test, callee), &args));
                }
                _ => {}
            }
        }
        found
    }

    fn compared(&self, op: Op, args: &[ExprId], holds: bool) -> Option<VarId> {
        let &[left, right] = args else { return None };
        match (op, holds) {
            (Op::In, true) | (Op::NotIn, false) => self.variable(left).filter(|_| self.is_table(right)),
            (Op::Eq | Op::Is, true) | (Op::Ne | Op::IsNot, false) => match self.is_constant(right) {
                true => self.variable(left),
                false => self.variable(right).filter(|_| self.is_constant(left)),
            },
            _ => None,
        }
    }

    /// A call that says whether something is one of few values: `x.isdigit()`, `NAMES.contains(&x)`.
    fn asked(&self, (call, callee): (ExprId, ExprId), args: &[ExprId]) -> Vec<VarId> {
        let tells = &self.catalog.tells;
        let edges = self.program.edges_at(self.func, call);
        if self.library(callee, edges).is_some_and(|path| tells.lists(&path)) {
            return args.iter().filter_map(|&arg| self.variable(arg)).collect();
        }
        let Expr::Field { base, name } = *self.facts.expr(callee) else { return Vec::new() };
        let name = self.facts.str(name);
        let asks = self.catalog.operations.own_method(self.facts.lang, name) == Some(DataOp::Contains);
        match args {
            [key] if asks && self.is_table(base) => self.variable(*key).into_iter().collect(),
            _ if tells.lists_by_method(name) => {
                args.iter().chain([&base]).filter_map(|&it| self.variable(it)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What has few values that the code names: not what a caller gave, and no text.
    fn is_table(&self, expr: ExprId) -> bool {
        match *self.facts.expr(expr) {
            Expr::Var(var) => !self.params.contains_key(&var) && !self.captured.contains_key(&var),
            Expr::Lit(_) | Expr::Text(_) => false,
            _ => true,
        }
    }

    fn is_constant(&self, expr: ExprId) -> bool {
        matches!(self.facts.expr(expr), Expr::Lit(lit) if *lit != Lit::None)
    }

    /// The variable that is tested, perhaps as seen by a method: `name.as_str()`.
    fn variable(&self, expr: ExprId) -> Option<VarId> {
        match *self.facts.expr(expr) {
            Expr::Var(var) => Some(var),
            Expr::Call { callee, args, .. } if args.is_empty() => match *self.facts.expr(callee) {
                Expr::Field { base, name } if self.catalog.handed_on.by_method(self.facts.str(name)) => {
                    match *self.facts.expr(base) {
                        Expr::Var(var) => Some(var),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }
}
