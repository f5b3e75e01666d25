//! Which exceptions leave a function: by its own raises and those of what it calls, past which handlers.

use gatelint::analysis::Escapes;
use gatelint::config::LayerSet;
use gatelint::engine::{lower, units};
use gatelint::finding::Confidence;
use gatelint::link::{Crates, Func, link};
use gatelint::rule::builtin_catalog;

use crate::project::files;

/// What leaves `start`, as `line: class`, with a question mark for each step of doubt, and the way there if it is longer.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let files = files(code);
    let catalog = builtin_catalog().expect("the catalogue is valid");
    let facts = lower(&files);
    let layers = vec![LayerSet::EMPTY; files.len()];
    let units = units(&files, &facts, &layers);
    let program = link(&units, Crates::default(), None, &catalog);
    let functions = (0..program.functions.len() as u32).map(Func);
    let start = functions.filter(|&func| program.name(func) == "start").last().expect("`start` is there");
    let line = |func: Func, expr| {
        let file = program.function(func).file;
        let lo = program.facts(file).span(expr).lo as usize;
        files[file.0 as usize].text[..lo].lines().count()
            + usize::from(files[file.0 as usize].text[..lo].ends_with('\n'))
    };
    let escapes = Escapes::find(&program, &catalog, &[start]);
    let found: Vec<String> = escapes
        .of(&program, &catalog, start)
        .iter()
        .map(|escape| {
            let doubt = match escape.confidence {
                Confidence::High => "",
                Confidence::Medium => "?",
                Confidence::Low => "??",
            };
            let class = escape.exception.as_ref().map_or("-", |exception| exception.name(&program));
            let way = escape.way.iter().skip(1).map(|&(func, _)| format!(" > {}", program.name(func)));
            format!("{}: {class}{doubt}{}", line(start, escape.at), way.collect::<String>())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_handler_takes_its_class_and_those_below() {
    check(
        "
class AppError(ValueError): pass
class Deep(AppError): pass

def start(x):
    try:
        if x: raise Deep()
        if x > 1: raise KeyError()
        raise TypeError()
    except ValueError:
        pass
    except LookupError:
        pass
",
        &["9: TypeError"],
    );
}

#[test]
fn each_class_is_held_by_itself() {
    check(
        "
def helper(x):
    if x: raise ValueError()
    raise KeyError()

def start(x):
    try:
        helper(x)
    except ValueError:
        pass
    try:
        helper(x)
    except ValueError:
        pass
    except KeyError:
        pass
",
        &["8: KeyError > helper"],
    );
}

#[test]
fn what_is_raised_again_has_the_class_of_the_handler() {
    check(
        "
def start(x):
    try:
        return x[0]
    except (IndexError, KeyError) as error:
        if x: raise
        raise error
",
        &["6: IndexError", "7: IndexError"],
    );
}

#[test]
fn an_unknown_class_may_be_held() {
    check(
        "
def start(make):
    try:
        raise make()
    except ValueError:
        pass
    try:
        raise make()
    except Exception:
        pass
",
        &["4: -?"],
    );
}

#[test]
fn a_library_class_nobody_knows_is_hardly_reported() {
    check(
        "
from somewhere import Odd

def start():
    try:
        raise Odd()
    except ValueError:
        pass
",
        &["6: Odd??"],
    );
}

#[test]
fn members_of_a_cycle_let_out_what_one_of_them_raises() {
    check(
        "
def one(x): return two(x - 1)
def two(x):
    if not x: raise RuntimeError()
    return one(x)

def start(x):
    return one(x)
",
        &["8: RuntimeError > one > two"],
    );
}

#[test]
fn a_return_in_finally_holds_everything() {
    check(
        "
def start(x):
    while x:
        try:
            raise ValueError()
        finally:
            break
    try:
        raise KeyError()
    finally:
        return
",
        &[],
    );
}

#[test]
fn an_error_that_another_function_makes() {
    check(
        "
def failure(text):
    return ValueError(text)

def start(x):
    error = KeyError()
    if x: raise failure('x') from error
    raise error
",
        &["7: ValueError", "8: KeyError"],
    );
}

#[test]
fn only_code_that_runs_raises() {
    check(
        "
def start(x):
    if False:
        raise ValueError()
    def later():
        raise KeyError()
    match x:
        case 1: return
        case _: return
    raise TypeError()
",
        &[],
    );
}

/// What is raised at one end of a cycle is known at the other, however long the way and in whatever order they are walked.
#[test]
fn a_long_cycle_is_walked_to_its_end() {
    const LENGTH: usize = 40;
    for step in [1, LENGTH - 1] {
        let links =
            (1..LENGTH).map(|at| format!("def link{at}(x):\n    return link{}(x)\n", (at + step) % LENGTH));
        let links: String = links.collect();
        let last = (LENGTH - step) % LENGTH;
        let code = format!(
            "\ndef link0(x):\n    return link{step}(x)\n{}\ndef start(x):\n    link0(x)\n",
            links.replace(
                &format!("def link{last}(x):\n"),
                &format!("def link{last}(x):\n    if x: raise KeyError()\n")
            ),
        );
        let mut way = (0..LENGTH).map(|at| format!(" > link{}", at * step % LENGTH));
        let line = code.lines().count();
        let expected = format!("{line}: KeyError{}", way.by_ref().collect::<String>());
        check(&code, &[&expected]);
    }
}
