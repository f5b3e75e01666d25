//! What a project registers, with what each handler can reach and the gates before it. Made of what rules look at, so that
//! the inventory never says something else than they do.

pub(super) mod access;
mod effects;
mod gates;
mod given;
mod targets;
mod unknown;

use rustc_hash::FxHashSet;

use self::effects::{Finder, Found, Handler};
use super::Context;
use super::shared::Shared;
use super::skills::skills;
use super::via::via;
use crate::analysis::{EntryKind, Registered, wrappers};
use crate::catalog::RegistrationKind;
use crate::finding::{Confidence, Place};
use crate::inventory::{Class, Kind, Listed, Other, Table};
use crate::link::{EdgeKind, Func, Program, Target};
use crate::parallel;

/// Everything that is registered outside tests, in the order of the places where it is, and what is written down of tools; with
/// the planning functions, if they are asked for.
pub fn inventory(context: &Context<'_>, has_planning: bool) -> Table {
    let shared = Shared::new(context);
    let guarded = shared.guarded(context);
    let program = context.program;
    let classes = shared.classes(context);
    let shown = context.registered.iter().enumerate().filter(|(_, known)| known.is_production(program));
    let registered = shown.map(|(nth, known)| Row::Registered(known, classes.of(nth)));
    let planning = context.planning.iter().filter(|func| has_planning && !program.is_test_code(**func));
    let mut rows: Vec<Row<'_>> = registered.chain(planning.map(|&func| Row::Planning(func))).collect();
    rows.sort_by_key(|row| row.place(program));
    let starts =
        rows.iter().flat_map(Row::runs).flat_map(|func| [func].into_iter().chain(around(program, func)));
    let finder = Finder::new(context, &guarded, starts);
    let mut open = vec![0; program.functions.len()];
    let unresolved = program.calls.iter().filter(|call| call.may_run_more());
    unresolved.for_each(|call| open[call.from.0 as usize] += 1);
    let listed = parallel::map(rows, |row| listed(context, &finder, &open, &row));
    Table { listed, written: classes.said().clone(), skills: skills(context) }
}

/// What is listed.
enum Row<'r> {
    Registered(&'r Registered, Option<&'r Class>),
    Planning(Func),
}

impl Row<'_> {
    /// What runs first, and what runs in its place.
    fn runs(&self) -> Vec<Func> {
        match self {
            Row::Registered(known, _) => [known.handler].iter().chain(&known.others).copied().collect(),
            Row::Planning(func) => vec![*func],
        }
    }

    fn place(&self, program: &Program<'_>) -> Place {
        match self {
            Row::Registered(known, _) => Place { file: known.file, span: known.span },
            Row::Planning(func) => head(program, *func).place,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Row::Registered(known, _) => match known.kind {
                RegistrationKind::Command => Kind::Command,
                RegistrationKind::Tool => Kind::Tool,
            },
            Row::Planning(_) => Kind::Planner,
        }
    }
}

fn head(program: &Program<'_>, func: Func) -> Other {
    let info = program.function(func);
    Other {
        function: info.path.to_string(),
        place: Place { file: info.file, span: program.ir(func).name_span },
    }
}

fn listed(context: &Context<'_>, finder: &Finder<'_, '_>, open: &[usize], row: &Row<'_>) -> Listed {
    let program = context.program;
    let runs = row.runs();
    let (registered, class) = match *row {
        Row::Registered(known, class) => (Some(known), class),
        Row::Planning(_) => (None, None),
    };
    let confidence = registered.map_or(Confidence::High, |known| known.confidence);
    let object = registered.and_then(|known| known.class);
    let closed = registered.map_or(&[][..], |known| &known.closed);
    let around: Vec<Func> = runs.iter().flat_map(|&func| around(program, func)).collect();
    let handler = Handler { runs: &runs, around: &around, closed, class: object, confidence };
    let Found { effects, gates, unknown } = finder.of(&handler);
    let Other { function, place: handler } = head(program, runs[0]);
    Listed {
        kind: row.kind(),
        framework: registered.and_then(|known| known.framework.clone()),
        name: registered.map_or_else(|| Some(program.short_name(runs[0])), |known| known.name.clone()),
        function,
        handler,
        others: runs[1..].iter().map(|&func| head(program, func)).collect(),
        description: description(program, runs[0]),
        registered: row.place(program),
        confidence,
        entry: registered.map_or(Some(EntryKind::Planning), Registered::entry),
        via: via(context, runs[0]),
        effects,
        gates,
        unresolved: unresolved(program, open, runs.iter().copied()),
        unknown,
        class: class.cloned(),
    }
}

/// What the project's decorators put in the place of a function: it runs when the function is called.
fn around(program: &Program<'_>, func: Func) -> Vec<Func> {
    wrappers(program, func).into_iter().flat_map(|wrapper| wrapper.inside).collect()
}

/// The first line of what a function says of itself.
fn description(program: &Program<'_>, func: Func) -> Option<String> {
    let said = program.said_by(func)?;
    let first = said.trim().lines().next().map(str::trim_end)?;
    (!first.is_empty()).then(|| first.to_owned())
}

/// The calls that these functions reach and that may run more than is known; `open` says how many are in each function.
fn unresolved(program: &Program<'_>, open: &[usize], from: impl Iterator<Item = Func>) -> usize {
    let mut seen: FxHashSet<Func> = from.collect();
    let mut work: Vec<Func> = seen.iter().copied().collect();
    let mut found = 0;
    while let Some(func) = work.pop() {
        found += open[func.0 as usize];
        let edges = program.edges_from(func).iter();
        let sure =
            edges.filter(|edge| edge.kind != EdgeKind::Stored && edge.confidence >= Confidence::Medium);
        work.extend(sure.filter_map(|edge| match edge.to {
            Target::Project(to) if seen.insert(to) => Some(to),
            _ => None,
        }));
    }
    found
}
