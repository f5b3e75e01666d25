//! The worklist: which functions are walked, and again when something that they read has changed. Callees come before their
//! callers, so that most are walked once.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::labels::Origin;
use super::model::Model;
use super::tables::{Cell, Event, Outcome, Summary, Tables, Taker};
use super::walk::Walk;
use crate::analysis::components::components;
use crate::analysis::interp::interpret;
use crate::analysis::values::Values;
use crate::finding::Confidence;
use crate::ir::Expr;
use crate::link::{EdgeKind, Func, Target};

/// After so many walks of a function its summary only grows, so that the end is near.
const SETTLES_AFTER: u32 = 3;
/// More walks are not worth it.
const MAX_WALKS: u32 = 24;

pub type Events = BTreeMap<Func, Vec<Event>>;

pub fn solve<'p, 'a>(
    model: &Model<'p, 'a>,
    values: &Values<'p, 'a>,
    handlers: &[Func],
) -> (Tables, Events) {
    let program = model.program;
    let callers = Callers::new(model);
    let markers = &model.catalog.fence;
    let folded: Vec<String> = markers.markers.iter().map(|text| text.to_lowercase()).collect();
    let names_marker = program.files_that_name(|text| {
        markers.names_marker(text) || folded.iter().any(|marker| text.to_lowercase().contains(marker.as_str()))
    });
    let mut solver = Solver {
        model,
        values,
        callers,
        names_marker,
        handlers: handlers.iter().copied().collect(),
        tables: Tables::default(),
        events: Events::new(),
        queue: BTreeSet::new(),
        walks: FxHashMap::default(),
        watchers: FxHashMap::default(),
    };
    model.seeds.iter().chain(handlers).for_each(|&func| solver.push(func));
    solver.push_markers();
    solver.run();
    (solver.tables, solver.events)
}

struct Solver<'s, 'p, 'a> {
    model: &'s Model<'p, 'a>,
    values: &'s Values<'p, 'a>,
    callers: Callers,
    /// By file.
    names_marker: Vec<bool>,
    handlers: FxHashSet<Func>,
    tables: Tables,
    events: Events,
    /// In the order of components: whoever is called comes first.
    queue: BTreeSet<(u32, Func)>,
    walks: FxHashMap<Func, u32>,
    watchers: FxHashMap<Cell, FxHashSet<Func>>,
}

impl Solver<'_, '_, '_> {
    fn push(&mut self, func: Func) {
        let is_test = self.model.program.is_test(self.model.program.function(func).file);
        if !is_test && self.walks.get(&func).is_none_or(|&walks| walks < MAX_WALKS) {
            self.queue.insert((self.callers.order[func.0 as usize], func));
        }
    }

    /// What a marker is put into is fenced, also by a function that is given nothing.
    fn push_markers(&mut self) {
        let program = self.model.program;
        let fence = &self.model.catalog.fence;
        for func in (0..program.functions.len() as u32).map(Func) {
            let file = program.function(func).file;
            if !self.names_marker[file.0 as usize] {
                continue;
            }
            let facts = program.facts(file);
            let names = |expr| match *facts.expr(expr) {
                Expr::Field { name, .. } | Expr::Free(name) => fence.names_marker(facts.str(name)),
                Expr::Lit(crate::ir::Lit::Str(text)) => {
                    let text = facts.str(text).to_lowercase();
                    fence.markers.iter().any(|marker| text.contains(&marker.to_lowercase()))
                }
                _ => false,
            };
            if program.ir(func).exprs.iter().any(names) {
                self.push(func);
            }
        }
    }

    fn run(&mut self) {
        while let Some((_, func)) = self.queue.pop_first() {
            *self.walks.entry(func).or_default() += 1;
            let outcome = self.walk(func);
            self.take(func, outcome);
        }
    }

    fn walk(&self, func: Func) -> Outcome {
        let names_marker = self.names_marker[self.model.program.function(func).file.0 as usize];
        let mut walk =
            Walk::new(self.model, self.values, &self.tables, &self.handlers, names_marker, func);
        let entry = walk.entry();
        let (facts, function) = (walk.facts, walk.function());
        interpret(&mut walk, facts, function, &entry);
        walk.finish()
    }

    fn take(&mut self, func: Func, outcome: Outcome) {
        let Outcome { summary, mut events, watched } = outcome;
        for cell in watched {
            self.watchers.entry(cell).or_default().insert(func);
        }
        for event in &mut events {
            match event.taker {
                Taker::Param(callee, param) if self.tables.give(callee, param) => self.push(callee),
                Taker::Cell(cell) if self.tables.cell(cell).1 => self.push_readers(cell),
                _ => {}
            }
        }
        self.events.insert(func, events);
        self.summarise(func, summary);
    }

    fn summarise(&mut self, func: Func, summary: Summary) {
        let known = self.tables.summaries.get(&func).cloned().unwrap_or_default();
        let grown = match self.walks[&func] > SETTLES_AFTER {
            true => known.join(&summary),
            false => summary,
        };
        if grown == known {
            return;
        }
        // Who gives nothing gets back only what is there without.
        let tells = grown.tells();
        let callers: Vec<Func> = self.callers.of(func).iter().map(|&caller| Func(caller)).collect();
        for caller in callers {
            if tells || self.walks.contains_key(&caller) {
                self.push(caller);
            }
        }
        self.tables.summaries.insert(func, grown);
    }

    /// Those who may read what has been put into a place for the first time.
    fn push_readers(&mut self, cell: Cell) {
        let readers: Vec<Func> = self.watchers.get(&cell).into_iter().flatten().copied().collect();
        readers.into_iter().for_each(|func| self.push(func));
        let program = self.model.program;
        match cell {
            Cell::Field(class, name) => {
                for func in (0..program.functions.len() as u32).map(Func) {
                    let own = program.function(func).class.map(|own| program.root_class(own));
                    if own == Some(class) && program.names_field(func, name) {
                        self.push(func);
                    }
                }
            }
            Cell::Own(slot) | Cell::Inner(slot) => {
                let Some(owner) = program.owner_of(slot) else { return };
                program.users_of(owner, slot).into_iter().for_each(|func| self.push(func));
            }
        }
    }
}

