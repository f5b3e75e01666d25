//! For what the result of a library's call is harmless, as far as one of its arguments is in it.

use super::Lower;
use super::proof::Spot;
use crate::catalog::{ArgumentTest, Purpose, Purposes, Sanitizer};
use crate::ir::{Arg, ArgKind, Expr, ExprId};
use crate::link::argument;

impl Lower<'_, '_> {
    /// `path` is what is called, if that is known; `given` is an argument or the receiver.
    pub(super) fn cleaned_by(
        &self,
        path: Option<&str>,
        callee: ExprId,
        args: &[Arg],
        given: ExprId,
    ) -> Purposes {
        let known = &self.catalog.sinks.sanitizers;
        let Some(path) = path else {
            let name = self.facts.written_name(callee);
            let known = name.map(|name| known.of_method(self.facts.str(name))).unwrap_or_default();
            return known.with(self.left(callee, args, None));
        };
        let meant = known.of(path).filter(|known| self.is_sanitized(known, args, given));
        let found = self.found_by(path, callee, args).with(self.left(callee, args, Some(path)));
        meant.fold(found, |all, known| all.with(known.purposes))
    }

    fn is_sanitized(&self, known: &Sanitizer, args: &[Arg], given: ExprId) -> bool {
        let at = |test: &ArgumentTest| argument(self.facts, args, test.index, test.name.as_deref());
        // What is spread may be at any place.
        let is_spread = || {
            let own = args.iter().find(|arg| arg.value == given);
            own.is_none_or(|arg| matches!(arg.kind, ArgKind::Spread | ArgKind::SpreadNamed))
        };
        let is_meant = match (&known.argument, &known.decides) {
            (Some(test), _) => at(test) == Some(given),
            (None, Some(test)) => at(test) != Some(given) && !is_spread(),
            (None, None) => true,
        };
        let is_empty = |test: &ArgumentTest| {
            let known = at(test).and_then(|given| self.program.constant(self.func, given));
            known.is_some_and(|known| known.whole && known.text.is_empty())
        };
        is_meant
            && known.empty.as_ref().is_none_or(is_empty)
            && known.proven.is_none_or(|purpose| self.is_proven(given, purpose))
    }

    fn is_proven(&self, read: ExprId, purpose: Purpose) -> bool {
        let Expr::Var(var) = *self.facts.expr(read) else { return false };
        self.proven_at(Spot { var, part: None }, read).has(purpose)
    }
}
