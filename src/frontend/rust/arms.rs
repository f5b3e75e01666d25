//! The arms of a `macro_rules!`: each as the statements that it makes, its metavariables being variables. What does not read
//! as statements, or makes items, is scanned for calls.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::{Expr as SynExpr, Stmt};

use super::Lowerer;
use super::tokens::{is_sign, statements};
use crate::ir::{Expr, Func, Param, ParamKind, Pat, Span};

/// `(pattern) => { body }`.
struct MacroArm {
    names: Vec<Ident>,
    body: TokenStream,
}

impl Lowerer<'_> {
    /// A macro of one arm is a function of what its pattern names; of several, each is a block of its own.
    pub(super) fn macro_arms(&mut self, tokens: TokenStream, span: Span) -> Span {
        let arms = arms(tokens.clone());
        if arms.is_empty() {
            return self.scanned_statement(tokens, span);
        }
        let is_only = arms.len() == 1;
        if let [only] = &arms[..] {
            self.macro_parameters(&only.names);
        }
        for arm in arms {
            self.macro_arm(arm, is_only, span);
        }
        span
    }

    fn macro_arm(&mut self, arm: MacroArm, is_only: bool, span: Span) {
        let is_item = |stmt: &Stmt| matches!(stmt, Stmt::Item(_));
        let Some(mut stmts) = statements(filled(arm.body.clone()))
            .ok()
            .filter(|stmts| !stmts.is_empty() && !stmts.iter().any(is_item))
        else {
            self.scanned_statement(arm.body, span);
            return;
        };
        let outer = self.scopes.open();
        if is_only {
            let value = stmts.pop_if(|last| matches!(last, Stmt::Expr(_, None) | Stmt::Macro(_)));
            self.statements(stmts);
            if let Some(value) = value {
                let value = match value {
                    Stmt::Macro(found) => {
                        SynExpr::Macro(syn::ExprMacro { attrs: found.attrs, mac: found.mac })
                    }
                    Stmt::Expr(value, _) => value,
                    Stmt::Local(_) | Stmt::Item(_) => return self.scopes.close(outer),
                };
                let made = self.nested(value);
                self.add_return(made);
            }
        } else {
            for name in &arm.names {
                let name = self.name(name);
                self.scopes.bind_local(name);
            }
            let base = self.exprs.len();
            self.depth += 1;
            self.statements(stmts);
            self.depth -= 1;
            let body = self.take_exprs(base);
            let block = self.add(Expr::Block(body), span);
            self.exprs.push(block);
        }
        self.scopes.close(outer);
    }

    fn macro_parameters(&mut self, names: &[Ident]) {
        let id: Func = self.here;
        let mut params = Vec::new();
        for ident in names {
            let (name, span) = (self.name(ident), self.span(ident.span()));
            let var = self.scopes.add_var(id, name);
            self.scopes.bind_param(id, name, var);
            let pat = self.arenas.add_pat(Pat::Var(var));
            params.push(Param { name, pat, ty: None, default: None, kind: ParamKind::PositionalOnly, span });
        }
        self.functions[id.0 as usize].params = self.list(&params);
    }
}

fn arms(tokens: TokenStream) -> Vec<MacroArm> {
    let mut arms = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(pattern) = token else { return Vec::new() };
        let is_arrow = is_sign(tokens.next().as_ref(), &['=']) && is_sign(tokens.next().as_ref(), &['>']);
        let Some(TokenTree::Group(body)) = tokens.next().filter(|_| is_arrow) else { return Vec::new() };
        let mut names = Vec::new();
        named(pattern.stream(), &mut names);
        arms.push(MacroArm { names, body: body.stream() });
        tokens.next_if(|token| is_sign(Some(token), &[';']));
    }
    arms
}

/// The metavariables of a pattern, `$name:expr`, also those that are repeated.
fn named(pattern: TokenStream, names: &mut Vec<Ident>) {
    let mut was_dollar = false;
    for token in pattern {
        match token {
            TokenTree::Ident(name) if was_dollar => names.push(name),
            TokenTree::Group(group) => named(group.stream(), names),
            ref other => {
                was_dollar = is_sign(Some(other), &['$']);
                continue;
            }
        }
        was_dollar = false;
    }
}

/// The body with its metavariables as names, and what is repeated once.
fn filled(body: TokenStream) -> TokenStream {
    let mut made = Vec::new();
    let mut tokens = body.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            ref sign if is_sign(Some(sign), &['$']) => match tokens.next() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    made.extend(filled(group.stream()));
                    // A separator may stand before the sign that says how often.
                    let repeats = |token: &TokenTree| is_sign(Some(token), &['*', '+', '?']);
                    if tokens.next_if(repeats).is_none() {
                        made.extend(tokens.next());
                        tokens.next_if(repeats);
                    }
                }
                other => made.extend(other),
            },
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), filled(group.stream()));
                inner.set_span(group.span());
                made.push(TokenTree::Group(inner));
            }
            token => made.push(token),
        }
    }
    made.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::has;

    #[test]
    fn an_arm_is_a_function_of_what_it_names() {
        has(
            "macro_rules! m { ($x:expr, $y:expr) => { a::b($x).c(&$y) }; }",
            &["\"m\" in 0 (positional x.0, positional y.1)", "(return (call (. (call (. @a b) x.0) c) y.1))"],
        );
    }

    #[test]
    fn arms_and_repetitions() {
        has(
            "macro_rules! m { () => { $crate::f() }; ($($x:expr),*) => { $( g($x); )* }; }",
            &["(call @g x.0)"],
        );
        // What makes items is scanned.
        has("macro_rules! m { ($t:ty) => { impl A for $t { fn f() { b::c(1) } } } }", &["(call (. @b c))"]);
    }
}
