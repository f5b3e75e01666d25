//! The enforcement checklist as matrices, one of the external operations and one of the tools: a row for each, a column per item,
//! and the evidence of every verdict. One function per format; all of them count the same.

mod html;
mod human;
mod json;
mod markdown;

use std::io::{self, Write};

use super::places::Places;
use super::{escape, gaps, tolerate_closed_pipe, totals};
use crate::finding::Outcome;
use crate::finding::checklist::{self, Cell, Checklist, Evidence, Row, Verdict};
use crate::rule::Rule;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Matrix {
    #[default]
    Human,
    Json,
    Markdown,
    Html,
}

#[derive(Clone, Copy, Debug)]
pub struct MatrixOptions {
    pub format: Matrix,
    pub color: bool,
    pub width: usize,
}

impl Default for MatrixOptions {
    fn default() -> Self {
        Self { format: Matrix::Human, color: false, width: 80 }
    }
}

/// Writes the matrix. The same outcome and options give the same bytes.
pub fn matrix(outcome: &Outcome, options: &MatrixOptions, out: &mut dyn Write) -> io::Result<()> {
    let view = View { outcome, checklist: &outcome.checklist, places: Places::new(outcome) };
    tolerate_closed_pipe(|| match options.format {
        Matrix::Human => human::write(&view, options, out),
        Matrix::Json => json::write(&view, out),
        Matrix::Markdown => markdown::write(&view, out),
        Matrix::Html => html::write(&view, out),
    })
}

/// What every format reads.
struct View<'v> {
    outcome: &'v Outcome,
    checklist: &'v Checklist,
    places: Places<'v>,
}

/// One matrix, and what its rows are.
#[derive(Clone, Copy)]
struct Part<'v> {
    noun: &'static str,
    matrix: &'v checklist::Matrix,
}

/// A place as every format shows it.
struct Line<'v> {
    path: &'v str,
    line: u32,
}

impl<'v> View<'v> {
    fn line(&self, place: crate::finding::Place) -> Line<'v> {
        Line { path: self.places.path(place), line: self.places.line(place) }
    }

    /// What was written down of a verdict, and why it does not count as a finding if a waiver says so.
    fn evidence(&self, row: &Row, item: &Rule, cell: &Cell) -> Vec<Evidence> {
        let mut evidence = cell.evidence.clone();
        let waived =
            self.outcome.waived.iter().filter(|waived| {
                waived.finding.rule.id == item.id && waived.finding.primary == row.registered
            });
        let of_row = waived.filter(|_| cell.verdict == Verdict::Fail).take(1);
        evidence.extend(
            of_row
                .map(|waived| Evidence { place: waived.waiver, text: format!("waived: {}", waived.reason) }),
        );
        evidence
    }

    /// The matrices that have rows, operations first.
    fn parts(&self) -> Vec<Part<'v>> {
        let all = [("operation", &self.checklist.operations), ("tool", &self.checklist.tools)];
        let parts = all.into_iter().filter(|(_, matrix)| !matrix.rows.is_empty());
        parts.map(|(noun, matrix)| Part { noun, matrix }).collect()
    }

    /// What is said where there is nothing to ask about.
    fn nothing(&self) -> &'static str {
        "no external operation is registered and no tool reaches an effect: nothing to ask about"
    }

    /// What silence is worth.
    fn gaps(&self) -> Option<String> {
        let unread = totals::unread(self.outcome).map(|what| format!("not read: {what}"));
        let all: Vec<_> = gaps::incompleteness(self.outcome).into_iter().chain(unread).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

impl<'v> Part<'v> {
    fn rows(self) -> &'v [Row] {
        &self.matrix.rows
    }

    /// The cells of a row with their items.
    fn cells(self, row: &'v Row) -> impl Iterator<Item = (&'v Rule, &'v Cell)> {
        self.matrix.items.iter().map(|item| &**item).zip(&row.cells)
    }

    /// `3 operations: 20 pass, 4 fail, 12 unknown`.
    fn totals(self) -> String {
        let counts = Verdict::ALL.map(|verdict| format!("{} {}", self.matrix.count(verdict), verdict.word()));
        let rows = super::counted(self.matrix.rows.len(), self.noun);
        let others = match self.matrix.without_effect {
            0 => String::new(),
            count => format!(" ({} without an effect)", super::counted(count, "other")),
        };
        format!("{rows}{others}: {}", counts.join(", "))
    }
}

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", escape::line(self.path), self.line)
    }
}

/// The head of a column: what the item asks.
fn title(item: &Rule) -> &str {
    item.title.as_deref().unwrap_or(&item.summary)
}
