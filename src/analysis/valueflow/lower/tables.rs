//! Tables of few values, which code names: constants of a module, attributes of the own object, and what a call gives a helper.
//! What a helper proves by a table that it is given is proven only where that is one.

use super::bound::{Given, Tables};
use super::proof::{Proof, Spot, both};
use super::tested::{Ending, Held, Tests};
use crate::catalog::{Outcome, Purposes};
use crate::ir::{Expr, ExprId, VarId};
use crate::link::{Edge, Func, Passed, Target};

impl Tests<'_, '_> {
    /// What has few values that the code names: not what a caller gave or what is made of that, and no text.
    pub fn is_table(&self, expr: ExprId) -> bool {
        match *self.facts.expr(expr) {
            Expr::Lit(_) | Expr::Text(_) => false,
            Expr::Var(var) if self.params.contains_key(&var) => self.is_given_table(var),
            _ => self.is_own(expr) && self.program.constant(self.func, expr).is_none(),
        }
    }

    /// True for what no caller has chosen: it is made of tables at most.
    pub fn is_own(&self, expr: ExprId) -> bool {
        self.given_in(expr).into_iter().all(|var| self.is_given_table(var))
    }

    fn is_given_table(&self, var: VarId) -> bool {
        self.params.get(&var).is_some_and(|&at| self.given.tables.has(at))
    }

    /// `"*" in NAMES`: a table that names everything allows whatever the function was given.
    pub(super) fn admitted(&self, text: ExprId, table: ExprId) -> Vec<Proof> {
        let known = self.program.constant(self.func, text).filter(|known| known.whole);
        let checks = known.iter().flat_map(|known| self.catalog.checks.of_text(Outcome::Admits, &known.text));
        let purposes = checks.fold(Purposes::default(), |all, check| all.with(check.purposes()));
        if purposes.is_empty() || !self.is_table(table) {
            return Vec::new();
        }
        let mut given: Vec<_> = self.params.iter().collect();
        given.sort_unstable_by_key(|&(_, at)| at);
        given.into_iter().map(|(&var, _)| (Spot { var, part: None }, purposes)).collect()
    }

    /// Of what a function has proven something whenever it ends so.
    pub(super) fn helper(&self, func: Func, ending: Ending, given: Given) -> Vec<(Held, Purposes)> {
        let find =
            || Tests::given(self.program, self.catalog, self.helpers, func, given.clone()).helps(ending);
        let join = |mut found: Vec<(Held, Purposes)>, known: &Vec<_>| {
            found.extend(known);
            found.sort_unstable();
            found.dedup();
            found
        };
        self.helpers.proven.of((func, ending, given.clone()), find, join)
    }

    /// What a function of the project has checked of what it is given.
    pub(super) fn by_helper(&self, call: ExprId, ending: Ending) -> Vec<Proof> {
        let edges = self.program.edges_at(self.func, call);
        let mut ways = edges.iter().map(|edge| match edge.to {
            Target::Project(callee) => self.by_callee(edge, callee, ending),
            Target::External(_) => Vec::new(),
        });
        let first = ways.next().unwrap_or_default();
        ways.fold(first, |known, way| both(&known, &way))
    }

    fn by_callee(&self, edge: &Edge, callee: Func, ending: Ending) -> Vec<Proof> {
        let given = self.program.arguments(edge);
        let flags = self.flags_given(edge, callee, &given);
        // Most functions prove nothing, whatever they are given.
        if self.helper(callee, ending, Given { tables: Tables::All, flags: flags.clone() }).is_empty() {
            return Vec::new();
        }
        let mut proofs = Vec::new();
        let own = Given { tables: self.tables_given(callee, &given), flags };
        for (held, purposes) in self.helper(callee, ending, own) {
            let of = match held {
                Held::Param(at) => {
                    let own = given.iter().filter(|(passed, _)| *passed == Passed::Param(at));
                    own.flat_map(|&(_, arg)| self.tested(arg)).collect()
                }
                Held::Outer(var) if self.is_inside(callee) => {
                    vec![(Spot { var, part: None }, Purposes::ALL)]
                }
                Held::Outer(_) => Vec::new(),
            };
            proofs.extend(of.into_iter().map(|(spot, of)| (spot, of.and(purposes))));
        }
        proofs
    }

    fn tables_given(&self, callee: Func, given: &[(Passed, ExprId)]) -> Tables {
        let is_plain = given.iter().all(|(passed, _)| matches!(passed, Passed::Param(_)));
        let facts = self.program.facts(self.program.function(callee).file);
        let params = (0..).zip(facts.list(self.program.ir(callee).params));
        let is_table = |at: u32, has_default: bool| {
            let mut own = given.iter().filter(|(passed, _)| *passed == Passed::Param(at)).peekable();
            match own.peek() {
                // The author of the helper has chosen its default.
                None => has_default && is_plain,
                Some(_) => own.all(|&(_, arg)| self.is_table(arg)),
            }
        };
        let known = params.filter(|&(at, param)| is_table(at, param.default.is_some()));
        let known: Vec<u32> = known.map(|(at, _)| at).collect();
        if known.is_empty() { Tables::None } else { Tables::These(known) }
    }
}
