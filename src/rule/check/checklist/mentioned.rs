//! Items about what stands around the code: the tests and the texts that name an operation. Tests are judged one by one, so
//! that one about another operation proves nothing.

use std::collections::BTreeSet;

use super::{Judged, Operation, place};
use crate::analysis::{Test, is_gate};
use crate::config::Layer;
use crate::finding::Place;
use crate::ir::{Expr, ExprId, Span};
use crate::link::{Func, Program, Target};
use crate::rule::check::Context;
use crate::rule::check::shared::Shared;
use crate::rule::matcher::{GuardWord, TestStep, Tested};
use crate::source::FileId;

pub(super) fn tested<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    operation: &Operation,
    wanted: &Tested,
) -> Judged {
    let Some(name) = &operation.name else {
        return Judged::unknown(
            operation.registered,
            "its name is not constant, so no test can be known by it",
        );
    };
    let called = Called::of(context, operation, name);
    let tests = shared.tests(context).with_words_of(&called.texts()).into_iter();
    let named: Vec<&Test> = tests.filter(|test| called.is_named_by(test)).collect();
    if named.is_empty() {
        if !context.extent.is_whole() {
            return Judged::unknown(operation.registered, "only a part of the project was looked at");
        }
        return Judged::fail(operation.registered, format!("no test names `{name}`"));
    }
    match wanted {
        Tested::Guards(guards) => covered(context, operation, &named, guards),
        Tested::Steps(steps) => stepped(context, operation, &named, steps),
    }
}

/// What a test may call an operation.
struct Called<'n> {
    name: &'n str,
    slashed: Option<String>,
    class: Option<&'n str>,
    /// Unless every operation's function is called so.
    function: Option<&'n str>,
}

impl<'n> Called<'n> {
    fn of(context: &'n Context<'_>, operation: &Operation, name: &'n str) -> Self {
        let function = context.program.name(operation.handler);
        let is_usual = context.catalog.handlers.methods.iter().any(|method| method == function);
        Self {
            name,
            slashed: slashed(name),
            class: operation.class.map(|class| context.program.class_name(class)),
            function: (!is_usual).then_some(function),
        }
    }

    fn texts(&self) -> Vec<&str> {
        [Some(self.name), self.slashed.as_deref(), self.class, self.function].into_iter().flatten().collect()
    }

    /// True if a test speaks of the operation: by its name, its class or its function.
    fn is_named_by(&self, test: &Test) -> bool {
        test.mentions.keys().any(|text| {
            holds(text, self.name)
                || self.slashed.as_ref().is_some_and(|slashed| holds(text, slashed))
                || self.class == Some(text)
                || self.function == Some(text)
        })
    }
}

/// `/comm search` for `comm.search`.
fn slashed(name: &str) -> Option<String> {
    let (namespace, rest) = name.split_once('.')?;
    Some(format!("/{namespace} {rest}"))
}

/// True if the name stands in a text, and not as a part of another name.
fn holds(text: &str, name: &str) -> bool {
    position(text, name).is_some()
}

fn position(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + name.len()..].chars();
        let next = after.next();
        // `comm.search.` ends a sentence, `comm.search.deep` is another operation.
        let goes_on = next == Some('.') && after.next().is_some_and(is_part);
        !before.is_some_and(|c| is_part(c) || c == '.') && !next.is_some_and(is_part) && !goes_on
    })
}

fn covered(context: &Context<'_>, operation: &Operation, named: &[&Test], guards: &[GuardWord]) -> Judged {
    let words = &context.catalog.checklist;
    let is_unit = |test: &&&Test| {
        let file = context.program.function(test.func).file;
        !words.is_integration(context.sources[file.0 as usize].path.as_str())
    };
    let finds = |guard: GuardWord| {
        let patterns = match guard {
            GuardWord::Phase => &words.phase,
            GuardWord::Attribution => &words.attribution,
            GuardWord::Fence => &words.fence,
        };
        named.iter().filter(is_unit).find_map(|test| spoken(test, patterns))
    };
    let found: Vec<(GuardWord, Option<(Func, ExprId)>)> =
        guards.iter().map(|&guard| (guard, finds(guard))).collect();
    let missing: Vec<&str> =
        found.iter().filter(|(_, at)| at.is_none()).map(|(guard, _)| guard.noun()).collect();
    let seen = found.iter().filter_map(|(guard, at)| Some((guard, (*at)?)));
    if !missing.is_empty() {
        let text = format!("no test that names it is about {}", missing.join(" or "));
        return seen.fold(Judged::fail(operation.registered, text), |judged, (guard, at)| {
            judged.and(place(context, at), format!("{} is tested", guard.noun()))
        });
    }
    let mut seen = seen.map(|(guard, at)| (place(context, at), format!("{} is tested", guard.noun())));
    match seen.next() {
        Some((at, text)) => seen.fold(Judged::pass(at, text), |judged, (at, text)| judged.and(at, text)),
        None => Judged::unknown(operation.registered, "the item asks for no guard"),
    }
}

