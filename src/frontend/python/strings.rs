//! String literals as expressions: constants, f-strings and t-strings, and rows of them.

use super::kind::Kind;
use super::literals::{decode, unquote};
use super::{Lowerer, Node};
use crate::ir::{Expr, ExprId, Lit, Span};

/// Parts of a text, of which the constant ones are merged.
#[derive(Default)]
struct Pieces {
    /// Where its parts begin on the scratch stack.
    base: usize,
    constant: Option<(String, Span)>,
    is_bytes: bool,
}

impl Lowerer<'_> {
    pub(super) fn string(&mut self, node: Node<'_>) -> ExprId {
        if node.kind() == Kind::String && node.is_leaf() {
            return self.plain_string(node);
        }
        let mut pieces = Pieces { base: self.exprs.len(), ..Pieces::default() };
        if node.kind() == Kind::String {
            self.pieces_of(node, &mut pieces);
        } else {
            for string in node.children().filter(|n| n.kind() == Kind::String) {
                self.pieces_of(string, &mut pieces);
            }
        }
        self.joined(node, pieces)
    }

    fn plain_string(&mut self, node: Node<'_>) -> ExprId {
        let (quoting, content) = unquote(node.text());
        let span = self.span(node);
        if quoting.is_backtick {
            return self.backticks(content, span);
        }
        let value = decode(content, quoting);
        if self.in_annotation && !quoting.is_bytes {
            return self.type_in_string(&value, span);
        }
        let value = self.names.intern(&value);
        self.constant(if quoting.is_bytes { Lit::Bytes(value) } else { Lit::Str(value) }, span)
    }

    fn joined(&mut self, node: Node<'_>, mut pieces: Pieces) -> ExprId {
        let span = self.span(node);
        if self.exprs.len() == pieces.base {
            let value = pieces.constant.map_or(String::new(), |(value, _)| value);
            if self.in_annotation && !pieces.is_bytes {
                return self.type_in_string(&value, span);
            }
            let value = self.names.intern(&value);
            return self.constant(if pieces.is_bytes { Lit::Bytes(value) } else { Lit::Str(value) }, span);
        }
        self.flush(&mut pieces);
        let parts = self.take_exprs(pieces.base);
        self.add(Expr::Text(parts), span)
    }

    fn pieces_of(&mut self, string: Node<'_>, pieces: &mut Pieces) {
        let (quoting, content) = unquote(string.text());
        pieces.is_bytes |= quoting.is_bytes;
        if string.is_leaf() {
            pieces.push(&decode(content, quoting), self.span(string));
            return;
        }
        for part in string.children() {
            match part.kind() {
                Kind::StringContent => pieces.push(&decode(part.text(), quoting), self.span(part)),
                Kind::Interpolation => self.interpolation(part, pieces),
                _ => {}
            }
        }
    }

    /// The value, then what stands in its format.
    fn interpolation(&mut self, node: Node<'_>, pieces: &mut Pieces) {
        let is_value = |n: &Node<'_>| !n.kind().is_token() && n.kind() != Kind::TypeConversion;
        for part in node.children().filter(is_value) {
            if part.kind() == Kind::FormatSpecifier {
                for inner in part.children().filter(|n| n.kind() == Kind::FormatExpression) {
                    self.interpolation(inner, pieces);
                }
            } else {
                self.flush(pieces);
                let plain = std::mem::take(&mut self.in_annotation);
                let value = self.expression(part);
                self.in_annotation = plain;
                self.exprs.push(value);
            }
        }
    }

    fn flush(&mut self, pieces: &mut Pieces) {
        if let Some((value, span)) = pieces.constant.take() {
            let value = self.names.intern(&value);
            let part = self.constant(Lit::Str(value), span);
            self.exprs.push(part);
        }
    }
}

impl Pieces {
    fn push(&mut self, value: &str, span: Span) {
        match &mut self.constant {
            Some((all, whole)) => {
                all.push_str(value);
                whole.hi = whole.hi.max(span.hi);
            }
            None => self.constant = Some((value.to_owned(), span)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[test]
    fn constants() {
        check(r#"'a' 'b' "c""#, r#""abc""#);
        check("b'a' b'b'", r#"b"ab""#);
        check("f'a{{b}}'", r#""a{b}""#);
        check(r"r'\n' '\n'", r#""\\n\n""#);
        check("u'a'", r#""a""#);
    }

    #[test]
    fn templates() {
        check("f'a{b}c{d.e()!r}'", r#"(text "a" @b "c" (call (. @d e)))"#);
        check("f'{x}' 'lit' f'{y}'", r#"(text @x "lit" @y)"#);
        check("f'{a, b}{c=}'", "(text (seq @a @b) @c)");
        check("t'{a}'", "(text @a)");
        check(r#"f'{f"{a}"}'"#, "(text (text @a))");
        check("f'''{\n a}'''", "(text @a)");
    }

    #[test]
    fn formats_are_parts_too() {
        check("f'{x:>10}'", "(text @x)");
        check("f'{x:{w}}'", "(text @x @w)");
        check("f'{x!r:>{w()}.{p}} {y}'", r#"(text @x (call @w) @p " " @y)"#);
    }
}
