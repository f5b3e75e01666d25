//! Functions that branches dispatch to by the name of a tool: `if name == "search": return search(**arguments)`, or a `match`
//! of the name. A schema of a model provider says which names are those of tools, or the function that is given one does
//! (`call_tool`).

use std::collections::{BTreeMap, BTreeSet};

use super::registrars::Words;
use super::{Candidate, Finder, Name, Said, Way};
use crate::catalog::{DataOp, Registration};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, Op, Pat, PatId, Span, VarId};
use crate::link::{At, EdgeKind, Func, Target};

/// One branch: the name of a tool, where it is compared, what it is compared with, and what runs then.
struct Rung {
    name: String,
    at: ExprId,
    subject: ExprId,
    body: ExprId,
}

/// The bodies that run for other names than this one; none if nothing compares with it.
fn others<'r>(rungs: &'r [Rung], name: &str) -> impl Iterator<Item = ExprId> + use<'r> {
    let own: Vec<ExprId> = rungs.iter().filter(|rung| rung.name == name).map(|rung| rung.body).collect();
    rungs.iter().map(|rung| rung.body).filter(move |body| !own.is_empty() && !own.contains(body))
}

/// One name alone may be compared for any reason.
const MIN_RUNGS: usize = 2;

impl Finder<'_, '_> {
    /// Takes down what the branches of a function call, if they are taken by the names of tools.
    pub(super) fn ladder(&mut self, func: Func, all: &BTreeSet<&str>) {
        let rungs = self.rungs(func, |_, name| all.contains(name));
        self.climb(func, rungs, all.len());
    }

    /// The same where the function is one that runs the tool whose name it is given.
    pub(super) fn dispatching(&mut self, words: &Words) {
        let program = self.program;
        for func in (0..program.functions.len() as u32).map(Func) {
            if words.dispatchers.has(program.ir(func).name) {
                let rungs = self.rungs(func, |subject, _| words.is_name_of_tool(program, func, subject));
                self.climb(func, rungs, MIN_RUNGS);
                self.looked_up(words, func);
            }
        }
    }

    /// `HANDLERS[name](**arguments)`: what stands in the table.
    fn looked_up(&mut self, words: &Words, func: Func) {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        for expr in program.ir(func).exprs.iter() {
            let (table, key) = match *facts.expr(expr) {
                Expr::Index { base, key } => (base, key),
                Expr::Call { callee, args, .. } => match (facts.expr(callee), facts.list(args)) {
                    (Expr::Field { base, name }, [key, ..])
                        if self.catalog.operations.of_name(facts.str(*name)) == Some(DataOp::Get) =>
                    {
                        (*base, key.value)
                    }
                    _ => continue,
                },
                _ => continue,
            };
            if words.is_name_of_tool(program, func, key) {
                self.members(func, table);
            }
        }
    }

    fn climb(&mut self, func: Func, rungs: Vec<Rung>, known: usize) {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let names: BTreeSet<&str> = rungs.iter().map(|rung| rung.name.as_str()).collect();
        if names.len() < MIN_RUNGS.min(known) {
            return;
        }
        // A function that is one of many tools by what another place says has no need of its branches.
        if self.functions.contains(&func) {
            return;
        }
        let runs: Vec<Option<Func>> = rungs.iter().map(|rung| self.runs_in(func, rung.body)).collect();
        for (Rung { name, at, subject, body }, run) in rungs.iter().zip(&runs) {
            // What several branches call is a helper of theirs.
            let is_shared = |(rung, other): (&Rung, &Option<Func>)| other == run && rung.body != *body;
            let own = run.filter(|_| !rungs.iter().zip(&runs).any(is_shared));
            let Some(handler) = own.or_else(|| self.is_parameter(func, *subject).then_some(func)) else {
                continue;
            };
            let (name, span) = (Name::Known(name.clone()), facts.span(*at));
            let (within, way, confidence) = (span.lo, Way::Called, Confidence::Medium);
            let said = Said { name, file, span, within, way, confidence, annotation: None };
            self.add(&Registration::default(), handler, 0, said);
        }
    }

