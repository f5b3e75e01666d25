//! From what single places say to one list: what several say of one thing is said once, by the nearest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Candidate, Registered, Way};
use crate::link::{Func, Program};

/// One entry for each name of each function, and one for the functions that one place registers under one name.
pub(super) fn settle(program: &Program<'_>, found: Vec<Candidate>) -> Vec<Registered> {
    let mut by_function: BTreeMap<Func, Vec<Candidate>> = BTreeMap::new();
    for candidate in found {
        by_function.entry(candidate.registered.handler).or_default().push(candidate);
    }
    let mut kept: Vec<Candidate> = by_function.into_values().flat_map(names).collect();
    kept.sort_by_key(|candidate| {
        let Candidate { registered, within, nth, .. } = candidate;
        let Registered { file, kind, handler, class, .. } = *registered;
        (file, *within, kind, registered.name.clone(), class, *nth, handler)
    });
    let mut joined: Vec<Candidate> = Vec::new();
    for candidate in kept {
        match joined.last_mut().filter(|last| is_one(program, last, &candidate)) {
            Some(last) => join(&mut last.registered, candidate.registered),
            None => joined.push(candidate),
        }
    }
    let mut settled: Vec<Registered> = joined.into_iter().map(|candidate| candidate.registered).collect();
    for registered in &mut settled {
        registered.class = registered.class.or(program.function(registered.handler).class);
    }
    settled.sort_by_key(|known| {
        (known.file, known.span.lo, known.span.hi, known.kind, known.name.clone(), known.handler)
    });
    settled
}

/// The names of one function. Where it has a name of its own, the places that do not give one mean that.
fn names(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| {
        let Candidate { registered, way, is_named, .. } = candidate;
        let Registered { framework, confidence, file, span, .. } = registered;
        // A framework that is known says more than the project's words.
        (!is_named, framework.is_none(), Reverse(*way), Reverse(*confidence), *file, span.lo)
    });
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let registered = &candidate.registered;
        let is_same = |known: &&mut Candidate| {
            let known = &known.registered;
            let is_unnamed = !candidate.is_named && known.kind == registered.kind;
            let is_heir = known.class != registered.class;
            !is_heir && (is_unnamed || known.name == registered.name)
        };
        match kept.iter_mut().find(is_same) {
            Some(known) => {
                let known = &mut known.registered;
                known.confidence = known.confidence.max(registered.confidence);
                known.is_comm |= registered.is_comm;
                known.name = known.name.take().or_else(|| registered.name.clone());
                known.annotation = known.annotation.take().or_else(|| registered.annotation.clone());
            }
            None => kept.push(candidate),
        }
    }
    kept
}

/// `_run` and `_arun` of one class, `func` and `coroutine` of one call. What stands in one list is one tool only if it is of one
/// class.
fn is_one(program: &Program<'_>, one: &Candidate, other: &Candidate) -> bool {
    let class = |known: &Candidate| program.function(known.registered.handler).class;
    if one.way <= Way::Listed && (class(one).is_none() || class(one) != class(other)) {
        return false;
    }
    let place = |known: &Candidate| (known.registered.file, known.within, known.registered.kind);
    let has_name = one.registered.name.is_some() || one.registered.class.is_some();
    let is_same =
        one.registered.name == other.registered.name && one.registered.class == other.registered.class;
    place(one) == place(other) && is_same && has_name
}

fn join(one: &mut Registered, other: Registered) {
    if one.handler != other.handler && !one.others.contains(&other.handler) {
        one.others.push(other.handler);
    }
    one.confidence = one.confidence.max(other.confidence);
    one.is_comm |= other.is_comm;
}
