//! The walk over one function: which exceptions leave it on the paths that lead there.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Escapes;
use super::awaited::awaited;
use super::causes::Cause;
use super::managers::swallowed;
use super::results::Known;
use super::thrown::{Handler, Parameter, Raised, Sites, Source, Thrown, add};
use crate::analysis::definitions::Definitions;
use crate::analysis::exceptions::{self, Exception};
use crate::analysis::interp::{Caught, Domain, Entered, Exit};
use crate::catalog::{Catalog, RunsWhen};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Lit, Op, Pat, PatId, VarId};
use crate::link::{Edge, EdgeKind, Func, Passed, Program, Target};

/// A function that hands back what another one made, a context manager made by another; more is a cycle.
pub const MAX_HOPS: u32 = 4;

pub struct Walk<'w, 'a> {
    pub known: &'w Escapes<'w>,
    pub program: &'w Program<'a>,
    pub catalog: &'w Catalog,
    pub func: Func,
    pub facts: &'a Facts,
    pub definitions: Definitions,
    awaited: FxHashSet<ExprId>,
    /// The handlers that bind what they handle, by the variable.
    pub binds: FxHashMap<VarId, ExprId>,
    /// What has come to each handler.
    handled: FxHashMap<ExprId, Thrown>,
    pub left: Sites,
    /// The errors that are handed back.
    pub failed: Sites,
    /// The errors that variables hold.
    pub(super) errors: FxHashMap<VarId, Sites>,
    pub calls: BTreeSet<Parameter>,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub fn new(known: &'w Escapes<'w>, program: &'w Program<'a>, catalog: &'w Catalog, func: Func) -> Self {
        let facts = program.facts(program.function(func).file);
        let mut binds = FxHashMap::default();
        for expr in program.ir(func).exprs.iter() {
            let Expr::Try(at) = *facts.expr(expr) else { continue };
            for handler in facts.list(facts.arenas.try_at(at).handlers) {
                if let Some(Pat::Var(var)) = handler.pat.map(|pat| *facts.pat(pat)) {
                    binds.insert(var, handler.body);
                }
            }
        }
        Self {
            known,
            program,
            catalog,
            func,
            facts,
            definitions: Definitions::new(program, catalog, func),
            awaited: awaited(program, catalog, func),
            binds,
            handled: FxHashMap::default(),
            left: Sites::new(),
            failed: Sites::new(),
            errors: FxHashMap::default(),
            calls: BTreeSet::new(),
        }
    }

    fn handler(&self, types: &[ExprId]) -> Handler<'w, 'a> {
        let classes = exceptions::handled(self.program, self.func, types);
        let body = self.known.body.as_ref();
        Handler { program: self.program, catalog: self.catalog, classes, body }
    }

