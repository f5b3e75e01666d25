//! The matrix for a pull request: a table, and below it what fails, with its evidence.

use std::io::{self, Write};

use super::{Part, View, escape, title};
use crate::finding::checklist::Verdict;

pub fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## Enforcement checklist\n")?;
    let parts = view.parts();
    if parts.is_empty() {
        writeln!(out, "{}", escape::markdown(view.nothing()))?;
    }
    for (nth, part) in parts.into_iter().enumerate() {
        if nth > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}\n", part.totals())?;
        table(part, out)?;
        details(view, part, out)?;
    }
    if let Some(gaps) = view.gaps() {
        writeln!(out, "\n{gaps}")?;
    }
    out.flush()
}

fn table(part: Part<'_>, out: &mut dyn Write) -> io::Result<()> {
    let items = &part.matrix.items;
    let names: Vec<String> = part.rows().iter().map(|row| escape::markdown_code(&row.name)).collect();
    writeln!(out, "| item | {} |", names.join(" | "))?;
    writeln!(out, "|---|{}", "---|".repeat(names.len()))?;
    for (at, item) in items.iter().enumerate() {
        let marks: Vec<&str> = part.rows().iter().map(|row| mark(row.cells[at].verdict)).collect();
        writeln!(out, "| {} {} | {} |", item.id, escape::markdown(title(item)), marks.join(" | "))?;
    }
    Ok(())
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "**fail**",
        Verdict::Unknown => "unknown",
    }
}

fn details(view: &View<'_>, part: Part<'_>, out: &mut dyn Write) -> io::Result<()> {
    for row in part.rows() {
        let told: Vec<_> = part.cells(row).filter(|(_, cell)| cell.verdict != Verdict::Pass).collect();
        if told.is_empty() {
            continue;
        }
        let at = view.line(row.registered).to_string();
        writeln!(
            out,
            "\n### {}\n\nregistered at {}\n",
            escape::markdown_code(&row.name),
            escape::markdown_code(&at)
        )?;
        for (item, cell) in told {
            writeln!(out, "- **{} {}**: {}", item.id, cell.verdict.word(), escape::markdown(title(item)))?;
            for evidence in view.evidence(row, item, cell) {
                let at = view.line(evidence.place).to_string();
                writeln!(out, "  - {}: {}", escape::markdown_code(&at), escape::markdown(&evidence.text))?;
            }
        }
    }
    Ok(())
}
