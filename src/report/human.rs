//! The `human` format: what was understood, what an agent reaches first and the worst of it whole, the rest one line per
//! file, then what was not understood, true totals and what to do next. Findings are drawn by miette.

mod card;
mod excerpt;
mod next;
mod rollup;
mod sections;
mod summary;
mod waived;
pub(super) mod wrap;

pub use summary::facts;

use std::collections::BTreeSet;
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
    let paint = Paint { color: options.color };
    summary::understood(view, paint, options.width, out)?;
    if options.statistics {
        summary::write(view, options, out)?;
        return out.flush();
    }
    let sections = Sections::new(view, options.full);
    findings(view, &sections, options, out)?;
    summary::write(view, options, out)?;
    next::write(view, sections.first(), paint, options.width, out)?;
    out.flush()
}

fn findings(
    view: &View,
    sections: &Sections,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ReportOptions { width, full, .. } = *options;
    let places = Places::new(view.outcome);
    let paint = Paint { color: options.color };
    let mut canvas = Canvas {
        drawer: Drawer::new(options.color, width),
        places: &places,
        helped: BTreeSet::new(),
        full,
        width,
    };
    let Sections { reachable, more, rest, rolled_up } = sections;
    let (drawn, listed) = (sections::count(reachable), rollup::count(more));
    if drawn > 0 {
        writeln!(out, "{}\n", paint.bold(&format!("reachable by the agent ({})", drawn + listed)))?;
        canvas.draw(reachable, out)?;
    }
    let list = rollup::List { places: &places, paint, width, full };
    if listed > 0 {
        let head = format!("{listed} more that it reaches, by file (`--full` shows all)");
        list.write(&head, more, out)?;
        writeln!(out)?;
    }
    if drawn > 0 && !rest.is_empty() {
        writeln!(out, "{}\n", paint.bold(&format!("the rest ({})", sections::count(rest))))?;
    }
    canvas.draw(rest, out)?;
    if !rolled_up.is_empty() {
        let what = if drawn == 0 { "all findings" } else { "the rest" };
        list.write(&format!("{what}, by file ({})", rollup::count(rolled_up)), rolled_up, out)?;
        rollup::note(view, width, out)?;
    }
    waived::write(view, &places, paint, width, out)
}

/// So many other beginnings of a path are listed below it.
const MAX_ALSO: usize = 5;

/// Draws findings whole; what to do about a rule is said once.
struct Canvas<'a, 'o> {
    drawer: Drawer,
    places: &'a Places<'o>,
    helped: BTreeSet<&'a str>,
    full: bool,
    width: usize,
}

impl<'a> Canvas<'a, '_> {
    fn draw(&mut self, groups: &[Group<'a>], out: &mut dyn Write) -> io::Result<()> {
        for Group { first, also } in groups {
            let is_new = self.helped.insert(&first.rule.id);
            write!(out, "{}", self.drawer.finding(first, self.places, is_new))?;
            let listed = if self.full { also.len() } else { also.len().min(MAX_ALSO) };
            for other in &also[..listed] {
                writeln!(out, "{}", self::also(other, first, self.places, self.width))?;
            }
            if also.len() > listed {
                writeln!(out, "  and from {} more (`--full` lists them)", also.len() - listed)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
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

/// Whoever made more of them has made one of them many times.
const MAX_MISTAKES: usize = 50;

pub fn write_mistakes(mistakes: &Mistakes, color: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let drawer = Drawer::new(color, width);
    for mistake in mistakes.list.iter().take(MAX_MISTAKES) {
        writeln!(out, "{}", drawer.mistake(mistake, mistakes))?;
    }
    if let Some(more) = mistakes.list.len().checked_sub(MAX_MISTAKES).filter(|more| *more > 0) {
        let path = escape::line(mistakes.path.as_str());
        writeln!(out, "and {more} more mistakes in {path}; the first {MAX_MISTAKES} are shown\n")?;
    }
    out.flush()
}
