//! GL805: tools of which nothing says what calling them does that cannot be taken back. Whoever judges actions has to guess.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::registered::{is_adapter, place};
use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Registered, SaidClasses, said_classes};
use crate::catalog::words_of_name;
use crate::config::Irreversibility;
use crate::finding::{Finding, Step};
use crate::inventory::Skill;
use crate::ir::ParamKind;
use crate::rule::Rule;

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let said = said_classes(context.program, context.catalog);
    if !is_asked_for(context, shared, &said) {
        return;
    }
    let is_begun = is_begun(context, &said);
    // The tools of one file are one thing to do, and all are where none is classed.
    let mut by_file: BTreeMap<_, Vec<&Registered>> = BTreeMap::new();
    for known in tools(context).filter(|known| class(context, &said, known).is_none()) {
        by_file.entry(is_begun.then_some(known.file)).or_default().push(known);
    }
    out.extend(by_file.into_values().filter_map(|unknown| group(context, rule, &unknown)));
}

/// The first with the others as steps.
fn group(context: &Context<'_>, rule: &Arc<Rule>, unknown: &[&Registered]) -> Option<Finding> {
    let mut found = unknown.iter().filter_map(|known| Some((*known, finding(context, rule, known)?)));
    let (_, mut first) = found.next()?;
    first.steps.extend(found.map(|(known, finding)| {
        let note = format!("nor is `{}` classed", name(context, known));
        Step::seen(finding.primary, note)
    }));
    Some(first)
}

/// Somebody judges actions by a gate of the project, or has begun to class them.
fn is_asked_for<'c>(context: &Context<'c>, shared: &Shared<'c>, said: &SaidClasses) -> bool {
    is_begun(context, said) || !shared.actions(context).judges(context.program, context.catalog).is_empty()
}

/// One tool of the project is classed: in the configuration, where it is registered, or in a table.
fn is_begun(context: &Context<'_>, said: &SaidClasses) -> bool {
    tools(context).any(|known| {
        let name = name(context, known);
        configured(context, &name).or_else(|| annotated(known)).is_some() || said.in_table(&name)
    })
}

/// Tools that somebody could class; a comm command is external by definition.
fn tools<'t, 'c>(context: &'t Context<'c>) -> impl Iterator<Item = &'c Registered> + 't {
    context.registered.iter().filter(|known| {
        let is_tool = known.entry().is_some() && !known.is_comm && known.is_production(context.program);
        is_tool && !is_adapter(context, known)
    })
}

/// The configuration first, then the registration, then tables of the project.
pub fn class(context: &Context<'_>, said: &SaidClasses, known: &Registered) -> Option<Irreversibility> {
    let name = name(context, known);
    configured(context, &name).or_else(|| annotated(known)).or_else(|| said.of(&name))
}

fn configured(context: &Context<'_>, name: &str) -> Option<Irreversibility> {
    context.config.tool(name).and_then(|tool| tool.irreversibility)
}

fn annotated(known: &Registered) -> Option<Irreversibility> {
    known.annotation.as_ref().and_then(|annotation| annotation.irreversibility)
}

fn name(context: &Context<'_>, known: &Registered) -> String {
    known.name.clone().unwrap_or_else(|| context.program.short_name(known.handler))
}

fn finding(context: &Context<'_>, rule: &Arc<Rule>, known: &Registered) -> Option<Finding> {
    let confidence = context.applies(rule, known.file, known.handler)?;
    let captures = BTreeMap::from([("tool", name(context, known))]);
    Some(context.finding(
        rule,
        Draft {
            confidence: confidence.min(known.confidence),
            names: vec![&context.program.function(known.handler).path],
            inside: Some(known.handler),
            ..Draft::at(place(context, known), captures)
        },
    ))
}

/// Every tool that somebody has a name for: those of the configuration in its order, then those that are registered, then those of
/// tables alone.
pub fn skills(context: &Context<'_>) -> Vec<Skill> {
    let said = said_classes(context.program, context.catalog);
    let registered = || tools(context).map(|known| (name(context, known), known));
    let parameters = |name: &str| {
        let known = registered().find(|(other, _)| other == name).map(|(_, known)| known);
        known.map(|known| parameters(context, known)).unwrap_or_default()
    };
    let of_name = |name: &str| {
        let known = registered().filter(|(other, _)| other == name);
        let annotated = known.filter_map(|(_, known)| class(context, &said, known)).next();
        annotated.or_else(|| self::configured(context, name)).or_else(|| said.of(name))
    };
    let configured = context.config.tools.iter().map(|tool| tool.name.clone());
    let mut own: Vec<String> = registered().map(|(name, _)| name).collect();
    own.sort();
    let tables = said.names().map(str::to_owned);
    let mut seen = BTreeSet::new();
    let names = configured.chain(own).chain(tables).filter(|name| seen.insert(words_of_name(name)));
    names.map(|name| Skill { class: of_name(&name), parameters: parameters(&name), name }).collect()
}

/// What a model gives it.
fn parameters(context: &Context<'_>, known: &Registered) -> Vec<String> {
    let program = context.program;
    let facts = program.facts(program.function(known.handler).file);
    let params = facts.list(program.ir(known.handler).params).iter();
    let given = params.skip(usize::from(program.function(known.handler).class.is_some()));
    let given = given.filter(|param| matches!(param.kind, ParamKind::Normal));
    given.map(|param| facts.str(param.name).to_owned()).collect()
}