    /// What the functions called, and those handed over to be run, let out here.
    fn called(&mut self, call: ExprId) -> Thrown {
        let mut thrown = Thrown::implicit();
        let Expr::Call { callee, args, .. } = *self.facts.expr(call) else { return thrown };
        if let Some(parameter) = self.parameter(callee) {
            self.calls.insert(parameter);
            let source = Source { confidence: Confidence::High, via: None };
            add(&mut thrown.raised, Raised::Parameter(parameter), call, source);
        }
        let edges = self.program.edges_at(self.func, call);
        let runs = |edge: &&Edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::CallHanded);
        let has_choice = edges.iter().filter(runs).count() > 1;
        for edge in edges.iter().filter(runs) {
            match edge.to {
                Target::Project(callee) => self.lets_out(call, edge, callee, has_choice, &mut thrown.raised),
                Target::External(path) => {
                    let path = self.program.path(path);
                    self.library(path, call, self.facts.list(args), edge.confidence, &mut thrown.raised);
                }
            }
        }
        // Calls of the language's own functions are no edges.
        if let Some(path) = self.program.library_path(self.func, callee).filter(|_| edges.is_empty()) {
            let sure = Confidence::High;
            self.library(path, call, self.facts.list(args), sure, &mut thrown.raised);
        }
        thrown
    }

    /// What a library function runs of its arguments.
    fn library(&mut self, path: &str, call: ExprId, args: &[Arg], most: Confidence, out: &mut Sites) {
        for (at, arg) in args.iter().enumerate() {
            if self.runs_now(path, at, arg.kind) {
                self.run_here(call, arg.value, most, out);
            }
        }
    }

    fn lets_out(&mut self, call: ExprId, edge: &Edge, callee: Func, has_choice: bool, out: &mut Sites) {
        let function = self.program.ir(callee);
        if function.is_async && !function.is_generator && !self.awaited.contains(&call) {
            return;
        }
        for (raised, source) in self.known.known(callee) {
            let confidence = source.confidence.min(edge.confidence);
            match raised {
                Raised::Class(Some(Exception::Library(path)))
                    if has_choice && self.catalog.exceptions.is_abstract(path) => {}
                Raised::Class(_) => {
                    add(out, raised.clone(), call, Source { confidence, via: Some(callee) });
                }
                Raised::Parameter((owner, at)) if *owner == callee => {
                    for (passed, expr) in self.program.arguments(edge) {
                        if passed == Passed::Param(*at) {
                            self.run_here(call, expr, confidence, out);
                        }
                    }
                }
                // A nested function that calls what the function around was given.
                Raised::Parameter((owner, _)) if self.is_around(*owner) => {
                    add(out, raised.clone(), call, Source { confidence, via: Some(callee) });
                }
                Raised::Parameter(_) | Raised::Body => {}
            }
        }
    }

    /// A callable that is run by the call it is handed to.
    pub(super) fn run_here(&mut self, call: ExprId, callable: ExprId, most: Confidence, out: &mut Sites) {
        if let Some(parameter) = self.parameter(callable) {
            self.calls.insert(parameter);
            add(out, Raised::Parameter(parameter), call, Source { confidence: most, via: None });
        }
        for edge in self.program.edges_at(self.func, callable) {
            let (EdgeKind::Passed, Target::Project(run)) = (edge.kind, edge.to) else { continue };
            for (raised, source) in self.known.known(run) {
                if matches!(raised, Raised::Class(_)) {
                    let confidence = source.confidence.min(most).min(edge.confidence);
                    add(out, raised.clone(), call, Source { confidence, via: Some(run) });
                }
            }
        }
    }

    /// True for a library function that runs this argument before it comes back.
    fn runs_now(&self, path: &str, at: usize, kind: ArgKind) -> bool {
        let Some(id) = self.catalog.callback_of(path) else { return false };
        self.catalog.callback(id).runs.iter().any(|runs| {
            let is_meant = match kind {
                ArgKind::Positional => runs.index == Some(at),
                ArgKind::Named(name) => runs.name.as_deref() == Some(self.facts.str(name)),
                ArgKind::Spread | ArgKind::SpreadNamed => false,
            };
            is_meant && runs.when == RunsWhen::Now
        })
    }

    /// The parameter that an expression names, of this function or of one around it.
    fn parameter(&self, expr: ExprId) -> Option<Parameter> {
        let Expr::Var(_) = *self.facts.expr(expr) else { return None };
        let variable = self.program.variable(self.func, expr)?;
        let parameter = self.program.parameter_of(self.program.slot_of(variable.func, variable.var));
        parameter.filter(|(owner, _)| self.is_around(*owner))
    }

    /// True for this function and those around it.
    fn is_around(&self, owner: Func) -> bool {
        let mut func = self.func;
        loop {
            let around = self.program.ir(func).parent;
            if func == owner || around == func {
                return func == owner;
            }
            func = around;
        }
    }
}

impl Domain for Walk<'_, '_> {
    /// Whether a way leads here.
    type State = bool;
    type Value = Known;
    type Thrown = Thrown;

    fn dead(&self) -> bool {
        false
    }

    fn is_live(&self, state: &bool) -> bool {
        *state
    }

    fn join(&mut self, into: &mut bool, from: &bool) {
        *into |= *from;
    }

    fn carried(&mut self, entry: &bool, _before: &bool, after: &bool) -> bool {
        *entry && *after
    }

    fn forget(&mut self, _state: &mut bool) {}

    fn record(&mut self) {}

    fn not_there(&self) -> Thrown {
        Thrown::implicit()
    }

    fn nothing(&self) -> Known {
        Known::default()
    }

    fn merge(&mut self, ways: &[(&bool, Known)]) -> Known {
        let first = ways.first().and_then(|(_, value)| value.truth);
        let mut merged = Known {
            truth: first.filter(|_| ways.iter().all(|(_, value)| value.truth == first)),
            ..Known::default()
        };
        ways.iter().filter(|(is_live, _)| **is_live).for_each(|(_, value)| merged.with(value));
        merged
    }

    fn value(&mut self, _state: &mut bool, expr: ExprId, parts: &[Known]) -> Known {
        match *self.facts.expr(expr) {
            Expr::Lit(Lit::Bool(value)) => Known { truth: Some(value), ..Known::default() },
            Expr::Var(var) => {
                Known { truth: None, errors: self.errors.get(&var).cloned().unwrap_or_default() }
            }
            Expr::Field { .. } | Expr::Await(_) | Expr::Ascribe { .. } => {
                Known { truth: None, ..parts.first().cloned().unwrap_or_default() }
            }
            _ => Known::default(),
        }
    }

