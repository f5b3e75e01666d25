//! One walk over a function, with what is known of the others.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use super::known::Known;
use super::state::State;
use super::summary::Summary;
use super::walk::{Seen, Walk};
use crate::analysis::interp::{Course, interpret_along};
use crate::analysis::outcomes::{Shape, Value};
use crate::analysis::subjects::Subject;
use crate::ir::{Expr, ExprId, Facts, Function};
use crate::link::Func;

/// How a function is walked, if not for anybody who calls it.
#[derive(Clone, Default)]
pub struct Visit<'v> {
    /// What parameters are known to be.
    pub constants: &'v [(u32, Shape)],
    /// How many calls deep that is.
    pub depth: u32,
    /// As if everybody kept to these ways.
    pub course: Course,
}

/// What has been walked so far, in expressions.
#[derive(Default)]
pub struct Effort {
    all: Cell<usize>,
    /// For calls with constants, by the function whose walk asks.
    own: Cell<usize>,
    max_own: Cell<usize>,
    /// The same of all functions that have spent their own.
    shared: Cell<usize>,
    max_shared: usize,
}

/// Calls with constants may lead to many other calls with constants. So many expressions each function may have walked for
/// its own calls, whatever the others cost, ...
const MIN_OWN: usize = 1 << 11;
/// ... and a long one so many times its size.
const MAX_OWN: usize = 16;
/// Functions that need more share what is left: so many times the program, ...
const MAX_SHARED: usize = 1;
/// ... and of a small program more.
const MIN_SHARED: usize = 1 << 17;
const MAX_SHARED_OF_ONE: usize = 1 << 14;

impl Effort {
    /// For a program of so many expressions.
    pub fn for_all(exprs: usize) -> Self {
        Self { max_shared: (exprs * MAX_SHARED).max(MIN_SHARED), ..Self::default() }
    }

    /// For a question about one function.
    pub fn for_one() -> Self {
        Self { max_shared: MAX_SHARED_OF_ONE, ..Self::default() }
    }

    pub fn spent(&self) -> usize {
        self.all.get()
    }

    /// A walk for its own sake begins, of a function of so many expressions.
    fn begin(&self, exprs: usize) {
        self.own.set(0);
        self.max_own.set(MIN_OWN.max(exprs * MAX_OWN));
    }

    fn spend(&self, steps: usize, is_special: bool) {
        self.all.set(self.all.get() + steps);
        if !is_special {
            return;
        }
        let account = if self.own.get() < self.max_own.get() { &self.own } else { &self.shared };
        account.set(account.get() + steps);
    }

    /// True if nothing more is walked for calls with constants in this function.
    pub fn is_special_spent(&self) -> bool {
        self.own.get() >= self.max_own.get() && self.shared.get() >= self.max_shared
    }
}

/// The callees of the calls in a function.
fn callees(facts: &Facts, function: &Function) -> FxHashSet<ExprId> {
    let calls = function.exprs.iter().filter_map(|expr| match *facts.expr(expr) {
        Expr::Call { callee, .. } => Some(callee),
        _ => None,
    });
    calls.collect()
}

/// What the function guarantees, and what was seen in it.
pub fn visit<'a>(known: &Known<'_, 'a>, func: Func, how: &Visit<'_>) -> (Summary, Seen) {
    let program = known.program;
    let facts = program.facts(program.function(func).file);
    if how.depth == 0 {
        known.effort.begin(program.ir(func).exprs.iter().count());
    }
    let (subjects, seen, generators) = Default::default();
    let (callees, depth) = (callees(facts, program.ir(func)), how.depth);
    let (answers, words_only, uses) = Default::default();
    let records = false;
    let mut walk = Walk {
        known,
        func,
        facts,
        subjects,
        depth,
        generators,
        callees,
        uses,
        answers,
        words_only,
        records,
        seen,
    };
    let passed = known.entry(&mut walk.subjects, func);
    let mut entry = State::entry(passed);
    for (at, shape) in how.constants {
        if let Some(place) = walk.subject(Subject::Param(*at)) {
            entry.set(place, Value::known(shape.clone()), &walk.subjects);
        }
    }
    let steps = interpret_along(&mut walk, facts, program.ir(func), &entry, &how.course);
    known.effort.spend(steps, how.depth > 0);
    let answer = walk.handed_back_answer();
    let Walk { subjects, seen, .. } = walk;
    // What held on entry is no merit of the function.
    let own = Value::of(seen.returns.iter().cloned()).outcomes().to_vec().into_iter().map(|mut outcome| {
        outcome.gates = outcome.gates.without(passed);
        outcome
    });
    let yields = match program.ir(func).is_generator {
        true => seen.yields,
        false => seen.begun.filter(|gates| !gates.is_empty()),
    };
    let yields = yields.map(|gates| gates.without(passed));
    // Whoever calls it gets what stands around it.
    if known.is_cut_off(func) {
        return (Summary::unknown(), seen);
    }
    let summary = Summary::new(Value::of(own.collect::<Vec<_>>()), yields, seen.raises.clone(), &subjects);
    (summary.answering(answer), seen)
}
