//! The policy of a runtime for tools: what is logged of them, what a model is told of their errors, how their names are made, and
//! whose data they read. Each part is a rule of its own.

mod errors;
mod logged;
mod names;
mod owned;
mod paths;
mod results;
mod spawns;
mod uncaught;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Content, Cuts, Execution, contents, is_for_debugging, is_taken};
use crate::catalog::{Speaks, words_of_name};
use crate::finding::{Confidence, Finding, Place};
use crate::ir::{Expr, ExprId, Facts, Jump};
use crate::link::{At, EdgeKind, Func, Program, Target};
use crate::rule::Rule;
use crate::rule::matcher::Policy;

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    policy: Policy,
    out: &mut Vec<Finding>,
) {
    let runtime = Runtime::new(context, shared, rule);
    match policy {
        Policy::Logged => logged::run(&runtime, out),
        Policy::Errors => errors::run(&runtime, out),
        Policy::Names => names::run(&runtime, out),
        Policy::Owned => owned::run(&runtime, out),
        Policy::Results => results::run(&runtime, out),
        Policy::Paths => paths::run(&runtime, out),
        Policy::Spawns => spawns::run(&runtime, out),
        Policy::Uncaught => uncaught::run(&runtime, out),
    }
}

/// What all of them ask for.
struct Runtime<'r, 'c> {
    context: &'r Context<'c>,
    shared: &'r Shared<'c>,
    rule: &'r Arc<Rule>,
    executions: &'r [Execution],
    /// Functions that stand in the place of tools: what decorators make of them.
    wrappers: BTreeSet<Func>,
}

impl<'r, 'c> Runtime<'r, 'c> {
    fn new(context: &'r Context<'c>, shared: &'r Shared<'c>, rule: &'r Arc<Rule>) -> Self {
        let executions = shared.executions(context);
        let program = context.program;
        let decorators = context.tools.iter().flat_map(|tool| program.decorators(tool.func));
        let wrappers = decorators.flat_map(|decorator| {
            let inner: Vec<Func> = program.nested(decorator.func).collect();
            let deeper: Vec<Func> = inner.iter().flat_map(|&inner| program.nested(inner)).collect();
            inner.into_iter().chain(deeper)
        });
        Self { context, shared, rule, executions, wrappers: wrappers.collect() }
    }

    fn program(&self) -> &'c Program<'c> {
        self.context.program
    }

