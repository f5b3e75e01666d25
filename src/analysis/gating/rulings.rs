//! What a gate of actions says on each of its ways: whether every way approves, and which approve because something failed, is
//! missing, is not known or is switched off.

use super::known::Known;
use super::visit::{Visit, visit};
use super::{Gating, MAX_WAYS, MAX_WRAPPERS};
use crate::analysis::gates::spelled;
use crate::analysis::interp::{Course, Way, ways};
use crate::analysis::outcomes::{ABSENT, FAILED, Shape};
use crate::analysis::told::is_given;
use crate::analysis::{Bodies, stubs};
use crate::catalog::{Catalog, Level, Speaks};
use crate::ir::{EntryKey, Expr, ExprId, IfArm, Jump, Lit, Op, Pat};
use crate::link::{Edge, EdgeKind, Func, Program, Target, argument};

/// Where a gate approves although nobody has judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lapse {
    pub cause: Cause,
    /// What approves.
    pub at: ExprId,
    /// Somebody reads that it did.
    pub is_logged: bool,
}

/// Why a gate takes a way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// Something failed.
    Failed,
    /// The answer is none of those that it knows.
    Unmatched,
    /// There is no request, or no answer.
    Missing,
    /// It is switched off.
    Off,
}

impl Gating {
    /// The project's own judges of actions, and what makes their verdicts for them; in order. Those of tests, and those whose work
    /// others do, are none.
    pub fn judges(&self, program: &Program<'_>, catalog: &Catalog) -> Vec<Func> {
        let asks = &self.learnt.asks;
        let speaks = |func: Func| asks.speakers.contains(&func) || self.makes_verdicts(catalog, func);
        let makers = asks.makers.iter().filter(|&&func| speaks(func));
        // A method of something else judges only itself.
        let is_gate = |func: &&Func| match program.function(**func).class {
            Some(class) => {
                catalog.actions.is_gate_object(program.class_name(class)) || self.learnt.is_vouched(**func)
            }
            None => true,
        };
        let own = asks.gates.iter().filter(is_gate).chain(makers).copied();
        let is_meant = |func: &Func| !program.is_test_code(*func) && !stubs::is_open(program, catalog, *func);
        let mut own: Vec<Func> = own.filter(is_meant).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// What judges call beside these, in order: there a model may be asked for what they make a verdict of.
    pub fn helpers(&self, judges: &[Func]) -> Vec<Func> {
        let asks = &self.learnt.asks;
        let others = asks.makers.iter().copied().filter(|func| !judges.contains(func));
        let mut others: Vec<Func> = others.collect();
        others.sort_unstable();
        others
    }

    /// True for a judge itself, false for what only makes its verdicts.
    pub fn is_judge(&self, func: Func) -> bool {
        self.learnt.asks.gates.contains(&func)
    }

    /// True for a call that asks whether an action may run: a judge of the project, one of a library, or what is spelled like one.
    pub fn asks_judge(&self, program: &Program<'_>, catalog: &Catalog, func: Func, call: ExprId) -> bool {
        let (asks, words) = (&self.learnt.asks, &catalog.actions);
        let given: Speaks<'_> = &|fits| is_given(program, func, call, fits);
        let edges = program.edges_at(func, call);
        let is_own = |to: Func| asks.gates.contains(&to) || asks.vouched.contains(&to);
        let is_judge = |edge: &Edge| match edge.to {
            Target::Project(to) => edge.kind == EdgeKind::Call && is_own(to),
            Target::External(path) => words.is_gate(program.path(path), given),
        };
        let is_spelled = || spelled(program, func, call).is_some_and(|name| words.is_gate_name(&name, given));
        edges.iter().any(is_judge) || edges.is_empty() && is_spelled()
    }

    /// True for a helper whose results are verdicts; any function may answer by true or false.
    fn makes_verdicts(&self, catalog: &Catalog, func: Func) -> bool {
        let is_verdict =
            |shape: &Shape| !matches!(shape, Shape::Bool(_)) && catalog.actions.verdict_of(shape).is_some();
        let summary = self.summary(func);
        summary.is_some_and(|known| known.returns.outcomes().iter().any(|outcome| is_verdict(&outcome.shape)))
    }

    /// True if a judge approves whatever it is asked: each of its results says so, and it raises nothing.
    pub fn approves_always(&self, catalog: &Catalog, func: Func) -> bool {
        let Some(summary) = self.summary(func) else { return false };
        let outcomes = summary.returns.outcomes();
        let approves = |shape: &Shape| catalog.actions.verdict_of(shape) == Some(true);
        summary.raises.is_none()
            && !outcomes.is_empty()
            && outcomes.iter().all(|outcome| approves(&outcome.shape))
    }

    /// The ways on which a judge approves for no good reason, in order.
    pub fn lapses(&self, bodies: &Bodies<'_, '_>, func: Func) -> Vec<Lapse> {
        let known = Known::again(bodies, &self.learnt);
        let program = bodies.program();
        let view = View { known: &known, func };
        let facts = program.facts(program.function(func).file);
        let all = ways(facts, program.ir(func)).into_iter().take(MAX_WAYS);
        let mut found: Vec<Lapse> = all.filter_map(|way| view.lapse(way)).collect();
        // A gate may know all that it has to refuse, and end so; a policy may not.
        let last = view.last_word().filter(|&at| found.iter().all(|lapse| lapse.at != at));
        found.extend(last.map(|at| Lapse { cause: Cause::Unmatched, at, is_logged: true }));
        let exprs = program.ir(func).exprs.iter();
        let by_default = exprs.filter(|&expr| view.approves_by_default(expr));
        let by_default = by_default.map(|at| Lapse { cause: Cause::Missing, at, is_logged: false });
        found.extend(by_default);
        found.dedup_by_key(|lapse| lapse.at);
        found
    }
}

struct View<'v, 'a> {
    known: &'v Known<'v, 'a>,
    func: Func,
}

impl<'v> View<'v, '_> {
    fn lapse(&self, way: Way) -> Option<Lapse> {
        let program = self.known.program;
        let facts = program.facts(program.function(self.func).file);
        let cause = self.cause(way)?;
        let course = Course::along(facts, program.ir(self.func), way);
        let (_, seen) = visit(self.known, self.func, &Visit { course, ..Visit::default() });
        let says = |shape: &Shape| self.known.catalog.actions.verdict_of(shape);
        let refuses = |shape: &Shape| says(shape) == Some(false);
        if seen.exits.iter().any(|left| left.ungated.iter().any(refuses)) {
            return None;
        }
        let approves =
            |shapes: &[Shape]| !shapes.is_empty() && shapes.iter().all(|shape| says(shape) == Some(true));
        // What another gate has judged passes here; a word that it never says is none of its judgements.
        let is_said = |at: ExprId| cause == Cause::Unmatched && self.returns_yes(at);
        let exit = seen.exits.iter().find(|left| approves(&left.ungated) || is_said(left.at))?.at;
        let body = way.body(facts);
        let at = body.and_then(|body| self.approving(body, exit)).unwrap_or(exit);
        Some(Lapse { cause, at, is_logged: self.is_logged(way, at) })
    }

