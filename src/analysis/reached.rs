//! What runs when an agent acts: the functions that calls lead to from its entry points, each with the best way there. A
//! forward search that goes the ways which `reach` goes backwards from effects, so that what an entry point reaches for one
//! is reached from it for the other. Whoever asks whether an agent reaches a function asks here.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::confidence::Confidence;
use crate::ir::{ExprId, Span};
use crate::link::{Cls, Edge, EdgeKind, Func, Mask, Pick, Program, Receiver, Target};

/// What an entry point is, in the order in which one is named where several would do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EntryKind {
    Tool,
    Handler,
    Planning,
}

/// A function from which an agent acts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EntryPoint {
    pub kind: EntryKind,
    pub func: Func,
    /// As it is registered.
    pub name: Option<String>,
    pub confidence: Confidence,
}

/// What entry points reach.
#[derive(Default)]
pub struct Reached<'p> {
    entries: Vec<EntryPoint>,
    arrivals: Vec<Arrival<'p>>,
    /// By function, the best of its arrivals.
    best: FxHashMap<Func, usize>,
    /// By function, the branches that no way into it takes.
    closed: FxHashMap<Func, Mask>,
}

/// A function, what its calls depend on, and the branches that are not taken: the mirror of the states of `reach`.
type State = (Func, Option<Context>, Mask);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Context {
    /// The class of its object, where a call of its own method depends on that.
    Class(Cls),
    /// The same, where a base class is known.
    Within(Cls),
    /// The call, of this function, that gives the key under which something is looked up.
    Key(ExprId, Func),
}

/// One way into a function.
#[derive(Clone, Copy)]
struct Arrival<'p> {
    state: State,
    confidence: Confidence,
    calls: usize,
    entry: usize,
    /// A library that may run what it holds is on the way.
    is_held: bool,
    /// The last call, and the arrival in the function that makes it.
    by: Option<(&'p Edge, usize)>,
}

/// How a function is reached.
pub struct Way<'r, 'p> {
    pub entry: &'r EntryPoint,
    pub confidence: Confidence,
    /// How many calls away it is.
    pub calls: usize,
    /// The calls, the first first; of a long way the last ones only.
    pub last: Vec<&'p Edge>,
}

/// Of a long way, so many calls at its end are told.
const MAX_TOLD: usize = 50;

impl EntryKind {
    pub const ALL: [EntryKind; 3] = [EntryKind::Tool, EntryKind::Handler, EntryKind::Planning];

    pub fn noun(self) -> &'static str {
        match self {
            EntryKind::Tool => "tool",
            EntryKind::Handler => "comm handler",
            EntryKind::Planning => "planning function",
        }
    }
}

impl EntryPoint {
    /// A function that is asked about for itself.
    pub fn at(func: Func) -> Self {
        Self { kind: EntryKind::Handler, func, name: None, confidence: Confidence::High }
    }
}

impl<'p> Reached<'p> {
    /// By the surest calls, and of equals by the fewest; a callable that is only stored does not run.
    pub fn find(program: &'p Program<'_>, entries: Vec<EntryPoint>) -> Self {
        Self::search(program, entries, None, Confidence::Low, |_, _| Some(Confidence::High))
    }

    /// The same on objects of exactly this class, if there is one, by the calls that `passes` lets pass, at most as sure as it
    /// says. It is told whether a library that may run what it holds is on the way before. `picked` is how sure it is at least that
    /// the entry of a table runs whose key the entry point is given.
    pub fn search(
        program: &'p Program<'_>,
        mut entries: Vec<EntryPoint>,
        class: Option<Cls>,
        picked: Confidence,
        passes: impl Fn(&Edge, bool) -> Option<Confidence>,
    ) -> Self {
        entries.sort_unstable();
        let mut reached = Self { entries, ..Self::default() };
        let mut queue = BinaryHeap::new();
        let mut known: FxHashSet<State> = FxHashSet::default();
        let context = class.map(Context::Class);
        for (entry, EntryPoint { func, confidence, .. }) in reached.entries.iter().enumerate() {
            let (state, confidence) = ((*func, context, 0), *confidence);
            queue.push((confidence, Reverse(0), Reverse(entry)));
            reached.arrivals.push(Arrival { state, confidence, calls: 0, entry, is_held: false, by: None });
        }
        while let Some((.., Reverse(at))) = queue.pop() {
            let Arrival { state, confidence, calls, entry, is_held, .. } = reached.arrivals[at];
            // What holds for any object also holds for one of a class.
            if known.contains(&(state.0, None, 0)) || !known.insert(state) {
                continue;
            }
            reached.best.entry(state.0).or_insert(at);
            let closed = reached.closed.entry(state.0).or_insert(state.2);
            *closed &= state.2;
            for edge in program.edges_from(state.0) {
                let after = after(program, edge, state, picked).filter(|(next, _)| !known.contains(next));
                let Some((state, sure)) = after else { continue };
                let Some(most) = passes(edge, is_held) else { continue };
                let (confidence, calls) = (confidence.min(sure).min(most), calls + 1);
                let is_held = is_held || edge.kind == EdgeKind::Held;
                queue.push((confidence, Reverse(calls), Reverse(reached.arrivals.len())));
                let by = Some((edge, at));
                reached.arrivals.push(Arrival { state, confidence, calls, entry, is_held, by });
            }
        }
        reached
    }

