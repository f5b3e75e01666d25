//! How an operation opens: whether asking for the phase is the first thing that it does. Before it may only stand what
//! does nothing: a docstring, constants, the reading of the phase, the `try` around all of it.

use super::decorators::made_by;
use super::gates::{is_gate, spelled};
use super::gating::{Gating, Summary};
use super::stubs;
use crate::analysis::implicit;
use crate::catalog::Catalog;
use crate::catalog::DataOp;
use crate::ir::{Arg, Expr, ExprId, Facts, Jump, Lit, Op};
use crate::link::{EdgeKind, Func, Program, Target};

/// A handler that hands all over to a helper that hands all over; more is a cycle.
const MAX_HOPS: u32 = 4;

/// Where an operation asks for the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// Before anything else.
    First(Asked),
    /// Only behind something else.
    Behind {
        asked: Asked,
        before: ExprId,
        func: Func,
    },
    /// It hands the phase to something that nobody can look into, before anything else.
    Unknown(Asked),
    Never,
}

/// A place that asks for the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    pub func: Func,
    pub at: ExprId,
}

/// What a statement is to the opening.
enum Found {
    Asks(ExprId),
    /// What it asks cannot be seen.
    Hidden(ExprId),
    /// Another function is all of it.
    Hands(ExprId, Vec<Func>),
    Does(ExprId),
    Nothing,
}

struct Search<'s, 'a> {
    program: &'s Program<'a>,
    catalog: &'s Catalog,
    gating: &'s Gating,
}

/// How a handler opens; what decorates it opens before it, the outermost first.
pub fn opening(program: &Program<'_>, catalog: &Catalog, gating: &Gating, handler: Func) -> Opening {
    let search = Search { program, catalog, gating };
    let decorators = program.decorators(handler);
    let mut works: Option<(Func, ExprId)> = None;
    for func in decorators.flat_map(|decorator| made_by(program, decorator.func)) {
        if let Opening::First(asked) = search.function(func, MAX_HOPS) {
            return works.map_or(Opening::First(asked), |(func, before)| Opening::Behind {
                asked,
                before,
                func,
            });
        }
        works = works.or_else(|| Some((func, search.work(func)?)));
    }
    match (search.function(handler, MAX_HOPS), works) {
        (Opening::First(asked), Some((func, before))) => Opening::Behind { asked, before, func },
        (opening, _) => opening,
    }
}

