//! Where a tool runs that is named at run time: calls of what executes tools by their names, and of what a table of tools has
//! under a name. Whether somebody judged the action before is `gating`'s business.

use std::collections::BTreeSet;

use super::gates::spelled;
use super::registrations::Handler;
use super::told::{is_given, is_taken};
use crate::catalog::{Catalog, DataOp, Speaks, words_of_name};
use crate::config;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId, Lit};
use crate::link::{Edge, EdgeKind, Func, Program, Resolution, Target};

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

struct Finder<'f, 'a> {
    program: &'f Program<'a>,
    catalog: &'f Catalog,
    gates: &'f config::Gates,
    tools: &'f [Handler],
}

impl Finder<'_, '_> {
    fn of(&self, func: Func) -> Vec<Execution> {
        let decorators = self.decorators(func);
        let exprs = self.program.ir(func).exprs.iter().filter(|expr| !decorators.contains(expr));
        let calls = exprs.filter_map(|expr| self.execution(func, expr));
        let mut calls: Vec<Execution> = calls.collect();
        calls.dedup_by_key(|known| known.call);
        calls
    }

    /// `@server.call_tool()`: the call makes a decorator, which registers the function below it and runs nothing.
    fn decorators(&self, func: Func) -> BTreeSet<ExprId> {
        let facts = self.program.facts(self.program.function(func).file);
        let decorators = self.program.ir(func).exprs.iter().map(|expr| match *facts.expr(expr) {
            Expr::Closure(id) => facts.list(facts.function(id).decorators),
            Expr::Class(id) => facts.list(facts.class(id).decorators),
            _ => &[],
        });
        decorators.flatten().copied().collect()
    }

    /// True for a call of what the catalogue knows as a maker of decorators, wherever it stands.
    fn registers(&self, func: Func, edges: &[Edge]) -> bool {
        let lang = self.program.facts(self.program.function(func).file).lang;
        edges.iter().any(|edge| match edge.to {
            Target::External(path) => {
                !self.catalog.registrations.decorators(lang, self.program.path(path)).is_empty()
            }
            Target::Project(_) => false,
        })
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
        (!is_meta() && !self.registers(func, edges) && !self.is_vouched(func, edges)).then_some(found)
    }

    /// Somebody else judged what this runs: the configuration says so of it, or of the function or class that it stands in.
    fn is_vouched(&self, func: Func, edges: &[Edge]) -> bool {
        let names = &self.gates.gated_executors;
        let is_meant = |path: &str| names.iter().any(|name| name.matches(path));
        let is_meant =
            |path: &str| is_meant(path) || path.rsplit_once('.').is_some_and(|(class, _)| is_meant(class));
        !names.is_empty()
            && (is_meant(&self.program.function(func).path)
                || edges.iter().any(|edge| is_meant(&self.program.target_name(edge.to))))
    }

