//! GL804: a verdict that a model writes as free text. Stands at the call of the model inside a gate, or where the text is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Content, Cuts, contents, spelled};
use crate::catalog::{DataOp, EffectKind};
use crate::finding::{Confidence, Finding};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Lit, Op};
use crate::link::{At, EdgeKind, Func};
use crate::rule::Rule;

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let gating = shared.actions(context);
    let judges = gating.judges(context.program, context.catalog);
    let helpers = gating.helpers(&judges);
    for &func in judges.iter().chain(&helpers) {
        let view = View { context, shared, func };
        let exprs = || context.program.ir(func).exprs.iter();
        let asked = exprs().find_map(|call| Some((call, view.asked_loosely(call)?)));
        // Only what answers by itself reads a verdict.
        let mut words = exprs().filter(|&expr| judges.contains(&func) && view.reads_words(expr));
        let read = || words.next().map(|at| (at, "it is read out of free text"));
        out.extend(asked.or_else(read).and_then(|(at, problem)| view.finding(rule, at, problem)));
    }
}

struct View<'v, 'c> {
    context: &'v Context<'c>,
    shared: &'v Shared<'c>,
    func: Func,
}

impl View<'_, '_> {
    fn finding(&self, rule: &Arc<Rule>, at: ExprId, problem: &str) -> Option<Finding> {
        let program = self.context.program;
        let file = program.function(self.func).file;
        let applies = self.context.applies(rule, file, self.func)?;
        let gate = program.short_name(self.func);
        let captures = BTreeMap::from([("gate", gate), ("problem", problem.to_owned())]);
        Some(self.context.finding(
            rule,
            Draft {
                confidence: applies.min(Confidence::High),
                names: vec![&program.function(self.func).path],
                inside: Some(self.func),
                ..Draft::at(self.context.place(At { file, expr: at }), captures)
            },
        ))
    }

    // ---- how a model is asked

