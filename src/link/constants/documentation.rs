//! What functions, classes and modules say of themselves: a text like any other to whoever runs it.

use super::Folder;
use crate::catalog::TextOp;
use crate::ir::{Expr, ExprId, Lit, Sym};
use crate::link::ids::{Func, Module};
use crate::link::types::Type;
use crate::link::values::Values;

impl Folder<'_, '_> {
    pub(super) fn is_documentation(&self, func: Func, name: &str) -> bool {
        let ops = &self.index.externals.catalog().text_ops;
        ops.of_method(self.facts_of(func).lang, name) == Some(TextOp::Documentation)
    }

    /// `plan.__doc__`.
    pub(super) fn documentation(&self, func: Func, base: ExprId, name: Sym) -> Option<Values> {
        if !self.is_documentation(func, self.index.names.text(name)) {
            return None;
        }
        let [of] = self.index.statics(func, base)[..] else { return None };
        let body = match of {
            Type::Function(func) => func,
            Type::Class { class, .. } => self.index.class_body(class),
            Type::Module(Module::File(file)) => self.index.module_body(file),
            _ => return None,
        };
        Some(self.said_by(body))
    }

    /// The text that a body begins with.
    pub(super) fn said_by(&self, func: Func) -> Values {
        let facts = self.facts_of(func);
        let body = self.index.ir(func).body;
        let first = match *facts.expr(body) {
            Expr::Block(statements) => facts.list(statements).first().copied(),
            _ => Some(body),
        };
        match first.map(|first| *facts.expr(first)) {
            Some(Expr::Lit(Lit::Str(text))) => Values::text(facts.str(text)),
            _ => Values::unknown(),
        }
    }
}
