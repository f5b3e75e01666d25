//! Expressions: what each kind becomes. Parentheses, references, casts and `unsafe` mean nothing here.

use proc_macro2::Span as TokenSpan;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Block, Expr as SynExpr, ExprRange, ExprRepeat, ExprStruct, ExprUnary, Member as SynMember, Token, UnOp,
};

use super::scope::Wanted;
use super::{DEEPEST, Lowerer, hull};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Jump, ListOf, Lit, Op, Operator, Span, Sym};

impl Lowerer<'_> {
    /// Anything that has a value, one level below what is being made.
    pub(super) fn expr(&mut self, expr: SynExpr) -> ExprId {
        let expr = bare(expr);
        if self.depth >= DEEPEST {
            return self.too_deep(&expr);
        }
        self.depth += 1;
        let made = self.expr_proper(expr);
        self.depth -= 1;
        made
    }

    pub(super) fn nested(&mut self, expr: SynExpr) -> ExprId {
        self.depth += 1;
        let made = self.expr(expr);
        self.depth -= 1;
        made
    }

    fn expr_proper(&mut self, expr: SynExpr) -> ExprId {
        match expr {
            SynExpr::Await(_)
            | SynExpr::Call(_)
            | SynExpr::Field(_)
            | SynExpr::Index(_)
            | SynExpr::MethodCall(_)
            | SynExpr::Try(_) => self.chain(expr),
            SynExpr::Path(found) => self.path(found.qself, found.path, Wanted::Any),
            SynExpr::Lit(found) => self.literal(found.lit),
            SynExpr::Binary(binary) => self.binary(binary),
            SynExpr::Unary(unary) => self.unary(unary),
            SynExpr::Macro(found) => self.macro_call(found.mac),
            SynExpr::Closure(closure) => self.closure(closure),
            SynExpr::Async(block) => self.async_block(block),
            SynExpr::Struct(found) => self.struct_literal(found),
            SynExpr::Array(array) => {
                let ends = (array.bracket_token.span.open(), array.bracket_token.span.close());
                self.sequence_of(array.elems, ends)
            }
            SynExpr::Tuple(tuple) => {
                let ends = (tuple.paren_token.span.open(), tuple.paren_token.span.close());
                self.tuple(tuple.elems, ends)
            }
            SynExpr::Repeat(repeat) => self.repeat(repeat),
            SynExpr::Range(range) => self.range(range),
            SynExpr::Assign(assign) => self.assign(*assign.left, *assign.right),
            SynExpr::Let(_) => self.condition(expr),
            other => self.control(other),
        }
    }

    /// `(a, b)`; without elements it is the unit.
    fn tuple(&mut self, elems: Punctuated<SynExpr, Token![,]>, ends: (TokenSpan, TokenSpan)) -> ExprId {
        if elems.is_empty() {
            let span = self.between(ends.0, ends.1);
            return self.none(span);
        }
        self.sequence_of(elems, ends)
    }

    pub(super) fn sequence_of(
        &mut self,
        elems: Punctuated<SynExpr, Token![,]>,
        ends: (TokenSpan, TokenSpan),
    ) -> ExprId {
        let base = self.exprs.len();
        for elem in elems {
            let made = self.expr(elem);
            self.exprs.push(made);
        }
        let items = self.take_exprs(base);
        let span = self.between(ends.0, ends.1);
        self.add(Expr::Seq(items), span)
    }

    /// `[x; n]`: one element stands for all.
    fn repeat(&mut self, repeat: ExprRepeat) -> ExprId {
        let span = self.between(repeat.bracket_token.span.open(), repeat.bracket_token.span.close());
        self.repeated(*repeat.expr, *repeat.len, span)
    }

    pub(super) fn repeated(&mut self, element: SynExpr, len: SynExpr, span: Span) -> ExprId {
        let element = self.nested(element);
        let len = self.nested(len);
        let items = self.list(&[element]);
        let seq = self.add(Expr::Seq(items), span);
        if matches!(self.arenas.expr(len), Expr::Lit(_) | Expr::Free(_) | Expr::Var(_)) {
            return seq;
        }
        let parts = self.list(&[len, seq]);
        self.add(Expr::Block(parts), span)
    }

    fn range(&mut self, range: ExprRange) -> ExprId {
        let first = range.start.map(|start| self.expr(*start));
        let last = range.end.map(|end| self.expr(*end));
        let token = match range.limits {
            syn::RangeLimits::HalfOpen(token) => token.spans[0],
            syn::RangeLimits::Closed(token) => token.spans[0],
        };
        let mut span = self.span(token);
        for part in [first, last].into_iter().flatten() {
            span = hull(span, self.span_of(part));
        }
        let parts = [first, last, None].map(|part| part.unwrap_or_else(|| self.none(span)));
        let args = self.list(&parts);
        self.add(Expr::Op { op: Op::Slice, args }, span)
    }

    fn unary(&mut self, unary: ExprUnary) -> ExprId {
        let (span, op) = match unary.op {
            UnOp::Not(token) => (self.span(token.span), true),
            UnOp::Neg(token) => (self.span(token.span), false),
            _ => return self.expr(*unary.expr),
        };
        let inner = self.expr(*unary.expr);
        let span = hull(span, self.span_of(inner));
        if op {
            return self.add(Expr::Not(inner), span);
        }
        if let Expr::Lit(Lit::Int(value)) = *self.arenas.expr(inner) {
            return self.add(Expr::Lit(Lit::Int(value.wrapping_neg())), span);
        }
        let args = self.list(&[inner]);
        self.add(Expr::Op { op: Op::Other(Some(Operator::Neg)), args }, span)
    }

    /// `Client { url, ..rest }`: a call of the class with named arguments, as other languages make objects.
    fn struct_literal(&mut self, found: ExprStruct) -> ExprId {
        let close = self.span(found.brace_token.span.close());
        let callee = self.path(found.qself, found.path, Wanted::Items);
        let base = self.args.len();
        for field in found.fields {
            let name = self.member(&field.member);
            let value = self.expr(field.expr);
            self.args.push(Arg { kind: ArgKind::Named(name), value });
        }
        if let Some(rest) = found.rest {
            let value = self.expr(*rest);
            self.args.push(Arg { kind: ArgKind::SpreadNamed, value });
        }
        let span = hull(self.span_of(callee), close);
        self.call_with(callee, base, span)
    }

    pub(super) fn member(&mut self, member: &SynMember) -> Sym {
        match member {
            SynMember::Named(name) => self.name(name),
            SynMember::Unnamed(at) => self.names.intern(&at.index.to_string()),
        }
    }

    fn control(&mut self, expr: SynExpr) -> ExprId {
        match expr {
            SynExpr::If(found) => self.if_ladder(found),
            SynExpr::Match(found) => self.match_expr(found),
            SynExpr::Loop(found) => self.endless(found),
            SynExpr::While(found) => self.while_loop(found),
            SynExpr::ForLoop(found) => self.for_loop(found),
            SynExpr::Block(found) => match found.label {
                Some(label) => self.labelled(&label, found.block),
                None => self.block(found.block),
            },
            SynExpr::Unsafe(found) => self.block(found.block),
            SynExpr::Const(found) => self.block(found.block),
            SynExpr::TryBlock(found) => self.block(found.block),
            SynExpr::Return(found) => self.jump(Jump::Return, found.return_token.span, found.expr),
            SynExpr::Break(found) => self.break_out(found),
            SynExpr::Continue(found) => self.continue_with(&found),
            SynExpr::Yield(found) => {
                let span = self.span(found.yield_token.span);
                self.functions[self.here.0 as usize].is_generator = true;
                let value = found.expr.map(|value| self.expr(*value));
                self.add(Expr::Yield { value, delegate: false }, span)
            }
            SynExpr::Verbatim(tokens) => self.scanned(tokens),
            other => {
                let span = self.span(other.span());
                self.add(Expr::Opaque(ListOf::EMPTY), span)
            }
        }
    }

    pub(super) fn block_span(&self, block: &Block) -> Span {
        self.between(block.brace_token.span.open(), block.brace_token.span.close())
    }
}

