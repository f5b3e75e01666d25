//! The laws of labels: joins only grow, guards take one aspect, summaries follow what they are given.

use proptest::prelude::*;

use super::*;

fn labels() -> impl Strategy<Value = Labels> {
    some_labels(3, 2, 8)
}

/// More than are told apart.
fn many() -> impl Strategy<Value = Labels> {
    some_labels(20, 20, 20)
}

fn some_labels(keys: u32, cells: u32, count: usize) -> impl Strategy<Value = Labels> {
    let origin = prop_oneof![
        Just(Origin::Source(Inflow::Comm)),
        Just(Origin::Source(Inflow::Network)),
        (0..3u32).prop_map(|at| Origin::Param(at, None)),
        (0..2u32, 0..keys).prop_map(|(at, key)| Origin::Param(at, Some(Key::At(key)))),
        (0..cells).prop_map(Origin::Cell),
    ];
    let aspect = prop::sample::select(Aspect::ALL.to_vec());
    let confidence = prop::sample::select(vec![Confidence::Low, Confidence::Medium, Confidence::High]);
    let one = (origin, aspect, confidence, 0..9u32);
    prop::collection::vec(one, 0..count).prop_map(|all| {
        let mut labels = Labels::default();
        for (origin, aspect, confidence, site) in all {
            labels.add(origin, aspect, Word::new(confidence, site));
        }
        labels
    })
}

fn joined(one: &Labels, other: &Labels) -> Labels {
    let mut out = one.clone();
    out.join(other);
    out
}

/// What is known, without the witnesses.
fn known(labels: &Labels) -> Vec<(Origin, Aspect, Confidence)> {
    labels.iter().map(|(origin, aspect, word)| (origin, aspect, word.confidence())).collect()
}

proptest! {
    #[test]
    fn a_join_is_an_upper_bound(a in labels(), b in labels(), c in labels()) {
        prop_assert_eq!(joined(&a, &a), a.clone());
        prop_assert_eq!(known(&joined(&a, &b)), known(&joined(&b, &a)));
        prop_assert_eq!(known(&joined(&joined(&a, &b), &c)), known(&joined(&a, &joined(&b, &c))));
        prop_assert!(!joined(&a, &b).join(&a) && !joined(&a, &b).join(&b));
    }

    #[test]
    fn a_join_of_many_is_an_upper_bound(a in many(), b in many(), c in many()) {
        prop_assert_eq!(known(&joined(&a, &b)), known(&joined(&b, &a)));
        prop_assert!(!joined(&a, &b).join(&a) && !joined(&a, &b).join(&b));
        let all = joined(&joined(&a, &b), &c);
        prop_assert!([&a, &b, &c].into_iter().all(|one| all.covers(one)));
    }

    #[test]
    fn a_join_says_whether_it_learned_something(a in labels(), b in labels()) {
        let mut grown = a.clone();
        prop_assert_eq!(grown.join(&b), known(&grown) != known(&a));
    }

    #[test]
    fn guards_take_one_aspect_of_everything(a in labels(), b in labels()) {
        for aspect in Aspect::ALL {
            prop_assert!(a.clone().without(aspect).iter().all(|(_, other, _)| other != aspect));
            let apart = joined(&a.clone().without(aspect), &a.clone().only(aspect));
            prop_assert_eq!(known(&apart), known(&a));
            let both = joined(&a, &b).without(aspect);
            prop_assert_eq!(known(&both), known(&joined(&a.clone().without(aspect), &b.clone().without(aspect))));
        }
    }

    #[test]
    fn summaries_grow_with_what_they_are_given(summary in labels(), a in labels(), b in labels()) {
        let of = |labels: &Labels| {
            summary.substituted(|at, _| if at == 0 { labels.clone() } else { Labels::default() })
        };
        let mut apart = of(&a);
        apart.join(&of(&b));
        prop_assert_eq!(known(&of(&joined(&a, &b))), known(&apart));
    }

    #[test]
    fn nothing_gets_surer_by_being_weakened(a in labels()) {
        let weak = a.clone().weakened(Confidence::Medium);
        prop_assert!(weak.iter().all(|(_, _, word)| word.confidence() <= Confidence::Medium));
        prop_assert_eq!(joined(&a, &weak), a);
    }
}
