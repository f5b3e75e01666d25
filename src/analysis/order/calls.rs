//! Which tool a call runs: directly, as an object that a framework made of it, from a table, or by its name.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::tools::{ToolId, Tools};
use crate::analysis::values::Values;
use crate::catalog::SessionWords;
use crate::finding::Confidence;
use crate::ir::{ArgKind, EntryKey, Expr, ExprId};
use crate::link::{At, CallSite, Cls, Edge, EdgeKind, Func, Memo, Program, Target};

/// What the name says that a call calls something by.
#[derive(Clone, Copy, Default)]
pub struct Said {
    pub validates: bool,
    pub joins: bool,
    pub resets: bool,
    calls: bool,
}

pub struct Calls<'o, 'p, 'a> {
    values: &'o Values<'p, 'a>,
    words: &'p SessionWords,
    tools: &'o Tools,
    /// Calls of a method that a class of the project does not have: its library base has it.
    inherited: FxHashMap<At, Cls>,
    /// Functions that call each other are walked again and again.
    said: Memo<(Func, ExprId), Said>,
    run: Memo<(Func, ExprId), Option<ToolId>>,
}

impl<'o, 'p, 'a> Calls<'o, 'p, 'a> {
    pub fn new(values: &'o Values<'p, 'a>, tools: &'o Tools) -> Self {
        let calls = values.program.calls.iter();
        let inherited = calls.filter_map(|call| Some((call.at, call.lacking?))).collect();
        let words = &values.catalog.sessions;
        Self { values, words, tools, inherited, said: Memo::default(), run: Memo::default() }
    }

    /// Functions that call a tool or are one, and those that have a plan validated.
    pub fn functions(&self, program: &Program<'_>) -> BTreeSet<Func> {
        let validates = |call: &CallSite| match *self.values.facts(call.from).expr(call.at.expr) {
            Expr::Call { callee, .. } => self.said(call.from, callee).validates,
            _ => false,
        };
        let is_called = |call: &&CallSite| self.of(call.from, call.at.expr).is_some() || validates(call);
        let mut found: BTreeSet<Func> =
            program.calls.iter().filter(is_called).map(|call| call.from).collect();
        let functions = (0..program.functions.len() as u32).map(Func);
        found.extend(functions.filter(|func| self.tools.of_func(*func).is_some()));
        found
    }

    /// The one tool that a call runs. Where it may be one of several, a model chooses.
    pub fn of(&self, func: Func, call: ExprId) -> Option<ToolId> {
        self.run.of((func, call), || self.tool(func, call))
    }

    fn tool(&self, func: Func, call: ExprId) -> Option<ToolId> {
        let Expr::Call { callee, .. } = *self.values.facts(func).expr(call) else { return None };
        let as_object = || self.as_object(func, call, callee);
        let by_name = || self.by_name(func, call, callee);
        self.direct(func, call).or_else(as_object).or_else(by_name).or_else(|| self.comm(func, call))
    }

    fn direct(&self, func: Func, call: ExprId) -> Option<ToolId> {
        let edges = self.values.program.edges_at(func, call).iter();
        let is_call = |edge: &&Edge| edge.kind == EdgeKind::Call && edge.confidence > Confidence::Low;
        let mut called = edges.filter(is_call).filter_map(|edge| match edge.to {
            Target::Project(target) => self.tools.of_func(target),
            Target::External(_) => None,
        });
        let tool = called.next()?;
        (called.all(|other| other == tool) && !self.is_own(func, tool)).then_some(tool)
    }

    /// `super().run(…)` in a tool made of another: that is the same tool.
    fn is_own(&self, func: Func, tool: ToolId) -> bool {
        let program = self.values.program;
        let (own, class) = (program.function(func).class, self.tools.class_of(tool));
        own.zip(class).is_some_and(|(own, class)| program.lineage(own).contains(&class))
    }

    /// `search_email.invoke(…)`, `SearchEmail().run(…)`.
    fn as_object(&self, func: Func, call: ExprId, callee: ExprId) -> Option<ToolId> {
        let facts = self.values.facts(func);
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        if !self.words.runs(facts.str(name)) {
            return None;
        }
        let class = || self.tools.of_class(*self.inherited.get(&self.values.at(func, call))?);
        self.meant(func, base).or_else(class)
    }

