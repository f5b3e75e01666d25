//! The library paths of decorators, with all that the solver knows: `@mcp.tool()` on an object that another file made.

use super::edges::Pass;
use super::program::Func;
use super::types::Type;
use crate::ir::Expr;

impl Pass<'_, '_, '_> {
    /// Decorators stand in the scope around the function.
    pub(super) fn decorators(&mut self, func: Func) {
        let index = self.solver.index;
        let (file, function) = (index.file_of(func), index.ir(func));
        let facts = index.units[file].facts;
        let scope = index.func(file, function.parent);
        for &decorator in facts.list(function.decorators) {
            let callee = match *facts.expr(decorator) {
                Expr::Call { callee, .. } => callee,
                _ => decorator,
            };
            for ty in self.solver.eval(scope, callee) {
                if let Type::External(path) | Type::Handed(path) = ty {
                    self.found.decorators.push((func, path));
                }
            }
        }
    }
}
