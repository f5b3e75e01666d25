//! What is put into parameters and shared places, over the whole program: the events of all walks as one graph. Each label
//! that gets to a place keeps the event that brought it, so that its way can be told. It grows with each walk, and says who
//! has to be walked next: most of what one function could hand on is never given anything.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
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

/// What has got to a node.
#[derive(Default, Debug)]
struct Known {
    labels: Labels,
    brought: SmallVec<[(Inflow, Aspect, Brought); 4]>,
}

impl Known {
    fn brought(&self, source: Inflow, aspect: Aspect) -> Option<Brought> {
        let mut all = self.brought.iter();
        all.find(|(own, other, _)| (*own, *other) == (source, aspect)).map(|(.., brought)| *brought)
    }

    fn bring(&mut self, source: Inflow, aspect: Aspect, brought: Brought) {
        match self.brought.iter_mut().find(|(own, other, _)| (*own, *other) == (source, aspect)) {
            Some((.., known)) => *known = brought,
            None => self.brought.push((source, aspect, brought)),
        }
    }
}

#[derive(Default, Debug)]
pub struct Spread {
    known: FxHashMap<Node, Known>,
    onward: FxHashMap<Func, FxHashMap<Node, Vec<Passed>>>,
    /// Whose events hand on what a cell has.
    readers: FxHashMap<Cell, BTreeSet<Func>>,
}

/// What a node has learned.
type News = (Node, Inflow, Aspect);

/// News that nobody has been told yet, each once.
#[derive(Default)]
struct Work {
    queue: VecDeque<News>,
    queued: FxHashSet<News>,
    /// Who got content for the first time.
    first: Vec<Taker>,
}

impl Work {
    fn push(&mut self, news: News) {
        if self.queued.insert(news) {
            self.queue.push_back(news);
        }
    }

    fn pop(&mut self) -> Option<News> {
        let news = self.queue.pop_front()?;
        self.queued.remove(&news);
        Some(news)
    }
}

/// A label of an event of a function, through which goes what some node has.
#[derive(Clone, Copy, Debug)]
struct Passed {
    event: u32,
    origin: Origin,
    aspect: Aspect,
    word: Word,
}

/// No way is longer: nobody follows content over more hands, and in a big program it gets everywhere.
const MAX_HOPS: u32 = 8;

/// A source, its word, and the node that it comes through.
type Behind = SmallVec<[(Inflow, Word, Option<Node>); 4]>;

impl Spread {
    /// Takes in the events of functions that were walked, and all that follows from them: those who get content for the
    /// first time. `walked` has what each told the last time: what it tells again has been taken in.
    pub fn settle(&mut self, walked: &Events, events: &Events, tables: &Tables) -> Vec<Taker> {
        let mut work = Work::default();
        for (&func, before) in walked {
            let own = events.get(&func).map_or(&[][..], Vec::as_slice);
            if own == before {
                continue;
            }
            self.index(func, own, tables);
            let is_new = |&(at, event): &(usize, &Event)| before.get(at) != Some(event);
            let new = own.iter().enumerate().filter(is_new);
            new.for_each(|(_, event)| self.take(func, event, tables, &mut work));
        }
        while let Some(news) = work.pop() {
            for (func, passed) in self.passed_on(news) {
                let event = &events[&func][passed.event as usize];
                self.pass(event, passed, news, tables, &mut work);
            }
        }
        work.first
    }

    /// Notes which nodes the events of a function hand on.
    fn index(&mut self, func: Func, events: &[Event], tables: &Tables) {
        let mut onward: FxHashMap<Node, Vec<Passed>> = FxHashMap::default();
        for (at, event) in (0..).zip(events).filter(|(_, event)| node_of(&event.taker).is_some()) {
            for (origin, aspect, word) in event.labels.iter() {
                for node in nodes_behind(func, origin, tables) {
                    onward.entry(node).or_default().push(Passed { event: at, origin, aspect, word });
                    if let Node::Cell(cell) = node {
                        self.readers.entry(cell).or_default().insert(func);
                    }
                }
            }
        }
        self.onward.insert(func, onward);
    }

