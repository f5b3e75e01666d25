//! Text to tree: the one place that calls the parser of whole files. It decides on which stack that is safe, and when it is not
//! safe at all.

use std::thread;

use ruff_python_ast::{ModModule, PySourceType};
use ruff_python_parser::{Parsed, parse_unchecked_source};

use super::nesting;

/// Up to here any thread's stack will do.
const SHALLOW: usize = 150;
/// Beyond this no stack will.
const DEEP: usize = 5_000;
/// More than is needed to walk or drop `DEEP` levels of anything, and only touched as far as it is used.
const STACK_BYTES: usize = 64 << 20;

/// Parses, and does the rest of the work on the same stack, because to walk or drop a tree takes as much of it. `None` stands
/// for a file that nests too deep or has an error.
pub(super) fn with_parsed<T: Send>(
    text: &str,
    then: impl Fn(Option<Parsed<ModModule>>) -> T + Send + Sync,
) -> T {
    let deepest = nesting::deepest(text);
    if deepest <= SHALLOW {
        return then(parse(text));
    }
    if deepest > DEEP {
        return then(None);
    }
    let done = thread::scope(|scope| {
        let work = || then(parse(text));
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()?;
        thread.join().ok()
    });
    done.unwrap_or_else(|| then(None))
}

fn parse(text: &str) -> Option<Parsed<ModModule>> {
    // The parser would read a NUL as a sign that it does not know, and the interpreter takes no such file.
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    let parsed = parse_unchecked_source(text, PySourceType::Python);
    parsed.errors().is_empty().then_some(parsed)
}
