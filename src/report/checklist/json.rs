//! The matrix for programs, version 1: described by `docs/gatelint-checklist.schema.json`. Fields may be added within a
//! version; none is renamed, removed or given another meaning.

use std::io::{self, Write};

use serde::Serialize;

use super::{Part, View, escape, title};
use crate::finding::Place;
use crate::finding::checklist::{Matrix, Verdict};
use crate::report::gaps;
use crate::report::json::write_value;
use crate::source::Unread;

const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    items: Vec<Item<'a>>,
    operations: Vec<Operation<'a>>,
    totals: Totals,
    tools: Tools<'a>,
    coverage: Coverage<'a>,
}

/// The same of the tools that a model may call.
#[derive(Serialize)]
struct Tools<'a> {
    items: Vec<Item<'a>>,
    rows: Vec<Operation<'a>>,
    totals: ToolTotals,
}

#[derive(Serialize)]
struct Item<'a> {
    id: &'a str,
    title: &'a str,
}

#[derive(Serialize)]
struct Operation<'a> {
    name: String,
    handler: Handler<'a>,
    registered: At<'a>,
    verdicts: Vec<Answer<'a>>,
}

#[derive(Serialize)]
struct Handler<'a> {
    function: String,
    #[serde(flatten)]
    at: At<'a>,
}

#[derive(Serialize)]
struct At<'a> {
    path: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Answer<'a> {
    item: &'a str,
    verdict: &'static str,
    evidence: Vec<Evidence<'a>>,
}

#[derive(Serialize)]
struct Evidence<'a> {
    #[serde(flatten)]
    at: At<'a>,
    text: String,
}

#[derive(Serialize)]
struct Totals {
    operations: usize,
    pass: usize,
    fail: usize,
    unknown: usize,
}

#[derive(Serialize)]
struct ToolTotals {
    tools: usize,
    without_effect: usize,
    pass: usize,
    fail: usize,
    unknown: usize,
}

#[derive(Serialize)]
struct Coverage<'a> {
    scanned: usize,
    ignored: usize,
    skipped: usize,
    unread: &'a Unread,
    partial: Vec<&'a str>,
    incomplete: Vec<String>,
    complete: bool,
}

pub fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (operations, tools) = (&view.checklist.operations, &view.checklist.tools);
    let report = Report {
        version: VERSION,
        items: items(operations),
        operations: rows(view, Part { noun: "operation", matrix: operations }),
        totals: Totals {
            operations: operations.rows.len(),
            pass: operations.count(Verdict::Pass),
            fail: operations.count(Verdict::Fail),
            unknown: operations.count(Verdict::Unknown),
        },
        tools: Tools {
            items: items(tools),
            rows: rows(view, Part { noun: "tool", matrix: tools }),
            totals: ToolTotals {
                tools: tools.rows.len(),
                without_effect: tools.without_effect,
                pass: tools.count(Verdict::Pass),
                fail: tools.count(Verdict::Fail),
                unknown: tools.count(Verdict::Unknown),
            },
        },
        coverage: coverage(view),
    };
    write_value(&report, out)
}

fn items(matrix: &Matrix) -> Vec<Item<'_>> {
    matrix.items.iter().map(|item| Item { id: &item.id, title: title(item) }).collect()
}

fn rows<'a>(view: &'a View<'_>, part: Part<'a>) -> Vec<Operation<'a>> {
    let rows = part.rows().iter();
    rows.map(|row| {
        let answers = part.cells(row).map(|(item, cell)| Answer {
            item: &item.id,
            verdict: cell.verdict.word(),
            evidence: view.evidence(row, item, cell).into_iter().map(|it| evidence(view, &it)).collect(),
        });
        Operation {
            name: escape::line(&row.name).into_owned(),
            handler: Handler {
                function: escape::line(&row.function).into_owned(),
                at: at(view, row.handler),
            },
            registered: at(view, row.registered),
            verdicts: answers.collect(),
        }
    })
    .collect()
}

fn evidence<'a>(view: &'a View<'_>, found: &crate::finding::checklist::Evidence) -> Evidence<'a> {
    Evidence { at: at(view, found.place), text: escape::line(&found.text).into_owned() }
}

fn at<'a>(view: &'a View<'_>, place: Place) -> At<'a> {
    let line = view.line(place);
    At { path: line.path, line: line.line }
}

fn coverage<'a>(view: &'a View<'_>) -> Coverage<'a> {
    let coverage = &view.outcome.coverage;
    let partial = coverage.partial.iter().map(|file| view.outcome.file(*file).path.as_str());
    Coverage {
        scanned: view.outcome.files.len(),
        ignored: coverage.ignored,
        skipped: coverage.skipped.len(),
        unread: &coverage.unread,
        partial: partial.collect(),
        incomplete: gaps::listed(view.outcome, &view.places).collect(),
        complete: view.outcome.is_complete(),
    }
}
