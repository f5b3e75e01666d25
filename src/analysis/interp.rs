//! The path interpreter: walks the body of one function in the order in which it runs, and keeps for every point what holds
//! on the ways that lead there. It owns order, joins, loops, exceptions and jumps; what a state and a value are is the
//! domain's business (`Domain`), and no domain looks at control flow (ARCHITECTURE "Analysis").
//!
//! A body is walked until nothing changes and then once more to record. Loop heads live in a table and only the
//! outermost loop repeats, so nesting multiplies nothing; a `finally` is walked once from all that enters it, and
//! everybody leaves it with what it did to them (`Domain::carried`). Recursion is bounded by `frontend::MAX_DEPTH`.

mod control;
mod domain;
mod frames;
mod ways;

pub use self::domain::{Caught, Domain, Entered, Exit, Parts, Rounds};
use self::frames::{Frame, Leaving};
pub use self::ways::{Course, Way, ways};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Arg, Entry, EntryKey, Expr, ExprId, Facts, Function, Jump, Op, Pat, PatId};

/// After so many rounds of a loop, and one for each loop inside it, what keeps changing is given up.
const MAX_ROUNDS: usize = 8;

/// Walks the body of `function` from `entry`, and then again to record. Comes back with how many expressions that took.
pub fn interpret<D: Domain>(domain: &mut D, facts: &Facts, function: &Function, entry: &D::State) -> usize {
    interpret_along(domain, facts, function, entry, &Course::default())
}

/// The same as if everybody kept to these ways.
pub fn interpret_along<D: Domain>(
    domain: &mut D,
    facts: &Facts,
    function: &Function,
    entry: &D::State,
    course: &Course,
) -> usize {
    let mut interp = Interp {
        facts,
        domain,
        frames: Vec::new(),
        heads: Default::default(),
        changed: false,
        given_up: FxHashSet::default(),
        forgets: false,
        depth: 0,
        deepest: 0,
        handling: Vec::new(),
        items: Vec::new(),
        course,
        has_begun: false,
        steps: 0,
    };
    let loops = function.exprs.iter().any(|expr| matches!(facts.expr(expr), Expr::Loop(_)));
    if loops {
        interp.walk(function, entry.clone());
    }
    interp.domain.record();
    interp.walk(function, entry.clone());
    interp.steps
}

struct Interp<'i, D: Domain> {
    facts: &'i Facts,
    domain: &'i mut D,
    /// What stands around the point that is walked, innermost last.
    frames: Vec<Frame<D>>,
    /// What holds at the head of each loop, by its index.
    heads: FxHashMap<u32, D::State>,
    /// A loop head has changed in this round.
    changed: bool,
    /// Outermost loops that did not settle, by index.
    given_up: FxHashSet<u32>,
    /// The walk is inside one of them, where heads lose what keeps changing.
    forgets: bool,
    /// How many loops stand around, and how many at most inside the outermost of them.
    depth: usize,
    deepest: usize,
    /// The bodies of the handlers around, each with what it handles.
    handling: Vec<(ExprId, D::Thrown)>,
    /// The items of the comprehensions around, and what they came out as.
    items: Vec<(ExprId, Option<D::Value>)>,
    course: &'i Course,
    /// What leaves the function counts.
    has_begun: bool,
    /// Expressions walked so far, each as often as it was.
    steps: usize,
}

/// What holds where a test is true, and where it is not.
struct Ways<S> {
    yes: S,
    no: S,
}

