//! The walk over one function of an operation: how far the operation has come at every point.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::managers::Manager;
use super::{Binding, Left, MAX_RAISE_DEPTH, Relation, Stage, Summary, Tracer};
use crate::analysis::exceptions::Exception;
use crate::ir::{Expr, ExprId, Facts, Lit, Op, VarId};
use crate::link::{Edge, EdgeKind, Func, Passed};

/// Which part of a function is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    Whole,
    /// What comes before its `yield`.
    UpToYield,
    /// What comes after it.
    FromYield,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    pub is_live: bool,
    pub rows: Relation,
}

/// What flies.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Thrown {
    /// Nothing: nothing does.
    pub classes: Vec<Option<Exception>>,
    /// What was done before it was thrown.
    pub rows: Relation,
    pub at: ExprId,
}

/// What a value tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    Nothing,
    Is(bool),
    /// Being true, or false, it says that the event has happened.
    If(bool),
}

pub(super) struct Walk<'w, 't, 'a> {
    pub tracer: &'w Tracer<'t, 'a>,
    pub func: Func,
    pub facts: &'a Facts,
    pub mode: Mode,
    bindings: &'w [Binding],
    depth: u32,
    pub in_line: FxHashSet<ExprId>,
    pub told: FxHashMap<VarId, Told>,
    managers: FxHashMap<ExprId, Option<Manager>>,
    pub records: bool,
    pub exits: Vec<Left>,
    pub early: BTreeSet<ExprId>,
    pub classes: Vec<Option<Exception>>,
    pub yielded: Relation,
}

impl<'w, 't, 'a> Walk<'w, 't, 'a> {
    pub fn new(
        tracer: &'w Tracer<'t, 'a>,
        func: Func,
        mode: Mode,
        bindings: &'w [Binding],
        depth: u32,
    ) -> Self {
        Self {
            tracer,
            func,
            facts: tracer.program.facts(tracer.program.function(func).file),
            mode,
            bindings,
            depth,
            in_line: tracer.tests_in_line(func),
            told: FxHashMap::default(),
            managers: FxHashMap::default(),
            records: false,
            exits: Vec::new(),
            early: BTreeSet::new(),
            classes: Vec::new(),
            yielded: Relation::NOWHERE,
        }
    }

    pub fn entry(&self) -> State {
        let rows = if self.mode == Mode::FromYield { Relation::NOWHERE } else { Relation::identity() };
        State { is_live: true, rows }
    }

    pub fn finish(self) -> Summary {
        let of = |by_exception: bool| {
            let exits = self.exits.iter().filter(|left| left.by_exception == by_exception);
            exits.fold(Relation::NOWHERE, |mut all, left| {
                all.join(&left.rows);
                all
            })
        };
        let returns = if self.mode == Mode::UpToYield { self.yielded } else { of(false) };
        let raises = of(true);
        Summary { returns, raises, classes: self.classes, exits: self.exits, early: self.early }
    }

    pub fn nothing_flies(&self, at: ExprId) -> Thrown {
        Thrown { classes: Vec::new(), rows: Relation::NOWHERE, at }
    }

    /// The event happens here.
    pub fn happens(&self, state: &mut State, at: ExprId) {
        state.rows = state.rows.then(&Relation::event());
        if self.records {
            let mut found = self.tracer.found.borrow_mut();
            found.seen.push((self.func, at));
            if !self.in_line.contains(&at) && self.tracer.events.is_by_name(self.func, at) {
                found.by_name.push((self.func, at));
            }
        }
    }

    /// What the functions do that a call runs: those it calls, and those it is handed and runs.
    pub fn runs(&self, call: ExprId) -> Option<Summary> {
        let Expr::Call { callee, args, .. } = *self.facts.expr(call) else { return None };
        let mut all: Option<Summary> = None;
        let mut add = |summary: &Summary| match &mut all {
            None => all = Some(summary.clone()),
            Some(all) => {
                all.returns.join(&summary.returns);
                all.raises.join(&summary.raises);
                all.classes.extend(summary.classes.iter().cloned());
            }
        };
        if let Some(bound) = self.bound(callee) {
            self.of(bound, self.bindings).iter().for_each(|summary| add(summary));
        }
        let targets: Vec<_> = self.tracer.targets(self.func, call).collect();
        for &(edge, target) in targets.iter().filter(|(edge, _)| edge.kind != EdgeKind::Passed) {
            let bindings = self.handed(edge, target);
            self.of(target, &bindings).iter().for_each(|summary| add(summary));
        }
        if targets.iter().all(|(edge, _)| edge.kind == EdgeKind::Passed) {
            // A library runs what it is given.
            for arg in self.facts.list(args) {
                for (_, target) in self.passed(arg.value) {
                    self.of(target, &[]).iter().for_each(|summary| add(summary));
                }
            }
        }
        all
    }

