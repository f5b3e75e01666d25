//! What is put into parameters and shared places, over the whole program: the events of all walks as one graph. Each label
//! that gets to a place keeps the event that brought it, so that its way can be told. It grows with each walk, and says who
//! has to be walked next: most of what one function could hand on is never given anything.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::labels::{ASPECTS, Aspect, Key, Labels, NO_WORDS, Origin, Word, Words};
use super::solve::Events;
use super::tables::{Cell, Event, Part, Tables, Taker};
use crate::analysis::inflows::Inflow;
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

/// What has got to a node from one source, by aspect.
#[derive(Clone, Copy, Debug)]
struct Arrived {
    words: Words,
    brought: [Option<Brought>; ASPECTS],
}

impl Arrived {
    const NOTHING: Self = Self { words: NO_WORDS, brought: [None; ASPECTS] };

    /// How many have handed it on, with the next one.
    fn hops_on(&self) -> [u32; ASPECTS] {
        self.brought.map(|brought| brought.map_or(1, |brought| brought.hops + 1))
    }

    /// True if that is news: surer than what is known, or by fewer hands.
    fn take(&mut self, aspect: usize, word: Word, brought: Brought) -> bool {
        let is_surer = !self.words[aspect].is_as_sure(word);
        let is_shorter = self.brought[aspect].is_none_or(|known| brought.hops < known.hops);
        if is_surer {
            self.words[aspect] = word;
        }
        if is_surer || is_shorter {
            self.brought[aspect] = Some(brought);
        }
        is_surer || is_shorter
    }
}

/// What has got to a node.
#[derive(Default, Debug)]
struct Known(SmallVec<[(Inflow, Arrived); 1]>);

impl Known {
    fn get(&self, source: Inflow) -> Option<&Arrived> {
        self.0.iter().find(|(own, _)| *own == source).map(|(_, arrived)| arrived)
    }

