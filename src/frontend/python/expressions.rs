//! Expressions: the dispatch, and those that are little more than a list of parts.

use ruff_python_ast::{self as ast, AnyNodeRef, DictItem, ExprIf, ExprSlice, Number};

use super::comprehensions::Item;
use super::{DEEPEST, Lowerer};
use crate::ir::{Entry, EntryKey, Expr, ExprId, IfArm, ListOf, Lit, Op, Pat, Span};

impl<'t> Lowerer<'t> {
    pub(super) fn expression(&mut self, node: &'t ast::Expr) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        self.depth += 1;
        let made = self.expression_here(node);
        self.depth -= 1;
        made
    }

    fn expression_here(&mut self, node: &'t ast::Expr) -> ExprId {
        let span = self.span(node);
        match node {
            ast::Expr::Name(name) => self.name(&name.id, span),
            ast::Expr::Call(_) | ast::Expr::Attribute(_) | ast::Expr::Subscript(_) => self.spine(node),
            ast::Expr::StringLiteral(string) => self.text_literal(string),
            ast::Expr::BytesLiteral(bytes) => self.bytes_literal(bytes),
            ast::Expr::FString(string) => self.template(string),
            ast::Expr::TString(string) => self.t_string(string),
            ast::Expr::NumberLiteral(number) => self.constant(number_of(&number.value), span),
            ast::Expr::BooleanLiteral(literal) => self.constant(Lit::Bool(literal.value), span),
            ast::Expr::NoneLiteral(_) => self.none(span),
            ast::Expr::EllipsisLiteral(_) => self.constant(Lit::Other, span),
            ast::Expr::List(list) => self.sequence(&list.elts, span),
            ast::Expr::Tuple(tuple) => self.sequence(&tuple.elts, span),
            ast::Expr::Set(set) => self.sequence(&set.elts, span),
            ast::Expr::Dict(dict) => self.dictionary(&dict.items, span),
            ast::Expr::BinOp(_) => self.binary(node),
            ast::Expr::BoolOp(_) => self.boolean(node),
            ast::Expr::Compare(compare) => self.comparison(compare),
            ast::Expr::UnaryOp(unary) => self.unary(unary),
            ast::Expr::If(conditional) => self.conditional(conditional),
            ast::Expr::Named(named) => {
                let value = self.expression(&named.value);
                self.assign(&named.target, value, span)
            }
            ast::Expr::Lambda(lambda) => self.lambda(lambda),
            ast::Expr::Await(inner) => self.wrap(&inner.value, Expr::Await, span),
            ast::Expr::Starred(inner) => self.wrap(&inner.value, Expr::Spread, span),
            ast::Expr::Yield(inner) => self.yielded(inner.value.as_deref(), false, span),
            ast::Expr::YieldFrom(inner) => self.yielded(Some(&inner.value), true, span),
            ast::Expr::Slice(slice) => self.slice(slice, span),
            ast::Expr::ListComp(it) => self.comprehension(Item::Value(&it.elt), &it.generators, span),
            ast::Expr::SetComp(it) => self.comprehension(Item::Value(&it.elt), &it.generators, span),
            ast::Expr::Generator(it) => self.comprehension(Item::Value(&it.elt), &it.generators, span),
            ast::Expr::DictComp(it) => {
                let item = Item::Entry { key: it.key.as_deref(), value: &it.value };
                self.comprehension(item, &it.generators, span)
            }
            ast::Expr::IpyEscapeCommand(_) => self.opaque(span),
        }
    }

    pub(super) fn name(&mut self, text: &str, span: Span) -> ExprId {
        let name = self.ident(text);
        let expr = self.scopes.read(name);
        self.add(expr, span)
    }

    fn wrap(&mut self, inner: &'t ast::Expr, make: fn(ExprId) -> Expr, span: Span) -> ExprId {
        let inner = self.expression(inner);
        self.add(make(inner), span)
    }

    pub(super) fn sequence(&mut self, items: &'t [ast::Expr], span: Span) -> ExprId {
        let base = self.exprs.len();
        for item in items {
            let made = self.expression(item);
            self.exprs.push(made);
        }
        let items = self.take_exprs(base);
        self.add(Expr::Seq(items), span)
    }

    fn dictionary(&mut self, items: &'t [DictItem], span: Span) -> ExprId {
        let entries: Vec<_> = items.iter().map(|item| self.entry(item.key.as_ref(), &item.value)).collect();
        let entries = self.list(&entries);
        self.add(Expr::Record(entries), span)
    }

