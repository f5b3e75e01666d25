//! The enforcement checklist of a run: one row per external operation or tool, one verdict with its evidence per item.

use std::sync::Arc;

use super::Place;
use crate::rule::Rule;

/// What is known of one item of one operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    Pass,
    Fail,
    /// The analysis cannot see it; the evidence says why.
    Unknown,
}

impl Verdict {
    pub const ALL: [Verdict; 3] = [Verdict::Pass, Verdict::Fail, Verdict::Unknown];

    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A place, and a sentence about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    pub place: Place,
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub verdict: Verdict,
    /// At least one; the first says the most.
    pub evidence: Vec<Evidence>,
}

/// One external operation, or one tool that reaches an effect.
#[derive(Clone, Debug)]
pub struct Row {
    /// `comm.search`; the function's where the registered one is not constant.
    pub name: String,
    /// The function that runs it, as a reader knows it.
    pub function: String,
    pub handler: Place,
    /// The class or the call that registers it.
    pub registered: Place,
    /// In the order of the items.
    pub cells: Vec<Cell>,
}

/// What is asked of external operations, and of the tools that a model may call.
#[derive(Clone, Default, Debug)]
pub struct Checklist {
    pub operations: Matrix,
    pub tools: Matrix,
}

#[derive(Clone, Default, Debug)]
pub struct Matrix {
    /// The rules that ask something of every row, sorted by id.
    pub items: Vec<Arc<Rule>>,
    /// Sorted by name and place.
    pub rows: Vec<Row>,
    /// Tools that are no rows: no effect was found behind them.
    pub without_effect: usize,
}

impl Checklist {
    pub fn matrices_mut(&mut self) -> [&mut Matrix; 2] {
        [&mut self.operations, &mut self.tools]
    }
}

impl Matrix {
    /// How many cells have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.verdict == verdict).count()
    }
}
