//! What a walk of one function reads and what it finds: the summaries of the functions it calls, the places that functions
//! share, and the events from which the program-wide answers are made.

use rustc_hash::FxHashMap;

use super::data::Data;
use super::labels::Labels;
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

/// Something that gets a value from the function that was walked.
#[derive(Clone, Debug)]
pub enum Taker {
    Param(Func, u32),
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
    /// Cells that were read, known or not.
    pub watched: Vec<Cell>,
}

/// What all walks share.
#[derive(Default, Debug)]
pub struct Tables {
    pub summaries: FxHashMap<Func, Summary>,
    /// Cells that something has been put into, by number.
    pub cells: FxHashMap<Cell, u32>,
    pub cell_list: Vec<Cell>,
    /// Which parameters are given something, by position.
    pub given: FxHashMap<Func, Vec<u32>>,
}

impl Tables {
    /// The number of a cell, and whether it is new.
    pub fn cell(&mut self, cell: Cell) -> (u32, bool) {
        let next = self.cell_list.len() as u32;
        let number = *self.cells.entry(cell).or_insert(next);
        if number == next {
            self.cell_list.push(cell);
        }
        (number, number == next)
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