    /// The statement on the way that says yes: the exit, or what is put into the variable that is handed back later.
    fn approving(&self, body: ExprId, exit: ExprId) -> Option<ExprId> {
        let program = self.known.program;
        let facts = program.facts(program.function(self.func).file);
        let below = facts.arenas.below(body);
        if below.contains(&exit) {
            return Some(exit);
        }
        let is_said = |at: &ExprId| match *facts.expr(*at) {
            Expr::Bind { value, .. } | Expr::Store { value: Some(value), .. } => self.says_yes(value),
            _ => false,
        };
        below.into_iter().filter(is_said).min_by_key(|&at| facts.span(at).lo).or(Some(body))
    }

    fn returns_yes(&self, exit: ExprId) -> bool {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        match *facts.expr(exit) {
            Expr::Jump { kind: Jump::Return, value: Some(value) } => self.is_yes(value),
            _ => false,
        }
    }

    /// A constant that says yes.
    fn is_yes(&self, value: ExprId) -> bool {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        matches!(facts.expr(value), Expr::Lit(_) | Expr::Field { .. }) && self.says_yes(value)
    }

    fn says_yes(&self, value: ExprId) -> bool {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        self.known.catalog.actions.is_said_in(facts, value)
    }

    /// What is handed back at the end, past all that has been asked, if it says yes.
    fn last_word(&self) -> Option<ExprId> {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        let asks = |at: &ExprId| matches!(facts.expr(*at), Expr::If { .. } | Expr::Loop(_));
        let (mut last, mut has_asked) = (self.known.program.ir(self.func).body, false);
        let value = loop {
            last = match *facts.expr(last) {
                Expr::Block(body) => {
                    let (&last, before) = facts.list(body).split_last()?;
                    has_asked |= before.iter().any(asks);
                    last
                }
                Expr::Try(block) => facts.arenas.try_at(block).body,
                Expr::If { arms, otherwise: None } => match *facts.list(arms) {
                    [IfArm { test, body }] if matches!(facts.expr(test), Expr::Lit(Lit::Bool(true))) => body,
                    _ => return None,
                },
                Expr::Jump { kind: Jump::Return, value: Some(value) } => break value,
                _ => return None,
            }
        };
        let is_said =
            !matches!(facts.expr(value), Expr::Op { .. } | Expr::Not(_) | Expr::All(_) | Expr::Any(_));
        (is_said && has_asked && self.says_yes(value)).then_some(last)
    }

