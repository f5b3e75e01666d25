//! What holds at a point of a function: the gates that have been passed, what places are known to hold, and which
//! handlers have swallowed a gate's error on the way.

use std::rc::Rc;

use smallvec::SmallVec;

use super::thrown::Gate;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{SubjectId, Subjects};
use crate::ir::ExprId;

/// So many handlers on the way to a place are told apart.
const MAX_SWALLOWED: usize = 32;

#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub is_live: bool,
    /// Passed on every way.
    pub passed: Gates,
    /// Sorted. A place that is not here holds what it is called: its own subject.
    places: Rc<Vec<(SubjectId, Value)>>,
    /// Handlers that took a gate's error on some way.
    pub swallowed: SmallVec<[(ExprId, Gate); 1]>,
    /// Some way leads here without any handler.
    pub is_clean: bool,
    /// On every way a gate has just said no.
    pub is_refused: bool,
}

impl State {
    pub fn entry(passed: Gates) -> Self {
        Self { is_live: true, passed, is_clean: true, ..Self::dead() }
    }

    pub fn dead() -> Self {
        Self {
            is_live: false,
            passed: Gates::ALL,
            places: Rc::default(),
            swallowed: SmallVec::new(),
            is_clean: false,
            is_refused: false,
        }
    }

    pub fn get(&self, place: SubjectId) -> Value {
        match self.places.binary_search_by_key(&place, |&(known, _)| known) {
            Ok(at) => self.places[at].1.clone(),
            Err(_) => own(place),
        }
    }

    /// `place` now holds `value`; whatever was known of its parts was known of another object.
    pub fn set(&mut self, place: SubjectId, value: Value, subjects: &Subjects) {
        let keeps_own_name = value == own(place);
        let has_parts = self.places.iter().any(|&(known, _)| subjects.is_part(known, place));
        if keeps_own_name && !has_parts {
            return;
        }
        let places = Rc::make_mut(&mut self.places);
        places.retain(|&(known, _)| !subjects.is_part(known, place));
        if !keeps_own_name {
            let at = places.partition_point(|&(known, _)| known < place);
            places.insert(at, (place, value));
        }
    }

    pub fn learn(&mut self, value: &Value) {
        match value.least() {
            Some(gates) if self.is_live => self.passed = self.passed.with(gates),
            Some(_) => {}
            None => *self = Self::dead(),
        }
    }

    pub fn join(&mut self, from: &State) {
        if !from.is_live {
            return;
        }
        if !self.is_live {
            *self = from.clone();
            return;
        }
        if !(Rc::ptr_eq(&self.places, &from.places) && self.passed == from.passed) {
            self.join_places(from);
        }
        self.passed = self.passed.common(from.passed);
        from.swallowed.iter().for_each(|&taken| self.swallow(taken));
        self.is_clean |= from.is_clean;
        self.is_refused &= from.is_refused;
    }

    /// A handler takes a gate's refusal.
    pub fn take(&mut self, handler: ExprId, gate: Gate) {
        self.is_clean = false;
        self.swallow((handler, gate));
    }

    /// The latest ones are kept: what an earlier one lets through is let through by these as well.
    fn swallow(&mut self, taken: (ExprId, Gate)) {
        if let Err(at) = self.swallowed.binary_search(&taken) {
            self.swallowed.insert(at, taken);
            if self.swallowed.len() > MAX_SWALLOWED {
                self.swallowed.remove(0);
            }
        }
    }

    /// The gate whose refusal a handler has taken.
    pub fn taken_by(&self, handler: ExprId) -> Option<Gate> {
        self.swallowed.iter().find(|(known, _)| *known == handler).map(|&(_, gate)| gate)
    }

