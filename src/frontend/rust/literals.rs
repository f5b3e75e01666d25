//! Constants: numbers and texts. A character is a text of one.

use syn::{Expr as SynExpr, ExprLit, Lit as SynLit};

use super::Lowerer;
use crate::ir::{Expr, ExprId, Lit};

impl Lowerer<'_> {
    pub(super) fn literal(&mut self, lit: SynLit) -> ExprId {
        let span = self.span(lit.span());
        let lit = match lit {
            SynLit::Str(text) => Lit::Str(self.names.intern(&text.value())),
            SynLit::Char(char) => Lit::Str(self.names.intern(char.value().encode_utf8(&mut [0; 4]))),
            SynLit::ByteStr(bytes) => self.bytes(&bytes.value()),
            SynLit::CStr(text) => self.bytes(text.value().to_bytes()),
            SynLit::Byte(byte) => Lit::Int(byte.value().into()),
            SynLit::Int(int) => int.base10_parse().map_or(Lit::Other, Lit::Int),
            SynLit::Bool(value) => Lit::Bool(value.value),
            _ => Lit::Other,
        };
        self.add(Expr::Lit(lit), span)
    }

    /// A byte stands as the character of that number.
    fn bytes(&mut self, bytes: &[u8]) -> Lit {
        let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        Lit::Bytes(self.names.intern(&text))
    }
}

/// The text of a literal.
pub(super) fn text_of(expr: &SynExpr) -> Option<&syn::LitStr> {
    match expr {
        SynExpr::Lit(ExprLit { lit: SynLit::Str(text), .. }) => Some(text),
        SynExpr::Group(inner) => text_of(&inner.expr),
        _ => None,
    }
}