impl<D: Domain> Interp<'_, D> {
    fn walk(&mut self, function: &Function, entry: D::State) {
        let mut state = entry;
        self.has_begun = self.course.has_begun();
        self.eval(function.body, &mut state);
        if self.domain.is_live(&state) {
            // A front end whose language returns the value of a body writes a `return` there.
            let nothing = self.domain.nothing();
            self.exit(&state, Exit::Return(function.body), &nothing);
        }
    }

    /// The value of an expression; `state` is what holds before it and then what holds after it.
    fn eval(&mut self, expr: ExprId, state: &mut D::State) -> D::Value {
        if !self.domain.is_live(state) {
            self.domain.unreached(state, expr);
            return self.domain.nothing();
        }
        self.steps += 1;
        let value = self.node(expr, state);
        if self.items.last().is_some_and(|(item, _)| *item == expr) {
            let value = self.domain.kept(state, expr, &value);
            self.items.last_mut().into_iter().for_each(|(_, kept)| *kept = Some(value.clone()));
        }
        value
    }

    fn node(&mut self, expr: ExprId, state: &mut D::State) -> D::Value {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Call { callee, args, .. } => self.call(expr, callee, facts.list(args), state),
            Expr::Not(inner) => {
                let value = self.eval(inner, state);
                self.domain.negated(&value)
            }
            Expr::All(parts) => self.chain(facts.list(parts), true, state),
            Expr::Any(parts) => self.chain(facts.list(parts), false, state),
            Expr::Bind { pat, value } => {
                let value = self.eval(value, state);
                self.bind(pat, &value, state);
                value
            }
            Expr::Store { place, op, value } => self.store(place, op, value, state),
            Expr::Yield { value, .. } => {
                let parts: Parts<D::Value> = value.iter().map(|&value| self.eval(value, state)).collect();
                let given = parts.first().cloned().unwrap_or_else(|| self.domain.nothing());
                self.exit(state, Exit::Yield(expr), &given);
                self.domain.resumed(state, expr);
                if let Some(thrown) = self.domain.thrown_in(expr) {
                    self.throw(state, &thrown);
                }
                self.domain.value(state, expr, &parts)
            }
            Expr::Jump { kind, value } => self.jump(expr, kind, value, state),
            Expr::Block(list) => {
                let list = facts.list(list);
                let mut last = self.domain.nothing();
                for &item in list {
                    last = self.eval(item, state);
                }
                last
            }
            Expr::If { .. } | Expr::Match { .. } | Expr::Loop(_) | Expr::Try(_) | Expr::With { .. } => {
                self.control(expr, state)
            }
            _ => self.plain(expr, state),
        }
    }

    /// Nodes that only put their parts together.
    fn plain(&mut self, expr: ExprId, state: &mut D::State) -> D::Value {
        let facts = self.facts;
        let mut parts = Parts::new();
        match *facts.expr(expr) {
            Expr::Field { base, .. } => parts.push(self.eval(base, state)),
            Expr::Index { base, key } => {
                parts.extend([self.eval(base, state), self.eval(key, state)]);
                let is_slice = matches!(facts.expr(key), Expr::Op { op: Op::Slice, .. });
                if !is_slice && self.is_guarded() {
                    let thrown = self.domain.not_there();
                    self.throw(state, &thrown);
                }
            }
            Expr::Record(entries) => {
                for &Entry { key, value } in facts.list(entries) {
                    if let EntryKey::Expr(key) = key {
                        self.eval(key, state);
                    }
                    parts.push(self.eval(value, state));
                }
            }
            Expr::Seq(list) | Expr::Text(list) | Expr::Opaque(list) | Expr::Op { args: list, .. } => {
                parts.extend(facts.list(list).iter().map(|&part| self.eval(part, state)));
            }
            Expr::Await(inner) | Expr::Spread(inner) => parts.push(self.eval(inner, state)),
            Expr::Ascribe { value, .. } => parts.extend(value.map(|value| self.eval(value, state))),
            Expr::Collect { body, item } => parts.push(self.collect(body, item, state)),
            _ => {}
        }
        self.domain.value(state, expr, &parts)
    }

    /// A comprehension: its loop, and the value that the item had in it.
    fn collect(&mut self, body: ExprId, item: ExprId, state: &mut D::State) -> D::Value {
        self.items.push((item, None));
        self.eval(body, state);
        let item = self.items.pop().and_then(|(_, value)| value);
        item.unwrap_or_else(|| self.domain.nothing())
    }

    fn call(&mut self, expr: ExprId, callee: ExprId, args: &[Arg], state: &mut D::State) -> D::Value {
        let callee = self.eval(callee, state);
        let args: Parts<D::Value> = args.iter().map(|arg| self.eval(arg.value, state)).collect();
        if !self.domain.is_live(state) {
            self.domain.unreached(state, expr);
            return self.domain.nothing();
        }
        // Mostly nobody asks what held before: the exception leaves the function.
        let before = (D::SEES_FLIGHT || self.is_guarded()).then(|| state.clone());
        let (value, thrown) = self.domain.call(state, expr, &callee, &args);
        match before {
            Some(before) => {
                let flying = self.domain.flying(before, &thrown);
                self.throw(&flying, &thrown);
            }
            None => {
                let nothing = self.domain.nothing();
                self.exit(state, Exit::Raise(thrown), &nothing);
            }
        }
        value
    }

    /// `and` (`all`) and `or`: each part is evaluated where the ones before it have not decided.
    fn chain(&mut self, parts: &[ExprId], all: bool, state: &mut D::State) -> D::Value {
        let mut decided: Vec<(D::State, D::Value)> = Vec::new();
        for (nth, &part) in parts.iter().enumerate() {
            let value = self.eval(part, state);
            if nth + 1 == parts.len() || !self.domain.is_live(state) {
                decided.push((state.clone(), value));
                continue;
            }
            let mut stops = state.clone();
            self.domain.assume(&mut stops, &value, !all);
            self.domain.assume(state, &value, all);
            let value = self.domain.value_when(&value, !all);
            decided.push((stops, value));
        }
        self.merge(decided, state)
    }

    /// One of several ways; `state` becomes their join.
    fn merge(&mut self, ways: Vec<(D::State, D::Value)>, state: &mut D::State) -> D::Value {
        *state = self.domain.dead();
        for (way, _) in &ways {
            self.domain.join(state, way);
        }
        let live: Vec<_> = ways.iter().filter(|(way, _)| self.domain.is_live(way)).collect();
        let ways: Vec<_> = live.into_iter().map(|(way, value)| (way, value.clone())).collect();
        match ways.is_empty() {
            true => self.domain.nothing(),
            false => self.domain.merge(&ways),
        }
    }

    /// What holds where `test` is true, and where it is not.
    fn test(&mut self, test: ExprId, mut state: D::State) -> Ways<D::State> {
        let facts = self.facts;
        match *facts.expr(test) {
            Expr::Not(inner) => {
                let Ways { yes, no } = self.test(inner, state);
                Ways { yes: no, no: yes }
            }
            Expr::All(parts) => self.test_chain(facts.list(parts), true, state),
            Expr::Any(parts) => {
                let Ways { yes, no } = self.test_chain(facts.list(parts), false, state);
                Ways { yes: no, no: yes }
            }
            _ => {
                let value = self.eval(test, &mut state);
                let mut no = state.clone();
                self.domain.assume(&mut no, &value, false);
                self.domain.assume(&mut state, &value, true);
                Ways { yes: state, no }
            }
        }
    }

    /// `yes` is where every part came out as `wanted`.
    fn test_chain(&mut self, parts: &[ExprId], wanted: bool, state: D::State) -> Ways<D::State> {
        let mut no = self.domain.dead();
        let mut yes = state;
        for &part in parts {
            let ways = self.test(part, yes);
            let (goes_on, leaves) = if wanted { (ways.yes, ways.no) } else { (ways.no, ways.yes) };
            self.domain.join(&mut no, &leaves);
            yes = goes_on;
        }
        Ways { yes, no }
    }

    fn bind(&mut self, pat: PatId, value: &D::Value, state: &mut D::State) {
        if let Pat::Place(place) = *self.facts.pat(pat) {
            self.place(place, state);
        }
        self.domain.bind(state, pat, value);
    }

    fn store(
        &mut self,
        place: ExprId,
        op: Option<Op>,
        value: Option<ExprId>,
        state: &mut D::State,
    ) -> D::Value {
        let stored = value.map(|value| (value, self.eval(value, state)));
        self.place(place, state);
        let given = stored.as_ref().map(|(expr, value)| (*expr, value));
        self.domain.store(state, place, op, given);
        stored.map_or_else(|| self.domain.nothing(), |(_, value)| value)
    }

    /// The calls inside `a.b[key]` that is assigned to.
    fn place(&mut self, place: ExprId, state: &mut D::State) {
        match *self.facts.expr(place) {
            Expr::Field { base, .. } => drop(self.eval(base, state)),
            Expr::Index { base, key } => {
                self.eval(base, state);
                self.eval(key, state);
            }
            _ => {}
        }
    }

    fn jump(&mut self, expr: ExprId, kind: Jump, value: Option<ExprId>, state: &mut D::State) -> D::Value {
        if kind == Jump::Assert {
            return self.asserted(value, state);
        }
        let given = value.map(|value| (value, self.eval(value, state)));
        let nothing = self.domain.nothing();
        if !self.domain.is_live(state) {
            return nothing;
        }
        match kind {
            Jump::Assert => return nothing,
            Jump::Raise => {
                let raised = given.as_ref().map(|(expr, value)| (*expr, value));
                let handling = self.handling.last().map(|(handler, thrown)| (*handler, thrown));
                let thrown = self.domain.thrown(state, expr, raised, handling);
                self.throw(state, &thrown);
            }
            Jump::Return => {
                let value = given.map_or(nothing.clone(), |(_, value)| value);
                self.leave(Leaving::Return(expr), state.clone(), value);
            }
            Jump::Break(label) => self.leave(Leaving::Break(label), state.clone(), nothing.clone()),
            Jump::Continue(label) => self.leave(Leaving::Continue(label), state.clone(), nothing.clone()),
        }
        *state = self.domain.dead();
        nothing
    }

    /// Can be compiled away with all that it calls, so nothing that happens in it is sure.
    fn asserted(&mut self, value: Option<ExprId>, state: &mut D::State) -> D::Value {
        let mut asked = state.clone();
        if let Some(value) = value {
            self.eval(value, &mut asked);
        }
        self.domain.join(state, &asked);
        self.domain.nothing()
    }
}