    /// An item of a dictionary or of a dictionary comprehension.
    pub(super) fn entry(&mut self, key: Option<&'t ast::Expr>, value: &'t ast::Expr) -> Entry {
        let key = match key {
            Some(key) => EntryKey::Expr(self.expression(key)),
            None => EntryKey::Spread,
        };
        Entry { key, value: self.expression(value) }
    }

    /// `a if b else c if d else e` is one node.
    fn conditional(&mut self, node: &'t ExprIf) -> ExprId {
        let mut arms = Vec::new();
        let mut at = node;
        let last = loop {
            let test = self.expression(&at.test);
            arms.push(IfArm { test, body: self.expression(&at.body) });
            match &*at.orelse {
                ast::Expr::If(next) => at = next,
                last => break last,
            }
        };
        let otherwise = Some(self.expression(last));
        let arms = self.list(&arms);
        self.add(Expr::If { arms, otherwise }, self.span(node))
    }

    pub(super) fn bind(&mut self, pat: Pat, value: ExprId, span: Span) -> ExprId {
        if let Pat::Place(place) = pat {
            return self.add(Expr::Store { place, op: None, value: Some(value) }, span);
        }
        let pat = self.arenas.add_pat(pat);
        self.add(Expr::Bind { pat, value }, span)
    }

    fn yielded(&mut self, value: Option<&'t ast::Expr>, delegate: bool, span: Span) -> ExprId {
        self.functions[self.here.0 as usize].is_generator = true;
        let value = value.map(|value| self.expression(value));
        self.add(Expr::Yield { value, delegate }, span)
    }

    fn slice(&mut self, node: &'t ExprSlice, span: Span) -> ExprId {
        let bounds = [&node.lower, &node.upper, &node.step];
        let bounds = bounds.map(|bound| bound.as_deref().map(|bound| self.expression(bound)));
        let bounds = bounds.map(|bound| bound.unwrap_or_else(|| self.none(span)));
        let args = self.list(&bounds);
        self.add(Expr::Op { op: Op::Slice, args }, span)
    }

    pub(super) fn constant(&mut self, lit: Lit, span: Span) -> ExprId {
        self.add(Expr::Lit(lit), span)
    }

    pub(super) fn none(&mut self, span: Span) -> ExprId {
        self.constant(Lit::None, span)
    }

    pub(super) fn opaque(&mut self, span: Span) -> ExprId {
        self.add(Expr::Opaque(ListOf::EMPTY), span)
    }
}

/// What is no `i64` has no value here.
pub(super) fn number_of(number: &Number) -> Lit {
    match number {
        Number::Int(value) => value.as_i64().map_or(Lit::Other, Lit::Int),
        Number::Float(_) | Number::Complex { .. } => Lit::Other,
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[test]
    fn displays() {
        check("[a, *b, (c, d), {e}, ()]", "(seq @a (spread @b) (seq @c @d) (seq @e) (seq))");
        check("{a: b, **c, 'd': [e]}", "(record (@a @b) (** @c) (\"d\" (seq @e)))");
        check("{}", "(record)");
        check("a[1:]", "(index @a (slice 1 none none))");
        check("a[:, ::b]", "(index @a (seq (slice none none none) (slice none none @b)))");
        check("a[1,]", "(index @a (seq 1))");
    }

    #[test]
    fn a_ladder_of_conditions_is_one_node() {
        check("a if b else c if d else e", "(if (@b @a) (@d @c) (else @e))");
        check("a if b else (c if d else e)", "(if (@b @a) (@d @c) (else @e))");
        check("(a if b else c) if d else e", "(if (@d (if (@b @a) (else @c))) (else @e))");
    }

    #[test]
    fn a_walrus_takes_the_whole_condition() {
        check("(a := b if c else d)", "(bind a.0 (if (@c @b) (else @d)))");
        check("f(a := b if c else d if e else g)", "(call @f (bind a.0 (if (@c @b) (@e @d) (else @g))))");
        check("(a := b) if c else d", "(if (@c (bind a.0 @b)) (else @d))");
        check("if x := f(): pass", "(if ((bind x.0 (call @f)) (block)))");
        check("(a := b and c)", "(bind a.0 (and @b @c))");
    }

    #[test]
    fn awaits_yields_and_literals() {
        check("await f(x)", "(await (call @f @x))");
        check("x = yield a, b", "(bind x.0 (yield (seq @a @b)))");
        check("yield", "(yield)");
        check("yield from f()", "(yield-from (call @f))");
        check("[None, True, False, 1, -2, 1.5, 3j, ...]", "(seq none true false 1 -2 ... ... ...)");
        check("((a))", "@a");
    }
}
