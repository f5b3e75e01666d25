//! What a walk of one function reads and what it finds: the summaries of the functions it calls, the places that functions
//! share, and the events from which the program-wide answers are made.

use rustc_hash::{FxHashMap, FxHashSet};

use super::data::Data;
use super::labels::{Key, Labels};
use crate::ir::Sym;
use crate::link::{At, Cls, Func, Slot};

/// A place that several functions read and write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cell {
    /// An attribute of the objects of a class, and of those that inherit from it or that it inherits from.
    Field(Cls, Sym),
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
#[derive(Clone, PartialEq, Debug)]
pub enum Taker {
    Param(Func, u32, Part),
    Cell(Cell),
    Use(UseKind),
    /// Somebody asks what is known of the value there.
    Asked,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UseKind {
    /// It leaves the function: returned or yielded.
    Exit,
    /// It is told to a model.
    Prompt,
}

/// A value with labels gets somewhere.
#[derive(Clone, PartialEq, Debug)]
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
    /// Functions whose callers see to the guards themselves.
    pub handlers: FxHashSet<Func>,
    /// By file: whether the fence's marker can be named there.
    pub names_marker: Vec<bool>,
    pub summaries: FxHashMap<Func, Summary>,
    /// Cells that something has been put into, by number.
    pub cells: FxHashMap<Cell, u32>,
    /// By number; and whether what is read there may be what some other object, or some other caller, has put there.
    numbered: Vec<(Cell, bool)>,
    /// What the variables of modules are called that something has been put into.
    pub global_names: FxHashSet<Sym>,
    given: FxHashMap<Func, Given>,
}

impl Tables {
    pub fn new(handlers: &[Func], names_marker: Vec<bool>) -> Self {
        Self { handlers: handlers.iter().copied().collect(), names_marker, ..Self::default() }
    }

    /// True if nothing was put into the cell before.
    pub fn is_new(&mut self, cell: Cell, inferred: bool) -> bool {
        let next = self.numbered.len() as u32;
        let is_new = *self.cells.entry(cell).or_insert(next) == next;
        if is_new {
            self.numbered.push((cell, inferred));
        }
        is_new
    }

    pub fn cell(&self, number: u32) -> Cell {
        self.numbered[number as usize].0
    }

    pub fn is_inferred(&self, number: u32) -> bool {
        self.numbered[number as usize].1
    }

    /// True if nothing was given there before.
    pub fn give(&mut self, func: Func, param: u32, part: Part) -> bool {
        self.given.entry(func).or_default().add(param, part)
    }

    pub fn given(&self, func: Func) -> &Given {
        static NOTHING: Given = Given(Vec::new());
        self.given.get(&func).unwrap_or(&NOTHING)
    }
}

/// Which parts of its parameters a function is given something in: most of an object that goes from hand to hand is nothing
/// of interest.
#[derive(Default, Debug)]
pub struct Given(Vec<(u32, Part)>);

/// So many keys of one parameter are told apart.
const MAX_KEYS: usize = 8;

impl Given {
    fn add(&mut self, param: u32, part: Part) -> bool {
        let part =
            if self.keys(param).count() < MAX_KEYS { part } else { part.key().map_or(part, |_| Part::Rest) };
        let at = self.0.binary_search(&(param, part));
        at.is_err_and(|at| {
            self.0.insert(at, (param, part));
            true
        })
    }

    pub fn has(&self, param: u32) -> bool {
        self.0.iter().any(|(own, _)| *own == param)
    }

    /// True if something can be under the key.
    pub fn has_key(&self, param: u32, key: Key) -> bool {
        match key {
            Key::Each | Key::Rest => self.has(param),
            Key::Name(_) | Key::At(_) => {
                let has = |part| self.0.binary_search(&(param, part)).is_ok();
                has(Part::Key(key)) || has(Part::Rest)
            }
        }
    }

    pub fn keys(&self, param: u32) -> impl Iterator<Item = Key> + '_ {
        let of_param = self.0.iter().filter(move |(own, _)| *own == param);
        of_param.filter_map(|(_, part)| part.key())
    }
}

impl Part {
    fn key(self) -> Option<Key> {
        match self {
            Part::Key(key) => Some(key),
            Part::Whole | Part::Rest => None,
        }
    }
}
