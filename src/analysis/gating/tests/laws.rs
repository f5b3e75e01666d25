//! What has to hold of states and values for a walk to come to the right end: the laws of a lattice.

use proptest::prelude::*;

use crate::analysis::gating::state::State;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId, Subjects};
use crate::ir::VarId;

fn subjects() -> (Subjects, Vec<SubjectId>) {
    let mut subjects = Subjects::default();
    let params = (0..3).map(Subject::Param).chain((0..2).map(|var| Subject::Var(VarId(var))));
    let mut ids: Vec<SubjectId> = params.filter_map(|subject| subjects.id(subject)).collect();
    ids.extend(subjects.part(ids[0], "phase"));
    (subjects, ids)
}

fn gates() -> impl Strategy<Value = Gates> {
    (0u64..16).prop_map(Gates)
}

fn shape() -> impl Strategy<Value = Shape> {
    let ids = subjects().1;
    let plain = prop_oneof![
        Just(Shape::None),
        any::<bool>().prop_map(Shape::Bool),
        (0i64..3).prop_map(Shape::Int),
        prop::sample::select(vec!["", "execution", "planning"]).prop_map(|word| Shape::Text(word.into())),
        prop::option::of(prop::sample::select(ids.clone())).prop_map(Shape::Unknown),
        (any::<bool>(), prop::option::of(prop::sample::select(ids)))
            .prop_map(|(truth, subject)| Shape::Decided(truth, subject)),
    ];
    plain.prop_recursive(2, 8, 3, |inner| {
        let field = (prop::sample::select(vec!["ok", "status"]), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Shape::sequence),
            prop::collection::btree_map(field.0, field.1, 0..2).prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, shape)| (name.into(), shape));
                Shape::record(None, fields.collect())
            }),
        ]
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    (shape(), gates()).prop_map(|(shape, gates)| Outcome { shape, gates })
}

fn value() -> impl Strategy<Value = Value> {
    prop::collection::vec(outcome(), 0..4).prop_map(Value::of)
}

fn some_value() -> impl Strategy<Value = Value> {
    prop::collection::vec(outcome(), 1..4).prop_map(Value::of)
}

fn state() -> impl Strategy<Value = State> {
    prop_oneof![4 => live_state(), 1 => Just(State::dead())]
}

/// With some places set.
fn live_state() -> impl Strategy<Value = State> {
    let places = prop::collection::vec((0usize..6, some_value()), 0..4);
    (gates(), places, any::<bool>()).prop_map(|(passed, places, is_refused)| {
        let (subjects, ids) = subjects();
        let mut state = State::entry(passed);
        for (at, value) in places {
            state.set(ids[at], value, &subjects);
        }
        state.is_refused = is_refused;
        state
    })
}

fn joined(a: &State, b: &State) -> State {
    let mut joined = a.clone();
    joined.join(b);
    joined
}

/// A state as a walk writes it down: what has been passed anyway is not repeated at each place.
fn normal(state: &State) -> State {
    joined(state, state)
}