    fn by_name(&self, func: Func, call: ExprId, edges: &[Edge]) -> Option<Execution> {
        let (program, words) = (self.program, &self.catalog.actions);
        let is_configured = |path: &str| self.gates.executors.iter().any(|name| name.matches(path));
        let calls: Vec<&Edge> = edges.iter().filter(|edge| edge.kind == EdgeKind::Call).collect();
        let given: Speaks<'_> = &|fits| is_given(program, func, call, fits);
        let is_executor = |edge: &&&Edge| {
            let path = program.target_name(edge.to);
            let told: Speaks<'_> = &|fits| match edge.to {
                Target::Project(to) => given(fits) || is_taken(program, to, fits),
                Target::External(_) => given(fits),
            };
            is_configured(&path) || words.is_executor(&path, told)
        };
        let known: Vec<&&Edge> = calls.iter().filter(is_executor).collect();
        let spelled = spelled(program, func, call)?;
        let confidence = match known.first() {
            Some(edge) => edge.confidence,
            // A body that is there has the last word on what it is.
            None if calls.iter().all(|edge| matches!(edge.to, Target::External(_)))
                && words.is_executor(&spelled, given) =>
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

    /// `TOOLS[name](**arguments)`, `TOOLS[name].invoke(arguments)`: what runs is one of several tools.
    fn by_table(&self, func: Func, call: ExprId, callee: ExprId, edges: &[Edge]) -> Option<Execution> {
        let facts = self.program.facts(self.program.function(func).file);
        let (owner, made) = self.program.bound(func, callee);
        let (owner, entry) = match *facts.expr(made) {
            Expr::Field { base, name }
                if owner == func && self.catalog.actions.runs_entry(facts.str(name)) =>
            {
                self.program.bound(func, base)
            }
            _ => (owner, made),
        };
        let confidence = self.dispatched(func, call, entry, edges).filter(|_| owner == func)?;
        let callee = "a tool out of a table".to_owned();
        Some(Execution { func, call, callee, executors: Vec::new(), confidence })
    }

    /// How sure it is that an entry is one of several tools: it is looked up by what is not known before the run, in a table that is
    /// called after tools, of several tools, or of several functions that take whatever arguments come. Words say so whatever the
    /// table holds.
    fn dispatched(&self, func: Func, call: ExprId, entry: ExprId, edges: &[Edge]) -> Option<Confidence> {
        let facts = self.program.facts(self.program.function(func).file);
        let looked_up = match *facts.expr(entry) {
            Expr::Index { base, key } => Some((base, key)),
            Expr::Call { callee, args, .. } => match (*facts.expr(callee), facts.list(args)) {
                (Expr::Field { base, name }, [key, ..])
                    if self.catalog.operations.of_name(facts.str(name)) == Some(DataOp::Get) =>
                {
                    Some((base, key.value))
                }
                _ => None,
            },
            _ => None,
        };
        let is_open =
            |key: ExprId| !matches!(facts.expr(key), Expr::Lit(_)) && self.program.text(func, key).is_none();
        let (table, key) = looked_up.filter(|&(_, key)| is_open(key))?;
        let is_tool = |func: Func| self.tools.binary_search_by_key(&func, |tool| tool.func).is_ok();
        let targets: BTreeSet<Func> = edges
            .iter()
            .filter_map(|edge| match (edge.to, edge.kind) {
                (Target::Project(to), EdgeKind::Call) => Some(to),
                _ => None,
            })
            .collect();
        let name = self.program.receiver_name(func, table).map(|known| known.name);
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        let is_spread = facts.list(args).iter().any(|arg| arg.kind == ArgKind::SpreadNamed);
        // A table of one tool is a call of that tool.
        let is_table = || name.is_some_and(|name| self.catalog.actions.is_table(name));
        let is_unknown =
            targets.is_empty() && self.program.resolution(func, call) == Some(Resolution::Unresolved);
        let is_one_of_several = targets.len() > 1 || is_unknown;
        let is_said = is_one_of_several && is_spread && (is_table() || self.is_asked_for(func, key, call))
            || targets.is_empty() && !args.is_empty() && is_table();
        let is_of_tools = targets.iter().filter(|&&to| is_tool(to)).count() > 1;
        let least = edges.iter().map(|edge| edge.confidence).min().unwrap_or(Confidence::Medium);
        is_said.then_some(Confidence::Medium).or_else(|| is_of_tools.then_some(least.min(Confidence::Medium)))
    }

    /// The key, or what is spread into the call, speaks of what a model asks for: `TABLE[call.name](**call.input)`.
    fn is_asked_for(&self, func: Func, key: ExprId, call: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let name_of = |expr: ExprId| self.program.receiver_name(func, expr).map(|known| known.name);
        let is_call = |part: ExprId| {
            let words = name_of(part).map(words_of_name).unwrap_or_default();
            words
                .iter()
                .any(|word| matches!(word.as_str(), "call" | "tool" | "function" | "skill" | "action"))
        };
        let Expr::Call { args, .. } = *facts.expr(call) else { return false };
        let spread = facts.list(args).iter().filter(|arg| arg.kind == ArgKind::SpreadNamed);
        let is_of_tool = |value: ExprId| {
            let inner = match *facts.expr(value) {
                Expr::Spread(inner) => inner,
                _ => value,
            };
            name_of(inner).is_some_and(|name| self.catalog.runtime.of_tool.has(name))
        };
        facts.arenas.below(key).into_iter().any(is_call) || spread.map(|arg| arg.value).any(is_of_tool)
    }
}
