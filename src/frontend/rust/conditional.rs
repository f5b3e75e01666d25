//! What a build may leave out: `#[cfg(feature = "x")] check(phase)?;` runs only under a condition that the source does not
//! decide, so it becomes an `if` with an unknown test. Of two statements with opposite conditions one runs.

use std::iter::Peekable;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Expr as SynExpr, Meta, Stmt};

use super::{Lowerer, hull};
use crate::ir::{Expr, ExprId, IfArm, Span};

/// Deeper conditions are nobody's; recursion stays bounded.
const DEEPEST_CONDITION: usize = 8;

impl Lowerer<'_> {
    /// Lowers the next statements if they run under a condition; gives the statement back if it does not.
    pub(super) fn conditional<I>(&mut self, stmt: Stmt, rest: &mut Peekable<I>) -> Option<Stmt>
    where
        I: Iterator<Item = Stmt>,
    {
        let Some((condition, at)) =
            condition(&stmt).map(|(tokens, attr)| (tokens, self.attribute_span(attr)))
        else {
            return Some(stmt);
        };
        let other =
            rest.next_if(|next| self::condition(next).is_some_and(|(next, _)| opposite(&condition, &next)));
        let test = self.opaque(at);
        let body = self.statement_block(stmt, at);
        let otherwise = other.map(|other| self.statement_block(other, at));
        let span = hull(at, self.span_of(otherwise.unwrap_or(body)));
        let arms = self.list(&[IfArm { test, body }]);
        let made = self.add(Expr::If { arms, otherwise }, span);
        self.exprs.push(made);
        None
    }

    /// A block without a scope of its own: what is bound in it stays bound.
    fn statement_block(&mut self, stmt: Stmt, at: Span) -> ExprId {
        let base = self.exprs.len();
        self.depth += 2;
        self.statement(stmt);
        self.depth -= 2;
        let span = self.exprs[base..].iter().fold(at, |span, &made| hull(span, self.span_of(made)));
        let body = self.take_exprs(base);
        self.add(Expr::Block(body), span)
    }

    fn attribute_span(&self, attr: &Attribute) -> Span {
        self.between(attr.pound_token.spans[0], attr.bracket_token.span.close())
    }
}

/// The condition of a statement, unless it holds in every build but that of tests.
fn condition(stmt: &Stmt) -> Option<(TokenStream, &Attribute)> {
    attributes(stmt).iter().find_map(|attr| match &attr.meta {
        Meta::List(list) if list.path.is_ident("cfg") && holds(&list.tokens, 0) != Some(true) => {
            Some((list.tokens.clone(), attr))
        }
        _ => None,
    })
}

fn attributes(stmt: &Stmt) -> &[Attribute] {
    match stmt {
        Stmt::Local(local) => &local.attrs,
        Stmt::Macro(found) => &found.attrs,
        Stmt::Expr(expr, _) => of_expression(expr),
        Stmt::Item(_) => &[],
    }
}

/// Attributes of a statement stand at the first part of its expression.
fn of_expression(mut expr: &SynExpr) -> &[Attribute] {
    macro_rules! attributes {
        ($($variant:ident)*) => {
            match expr {
                $(SynExpr::$variant(found) => &found.attrs,)*
                _ => &[],
            }
        };
    }
    loop {
        expr = match expr {
            SynExpr::Assign(found) => &found.left,
            SynExpr::Binary(found) => &found.left,
            SynExpr::Cast(found) => &found.expr,
            _ => break,
        };
    }
    attributes! {
        Async Await Block Break Call Closure Const Continue Field ForLoop Group If Index Loop Macro Match MethodCall Paren
        Path Return Struct Try TryBlock Tuple Unary Unsafe While Yield
    }
}

/// Whether a condition holds in builds that are none of tests; None if that depends on the build.
pub(super) fn holds(tokens: &TokenStream, level: usize) -> Option<bool> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(name)] if name == "test" => Some(false),
        [TokenTree::Ident(name), TokenTree::Group(group)] if level < DEEPEST_CONDITION => {
            let parts = super::tokens::split(group.stream());
            let mut parts =
                parts.into_iter().filter(|part| !part.is_empty()).map(|part| holds(&part, level + 1));
            match name.to_string().as_str() {
                "not" => parts.next().flatten().map(|holds| !holds),
                "all" => parts.try_fold(true, |all, part| Some(all && part?)),
                "any" => parts.try_fold(false, |any, part| Some(any || part?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `x` and `not(x)`.
fn opposite(one: &TokenStream, other: &TokenStream) -> bool {
    let denies = |one: &TokenStream, other: &TokenStream| {
        let tokens: Vec<TokenTree> = one.clone().into_iter().collect();
        matches!(tokens.as_slice(), [TokenTree::Ident(not), TokenTree::Group(inner)]
            if not == "not" && inner.stream().to_string() == other.to_string())
    };
    denies(one, other) || denies(other, one)
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::check;

    #[test]
    fn a_condition_of_the_build_is_a_test_that_is_not_known() {
        check(
            "#[cfg(feature = \"x\")] a.b(); #[cfg(debug_assertions)] b.c();",
            "(if ((opaque) (block\n(call (. a.0 b)))))\n(if ((opaque) (block\n(call (. b.1 c)))))",
        );
    }

    #[test]
    fn opposite_conditions_are_one_branch() {
        check(
            "#[cfg(unix)] a.b(); #[cfg(not(unix))] b.c();",
            "(if ((opaque) (block\n(call (. a.0 b)))) (else (block\n(call (. b.1 c)))))",
        );
    }

    #[test]
    fn what_holds_outside_of_tests_is_no_condition() {
        check("#[cfg(not(test))] a.b(); #[cfg(all())] b.c();", "(call (. a.0 b))\n(call (. b.1 c))");
    }
}