proptest! {
    #[test]
    fn gates_are_sets(a in gates(), b in gates(), c in gates()) {
        prop_assert_eq!(a.with(b), b.with(a));
        prop_assert_eq!(a.common(b), b.common(a));
        prop_assert_eq!(a.with(b).with(c), a.with(b.with(c)));
        prop_assert_eq!(a.common(b).common(c), a.common(b.common(c)));
        prop_assert_eq!(a.common(b.with(c)), a.common(b).with(a.common(c)));
        prop_assert_eq!(a.with(a.common(b)), a);
        prop_assert_eq!((a.with(Gates::NONE), a.common(Gates::ALL)), (a, a));
        prop_assert_eq!(a.without(b).common(b), Gates::NONE);
        prop_assert_eq!(a.without(b).with(a.common(b)), a);
        prop_assert!(a.with(b).has(a) && a.has(a.common(b)));
        prop_assert_eq!(a.atoms().count(), a.0.count_ones() as usize);
    }

    #[test]
    fn equality_has_no_sides(a in shape(), b in shape()) {
        prop_assert_eq!(a.equals(&b), b.equals(&a));
        prop_assert!(a.equals(&a) != Some(false));
    }

    #[test]
    fn a_value_is_one_or_the_other(a in value(), b in value(), c in value()) {
        prop_assert_eq!(a.or(&b), b.or(&a));
        prop_assert_eq!(a.or(&a), a.clone());
        let (left, right) = (a.or(&b).or(&c), a.or(&b.or(&c)));
        // Who gives up first may differ, what is guaranteed may not.
        prop_assert_eq!(left.least(), right.least());
        if a.outcomes().len() + b.outcomes().len() + c.outcomes().len() <= 4 {
            prop_assert_eq!(left, right);
        }
    }

    #[test]
    fn a_test_parts_a_value(a in value()) {
        let (yes, no) = (a.when(true), a.when(false));
        prop_assert_eq!(yes.or(&no), a.clone());
        prop_assert!(yes.outcomes().iter().all(|outcome| outcome.shape.truth() != Some(false)));
        prop_assert_eq!(a.negated().when(true).least(), no.least());
    }

    #[test]
    fn passing_more_guarantees_more(a in value(), gates in gates()) {
        let behind = a.behind(gates);
        prop_assert!(a.least().zip(behind.least()).is_none_or(|(a, behind)| behind == a.with(gates)));
    }

    #[test]
    fn join_is_that_of_a_lattice(a in state(), b in state(), c in state()) {
        prop_assert_eq!(joined(&a, &b), joined(&b, &a));
        prop_assert_eq!(normal(&normal(&a)), normal(&a));
        prop_assert_eq!(joined(&a, &State::dead()), a.clone());
        prop_assert_eq!(joined(&State::dead(), &a), a.clone());
        let (left, right) = (joined(&joined(&a, &b), &c), joined(&a, &joined(&b, &c)));
        prop_assert_eq!(left.passed, right.passed);
        prop_assert_eq!((left.is_live, left.is_refused), (right.is_live, right.is_refused));
        // Adding what is in it already changes nothing.
        let both = joined(&a, &b);
        prop_assert_eq!(joined(&both, &both), both);
    }

    #[test]
    fn a_join_claims_what_both_do(a in state(), b in state()) {
        let both = joined(&a, &b);
        prop_assert_eq!(both.passed, a.passed.common(b.passed));
        prop_assert_eq!(both.is_live, a.is_live || b.is_live);
        for place in subjects().1 {
            for one in [&a, &b].into_iter().filter(|state| state.is_live) {
                let (known, claimed) = (one.get(place).behind(one.passed), both.get(place).behind(both.passed));
                // Whatever the value is on one way, the join says no more of it.
                for outcome in known.outcomes() {
                    let fits = |claim: &&Outcome| claim.shape == outcome.shape
                        || claim.shape == Shape::Unknown(None);
                    let mut claims = claimed.outcomes().iter().filter(fits);
                    prop_assert!(claims.any(|claim| outcome.gates.has(claim.gates)), "{outcome:?} of {claimed:?}");
                }
            }
        }
    }

    #[test]
    fn a_block_that_does_nothing_carries_everybody_past(a in state(), b in state()) {
        let before = joined(&a, &b);
        prop_assert_eq!(a.carried(&before, &before).passed, a.passed);
        for place in subjects().1 {
            prop_assert_eq!(a.carried(&before, &before).get(place), a.get(place));
        }
    }

    #[test]
    fn a_block_that_sets_a_place_sets_it_for_everybody(
        a in live_state(), b in live_state(), to in some_value(), more in gates(),
    ) {
        let (subjects, ids) = subjects();
        let before = joined(&a, &b);
        let mut after = before.clone();
        after.set(ids[1], to, &subjects);
        after.passed = after.passed.with(more);
        let carried = a.carried(&before, &after);
        prop_assert_eq!(carried.passed, a.passed.with(more.without(before.passed)));
        if before.get(ids[1]) != after.get(ids[1]) {
            prop_assert_eq!(carried.get(ids[1]), after.get(ids[1]));
        }
    }

    #[test]
    fn what_is_forgotten_settles(states in prop::collection::vec(state(), 1..8)) {
        let mut head = State::dead();
        for _ in 0..2 {
            for state in &states {
                head.join(state);
                head.forget();
            }
        }
        let settled = head.clone();
        for state in &states {
            head.join(state);
            head.forget();
            prop_assert_eq!(&head, &settled);
        }
    }
}