    /// The labels of events through which goes what a node has learned.
    fn passed_on(&self, (node, _, aspect): News) -> Vec<(Func, Passed)> {
        let of = |func: Func| {
            let passed = self.onward.get(&func).and_then(|onward| onward.get(&node)).into_iter().flatten();
            passed.filter(move |passed| passed.aspect == aspect).map(move |&passed| (func, passed))
        };
        match node {
            Node::Param(func, ..) => of(func).collect(),
            Node::Cell(cell) => self.readers.get(&cell).into_iter().flatten().copied().flat_map(of).collect(),
        }
    }

    /// Brings what is known behind the labels of an event to its taker.
    fn take(&mut self, func: Func, event: &Event, tables: &Tables, work: &mut Work) {
        for (origin, aspect, word) in event.labels.iter() {
            for (source, word, from) in self.behind(func, origin, aspect, word, tables) {
                self.bring(event, (source, aspect, word), from, work);
            }
        }
    }

    /// Brings what a node has learned to the taker of an event that hands it on.
    fn pass(&mut self, event: &Event, passed: Passed, news: News, tables: &Tables, work: &mut Work) {
        let (node, source, aspect) = news;
        let own = self
            .labels(node)
            .filter(|&(origin, other, _)| (origin, other) == (Origin::Source(source), aspect));
        let words: SmallVec<[Word; 1]> = own.map(|(.., own)| own).collect();
        for own in words {
            if let Some(word) = through(source, own, passed.origin, passed.word, tables) {
                self.bring(event, (source, aspect, word), Some(node), work);
            }
        }
    }

    fn bring(&mut self, event: &Event, label: (Inflow, Aspect, Word), from: Option<Node>, work: &mut Work) {
        let (Some(node), (source, aspect, word)) = (node_of(&event.taker), label) else { return };
        let before = from.and_then(|from| self.brought(from, source, aspect));
        let hops = before.map_or(1, |before| before.hops + 1);
        // What is less sure is not worth telling.
        if hops > MAX_HOPS || word.confidence() == Confidence::Low {
            return;
        }
        let mut is_first = false;
        let known = self.known.entry(node).or_insert_with(|| {
            is_first = true;
            Known::default()
        });
        let is_shorter = known.brought(source, aspect).is_none_or(|known| hops < known.hops);
        let is_surer = known.labels.add(Origin::Source(source), aspect, word);
        if is_surer || is_shorter {
            known.bring(source, aspect, Brought { at: event.at, from, hops });
            work.push((node, source, aspect));
            work.first.extend(is_first.then(|| event.taker.clone()));
        }
    }

    fn brought(&self, node: Node, source: Inflow, aspect: Aspect) -> Option<Brought> {
        self.known.get(&node)?.brought(source, aspect)
    }

    fn labels(&self, node: Node) -> impl Iterator<Item = (Origin, Aspect, Word)> + '_ {
        self.known.get(&node).into_iter().flat_map(|known| known.labels.iter())
    }

    /// The sources behind a label, each with the node it comes through.
    fn behind(&self, func: Func, origin: Origin, aspect: Aspect, word: Word, tables: &Tables) -> Behind {
        let mut found = Behind::new();
        if let Origin::Source(source) = origin {
            found.push((source, word, None));
        }
        for node in nodes_behind(func, origin, tables) {
            for (behind, _, own) in self.labels(node).filter(|(_, other, _)| *other == aspect) {
                let Origin::Source(source) = behind else { continue };
                let word = through(source, own, origin, word, tables);
                found.extend(word.map(|word| (source, word, Some(node))));
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
            let brought = self.brought(node, source, aspect)?;
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

/// How sure `source` is behind a label of `word`, if a node that the label stands for has it by its `own`.
fn through(source: Inflow, own: Word, origin: Origin, word: Word, tables: &Tables) -> Option<Word> {
    let is_inferred = matches!(origin, Origin::Cell(cell) if tables.is_inferred(cell));
    let own = if is_inferred || source == Inflow::Storage { own.inferred() } else { own };
    (own.confidence() > Confidence::Low).then(|| own.weakened(word.confidence()))
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