    /// What is missing where a model is asked for a verdict.
    fn asked_loosely(&self, call: ExprId) -> Option<&'static str> {
        let file = self.context.program.function(self.func).file;
        if !self.asks_model(At { file, expr: call }) {
            return None;
        }
        let facts = self.context.program.facts(file);
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        let args = facts.list(args);
        // What is spread may hold everything, and a call without options makes no request yet.
        if args.is_empty() || args.iter().any(|arg| arg.kind == ArgKind::SpreadNamed) {
            return None;
        }
        let words = &self.context.catalog.runtime;
        let Some(form) = self.option(args, |name| words.formats.has(name)) else {
            return Some("the model may answer in any form");
        };
        let parts = self.parts(form);
        self.loose_form(&parts).or_else(|| self.loose_request(args))
    }

    /// By what is called, or by its name where nothing is known of it: clients are handed in.
    fn asks_model(&self, at: At) -> bool {
        let is_model = |kind: Option<EffectKind>| kind == Some(EffectKind::Llm);
        let is_known =
            self.context.program.edges_at(self.func, at.expr).iter().any(|edge| edge.kind == EdgeKind::Call);
        let named = || spelled(self.context.program, self.func, at.expr);
        let is_named = || named().is_some_and(|name| self.context.catalog.runtime.models.has(&name));
        self.context.effects.of_call(self.func, at).iter().any(|site| is_model(site.kind))
            || !is_known && is_named()
    }

    fn loose_form(&self, parts: &[Content]) -> Option<&'static str> {
        let holds = |wanted: &str| parts.iter().any(|part| self.text_of(part).as_deref() == Some(wanted));
        let is_written = holds("json_schema") || holds("object");
        match () {
            () if holds("json_object") => Some("JSON of any shape is accepted"),
            () if !is_written => None,
            () if !holds("enum") => Some("its schema does not list the decisions"),
            () if !holds("additionalProperties") => Some("its schema accepts further fields"),
            () if !holds("required") => Some("its schema requires no field"),
            () if holds("json_schema") && !parts.iter().any(|part| self.is_strict(part)) => {
                Some("its schema is not strict")
            }
            () => None,
        }
    }

    /// `{"strict": True, …}`
    fn is_strict(&self, part: &Content) -> bool {
        let facts = self.context.program.facts(self.context.program.function(part.func).file);
        let Expr::Record(entries) = *facts.expr(part.expr) else { return false };
        facts.list(entries).iter().any(|entry| {
            let EntryKey::Expr(key) = entry.key else { return false };
            let key = self.text_of(&Content { func: part.func, expr: key });
            key.as_deref() == Some("strict") && *facts.expr(entry.value) != Expr::Lit(Lit::Bool(false))
        })
    }

    /// What the schema leaves open: chance, and length.
    fn loose_request(&self, args: &[Arg]) -> Option<&'static str> {
        let words = &self.context.catalog.runtime;
        let is_zero = |value: ExprId| self.number(value).is_none_or(|number| number == 0.0);
        match self.option(args, |name| words.temperatures.has(name)) {
            None => return Some("its temperature is not 0"),
            Some(value) if !is_zero(value) => return Some("its temperature is not 0"),
            Some(_) => {}
        }
        let bound = self.option(args, |name| words.token_bounds.has(name));
        bound.is_none().then_some("its length has no bound")
    }

    /// A number as it is written, also under a name.
    fn number(&self, value: ExprId) -> Option<f64> {
        let program = self.context.program;
        let (owner, made) = program.bound(self.func, value);
        let file = program.function(owner).file;
        let span = program.facts(file).span(made);
        let text = self.context.sources[file.0 as usize].text.get(span.lo as usize..span.hi as usize)?;
        text.parse().ok()
    }

    fn option(&self, args: &[Arg], is_meant: impl Fn(&str) -> bool) -> Option<ExprId> {
        let facts = self.context.program.facts(self.context.program.function(self.func).file);
        let found =
            args.iter().find(|arg| matches!(arg.kind, ArgKind::Named(name) if is_meant(facts.str(name))));
        found.map(|arg| arg.value)
    }

    /// The expressions of a form, through the names of constants.
    fn parts(&self, form: ExprId) -> Vec<Content> {
        let mut found = Vec::new();
        let mut work = contents(&self.shared.values, self.func, form, Cuts::Hide);
        while let Some(part) = work.pop() {
            if found.contains(&part) {
                continue;
            }
            let program = self.context.program;
            let facts = program.facts(program.function(part.func).file);
            if let Expr::Record(entries) = *facts.expr(part.expr) {
                let keys = facts.list(entries).iter().filter_map(|entry| match entry.key {
                    EntryKey::Expr(key) => Some(Content { func: part.func, expr: key }),
                    EntryKey::Spread => None,
                });
                found.extend(keys);
            }
            let (owner, made) = program.bound(part.func, part.expr);
            if (owner, made) != (part.func, part.expr) {
                work.extend(contents(&self.shared.values, owner, made, Cuts::Hide));
            }
            found.push(part);
        }
        found
    }

    fn text_of(&self, part: &Content) -> Option<String> {
        let facts = self.context.program.facts(self.context.program.function(part.func).file);
        match *facts.expr(part.expr) {
            Expr::Lit(Lit::Str(text)) => Some(facts.str(text).to_owned()),
            _ => None,
        }
    }

    // ---- how an answer is read

    /// `"APPROVE" in text`, `text.startswith("APPROVE")`, `re.search("APPROVE|REJECT", text)`
    fn reads_words(&self, expr: ExprId) -> bool {
        let program = self.context.program;
        let facts = program.facts(program.function(self.func).file);
        let words = &self.context.catalog.actions;
        let is_word = |part: ExprId| match *facts.expr(part) {
            Expr::Lit(Lit::Str(text)) => {
                facts.str(text).split(|c: char| !c.is_alphabetic()).any(|word| words.says(word).is_some())
            }
            _ => false,
        };
        match *facts.expr(expr) {
            Expr::Op { op: Op::In | Op::NotIn, args } => match facts.list(args) {
                [word, text] => {
                    is_word(*word)
                        && !matches!(facts.expr(*text), Expr::Seq(_) | Expr::Record(_))
                        && self.is_text(*text)
                }
                _ => false,
            },
            Expr::Call { args, .. } => {
                let given = facts.list(args);
                let asks =
                    self.shared.values.method(self.func, expr).is_some_and(|method| {
                        matches!(method.does, Some(DataOp::StartsWith | DataOp::EndsWith))
                    });
                let path = self.shared.values.path(self.func, expr);
                let searches = path.is_some_and(|path| self.context.catalog.tells.asks_pattern(&path));
                (asks || searches) && given.first().is_some_and(|arg| is_word(arg.value))
            }
            _ => false,
        }
    }

    /// A text that a call made, and no set of names.
    fn is_text(&self, value: ExprId) -> bool {
        let program = self.context.program;
        let facts = program.facts(program.function(self.func).file);
        match *facts.expr(value) {
            Expr::Call { .. } => self.shared.values.method(self.func, value).is_some_and(|method| {
                matches!(method.does, Some(DataOp::Upper | DataOp::Lower | DataOp::Trim))
            }),
            Expr::Var(_) | Expr::Field { .. } => {
                let name = program.receiver_name(self.func, value).map_or("", |known| known.name);
                self.context.catalog.runtime.answers.has(name)
            }
            _ => false,
        }
    }
}
