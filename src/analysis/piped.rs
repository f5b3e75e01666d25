//! Shell lines that fetch something and run it at once: `curl … | sh`, `bash <(curl …)`, `sh -c "$(curl …)"`. Reads the
//! constant text that a process is given; which programs fetch and which run is the catalogue's.

use super::effects::Effects;
use crate::catalog::{Catalog, EffectKind};
use crate::ir::{Arg, Expr, ExprId, Facts, Lit};
use crate::link::{At, Func, Program};

/// A process that is given such a line.
#[derive(Clone, Debug)]
pub struct Piped {
    pub from: Func,
    pub at: At,
    pub download: String,
    pub interpreter: String,
}

/// In order of function and place.
pub fn piped_downloads(program: &Program<'_>, catalog: &Catalog, effects: &Effects) -> Vec<Piped> {
    let mut found = Vec::new();
    for site in effects.of_kinds(&[EffectKind::Process]) {
        let facts = program.facts(site.at.file);
        let texts = given(facts, site.at.expr).into_iter().flat_map(|arg| {
            let parts = elements(facts, arg.value).into_iter();
            let known = parts.flat_map(|part| program.possible(site.from, part).list);
            known.map(|known| known.text).chain(written(facts, arg.value)).collect::<Vec<_>>()
        });
        let line = texts.into_iter().find_map(|text| piped(catalog, &text));
        if let Some((download, interpreter)) = line {
            found.push(Piped { from: site.from, at: site.at, download, interpreter });
        }
    }
    found
}

/// The arguments of a call, and of those before it in a chain: `Command::new("sh").arg("-c").arg("…").status()`.
fn given(facts: &Facts, call: ExprId) -> Vec<&Arg> {
    let (mut found, mut at) = (Vec::new(), call);
    while let Expr::Call { callee, args, .. } = *facts.expr(at) {
        found.extend(facts.list(args));
        match *facts.expr(callee) {
            Expr::Field { base, .. } if facts.profile().has_builders => at = base,
            _ => break,
        }
    }
    found
}

/// An argument, or each of those that stand in a list: `.args(["-c", LINE])`.
fn elements(facts: &Facts, value: ExprId) -> Vec<ExprId> {
    match *facts.expr(value) {
        Expr::Seq(items) if facts.profile().has_builders => facts.list(items).to_vec(),
        _ => vec![value],
    }
}

/// The texts inside an argument, each with a blank where a part is not constant.
fn written(facts: &Facts, value: ExprId) -> Vec<String> {
    let text = |expr: ExprId| match *facts.expr(expr) {
        Expr::Lit(Lit::Str(text)) => facts.str(text).to_owned(),
        _ => "x".to_owned(),
    };
    match *facts.expr(value) {
        Expr::Lit(Lit::Str(_)) => vec![text(value)],
        Expr::Text(parts) => vec![facts.list(parts).iter().map(|&part| text(part)).collect()],
        Expr::Seq(items) => facts.list(items).iter().flat_map(|&item| written(facts, item)).collect(),
        _ => Vec::new(),
    }
}

/// The program that fetches and the one that runs what it prints.
fn piped(catalog: &Catalog, line: &str) -> Option<(String, String)> {
    let words = &catalog.flow;
    let fetches = |part: &str| first_word(part).filter(|word| words.downloads.contains(word));
    let runs = |part: &str| first_word(part).filter(|word| words.interpreters.contains(word));
    for command in line.split([';', '\n']).flat_map(|command| command.split("&&")) {
        let stages: Vec<&str> = command.split('|').collect();
        let download = stages.iter().position(|stage| fetches(stage).is_some());
        if let Some(at) = download
            && let Some(interpreter) = stages[at + 1..].iter().find_map(|stage| runs(stage))
        {
            return Some((fetches(stages[at])?, interpreter));
        }
        let inner = ["$(", "<(", "`"].into_iter().filter_map(|open| command.split_once(open));
        for (outer, inner) in inner {
            if let (Some(interpreter), Some(download)) = (runs(outer), fetches(inner)) {
                return Some((download, interpreter));
            }
        }
    }
    None
}

/// The program that a command starts, without what only changes how it is started.
fn first_word(command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let skipped = |word: &str| {
        matches!(word, "sudo" | "env" | "exec" | "nohup" | "time" | "command")
            || word.contains('=')
            || word.starts_with('-')
    };
    let word = words.find(|word| !skipped(word))?;
    let name = word.rsplit('/').next().unwrap_or(word).trim_matches(['"', '\'', '(', ')']);
    Some(name.to_owned())
}
