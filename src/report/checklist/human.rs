//! The matrix for a terminal: marks in columns, then what fails and what is unknown, each with its evidence.

use std::io::{self, Write};

use super::{MatrixOptions, Part, View, escape, title};
use crate::finding::checklist::{Cell, Row, Verdict};
use crate::report::human::wrap::Lines;
use crate::report::paint::Paint;
use crate::rule::Rule;

/// Names longer than this are cut in the matrix; below it they stand in full.
const MAX_NAME: usize = 20;

pub fn write(view: &View<'_>, options: &MatrixOptions, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint { color: options.color };
    let parts = view.parts();
    if parts.is_empty() {
        let mut lines = Lines::new("", "", options.width);
        lines.words(view.nothing());
        writeln!(out, "{}", lines.text)?;
    }
    for (nth, part) in parts.into_iter().enumerate() {
        if nth > 0 {
            writeln!(out)?;
        }
        table(part, options, paint, out)?;
        legend(part, out)?;
        for row in part.rows() {
            details(view, (part, row), options, paint, out)?;
        }
        writeln!(out, "{}", part.totals())?;
    }
    if let Some(gaps) = view.gaps() {
        writeln!(out, "{gaps}")?;
    }
    out.flush()
}

/// The columns side by side, in as many tables as the width needs.
fn table(part: Part<'_>, options: &MatrixOptions, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let rows = part.rows();
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let names = longest.clamp("operation".len(), MAX_NAME);
    let heads: Vec<&str> = part.matrix.items.iter().map(|item| head(&item.id)).collect();
    let column = heads.iter().map(|head| head.len()).max().unwrap_or_default().max("FAIL".len()) + 1;
    let columns = (options.width.saturating_sub(names) / column).max(1);
    for first in (0..heads.len()).step_by(columns) {
        let shown = first..(first + columns).min(heads.len());
        let line: String = heads[shown.clone()].iter().map(|head| format!("{head:>column$}")).collect();
        writeln!(out, "{:names$}{line}", part.noun)?;
        for row in rows {
            write!(out, "{:names$}", cut(&escape::line(&row.name), names))?;
            for cell in &row.cells[shown.clone()] {
                let mark = mark(cell.verdict);
                write!(out, "{}{}", " ".repeat(column - mark.len()), painted(paint, cell.verdict, mark))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `601` of `GL601`: what all built-in items begin with says nothing.
fn head(id: &str) -> &str {
    id.strip_prefix("GL").unwrap_or(id)
}

fn cut(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "ok",
        Verdict::Fail => "FAIL",
        Verdict::Unknown => "?",
    }
}

fn painted(paint: Paint, verdict: Verdict, text: &str) -> String {
    match verdict {
        Verdict::Pass => text.to_owned(),
        Verdict::Fail => paint.severity(crate::finding::Severity::Error, text),
        Verdict::Unknown => paint.severity(crate::finding::Severity::Warning, text),
    }
}

fn legend(part: Part<'_>, out: &mut dyn Write) -> io::Result<()> {
    for item in &part.matrix.items {
        writeln!(out, "{}  {}", item.id, title(item))?;
    }
    writeln!(out)
}

/// What fails of one operation, with its evidence, and what is unknown, with the reason.
fn details(
    view: &View<'_>,
    (part, row): (Part<'_>, &Row),
    options: &MatrixOptions,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let told: Vec<(&Rule, &Cell)> =
        part.cells(row).filter(|(_, cell)| cell.verdict != Verdict::Pass).collect();
    if told.is_empty() {
        return Ok(());
    }
    let function = escape::line(&row.function);
    writeln!(out, "{} ({function}), {}", escape::line(&row.name), view.line(row.registered))?;
    for verdict in [Verdict::Fail, Verdict::Unknown] {
        for (item, cell) in told.iter().filter(|(_, cell)| cell.verdict == verdict) {
            let mark = painted(paint, verdict, verdict.word());
            writeln!(out, "  {} {mark}: {}", item.id, title(item))?;
            for evidence in view.evidence(row, item, cell) {
                let head = format!("    {}: ", view.line(evidence.place));
                let mut lines = Lines::new(&head, "      ", options.width);
                lines.words(&escape::line(&evidence.text));
                writeln!(out, "{}", lines.text)?;
            }
        }
    }
    writeln!(out)
}
