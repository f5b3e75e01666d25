//! What a call of `base.name(…)` calls.

use super::eval::push;
use super::names::Name;
use super::program::{Cls, Func};
use super::solve::Solver;
use super::types::{Type, Types};
use crate::ir::{Expr, ExprId};

/// The method behind `*value`, which the compiler calls by itself.
pub(super) const DEREF: &str = "deref";

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

    /// In Rust an object also has the methods of what it dereferences to.
    fn through_deref(&mut self, base: Type, name: Name, out: &mut Types) {
        let Type::Instance { class, .. } = base else { return };
        if !self.index.is_rust(self.index.class_ir(class).0) {
            return;
        }
        let mut inner = Types::new();
        self.read_method_result(base, DEREF, &mut inner);
        for ty in inner.into_iter().filter(|ty| *ty != base) {
            self.attr_of(ty, name, out);
        }
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
        let before = out.len();
        self.attr_of(base, name, out);
        if out.len() == before {
            self.through_deref(base, name, out);
        }
    }

    /// A library base provides what the project neither defines nor stores.
    pub(super) fn inherited_from_library(&mut self, class: Cls, name: Name, out: &mut Types) {
        let hierarchy = self.hierarchy;
        if hierarchy.related[class.0 as usize].iter().any(|&owner| self.known_attr(owner, name).is_some()) {
            return;
        }
        for &path in &hierarchy.external_bases[class.0 as usize] {
            if !is_marker(self.index.externals.text(path)) {
                push(out, Type::External(self.index.externals.child(path, name, &self.index.names)));
            }
        }
    }
}

/// Bases that say what a class is and provide nothing to call.
fn is_marker(base: &str) -> bool {
    let module = base.split('.').next().unwrap_or(base);
    matches!(module, "abc" | "typing" | "typing_extensions" | "std") || base == "builtins.object"
}
