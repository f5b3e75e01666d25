//! The worklist: which functions are walked, and again when something that they read has changed. Callees come before their
//! callers. Each function has a budget of its own.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::callers::Callers;
use super::data::Data;
use super::labels::{Labels, Origin};
use super::model::Model;
use super::spread::Spread;
use super::tables::{Cell, Event, Outcome, Summary, Tables, Taker};
use super::walk::Walk;
use crate::analysis::interp::interpret;
use crate::analysis::values::Values;
use crate::ir::{Expr, ExprId, FnKind};
use crate::link::{Cls, Func};

/// After so many walks of a function its summary only grows, so that the end is near.
const SETTLES_AFTER: u32 = 3;
/// The budget of one function. It is its own: what walks of other functions cost takes nothing from it, so that no code beside
/// a handler keeps content from being followed through that handler, and the cost stays linear in the program.
const MAX_WALKS: u32 = 64;

pub type Events = BTreeMap<Func, Vec<Event>>;

/// Where content gets.
pub struct Solved {
    pub tables: Tables,
    pub spread: Spread,
    pub events: Events,
    /// Functions that were to be walked once more than their budget allows; sorted.
    pub unfollowed: Vec<Func>,
}

pub fn solve<'p, 'a>(
    model: &Model<'p, 'a>,
    callers: &Callers,
    values: &Values<'p, 'a>,
    handlers: &[Func],
) -> Solved {
    let program = model.program;
    let markers = &model.catalog.fence;
    let folded: Vec<String> = markers.markers.iter().map(|text| text.to_lowercase()).collect();
    let names_marker = program.files_that_name(|text| {
        markers.names_marker(text)
            || folded.iter().any(|marker| text.to_lowercase().contains(marker.as_str()))
    });
    let mut solver = Solver {
        model,
        values,
        callers,
        tables: Tables::new(handlers, names_marker),
        events: Events::new(),
        spread: Spread::default(),
        queue: BTreeSet::new(),
        walks: FxHashMap::default(),
        unsettled: FxHashSet::default(),
        members: program.members_by_root(),
    };
    model.seeds.iter().chain(handlers).for_each(|&func| solver.push(func));
    solver.push_markers();
    solver.run();
    let mut unfollowed: Vec<Func> =
        solver.unsettled.iter().copied().filter(|&func| solver.is_open(func)).collect();
    unfollowed.sort_unstable();
    Solved { tables: solver.tables, spread: solver.spread, events: solver.events, unfollowed }
}

struct Solver<'s, 'p, 'a> {
    model: &'s Model<'p, 'a>,
    values: &'s Values<'p, 'a>,
    callers: &'s Callers,
    tables: Tables,
    events: Events,
    spread: Spread,
    /// Whoever is called comes first.
    queue: BTreeSet<(u32, Func)>,
    walks: FxHashMap<Func, u32>,
    /// Those that were to be walked once more than that.
    unsettled: FxHashSet<Func>,
    /// The functions of classes, by the class at the top of their hierarchy.
    members: FxHashMap<Cls, Vec<Func>>,
}