    // ---- why

    fn cause(&self, way: Way) -> Option<Cause> {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        match way {
            Way::Handler(_) => Some(Cause::Failed),
            Way::Case(at, nth) => {
                let Expr::Match { arms, .. } = *facts.expr(at) else { return None };
                let arms = facts.list(arms);
                if let Some(Pat::Ctor { path, .. }) = arms.get(nth).map(|arm| *facts.pat(arm.pat)) {
                    return self.of_variant(path);
                }
                let takes_all = |pat| matches!(*facts.pat(pat), Pat::Wild | Pat::Var(_));
                let is_rest = arms.get(nth).is_none_or(|arm| arm.guard.is_none() && takes_all(arm.pat));
                (is_rest && arms.len() > 1).then_some(Cause::Unmatched)
            }
            Way::Arm(at, nth) => {
                let Expr::If { arms, .. } = *facts.expr(at) else { return None };
                self.of_arm(facts.list(arms), nth)
            }
            Way::NoRound(_) | Way::Done(_) => None,
        }
    }

    /// `Err(error) => …`, `None => …`
    fn of_variant(&self, path: ExprId) -> Option<Cause> {
        match &*self.name(path)? {
            FAILED => Some(Cause::Failed),
            ABSENT => Some(Cause::Missing),
            _ => None,
        }
    }

    fn of_arm(&self, arms: &[IfArm], nth: usize) -> Option<Cause> {
        if let Some(arm) = arms.get(nth) {
            return self.of_test(arm.test, true);
        }
        let is_refusal = |arm: &IfArm| self.is_word(arm.test, &[false]);
        let knows_both =
            || arms.iter().all(|arm| self.is_word(arm.test, &[true, false])) && arms.iter().any(is_refusal);
        match arms {
            [only] => self.of_test(only.test, false).or(is_refusal(only).then_some(Cause::Unmatched)),
            _ => knows_both().then_some(Cause::Unmatched),
        }
    }

    /// Why the way behind a test is taken, if each part that can open it says so.
    fn of_test(&self, test: ExprId, holds: bool) -> Option<Cause> {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        match *facts.expr(test) {
            Expr::Any(parts) if holds => {
                let causes = facts.list(parts).iter().map(|&part| self.of_part(part, holds));
                causes.collect::<Option<Vec<Cause>>>()?.into_iter().min()
            }
            _ => self.of_part(test, holds),
        }
    }

    fn of_part(&self, mut test: ExprId, mut holds: bool) -> Option<Cause> {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        while let Expr::Not(inner) = *facts.expr(test) {
            (test, holds) = (inner, !holds);
        }
        if let Expr::Op { op: op @ (Op::Is | Op::Eq | Op::IsNot | Op::Ne), args } = *facts.expr(test) {
            let is_none = facts.list(args).iter().any(|&arg| *facts.expr(arg) == Expr::Lit(Lit::None));
            let is_absent = matches!(op, Op::Is | Op::Eq) == holds;
            return (is_none && is_absent).then_some(Cause::Missing);
        }
        let (name, words) = (self.name(test)?, &self.known.catalog.actions);
        match words.switches(&name) {
            Some(on) => (on != holds).then_some(Cause::Off),
            None => (!holds && words.is_needed(&name)).then_some(Cause::Missing),
        }
    }

    fn name(&self, expr: ExprId) -> Option<String> {
        let program = self.known.program;
        let facts = program.facts(program.function(self.func).file);
        match *facts.expr(expr) {
            Expr::Call { args, .. } => {
                let key = facts.list(args).first().and_then(|key| program.text(self.func, key.value));
                key.or_else(|| Some(spelled(program, self.func, expr)?.rsplit('.').next()?.to_owned()))
            }
            Expr::Index { key, .. } => program.text(self.func, key),
            _ => program.receiver_name(self.func, expr).map(|known| known.name.to_owned()),
        }
    }

