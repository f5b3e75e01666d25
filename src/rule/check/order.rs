//! An external tool that may run after internal data was read, in one session.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::classes::Classes;
use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Contaminated, Role, Tool, Tools, sessions};
use crate::config::Sensitivity;
use crate::finding::{Confidence, Finding, Step};
use crate::inventory::Class;
use crate::ir::FnKind;
use crate::link::{At, Func};
use crate::rule::Rule;

/// How a comm operation is called whose name is not known.
const COMM: &str = "a comm operation";

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let tools = tools(context, shared.classes(context));
    let found = sessions(&shared.values, &tools);
    out.extend(found.contaminated.iter().filter_map(|found| finding(context, rule, &tools, found)));
}

/// What is registered, and what the configuration or a manifest names.
pub fn tools(context: &Context<'_>, classes: &Classes) -> Tools {
    let tool = |name: &str, class: Option<&Class>| Tool {
        name: name.to_owned(),
        role: role(context, name, class),
        confidence: class.map_or(Confidence::Low, |class| class.confidence),
    };
    let mut tools = Tools::default();
    for (name, class) in classes.said() {
        tools.add(tool(name, Some(class)));
    }
    tools.add_comm(Tool { name: COMM.to_owned(), role: Role::External, confidence: Confidence::High });
    for (nth, known) in context.registered.iter().enumerate() {
        if known.entry().is_some() && known.is_production(context.program) {
            let name = known.name.clone().unwrap_or_else(|| context.program.short_name(known.handler));
            tools.register(tool(&name, classes.of(nth)), known);
        }
    }
    // Whoever registers it elsewhere: of one function of that name it is known which is meant.
    for (name, func) in sole_functions(context, |name| classes.said().contains_key(name)) {
        tools.is_run_by(name, func);
    }
    tools
}

/// Functions of production code that are the only one of their name.
fn sole_functions<'c>(context: &Context<'c>, is_meant: impl Fn(&str) -> bool) -> BTreeMap<&'c str, Func> {
    let program = context.program;
    let mut found: BTreeMap<&str, Vec<Func>> = BTreeMap::new();
    for func in (0..program.functions.len() as u32).map(Func) {
        let is_plain = program.ir(func).kind == FnKind::Plain && !program.is_test_code(func);
        if is_plain && is_meant(program.name(func)) {
            found.entry(program.name(func)).or_default().push(func);
        }
    }
    let sole = found.into_iter().filter_map(|(name, functions)| match functions[..] {
        [only] => Some((name, only)),
        _ => None,
    });
    sole.collect()
}

fn role(context: &Context<'_>, name: &str, class: Option<&Class>) -> Role {
    let may_follow = context.config.tool(name).is_some_and(|tool| tool.blocked == Some(false));
    match class.map(|class| class.sensitivity) {
        Some(Sensitivity::InternalSource) => Role::Source,
        Some(Sensitivity::External) if !may_follow => Role::External,
        _ => Role::Other,
    }
}

fn finding(context: &Context<'_>, rule: &Arc<Rule>, tools: &Tools, found: &Contaminated) -> Option<Finding> {
    let program = context.program;
    let file = program.function(found.func).file;
    let applies = context.applies(rule, file, found.func)?;
    let (tool, source) = (tools.get(found.tool), tools.get(found.source.tool));
    let (name, before) = (&tool.name, &source.name);
    let at = |func, expr| context.place(At { file: program.function(func).file, expr });
    let read = format!("`{before}` brings internal data into the session");
    let sent = format!("`{name}` reaches outside in the same session");
    let place = at(found.func, found.at);
    let steps = vec![Step::seen(at(found.source.func, found.source.at), read), Step::seen(place, sent)];
    let captures = BTreeMap::from([("tool", name.clone()), ("source", before.clone())]);
    Some(context.finding(
        rule,
        Draft {
            confidence: applies.min(tool.confidence).min(source.confidence),
            steps,
            names: [found.func, found.source.func].map(|func| &*program.function(func).path).to_vec(),
            inside: Some(found.func),
            ..Draft::at(place, captures)
        },
    ))
}
