//! From what single places say to one list: what several say of one thing is said once, by the nearest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Candidate, Registered};
use crate::link::{Func, Program};

/// One entry for each name of each function, and one for the functions that one place registers under one name.
pub(super) fn settle(program: &Program<'_>, found: Vec<Candidate>) -> Vec<Registered> {
    let mut by_function: BTreeMap<Func, Vec<Candidate>> = BTreeMap::new();
    for candidate in found {
        by_function.entry(candidate.registered.handler).or_default().push(candidate);
    }
    let mut kept: Vec<Candidate> = by_function.into_values().flat_map(names).collect();
    kept.sort_by_key(|candidate| {
        let Registered { file, span, kind, handler, .. } = candidate.registered;
        let name = candidate.registered.name.clone();
        (file, span.lo, span.hi, kind, name, candidate.nth, handler)
    });
    let mut settled: Vec<Registered> = Vec::new();
    for Candidate { registered, .. } in kept {
        match settled.last_mut().filter(|last| is_one(last, &registered)) {
            Some(last) => join(last, registered),
            None => settled.push(registered),
        }
    }
    for registered in &mut settled {
        registered.class = registered.class.or(program.function(registered.handler).class);
    }
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
            }
            None => kept.push(candidate),
        }
    }
    kept
}

/// `_run` and `_arun` of one class, `func` and `coroutine` of one call.
fn is_one(one: &Registered, other: &Registered) -> bool {
    let place = |known: &Registered| (known.file, known.span.lo, known.span.hi, known.kind);
    let has_name = one.name.is_some() || one.class.is_some();
    place(one) == place(other) && one.name == other.name && has_name
}

fn join(one: &mut Registered, other: Registered) {
    if one.handler != other.handler && !one.others.contains(&other.handler) {
        one.others.push(other.handler);
    }
    one.confidence = one.confidence.max(other.confidence);
    one.is_comm |= other.is_comm;
}