impl Summary {
    fn join(&self, other: &Summary) -> Summary {
        let mut outs = self.outs.clone();
        for (param, out) in &other.outs {
            match outs.iter_mut().find(|(own, _)| own == param) {
                Some((_, own)) => *own = own.join(out),
                None => outs.push((*param, out.clone())),
            }
        }
        outs.sort_unstable_by_key(|(param, _)| *param);
        Summary { returns: self.returns.join(&other.returns), outs }
    }

    /// True if a caller learns something from it that gives nothing.
    fn tells(&self) -> bool {
        let all = std::iter::once(&self.returns).chain(self.outs.iter().map(|(_, out)| out));
        let is_news = |origin: Origin| origin.is_own();
        all.into_iter().any(|data| {
            data.marks() != Default::default() || data.total().iter().any(|(origin, _, _)| is_news(origin))
        })
    }
}

/// Who calls whom, and in which order summaries are made.
struct Callers {
    starts: Vec<u32>,
    callers: Vec<u32>,
    order: Vec<u32>,
}

impl Callers {
    fn new(model: &Model<'_, '_>) -> Self {
        let program = model.program;
        let count = program.functions.len();
        let follows = program.edges.iter().filter_map(|edge| match edge.to {
            Target::Project(to)
                if edge.kind != EdgeKind::Stored && edge.confidence >= Confidence::Medium =>
            {
                Some((edge.from.0, to.0))
            }
            _ => None,
        });
        // Edges are sorted by caller.
        let forward: Vec<(u32, u32)> = follows.collect();
        let starts = starts(count, forward.iter().map(|(from, _)| *from));
        let callees = |node: usize| {
            let called = &forward[starts[node] as usize..starts[node + 1] as usize];
            called.iter().map(|(_, to)| *to as usize).collect()
        };
        let mut order = vec![0; count];
        for (at, group) in components(count, callees).into_iter().enumerate() {
            group.into_iter().for_each(|node| order[node] = at as u32);
        }
        let mut backward: Vec<(u32, u32)> = forward.iter().map(|&(from, to)| (to, from)).collect();
        backward.sort_unstable();
        backward.dedup();
        Self {
            starts: self::starts(count, backward.iter().map(|(to, _)| *to)),
            callers: backward.into_iter().map(|(_, from)| from).collect(),
            order,
        }
    }

    fn of(&self, func: Func) -> &[u32] {
        let at = func.0 as usize;
        &self.callers[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Where the entries of each node begin in a list that is sorted by node.
fn starts(count: usize, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    nodes.for_each(|node| starts[node as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}
