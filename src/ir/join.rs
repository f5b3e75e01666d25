//! Joins facts of files: as a linker relocates the symbols of object files, the ids of each file are moved to a place of their own
//! in arenas and a table of strings that all share. From then on an id means the same whichever file's facts are asked, so that it
//! cannot be read in the wrong file.

mod moves;

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::Arc;

use super::Facts;
use super::arena::{self, Arenas, ItemCounts, Move, Moves};
use super::items::Items;
use super::texts::{Strings, Sym};

/// Joins the facts of all files of a program, which keep their order. What is joined already may be joined again, with others.
/// Facts that are handed over are freed one by one.
pub fn join<F: Borrow<Facts>>(files: impl IntoIterator<Item = F>) -> Vec<Facts> {
    let mut joint = Joint::default();
    let mut files: Vec<Facts> = files.into_iter().map(|facts| joint.add(facts.borrow())).collect();
    let (items, arenas, strings) = (Arc::new(joint.items), Arc::new(joint.arenas), Arc::new(joint.strings));
    for facts in &mut files {
        facts.items = items.clone();
        facts.arenas = arenas.clone();
        facts.strings = strings.clone();
    }
    files
}

#[derive(Default)]
struct Joint {
    items: Items,
    arenas: Arenas,
    strings: Strings,
    /// The table that a file came with, and what its strings are here: files that were joined share one.
    texts: (Arc<Strings>, Vec<Option<Sym>>),
}

impl Joint {
    /// The facts of one file, which belong to these arenas now.
    fn add(&mut self, facts: &Facts) -> Facts {
        if !Arc::ptr_eq(&self.texts.0, &facts.strings) {
            self.texts = (facts.strings.clone(), vec![None; facts.strings.len()]);
        }
        let (old, known) = &mut self.texts;
        let Part { lo: from, hi: to } = facts.part;
        let lo = Counts { items: self.items.counts(), nodes: self.arenas.counts() };
        let (shift, items) = (from.nodes.shift(lo.nodes), from.items.shift(lo.items));
        let moves = &mut Moves { shift, items, old, known, new: &mut self.strings };
        self.arenas.extend(&facts.arenas, (from.nodes, to.nodes), moves);
        self.items.imports.extend(facts.imports().iter().map(|import| import.moved(moves)));
        self.items.classes.extend(facts.classes().iter().map(|class| class.moved(moves)));
        self.items.functions.extend(facts.functions().iter().map(|function| function.moved(moves)));
        self.items.calls.extend(facts.calls().iter().map(|site| site.moved(moves)));
        Facts {
            lang: facts.lang,
            // Whoever joins puts in what all share.
            strings: Arc::default(),
            items: Arc::default(),
            arenas: Arc::default(),
            part: Part { lo, hi: Counts { items: self.items.counts(), nodes: self.arenas.counts() } },
            texts: facts.texts.iter().map(|text| text.moved(moves)).collect(),
            notes: facts.notes.clone(),
            problems: facts.problems.clone(),
            confusables: facts.confusables.clone(),
        }
    }
}

/// The part of all items and nodes that is that of one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part {
    pub(super) lo: Counts,
    pub(super) hi: Counts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub items: ItemCounts,
    pub nodes: arena::Counts,
}

impl Part {
    /// What one file has for itself.
    pub(super) fn all(items: &Items, arenas: &Arenas) -> Self {
        Self { lo: Counts::default(), hi: Counts { items: items.counts(), nodes: arenas.counts() } }
    }

    pub(super) fn of<T>(self, all: &[T], count: impl Fn(&ItemCounts) -> u32) -> &[T] {
        &all[count(&self.lo.items) as usize..count(&self.hi.items) as usize]
    }

    pub(super) fn ids(self, count: impl Fn(&ItemCounts) -> u32) -> Range<u32> {
        count(&self.lo.items)..count(&self.hi.items)
    }
}