    fn facts(&self, func: Func) -> &'c Facts {
        self.program().facts(self.program().function(func).file)
    }

    /// The functions of production code, in order.
    fn production(&self) -> impl Iterator<Item = Func> + '_ {
        let functions = (0..self.program().functions.len() as u32).map(Func);
        functions.filter(|&func| !self.program().is_test_code(func))
    }

    fn is_tool(&self, func: Func) -> bool {
        self.context.tools.binary_search_by_key(&func, |tool| tool.func).is_ok()
    }

    /// True for a handler that goes on with an exception, whatever it does before.
    fn ends_in_raise(&self, func: Func, body: ExprId) -> bool {
        let facts = self.facts(func);
        let mut work = vec![body];
        while let Some(last) = work.pop() {
            match *facts.expr(last) {
                Expr::Jump { kind: Jump::Raise, .. } => {}
                Expr::Block(parts) => match facts.list(parts).last() {
                    Some(&last) => work.push(last),
                    None => return false,
                },
                Expr::If { arms, otherwise: Some(otherwise) } => {
                    work.extend(facts.list(arms).iter().map(|arm| arm.body).chain([otherwise]));
                }
                Expr::With { body, .. } => work.push(body),
                _ => return false,
            }
        }
        true
    }

    /// Some functions, and those whose results they hand back.
    fn handing_on(&self, from: impl Iterator<Item = Func>) -> BTreeSet<Func> {
        let mut found: BTreeSet<Func> = from.filter(|&func| !self.program().is_test_code(func)).collect();
        let mut work: Vec<Func> = found.iter().copied().collect();
        while let Some(func) = work.pop() {
            work.extend(self.handed_on(func).into_iter().filter(|&next| found.insert(next)));
        }
        found
    }

    /// The functions whose results a function hands back.
    fn handed_on(&self, func: Func) -> Vec<Func> {
        let returned = self.returns(func).into_iter();
        let contents = returned.flat_map(|(_, value)| self.uncut(func, value));
        let edges = contents.flat_map(|content| self.program().edges_at(content.func, content.expr));
        let own = edges.filter(|edge| edge.kind == EdgeKind::Call).filter_map(|edge| match edge.to {
            Target::Project(to) => Some(to),
            Target::External(_) => None,
        });
        own.collect()
    }

    /// What a function hands back: the statement, and the value.
    fn returns(&self, func: Func) -> Vec<(ExprId, ExprId)> {
        let facts = self.facts(func);
        let returned = self.program().ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Jump { kind: Jump::Return, value: Some(value) } => Some((expr, value)),
            _ => None,
        });
        returned.collect()
    }

    fn is_execution(&self, func: Func, call: ExprId) -> bool {
        self.executions.iter().any(|site| site.func == func && site.call == call)
    }

    fn contents(&self, func: Func, expr: ExprId) -> Vec<Content> {
        contents(&self.shared.values, func, expr, Cuts::Hide)
    }

    /// The same with what texts are cut out of.
    fn uncut(&self, func: Func, expr: ExprId) -> Vec<Content> {
        contents(&self.shared.values, func, expr, Cuts::Show)
    }

    /// The name of a variable, an attribute or a key.
    fn name(&self, func: Func, expr: ExprId) -> Option<String> {
        match *self.facts(func).expr(expr) {
            Expr::Index { key, .. } => self.program().text(func, key),
            _ => self.program().receiver_name(func, expr).map(|known| known.name.to_owned()),
        }
    }

    /// True if a name of an expression has one of these words.
    fn speaks_of(&self, func: Func, expr: ExprId, words: &[&str]) -> bool {
        self.name(func, expr)
            .is_some_and(|name| words_of_name(&name).iter().any(|word| words.contains(&word.as_str())))
    }

    /// The path of a function, its class and its module, have one of these words.
    fn is_about(&self, func: Func, words: &[&str]) -> bool {
        let path = &self.program().function(func).path;
        path.split('.').flat_map(words_of_name).any(|word| words.contains(&word.as_str()))
    }

    /// Its own name, or that of its class, has this word.
    fn is_named_after(&self, func: Func, word: &str) -> bool {
        let program = self.program();
        let class = program.function(func).class.map_or("", |class| program.class_name(class));
        [program.name(func), class].into_iter().flat_map(words_of_name).any(|known| known == word)
    }

    /// It runs tools by their names, for whoever calls it.
    fn is_executor(&self, func: Func) -> bool {
        let program = self.program();
        let taken: Speaks<'_> = &|fits| is_taken(program, func, fits);
        self.context.catalog.actions.is_executor(&program.function(func).path, taken)
    }

    /// Only for whoever has asked to see more, by a setting.
    fn is_for_debugging(&self, func: Func, at: ExprId) -> bool {
        is_for_debugging(self.program(), self.context.catalog, func, at)
    }

    fn report(
        &self,
        func: Func,
        at: ExprId,
        captures: BTreeMap<&'static str, String>,
        confidence: Confidence,
    ) -> Option<Finding> {
        let file = self.program().function(func).file;
        let applies = self.context.applies(self.rule, file, func)?;
        Some(self.context.finding(
            self.rule,
            Draft {
                confidence: applies.min(confidence),
                names: vec![&self.program().function(func).path],
                inside: Some(func),
                ..Draft::at(self.context.place(At { file, expr: at }), captures)
            },
        ))
    }

    /// At the head of a function.
    fn report_head(
        &self,
        func: Func,
        captures: BTreeMap<&'static str, String>,
        confidence: Confidence,
    ) -> Option<Finding> {
        let file = self.program().function(func).file;
        let applies = self.context.applies(self.rule, file, func)?;
        let place = Place { file, span: self.program().ir(func).name_span };
        Some(self.context.finding(
            self.rule,
            Draft {
                confidence: applies.min(confidence),
                names: vec![&self.program().function(func).path],
                inside: Some(func),
                ..Draft::at(place, captures)
            },
        ))
    }

    /// A method of what only carries a call to where it runs.
    fn is_carrier(&self, func: Func) -> bool {
        let class = self.program().function(func).class;
        class.is_some_and(|class| self.context.catalog.runtime.carriers.has(self.program().class_name(class)))
    }

    /// The functions that a call out of a table may run.
    fn targets(&self, site: &Execution) -> Vec<Func> {
        let edges = self.program().edges_at(site.func, site.call).iter();
        let own = edges.filter(|edge| edge.kind == EdgeKind::Call).filter_map(|edge| match edge.to {
            Target::Project(to) => Some(to),
            Target::External(_) => None,
        });
        own.collect()
    }
}