    /// The tool that an expression stands for: its function, what registers it, `TOOLS["search"]`, `get_tool("search")`.
    fn meant(&self, func: Func, expr: ExprId) -> Option<ToolId> {
        let program = self.values.program;
        let (owner, value) = program.bound(func, expr);
        let facts = self.values.facts(owner);
        let registered = || self.tools.at(program.function(owner).file, facts.span(value));
        match *facts.expr(value) {
            Expr::Closure(function) => self.tools.of_func(function),
            Expr::Index { key, .. } => self.tools.named(&program.text(owner, key)?),
            Expr::Call { args, .. } => registered().or_else(|| {
                let first = facts.list(args).first().filter(|arg| arg.kind == ArgKind::Positional)?;
                self.tools.named(&program.text(owner, first.value)?)
            }),
            _ => registered(),
        }
    }

    /// `session.call_tool("search")`, `TOOLS["search"](…)`.
    fn by_name(&self, func: Func, call: ExprId, callee: ExprId) -> Option<ToolId> {
        let facts = self.values.facts(func);
        if !matches!(facts.expr(callee), Expr::Field { .. } | Expr::Var(_) | Expr::Free(_)) {
            return self.meant(func, callee);
        }
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        if !self.said(func, callee).calls {
            return None;
        }
        let is_name = |kind: &ArgKind| match kind {
            ArgKind::Positional => true,
            ArgKind::Named(name) => self.words.is_step(facts.str(*name)),
            _ => false,
        };
        let names = facts.list(args).iter().filter(|arg| is_name(&arg.kind));
        let mut texts = names.filter_map(|arg| self.name_in(func, arg.value));
        let is_comm = |text: &str| self.values.catalog.handlers.is_command(text);
        let meant =
            |text: String| self.tools.named(&text).or_else(|| self.tools.comm().filter(|_| is_comm(&text)));
        texts.find_map(meant)
    }

    /// The name that a value is, or that a record has for the tool: `{"tool": "search"}`, `Step("search")`,
    /// `CallToolRequestParam { name: "search".into() }`.
    pub fn name_in(&self, func: Func, value: ExprId) -> Option<String> {
        let program = self.values.program;
        if let Some(text) = self.text(func, value) {
            return Some(text);
        }
        let (func, value) = program.bound(func, value);
        let facts = self.values.facts(func);
        match *facts.expr(value) {
            Expr::Record(entries) => facts.list(entries).iter().find_map(|entry| match entry.key {
                EntryKey::Expr(key) => {
                    let is_step = program.text(func, key).is_some_and(|key| self.words.is_step(&key));
                    is_step.then(|| self.text(func, entry.value)).flatten()
                }
                EntryKey::Spread => None,
            }),
            Expr::Call { args, .. } => facts.list(args).iter().find_map(|arg| match arg.kind {
                ArgKind::Positional => self.text(func, arg.value),
                ArgKind::Named(name) if self.words.is_step(facts.str(name)) => self.text(func, arg.value),
                _ => None,
            }),
            Expr::Seq(parts) => self.text(func, *facts.list(parts).first()?),
            _ => None,
        }
    }

    fn text(&self, func: Func, value: ExprId) -> Option<String> {
        let converted = self.values.converted(func, value).unwrap_or(value);
        self.values.program.text(func, converted)
    }

    /// `comm.search(…)`
    fn comm(&self, func: Func, call: ExprId) -> Option<ToolId> {
        let is_comm = self.values.effects.is_comm_call(self.values.at(func, call));
        self.tools.comm().filter(|_| is_comm)
    }

    /// By the name of what is called, as it is written or in its library.
    pub fn said(&self, func: Func, callee: ExprId) -> Said {
        self.said.of((func, callee), || {
            let program = self.values.program;
            let written = program.receiver_name(func, callee).map(|name| name.name);
            let path = program.library_path(func, callee).and_then(|path| path.rsplit('.').next());
            let names: [Option<&str>; 2] = [written, path.filter(|path| written != Some(*path))];
            let is_so = |is_meant: &dyn Fn(&str) -> bool| names.into_iter().flatten().any(is_meant);
            Said {
                validates: is_so(&|name| self.words.validates(name)),
                joins: is_so(&|name| self.words.joins(name)),
                resets: is_so(&|name| self.words.resets(name)),
                calls: is_so(&|name| self.words.calls(name)),
            }
        })
    }
}
