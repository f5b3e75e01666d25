//! Strips in a language whose texts are cut by closures and methods: a filter over lines, a length that is asked of the marker.

use super::Cutter;
use crate::analysis::texts::Held;
use crate::analysis::values::Method;
use crate::ir::{Expr, ExprId, Lang};

impl<'a> Cutter<'_, '_, 'a> {
    /// `text.lines().filter(|line| !line.contains(MARK))`.
    pub(super) fn by_closure(&self, method: Method<'a>) -> Option<(Held, ExprId)> {
        let (Method { receiver, name: "filter", args: [only] }, Lang::Rust) = (method, self.facts.lang)
        else {
            return None;
        };
        let Expr::Closure(id) = *self.facts.expr(only.value) else { return None };
        let program = self.values.program;
        let test = program.func(program.function(self.func).file, id);
        let is_meant = |value: ExprId| {
            let Expr::Not(asked) = *self.facts.expr(value) else { return None };
            let asked = self.values.method(test, asked)?;
            let marker = asked.args.first().filter(|_| asks(asked.name))?.value;
            self.values.holds(test, marker, self.markers)
        };
        let held = program.returns(test).find_map(is_meant)?;
        (!self.is_constant(receiver)).then_some((held, receiver))
    }

    /// `MARK.len()`.
    pub(super) fn length(&self, method: Method<'a>) -> Option<Held> {
        let (Method { receiver, name: "len", args: [] }, Lang::Rust) = (method, self.facts.lang) else {
            return None;
        };
        self.holds(receiver)
    }
}

/// True for a question whether a text is in another one.
pub(super) fn asks(method: &str) -> bool {
    matches!(method, "startswith" | "endswith" | "__contains__")
}