impl<'a> Search<'_, 'a> {
    fn facts(&self, func: Func) -> &'a Facts {
        self.program.facts(self.program.function(func).file)
    }

    fn function(&self, func: Func, hops: u32) -> Opening {
        let Some(hops) = hops.checked_sub(1) else { return Opening::Never };
        let mut before = None;
        let body = self.program.ir(func).body;
        match self.block(func, body, hops) {
            Found::Asks(at) => return Opening::First(Asked { func, at }),
            Found::Hidden(at) => return Opening::Unknown(Asked { func, at }),
            Found::Hands(at, targets) => {
                let mut openings = targets.into_iter().map(|target| self.function(target, hops));
                if let Some(found) = openings.find(|found| *found != Opening::Never) {
                    return found;
                }
                before = Some(at);
            }
            Found::Does(at) => before = Some(at),
            Found::Nothing => {}
        }
        let mut exprs = self.program.ir(func).exprs.iter();
        let asked = exprs.find(|&expr| self.asks_at(func, expr));
        match (asked, before) {
            (Some(at), Some(before)) => Opening::Behind { asked: Asked { func, at }, before, func },
            (Some(at), None) => Opening::First(Asked { func, at }),
            (None, _) => Opening::Never,
        }
    }

    /// Where a decorator does a part of the operation: a record of it, or a check of the declaration. That it takes the time
    /// is nobody's business.
    fn work(&self, func: Func) -> Option<ExprId> {
        let (facts, words) = (self.facts(func), &self.catalog.checklist);
        let is_work = |expr: &ExprId| match *facts.expr(*expr) {
            Expr::Lit(Lit::Str(text)) => words.is_field(facts.str(text)),
            Expr::Call { .. } => spelled(self.program, func, *expr).is_some_and(|name| {
                let last = name.rsplit('.').next().unwrap_or_default();
                words.validates(&name) || self.catalog.audit.writes(&name) && self.catalog.audit.records(last)
            }),
            _ => false,
        };
        self.program.ir(func).exprs.iter().find(is_work)
    }

    /// The first thing that a block does.
    fn block(&self, func: Func, block: ExprId, hops: u32) -> Found {
        let facts = self.facts(func);
        let Expr::Block(list) = *facts.expr(block) else { return self.statement(func, block, hops) };
        for &statement in facts.list(list) {
            match self.statement(func, statement, hops) {
                Found::Nothing => {}
                found => return found,
            }
        }
        Found::Nothing
    }

    fn statement(&self, func: Func, statement: ExprId, hops: u32) -> Found {
        let facts = self.facts(func);
        match *facts.expr(statement) {
            Expr::Block(_) => self.block(func, statement, hops),
            Expr::Try(at) => self.block(func, facts.arenas.try_at(at).body, hops),
            Expr::With { context, body, .. } => match self.statement(func, context, hops) {
                Found::Asks(at) if self.asks_late(func, context) => Found::Does(at),
                Found::Nothing => self.block(func, body, hops),
                found => found,
            },
            Expr::If { arms, .. } => match facts.list(arms).first() {
                Some(arm) if matches!(facts.expr(arm.test), Expr::Lit(Lit::Bool(true))) => {
                    self.block(func, arm.body, hops)
                }
                Some(arm) => self.asked_in(func, arm.test).map_or(Found::Does(statement), Found::Asks),
                None => Found::Does(statement),
            },
            Expr::Match { subject, .. } if self.is_phase(func, subject) => Found::Asks(statement),
            Expr::Bind { value, .. } => match *facts.expr(value) {
                Expr::Import(_) | Expr::Closure(_) | Expr::Class(_) => Found::Nothing,
                // `reply = super().execute(args, phase)`: what is called first may open for its caller.
                _ => match self.expression(func, value) {
                    Found::Does(_) => self.handed_on(func, value),
                    found => found,
                },
            },
            Expr::Store { value: Some(value), .. } => match self.expression(func, value) {
                Found::Nothing => Found::Does(statement),
                found => found,
            },
            Expr::Jump { kind: Jump::Return, value: Some(value) } => self.handed_on(func, value),
            _ => match self.expression(func, statement) {
                Found::Does(_) => self.handed_on(func, statement),
                found => found,
            },
        }
    }

    /// A value that is made, or looked at.
    fn expression(&self, func: Func, value: ExprId) -> Found {
        if let Some(asked) = self.asked_in(func, value) {
            return Found::Asks(asked);
        }
        if self.is_idle(func, value) {
            return Found::Nothing;
        }
        if self.hides(func, value) { Found::Hidden(value) } else { Found::Does(value) }
    }

    /// `return self._run(args, phase)`: that function is what the operation does.
    fn handed_on(&self, func: Func, value: ExprId) -> Found {
        let facts = self.facts(func);
        let call = match *facts.expr(value) {
            Expr::Await(inner) => inner,
            _ => value,
        };
        let targets = self.targets(func, call);
        match targets.is_empty() {
            false => Found::Hands(value, targets),
            true => self.expression(func, value),
        }
    }

    fn targets(&self, func: Func, call: ExprId) -> Vec<Func> {
        let edges = self.program.edges_at(func, call).iter();
        edges
            .filter_map(|edge| match (edge.kind, edge.to) {
                (EdgeKind::Call, Target::Project(target)) => Some(target),
                _ => None,
            })
            .collect()
    }

    /// The part of the expression that asks for the phase.
    fn asked_in(&self, func: Func, expr: ExprId) -> Option<ExprId> {
        self.below(func, expr).into_iter().find(|&part| self.asks_at(func, part))
    }

    /// A call of a gate, or a comparison of the phase.
    fn asks_at(&self, func: Func, expr: ExprId) -> bool {
        match *self.facts(func).expr(expr) {
            Expr::Call { args, .. } => self.calls_gate(func, expr, self.facts(func).list(args)),
            Expr::Op { op, args } => {
                let compares = matches!(op, Op::Eq | Op::Ne | Op::Is | Op::IsNot | Op::In | Op::NotIn);
                let args = self.facts(func).list(args);
                compares
                    && args.iter().any(|&arg| self.is_phase(func, arg))
                    && args.iter().any(|&arg| self.is_word(func, arg))
            }
            Expr::Match { subject, .. } => self.is_phase(func, subject),
            _ => false,
        }
    }

    fn calls_gate(&self, func: Func, call: ExprId, args: &[Arg]) -> bool {
        let targets = self.targets(func, call);
        let is_gate_by_body = |&target: &Func| {
            let guards = self.gating.summary(target).is_some_and(Summary::guards_its_block);
            let asks = guards || self.gating.is_gate(self.program, &self.catalog.phase, target);
            asks && self.gives_phase(func, args) || self.gating.is_vouched(target) || self.only_asks(target)
        };
        // A body that does not speak of the phase asks nothing, whatever it is called.
        let may_ask = |&target: &Func| {
            stubs::is_open(self.program, self.catalog, target)
                || self.gating.summary(target).is_some_and(Summary::asks)
        };
        let is_named = || is_gate(self.program, &self.catalog.phase, func, call).is_some();
        targets.iter().any(is_gate_by_body)
            || (targets.is_empty() || targets.iter().any(may_ask)) && is_named()
    }

    /// A context manager of the project that asks only when its block is left.
    fn asks_late(&self, func: Func, context: ExprId) -> bool {
        let targets = self.targets(func, context);
        let is_late = |&target: &Func| {
            let guards = self.gating.summary(target).is_some_and(Summary::guards_its_block);
            self.program.ir(target).is_generator && !guards
        };
        !targets.is_empty() && targets.iter().all(is_late)
    }

    /// A helper of a few lines that asks for the phase before anything else, whatever it lets through.
    fn only_asks(&self, target: Func) -> bool {
        let calls = self.program.edges_from(target).iter().any(
            |edge| matches!(edge.to, Target::Project(other) if !implicit::is_implicit(self.program, other)),
        );
        !calls && matches!(self.block(target, self.program.ir(target).body, 0), Found::Asks(_))
    }

    fn gives_phase(&self, func: Func, args: &[Arg]) -> bool {
        let names = |arg: &Arg| {
            let parts = self.below(func, arg.value);
            parts.into_iter().any(|part| self.is_phase(func, part) || self.is_context(func, part))
        };
        args.is_empty() || args.iter().any(names)
    }

    /// Something that may hold the phase: a parameter as it is.
    fn is_context(&self, func: Func, expr: ExprId) -> bool {
        let Expr::Var(var) = *self.facts(func).expr(expr) else { return false };
        self.program.parameter_of(self.program.slot_of(func, var)).is_some()
    }

    /// Named like the phase.
    fn is_phase(&self, func: Func, expr: ExprId) -> bool {
        let words = &self.catalog.phase;
        let facts = self.facts(func);
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => words.naming(facts.str(text)).is_some(),
            Expr::Index { key, .. } => self.is_phase(func, key),
            Expr::Call { callee, args, .. } => {
                let names = |arg: &Arg| matches!(*facts.expr(arg.value), Expr::Lit(Lit::Str(text)) if words.naming(facts.str(text)).is_some());
                // `context.get("execution_phase")`, `getattr(context, "phase")`
                let reads = facts.list(args).iter().any(names);
                reads
                    || match *facts.expr(callee) {
                        // `phase.lower()`, `str(phase)`, `Phase(phase)`
                        Expr::Field { base, .. } => self.is_named(func, base),
                        Expr::Free(name) => {
                            let name = facts.str(name);
                            let converts = self.catalog.operations.of_builtin(name) == Some(DataOp::ToText)
                                || name.starts_with(char::is_uppercase);
                            converts && matches!(facts.list(args), [only] if self.is_named(func, only.value))
                        }
                        _ => false,
                    }
            }
            Expr::Any(parts) => facts.list(parts).iter().any(|&part| self.is_phase(func, part)),
            Expr::Ascribe { value: Some(value), .. } => self.is_phase(func, value),
            Expr::Field { base, .. } if self.is_named(func, base) => true,
            _ => self.is_named(func, expr),
        }
    }

    fn is_named(&self, func: Func, expr: ExprId) -> bool {
        let name = self.program.receiver_name(func, expr);
        name.is_some_and(|name| self.catalog.phase.naming(name.name).is_some())
    }

    /// A word for a phase, or a set of them.
    fn is_word(&self, func: Func, expr: ExprId) -> bool {
        let words = &self.catalog.phase;
        let of_enum = || match *self.facts(func).expr(expr) {
            Expr::Field { name, .. } => words.is_word(&self.facts(func).str(name).to_lowercase()),
            _ => false,
        };
        self.program.text(func, expr).is_some_and(|text| words.is_word(&text.to_lowercase()))
            || of_enum()
            || self.program.members(func, expr).iter().any(|text| words.is_word(text))
    }

    /// True for what does nothing but read constants, the object itself and the phase.
    fn is_idle(&self, func: Func, expr: ExprId) -> bool {
        if self.is_phase(func, expr) {
            return true;
        }
        let facts = self.facts(func);
        self.below(func, expr).into_iter().all(|part| match *facts.expr(part) {
            Expr::Lit(_) | Expr::Free(_) | Expr::Text(_) | Expr::Seq(_) | Expr::Ascribe { .. } => true,
            Expr::Field { base, .. } => self.is_idle_base(func, base) || self.is_phase(func, part),
            Expr::Var(var) => {
                let is_own = self.program.own_class_of(func, var).is_some();
                let is_parameter = self.program.parameter_of(self.program.slot_of(func, var)).is_some();
                is_own || !is_parameter
            }
            Expr::Call { .. } | Expr::Index { .. } | Expr::Any(_) => self.is_phase(func, part),
            _ => false,
        })
    }

    fn is_idle_base(&self, func: Func, base: ExprId) -> bool {
        self.program.own_class(func, base).is_some() || matches!(self.facts(func).expr(base), Expr::Free(_))
    }

    /// True if the phase goes to something that nobody can look into.
    fn hides(&self, func: Func, expr: ExprId) -> bool {
        let facts = self.facts(func);
        self.below(func, expr).into_iter().any(|part| match *facts.expr(part) {
            Expr::Call { args, .. } => {
                self.targets(func, part).is_empty()
                    && facts.list(args).iter().any(|arg| self.is_named(func, arg.value))
            }
            _ => false,
        })
    }

    fn below(&self, func: Func, expr: ExprId) -> Vec<ExprId> {
        self.facts(func).arenas.below(expr)
    }
}
