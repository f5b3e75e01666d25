//! The `human` format: what an agent reaches first and whole, the rest one line per file, then what was not understood
//! and true totals. Findings are drawn by miette.

mod card;
mod excerpt;
mod rollup;
mod sections;
mod summary;
mod waived;
mod wrap;

pub use summary::facts;

use std::io::{self, Write};

use card::Drawer;
use sections::{Group, Sections};
pub(super) use wrap::Lines;

use super::order::View;
use super::paint::Paint;
use super::places::Places;
use super::{ReportOptions, confidence, escape};
use crate::config::Mistakes;
use crate::finding::Finding;

pub fn write(view: &View, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    let paint = Paint { color: options.color };
    if options.statistics {
        summary::write(view, paint, options.width, out)?;
        return out.flush();
    }
    let drawer = Drawer::new(options.color, options.width);
    let sections = Sections::new(view);
    let Sections { reachable, rest, .. } = &sections;
    if !reachable.is_empty() {
        let head = format!("reachable by the agent ({})", sections::count(reachable));
        writeln!(out, "{}\n", paint.bold(&head))?;
        draw(reachable, &drawer, &places, options.width, out)?;
    }
    if !reachable.is_empty() && !rest.is_empty() {
        writeln!(out, "{}\n", paint.bold(&format!("the rest ({})", sections::count(rest))))?;
    }
    draw(rest, &drawer, &places, options.width, out)?;
    rollup::write(view, &sections, &places, paint, options.width, out)?;
    waived::write(view, &places, paint, options.width, out)?;
    summary::write(view, paint, options.width, out)?;
    out.flush()
}

fn draw(
    groups: &[Group],
    drawer: &Drawer,
    places: &Places,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    for group in groups {
        write!(out, "{}", drawer.finding(group.first, places))?;
        for other in &group.also {
            writeln!(out, "{}", also(other, group.first, places, width))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A path that joins the one just drawn, as one line.
fn also(other: &Finding, drawn: &Finding, places: &Places, width: usize) -> String {
    let mut line = Lines::new("  ", "    ", width);
    line.words("also from");
    if let Some(function) = other.captures.get("function") {
        line.words(&format!("`{}` at", escape::line(function)));
    }
    let at = format!("{}:{}", escape::line(places.path(other.primary)), places.line(other.primary));
    let unsure = if other.confidence == drawn.confidence { "" } else { confidence(other.confidence) };
    line.words(&(at + unsure));
    line.text
}

pub fn write_mistakes(mistakes: &Mistakes, color: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let drawer = Drawer::new(color, width);
    for mistake in &mistakes.list {
        writeln!(out, "{}", drawer.mistake(mistake, mistakes))?;
    }
    out.flush()
}
