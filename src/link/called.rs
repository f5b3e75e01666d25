//! What a call of `base.name(…)` calls.

use super::names::Name;
use super::program::Func;
use super::solve::Solver;
use super::types::{Type, Types};
use crate::ir::{Expr, ExprId};

impl Solver<'_, '_> {
    /// What is called: of a field and a method with one name, the method.
    pub fn callees(&mut self, func: Func, callee: ExprId) -> Types {
        let file = self.index.file_of(func);
        let Expr::Field { base, name } = *self.index.units[file].facts.expr(callee) else {
            return self.eval(func, callee);
        };
        let name = self.index.name(file, name);
        let mut out = Types::new();
        for base in self.eval_base(func, base) {
            self.method_of(base, name, &mut out);
        }
        out
    }

    pub fn method_of(&mut self, base: Type, name: Name, out: &mut Types) {
        if let Type::Instance { class, .. } = base {
            let mut ancestors = self.hierarchy.ancestors[class.0 as usize].iter();
            let beside =
                ancestors.find_map(|&at| self.index.impls.beside_field(self.index.class_body(at), name));
            if let Some(slot) = beside {
                return self.bind_members(slot, base, out);
            }
        }
        self.attr_of(base, name, out);
    }
}