    fn of(&self, target: Func, bindings: &[Binding]) -> Option<Rc<Summary>> {
        let matters = self.tracer.matters(target) || !bindings.is_empty();
        let depth =
            if matters { self.depth + 1 } else { self.depth.max(super::MAX_DEPTH - MAX_RAISE_DEPTH) + 1 };
        if !matters && depth > super::MAX_DEPTH {
            return None;
        }
        // One that a decorator makes a context manager of runs where it is entered.
        let function = self.tracer.program.ir(target);
        if function.is_generator && !function.decorators.is_empty() {
            return None;
        }
        self.tracer.summary(target, Mode::Whole, bindings, depth)
    }

    /// The callables that a call hands to a function of the project that calls them.
    fn handed(&self, edge: &Edge, target: Func) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (passed, value) in self.tracer.program.arguments(edge) {
            let Passed::Param(at) = passed else { continue };
            let bound = self.bound(value);
            let function = bound.or_else(|| self.passed(value).next().map(|(_, function)| function));
            let matters = |function: &Func| self.tracer.matters(*function);
            bindings.extend(function.filter(matters).map(|function| ((target, at), function)));
        }
        bindings
    }

    fn passed(&self, value: ExprId) -> impl Iterator<Item = (&'t Edge, Func)> {
        self.tracer.targets(self.func, value).filter(|(edge, _)| edge.kind == EdgeKind::Passed)
    }

    /// The function that a parameter stands for.
    fn bound(&self, expr: ExprId) -> Option<Func> {
        let parameter = self.tracer.parameter(self.func, expr)?;
        self.bindings.iter().find(|(bound, _)| *bound == parameter).map(|(_, function)| *function)
    }

    pub fn has_effect(&self, call: ExprId) -> bool {
        self.tracer.is_effect(self.func, call)
    }

    /// Notes that an effect can run here although the event has not happened.
    pub fn note_effect(&mut self, before: &Relation, after: &Relation, at: ExprId) {
        if !self.records {
            return;
        }
        let idle = before.leads(Stage::Idle, Stage::Idle) || before.leads(Stage::Idle, Stage::Refused);
        let bare =
            |rows: &Relation| rows.leads(Stage::Idle, Stage::Bare) || rows.leads(Stage::Idle, Stage::Late);
        if idle && bare(after) && !bare(before) {
            self.early.insert(at);
        }
    }

    pub fn manager(&mut self, context: ExprId) -> Option<Manager> {
        let (tracer, func, depth) = (self.tracer, self.func, self.depth);
        self.managers.entry(context).or_insert_with(|| tracer.manager(func, context, depth)).clone()
    }

    /// What a value is known to be, of an expression whose parts tell something.
    pub fn read(&self, expr: ExprId, parts: &[Told]) -> Told {
        match *self.facts.expr(expr) {
            Expr::Lit(Lit::Bool(value)) => Told::Is(value),
            Expr::Var(var) => self.told.get(&var).copied().unwrap_or(Told::Nothing),
            Expr::Await(_) | Expr::Ascribe { .. } => parts.first().copied().unwrap_or(Told::Nothing),
            Expr::Op { op, args } => {
                let is_nothing = |part: &ExprId| {
                    matches!(self.facts.expr(*part), Expr::Lit(Lit::None | Lit::Bool(false) | Lit::Int(0)))
                };
                let other = self.facts.list(args).iter().any(is_nothing);
                let told = parts.iter().copied().find(|part| matches!(part, Told::If(_)));
                match (op, told) {
                    (Op::Eq | Op::Is, Some(told)) if other => flipped(told),
                    (Op::Ne | Op::IsNot | Op::Gt, Some(told)) if other => told,
                    _ => Told::Nothing,
                }
            }
            // `result.ok`, `result["valid"]`, `result[0]`
            Expr::Field { .. } | Expr::Index { .. } => match parts.first() {
                Some(Told::If(_)) => self.part(expr),
                _ => Told::Nothing,
            },
            _ => Told::Nothing,
        }
    }

    /// A part of a verdict: what is wrong, or that all is well.
    fn part(&self, expr: ExprId) -> Told {
        let words = &self.tracer.catalog.boundaries;
        let of_name = |name: &str| match () {
            () if words.is_denial_key(name) => Told::If(false),
            () if words.is_success_key(name) || name.ends_with("valid") => Told::If(true),
            () => Told::Nothing,
        };
        match *self.facts.expr(expr) {
            Expr::Field { name, .. } => of_name(self.facts.str(name)),
            Expr::Index { key, .. } => match *self.facts.expr(key) {
                Expr::Lit(Lit::Str(key)) => of_name(self.facts.str(key)),
                Expr::Lit(Lit::Int(0)) => Told::If(true),
                _ => Told::Nothing,
            },
            _ => Told::Nothing,
        }
    }
}

pub(super) fn flipped(told: Told) -> Told {
    match told {
        Told::Is(value) => Told::Is(!value),
        Told::If(arm) => Told::If(!arm),
        Told::Nothing => Told::Nothing,
    }
}
