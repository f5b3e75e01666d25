//! One finding, or one mistake in a configuration, as miette draws it. The adapter to miette's trait is private here:
//! findings are no errors, they only look like them on a terminal.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::excerpt::Excerpts;
use crate::config::{Mistake, Mistakes};
use crate::explain;
use crate::finding::{Finding, Place, Severity};
use crate::report::places::Places;
use crate::report::{chain, confidence, escape};
use crate::source::LineIndex;

/// What stands before code: the number of its line and a border.
const GUTTER: usize = 9;

pub struct Drawer {
    handler: GraphicalReportHandler,
    /// Code that is wider is cut.
    max_chars: usize,
}

impl Drawer {
    pub fn new(color: bool, width: usize) -> Self {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(width)
            .with_links(false)
            // See `escape::line`: lines may only be wrapped where it looked.
            .with_break_words(false)
            .without_syntax_highlighting();
        Self { handler, max_chars: width.saturating_sub(GUTTER) }
    }

    /// `with_help`: with what to do about it.
    pub fn finding(&self, finding: &Finding, places: &Places, with_help: bool) -> String {
        let code =
            format!("{}[{}] {}", explain::severity(finding.severity), finding.rule.id, finding.rule.name);
        let mut excerpts = Excerpts::new(self.max_chars);
        let mut labels = vec![label(&mut excerpts, finding.primary, places)];
        if let Some(last) = finding.steps.last().filter(|step| step.place != finding.primary) {
            let is_way = finding.steps.first().is_some_and(|first| first.place == finding.primary);
            let mut end = label(&mut excerpts, last.place, places);
            let count = finding.steps.len();
            // Steps that begin elsewhere are further places of the same.
            match is_way {
                true => {
                    labels[0].set_label(Some("1. starts here".to_owned()));
                    end.set_label(Some(format!("{count}. ends here")));
                }
                false => end.set_label(Some(format!("{count}. here, too"))),
            }
            labels.push(end);
        }
        self.draw(&Card {
            severity: finding.severity,
            code: Some(code + confidence(finding.confidence)),
            message: escape::line(&finding.message).into_owned(),
            path: Hop::chain(finding, places),
            excerpts,
            labels,
            help: with_help.then(|| escape::line(finding.help()).into_owned()),
        })
    }

    pub fn mistake(&self, mistake: &Mistake, of: &Mistakes) -> String {
        let index = LineIndex::new(&of.text);
        let start = index.line_col(mistake.span.start as u32);
        let columns = on_line(&index, start.line, mistake.span.clone());
        let mut excerpts = Excerpts::new(self.max_chars);
        let span = excerpts.add(&escape::line(of.path.as_str()), &index, start, columns);
        self.draw(&Card {
            severity: Severity::Error,
            code: None,
            message: escape::line(&mistake.message).into_owned(),
            path: None,
            excerpts,
            labels: vec![LabeledSpan::new_primary_with_span(Some(mistake.label.clone()), span)],
            help: mistake.help.as_deref().map(|help| escape::line(help).into_owned()),
        })
    }

    fn draw(&self, card: &Card) -> String {
        let mut drawn = String::new();
        // Writing to a string cannot fail, and an excerpt always holds its own place.
        let _ = self.handler.render_report(&mut drawn, card);
        drawn
    }
}

fn label(excerpts: &mut Excerpts, place: Place, places: &Places) -> LabeledSpan {
    let index = places.index(place.file);
    let start = index.line_col(place.span.lo);
    let columns = on_line(&index, start.line, place.span.lo as usize..place.span.hi as usize);
    let span = excerpts.add(&escape::line(places.path(place)), &index, start, columns);
    LabeledSpan::new_primary_with_span(None, span)
}

/// The bytes of the line that belong to the span, at whole characters.
fn on_line(index: &LineIndex, line: u32, span: Range<usize>) -> Range<usize> {
    let range = index.line_range(line);
    let code = index.line_text(line);
    let start = code.floor_char_boundary(span.start.clamp(range.start, range.end) - range.start);
    let end = code.floor_char_boundary(span.end.clamp(range.start, range.end) - range.start);
    start..end.max(start)
}

#[derive(Debug)]
struct Card {
    severity: Severity,
    code: Option<String>,
    message: String,
    path: Option<Box<Hop>>,
    excerpts: Excerpts,
    labels: Vec<LabeledSpan>,
    help: Option<String>,
}

/// A step of the path. miette draws a chain of causes, which is what a path looks like.
#[derive(Debug)]
struct Hop {
    text: String,
    next: Option<Box<Hop>>,
}

impl Hop {
    fn chain(finding: &Finding, places: &Places) -> Option<Box<Hop>> {
        let lines = chain::lines(finding, places).into_iter();
        lines.rev().fold(None, |next, text| Some(Box::new(Hop { text, next })))
    }
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Hop {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.next.as_deref().map(|hop| hop as _)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Card {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.path.as_deref().map(|hop| hop as _)
    }
}

impl Diagnostic for Card {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.code.as_ref().map(|code| Box::new(code) as _)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpts)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
