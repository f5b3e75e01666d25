//! The constant texts that attributes of a class's objects are: its name, its namespace.

use super::implicit;
use super::registrations::constant;
use crate::ir::{ArgKind, Expr, ExprId, Operator};
use crate::link::{Cls, Func, Passed, Program, Target, argument};

/// A text that an attribute of a class's objects is, if it is meant: what the methods store, what the constructor hands to
/// that of a base class, what the class body says.
pub(super) fn class_text<'n>(
    program: &Program<'_>,
    class: Cls,
    names: impl IntoIterator<Item = &'n String>,
    is_meant: impl Fn(&str) -> bool,
) -> Option<String> {
    let text = |(func, value)| constant(program, func, value);
    let lineage = program.lineage(class);
    for name in names {
        // The nearest class that says something is believed.
        for &ancestor in lineage {
            let handed = handed_up(program, ancestor, name).into_iter();
            let stored = program.stored(ancestor, name).chain(handed).filter_map(text);
            let own = program.declared(ancestor, name).filter_map(text);
            let texts: Vec<String> = stored.chain(own).collect();
            if let Some(found) = texts.iter().find(|text| is_meant(text)) {
                return Some(found.clone());
            }
            if !texts.is_empty() {
                return None;
            }
        }
    }
    None
}

/// `super().__init__(namespace="comm")`, also by the position of the parameter.
fn handed_up(program: &Program<'_>, class: Cls, name: &str) -> Vec<(Func, ExprId)> {
    let profile = implicit::profile(program, program.class_body(class));
    let mut constructors = profile.methods(Operator::Construct).iter();
    let constructor = constructors.find_map(|name| program.own_method(class, name));
    let Some(constructor) = constructor else { return Vec::new() };
    let facts = program.facts(program.function(constructor).file);
    let mut found = Vec::new();
    for expr in program.ir(constructor).exprs.iter() {
        let Expr::Call { callee, args, .. } = *facts.expr(expr) else { continue };
        let Expr::Field { name: called, .. } = *facts.expr(callee) else { continue };
        if !profile.runs(Operator::Construct, facts.str(called)) {
            continue;
        }
        let by_name = argument(facts, facts.list(args), None, Some(name));
        let named = facts
            .list(args)
            .iter()
            .any(|arg| matches!(arg.kind, ArgKind::Named(_)) && Some(arg.value) == by_name);
        found.extend(by_name.filter(|_| named).map(|value| (constructor, value)));
        for edge in program.edges_at(constructor, expr) {
            let Target::Project(base) = edge.to else { continue };
            let params = program.facts(program.function(base).file).list(program.ir(base).params);
            let is_meant = |at: u32| {
                let facts = program.facts(program.function(base).file);
                params.get(at as usize).is_some_and(|param| facts.str(param.name) == name)
            };
            let passed = program.arguments(edge).into_iter();
            found.extend(passed.filter_map(|(passed, value)| match passed {
                Passed::Param(at) if is_meant(at) => Some((constructor, value)),
                _ => None,
            }));
        }
    }
    found
}
