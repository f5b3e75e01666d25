//! Calls, attributes, subscripts: a chain of them is lowered by a loop over its links, because fluent code is long, not deep.

use ruff_python_ast::{self as ast, AnyNodeRef, ArgOrKeyword, DictItem, ExprCall};
use smallvec::SmallVec;

use super::{DEEPEST, Lowerer};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, Site, SiteId, Span};

const ROOM_FOR_ARGUMENTS: usize = 20;

impl<'t> Lowerer<'t> {
    /// Lowers `a.b(c)[d].e()` from its base outwards. What is longer than the nesting allows loses its inner end.
    pub(super) fn spine(&mut self, node: &'t ast::Expr) -> ExprId {
        let mut links: SmallVec<[&'t ast::Expr; 8]> = SmallVec::new();
        let mut at = node;
        while let Some(inner) = applied_to(at) {
            links.push(at);
            at = inner;
        }
        let outside = self.depth;
        let room = room_for_links(self.depth);
        let mut made = if let Some(&cut) = links.get(room) {
            links.truncate(room);
            self.depth += room;
            self.too_deep(AnyNodeRef::from(cut))
        } else {
            // `expression` counts a level for what it makes.
            self.depth += links.len().saturating_sub(1);
            self.expression(at)
        };
        for (level, &link) in links.iter().enumerate().rev() {
            self.depth = outside + level;
            made = self.link(link, made);
        }
        self.depth = outside;
        made
    }

    /// One link on top of what it is applied to.
    fn link(&mut self, link: &'t ast::Expr, base: ExprId) -> ExprId {
        let span = self.span(link);
        match link {
            ast::Expr::Attribute(link) => {
                let name = self.ident(&link.attr);
                self.add(Expr::Field { base, name }, span)
            }
            ast::Expr::Subscript(link) => {
                let key = self.key(base, link);
                self.add(Expr::Index { base, key }, span)
            }
            ast::Expr::Call(link) => self.call(link, base),
            // Nothing else is a link.
            _ => base,
        }
    }

    fn call(&mut self, node: &'t ExprCall, callee: ExprId) -> ExprId {
        let base = self.args.len();
        let plain = std::mem::take(&mut self.in_annotation);
        match &*node.arguments.args {
            [ast::Expr::Generator(only)] if !only.parenthesized => {
                let span = self.span(&node.arguments);
                let value = self.sole_generator(only, span);
                self.args.push(Arg { kind: ArgKind::Positional, value });
            }
            _ => node.arguments.iter_source_order().for_each(|argument| self.argument(argument)),
        }
        self.in_annotation = plain;
        self.call_with(callee, base, self.span(node))
    }

    fn argument(&mut self, argument: ArgOrKeyword<'t>) {
        let (kind, value) = match argument {
            ArgOrKeyword::Arg(ast::Expr::Starred(spread)) => (ArgKind::Spread, &*spread.value),
            ArgOrKeyword::Arg(value) => (ArgKind::Positional, value),
            ArgOrKeyword::Keyword(keyword) => match &keyword.arg {
                Some(name) => (ArgKind::Named(self.ident(name)), &keyword.value),
                None => (ArgKind::SpreadNamed, &keyword.value),
            },
        };
        self.argument_of(kind, value);
    }

    fn argument_of(&mut self, kind: ArgKind, value: &'t ast::Expr) {
        if !self.spread_literal(kind, value) {
            let value = self.expression(value);
            self.args.push(Arg { kind, value });
        }
    }

    /// `*[a, b]` and `**{"k": v}` are the arguments that stand in them. False for any other argument.
    fn spread_literal(&mut self, kind: ArgKind, value: &'t ast::Expr) -> bool {
        if self.depth >= DEEPEST {
            return false;
        }
        match (kind, value) {
            (
                ArgKind::Spread,
                ast::Expr::List(ast::ExprList { elts, .. }) | ast::Expr::Tuple(ast::ExprTuple { elts, .. }),
            ) => {
                self.depth += 1;
                elts.iter().for_each(|item| self.argument(ArgOrKeyword::Arg(item)));
                self.depth -= 1;
            }
            (ArgKind::SpreadNamed, ast::Expr::Dict(dict)) if dict.items.iter().all(is_named) => {
                self.depth += 1;
                dict.items.iter().for_each(|item| self.named_item(item));
                self.depth -= 1;
            }
            _ => return false,
        }
        true
    }

    fn named_item(&mut self, item: &'t DictItem) {
        let kind = match &item.key {
            None => return self.argument_of(ArgKind::SpreadNamed, &item.value),
            Some(ast::Expr::StringLiteral(name)) => ArgKind::Named(self.names.intern(name.value.to_str())),
            Some(_) => return,
        };
        let value = self.expression(&item.value);
        self.args.push(Arg { kind, value });
    }

    /// Makes a call with the arguments that were collected since there were `base`.
    pub(super) fn call_with(&mut self, callee: ExprId, base: usize, span: Span) -> ExprId {
        let args = self.arenas.add_list(&self.args[base..]);
        self.args.truncate(base);
        let site = SiteId(self.calls.len() as u32);
        let expr = self.add(Expr::Call { callee, args, site }, span);
        self.calls.push(Site { expr, function: self.here });
        expr
    }

    /// A path of names in a string: `a.b.c`.
    pub(super) fn dotted(&mut self, text: &str, span: Span) -> ExprId {
        let mut segments = text.split('.');
        let mut made = match segments.next().unwrap_or_default() {
            "None" => self.none(span),
            "True" => self.constant(Lit::Bool(true), span),
            "False" => self.constant(Lit::Bool(false), span),
            name => self.name(name, span),
        };
        for segment in segments {
            let name = self.ident(segment);
            made = self.add(Expr::Field { base: made, name }, span);
        }
        made
    }
}

/// What a call, an attribute or a subscript is applied to.
fn applied_to(node: &ast::Expr) -> Option<&ast::Expr> {
    match node {
        ast::Expr::Call(call) => Some(&call.func),
        ast::Expr::Attribute(attribute) => Some(&attribute.value),
        ast::Expr::Subscript(subscript) => Some(&subscript.value),
        _ => None,
    }
}

/// `"name": value` or `**more`.
fn is_named(item: &DictItem) -> bool {
    match &item.key {
        Some(ast::Expr::StringLiteral(name)) => !name.value.is_implicit_concatenated(),
        Some(_) => false,
        None => true,
    }
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
