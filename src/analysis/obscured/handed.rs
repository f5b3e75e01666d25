//! A network module handed over as a value: given to a function, returned, stored in an attribute, a list or a table.
//! Whoever receives it makes calls that nobody can attribute to a library by reading them.

use super::{HiddenBy, Obscured, is_effect_module, loaded_effect};
use crate::catalog::{Catalog, EffectKind, NameSet};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, FnKind, Jump, Pat, PatId, When};
use crate::link::{At, Func, Program};

pub fn find(program: &Program<'_>, catalog: &Catalog, found: &mut Vec<Obscured>) {
    for unit in program.units() {
        if imports_network(unit.facts, catalog) {
            unit.facts.function_ids().for_each(|func| in_function(program, catalog, func, found));
        }
    }
}

/// Most files import none, and need no look at their bodies.
fn imports_network(facts: &Facts, catalog: &Catalog) -> bool {
    facts.imports().iter().any(|import| {
        import.when != When::TypeOnly && loaded_effect(catalog, facts.str(import.path)).is_some()
            || catalog.sets.has(NameSet::NetworkPackage, facts.str(import.path))
    })
}

fn in_function(program: &Program<'_>, catalog: &Catalog, func: Func, found: &mut Vec<Obscured>) {
    let file = program.function(func).file;
    let facts = program.facts(file);
    let function = program.ir(func);
    let defaults = facts.list(function.params).iter().filter_map(|param| param.default);
    let around = function.parent;
    let mut values: Vec<(Func, ExprId)> = defaults.map(|default| (around, default)).collect();
    for expr in function.exprs.iter() {
        handed_over(program, catalog, func, expr, |value| values.push((func, value)));
    }
    for (from, value) in values {
        if let Some(target) = network_module(program, catalog, from, value) {
            let at = At { file, expr: value };
            let (confidence, how) = (Confidence::High, HiddenBy::HandedOver);
            found.push(Obscured { from, at, confidence, target, how });
        }
    }
}

/// The values that an expression hands on to somebody else; a plain name is only another name.
fn handed_over(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    expr: ExprId,
    mut hand: impl FnMut(ExprId),
) {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Call { callee, args, .. } if !looks_only(program, catalog, func, callee) => {
            facts.list(args).iter().for_each(|arg| hand(arg.value));
        }
        Expr::Jump { kind: Jump::Return, value: Some(value) } | Expr::Yield { value: Some(value), .. } => {
            hand(value);
        }
        Expr::Store { place, value: Some(value), .. } if !matches!(facts.expr(place), Expr::Free(_)) => {
            hand(value);
        }
        Expr::Bind { pat, value } if is_class_attribute(program, func, pat, value) => hand(value),
        Expr::Seq(items) => facts.list(items).iter().for_each(|&item| hand(item)),
        Expr::Record(entries) => facts.list(entries).iter().for_each(|entry| hand(entry.value)),
        _ => {}
    }
}

fn is_class_attribute(program: &Program<'_>, func: Func, pat: PatId, value: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    matches!(program.ir(func).kind, FnKind::ClassBody(_))
        && matches!(facts.pat(pat), Pat::Var(_))
        && !matches!(facts.expr(value), Expr::Import(_))
}

/// Built-ins and the tools of introspection look at a module and do not keep it.
fn looks_only(program: &Program<'_>, catalog: &Catalog, func: Func, callee: ExprId) -> bool {
    let Some(path) = program.library_path(func, callee) else { return false };
    let library = path.split('.').next().unwrap_or_default();
    catalog.sets.has(NameSet::InspectingLibrary, library)
}

fn network_module(program: &Program<'_>, catalog: &Catalog, func: Func, value: ExprId) -> Option<String> {
    let facts = program.facts(program.function(func).file);
    if !matches!(facts.expr(value), Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } | Expr::Import(_)) {
        return None;
    }
    let path = program.library_path(func, value)?;
    let is_network =
        || loaded_effect(catalog, path).is_some_and(|effect| effect.kind == Some(EffectKind::Network));
    (is_effect_module(catalog, path) && is_network()).then(|| path.to_string())
}
