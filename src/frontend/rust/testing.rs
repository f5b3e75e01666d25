//! How the tests of this front end state what a source becomes: as the text that `ir::print` makes of it.

use crate::frontend::MAX_DEPTH;
use crate::ir::print::print;
use crate::ir::{Facts, ProblemKind};

pub(in crate::frontend) fn facts(source: &str) -> Facts {
    let facts = super::lower(source);
    assert_eq!(facts.check(MAX_DEPTH), Ok(()), "{source}");
    facts
}

/// Everything, as printed.
pub(in crate::frontend) fn dump(source: &str) -> String {
    let mut out = String::new();
    print(&facts(source), source, &mut out).expect("a string takes all");
    out
}

/// The statements of the function with this number, one below the other; `expected` may be indented as the test likes.
#[track_caller]
pub(in crate::frontend) fn check_function(number: usize, source: &str, expected: &str) {
    let dump = dump(source);
    let inside = dump.lines().skip_while(|line| !line.starts_with(&format!("fn {number} "))).skip(2);
    let lines: Vec<_> = inside.take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    let found = lines.join("\n");
    let found = found.strip_suffix(')').unwrap_or(&found);
    assert_eq!(found, trimmed(expected), "\n{dump}");
}

/// The statements of a function with this body.
#[track_caller]
pub(in crate::frontend) fn check(body: &str, expected: &str) {
    check_function(1, &format!("fn f(a: A, b: B) {{ {body} }}"), expected);
}

#[track_caller]
pub(in crate::frontend) fn has(source: &str, parts: &[&str]) {
    let dump = dump(source);
    parts.iter().for_each(|part| assert!(dump.contains(part), "{part:?} in\n{dump}"));
}

pub(in crate::frontend) fn problems(source: &str) -> Vec<ProblemKind> {
    facts(source).problems.iter().map(|problem| problem.kind).collect()
}

/// The source text of every call, in order of its node.
pub(in crate::frontend) fn calls(source: &str) -> Vec<String> {
    let facts = facts(source);
    let text = |site: &crate::ir::Site| {
        let span = facts.span(site.expr);
        source[span.lo as usize..span.hi as usize].to_owned()
    };
    facts.calls.iter().map(text).collect()
}

fn trimmed(text: &str) -> String {
    text.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n")
}