impl Solver<'_, '_, '_> {
    fn push(&mut self, func: Func) {
        let is_test = self.model.program.is_test_code(func);
        if is_test {
            return;
        }
        if self.walks.get(&func).is_some_and(|&walks| walks >= MAX_WALKS) {
            self.unsettled.insert(func);
        } else {
            self.queue.insert((self.callers.order[func.0 as usize], func));
        }
    }

    /// True if content from outside gets to a function that was to be walked once more, and it would tell something new.
    fn is_open(&self, func: Func) -> bool {
        if !self.is_reached(func) {
            return false;
        }
        let Outcome { summary, events } = walk(self.model, self.values, &self.tables, func, &[]);
        let known = self.tables.summaries.get(&func).cloned().unwrap_or_default();
        let told = self.events.get(&func).map_or(&[][..], Vec::as_slice);
        let is_told = |event: &Event| {
            let mut same = told.iter().filter(|told| told.at == event.at && told.taker == event.taker);
            same.any(|told| told.labels.covers(&event.labels))
        };
        known.join(&summary) != known || !events.iter().all(is_told)
    }

    /// True if content from outside gets to the function: it is in what it hands on, or in what it hands back.
    fn is_reached(&self, func: Func) -> bool {
        let is_reached = |labels: &Labels| self.spread.is_reached(func, labels, &self.tables);
        let summary = self.tables.summaries.get(&func).into_iter();
        let mut told = summary.flat_map(Summary::told);
        let mut events = self.events.get(&func).into_iter().flatten();
        told.any(|data| is_reached(&data.total())) || events.any(|event| is_reached(&event.labels))
    }

    /// What a marker is put into is fenced, also by a function that is given nothing.
    fn push_markers(&mut self) {
        let program = self.model.program;
        let fence = &self.model.catalog.fence;
        for func in (0..program.functions.len() as u32).map(Func) {
            let file = program.function(func).file;
            if !self.tables.names_marker[file.0 as usize] {
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

    /// In waves: all that is known to be given content is walked, and what they hand on together makes the next wave.
    fn run(&mut self) {
        while !self.queue.is_empty() && !self.model.program.is_over() {
            let walked = self.wave();
            for taker in self.spread.settle(&walked, &self.events, &self.tables) {
                match taker {
                    Taker::Param(callee, param, part) if self.tables.give(callee, param, part) => {
                        self.push(callee)
                    }
                    Taker::Cell(cell) if self.tables.is_new(cell, self.is_inferred(cell)) => {
                        self.push_readers(cell)
                    }
                    _ => {}
                }
            }
        }
    }

    /// Who was walked, with the events of the walk before.
    fn wave(&mut self) -> Events {
        let mut walked = Events::new();
        while !self.model.program.is_over()
            && let Some((_, func)) = self.queue.pop_first()
        {
            *self.walks.entry(func).or_default() += 1;
            let Outcome { summary, events } = walk(self.model, self.values, &self.tables, func, &[]);
            let before = self.events.insert(func, events).unwrap_or_default();
            walked.entry(func).or_insert(before);
            self.summarise(func, summary);
        }
        walked
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

    /// A variable of a function is that of one call; others are shared by whoever uses them.
    fn is_inferred(&self, cell: Cell) -> bool {
        let program = self.model.program;
        let (Cell::Own(slot) | Cell::Inner(slot)) = cell else { return true };
        program.owner_of(slot).is_none_or(|owner| program.ir(owner.func).kind == FnKind::Module)
    }

    /// Those who may read what has been put into a place for the first time.
    fn push_readers(&mut self, cell: Cell) {
        let program = self.model.program;
        let readers = match cell {
            Cell::Field(class, name) => {
                let members = self.members.get(&class).into_iter().flatten().copied();
                members.filter(|&func| program.names_field(func, name)).collect()
            }
            Cell::Own(slot) | Cell::Inner(slot) => {
                let Some(owner) = program.owner_of(slot) else { return };
                if program.ir(owner.func).kind == FnKind::Module {
                    self.tables.global_names.insert(program.name_of(owner));
                }
                program.users_of(owner, slot)
            }
        };
        readers.into_iter().for_each(|func| self.push(func));
    }
}

/// One walk, with what is known of the others. `asked` are expressions whose labels are told as well.
pub fn walk<'p, 'a>(
    model: &Model<'p, 'a>,
    values: &Values<'p, 'a>,
    tables: &Tables,
    func: Func,
    asked: &[ExprId],
) -> Outcome {
    let mut walk = Walk::new(model, values, tables, func, asked);
    let entry = walk.entry();
    let (facts, function) = (walk.facts, walk.function());
    interpret(&mut walk, facts, function, &entry);
    walk.finish()
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

    /// What a caller gets: what comes back, and what is put into what it gave.
    fn told(&self) -> impl Iterator<Item = &Data> {
        std::iter::once(&self.returns).chain(self.outs.iter().map(|(_, out)| out))
    }

    /// True if a caller learns something from it that gives nothing.
    fn tells(&self) -> bool {
        let is_news = |origin: Origin| origin.is_own();
        self.told().any(|data| {
            data.marks() != Default::default() || data.total().iter().any(|(origin, _, _)| is_news(origin))
        })
    }
}
