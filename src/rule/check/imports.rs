//! The `import` matcher: an import statement of a module that stands for an effect, wherever it stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Finding, Place};
use crate::ir::{Func, Span, When};
use crate::rule::Rule;
use crate::source::FileId;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, wanted: &[EffectKind], out: &mut Vec<Finding>) {
    for file in (0..context.sources.len() as u32).map(FileId) {
        run_file(context, rule, wanted, file, out);
    }
}

fn run_file(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    wanted: &[EffectKind],
    file: FileId,
    out: &mut Vec<Finding>,
) {
    let facts = context.program.facts(file);
    let statements = statements(context, rule, wanted, file);
    if statements.is_empty() {
        return;
    }
    // An import is as good as reached where a call that it makes possible is.
    let mut reached: BTreeMap<Span, Func> = BTreeMap::new();
    for import in facts.imports().iter().filter(|import| context.reached.is(import.scope)) {
        reached.entry(import.span).or_insert(import.scope);
    }
    let sites = context.effects.of_kinds(wanted).filter(|site| site.at.file == file);
    let in_file = sites.map(|site| site.from).find(|&func| context.reached.is(func));
    for (span, (confidence, modules)) in statements {
        out.push(context.finding(
            rule,
            Draft {
                confidence,
                primary: Place { file, span },
                steps: Vec::new(),
                captures: BTreeMap::from([("module", modules.join("`, `"))]),
                names: Vec::new(),
                inside: reached.get(&span).copied().or(in_file),
            },
        ));
    }
}

/// One finding per statement, naming every module of it; how surely the rule applies there.
fn statements(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    wanted: &[EffectKind],
    file: FileId,
) -> BTreeMap<Span, (Confidence, Vec<String>)> {
    let mut statements: BTreeMap<Span, (Confidence, Vec<String>)> = BTreeMap::new();
    let facts = context.program.facts(file);
    for (id, import) in facts.numbered_imports() {
        if import.when == When::TypeOnly {
            continue;
        }
        let Some(applies) = context.applies(rule, file, import.scope) else { continue };
        let Some((module, name)) = context.program.library_import(file, id) else {
            continue;
        };
        let effect = context.catalog.module_effect(facts.lang, module, name);
        if effect.is_some_and(|effect| effect.kind.is_some_and(|kind| wanted.contains(&kind))) {
            // `from urllib import request`: the package alone is none.
            let is_package = context.catalog.module_effect(facts.lang, module, None).is_none();
            let module = match name.filter(|_| is_package) {
                Some(name) => format!("{module}.{name}"),
                None => module.to_owned(),
            };
            let (_, modules) = statements.entry(import.span).or_insert((applies, Vec::new()));
            if !modules.contains(&module) {
                modules.push(module);
            }
        }
    }
    statements
}
