//! String literals as expressions: constants, f-strings and t-strings, and rows of them.

use std::borrow::Cow;

use ruff_python_ast::{
    ExprBytesLiteral, ExprFString, ExprStringLiteral, ExprTString, FStringPart, InterpolatedElement,
    InterpolatedStringElement, InterpolatedStringElements, StringLiteral,
};
use ruff_text_size::Ranged;

use super::literals::{Quoting, decode, unquote};
use super::{Lowerer, SpanSource};
use crate::ir::{Expr, ExprId, Lit, Span};

/// Parts of a text, of which the constant ones are merged.
struct Pieces {
    /// Where its parts begin on the scratch stack.
    base: usize,
    constant: Option<(String, Span)>,
}

impl<'t> Lowerer<'t> {
    pub(super) fn text_literal(&mut self, node: &'t ExprStringLiteral) -> ExprId {
        let span = self.span(node);
        let value = match node.value.as_slice() {
            [only] => self.value_of(only),
            parts if self.has_returns => {
                parts.iter().map(|part| self.value_of(part)).collect::<String>().into()
            }
            _ => Cow::Borrowed(node.value.to_str()),
        };
        self.text_or_type(&value, span)
    }

    fn text_or_type(&mut self, value: &str, span: Span) -> ExprId {
        if self.in_annotation {
            return self.type_in_string(value, span);
        }
        let value = self.names.intern(value);
        self.constant(Lit::Str(value), span)
    }

    /// The value of one literal. The parser leaves line ends as they are written, the interpreter reads `\n`.
    fn value_of(&self, literal: &'t StringLiteral) -> Cow<'t, str> {
        match self.written_with_returns(literal) {
            Some(text) => {
                let (quoting, content) = unquote(text);
                decode(content, quoting)
            }
            None => Cow::Borrowed(&literal.value),
        }
    }

    pub(super) fn written_with_returns(&self, node: &impl Ranged) -> Option<&'t str> {
        let is_file = self.has_returns && matches!(self.spans, SpanSource::Nodes);
        let text = if is_file { self.text.get(node.range().to_std_range())? } else { return None };
        text.contains('\r').then_some(text)
    }

    /// A byte stands as the character of that number.
    pub(super) fn bytes_literal(&mut self, node: &'t ExprBytesLiteral) -> ExprId {
        let mut value: String = node.value.bytes().map(char::from).collect();
        if self.written_with_returns(node).is_some() {
            value = value.replace("\r\n", "\n");
        }
        let value = self.names.intern(&value);
        self.constant(Lit::Bytes(value), self.span(node))
    }

    pub(super) fn template(&mut self, node: &'t ExprFString) -> ExprId {
        let mut pieces = Pieces { base: self.exprs.len(), constant: None };
        for part in node.value.iter() {
            match part {
                FStringPart::Literal(literal) => pieces.push(&self.value_of(literal), self.span(literal)),
                FStringPart::FString(part) => {
                    let is_raw = part.flags.prefix().is_raw();
                    self.elements(&part.elements, is_raw, &mut pieces);
                }
            }
        }
        self.joined(pieces, self.span(node))
    }

    pub(super) fn t_string(&mut self, node: &'t ExprTString) -> ExprId {
        let mut pieces = Pieces { base: self.exprs.len(), constant: None };
        for part in node.value.iter() {
            self.elements(&part.elements, part.flags.prefix().is_raw(), &mut pieces);
        }
        self.joined(pieces, self.span(node))
    }

    fn joined(&mut self, mut pieces: Pieces, span: Span) -> ExprId {
        if self.exprs.len() == pieces.base {
            let value = pieces.constant.map_or(String::new(), |(value, _)| value);
            return self.text_or_type(&value, span);
        }
        self.flush(&mut pieces);
        let parts = self.take_exprs(pieces.base);
        self.add(Expr::Text(parts), span)
    }

    fn elements(&mut self, elements: &'t InterpolatedStringElements, is_raw: bool, pieces: &mut Pieces) {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => match self.written_with_returns(literal) {
                    Some(text) => {
                        let quoting = Quoting { is_raw, is_template: true, ..Quoting::default() };
                        pieces.push(&decode(text, quoting), self.span(literal));
                    }
                    None => pieces.push(&literal.value, self.span(literal)),
                },
                InterpolatedStringElement::Interpolation(part) => self.interpolation(part, pieces),
            }
        }
    }

    /// The value, then what stands in its format.
    fn interpolation(&mut self, part: &'t InterpolatedElement, pieces: &mut Pieces) {
        self.flush(pieces);
        let plain = std::mem::take(&mut self.in_annotation);
        let value = self.expression(&part.expression);
        self.in_annotation = plain;
        self.exprs.push(value);
        let format = part.format_spec.iter().flat_map(|format| &format.elements);
        for element in format {
            if let InterpolatedStringElement::Interpolation(inner) = element {
                self.interpolation(inner, pieces);
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
