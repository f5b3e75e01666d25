//! What the program itself says was not seen: modules without source, text that was not understood, calls that nothing
//! resolves. Analyses add what they did not follow to its end.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::analysis::{Effects, Reached, acting};
use crate::catalog::EffectKind;
use crate::finding::{Incomplete, Named, Place};
use crate::ir::{Expr, Lit, Span};
use crate::link::{Absence, At, Compiled, Func, Program};
use crate::source::{FileId, SourceFile};

/// What an agent must not do in silence; a model may be asked.
const ACTS: [EffectKind; 6] = [
    EffectKind::Network,
    EffectKind::Process,
    EffectKind::Storage,
    EffectKind::File,
    EffectKind::Hardware,
    EffectKind::Comm,
];

/// The calls of production code that entry points reach and that may run more than is known, one entry a function.
pub fn unresolved(program: &Program<'_>, reached: &Reached<'_>) -> Vec<Incomplete> {
    let mut functions: BTreeMap<Func, (At, usize)> = BTreeMap::new();
    for call in program.calls.iter().filter(|call| call.may_run_more()) {
        if reached.is(call.from) && !program.is_test_code(call.from) {
            functions.entry(call.from).or_insert((call.at, 0)).1 += 1;
        }
    }
    let functions = functions
        .into_iter()
        .map(|(func, (at, calls))| Incomplete::unresolved(named(program, func, at), calls));
    functions.collect()
}

/// The calls of which too many values of too many kinds are known, where an agent reaches them and one that may be meant acts:
/// one entry a function.
pub fn open_calls(program: &Program<'_>, effects: &Effects, reached: &Reached<'_>) -> Vec<Incomplete> {
    let is_reached = |func: Func| reached.is(func) && !program.is_test_code(func);
    let mut open = program.calls.iter().filter(|call| call.is_open && is_reached(call.from)).peekable();
    if open.peek().is_none() {
        return Vec::new();
    }
    let acting = acting(program, effects, &ACTS);
    let functions = (0..program.functions.len() as u32).map(Func);
    let methods: FxHashSet<&str> = functions
        .filter(|func| acting[func.0 as usize] && program.function(*func).class.is_some())
        .map(|func| program.name(func))
        .collect();
    let open = open.filter(|call| method_name(program, call.at).is_none_or(|name| methods.contains(name)));
    let mut first: BTreeMap<Func, At> = BTreeMap::new();
    open.for_each(|call| {
        first.entry(call.from).or_insert(call.at);
    });
    first.into_iter().map(|(func, at)| Incomplete::open_call(named(program, func, at))).collect()
}

/// The name by which a call looks for a method, if it does.
fn method_name<'p>(program: &Program<'p>, at: At) -> Option<&'p str> {
    let facts = program.facts(at.file);
    let Expr::Call { callee, .. } = *facts.expr(at.expr) else { return None };
    match *facts.expr(callee) {
        Expr::Field { name, .. } => Some(facts.str(name)),
        _ => None,
    }
}

/// A function, at a call in it.
fn named(program: &Program<'_>, func: Func, at: At) -> Named {
    let at = Place { file: at.file, span: program.span(at) };
    Named { name: program.short_name(func), path: program.function(func).path.to_string(), at }
}

/// The modules that production code imports and whose source is not in the tree.
pub fn unseen<'p>(
    program: &'p Program<'_>,
    compiled: &Compiled,
) -> impl Iterator<Item = Incomplete> + use<'p> {
    let absent = program.absent_modules(compiled).into_iter().chain(program.unexpanded());
    absent.map(|absent| {
        let why = match absent.why {
            Absence::Compiled(file) => format!("is `{file}`, which is no source"),
            Absence::Nowhere => "is not in the tree".to_owned(),
            Absence::Made(by) => format!("is made here by the macro `{by}`, which is not expanded"),
            Absence::Included => "is put into this place as text, which is not followed".to_owned(),
        };
        Incomplete::unseen(absent.module, Place { file: absent.file, span: absent.span }, &why)
    })
}

/// Files of production code in which a name or a text was not understood; comments do not count.
pub fn lossy<'p>(
    program: &'p Program<'_>,
    files: &'p [SourceFile],
) -> impl Iterator<Item = Incomplete> + use<'p> {
    let lossy = (0..).map(FileId).zip(files).filter(|(file, source)| source.lossy && !program.is_test(*file));
    lossy.filter_map(|(file, _)| {
        let facts = program.facts(file);
        let is_lost = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
        let lost = facts.exprs().find(|&expr| match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) | Expr::Free(text) | Expr::Field { name: text, .. } => {
                is_lost(facts.str(text))
            }
            _ => false,
        });
        let span = lost.map(|expr| facts.span(expr));
        let named = || facts.texts.iter().any(|&text| is_lost(facts.str(text))).then(Span::default);
        let span = span.or_else(named)?;
        Some(Incomplete::lossy(Place { file, span }))
    })
}
