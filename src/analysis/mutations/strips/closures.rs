//! Strips in a language whose texts are cut by closures and methods: a filter over lines, a length that is asked of the marker.

use super::Cutter;
use crate::analysis::texts::Held;
use crate::analysis::values::Method;
use crate::catalog::DataOp;
use crate::ir::{Expr, ExprId};

impl<'a> Cutter<'_, '_, 'a> {
    /// `text.lines().filter(|line| !line.contains(MARK))`.
    pub(super) fn by_closure(&self, method: Method<'_, 'a>) -> Option<(Held, ExprId)> {
        let Method { receiver, args: [only], .. } = method else { return None };
        (method.does == Some(DataOp::Filter) && self.values.is_own(self.func, &method)).then_some(())?;
        let Expr::Closure(test) = *self.facts.expr(only.value) else { return None };
        let program = self.values.program;
        let is_meant = |value: ExprId| {
            let Expr::Not(asked) = *self.facts.expr(value) else { return None };
            let asked = self.values.method(test, asked)?;
            let marker = asked.args.first().filter(|_| asks(asked.does))?.value;
            self.values.holds(test, marker, self.markers)
        };
        let held = program.returns(test).find_map(is_meant)?;
        (!self.is_constant(receiver)).then_some((held, receiver))
    }

    /// `MARK.len()`.
    pub(super) fn length(&self, method: Method<'_, 'a>) -> Option<Held> {
        let Method { receiver, args: [], .. } = method else { return None };
        let is_length = method.does == Some(DataOp::Length) && self.values.is_own(self.func, &method);
        is_length.then(|| self.holds(receiver))?
    }
}

/// True for a question whether a text is in another one.
pub(super) fn asks(method: Option<DataOp>) -> bool {
    matches!(method, Some(DataOp::StartsWith | DataOp::EndsWith | DataOp::Contains))
}
