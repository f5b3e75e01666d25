//! What a walk of one function reads and what it finds: the summaries of the functions it calls, the places that functions
//! share, and the events from which the program-wide answers are made.

use rustc_hash::{FxHashMap, FxHashSet};

use super::data::Data;
use super::labels::{Key, Labels};
use super::model::Sink;
use crate::link::{At, Cls, Func, Name, Slot};

/// A place that several functions read and write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cell {
    /// An attribute of the objects of a class, and of those that inherit from it or that it inherits from.
    Field(Cls, Name),
    /// A variable, as the function that owns it fills it.
    Own(Slot),
    /// The same, as the functions inside it fill it.
    Inner(Slot),
}

/// What a call of a function does with labels.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Summary {
    pub returns: Data,
    /// What it does to the objects it is given, by parameter.
    pub outs: Vec<(u32, Data)>,
}

/// Which part of a parameter is given something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    Whole,
    Key(Key),
    /// What is under no key that the caller knows.
    Rest,
}

/// Something that gets a value from the function that was walked.
#[derive(Clone, Debug)]
pub enum Taker {
    Param(Func, u32, Part),
    Cell(Cell),
    Use(UseKind),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UseKind {
    /// It leaves the function: returned or yielded.
    Exit,
    Sink(Sink),
}

/// A value with labels gets somewhere.
#[derive(Clone, Debug)]
pub struct Event {
    pub at: At,
    pub labels: Labels,
    pub taker: Taker,
}

/// What one walk found.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    pub summary: Summary,
    pub events: Vec<Event>,
}

/// What all walks share.
#[derive(Default, Debug)]
pub struct Tables {
    pub summaries: FxHashMap<Func, Summary>,
    /// Cells that something has been put into, by number.
    pub cells: FxHashMap<Cell, u32>,
    /// By number: what is read there may be what some other object, or some other caller, has put there.
    pub inferred: Vec<bool>,
    /// What the variables of modules are called that something has been put into.
    pub global_names: FxHashSet<Name>,
    /// Which parameters are given something, by position.
    pub given: FxHashMap<Func, Vec<u32>>,
}

impl Tables {
    /// True if nothing was put into the cell before.
    pub fn is_new(&mut self, cell: Cell, inferred: bool) -> bool {
        let next = self.inferred.len() as u32;
        let is_new = *self.cells.entry(cell).or_insert(next) == next;
        if is_new {
            self.inferred.push(inferred);
        }
        is_new
    }

    /// True if the parameter was not given anything before.
    pub fn give(&mut self, func: Func, param: u32) -> bool {
        let given = self.given.entry(func).or_default();
        let is_new = !given.contains(&param);
        if is_new {
            given.push(param);
            given.sort_unstable();
        }
        is_new
    }
}
