//! What is put into parameters and shared places, over the whole program: the events of all walks as one graph. Each label
//! that gets to a place keeps the event that brought it, so that its way can be told. It grows with each walk, and says who
//! has to be walked next: most of what one function could hand on is never given anything.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::labels::{Aspect, Inflow, Key, Labels, Origin, Word};
use super::solve::Events;
use super::tables::{Cell, Event, Part, Tables, Taker};
use crate::finding::Confidence;
use crate::link::{At, Func};

/// A parameter, or a shared place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Node {
    Param(Func, u32, Part),
    Cell(Cell),
}

/// A place where content is handed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    pub at: At,
    /// The function that is given it; without one it is kept where others find it.
    pub into: Option<Func>,
}

/// The event that brought a label, and whose label it was there.
#[derive(Clone, Copy, Debug)]
struct Brought {
    at: At,
    from: Option<Node>,
    /// How many have handed it on.
    hops: u32,
}

#[derive(Default, Debug)]
pub struct Spread {
    labels: FxHashMap<Node, Labels>,
    brought: FxHashMap<(Node, Origin, Aspect), Brought>,
    /// Whose events speak of a cell.
    readers: FxHashMap<Cell, BTreeSet<Func>>,
}

/// No way is longer: nobody follows content over more hands, and in a big program it gets everywhere.
const MAX_HOPS: u32 = 8;

/// A source, its word, and the node that it comes through.
type Behind = SmallVec<[(Inflow, Word, Option<Node>); 4]>;

impl Spread {
    /// Takes in the events of a function that was walked, and all that follows from them: those who get content for the
    /// first time.
    pub fn settle(&mut self, func: Func, events: &Events, tables: &Tables) -> Vec<Taker> {
        for (origin, ..) in events.get(&func).into_iter().flatten().flat_map(|event| event.labels.iter()) {
            if let Origin::Cell(cell) = origin {
                self.readers.entry(tables.cell(cell)).or_default().insert(func);
            }
        }
        let (mut news, mut work) = (Vec::new(), BTreeSet::from([func]));
        while let Some(func) = work.pop_first() {
            for event in events.get(&func).into_iter().flatten() {
                let Some(node) = node_of(&event.taker) else { continue };
                let is_news = !self.labels.contains_key(&node);
                if !self.bring(func, event, node, tables) {
                    continue;
                }
                if is_news {
                    news.push(event.taker.clone());
                }
                match node {
                    Node::Param(callee, ..) => drop(work.insert(callee)),
                    Node::Cell(cell) => work.extend(self.readers.get(&cell).into_iter().flatten()),
                }
            }
        }
        news
    }

    /// True if the node learned something.
    fn bring(&mut self, func: Func, event: &Event, node: Node, tables: &Tables) -> bool {
        let mut grown = false;
        for (origin, aspect, word) in event.labels.iter() {
            for (source, word, from) in self.behind(func, origin, aspect, word, tables) {
                // What is less sure is not worth telling.
                if word.confidence() == Confidence::Low {
                    continue;
                }
                let origin = Origin::Source(source);
                let before = from.and_then(|from| self.brought.get(&(from, origin, aspect)));
                let hops = before.map_or(1, |before| before.hops + 1);
                let known = self.brought.get(&(node, origin, aspect));
                let is_shorter = known.is_none_or(|known| hops < known.hops);
                if hops > MAX_HOPS {
                    continue;
                }
                let is_surer = self.labels.entry(node).or_default().add(origin, aspect, word);
                if is_surer || is_shorter {
                    self.brought.insert((node, origin, aspect), Brought { at: event.at, from, hops });
                    grown = true;
                }
            }
        }
        grown
    }

    /// The sources behind a label, each with the node it comes through.
    fn behind(&self, func: Func, origin: Origin, aspect: Aspect, word: Word, tables: &Tables) -> Behind {
        let mut found = Behind::new();
        if let Origin::Source(source) = origin {
            found.push((source, word, None));
        }
        for node in nodes_behind(func, origin, tables) {
            let known = self.labels.get(&node).into_iter().flat_map(Labels::iter);
            for (behind, _, own) in known.filter(|(_, other, _)| *other == aspect) {
                let Origin::Source(source) = behind else { continue };
                let is_inferred = matches!(origin, Origin::Cell(cell) if tables.is_inferred(cell));
                let is_row = source == Inflow::Storage;
                let own = if is_inferred || is_row { own.inferred() } else { own };
                if own.confidence() > Confidence::Low {
                    found.push((source, own.weakened(word.confidence()), Some(node)));
                }
            }
        }
        found
    }

    /// The surest label of an event that is of one of `sources`, and the way that it took.
    pub fn trace(
        &self,
        func: Func,
        event: &Event,
        sources: &[Inflow],
        aspect: Aspect,
        tables: &Tables,
    ) -> Option<(Word, Vec<Hop>)> {
        let mut best: Option<(Word, Inflow, Option<Node>)> = None;
        for (origin, other, word) in event.labels.iter().filter(|(_, other, _)| *other == aspect) {
            for (source, word, from) in self.behind(func, origin, other, word, tables) {
                let is_better = best.is_none_or(|(known, _, _)| word < known);
                if sources.contains(&source) && is_better {
                    best = Some((word, source, from));
                }
            }
        }
        let (word, source, mut from) = best?;
        let mut hops = Vec::new();
        while let Some(node) = from.filter(|_| hops.len() < MAX_HOPS as usize) {
            let brought = self.brought.get(&(node, Origin::Source(source), aspect))?;
            let into = match node {
                Node::Param(callee, ..) => Some(callee),
                Node::Cell(_) => None,
            };
            hops.push(Hop { at: brought.at, into });
            from = brought.from;
        }
        hops.reverse();
        Some((word, hops))
    }
}

fn node_of(taker: &Taker) -> Option<Node> {
    match *taker {
        Taker::Param(func, param, part) => Some(Node::Param(func, param, part)),
        Taker::Cell(cell) => Some(Node::Cell(cell)),
        Taker::Use(_) | Taker::Asked => None,
    }
}

fn nodes_behind(func: Func, origin: Origin, tables: &Tables) -> SmallVec<[Node; 2]> {
    match origin {
        Origin::Param(param, None | Some(Key::Each)) => {
            SmallVec::from_iter([Node::Param(func, param, Part::Whole)])
        }
        Origin::Param(param, Some(Key::Rest)) => SmallVec::from_iter([Node::Param(func, param, Part::Rest)]),
        Origin::Param(param, Some(key)) => {
            SmallVec::from_iter([Part::Key(key), Part::Rest].map(|part| Node::Param(func, param, part)))
        }
        Origin::Cell(cell) => SmallVec::from_iter([Node::Cell(tables.cell(cell))]),
        Origin::Source(_) => SmallVec::new(),
    }
}
