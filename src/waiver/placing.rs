//! Where a waiver that is not there yet would stand: at the end of a line, on a line of its own above, or as one more rule
//! of a comment with the same reason. Every place is tried on the text itself: it is taken only if the new text says all
//! that the old one said, and the comment speaks of what it is for. So no string is changed and no statement is broken.

use std::collections::{BTreeMap, BTreeSet};

use super::cover::Layout;
use super::{Waiver, Waivers};
use crate::config::RuleNames;
use crate::finding::Place;
use crate::frontend;
use crate::ir::{Expr, Facts, Lit, Span};
use crate::source::{FileId, LineIndex, SourceFile};

/// Longer lines are broken by the usual formatters.
const MAX_COLUMNS: usize = 88;

/// A text with waivers.
pub struct Placed {
    pub text: String,
    /// For each of what was wanted, in its order: whether a waiver speaks of it now.
    pub is_waived: Vec<bool>,
}

/// Writes a waiver for each rule and place into the text of a file. What begins on one line gets one comment.
pub fn place(file: &SourceFile, wanted: &[(&str, Span)], reason: &str, names: &RuleNames) -> Placed {
    let lines = LineIndex::new(&file.text);
    let mut by_line: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (nth, (_, span)) in wanted.iter().enumerate() {
        by_line.entry(lines.line_col(span.lo).line).or_default().push(nth);
    }
    let mut written = Written { read: Read::new(file.clone(), names), reason, names };
    let mut is_waived = vec![false; wanted.len()];
    // From the last line to the first, so that what is still to do stays where it is.
    for group in by_line.into_values().rev() {
        let subjects: Vec<(&str, Span)> = group.iter().map(|&nth| wanted[nth]).collect();
        let done = written.waive(&subjects);
        group.into_iter().for_each(|nth| is_waived[nth] = done);
    }
    Placed { text: written.read.file.text, is_waived }
}

/// A text and what is understood of it.
struct Read {
    file: SourceFile,
    facts: Facts,
    waivers: Waivers,
}

impl Read {
    fn new(file: SourceFile, names: &RuleNames) -> Self {
        let facts = frontend::lower(&file.text, file.lang);
        let waivers = Waivers::read(std::slice::from_ref(&file), std::slice::from_ref(&facts), names);
        Self { file, facts, waivers }
    }
}

struct Written<'a> {
    read: Read,
    reason: &'a str,
    names: &'a RuleNames,
}

/// Text that goes in between two characters.
struct Insertion {
    at: usize,
    text: String,
}

impl Insertion {
    /// Where a span is afterwards.
    fn moved(&self, span: Span) -> Span {
        let (at, by) = (self.at as u32, self.text.len() as u32);
        let lo = if span.lo >= at { span.lo + by } else { span.lo };
        Span { lo, hi: if span.hi > at { span.hi + by } else { span.hi.max(lo) } }
    }
}