    fn value_when(&self, value: &Known, _holds: bool) -> Known {
        value.clone()
    }

    fn negated(&mut self, value: &Known) -> Known {
        Known { truth: value.truth.map(|value| !value), ..Known::default() }
    }

    fn call(&mut self, state: &mut bool, call: ExprId, callee: &Known, args: &[Known]) -> (Known, Thrown) {
        let thrown = if *state { self.called(call) } else { Thrown::default() };
        if *state && self.has_results() {
            return self.result(call, callee, args, thrown);
        }
        (Known::default(), thrown)
    }

    fn thrown(
        &mut self,
        _state: &mut bool,
        raise: ExprId,
        value: Option<(ExprId, &Known)>,
        handling: Option<(ExprId, &Thrown)>,
    ) -> Thrown {
        let Some((expr, _)) = value else {
            let raised = match handling {
                Some((_, handling)) => handling.again(self.catalog, raise),
                // Called from a handler, it raises what that one handles.
                None => Sites::from([(
                    (Raised::Class(None), raise),
                    Source { confidence: Confidence::High, via: None },
                )]),
            };
            return Thrown { raised, implicit: None };
        };
        let mut thrown = Thrown::default();
        for cause in self.causes(self.func, expr, MAX_HOPS) {
            match cause {
                Cause::Class(class) => {
                    let source = Source { confidence: Confidence::High, via: None };
                    add(&mut thrown.raised, Raised::Class(class), raise, source);
                }
                Cause::Handled(handler) => {
                    let again = self.handled.get(&handler).map(|handled| handled.again(self.catalog, raise));
                    let again = Thrown { raised: again.unwrap_or_default(), implicit: None };
                    thrown = thrown.or(&again);
                }
            }
        }
        thrown
    }

    fn caught(&mut self, types: &[ExprId], thrown: &Thrown) -> Caught {
        self.handler(types).catches(thrown)
    }

    fn taken(&mut self, types: &[ExprId], thrown: &Thrown) -> Thrown {
        self.handler(types).taken(thrown)
    }

    fn passed(&mut self, types: &[ExprId], thrown: &Thrown) -> Thrown {
        self.handler(types).passed(thrown)
    }

    fn implicit(&self) -> Option<Thrown> {
        Some(Thrown::implicit())
    }

    fn thrown_in(&self, yielding: ExprId) -> Option<Thrown> {
        let source = Source { confidence: Confidence::High, via: None };
        Some(Thrown { raised: Sites::from([((Raised::Body, yielding), source)]), implicit: None })
    }

    fn handle(&mut self, _state: &mut bool, thrown: &Thrown, handler: ExprId) {
        let known = self.handled.entry(handler).or_default();
        *known = known.or(thrown);
    }

    fn either(&self, one: &Thrown, other: &Thrown) -> Thrown {
        one.or(other)
    }

    fn entered(&mut self, _state: &mut bool, context: ExprId, _value: &Known) -> Entered<Known, Thrown> {
        let swallows = swallowed(self.program, self.catalog, self.known, self.func, context);
        Entered { value: Known::default(), swallows, thrown: None }
    }

    fn element(&mut self, _value: &Known) -> Known {
        Known::default()
    }

    fn bind(&mut self, _state: &mut bool, pat: PatId, value: &Known) {
        self.bind_errors(pat, value);
    }

    fn store(
        &mut self,
        _state: &mut bool,
        _place: ExprId,
        _op: Option<Op>,
        _value: Option<(ExprId, &Known)>,
    ) {
    }

    fn assume(&mut self, state: &mut bool, value: &Known, holds: bool) {
        if value.truth.is_some_and(|value| value != holds) {
            *state = false;
        }
    }

    fn matched(&mut self, state: &bool, value: &Known, pat: PatId) -> (bool, bool, Known) {
        let is_sure = matches!(self.facts.pat(pat), Pat::Wild | Pat::Var(_));
        (*state, *state && !is_sure, self.left_of(pat, value))
    }

    fn exit(&mut self, state: &bool, how: Exit<Thrown>, value: &Known) {
        let (out, raised) = match how {
            Exit::Raise(thrown) => (&mut self.left, thrown.raised),
            Exit::Return(_) => (&mut self.failed, value.errors.clone()),
            Exit::Yield(_) => return,
        };
        if *state {
            for ((raised, at), source) in raised {
                add(out, raised, at, source);
            }
        }
    }
}