    /// The names that a parameter is compared with, each with the first place where it is.
    pub(super) fn branches(&self, func: Func) -> Vec<(String, Span)> {
        let facts = self.program.facts(self.program.function(func).file);
        let rungs = self.rungs(func, |subject, _| self.is_parameter(func, subject));
        let mut seen = BTreeSet::new();
        let named = rungs.into_iter().filter(|rung| seen.insert(rung.name.clone()));
        named.map(|rung| (rung.name, facts.span(rung.at))).collect()
    }

    /// A function that runs several tools runs each in its branch.
    pub(super) fn close_branches(&mut self) {
        let mut names: BTreeMap<Func, BTreeSet<String>> = BTreeMap::new();
        for Candidate { registered, .. } in &self.found {
            names.entry(registered.handler).or_default().extend(registered.name.clone());
        }
        names.retain(|_, names| names.len() >= MIN_RUNGS);
        let rungs: BTreeMap<Func, Vec<Rung>> = names
            .iter()
            .map(|(&func, names)| (func, self.rungs(func, |_, name| names.contains(name))))
            .collect();
        for Candidate { registered, .. } in &mut self.found {
            let (Some(rungs), Some(name)) = (rungs.get(&registered.handler), &registered.name) else {
                continue;
            };
            let facts = self.program.facts(self.program.function(registered.handler).file);
            registered.closed = others(rungs, name).map(|body| facts.span(body)).collect();
        }
    }

    /// The branches that are taken by a name that is meant, of what is compared.
    fn rungs(&self, func: Func, is_meant: impl Fn(ExprId, &str) -> bool) -> Vec<Rung> {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let text =
            |subject: ExprId, expr: ExprId| program.text(func, expr).filter(|text| is_meant(subject, text));
        let mut rungs = Vec::new();
        for expr in program.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::If { arms, .. } => {
                    for arm in facts.list(arms) {
                        let Expr::Op { op: Op::Eq, args } = *facts.expr(arm.test) else { continue };
                        let &[one, other] = facts.list(args) else { continue };
                        let named = text(one, other).map(|name| (name, other, one));
                        if let Some((name, at, subject)) =
                            named.or_else(|| text(other, one).map(|name| (name, one, other)))
                        {
                            rungs.push(Rung { name, at, subject, body: arm.body });
                        }
                    }
                }
                Expr::Match { subject, arms } => {
                    for arm in facts.list(arms) {
                        for at in values(facts, arm.pat) {
                            let rung = |name| Rung { name, at, subject, body: arm.body };
                            rungs.extend(text(subject, at).map(rung));
                        }
                    }
                }
                _ => {}
            }
        }
        rungs
    }

    /// The first function of the project that is called in a branch.
    fn runs_in(&self, func: Func, body: ExprId) -> Option<Func> {
        let program = self.program;
        let inside = program.span(At { file: program.function(func).file, expr: body });
        let mut called = program.edges_from(func).iter().filter_map(|edge| match (edge.to, edge.kind) {
            (Target::Project(callee), EdgeKind::Call) => Some((program.span(edge.at), callee)),
            _ => None,
        });
        let in_body = |(span, _): &(Span, Func)| inside.lo <= span.lo && span.hi <= inside.hi;
        called.find(in_body).map(|(_, callee)| callee)
    }

    fn is_parameter(&self, func: Func, expr: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let is_named = |var: VarId| {
            let name = facts.list(self.program.ir(func).vars)[var.0 as usize];
            facts.list(self.program.ir(func).params).iter().any(|param| param.name == name)
        };
        matches!(*facts.expr(expr), Expr::Var(var) if is_named(var))
    }
}

/// The values that a pattern compares with.
fn values(facts: &Facts, pat: PatId) -> Vec<ExprId> {
    match *facts.pat(pat) {
        Pat::Value(value) => vec![value],
        Pat::Or(pats) => facts.list(pats).iter().flat_map(|&pat| values(facts, pat)).collect(),
        _ => Vec::new(),
    }
}