    /// Most joins change nothing, so what stays is not touched.
    fn join_places(&mut self, from: &State) {
        let common = self.passed.common(from.passed);
        let mut changed = Vec::new();
        let (mut ours, mut theirs) = (self.places.iter().peekable(), from.places.iter().peekable());
        loop {
            let place = match (ours.peek(), theirs.peek()) {
                (Some(&&(a, _)), Some(&&(b, _))) => a.min(b),
                (Some(&&(place, _)), None) | (None, Some(&&(place, _))) => place,
                (None, None) => break,
            };
            let a = ours.next_if(|(known, _)| *known == place).map(|(_, value)| value);
            let b = theirs.next_if(|(known, _)| *known == place).map(|(_, value)| value);
            let own = (a.is_none() || b.is_none()).then(|| own(place));
            if let (Some(a), Some(b)) = (a.or(own.as_ref()), b.or(own.as_ref()))
                && !self.says_as_little(a, b, from.passed)
            {
                changed.push((place, plain(a.behind(self.passed).or(&b.behind(from.passed)), common)));
            }
        }
        if !changed.is_empty() {
            replace(Rc::make_mut(&mut self.places), changed);
        }
    }

    /// True if `ours`, which a place holds here, already says no more than what it holds where `passed` has been passed.
    fn says_as_little(&self, ours: &Value, theirs: &Value, passed: Gates) -> bool {
        let common = self.passed.common(passed);
        let is_plain = |outcome: &Outcome| outcome.gates.common(common).is_empty();
        let is_in_ours = |outcome: &Outcome| {
            let same = ours.outcomes().iter().find(|known| known.shape == outcome.shape);
            same.is_some_and(|known| outcome.gates.with(passed).has(known.gates))
        };
        ours.outcomes().iter().all(is_plain)
            && (ours == theirs
                || self.passed == common
                    && ours.is_pending >= theirs.is_pending
                    && theirs.outcomes().iter().all(is_in_ours))
    }

    /// What a block that takes `before` to `after` does to this state, which is one of those that `before` joins.
    pub fn carried(&self, before: &State, after: &State) -> State {
        let mut state = self.clone();
        state.passed = self.passed.with(after.passed.without(before.passed));
        let changed = after.places.iter().filter(|(place, value)| before.get(*place) != *value);
        let changed: Vec<_> = changed.cloned().collect();
        if !changed.is_empty() {
            let places = Rc::make_mut(&mut state.places);
            places.retain(|(known, _)| changed.iter().all(|(place, _)| place != known));
            places.extend(changed);
            places.sort_unstable_by_key(|&(place, _)| place);
        }
        state.is_refused = after.is_refused && self.is_refused;
        state
    }

    /// What has been set may now be anything. Which places that are can only grow, and so can nothing else.
    pub fn forget(&mut self) {
        Rc::make_mut(&mut self.places).iter_mut().for_each(|(_, value)| *value = Value::unknown());
    }
}

/// What a place holds of which nothing is known: what it is called.
fn own(place: SubjectId) -> Value {
    Value::known(Shape::Unknown(Some(place)))
}

/// Puts what has changed, which is sorted, in the place of what was there.
fn replace(places: &mut Vec<(SubjectId, Value)>, changed: Vec<(SubjectId, Value)>) {
    let mut changed = changed.into_iter().peekable();
    let mut replaced = Vec::with_capacity(places.len() + changed.len());
    let put = |to: &mut Vec<_>, (place, value): (SubjectId, Value)| {
        if value != own(place) {
            to.push((place, value));
        }
    };
    for (place, value) in places.drain(..) {
        while let Some(new) = changed.next_if(|(new, _)| *new < place) {
            put(&mut replaced, new);
        }
        match changed.next_if(|(new, _)| *new == place) {
            Some(new) => put(&mut replaced, new),
            None => replaced.push((place, value)),
        }
    }
    changed.for_each(|new| put(&mut replaced, new));
    *places = replaced;
}

/// Gates that have been passed anyway say nothing of a value.
fn plain(value: Value, passed: Gates) -> Value {
    if value.outcomes().iter().all(|outcome| outcome.gates.common(passed).is_empty()) {
        return value;
    }
    let pending = value.is_pending;
    let outcomes = value.outcomes().iter();
    let outcomes = outcomes
        .map(|outcome| Outcome { shape: outcome.shape.clone(), gates: outcome.gates.without(passed) });
    Value::of(outcomes).pending(pending)
}