/// Without what means nothing: parentheses, references, dereferences, casts.
pub(super) fn bare(mut expr: SynExpr) -> SynExpr {
    loop {
        expr = match expr {
            SynExpr::Paren(inner) => *inner.expr,
            SynExpr::Group(inner) => *inner.expr,
            SynExpr::Reference(inner) => *inner.expr,
            SynExpr::RawAddr(inner) => *inner.expr,
            SynExpr::Cast(inner) => *inner.expr,
            SynExpr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => *expr,
            other => return other,
        };
    }
}

/// The last token of an expression, found without reading the whole of it.
pub(super) fn end(expr: &SynExpr) -> TokenSpan {
    let mut at = expr;
    loop {
        at = match at {
            SynExpr::Array(e) => return e.bracket_token.span.close(),
            SynExpr::Assign(e) => &e.right,
            SynExpr::Async(e) => return e.block.brace_token.span.close(),
            SynExpr::Await(e) => return e.await_token.span,
            SynExpr::Binary(e) => &e.right,
            SynExpr::Block(e) => return e.block.brace_token.span.close(),
            SynExpr::Call(e) => return e.paren_token.span.close(),
            SynExpr::Closure(e) => &e.body,
            SynExpr::ForLoop(e) => return e.body.brace_token.span.close(),
            SynExpr::If(e) => match &e.else_branch {
                Some((_, other)) => other,
                None => return e.then_branch.brace_token.span.close(),
            },
            SynExpr::Index(e) => return e.bracket_token.span.close(),
            SynExpr::Loop(e) => return e.body.brace_token.span.close(),
            SynExpr::Match(e) => return e.brace_token.span.close(),
            SynExpr::MethodCall(e) => return e.paren_token.span.close(),
            SynExpr::Paren(e) => return e.paren_token.span.close(),
            SynExpr::Reference(e) => &e.expr,
            SynExpr::Struct(e) => return e.brace_token.span.close(),
            SynExpr::Try(e) => return e.question_token.span,
            SynExpr::Tuple(e) => return e.paren_token.span.close(),
            SynExpr::Unary(e) => &e.expr,
            SynExpr::Unsafe(e) => return e.block.brace_token.span.close(),
            SynExpr::While(e) => return e.body.brace_token.span.close(),
            SynExpr::Macro(e) => return e.mac.delimiter.span().close(),
            SynExpr::Lit(e) => return e.lit.span(),
            SynExpr::Field(e) => match &e.member {
                SynMember::Named(name) => return name.span(),
                SynMember::Unnamed(at) => return at.span,
            },
            // Short, or rare: this reads the whole expression.
            other => return other.span(),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{check, has};

    #[test]
    fn values() {
        check("[1, 0x1f, 1u8, 2.5, -3, true]", "(seq 1 31 1 ... -3 true)");
        check("(\"a\", 'b', b\"c\", ())", "(seq \"a\" \"b\" b\"c\" none)");
        check("r#\"a\"b\"#", "\"a\\\"b\"");
        check("[a; 3]", "(seq a.0)");
        check("a..=b", "(slice a.0 b.1 none)");
        check("!a || b && a", "(or (not a.0) (and b.1 a.0))");
        check("a as u8 + 1", "(+ a.0 1)");
        check("unsafe { a }", "(block\na.0)");
    }

    #[test]
    fn a_struct_literal_is_a_call_of_the_class() {
        check("C { a, d: 1, ..b }", "(call @C a=a.0 d=1 **b.1)");
        check("x::C::D { e: a }", "(call (. (. @x C) D) e=a.0)");
    }

    #[test]
    fn self_is_the_type_around() {
        let source = "impl A<B> for c::C<D> { fn f() -> Self { Self { a: 1 } } }";
        has(source, &["extends (. @c C)", "bases (@A)", "(call (. @c C) a=1)"]);
        has("trait T: U { fn f() { Self::g(); } }", &["class 0 interface bases (@U)", "(call (. @T g))"]);
    }
}
