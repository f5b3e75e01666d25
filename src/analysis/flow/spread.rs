//! What is put into parameters and shared places, over the whole program: the events of all walks as one graph. Each label
//! that gets to a place keeps the event that brought it, so that its way can be told.

use rustc_hash::FxHashMap;

use super::labels::{Aspect, Inflow, Key, Labels, Origin, Word};
use super::solve::Events;
use super::tables::{Event, Part, Tables, Taker};
use crate::finding::Confidence;
use crate::link::{At, Func};

/// A parameter, or a shared place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Node {
    Param(Func, u32, Part),
    Cell(u32),
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
}

#[derive(Default, Debug)]
pub struct Spread {
    /// By cell: any object of a class, and any caller of a module, may have filled it.
    inferred: Vec<bool>,
    labels: FxHashMap<Node, Labels>,
    brought: FxHashMap<(Node, Origin, Aspect), Brought>,
}

/// No way is longer.
const MAX_HOPS: usize = 64;

impl Spread {
    pub fn new(tables: &Tables, events: &Events) -> Self {
        let mut spread = Spread { inferred: tables.inferred.clone(), ..Spread::default() };
        // Whose events speak of a node: the function itself for its parameters.
        let mut readers: FxHashMap<u32, Vec<Func>> = FxHashMap::default();
        for (func, events) in events {
            for (origin, _, _) in events.iter().flat_map(|event| event.labels.iter()) {
                if let Origin::Cell(cell) = origin {
                    let readers = readers.entry(cell).or_default();
                    if readers.last() != Some(func) {
                        readers.push(*func);
                    }
                }
            }
        }
        let mut work: std::collections::BTreeSet<Func> = events.keys().copied().collect();
        while let Some(func) = work.pop_first() {
            for event in events.get(&func).into_iter().flatten() {
                let Some(node) = node_of(tables, &event.taker) else { continue };
                if !spread.bring(func, event, node) {
                    continue;
                }
                match node {
                    Node::Param(callee, ..) => drop(work.insert(callee)),
                    Node::Cell(cell) => work.extend(readers.get(&cell).into_iter().flatten()),
                }
            }
        }
        spread
    }

    /// True if the node learned something.
    fn bring(&mut self, func: Func, event: &Event, node: Node) -> bool {
        let mut grown = false;
        for (origin, aspect, word) in event.labels.iter() {
            for (source, word, from) in self.behind(func, origin, aspect, word) {
                let origin = Origin::Source(source);
                if self.labels.entry(node).or_default().add(origin, aspect, word) {
                    self.brought.insert((node, origin, aspect), Brought { at: event.at, from });
                    grown = true;
                }
            }
        }
        grown
    }

    /// The sources behind a label, each with the node it comes through.
    fn behind(
        &self,
        func: Func,
        origin: Origin,
        aspect: Aspect,
        word: Word,
    ) -> Vec<(Inflow, Word, Option<Node>)> {
        if let Origin::Source(source) = origin {
            return vec![(source, word, None)];
        }
        let mut found = Vec::new();
        for node in nodes_behind(func, origin) {
            let known = self.labels.get(&node).into_iter().flat_map(Labels::iter);
            for (origin, _, own) in known.filter(|(_, other, _)| *other == aspect) {
                let Origin::Source(source) = origin else { continue };
                let is_inferred = matches!(node, Node::Cell(cell) if self.inferred[cell as usize]);
                let is_row = source == Inflow::Storage;
                let own = if is_inferred || is_row { own.inferred() } else { own };
                // What is less sure is not worth telling.
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
    ) -> Option<(Word, Vec<Hop>)> {
        let mut best: Option<(Word, Inflow, Option<Node>)> = None;
        for (origin, other, word) in event.labels.iter().filter(|(_, other, _)| *other == aspect) {
            for (source, word, from) in self.behind(func, origin, other, word) {
                let is_better = best.is_none_or(|(known, _, _)| word < known);
                if sources.contains(&source) && is_better {
                    best = Some((word, source, from));
                }
            }
        }
        let (word, source, mut from) = best?;
        let mut hops = Vec::new();
        while let Some(node) = from.filter(|_| hops.len() < MAX_HOPS) {
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

fn node_of(tables: &Tables, taker: &Taker) -> Option<Node> {
    match *taker {
        Taker::Param(func, param, part) => Some(Node::Param(func, param, part)),
        Taker::Cell(cell) => tables.cells.get(&cell).map(|&cell| Node::Cell(cell)),
        Taker::Use(_) => None,
    }
}

fn nodes_behind(func: Func, origin: Origin) -> Vec<Node> {
    match origin {
        Origin::Param(param, None | Some(Key::Each)) => vec![Node::Param(func, param, Part::Whole)],
        Origin::Param(param, Some(key)) => {
            [Part::Key(key), Part::Rest].map(|part| Node::Param(func, param, part)).to_vec()
        }
        Origin::Cell(cell) => vec![Node::Cell(cell)],
        Origin::Source(_) => Vec::new(),
    }
}
