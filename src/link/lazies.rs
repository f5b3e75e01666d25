//! Values that are made at their first use: whoever names one may be the first.

use super::edge::{Edge, EdgeKind, Receiver, Rung, Target};
use super::edges::Pass;
use super::ids::Func;
use super::types::Type;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};

impl Pass<'_, '_, '_> {
    /// Where a name stands for such a value: an edge to what makes it.
    pub(super) fn first_use(&mut self, func: Func, name: ExprId) {
        let index = self.solver.index;
        if !self.solver.has_wrappers(func) {
            return;
        }
        let (scope, mut value) = index.named_once(func, name);
        let facts = index.units[index.file_of(scope)].facts;
        while let Expr::Ascribe { value: Some(inner), .. } = *facts.expr(value) {
            value = inner;
        }
        let Expr::Call { callee, args, .. } = *facts.expr(value) else { return };
        let lazy = &index.externals.catalog().holders;
        let is_lazy =
            |ty: &Type| matches!(*ty, Type::External(path) if lazy.is_lazy(index.externals.text(path)));
        let [make] = facts.list(args) else { return };
        if value == name || !index.statics(scope, callee).iter().any(is_lazy) {
            return;
        }
        let at = self.at(func, name);
        for ty in self.solver.eval(scope, make.value) {
            let Type::Function(to) = ty else { continue };
            self.found.edges.push(Edge {
                from: func,
                at,
                to: Target::Project(to),
                kind: EdgeKind::Passed,
                rung: Rung::Type,
                confidence: Confidence::High,
                receiver: Receiver::Unknown,
            });
        }
    }
}
