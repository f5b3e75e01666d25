//! What decorators are, with all that the solver knows: `@mcp.tool()` on an object that another file made.

use super::edges::Pass;
use super::program::{Func, Program, Target};
use super::types::Type;
use crate::ir::{Expr, ExprId};

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
                let target = match ty {
                    Type::External(path) | Type::Handed(path) => Target::External(path),
                    Type::Function(func) | Type::Bound(func) => Target::Project(func),
                    _ => continue,
                };
                self.found.decorators.push((func, decorator, target));
            }
        }
    }
}

impl Program<'_> {
    /// What the decorators of `func` resolved to.
    pub fn decorator_targets(&self, func: Func) -> impl Iterator<Item = (ExprId, Target)> + '_ {
        let start = self.decorators.partition_point(|(decorated, ..)| *decorated < func);
        let own = self.decorators[start..].iter().take_while(move |(decorated, ..)| *decorated == func);
        own.map(|&(_, decorator, target)| (decorator, target))
    }

    /// The library paths among them.
    pub fn decorator_paths(&self, func: Func) -> Vec<&str> {
        let library = self.decorator_targets(func).filter_map(|(_, target)| match target {
            Target::External(path) => Some(self.path(path)),
            Target::Project(_) => None,
        });
        library.collect()
    }
}
