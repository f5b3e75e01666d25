//! Text to syntax: the one place that calls the parser of whole files. It decides on which stack that is safe, and when it
//! is not safe at all.

use std::thread;

use syn::File;

use super::nesting::{Survey, survey_from};
use crate::ir::{Problem, ProblemKind, Span};

/// Up to here any thread's stack will do.
pub(super) const SHALLOW: usize = 150;
/// Beyond this no stack will.
const DEEP: usize = 5_000;
/// More than syn needs for `DEEP` levels of anything, and only touched as far as it is used.
const STACK_BYTES: usize = 64 << 20;

/// A file as syn sees it.
pub(super) struct Parsed {
    pub file: File,
    /// Where the text that was parsed begins.
    pub offset: u32,
    pub notes: Vec<Span>,
}

/// A file that syn did not take, and why.
pub(super) struct Rejected {
    pub problem: Problem,
    pub notes: Vec<Span>,
    /// How deep an item of it may nest to be read on this stack.
    pub limit: usize,
}

/// Parses, and does the rest of the work on the same stack, because to walk or drop a tree takes as much of it.
pub(super) fn with_parsed<T: Send>(
    text: &str,
    then: impl Fn(Result<Parsed, Rejected>) -> T + Send + Sync,
) -> T {
    // A `#!` line may hold a quote, behind which nothing would seem to nest.
    let survey = survey_from(text, start(text));
    if survey.deepest <= SHALLOW {
        return then(parse(text, &survey, SHALLOW));
    }
    let done = thread::scope(|scope| {
        let work = || then(parse(text, &survey, DEEP));
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()?;
        thread.join().ok()
    });
    done.unwrap_or_else(|| then(parse(text, &survey, SHALLOW)))
}

fn parse(text: &str, survey: &Survey, limit: usize) -> Result<Parsed, Rejected> {
    let notes = survey.notes.clone();
    let end = text.len() as u32;
    if survey.deepest > limit {
        let problem = Problem { span: Span { lo: 0, hi: end }, kind: ProblemKind::TooDeep };
        return Err(Rejected { problem, notes, limit });
    }
    let offset = start(text);
    match syn::parse_str::<File>(&text[offset..]) {
        Ok(file) => Ok(Parsed { file, offset: offset as u32, notes }),
        Err(error) => {
            let at = error.span().byte_range();
            let place = |at: usize| ((at + offset) as u32).min(end);
            let span = Span { lo: place(at.start), hi: place(at.end) };
            Err(Rejected { problem: Problem { span, kind: ProblemKind::HidesCode }, notes, limit })
        }
    }
}

/// Behind a byte order mark and a `#!` line, which no parser of expressions expects.
fn start(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = &text[mark..];
    let is_attribute = || rest[2..].trim_start().starts_with('[');
    if rest.starts_with("#!") && !is_attribute() {
        return mark + rest.find('\n').unwrap_or(rest.len());
    }
    mark
}
