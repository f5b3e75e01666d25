//! Text to tree: the one place that calls the parser of whole files. It decides on which stack that is safe, and when it is not
//! safe at all.

use std::thread;

use ruff_python_ast::{ModModule, PySourceType};
use ruff_python_parser::{Parsed, parse_unchecked_source};

use super::nesting;
use super::places::span_of;
use crate::ir::{Problem, ProblemKind, Span};

/// Up to here any thread's stack will do.
const SHALLOW: usize = 150;
/// Beyond this no stack will.
const DEEP: usize = 5_000;
/// More than is needed to walk or drop `DEEP` levels of anything, and only touched as far as it is used.
const STACK_BYTES: usize = 64 << 20;

/// Parses, and does the rest of the work on the same stack, because to walk or drop a tree takes as much of it. What is not
/// parsed comes with the reason.
pub(super) fn with_parsed<T: Send>(
    text: &str,
    then: impl Fn(Result<Parsed<ModModule>, Problem>) -> T + Send + Sync,
) -> T {
    let deepest = nesting::deepest(text);
    if deepest <= SHALLOW {
        return then(parse(text));
    }
    let whole = Span { lo: 0, hi: text.len() as u32 };
    let too_deep = Problem { span: whole, kind: ProblemKind::TooDeep };
    if deepest > DEEP {
        return then(Err(too_deep));
    }
    let done = thread::scope(|scope| {
        let work = || then(parse(text));
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()?;
        thread.join().ok()
    });
    done.unwrap_or_else(|| then(Err(too_deep)))
}

fn parse(text: &str) -> Result<Parsed<ModModule>, Problem> {
    // The parser would read a NUL as a sign that it does not know; the interpreter takes no such file, and older ones ended the
    // line there.
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        let span = Span { lo: at as u32, hi: at as u32 + 1 };
        return Err(Problem { span, kind: ProblemKind::HidesCode });
    }
    let parsed = parse_unchecked_source(text, PySourceType::Python);
    match parsed.errors().first() {
        Some(error) => Err(Problem { span: span_of(error), kind: ProblemKind::HidesCode }),
        None => Ok(parsed),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lower;
    use super::{DEEP, SHALLOW, nesting, with_parsed};
    use crate::frontend::MAX_DEPTH;

    /// What nests, what it nests around, and what ends it.
    const UNITS: &[(&str, &str, &str)] = &[
        ("(", "f()", ")"),
        ("[", "f()", "]"),
        ("{a: ", "f()", "}"),
        ("f(", "f()", ")"),
        ("not ", "f()", ""),
        ("- ", "f()", ""),
        ("lambda: ", "f()", ""),
        ("a if b else ", "f()", ""),
        ("a ** ", "f()", ""),
        ("a = ", "f()", ""),
        ("", "f()", ".a"),
        ("", "f()", ".a()"),
        ("", "f()", "[0]"),
        ("", "f()", " + 1"),
        ("", "f()", " - 1 * a"),
        ("", "f()", " and 1 or a"),
        ("", "f()", " < 1"),
        ("[a for a in ", "f()", "]"),
        ("x[", "f()", "]"),
        ("f'{", "f()", "}'"),
    ];

    fn nested((open, inner, close): (&str, &str, &str), deepest: usize) -> String {
        let text = |times| format!("{}{inner}{}", open.repeat(times), close.repeat(times));
        let (mut lo, mut hi) = (1, deepest + 1);
        while hi - lo > 1 {
            let middle = usize::midpoint(lo, hi);
            if nesting::deepest(&text(middle)) <= deepest { lo = middle } else { hi = middle }
        }
        text(lo)
    }

    #[test]
    fn the_deepest_that_is_parsed_fits_on_the_stack() {
        for &unit in UNITS {
            for deepest in [SHALLOW, DEEP] {
                let text = nested(unit, deepest);
                assert!(nesting::deepest(&text) + 3 > deepest, "{unit:?}");
                assert!(with_parsed(&text, |parsed| parsed.is_ok()), "{unit:?} {deepest}");
                let facts = lower(&text);
                assert_eq!(facts.check(MAX_DEPTH), Ok(()), "{unit:?}");
                assert!(!facts.calls().is_empty(), "{unit:?}");
            }
        }
    }

    #[test]
    fn what_is_deeper_or_broken_is_not_parsed() {
        for text in ["x = ".repeat(DEEP + 1), "x = (".to_owned(), "x = 1 \0".to_owned(), "print 1".to_owned()]
        {
            assert!(with_parsed(&text, |parsed| parsed.is_err()));
        }
    }
}