/// Where a test says one of the words.
fn spoken(test: &Test, patterns: &[String]) -> Option<(Func, ExprId)> {
    let says = |text: &str| crate::catalog::says(patterns, text);
    test.mentions.iter().find(|(text, _)| says(text)).map(|(_, at)| *at)
}

fn stepped(context: &Context<'_>, operation: &Operation, named: &[&Test], steps: &[TestStep]) -> Judged {
    let takes = |test: &Test, step: &TestStep| {
        spoken(test, &step.any).is_some() || (step.executes && executes(context, operation, test))
    };
    let missing = |test: &Test| -> Vec<&str> {
        steps.iter().filter(|step| !takes(test, step)).map(|step| step.name.as_str()).collect()
    };
    let judged = named.iter().map(|&test| (test, missing(test)));
    let Some((best, missing)) = judged.min_by_key(|(_, missing)| missing.len()) else {
        return Judged::fail(operation.registered, "no test names it");
    };
    let at = super::head(context, best.func);
    let name = context.program.short_name(best.func);
    match missing.is_empty() {
        true => Judged::pass(at, format!("`{name}` takes all steps with it")),
        false => {
            let text = "no test takes all steps with it, from the declaration to the attributed result";
            Judged::fail(operation.registered, text)
                .and(at, format!("`{name}` comes nearest; it does not {}", missing.join(" or ")))
        }
    }
}

/// True if a test runs the operation: by a call that leads to its handler, or one that is told that the phase is open. To
/// ask a gate for that phase runs nothing.
fn executes(context: &Context<'_>, operation: &Operation, test: &Test) -> bool {
    let (program, phase) = (context.program, &context.catalog.phase);
    let opens = |func: Func, expr: ExprId| {
        let facts = program.facts(program.function(func).file);
        let Expr::Call { args, .. } = *facts.expr(expr) else { return false };
        let mut args = facts.list(args).iter();
        args.any(|arg| program.text(func, arg.value).is_some_and(|text| phase.is_open(&text)))
            && is_gate(program, phase, func, expr).is_none()
    };
    let is_told = |&func: &Func| program.ir(func).exprs.iter().any(|expr| opens(func, expr));
    test.functions.iter().any(is_told) || leads_to(program, &test.functions, operation.handler)
}

/// True if production code that some of `from` call leads to `to`.
fn leads_to(program: &Program<'_>, from: &BTreeSet<Func>, to: Func) -> bool {
    let mut seen = from.clone();
    let mut todo: Vec<Func> = from.iter().copied().collect();
    while let Some(func) = todo.pop() {
        for edge in program.edges_from(func) {
            match edge.to {
                Target::Project(callee) if callee == to => return true,
                Target::Project(callee) if seen.insert(callee) => todo.push(callee),
                _ => {}
            }
        }
    }
    false
}

/// A text outside tests names the operation.
pub(super) fn documented(context: &Context<'_>, operation: &Operation) -> Judged {
    let Some(name) = &operation.name else {
        return Judged::unknown(
            operation.registered,
            "its name is not constant, so no text can be known to name it",
        );
    };
    let words: Vec<String> = [Some(name.clone()), slashed(name)].into_iter().flatten().collect();
    let is_documentation = |path: &camino::Utf8Path| {
        !crate::source::is_data(path.as_std_path()) && !context.config.layers.of(path).contains(Layer::Test)
    };
    let texts = context.texts.iter().filter(|(_, path)| is_documentation(path));
    let found = texts.filter_map(|(id, _)| Some((id, context.texts.mentioning(id, &words)?)));
    let mut places = found.filter_map(|(id, file)| {
        let (at, word) = words.iter().find_map(|word| Some((position(&file.text, word)?, word)))?;
        let span = Span { lo: at as u32, hi: (at + word.len()) as u32 };
        Some(Place { file: FileId::of_text(context.sources.len(), id), span })
    });
    match places.next() {
        Some(at) => Judged::pass(at, "this text names it"),
        None if !context.extent.is_whole() => {
            Judged::unknown(operation.registered, "only a part of the project was looked at")
        }
        None => Judged::fail(
            operation.registered,
            format!("no `.md`, `.rst` or `.txt` outside tests names `{name}`"),
        ),
    }
}
