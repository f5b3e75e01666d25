//! Items about what happens before and after the effects of an operation.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Judged, KEEPS, Operation, REACHES_OUT, head, place};
use crate::analysis::{Event, Leaving as Left, Stage, Start, Trail, Trails};
use crate::finding::Place;
use crate::finding::checklist::Verdict;
use crate::ir::{Expr, Jump};
use crate::link::{Edge, EdgeKind, Func, Target};
use crate::rule::check::Context;

/// What the event is called in a sentence.
fn noun(event: &Event) -> String {
    match event {
        Event::Audit => "a record of the audit trail".to_owned(),
        Event::Declaration => "a check of the declaration".to_owned(),
        Event::Named { path, name } => {
            let names: Vec<String> = path.iter().chain(name).map(|name| format!("`{name}`")).collect();
            format!("a call of {}", names.join(" or "))
        }
    }
}

/// The trails of the operations, for the event of one rule.
pub(super) struct Followed<'f, 'c> {
    out: Trails<'f, 'c>,
    kept: Trails<'f, 'c>,
    /// By the caller of tools, where the event is seen in it, if that comes before the effects and after them.
    around: RefCell<FxHashMap<Func, Option<Place>>>,
}

impl<'f, 'c> Followed<'f, 'c> {
    pub fn new(context: &'f Context<'c>, event: &'f Event) -> Self {
        let of = |kinds| Trails::new(context.bodies, context.effects, event, kinds);
        Self { out: of(&REACHES_OUT), kept: of(&KEEPS), around: RefCell::default() }
    }

    fn seen_around(&self, context: &Context<'_>, caller: Func, event: &Event) -> Option<Place> {
        if let Some(known) = self.around.borrow().get(&caller) {
            return *known;
        }
        let trail = self.from(Start { handler: caller, class: context.program.function(caller).class });
        let judged = told(context, trail, caller, event);
        let seen = judged.evidence.first().filter(|_| judged.verdict == Verdict::Pass);
        let seen = seen.map(|evidence| evidence.place);
        self.around.borrow_mut().insert(caller, seen);
        seen
    }

    /// Follows the operation; what it keeps counts only if that is all it does.
    fn trail(&self, operation: &Operation) -> Trail {
        self.from(Start { handler: operation.handler, class: operation.class })
    }

    fn from(&self, start: Start) -> Trail {
        let trail = self.out.follow(start);
        match trail.effects.is_empty() && !trail.given_up {
            true => self.kept.follow(start),
            false => trail,
        }
    }
}

fn no_effect(context: &Context<'_>, handler: Func) -> Judged {
    Judged::unknown(head(context, handler), "no external effect was found behind it")
}

/// The event has happened on every way to an effect.
pub(super) fn before(
    context: &Context<'_>,
    followed: &Followed<'_, '_>,
    operation: &Operation,
    event: &Event,
) -> Judged {
    let trail = followed.trail(operation);
    let noun = noun(event);
    let Some(&effect) = trail.effects.first() else {
        return match trail.given_up {
            true => Judged::given_up(head(context, operation.handler)),
            false => no_effect(context, operation.handler),
        };
    };
    if let Some(&early) = trail.early.first() {
        let text = match trail.seen.is_empty() {
            true => format!("this runs, and nowhere before it stands {noun}"),
            false => format!("this can run without {noun} before it"),
        };
        if trail.given_up {
            return Judged::given_up(place(context, early));
        }
        let judged = Judged::fail(place(context, early), text);
        return match trail.seen.first() {
            Some(&seen) => judged.and(place(context, seen), format!("{noun}, but not on every way")),
            None => judged,
        };
    }
    if let Some(&named) = trail.by_name.first() {
        let text = format!("only the name says that this is {noun}: what it does is not in the tree");
        return Judged::unknown(place(context, named), text);
    }
    if trail.given_up {
        return Judged::given_up(head(context, operation.handler));
    }
    match trail.seen.first() {
        Some(&seen) => Judged::pass(place(context, seen), format!("{noun} comes before every effect"))
            .and(place(context, effect), "the effect"),
        None => Judged::unknown(place(context, effect), "no way was found to this effect"),
    }
}

/// The same as `always`; but of a tool, whoever calls it may see to it.
pub(super) fn always_around(
    context: &Context<'_>,
    followed: &Followed<'_, '_>,
    tool: &Operation,
    event: &Event,
) -> Judged {
    let judged = always(context, followed, tool, event);
    if judged.verdict != Verdict::Fail {
        return judged;
    }
    let program = context.program;
    let calls = |edge: &&Edge| {
        edge.to == Target::Project(tool.handler)
            && edge.kind != EdgeKind::Stored
            && !program.is_test_code(edge.from)
    };
    let callers: BTreeSet<Func> = program.edges.iter().filter(calls).map(|edge| edge.from).collect();
    let seen = |caller: &Func| followed.seen_around(context, *caller, event);
    match callers.first().and_then(seen).filter(|_| callers.iter().all(|caller| seen(caller).is_some())) {
        Some(place) => {
            let text = format!("whoever calls it sees to {} before and after", noun(event));
            Judged::pass(place, text)
        }
        None => judged,
    }
}

/// The event comes before the effects and again after them, on every exit.
pub(super) fn always(
    context: &Context<'_>,
    followed: &Followed<'_, '_>,
    operation: &Operation,
    event: &Event,
) -> Judged {
    told(context, followed.trail(operation), operation.handler, event)
}

fn told(context: &Context<'_>, trail: Trail, handler: Func, event: &Event) -> Judged {
    let noun = noun(event);
    if trail.given_up {
        return Judged::given_up(head(context, handler));
    }
    if trail.effects.is_empty() {
        return no_effect(context, handler);
    }
    let gaps: Vec<(&Left, String)> =
        trail.exits.iter().filter_map(|left| Some((left, gap(context, left, &noun)?))).collect();
    let mut judged: Option<Judged> = None;
    if let Some(&early) = trail.early.first() {
        let text = format!("this runs and {noun} does not come before it");
        judged = Some(Judged::fail(place(context, early), text));
    }
    for (left, text) in gaps {
        let at = place(context, (left.func, left.at));
        judged = Some(match judged {
            None => Judged::fail(at, text),
            Some(judged) if judged.evidence.iter().any(|known| known.place == at) => judged,
            Some(judged) => judged.and(at, text),
        });
    }
    judged.unwrap_or_else(|| match trail.seen.first() {
        Some(&seen) => {
            let text = format!("{noun} comes before the effects, and again on every exit");
            Judged::pass(place(context, seen), text)
        }
        None => Judged::unknown(head(context, handler), "no exit was found behind an effect"),
    })
}

/// What is missing where an operation leaves.
fn gap(context: &Context<'_>, left: &Left, noun: &str) -> Option<String> {
    let leads = |stages: &[Stage]| stages.iter().any(|&stage| left.rows.leads(Stage::Idle, stage));
    let facts = context.program.facts(context.program.function(left.func).file);
    let how = match (left.by_exception, *facts.expr(left.at)) {
        (false, _) => "the operation comes back here",
        (true, Expr::Jump { kind: Jump::Raise, .. }) => "this leaves the operation",
        (true, _) => "an exception from here leaves the operation",
    };
    if leads(&[Stage::Begun, Stage::Broken, Stage::Open]) {
        return Some(format!("{how} after the start was recorded, without {noun} of how it ended"));
    }
    if leads(&[Stage::Bare]) {
        return Some(format!("{how}, and no record tells of it"));
    }
    None
}
