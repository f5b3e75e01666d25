//! Functions that a decorator registers: `@tool`, `@mcp.tool(name="search")`.

use super::{Finder, Name, Said, Way, path};
use crate::analysis::callables::constant_entries;
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Lit};
use crate::link::{Func, Target, argument};

impl<'f> Finder<'f, '_> {
    pub(super) fn decorated(&mut self, func: Func) {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let scope = program.ir(func).parent;
        let mut is_marked = false;
        for &decorator in facts.list(program.ir(func).decorators) {
            let Some((entry, confidence)) = self.mark(func, scope, decorator) else { continue };
            is_marked = true;
            let args = match *facts.expr(decorator) {
                Expr::Call { args, .. } => facts.list(args),
                _ => &[],
            };
            // What stands first may be anything else.
            let name = match self.named(scope, args, None, entry) {
                Name::Own if entry.describes || self.describes(func, decorator) => Name::Own,
                Name::Own => {
                    let first = argument(facts, args, Some(0), None);
                    first.and_then(|first| program.text(scope, first)).map_or(Name::Own, Name::Known)
                }
                name => name,
            };
            let (span, within) = (facts.span(decorator), program.ir(func).span.lo);
            let annotation = self.decorators_say(func, scope);
            let said = Said { name, file, span, within, way: Way::Marked, confidence, annotation };
            match entry.dispatches {
                true => self.dispatcher(entry, func, said),
                false => self.add(entry, func, 0, said),
            }
        }
        if !is_marked {
            self.announced_by_decorator(func, scope);
        }
    }

    /// True for a decorator of the project that is given something else than a name first: `@skill("Sends a mail")`.
    fn describes(&self, func: Func, decorator: ExprId) -> bool {
        let program = self.program;
        let mut targets = program.decorator_targets(func).filter(|(expr, _)| *expr == decorator);
        targets.any(|(_, target)| match target {
            Target::Project(own) => {
                let facts = program.facts(program.function(own).file);
                let params = facts.list(program.ir(own).params);
                let first =
                    params.get(usize::from(program.is_receiver(own, 0))).map(|param| facts.str(param.name));
                let is_name = |name: &str| {
                    name.ends_with("name")
                        || name.ends_with("id")
                        || self.catalog.registrations.names.iter().any(|word| word == name)
                };
                first.is_some_and(|name| !is_name(name))
            }
            Target::External(_) => false,
        })
    }

    /// The entry for a decorator: by what it resolved to, or else by its name alone.
    fn mark(&self, func: Func, scope: Func, decorator: ExprId) -> Option<(&'f Registration, Confidence)> {
        let (program, known) = (self.program, &self.catalog.registrations);
        let targets = program.decorator_targets(func).filter(|(expr, _)| *expr == decorator);
        let facts = program.facts(program.function(func).file);
        let by_path = targets.flat_map(|(_, target)| known.decorators(facts.lang, path(program, target)));
        // A project's own entries come last.
        if let Some(entry) = by_path.last() {
            return Some((entry, Confidence::High));
        }
        let own = program.decorator_targets(func).filter_map(|(expr, target)| match target {
            Target::Project(own) if expr == decorator => self.registrars.by_decorator(program, own),
            _ => None,
        });
        if let Some(entry) = own.last() {
            return Some((entry, Confidence::Medium));
        }
        let named = match *facts.expr(decorator) {
            Expr::Call { callee, .. } => callee,
            _ => decorator,
        };
        let name = program.receiver_name(scope, named)?.name;
        let mut paths = program.decorator_targets(func).filter(|(expr, _)| *expr == decorator);
        if paths.any(|(_, target)| known.never.matches(path(program, target))) {
            return None;
        }
        // What the project's own decorator does can be seen: its name says nothing.
        if program.decorators(func).any(|own| program.name(own.func) == name) {
            return None;
        }
        known.decorators_named(facts.lang, name).last().map(|&entry| (entry, Confidence::Medium))
    }

    /// The constant name that an argument list gives.
    pub(super) fn named(&self, func: Func, args: &[Arg], index: Option<usize>, entry: &Registration) -> Name {
        let facts = self.program.facts(self.program.function(func).file);
        let words = entry.named.iter().chain(&self.catalog.registrations.names);
        let by_name = words.clone().filter_map(|word| argument(facts, args, None, Some(word)));
        // `@activity(config={"name": "search"})`
        let records = args.iter().flat_map(|arg| constant_entries(self.program, func, arg.value));
        let in_record =
            records.filter(|(_, key, _)| words.clone().any(|word| word == key)).map(|(.., value)| value);
        let values = by_name.chain(in_record).chain(argument(facts, args, index, None));
        let values: Vec<ExprId> =
            values.filter(|&value| !matches!(facts.expr(value), Expr::Lit(Lit::None))).collect();
        match values.is_empty() {
            true => Name::Own,
            false => Name::of(values.into_iter().find_map(|value| self.constant(func, value))),
        }
    }

    /// The text that a value is, also as an attribute that only the class body sets.
    fn constant(&self, func: Func, value: ExprId) -> Option<String> {
        let program = self.program;
        let of_class = || {
            let (class, name) = self.own_attribute(func, value)?;
            let is_stored =
                program.lineage(class).iter().any(|&class| program.stored(class, name).next().is_some());
            let mut declared = program.lineage(class).iter().flat_map(|&class| program.declared(class, name));
            let (owner, value) = declared.next().filter(|_| !is_stored)?;
            program.text(owner, value)
        };
        program.text(func, value).or_else(of_class)
    }
}
