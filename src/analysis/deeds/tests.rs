//! Whichever function is asked first, and however deep the calls go, the deeds are the same.

use camino::Utf8Path;
use proptest::prelude::*;

use super::{Deed, Deeds};
use crate::catalog::Catalog;
use crate::frontend;
use crate::ir::Lang;
use crate::link::{Crates, Func, Program, Unit, link};

fn linked<R>(code: &str, look: impl FnOnce(&Program<'_>, &Catalog) -> R) -> R {
    let catalog = Catalog::load([]).expect("it is valid");
    let facts = frontend::lower(code, Lang::Python);
    let units = [Unit { path: Utf8Path::new("agent.py"), facts: &facts, is_test: false, holds_tests: false }];
    look(&link(&units, Crates::default(), None, &catalog), &catalog)
}

/// What all functions do if they are asked for in this order.
fn asked(program: &Program<'_>, catalog: &Catalog, order: &[Func]) -> Vec<Deed> {
    let deeds = Deeds::new(program, catalog);
    order.iter().for_each(|&func| drop(deeds.of(func)));
    all(program).map(|func| (*deeds.of(func)).clone()).collect()
}

fn all(program: &Program<'_>) -> impl Iterator<Item = Func> + use<> {
    (0..program.functions.len() as u32).map(Func)
}

fn deed(code: &str, name: &str) -> Deed {
    linked(code, |program, catalog| {
        let func = all(program).find(|&func| program.name(func) == name).expect("it is defined");
        (*Deeds::new(program, catalog).of(func)).clone()
    })
}

/// A function that calls others, the way guards do.
fn body() -> impl Strategy<Value = (usize, usize, usize)> {
    (0usize..10, 0usize..16, 0usize..16)
}

fn code(bodies: &[(usize, usize, usize)]) -> String {
    let written = |(at, &(kind, one, other)): (usize, &(usize, usize, usize))| {
        let (one, other) = (one % bodies.len(), other % bodies.len());
        let body = match kind {
            0 => format!("return f{one}(text)"),
            1 => "return text".to_owned(),
            2 => "raise ValueError(text)".to_owned(),
            3 => format!("if text:\n        return f{one}(text)\n    return f{other}(text)"),
            4 => format!(
                "try:\n        f{one}(text)\n    except ValueError:\n        return None\n    return text"
            ),
            5 => format!("return '<external>' + f{one}(text)"),
            6 => format!("return not f{one}(text)"),
            7 => format!("f{one}(text)\n    f{other}(text)\n    return True"),
            8 => format!("while f{one}(text):\n        text = f{other}(text)\n    return text"),
            _ => format!("SEEN.append(text)\n    return f{one}(text) if text else None"),
        };
        format!("def f{at}(text):\n    {body}\n\n\n")
    };
    let functions: String = bodies.iter().enumerate().map(written).collect();
    format!("SEEN = []\n\n\n{functions}")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn it_does_not_matter_who_is_asked_first(bodies in prop::collection::vec(body(), 1..16)) {
        linked(&code(&bodies), |program, catalog| {
            let known = asked(program, catalog, &[]);
            for first in all(program) {
                prop_assert_eq!(&known, &asked(program, catalog, &[first]));
            }
            let backwards: Vec<Func> = all(program).collect::<Vec<_>>().into_iter().rev().collect();
            prop_assert_eq!(&known, &asked(program, catalog, &backwards));
            Ok(())
        })?;
    }
}

fn chain(length: usize, last: &str) -> String {
    let one = |at: usize| format!("def f{at}(text):\n    return f{}(text)\n\n\n", at + 1);
    (0..length).map(one).collect::<String>() + &format!("def f{length}(text):\n    return {last}\n")
}

#[test]
fn a_long_chain_is_followed_to_its_end() {
    let first = deed(&chain(10_000, "text"), "f0");
    assert!(!first.is_open && first.returns.iter().all(|(_, worth)| worth.is_itself), "{first:?}");
}

#[test]
fn what_calls_itself_does_what_its_other_ways_do() {
    let first = deed(
        "def f(text, left):\n    if left:\n        return g(text, left - 1)\n    return text\n\n\n\
         def g(text, left):\n    if left:\n        return f(text, left - 1)\n    return text\n",
        "f",
    );
    assert!(!first.is_open && !first.refuses() && first.is_toothless(), "{first:?}");
}

#[test]
fn what_only_calls_itself_is_an_open_question() {
    let first = deed("def f(text):\n    return g(text)\n\n\ndef g(text):\n    return f(text)\n", "f");
    assert_eq!(first, Deed::unknown());
}