    fn entry(&mut self, source: Inflow) -> &mut Arrived {
        let at = self.0.iter().position(|(own, _)| *own == source).unwrap_or_else(|| {
            self.0.push((source, Arrived::NOTHING));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

#[derive(Default, Debug)]
pub struct Spread {
    known: FxHashMap<Node, Known>,
    onward: Onward,
}

/// What hands on what a node has.
#[derive(Default, Debug)]
struct Onward {
    events: FxHashMap<Func, FxHashMap<Node, Vec<Passed>>>,
    /// Whose events hand on what a cell has.
    readers: FxHashMap<Cell, BTreeSet<Func>>,
}

/// A node that has learned something of a source.
type News = (Node, Inflow);

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

/// The labels of an event of a function through which goes what some node has.
#[derive(Clone, Copy, Debug)]
struct Passed {
    event: u32,
    origin: Origin,
    words: Words,
}

/// No way is longer: nobody follows content over more hands, and in a big program it gets everywhere.
const MAX_HOPS: u32 = 8;

/// A source, its words, and the node that it comes through.
type Behind = SmallVec<[(Inflow, Words, Option<Node>); 4]>;

impl Onward {
    /// Notes which nodes the events of a function hand on.
    fn take(&mut self, func: Func, events: &[Event], tables: &Tables) {
        let mut onward: FxHashMap<Node, Vec<Passed>> = FxHashMap::default();
        for (at, event) in (0..).zip(events).filter(|(_, event)| node_of(&event.taker).is_some()) {
            for (origin, words) in event.labels.words() {
                for node in nodes_behind(func, origin, tables) {
                    onward.entry(node).or_default().push(Passed { event: at, origin, words });
                    if let Node::Cell(cell) = node {
                        self.readers.entry(cell).or_default().insert(func);
                    }
                }
            }
        }
        self.events.insert(func, onward);
    }

    /// The labels of events through which goes what a node has learned.
    fn each(&self, node: Node, mut tell: impl FnMut(Func, Passed)) {
        let mut of = |func: Func| {
            let passed = self.events.get(&func).and_then(|onward| onward.get(&node));
            passed.into_iter().flatten().for_each(|&passed| tell(func, passed));
        };
        match node {
            Node::Param(func, ..) => of(func),
            Node::Cell(cell) => self.readers.get(&cell).into_iter().flatten().copied().for_each(of),
        }
    }
}

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
            self.onward.take(func, own, tables);
            let is_new = |&(at, event): &(usize, &Event)| before.get(at) != Some(event);
            let new = own.iter().enumerate().filter(is_new);
            new.for_each(|(_, event)| self.take(func, event, tables, &mut work));
        }
        // What hands on does not change while it is handed on.
        let onward = std::mem::take(&mut self.onward);
        while let Some(news) = work.pop() {
            onward.each(news.0, |func, passed| {
                let event = &events[&func][passed.event as usize];
                self.pass(event, passed, news, tables, &mut work);
            });
        }
        self.onward = onward;
        work.first
    }

    /// Brings what is known behind the labels of an event to its taker.
    fn take(&mut self, func: Func, event: &Event, tables: &Tables, work: &mut Work) {
        for (origin, words) in event.labels.words() {
            for (source, words, from) in self.behind(func, origin, words, tables) {
                self.bring(event, (source, words), from, work);
            }
        }
    }

    /// Brings what a node has learned to the taker of an event that hands it on.
    fn pass(
        &mut self,
        event: &Event,
        passed: Passed,
        (node, source): News,
        tables: &Tables,
        work: &mut Work,
    ) {
        let Some(arrived) = self.arrived(node, source) else { return };
        let words = through(source, arrived.words, passed.origin, passed.words, tables);
        self.bring(event, (source, words), Some(node), work);
    }

    fn bring(
        &mut self,
        event: &Event,
        (source, words): (Inflow, Words),
        from: Option<Node>,
        work: &mut Work,
    ) {
        let Some(node) = node_of(&event.taker).filter(|_| words != NO_WORDS) else { return };
        let hops = from.and_then(|from| self.arrived(from, source)).map_or([1; ASPECTS], Arrived::hops_on);
        let mut told = hops.into_iter().enumerate().filter_map(|(aspect, hops)| {
            // What is less sure is not worth telling.
            let is_told = hops <= MAX_HOPS && words[aspect].confidence() > Confidence::Low;
            is_told.then_some((aspect, Brought { at: event.at, from, hops }))
        });
        let Some(first) = told.next() else { return };
        let mut is_first = false;
        let known = self.known.entry(node).or_insert_with(|| {
            is_first = true;
            Known::default()
        });
        let arrived = known.entry(source);
        let news = std::iter::once(first).chain(told);
        let count = news.filter(|&(aspect, brought)| arrived.take(aspect, words[aspect], brought)).count();
        if count > 0 {
            work.push((node, source));
        }
        work.first.extend(is_first.then(|| event.taker.clone()));
    }

    fn arrived(&self, node: Node, source: Inflow) -> Option<&Arrived> {
        self.known.get(&node)?.get(source)
    }

    /// The sources behind a label, each with the node it comes through.
    fn behind(&self, func: Func, origin: Origin, words: Words, tables: &Tables) -> Behind {
        let mut found = Behind::new();
        if let Origin::Source(source) = origin {
            found.push((source, words, None));
        }
        for node in nodes_behind(func, origin, tables) {
            for (source, arrived) in self.known.get(&node).into_iter().flat_map(|known| &known.0) {
                let words = through(*source, arrived.words, origin, words, tables);
                found.push((*source, words, Some(node)));
            }
        }
        found
    }

    /// True if content of some source is behind one of these labels of a function.
    pub fn is_reached(&self, func: Func, labels: &Labels, tables: &Tables) -> bool {
        labels.words().any(|(origin, words)| {
            self.behind(func, origin, words, tables).iter().any(|(_, words, _)| *words != NO_WORDS)
        })
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
        for (origin, words) in event.labels.words() {
            for (source, words, from) in self.behind(func, origin, words, tables) {
                let word = words[aspect as usize];
                let is_better = best.is_none_or(|(known, _, _)| word < known);
                if word != Word::NONE && sources.contains(&source) && is_better {
                    best = Some((word, source, from));
                }
            }
        }
        let (word, source, mut from) = best?;
        let mut hops = Vec::new();
        while let Some(node) = from.filter(|_| hops.len() < MAX_HOPS as usize) {
            let brought = self.arrived(node, source)?.brought[aspect as usize]?;
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

/// How sure `source` is behind a label of `words`, if a node that the label stands for has it by its `own`.
fn through(source: Inflow, own: Words, origin: Origin, words: Words, tables: &Tables) -> Words {
    let is_inferred = matches!(origin, Origin::Cell(cell) if tables.is_inferred(cell));
    let is_weaker = is_inferred || source == Inflow::Storage;
    std::array::from_fn(|aspect| {
        let own = if is_weaker { own[aspect].inferred() } else { own[aspect] };
        let is_known = words[aspect] != Word::NONE && own.confidence() > Confidence::Low;
        if is_known { own.weakened(words[aspect].confidence()) } else { Word::NONE }
    })
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
