//! Patterns: what a text is that has passed one, and what one has found in a text.

use super::Lower;
use super::closed::{found, passed};
use super::proof::Proof;
use super::tested::Tests;
use crate::catalog::{Catalog, DataOp, Purposes};
use crate::ir::{Arg, Expr, ExprId};
use crate::link::{Func, Program};

/// The text of a pattern that was made before: `NAME = re.compile("[a-z]+")`.
fn compiled(program: &Program<'_>, catalog: &Catalog, func: Func, expr: ExprId) -> Option<String> {
    let (func, value) = program.bound(func, expr);
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, args, .. } = *facts.expr(value) else { return None };
    let path = program.library_path(func, callee)?;
    let text = facts.list(args).first().filter(|_| catalog.tells.is_pattern(path))?;
    program.constant(func, text.value).filter(|known| known.whole).map(|known| known.text)
}

impl Tests<'_, '_> {
    fn pattern(&self, expr: ExprId) -> Option<String> {
        compiled(self.program, self.catalog, self.func, expr)
    }

    /// A call that says whether something is one of few values: `x.isdigit()`, `NAMES.contains(&x)`, a pattern that leaves few.
    pub(super) fn listed(&self, (call, callee): (ExprId, ExprId), args: &[ExprId]) -> Vec<Proof> {
        let tells = &self.catalog.tells;
        let path = super::library(self.program, self.func, callee, self.program.edges_at(self.func, call));
        let receiver = match *self.facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        if let Some(path) = path.as_deref().filter(|path| tells.lists(path)) {
            // The pattern is an argument, or what the method belongs to.
            let is_compiled = receiver.and_then(|base| self.pattern(base));
            let given = || self.program.constant(self.func, *args.first()?).filter(|known| known.whole);
            let pattern = is_compiled.or_else(|| Some(given()?.text));
            return self.passed(args, pattern, tells.asks_whole_pattern(path));
        }
        let (Some(base), Some(name)) = (receiver, self.name(callee)) else { return Vec::new() };
        let asks = self.catalog.operations.own_method(self.facts.lang, name) == Some(DataOp::Contains);
        match args {
            [key] if asks && self.is_table(base) => self.tested(*key),
            _ if tells.lists_by_method(name) => {
                let values: Vec<ExprId> = args.iter().copied().chain([base]).collect();
                self.passed(&values, self.pattern(base), true)
            }
            _ => Vec::new(),
        }
    }

    /// What a pattern proves of the values that it fits; one that is not known is taken at its word.
    fn passed(&self, values: &[ExprId], pattern: Option<String>, is_whole: bool) -> Vec<Proof> {
        let purposes = pattern.map_or(Purposes::ALL, |pattern| passed(&pattern, is_whole));
        let proofs = values.iter().flat_map(|&value| self.tested(value));
        let proofs = proofs.map(|(spot, of)| (spot, of.and(purposes)));
        proofs.filter(|(_, purposes)| !purposes.is_empty()).collect()
    }
}

impl Lower<'_, '_> {
    /// For what the results of a call are harmless that hands back what a pattern has found.
    pub(super) fn found_by(&self, path: &str, callee: ExprId, args: &[Arg]) -> Purposes {
        if !self.catalog.tells.finds_pattern(path) {
            return Purposes::default();
        }
        let is_compiled = match *self.facts.expr(callee) {
            Expr::Field { base, .. } => compiled(self.program, self.catalog, self.func, base),
            _ => None,
        };
        let given = || {
            let first = args.first()?;
            Some(self.program.constant(self.func, first.value).filter(|known| known.whole)?.text)
        };
        is_compiled.or_else(given).map(|pattern| found(&pattern)).unwrap_or_default()
    }
}
