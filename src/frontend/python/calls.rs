//! Calls, attributes, subscripts: a chain of them is lowered by a loop over its links, because fluent code is long, not deep.

use super::expressions::bare;
use super::kind::Kind;
use super::literals::{decode, unquote};
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Func, Lit, Site, SiteId, Span};

const ROOM_FOR_ARGUMENTS: usize = 20;

impl Lowerer<'_> {
    /// Lowers `a.b(c)[d].e()` from its base outwards. What is longer than the nesting allows loses its inner end.
    pub(super) fn spine(&mut self, node: Node<'_>) -> ExprId {
        let mut links = Vec::new();
        let mut at = node;
        while matches!(at.kind(), Kind::Call | Kind::Attribute | Kind::Subscript) && !at.is_leaf() {
            links.push(at);
            match at.child(0) {
                Some(inner) => at = bare(inner),
                None => break,
            }
        }
        let outside = self.depth;
        // `[*a.b]` is parsed as `[(*a).b]`.
        let spread =
            (at.kind() == Kind::ListSplat && !links.is_empty()).then(|| at.children().last()).flatten();
        self.depth += usize::from(spread.is_some());
        let room = room_for_links(self.depth);
        let mut made = if let Some(&cut) = links.get(room) {
            links.truncate(room);
            self.depth += room;
            self.too_deep(cut)
        } else {
            self.base(spread.unwrap_or(at), links.len())
        };
        for (level, &link) in links.iter().enumerate().rev() {
            self.depth = outside + usize::from(spread.is_some()) + level;
            made = self.link(link, made);
        }
        self.depth = outside;
        if spread.is_some() { self.add(Expr::Spread(made), self.span(node)) } else { made }
    }

    fn base(&mut self, base: Node<'_>, links: usize) -> ExprId {
        if links == 0 {
            return self.dotted_node(base);
        }
        // `expression` counts a level for what it makes.
        self.depth += links - 1;
        self.expression(base)
    }

    /// One link on top of what it is applied to.
    pub(super) fn link(&mut self, link: Node<'_>, base: ExprId) -> ExprId {
        let span = self.span(link);
        match link.kind() {
            Kind::Attribute => {
                let name = link.children().last().map_or("", |n| n.text());
                let name = self.ident(name);
                self.add(Expr::Field { base, name }, span)
            }
            Kind::Subscript => {
                let key = self.key(base, link, link.children().skip(1));
                self.add(Expr::Index { base, key }, span)
            }
            _ => self.call(link, base),
        }
    }

    fn call(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        self.see(node);
        let base = self.args.len();
        let plain = std::mem::take(&mut self.in_annotation);
        if let Some(list) = node.children().nth(1) {
            if list.kind() == Kind::GeneratorExpression {
                let value = self.expression(list);
                self.args.push(Arg { kind: ArgKind::Positional, value });
            } else {
                list.children().filter(|n| n.kind() != Kind::Comma).for_each(|n| self.argument(n));
            }
        }
        self.in_annotation = plain;
        self.call_with(callee, base, self.span(node))
    }

    fn argument(&mut self, node: Node<'_>) {
        if self.spread_literal(node) {
            return;
        }
        let mut parts = node.children().filter(|n| !n.kind().is_token());
        let (kind, value) = match node.kind() {
            Kind::KeywordArgument => {
                let name = parts.next().map_or("", |n| n.text());
                (ArgKind::Named(self.ident(name)), parts.next())
            }
            Kind::ListSplat => (ArgKind::Spread, parts.next()),
            Kind::DictionarySplat => (ArgKind::SpreadNamed, parts.next()),
            _ => (ArgKind::Positional, Some(node)),
        };
        let Some(value) = value else { return };
        let value = self.expression(value);
        // A spread that the parser took for something else, or that stands in parentheses.
        let arg = match *self.arenas.expr(value) {
            Expr::Spread(value) if kind == ArgKind::Positional => Arg { kind: ArgKind::Spread, value },
            _ => Arg { kind, value },
        };
        self.args.push(arg);
    }

    /// `*[a, b]` and `**{"k": v}` are the arguments that stand in them. False for any other argument.
    fn spread_literal(&mut self, node: Node<'_>) -> bool {
        let wanted = match node.kind() {
            Kind::ListSplat => [Kind::List, Kind::Tuple],
            Kind::DictionarySplat => [Kind::Dictionary; 2],
            _ => return false,
        };
        let Some(literal) = node.children().find(|part| !part.kind().is_token()).map(bare) else {
            return false;
        };
        let is_named = |item: Node<'_>| item.kind() == Kind::DictionarySplat || keyword(item).is_some();
        if !wanted.contains(&literal.kind())
            || self.depth >= DEEPEST
            || literal.kind() == Kind::Dictionary && !items(literal).all(is_named)
        {
            return false;
        }
        self.depth += 1;
        for item in items(literal) {
            match keyword(item) {
                Some((name, value)) => {
                    let name = self.names.intern(&name);
                    let value = self.expression(value);
                    self.args.push(Arg { kind: ArgKind::Named(name), value });
                }
                None => self.argument(item),
            }
        }
        self.depth -= 1;
        true
    }

    /// Makes a call with the arguments that were collected since there were `base`.
    pub(super) fn call_with(&mut self, callee: ExprId, base: usize, span: Span) -> ExprId {
        let args = self.arenas.add_list(&self.args[base..]);
        self.args.truncate(base);
        let site = SiteId(self.calls.len() as u32);
        let expr = self.add(Expr::Call { callee, args, site }, span);
        self.calls.push(Site { expr, function: Func(self.here.0) });
        expr
    }

    pub(super) fn dotted_node(&mut self, node: Node<'_>) -> ExprId {
        let room = DEEPEST.saturating_sub(self.depth).max(4);
        self.dotted(node.text(), node.lo(), room)
    }

    /// A path of names as the source has it: `a.b.c`, of which at most `room` segments are kept.
    pub(super) fn dotted(&mut self, text: &str, lo: u32, room: usize) -> ExprId {
        let segments = text.split('.').count();
        let mut end = 0;
        let mut made = None;
        for (index, segment) in text.split('.').enumerate() {
            end += segment.len();
            let span = self.span_of(lo, lo + end as u32);
            end += 1;
            made = match made {
                _ if segments - index > room => None,
                None if index > 0 => Some(self.opaque(span)),
                None => Some(self.first_name(segment, span)),
                Some(base) => {
                    let name = self.ident(segment);
                    Some(self.add(Expr::Field { base, name }, span))
                }
            };
        }
        made.unwrap_or_else(|| self.opaque(self.span_of(lo, lo)))
    }

    fn first_name(&mut self, text: &str, span: Span) -> ExprId {
        match text {
            "None" => self.constant(Lit::None, span),
            "True" => self.constant(Lit::Bool(true), span),
            "False" => self.constant(Lit::Bool(false), span),
            _ => self.name(text, span),
        }
    }
}

