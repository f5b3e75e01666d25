//! How the tests of a front end state what a source becomes: as the text that `ir::print` makes of it.

use super::{MAX_DEPTH, lower};
use crate::ir::print::print;
use crate::ir::{Facts, Lang, ProblemKind};

/// The facts of a source, which keep what must hold of all facts.
pub(super) fn facts(source: &str, lang: Lang) -> Facts {
    let facts = lower(source, lang);
    assert_eq!(facts.check(MAX_DEPTH), Ok(()), "{source}");
    facts
}

/// Everything, as printed.
pub(super) fn dump(source: &str, lang: Lang) -> String {
    let mut out = String::new();
    print(&facts(source, lang), source, &mut out).expect("a string takes all");
    out
}

/// The statements of the function with this number, one below the other; `expected` may be indented as the test likes.
#[track_caller]
pub(super) fn check_function(number: usize, source: &str, lang: Lang, expected: &str) {
    let dump = dump(source, lang);
    let inside = dump.lines().skip_while(|line| !line.starts_with(&format!("fn {number} "))).skip(2);
    let lines: Vec<_> = inside.take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    let found = lines.join("\n");
    let found = found.strip_suffix(')').unwrap_or(&found);
    assert_eq!(found, trimmed(expected), "\n{dump}");
}

pub(super) fn problems(source: &str, lang: Lang) -> Vec<ProblemKind> {
    facts(source, lang).problems.iter().map(|problem| problem.kind).collect()
}

/// The source text of every call, in order of its node.
pub(super) fn calls(source: &str, lang: Lang) -> Vec<String> {
    let facts = facts(source, lang);
    let text = |site: &crate::ir::Site| {
        let span = facts.span(site.expr);
        source[span.lo as usize..span.hi as usize].to_owned()
    };
    facts.calls().iter().map(text).collect()
}

pub(super) fn trimmed(text: &str) -> String {
    text.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n")
}