    /// All functions that are reached, in order.
    pub fn functions(&self) -> Vec<Func> {
        let mut functions: Vec<Func> = self.best.keys().copied().collect();
        functions.sort_unstable();
        functions
    }

    /// How surely a function is reached.
    pub fn confidence(&self, func: Func) -> Confidence {
        self.best_of(func).map_or(Confidence::Low, |best| best.confidence)
    }

    pub fn is(&self, func: Func) -> bool {
        self.best_of(func).is_some()
    }

    /// True if a place in a function that is reached stands in no branch that is never taken.
    pub fn takes(&self, program: &Program<'_>, func: Func, place: Span) -> bool {
        let closed = self.closed.get(&func).copied().unwrap_or_default();
        closed == 0 || closed & program.branches.around(func, place) == 0
    }

    /// The entry point that reaches the function best, and the calls from there.
    pub fn way(&self, func: Func) -> Option<Way<'_, 'p>> {
        let mut at = self.best_of(func)?;
        let Arrival { confidence, calls, entry, .. } = *at;
        let mut last = Vec::new();
        while let Some((edge, before)) = at.by.filter(|_| last.len() < MAX_TOLD) {
            last.push(edge);
            at = &self.arrivals[before];
        }
        last.reverse();
        Some(Way { entry: &self.entries[entry], confidence, calls, last })
    }

    /// The entry points, by kind and function.
    pub fn entries(&self) -> &[EntryPoint] {
        &self.entries
    }

    fn best_of(&self, func: Func) -> Option<&Arrival<'p>> {
        self.best.get(&func).map(|&at| &self.arrivals[at])
    }
}

/// The callee's state after `edge` was taken in `state`, and how sure the edge then is; none if nothing of the project runs, an
/// object of this class has another method there, or the key means another entry.
fn after(
    program: &Program<'_>,
    edge: &Edge,
    (func, context, closed): State,
    picked: Confidence,
) -> Option<(State, Confidence)> {
    let (Target::Project(callee), true) = (edge.to, edge.kind != EdgeKind::Stored) else { return None };
    if closed != 0 && closed & program.branches.around(func, program.span(edge.at)) != 0 {
        return None;
    }
    let mut sure = edge.confidence;
    let own = match (edge.receiver, context) {
        (Receiver::SameDispatched, _) => dispatched(program, callee, context)?,
        (Receiver::Same, Some(Context::Class(_) | Context::Within(_))) => context,
        (Receiver::Exact(class), _) => Some(Context::Class(class)),
        (Receiver::Within(class), _) => Some(Context::Within(class)),
        (Receiver::Picked | Receiver::Pooled, Some(Context::Key(call, of))) => {
            match program.picks.of(call, of, callee) {
                Pick::Never => return None,
                Pick::Exact => sure = sure.max(Confidence::Medium),
                Pick::Through if edge.receiver == Receiver::Pooled => sure = sure.max(picked),
                Pick::Any | Pick::Through => {}
            }
            None
        }
        (Receiver::Pooled, None) => {
            sure = sure.max(picked);
            None
        }
        _ => None,
    };
    let own = own.filter(|_| program.depends_on_object(callee));
    let key = || match context {
        Some(Context::Key(..)) if program.picks.hands_on(edge.at.expr, callee) => context,
        _ => Some(Context::Key(edge.at.expr, callee)),
    };
    let next = if program.picks.knows(edge.at.expr, callee) { key() } else { own };
    Some(((callee, next, program.branches.closed(edge.at.expr, callee, closed)), sure))
}

/// What is known of an object after its own method `callee` was called; none if it has another one.
fn dispatched(program: &Program<'_>, callee: Func, context: Option<Context>) -> Option<Option<Context>> {
    let owner = program.function(callee).class;
    Some(match context {
        Some(Context::Class(class)) => program.is_method_of(callee, class).then_some(context)?,
        Some(Context::Within(class)) => {
            let below = owner.filter(|&owner| program.inherits(owner, class)).map(Context::Within);
            program.may_be_method_of(callee, class).then_some(below.or(context))?
        }
        Some(Context::Key(..)) | None => owner.map(Context::Within),
    })
}