fn items(literal: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    literal.children().filter(|item| !item.kind().is_token())
}

/// The name and the value of `"name": value`.
fn keyword(item: Node<'_>) -> Option<(String, Node<'_>)> {
    if item.kind() != Kind::Pair {
        return None;
    }
    let mut parts = item.children().filter(|part| part.kind() != Kind::Colon);
    let (key, value) = (bare(parts.next()?), parts.next()?);
    let (quoting, content) = unquote(key.text());
    let is_name = key.kind() == Kind::String && key.is_leaf() && !quoting.is_bytes && !quoting.is_backtick;
    is_name.then(|| (decode(content, quoting).into_owned(), value))
}

/// How long a chain may be. A long one ends early, so that the arguments of its innermost links still find room.
fn room_for_links(depth: usize) -> usize {
    let room = DEEPEST.saturating_sub(depth);
    if room > 2 * ROOM_FOR_ARGUMENTS { room - ROOM_FOR_ARGUMENTS } else { room }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{calls, check};

    #[test]
    fn arguments() {
        check("f(a, *b, c=d, **e, # comment\n g)", "(call @f @a *@b c=@d **@e @g)");
        check("f(x for x in y)", "(call @f (collect x.0 (block\n(loop L0 (each x.0 @y) x.0))))");
        check("f(*self.tools, *a.b())", "(call @f *(. @self tools) *(call (. @a b)))");
        check("f(print=1, match=2)", "(call @f print=1 match=2)");
    }

    #[test]
    fn a_spread_literal_is_the_arguments_in_it() {
        check("f(*[a, *b], *(c, d))", "(call @f @a *@b @c @d)");
        check("f(**{'a': b, **c, (\"d\"): e})", "(call @f a=@b **@c d=@e)");
        check("f(*(x), **{a: b})", "(call @f *@x **(record (@a @b)))");
        check("f(*[], **{})", "(call @f)");
    }

    #[test]
    fn chains() {
        check("a.b.c", "(. (. @a b) c)");
        check("a.b(1).c[2](3)", "(call (index (. (call (. @a b) 1) c) 2) 3)");
        check("(a.b).c()", "(call (. (. @a b) c))");
        check("(await a.b()).c", "(. (await (call (. @a b))) c)");
        check("'a'.join(b)", "(call (. \"a\" join) @b)");
        check("None.a", "(. none a)");
        check("a . b", "(. @a b)");
    }

    #[test]
    fn a_spread_of_a_chain_is_not_a_chain_of_a_spread() {
        check("[*self.tools]", "(seq (spread (. @self tools)))");
        check("[*self.tools(a)[0]]", "(seq (spread (index (call (. @self tools) @a) 0)))");
        check("x = *a.b, *c", "(bind x.0 (seq (spread (. @a b)) (spread @c)))");
        check("for x in *a.b, c: pass", "(loop L0 (each x.0 (seq (spread (. @a b)) @c)) (block))");
        check("[*a.b + c]", "(seq (spread (+ (. @a b) @c)))");
    }

    #[test]
    fn a_call_ends_with_its_parenthesis() {
        assert_eq!(calls("x = a.b( # c\n  d ) # e\n"), ["a.b( # c\n  d )"]);
        assert_eq!(calls("a(b)(c).d(e)\n"), ["a(b)", "a(b)(c)", "a(b)(c).d(e)"]);
    }
}
