//! The order of tools in a session: whether a tool that reaches outside may run after one that brought internal data in. A
//! typestate over the path interpreter, callees first: for each function the sources that may have run when it comes back, and
//! the external tools that run in whatever state its caller was. Which session a call belongs to is a key (`keys`), so that
//! a new session is clean; where a mark that internal data was read is tested, the way without the mark is clean, too.

mod calls;
mod domain;
mod keys;
mod marks;
mod plans;
mod settle;
mod state;
mod tools;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::tools::{Role, Tool, ToolId, Tools};

use self::calls::Calls;
use self::keys::Keys;
use self::settle::settle;
use self::state::Source;
use super::components::components;
use super::values::Values;
use crate::catalog::SessionWords;
use crate::ir::{ExprId, Sym};
use crate::link::{Func, Meant, Memo, Program, Target};

/// An external tool that may run after a source, in one session.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Contaminated {
    /// Where the external tool is called, or stands in a plan.
    pub func: Func,
    pub at: ExprId,
    pub tool: ToolId,
    pub source: Source,
}

/// How a program runs the tools of its sessions.
#[derive(Debug, Default)]
pub struct Sessions {
    /// In the order of the places; at most one for each.
    pub contaminated: Vec<Contaminated>,
    /// Functions that refuse once internal data was read.
    pub blocks: BTreeSet<Func>,
    /// Calls by which a plan is validated before it runs.
    pub checks: BTreeSet<(Func, ExprId)>,
}

/// What a program does with tools of both roles; nothing if it has not both.
pub fn sessions(values: &Values<'_, '_>, tools: &Tools) -> Sessions {
    if !tools.meet() {
        return Sessions::default();
    }
    let order = Order::new(values, tools);
    let mut found = settle(&order, &BTreeSet::new());
    if !found.marks.is_empty() {
        // What marks a session is known only once all is read.
        let marks = std::mem::take(&mut found.marks);
        found = settle(&order, &marks);
    }
    found.plans.retain(|(_, plan), _| !found.validated.contains(plan));
    let planned = found.plans.iter().flat_map(|(&(func, plan), _)| order.planned(func, plan));
    let all = planned.chain(std::mem::take(&mut found.reports).into_values());
    let by_place: BTreeMap<(Func, ExprId), Contaminated> = all.map(|it| ((it.func, it.at), it)).collect();
    Sessions { contaminated: by_place.into_values().collect(), blocks: found.blocks, checks: found.checks }
}

/// The program as this analysis sees it.
struct Order<'o, 'p, 'a> {
    values: &'o Values<'p, 'a>,
    program: &'p Program<'a>,
    words: &'p SessionWords,
    tools: &'o Tools,
    calls: Calls<'o, 'p, 'a>,
    keys: Keys<'o, 'p, 'a>,
    /// Functions that lead to a tool or stand beside a plan or a mark, callees first.
    groups: Vec<Vec<Func>>,
    /// Names that are called like marks.
    marks: Meant,
    /// Those of them that tell nothing.
    never_set: BTreeSet<Sym>,
    /// What names were bound to that are read again and again.
    plans: Memo<(Func, ExprId), Option<ExprId>>,
}

/// What the walks have found.
#[derive(Default)]
struct Found {
    reports: BTreeMap<(Func, ExprId), Contaminated>,
    plans: BTreeMap<(Func, ExprId), ()>,
    validated: FxHashSet<ExprId>,
    /// Names of what is set once internal data was read.
    marks: BTreeSet<Sym>,
    blocks: BTreeSet<Func>,
    checks: BTreeSet<(Func, ExprId)>,
}

impl<'o, 'p, 'a> Order<'o, 'p, 'a> {
    fn new(values: &'o Values<'p, 'a>, tools: &'o Tools) -> Self {
        let program = values.program;
        let words = &values.catalog.sessions;
        let calls = Calls::new(values, tools);
        let keys = Keys::new(values);
        let (marks, never_set) = (program.meant(|text| words.marks(text)), BTreeSet::new());
        let (empty, plans) = (Vec::new(), Memo::default());
        let mut order =
            Self { values, program, words, tools, calls, keys, groups: empty, marks, never_set, plans };
        order.never_set = marks::never_set(&order);
        let mut telling = order.calls.functions(program);
        telling.extend(order.beside_words());
        order.groups = groups(program, &telling);
        order
    }
}

impl Found {
    fn merge(&mut self, other: Found) {
        for (place, report) in other.reports {
            self.report(place, report);
        }
        self.plans.extend(other.plans);
        self.validated.extend(other.validated);
        self.marks.extend(other.marks);
        self.blocks.extend(other.blocks);
        self.checks.extend(other.checks);
    }

    /// Of several reports at one place the least stays.
    fn report(&mut self, place: (Func, ExprId), report: Contaminated) {
        let known = self.reports.entry(place).or_insert_with(|| report.clone());
        *known = report.min(known.clone());
    }
}

/// The functions that lead to these, in strongly connected components, callees first.
fn groups(program: &Program<'_>, telling: &BTreeSet<Func>) -> Vec<Vec<Func>> {
    let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
    for edge in &program.edges {
        if let Target::Project(target) = edge.to {
            callers.entry(target).or_default().push(edge.from);
        }
    }
    let mut meant: BTreeSet<Func> = BTreeSet::new();
    let mut todo: Vec<Func> = telling.iter().copied().collect();
    while let Some(func) = todo.pop() {
        if !program.is_test_code(func) && meant.insert(func) {
            todo.extend(callers.get(&func).into_iter().flatten());
        }
    }
    let meant: Vec<Func> = meant.into_iter().collect();
    let number: FxHashMap<Func, usize> = meant.iter().enumerate().map(|(nth, func)| (*func, nth)).collect();
    let next = |nth: usize| -> Vec<usize> {
        let called = program.edges_from(meant[nth]).iter().filter_map(|edge| match edge.to {
            Target::Project(target) => number.get(&target).copied(),
            Target::External(_) => None,
        });
        called.collect()
    };
    let groups = components(meant.len(), next).into_iter();
    groups.map(|group| group.into_iter().map(|nth| meant[nth]).collect()).collect()
}
