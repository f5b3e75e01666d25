//! The `value` matcher: a constant where a value is declared, falls back, is handed on, assigned or recorded. Which names
//! and constants are meant is the vocabulary's; whether an ambiguous name counts is `analysis::Decisions`'.

mod arguments;
mod declared;
mod fallbacks;
mod returned;
mod said;
mod shape;
mod stored;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Decisions, spelled};
use crate::catalog::{Catalog, DataOp, Globs, Makes, Naming, Vocabulary};
use crate::finding::{Confidence, Finding};
use crate::ir::{Expr, ExprId, Facts, Sym};
use crate::link::{At, Func, Program, argument};
use crate::rule::Rule;
use crate::rule::matcher::{Position, Value, Words};
use crate::source::FileId;

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &Value,
    out: &mut Vec<Finding>,
) {
    let words = wanted.words.of(context.catalog);
    if matches!(wanted.words, Words::Phase) && !context.program.holds_text(&words.open) {
        return;
    }
    let own;
    let decisions = match wanted.words {
        Words::Phase => shared.decisions(context),
        Words::Own(_) => {
            own = Decisions::find(context.program, words);
            &own
        }
    };
    let is_meant = |func: &Func| decisions.concerns(context.program.function(*func).file);
    out.extend(context.of_functions(is_meant, |func| constants(context, decisions, rule, wanted, func)));
}

/// The constants in one function, each told once.
fn constants(
    context: &Context<'_>,
    decisions: &Decisions,
    rule: &Arc<Rule>,
    wanted: &Value,
    func: Func,
) -> Vec<Finding> {
    let file = context.program.function(func).file;
    let Some(applies) = context.applies(rule, file, func) else { return Vec::new() };
    let (words, facts) = (wanted.words.of(context.catalog), context.program.facts(file));
    let is_own = matches!(wanted.words, Words::Own(_));
    let scan = Scan { context, words, decisions, func, file, facts, is_own };
    let mut found = Vec::new();
    for position in &wanted.at {
        match position {
            Position::Default => scan.defaults(&mut found),
            Position::Fallback => scan.fallbacks(&mut found),
            Position::Argument => scan.arguments(&mut found),
            Position::Assignment => scan.assignments(&mut found),
            Position::Key => scan.keys(&mut found),
        }
    }
    if found.is_empty() || scan.has_beside(&wanted.unless) {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let fresh = found.into_iter().filter(|site| seen.insert(site.constant));
    fresh.map(|site| scan.finding(rule, applies, site)).collect()
}

/// A constant in a place that the rule names.
struct Site {
    /// Where the constant is written.
    constant: ExprId,
    value: String,
    name: String,
    problem: String,
    confidence: Confidence,
}

/// One function as the matcher sees it.
struct Scan<'s, 'c> {
    context: &'s Context<'c>,
    words: &'s Vocabulary,
    decisions: &'s Decisions,
    func: Func,
    file: FileId,
    facts: &'c Facts,
    /// The rule brings its own words.
    is_own: bool,
}

impl<'c> Scan<'_, 'c> {
    fn program(&self) -> &'c Program<'c> {
        self.context.program
    }

    /// The constant that is looked for, if the expression is one.
    fn constant(&self, func: Func, expr: ExprId) -> Option<String> {
        let text = self.program().text(func, expr);
        let said = || said::said(self.program(), func, expr).filter(|_| self.is_own);
        text.or_else(said).filter(|text| self.words.opens(text))
    }

    fn decides(&self, expr: ExprId) -> bool {
        self.decisions.decides(At { file: self.file, expr })
    }

    /// How sure it is that a name means the value; an ambiguous one needs a reason.
    fn trust(&self, name: &str, reason: impl FnOnce() -> bool) -> Option<Confidence> {
        match self.words.naming(name)? {
            Naming::Always => Some(Confidence::High),
            Naming::IfDeciding => reason().then_some(Confidence::Medium),
        }
    }

    /// One of these names stands in the same function or class.
    fn has_beside(&self, names: &Globs) -> bool {
        !names.is_empty() && said::names(self.program(), self.func).any(|name| names.fit_plain(name))
    }

    fn name_of(&self, expr: ExprId) -> Option<String> {
        name_of(self.program(), self.context.catalog, self.func, expr)
    }

    fn finding(&self, rule: &Arc<Rule>, applies: Confidence, site: Site) -> Finding {
        let problem = match self.is_own {
            true => format!("`{}` is `{}`", site.name, site.value),
            false => site.problem,
        };
        let captures =
            BTreeMap::from([("problem", problem), ("name", site.name.clone()), ("value", site.value)]);
        self.context.finding(
            rule,
            Draft {
                confidence: site.confidence.min(applies),
                primary: self.context.place(At { file: self.file, expr: site.constant }),
                steps: Vec::new(),
                captures,
                names: vec![&*self.program().function(self.func).path, &site.name],
                inside: Some(self.func),
            },
        )
    }
}

/// What the vocabulary makes of the name of an expression.
pub fn naming(
    program: &Program<'_>,
    words: &Vocabulary,
    catalog: &Catalog,
    func: Func,
    expr: ExprId,
) -> Option<Naming> {
    words.naming(&name_of(program, catalog, func, expr)?)
}

/// What an expression is called: the variable, the attribute, the key that is read, the function that hands it back.
fn name_of(program: &Program<'_>, catalog: &Catalog, func: Func, expr: ExprId) -> Option<String> {
    let facts = program.facts(program.function(func).file);
    let inner = |expr| name_of(program, catalog, func, expr);
    match *facts.expr(expr) {
        Expr::Field { base, name }
            if catalog.operations.of_name(facts.str(name)) == Some(DataOp::MemberValue) =>
        {
            inner(base)
        }
        Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } => {
            program.receiver_name(func, expr).map(|receiver| receiver.name.to_owned())
        }
        Expr::Index { key, .. } => program.text(func, key),
        Expr::Call { callee, args, .. } => {
            let called = spelled(program, func, expr)?;
            let args = facts.list(args);
            let fallback = catalog.fallbacks.iter().find(|fallback| fallback.matches(&called));
            if let Some(key) = fallback.and_then(|fallback| argument(facts, args, Some(fallback.key), None)) {
                return program.text(func, key);
            }
            match *facts.expr(callee) {
                // `phase.lower()`
                Expr::Field { base, .. } if args.is_empty() => inner(base).or_else(|| last(&called)),
                // `phase.map(str::trim)`
                Expr::Field { base, name } if hands_on(catalog, facts, name) => inner(base),
                _ => last(&called),
            }
        }
        Expr::Await(value) | Expr::Bind { value, .. } => inner(value),
        Expr::Any(parts) => facts.list(parts).iter().find_map(|&part| inner(part)),
        _ => None,
    }
}

/// True for a method that hands on what it is called on, or what a closure makes of it.
fn hands_on(catalog: &Catalog, facts: &Facts, method: Sym) -> bool {
    let makes = || catalog.built_texts.made_by(facts.str(method));
    facts.profile().converts_texts && matches!(makes(), Some(Makes::Same | Makes::Mapped))
}

fn last(dotted: &str) -> Option<String> {
    dotted.rsplit('.').next().map(str::to_owned)
}
