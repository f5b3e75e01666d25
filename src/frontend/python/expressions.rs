//! Expressions: the dispatch, and those that are little more than a list of parts.

use super::kind::Kind;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Entry, EntryKey, Expr, ExprId, IfArm, ListOf, Lit, Op, Pat, Span};

impl Lowerer<'_> {
    pub(super) fn expression(&mut self, node: Node<'_>) -> ExprId {
        let node = bare(node);
        if self.depth >= DEEPEST {
            return self.too_deep(node);
        }
        self.depth += 1;
        let made = self.expression_here(node);
        self.depth -= 1;
        made
    }

    fn expression_here(&mut self, node: Node<'_>) -> ExprId {
        match node.kind() {
            Kind::Identifier => self.name(node.text(), self.span(node)),
            Kind::Call | Kind::Attribute | Kind::Subscript => self.spine(node),
            Kind::Type if node.is_leaf() => self.dotted_node(node),
            Kind::String | Kind::ConcatenatedString => self.string(node),
            Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None | Kind::Ellipsis => {
                self.literal(node)
            }
            Kind::List | Kind::Tuple | Kind::Set | Kind::ExpressionList | Kind::PatternList => {
                self.sequence_here(node)
            }
            Kind::TuplePattern | Kind::ListPattern => self.sequence_here(node),
            Kind::Dictionary => self.dictionary(node),
            Kind::Binary => self.binary(node),
            Kind::Boolean => self.boolean(node),
            Kind::Comparison => self.comparison(node),
            Kind::Unary => self.unary(node),
            Kind::Not => self.not(node),
            Kind::Conditional => self.conditional(node),
            Kind::NamedExpression => self.named_expression(node),
            Kind::Lambda => self.lambda(node),
            Kind::Await => self.wrap(node, Expr::Await),
            Kind::Yield => self.yielded(node),
            Kind::ListSplat | Kind::ListSplatPattern | Kind::DictionarySplat => self.wrap(node, Expr::Spread),
            Kind::SplatType => self.splat_type(node),
            Kind::Slice => self.slice(node),
            Kind::GenericType => self.generic_type(node),
            Kind::UnionType => self.union_type(node),
            Kind::MemberType => self.member_type(node),
            Kind::ListComprehension | Kind::SetComprehension => self.comprehension(node),
            Kind::DictionaryComprehension | Kind::GeneratorExpression => self.comprehension(node),
            Kind::Assignment | Kind::AugmentedAssignment => self.assignment_here(node),
            _ => self.parts(node),
        }
    }

    /// Not an expression, or none that has a meaning here.
    fn parts(&mut self, node: Node<'_>) -> ExprId {
        let base = self.exprs.len();
        for child in node.children().filter(|n| !n.kind().is_token()) {
            let made = self.anything(child);
            self.exprs.push(made);
        }
        let children = self.take_exprs(base);
        self.add(Expr::Opaque(children), self.span(node))
    }

    pub(super) fn name(&mut self, text: &str, span: Span) -> ExprId {
        let name = self.ident(text);
        let expr = self.scopes.read(name);
        self.add(expr, span)
    }

    fn wrap(&mut self, node: Node<'_>, make: fn(ExprId) -> Expr) -> ExprId {
        match node.children().find(|n| !n.kind().is_token()) {
            Some(inner) => {
                let inner = self.expression(inner);
                self.add(make(inner), self.span(node))
            }
            None => self.empty(node),
        }
    }

    /// Several expressions with commas between them.
    pub(super) fn sequence(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let made = self.sequence_here(node);
        self.depth -= 1;
        made
    }

    fn sequence_here(&mut self, node: Node<'_>) -> ExprId {
        let base = self.exprs.len();
        for item in node.children().filter(|n| n.kind() != Kind::Comma) {
            let made = self.expression(item);
            self.exprs.push(made);
        }
        let items = self.take_exprs(base);
        self.add(Expr::Seq(items), self.span(node))
    }

    fn dictionary(&mut self, node: Node<'_>) -> ExprId {
        let mut entries = Vec::new();
        for item in node.children() {
            entries.extend(self.entry(item));
        }
        let entries = self.list(&entries);
        self.add(Expr::Record(entries), self.span(node))
    }

    /// An item of a dictionary or the body of a dictionary comprehension.
    pub(super) fn entry(&mut self, item: Node<'_>) -> Option<Entry> {
        match item.kind() {
            Kind::Pair => {
                let mut parts = item.children().filter(|n| n.kind() != Kind::Colon);
                let key = self.expression(parts.next()?);
                let value = match parts.next() {
                    Some(value) => self.expression(value),
                    None => self.empty(item),
                };
                Some(Entry { key: EntryKey::Expr(key), value })
            }
            Kind::DictionarySplat => {
                let value = self.expression(item.children().find(|n| !n.kind().is_token())?);
                Some(Entry { key: EntryKey::Spread, value })
            }
            _ => None,
        }
    }

    /// `a := b if c else d` is parsed as `(a := b) if c else d`; it means `a := (b if c else d)`.
    fn conditional(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = node.children();
        let Some(body) = parts.next() else { return self.parts(node) };
        let (test, last) = (parts.next(), parts.next());
        let mut named = body.children();
        match (body.kind(), named.next(), named.next()) {
            (Kind::NamedExpression, Some(name), Some(value)) => {
                self.depth += 1;
                let value = self.ladder(self.span_of(value.lo(), node.hi()), value, test, last);
                self.depth -= 1;
                self.bind_name(name, value, self.span(node))
            }
            _ => self.ladder(self.span(node), body, test, last),
        }
    }

    /// `a if b else c if d else e` is one node.
    fn ladder(
        &mut self,
        span: Span,
        body: Node<'_>,
        test: Option<Node<'_>>,
        last: Option<Node<'_>>,
    ) -> ExprId {
        let mut arms = Vec::new();
        let (mut body, mut test, mut last) = (body, test, last);
        while let Some(condition) = test {
            let condition = self.expression(condition);
            let value = self.expression(body);
            arms.push(IfArm { test: condition, body: value });
            let Some(next) = last.map(bare).filter(|n| n.kind() == Kind::Conditional) else { break };
            let mut parts = next.children();
            let Some(first) = parts.next().filter(|n| n.kind() != Kind::NamedExpression) else { break };
            (body, test, last) = (first, parts.next(), parts.next());
        }
        let otherwise = last.map(|last| self.expression(last));
        let arms = self.list(&arms);
        self.add(Expr::If { arms, otherwise }, span)
    }

    fn named_expression(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = node.children();
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { return self.parts(node) };
        let value = self.expression(value);
        self.bind_name(name, value, self.span(node))
    }

    pub(super) fn bind_name(&mut self, name: Node<'_>, value: ExprId, span: Span) -> ExprId {
        let pat = self.name_pattern(name.text(), self.span(name));
        self.bind(pat, value, span)
    }

    pub(super) fn bind(&mut self, pat: Pat, value: ExprId, span: Span) -> ExprId {
        if let Pat::Place(place) = pat {
            return self.add(Expr::Store { place, op: None, value: Some(value) }, span);
        }
        let pat = self.arenas.add_pat(pat);
        self.add(Expr::Bind { pat, value }, span)
    }

    fn yielded(&mut self, node: Node<'_>) -> ExprId {
        self.functions[self.here.0 as usize].is_generator = true;
        let delegate = node.children().any(|n| n.kind() == Kind::From);
        let value = node.children().find(|n| n.kind() != Kind::From).map(|value| self.expression(value));
        self.add(Expr::Yield { value, delegate }, self.span(node))
    }

    fn slice(&mut self, node: Node<'_>) -> ExprId {
        let span = self.span(node);
        let mut bounds = [None; 3];
        let mut at = 0;
        for child in node.children() {
            match child.kind() {
                Kind::Colon => at += 1,
                _ => {
                    let made = self.expression(child);
                    if let Some(bound) = bounds.get_mut(at) {
                        *bound = Some(made);
                    }
                }
            }
        }
        let bounds = bounds.map(|bound| bound.unwrap_or_else(|| self.none(span)));
        let args = self.list(&bounds);
        self.add(Expr::Op { op: Op::Slice, args }, span)
    }

    pub(super) fn constant(&mut self, lit: Lit, span: Span) -> ExprId {
        self.add(Expr::Lit(lit), span)
    }

    pub(super) fn opaque(&mut self, span: Span) -> ExprId {
        self.add(Expr::Opaque(ListOf::EMPTY), span)
    }
}

/// Without the parentheses and wrappers that mean nothing.
pub(super) fn bare(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        Kind::Parenthesized | Kind::Type | Kind::AsPatternTarget | Kind::ParenthesizedListSplat
    ) {
        let mut children = node.children();
        match (children.next(), children.next()) {
            (Some(only), None) => node = only,
            _ => break,
        }
    }
    node
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
