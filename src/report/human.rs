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
use sections::{ByFile, Entry, Group, Sections};
pub(super) use wrap::Lines;

use super::order::View;
use super::paint::Paint;
use super::places::Places;
use super::{ReportOptions, confidence, counted, escape, via};
use crate::config::Mistakes;
use crate::finding::{Confidence, Finding, Via};

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
    canvas.reached(sections, full, out)?;
    canvas.others(sections, out)?;
    let Sections { entries, others, perhaps, bypasses, rest, smells } = sections;
    let guessed: Vec<&Entry<'_>> = perhaps.iter().collect();
    let head = |count, _| format!("{PERHAPS} ({count})");
    canvas.entry_points(&guessed, head, full, out)?;
    canvas.by_file(BYPASSES, bypasses, out)?;
    if !bypasses.is_empty() {
        rollup::note(BYPASSED, width, out)?;
    }
    let is_alone = entries.is_empty() && others.is_empty() && perhaps.is_empty() && bypasses.is_empty();
    canvas.by_file(if is_alone { "all findings" } else { "the rest" }, rest, out)?;
    if !rest.is_empty() {
        rollup::note(&rollup::unreached(view), width, out)?;
    }
    canvas.smells(smells, out)?;
    waived::write(view, &places, paint, width, out)
}

/// Of a way that is only inferred, nobody says more than that.
const PERHAPS: &str = "perhaps reached by the agent";
const BYPASSES: &str = "ways past a gate that the agent is not known to take";
const BYPASSED: &str = "no tool, comm handler or planning function is known to lead to these functions; one that does \
    reaches the effect without a gate";

/// So many other beginnings of a path are listed below it.
const MAX_ALSO: usize = 5;

/// So many entry points are listed of which nothing is drawn.
const MAX_ENTRIES: usize = 12;

/// So many rules are listed below what is drawn of an entry point.
const MAX_BESIDE: usize = 4;

/// Draws findings whole; what to do about a rule is said once.
struct Canvas<'a, 'o> {
    drawer: Drawer,
    list: rollup::List<'a, 'o>,
    helped: BTreeSet<&'a str>,
}

impl<'a> Canvas<'a, '_> {
    fn reached(&mut self, sections: &Sections<'a>, full: bool, out: &mut dyn Write) -> io::Result<()> {
        let (drawn, others): (Vec<_>, Vec<_>) =
            sections.entries.iter().partition(|entry| !entry.drawn.is_empty());
        if !drawn.is_empty() {
            self.head(&format!("reachable by the agent ({})", sections.reached()), out)?;
        }
        let is_first = drawn.is_empty();
        for entry in drawn {
            self.entry(entry, out)?;
        }
        let (findings, points) = match is_first {
            true => ("finding", "entry point"),
            false => ("more finding", "other entry point"),
        };
        let counts = |count, others| {
            format!("{} from {} (`--full` shows all)", counted(count, findings), counted(others, points))
        };
        self.entry_points(&others, counts, full, out)
    }

    /// A line for each of these entry points, below a head made of how many findings and entry points there are.
    fn entry_points(
        &self,
        entries: &[&Entry<'a>],
        head: impl Fn(usize, usize) -> String,
        full: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let count: usize = entries.iter().map(|entry| entry.count()).sum();
        self.head(&head(count, entries.len()), out)?;
        let listed = if full { entries.len() } else { entries.len().min(MAX_ENTRIES) };
        for entry in &entries[..listed] {
            writeln!(out, "{}", self.list.entry(entry))?;
        }
        if entries.len() > listed {
            writeln!(out, "  and {} more", entries.len() - listed)?;
        }
        writeln!(out)
    }

    /// What one entry point leads to: the worst whole, the others in a line each.
    fn entry(&mut self, entry: &Entry<'a>, out: &mut dyn Write) -> io::Result<()> {
        let Entry { via, drawn, listed } = entry;
        let at = format!("{}:{}", escape::line(self.list.places.path(via.at)), self.list.places.line(via.at));
        let head = format!("{} `{}`", via.kind.noun(), escape::line(&via.name));
        writeln!(out, "{}  {at}{}\n", self.list.paint.bold(&head), confidence(via.confidence))?;
        self.draw(drawn, Some(via), out)?;
        let shown = if self.list.full { listed.len() } else { listed.len().min(MAX_BESIDE) };
        for findings in &listed[..shown] {
            writeln!(out, "{}", self.list.beside(findings))?;
        }
        let left: usize = listed[shown..].iter().map(Vec::len).sum();
        if left > 0 {
            writeln!(out, "  and {left} more (`--full` lists them)")?;
        }
        if !listed.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    /// What is worth a look by itself; findings that are all there is need no title.
    fn others(&mut self, sections: &Sections<'a>, out: &mut dyn Write) -> io::Result<()> {
        let others = &sections.others;
        if !others.is_empty() && !sections.entries.is_empty() {
            self.head(&format!("not surely reached by the agent ({})", sections::count(others)), out)?;
        }
        self.draw(others, None, out)
    }

    fn by_file(&self, title: &str, listed: &ByFile<'a>, out: &mut dyn Write) -> io::Result<()> {
        if listed.is_empty() {
            return Ok(());
        }
        self.list.write(&format!("{title}, by file ({})", sections::count_listed(listed)), listed, out)
    }

    /// What is no reason to look at anything by itself: where it happens, by rule.
    fn smells(&self, smells: &[Vec<&Finding>], out: &mut dyn Write) -> io::Result<()> {
        if smells.is_empty() {
            return Ok(());
        }
        let count = smells.iter().map(Vec::len).sum::<usize>();
        self.head(&format!("lesser findings, by rule ({count})"), out)?;
        for findings in smells {
            writeln!(out, "{}", self.list.smell(findings))?;
        }
        writeln!(out)
    }

    fn head(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", self.list.paint.bold(text))
    }

    /// `below`: the entry point whose name stands above them.
    fn draw(&mut self, groups: &[Group<'a>], below: Option<&Via>, out: &mut dyn Write) -> io::Result<()> {
        for Group { first, also } in groups {
            let is_new = self.helped.insert(&first.rule.id);
            write!(out, "{}", self.drawer.finding(first, self.list.places, is_new))?;
            if let Some(via) =
                first.via.as_ref().filter(|via| is_worth_telling(via, below, first, self.list.full))
            {
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

/// Below another heading it is told where the finding has no way of its own; a way that is perhaps none is asked for.
fn is_worth_telling(via: &Via, below: Option<&Via>, finding: &Finding, full: bool) -> bool {
    match below {
        Some(_) => via.calls > 0 && finding.steps.is_empty(),
        None => full || via.confidence == Confidence::High,
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
