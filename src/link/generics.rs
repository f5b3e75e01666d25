//! What an annotation says of a generic class of the project: `holder: Holder[Client]` is what the methods of `Holder` are given
//! where their parameters are declared to be of its type variable, if nothing else says what that is.

use super::ids::{Cls, Func, Slot};
use super::index::Index;
use super::solve::{Fallback, Solver};
use super::types::Type;
use crate::ir::{Expr, ExprId, Pat, Sym};

impl Solver<'_, '_> {
    /// Gives the parameters of a generic class what an annotation puts in the place of its type variables.
    pub(super) fn bind_type_variables(&mut self, scope: Func, ty: ExprId) {
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let Expr::Index { base, key } = *facts.expr(ty) else { return };
        let [Type::Class { class, .. }] = self.index.statics(scope, base)[..] else { return };
        let arguments = self.index.type_arguments(scope, key);
        let variables = self.index.type_variables(class);
        for (&argument, variable) in arguments.iter().zip(variables) {
            let types = self.index.annotation(scope, argument, None).types;
            for slot in self.index.declared_as(class, variable) {
                self.fallbacks.extend(types.iter().map(|&ty| Fallback::Is(ty, slot)));
            }
        }
    }
}

impl Index<'_> {
    fn type_arguments(&self, scope: Func, key: ExprId) -> Vec<ExprId> {
        let facts = self.units[self.file_of(scope)].facts;
        match *facts.expr(key) {
            Expr::Seq(items) => facts.list(items).to_vec(),
            _ => vec![key],
        }
    }

    /// `T` of `class Holder(Generic[T])`.
    fn type_variables(&self, class: Cls) -> Vec<Sym> {
        let (file, ir) = self.class_ir(class);
        let facts = self.units[file].facts;
        let generic = facts.list(ir.bases).iter().find_map(|&base| match *facts.expr(base) {
            Expr::Index { base, key } => {
                let named = self.statics(ir.scope, base);
                named.iter().any(|ty| matches!(ty, Type::External(_))).then_some(key)
            }
            _ => None,
        });
        let variables = generic.map(|key| self.type_arguments(ir.scope, key)).unwrap_or_default();
        let scope = self.ir(ir.scope);
        variables.into_iter().filter_map(|variable| facts.last_name(scope, variable)).collect()
    }

    /// The parameters of the methods of a class that are declared to be of a type variable.
    fn declared_as(&self, class: Cls, variable: Sym) -> Vec<Slot> {
        let (file, _) = self.class_ir(class);
        let facts = self.units[file].facts;
        let methods = facts.function_ids().filter(|func| self.method_of[func.0 as usize] == Some(class));
        let mut found = Vec::new();
        for method in methods {
            let around = self.ir(self.ir(method).parent);
            for param in facts.list(self.ir(method).params) {
                let is_meant = param.ty.is_some_and(|ty| facts.last_name(around, ty) == Some(variable));
                if let (true, Pat::Var(var)) = (is_meant, *facts.pat(param.pat)) {
                    found.push(self.var(method, var));
                }
            }
        }
        found
    }
}