    /// `decision == "REJECT"`, `"reject" in text`, `text.startswith("NO")`: it asks for a word that says one of these.
    fn is_word(&self, test: ExprId, meant: &[bool]) -> bool {
        let facts = self.known.program.facts(self.known.program.function(self.func).file);
        let is_said = |part: ExprId| {
            let word = self.known.constant(self.func, part);
            let says = word.and_then(|word| self.known.catalog.actions.says(&word));
            says.is_some_and(|says| meant.contains(&says))
        };
        let speaks = |test: ExprId| match *facts.expr(test) {
            Expr::Op { op: Op::Eq | Op::Is | Op::In, args } => {
                facts.list(args).iter().any(|&arg| is_said(arg))
            }
            Expr::Call { args, .. } => facts.list(args).iter().any(|arg| is_said(arg.value)),
            _ => false,
        };
        match *facts.expr(test) {
            Expr::Any(parts) => facts.list(parts).iter().all(|&part| speaks(part)),
            _ => speaks(test),
        }
    }

    /// `answer.get("decision", "APPROVE")`, `VERDICTS.get(word, Verdict.APPROVE)`
    fn approves_by_default(&self, call: ExprId) -> bool {
        let (program, catalog) = (self.known.program, self.known.catalog);
        let facts = program.facts(program.function(self.func).file);
        let Expr::Call { args, .. } = *facts.expr(call) else { return false };
        let Some(name) = spelled(program, self.func, call) else { return false };
        let Some(fallback) = catalog.fallbacks.iter().find(|fallback| fallback.matches(&name)) else {
            return false;
        };
        let args = facts.list(args);
        let given = |at| argument(facts, args, Some(at), None);
        let (Some(key), Some(default)) = (given(fallback.key), given(fallback.default)) else { return false };
        let words = &catalog.actions;
        let says = self.known.constant(self.func, default).and_then(|word| words.says(&word));
        match (program.text(self.func, key), *facts.expr(default)) {
            (Some(key), Expr::Lit(Lit::Bool(truth))) => words.says_if_true(&key) == Some(true) && truth,
            (Some(key), _) => words.holds_word(&key) && says == Some(true),
            (None, Expr::Lit(Lit::Bool(true))) => self.is_table_of_words(call),
            (None, _) => says == Some(true),
        }
    }

    /// `{"approve": True, "reject": False}.get(word, True)`
    fn is_table_of_words(&self, call: ExprId) -> bool {
        let program = self.known.program;
        let facts = program.facts(program.function(self.func).file);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return false };
        let Expr::Field { base, .. } = *facts.expr(callee) else { return false };
        let (owner, table) = program.bound(self.func, base);
        let facts = program.facts(program.function(owner).file);
        let Expr::Record(entries) = *facts.expr(table) else { return false };
        facts.list(entries).iter().any(|entry| match entry.key {
            EntryKey::Expr(key) => {
                let word = program.text(owner, key);
                word.is_some_and(|word| self.known.catalog.actions.says(&word).is_some())
            }
            EntryKey::Spread => false,
        })
    }

    // ---- who reads it

    /// Something on the way is written where somebody reads it.
    fn is_logged(&self, way: Way, at: ExprId) -> bool {
        let program = self.known.program;
        let facts = program.facts(program.function(self.func).file);
        if let Some(body) = way.body(facts) {
            let below = facts.arenas.below(body);
            if below.iter().any(|&expr| self.logs(self.func, expr, MAX_WRAPPERS)) || below.contains(&at) {
                return below.iter().any(|&expr| self.logs(self.func, expr, MAX_WRAPPERS));
            }
        }
        let begin = way.body(facts).unwrap_or(at);
        let begin = facts.span(begin).lo.min(facts.span(at).lo);
        let is_later = |expr: &ExprId| facts.span(*expr).lo >= begin;
        program
            .ir(self.func)
            .exprs
            .iter()
            .filter(is_later)
            .any(|expr| self.logs(self.func, expr, MAX_WRAPPERS))
    }

    fn logs(&self, func: Func, call: ExprId, hops: u32) -> bool {
        let (program, catalog) = (self.known.program, self.known.catalog);
        let Some(name) = spelled(program, func, call) else { return false };
        if catalog.logs.level(&name) == Some(Level::Loud) {
            return true;
        }
        program.edges_at(func, call).iter().any(|edge| {
            let path = program.target_name(edge.to);
            let by_name = catalog.audit.writes(&path) || catalog.logs.level(&path) == Some(Level::Loud);
            let by_body =
                |to: Func| hops > 0 && program.ir(to).exprs.iter().any(|expr| self.logs(to, expr, hops - 1));
            by_name || matches!(edge.to, Target::Project(to) if by_body(to))
        })
    }
}
