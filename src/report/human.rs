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

pub(super) use summary::entry_points;
pub use summary::facts;

use std::collections::BTreeSet;
use std::io::{self, Write};

use card::Drawer;
use sections::{Group, Part, Sections};
pub(super) use wrap::Lines;

use super::order::View;
use super::paint::Paint;
use super::places::Places;
use super::{ReportOptions, confidence, escape, via};
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
        list: rollup::List { places: &places, paint, width, full },
        helped: BTreeSet::new(),
    };
    canvas.reached(sections, out)?;
    let Sections { bypasses, rest, .. } = sections;
    let is_alone = sections.reachable.is_empty() && bypasses.count() == 0;
    canvas.part(BYPASSES, bypasses, out)?;
    if !bypasses.listed.is_empty() {
        rollup::note(BYPASSED, width, out)?;
    }
    canvas.part(if is_alone { "" } else { "the rest" }, rest, out)?;
    if !rest.listed.is_empty() {
        rollup::note(&rollup::unreached(view), width, out)?;
    }
    waived::write(view, &places, paint, width, out)
}

const BYPASSES: &str = "ways past a gate that the agent is not known to take";
const BYPASSED: &str = "no tool, comm handler or planning function is known to lead to these functions; one that does \
    reaches the effect without a gate";

/// So many other beginnings of a path are listed below it.
const MAX_ALSO: usize = 5;

/// Draws findings whole; what to do about a rule is said once.
struct Canvas<'a, 'o> {
    drawer: Drawer,
    list: rollup::List<'a, 'o>,
    helped: BTreeSet<&'a str>,
}

impl<'a> Canvas<'a, '_> {
    fn reached(&mut self, sections: &Sections<'a>, out: &mut dyn Write) -> io::Result<()> {
        let (drawn, listed) = (sections::count(&sections.reachable), sections::count_listed(&sections.more));
        if drawn > 0 {
            self.head(&format!("reachable by the agent ({})", drawn + listed), out)?;
            self.draw(&sections.reachable, out)?;
        }
        if listed > 0 {
            let head = format!("{listed} more that it reaches, by file (`--full` shows all)");
            self.list.write(&head, &sections.more, out)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Under its title; findings that are all there is need none unless they are listed.
    fn part(&mut self, title: &str, part: &Part<'a>, out: &mut dyn Write) -> io::Result<()> {
        if !part.drawn.is_empty() && !title.is_empty() {
            self.head(&format!("{title} ({})", part.count()), out)?;
        }
        self.draw(&part.drawn, out)?;
        if !part.listed.is_empty() {
            let title = if title.is_empty() { "all findings" } else { title };
            self.list.write(&format!("{title}, by file ({})", part.count()), &part.listed, out)?;
        }
        Ok(())
    }

    fn head(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", self.list.paint.bold(text))
    }

    fn draw(&mut self, groups: &[Group<'a>], out: &mut dyn Write) -> io::Result<()> {
        for Group { first, also } in groups {
            let is_new = self.helped.insert(&first.rule.id);
            write!(out, "{}", self.drawer.finding(first, self.list.places, is_new))?;
            if let Some(via) = &first.via {
                let mut line = Lines::new("  ", "    ", self.list.width);
                line.words(&format!("reached via {}", via::line(via, self.list.places)));
                writeln!(out, "{}", line.text)?;
            }
            let listed = if self.list.full { also.len() } else { also.len().min(MAX_ALSO) };
            for other in &also[..listed] {
                writeln!(out, "{}", self::also(other, first, self.list.places, self.list.width))?;
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
