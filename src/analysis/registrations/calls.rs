//! Functions that a call registers: `StructuredTool.from_function(func=search)`, `Agent(tools=[search])`,
//! `registry.register("model", show_model)`.

use super::{Finder, Name, Said, Way};
use crate::catalog::{Registration, RegistrationKind};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};
use crate::link::{At, CallSite, Func, Program, Resolution, argument};

impl Finder<'_, '_> {
    /// What a call of a known path is given.
    pub(super) fn called(&mut self, func: Func, at: At, entry: &Registration, confidence: Confidence) {
        let facts = self.program.facts(at.file);
        let Expr::Call { args, .. } = *facts.expr(at.expr) else { return };
        let args = facts.list(args);
        let way = if entry.list { Way::Listed } else { Way::Called };
        let span = facts.span(at.expr);
        let annotation = self.annotation(func, args);
        let said =
            Said { name: Name::Own, file: at.file, span, within: span.lo, way, confidence, annotation };
        for (nth, wanted) in entry.argument.iter().enumerate() {
            let Some(value) = argument(facts, args, wanted.index, wanted.name.as_deref()) else { continue };
            if entry.list {
                self.listed(func, value, entry, nth, &said);
                continue;
            }
            let mut found: Vec<Func> = self.kept(at.file, value);
            found.retain(|&function| self.is_meant(func, value, function));
            // An object whose method is the tool.
            let object =
                self.object(func, value).filter(|_| found.is_empty() && entry.kind == RegistrationKind::Tool);
            found.extend(object.map(|(_, method)| method));
            if entry.dispatches {
                found.into_iter().for_each(|dispatcher| self.dispatcher(entry, dispatcher, said.clone()));
                continue;
            }
            let name = match (self.named(func, args, entry.named_at, entry), object) {
                (Name::Own, Some((class, _))) => self.class_name(class),
                (name, _) => name,
            };
            // A framework that registers whatever it was given.
            let around =
                |function: &Func| (self.program.function(*function).file, self.program.ir(*function).parent);
            let is_one = found.windows(2).all(|pair| around(&pair[0]) == around(&pair[1]));
            if !is_one && !matches!(name, Name::Known(_)) {
                continue;
            }
            // One of several, and nothing says which.
            let name = if found.len() > 1 && matches!(name, Name::Own) { Name::Unknown } else { name };
            for function in found {
                if !self.is_of_framework(function, &name) {
                    self.add(entry, function, nth, Said { name: name.clone(), ..said.clone() });
                }
            }
        }
    }

    /// The same for a call of which only the name is known. What the project's own functions do can be seen.
    pub(super) fn called_by_name(&mut self, call: &CallSite) {
        let (program, catalog) = (self.program, self.catalog);
        let facts = program.facts(call.at.file);
        let Expr::Call { callee, .. } = *facts.expr(call.at.expr) else { return };
        let Some(name) = program.receiver_name(call.from, callee) else { return };
        let receiver = receiver(program, call.from, callee);
        for entry in catalog.registrations.calls_named(receiver, name.name) {
            let is_own = matches!(call.resolution, Resolution::Resolved(_));
            if !(is_own && entry.named_at.is_some()) {
                self.called(call.from, call.at, entry, Confidence::Medium);
            }
        }
    }
}

/// The name of what a method is called on; of a call, that of what is called.
fn receiver<'a>(program: &Program<'a>, func: Func, callee: ExprId) -> &'a str {
    let facts = program.facts(program.function(func).file);
    let Expr::Field { base, .. } = *facts.expr(callee) else { return "" };
    let named = match *facts.expr(base) {
        Expr::Call { callee, .. } => callee,
        _ => base,
    };
    program.receiver_name(func, named).map_or("", |receiver| receiver.name)
}
