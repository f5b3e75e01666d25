//! Functions that a decorator registers: `@tool`, `@mcp.tool(name="search")`.

use super::{Finder, Said, Way, path};
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId};
use crate::link::{Func, argument};

impl<'f> Finder<'f, '_> {
    pub(super) fn decorated(&mut self, func: Func) {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let scope = program.func(file, program.ir(func).parent);
        for &decorator in facts.list(program.ir(func).decorators) {
            let Some((entry, confidence)) = self.mark(func, scope, decorator) else { continue };
            let name = match *facts.expr(decorator) {
                Expr::Call { args, .. } => self.named(scope, facts.list(args), Some(0), entry),
                _ => None,
            };
            let span = facts.span(decorator);
            self.add(entry, func, 0, Said { name, file, span, way: Way::Marked, confidence });
        }
    }

    /// The entry for a decorator: by what it resolved to, or else by its name alone.
    fn mark(&self, func: Func, scope: Func, decorator: ExprId) -> Option<(&'f Registration, Confidence)> {
        let (program, known) = (self.program, &self.catalog.registrations);
        let targets = program.decorator_targets(func).filter(|(expr, _)| *expr == decorator);
        let by_path = targets.flat_map(|(_, target)| known.decorators(path(program, target)));
        // A project's own entries come last.
        if let Some(entry) = by_path.last() {
            return Some((entry, Confidence::High));
        }
        let facts = program.facts(program.function(func).file);
        let named = match *facts.expr(decorator) {
            Expr::Call { callee, .. } => callee,
            _ => decorator,
        };
        let name = program.receiver_name(scope, named)?.name;
        // What the project's own decorator does can be seen: its name says nothing.
        if program.decorators(func).any(|own| program.name(own.func) == name) {
            return None;
        }
        known.decorators_named(name).last().map(|&entry| (entry, Confidence::Medium))
    }

    /// The constant name that an argument list gives.
    pub(super) fn named(
        &self,
        func: Func,
        args: &[Arg],
        index: Option<usize>,
        entry: &Registration,
    ) -> Option<String> {
        let facts = self.program.facts(self.program.function(func).file);
        let words = entry.named.iter().chain(&self.catalog.registrations.names);
        let by_name = words.filter_map(|word| argument(facts, args, None, Some(word)));
        let mut values = by_name.chain(argument(facts, args, index, None));
        values.find_map(|value| self.program.text(func, value))
    }
}