impl Written<'_> {
    /// One comment for everything that begins on a line; false if there is no place for it.
    fn waive(&mut self, subjects: &[(&str, Span)]) -> bool {
        let rules: BTreeSet<&str> = subjects.iter().map(|(rule, _)| *rule).collect();
        let read = self.candidates(&rules, subjects[0].1).into_iter().find_map(|insertion| {
            let mut file = self.read.file.clone();
            file.text.insert_str(insertion.at, &insertion.text);
            let after = Read::new(file, self.names);
            self.is_sound(&insertion, subjects, &after).then_some(after)
        });
        read.map(|read| self.read = read).is_some()
    }

    /// Best first.
    fn candidates(&self, rules: &BTreeSet<&str>, span: Span) -> Vec<Insertion> {
        let Read { file, facts, .. } = &self.read;
        let lines = LineIndex::new(&file.text);
        let layout = Layout::new(&file.text, facts);
        let line = lines.line_col(span.lo).line;
        let listed: Vec<&str> = rules.iter().copied().collect();
        let comment = format!(
            "{} gatelint: allow[{}] reason=\"{}\"",
            file.lang.profile().comment,
            listed.join(", "),
            self.reason
        );
        let behind = |line| behind(&lines, line, &comment);
        let above = |line| above(&file.text, &lines, line, &comment);
        let (heads, tails) = layout.lines_around(span);
        let mut candidates: Vec<Insertion> = self.merged(rules, span);
        let code = lines.line_text(line);
        let columns = code.trim_end().chars().count() + 2 + comment.chars().count();
        let fits = columns <= MAX_COLUMNS && !code.contains(file.lang.profile().comment);
        candidates.extend(behind(line).filter(|_| fits));
        candidates.extend([line].into_iter().chain(heads).filter_map(above));
        candidates.extend([line].into_iter().chain(tails).filter_map(behind));
        candidates.retain(|insertion| !is_in_text(facts, &file.text, insertion.at));
        candidates
    }

    /// The rules added to a waiver that gives the same reason and stands on the line, or alone above it. One that stands
    /// farther away speaks of more, such as a whole function.
    fn merged(&self, rules: &BTreeSet<&str>, span: Span) -> Vec<Insertion> {
        let Read { file, waivers, .. } = &self.read;
        let lines = LineIndex::new(&file.text);
        let line = lines.line_col(span.lo).line;
        let is_near = |waiver: &&Waiver| {
            let own = lines.line_col(waiver.place.span.lo).line;
            let is_alone = lines.line_text(own).trim_start().starts_with(file.lang.profile().comment);
            own == line || (is_alone && own + 1 == line)
        };
        let same = waivers.iter().map(|(_, waiver)| waiver).filter(|waiver| waiver.reason == self.reason);
        let insertions = same.filter(is_near).filter_map(|waiver| {
            let comment = file.text.get(waiver.place.span.lo as usize..waiver.place.span.hi as usize)?;
            let end = comment.find("allow").and_then(|from| Some(from + comment[from..].find(']')?))?;
            let missing = rules.iter().filter(|rule| !waiver.rules.iter().any(|known| known == *rule));
            let text: String = missing.map(|rule| format!(", {rule}")).collect();
            Some(Insertion { at: waiver.place.span.lo as usize + end, text })
        });
        insertions.collect()
    }

    /// True if nothing else changed, and a waiver for this reason speaks of all subjects.
    fn is_sound(&self, insertion: &Insertion, subjects: &[(&str, Span)], after: &Read) -> bool {
        let (before, now) = (&self.read, after);
        let kept = shape(&before.facts).into_iter().map(|span| insertion.moved(span)).eq(shape(&now.facts));
        let problems = before.facts.problems.len() == now.facts.problems.len();
        let slips = before.waivers.malformed.len() == now.waivers.malformed.len();
        let lost = before.waivers.iter().count() > now.waivers.iter().count();
        kept && problems
            && slips
            && !lost
            && subjects.iter().all(|(rule, span)| {
                let place = Place { file: FileId(0), span: insertion.moved(*span) };
                let waiver = now.waivers.covering(rule, place);
                waiver.is_some_and(|id| now.waivers.get(id).reason == self.reason)
            })
    }
}

/// The code as spans; blocks are left out, since they may begin and end with comments.
fn shape(facts: &Facts) -> Vec<Span> {
    let exprs = facts.exprs().filter(|&id| !matches!(facts.expr(id), Expr::Block(_)));
    exprs.map(|id| facts.span(id)).chain(facts.imports().iter().map(|import| import.span)).collect()
}

/// At the end of a line that does not go on behind a backslash.
fn behind(lines: &LineIndex, line: u32, comment: &str) -> Option<Insertion> {
    let code = lines.line_text(line).trim_end();
    let at = lines.line_range(line).start + code.len();
    (!code.is_empty() && !code.ends_with('\\')).then(|| Insertion { at, text: format!("  {comment}") })
}

/// On a line of its own, indented and ended like the one below.
fn above(text: &str, lines: &LineIndex, line: u32, comment: &str) -> Option<Insertion> {
    if lines.line_text(line.saturating_sub(1)).ends_with('\\') {
        return None;
    }
    let range = lines.line_range(line);
    let code = &text[range.clone()];
    let indent = &code[..code.len() - code.trim_start().len()];
    let end_of = |line| line_end(&text[lines.line_range(line).end..]);
    let end = end_of(line).or_else(|| end_of(line.saturating_sub(1))).unwrap_or("\n");
    Some(Insertion { at: range.start, text: format!("{indent}{comment}{end}") })
}

fn line_end(rest: &str) -> Option<&'static str> {
    ["\r\n", "\n", "\r"].into_iter().find(|end| rest.starts_with(end))
}

/// True inside a text. In the fields of a formatted text comments are only understood by some versions of Python.
fn is_in_text(facts: &Facts, text: &str, at: usize) -> bool {
    let is_quoted = |span: Span| {
        let start = text.get(span.lo as usize..).unwrap_or_default();
        start.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with(['"', '\''])
    };
    facts.exprs().any(|id| {
        let span = facts.span(id);
        let is_text = matches!(facts.expr(id), Expr::Text(_) | Expr::Lit(Lit::Str(_) | Lit::Bytes(_)));
        is_text && (span.lo as usize) < at && at < span.hi as usize && is_quoted(span)
    })
}

#[cfg(test)]
mod tests;
