//! Lines and columns of places, with one line index per file that is printed and none for the others.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::finding::{Outcome, Place};
use crate::source::{FileId, LineCol, LineIndex, SourceFile};

pub struct Places<'a> {
    outcome: &'a Outcome,
    indexes: RefCell<BTreeMap<FileId, Rc<LineIndex<'a>>>>,
}

/// A place as a reader sees it; the end is exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    pub start: LineCol,
    pub end: LineCol,
}

impl<'a> Places<'a> {
    pub fn new(outcome: &'a Outcome) -> Self {
        Self { outcome, indexes: RefCell::default() }
    }

    pub fn file(&self, place: Place) -> &'a SourceFile {
        self.outcome.file(place.file)
    }

    pub fn path(&self, place: Place) -> &'a str {
        self.file(place).path.as_str()
    }

    pub fn index(&self, file: FileId) -> Rc<LineIndex<'a>> {
        let mut indexes = self.indexes.borrow_mut();
        let index =
            indexes.entry(file).or_insert_with(|| Rc::new(LineIndex::new(&self.outcome.file(file).text)));
        Rc::clone(index)
    }

    pub fn line(&self, place: Place) -> u32 {
        self.index(place.file).line_col(place.span.lo).line
    }

    pub fn region(&self, place: Place) -> Region {
        let index = self.index(place.file);
        Region { start: index.line_col(place.span.lo), end: index.line_col(place.span.hi.max(place.span.lo)) }
    }

    /// The part of the place on its first line: what a reader looks at, and what a pull request shows.
    pub fn first_line(&self, place: Place) -> Region {
        let mut region = self.region(place);
        if region.end.line > region.start.line {
            let line = self.index(place.file).line_text(region.start.line);
            let column = line.chars().count() as u32 + 1;
            region.end = LineCol { line: region.start.line, column: column.max(region.start.column) };
        }
        region
    }
}
