//! Where a tool runs that is named at run time: calls of what executes tools by their names, and of what a table of tools has
//! under a name. Whether somebody judged the action before is `gating`'s business.

use std::collections::BTreeSet;

use super::gates::spelled;
use super::registrations::Handler;
use crate::catalog::Catalog;
use crate::config;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Lit};
use crate::link::{Edge, EdgeKind, Func, Program, Target};

/// A call that runs a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    pub func: Func,
    pub call: ExprId,
    /// What is called, as a reader knows it.
    pub callee: String,
    /// The project's own functions that execute tools, if it calls such ones.
    pub executors: Vec<Func>,
    pub confidence: Confidence,
}

/// The calls of production code that run tools by their names, in order.
pub fn executions(
    program: &Program<'_>,
    catalog: &Catalog,
    gates: &config::Gates,
    tools: &[Handler],
) -> Vec<Execution> {
    let finder = Finder { program, catalog, gates, tools };
    let functions = (0..program.functions.len() as u32).map(Func);
    let production = functions.filter(|&func| !program.is_test_code(func));
    production.flat_map(|func| finder.of(func)).collect()
}

/// True if what a call of this name runs is a tool, going by what it is given.
pub(super) fn runs_tool(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    call: ExprId,
    name: &str,
) -> bool {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { args, .. } = *facts.expr(call) else { return false };
    let vars = facts.list(program.ir(func).vars);
    let name_of = |part: ExprId| match *facts.expr(part) {
        Expr::Var(var) => vars.get(var.0 as usize).map(|&name| facts.str(name)),
        Expr::Field { name, .. } | Expr::Free(name) => Some(facts.str(name)),
        _ => None,
    };
    let is_given = |fits: &dyn Fn(&str) -> bool| {
        let parts = facts.list(args).iter().flat_map(|arg| facts.arenas.below(arg.value));
        parts.into_iter().filter_map(name_of).any(fits)
    };
    catalog.actions.is_executor(name, is_given)
}

struct Finder<'f, 'a> {
    program: &'f Program<'a>,
    catalog: &'f Catalog,
    gates: &'f config::Gates,
    tools: &'f [Handler],
}

impl Finder<'_, '_> {
    fn of(&self, func: Func) -> Vec<Execution> {
        let exprs = self.program.ir(func).exprs.iter();
        let calls = exprs.filter_map(|expr| self.execution(func, expr));
        let mut calls: Vec<Execution> = calls.collect();
        calls.dedup_by_key(|known| known.call);
        calls
    }

    fn execution(&self, func: Func, call: ExprId) -> Option<Execution> {
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return None };
        let edges = self.program.edges_at(func, call);
        let is_meta = || {
            let mut values = facts.list(args).iter().map(|arg| arg.value);
            values.any(|value| match *facts.expr(value) {
                Expr::Lit(Lit::Str(text)) => {
                    self.gates.meta_tools.iter().any(|known| known == facts.str(text))
                }
                _ => false,
            })
        };
        let named = self.by_name(func, call, edges);
        let found = named.or_else(|| self.by_table(func, call, callee, edges))?;
        (!is_meta() && !self.is_vouched(func, edges)).then_some(found)
    }

    /// Somebody else judged what this runs: the configuration says so of it, or of the function that it stands in.
    fn is_vouched(&self, func: Func, edges: &[Edge]) -> bool {
        let is_meant = |path: &str| self.gates.gated_executors.iter().any(|name| name.matches(path));
        is_meant(&self.program.function(func).path)
            || edges.iter().any(|edge| is_meant(&self.program.target_name(edge.to)))
    }

    fn by_name(&self, func: Func, call: ExprId, edges: &[Edge]) -> Option<Execution> {
        let is_configured = |path: &str| self.gates.executors.iter().any(|name| name.matches(path));
        let calls: Vec<&Edge> = edges.iter().filter(|edge| edge.kind == EdgeKind::Call).collect();
        let runs_tool = |name: &str| runs_tool(self.program, self.catalog, func, call, name);
        let is_executor = |edge: &&&Edge| {
            let path = self.program.target_name(edge.to);
            is_configured(&path) || runs_tool(&path)
        };
        let known: Vec<&&Edge> = calls.iter().filter(is_executor).collect();
        let spelled = spelled(self.program, func, call)?;
        let confidence = match known.first() {
            Some(edge) => edge.confidence,
            // A body that is there has the last word on what it is.
            None if calls.iter().all(|edge| matches!(edge.to, Target::External(_)))
                && runs_tool(&spelled) =>
            {
                Confidence::Medium
            }
            None => return None,
        };
        let executors = known.iter().filter_map(|edge| match edge.to {
            Target::Project(to) => Some(to),
            Target::External(_) => None,
        });
        let executors = executors.collect();
        Some(Execution { func, call, callee: spelled, executors, confidence })
    }

    /// `TOOLS[name](**arguments)`: what is called is one of several tools.
    fn by_table(&self, func: Func, call: ExprId, callee: ExprId, edges: &[Edge]) -> Option<Execution> {
        let is_tool = |func: Func| self.tools.binary_search_by_key(&func, |tool| tool.func).is_ok();
        let tools: BTreeSet<Func> = edges
            .iter()
            .filter_map(|edge| match (edge.to, edge.kind) {
                (Target::Project(to), EdgeKind::Call) if is_tool(to) => Some(to),
                _ => None,
            })
            .collect();
        let confidence = edges.iter().map(|edge| edge.confidence).min()?.min(Confidence::Medium);
        let facts = self.program.facts(self.program.function(func).file);
        let (_, made) = self.program.bound(func, callee);
        let is_looked_up = !matches!(facts.expr(made), Expr::Field { .. } | Expr::Free(_));
        // A table of one tool is a call of that tool.
        let is_many = tools.len() > 1 && is_looked_up;
        let callee = "a tool out of a table".to_owned();
        is_many.then(|| Execution { func, call, callee, executors: Vec::new(), confidence })
    }
}
