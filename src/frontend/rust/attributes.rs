//! Attributes, as decorators: `#[tool(name = "x")]` is a call with named arguments. Documentation is none.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{AttrStyle, Attribute, Expr as SynExpr, LitStr, Meta, Path};

use super::Lowerer;
use super::scope::Wanted;
use super::tokens::{is_sign, named, split};
use crate::ir::{Arg, ArgKind, ExprId, ListOf};

impl Lowerer<'_> {
    pub(super) fn decorators(&mut self, attrs: &[Attribute]) -> ListOf<ExprId> {
        let base = self.exprs.len();
        self.depth += 1;
        for attr in attrs.iter().filter(|attr| matches!(attr.style, AttrStyle::Outer)) {
            let made = match &attr.meta {
                Meta::Path(path) => self.path(None, path.clone(), Wanted::Items),
                Meta::List(list) => {
                    let span = self.between(attr.pound_token.spans[0], attr.bracket_token.span.close());
                    let callee = self.path(None, list.path.clone(), Wanted::Items);
                    let args = self.args.len();
                    self.attribute_arguments(list.tokens.clone());
                    self.call_with(callee, args, span)
                }
                Meta::NameValue(found) if found.path.is_ident("doc") => continue,
                Meta::NameValue(found) => {
                    let span = self.between(attr.pound_token.spans[0], attr.bracket_token.span.close());
                    let callee = self.path(None, found.path.clone(), Wanted::Items);
                    let args = self.args.len();
                    let value = self.nested(found.value.clone());
                    self.args.push(Arg { kind: ArgKind::Positional, value });
                    self.call_with(callee, args, span)
                }
            };
            self.exprs.push(made);
        }
        self.depth -= 1;
        self.take_exprs(base)
    }

    /// `name = "x", annotations(read_only = true), other`
    fn attribute_arguments(&mut self, tokens: TokenStream) {
        for part in split(tokens) {
            let (name, rest) = named(part);
            let kind = name.map_or(ArgKind::Positional, |name| ArgKind::Named(self.names.intern(&name)));
            let Ok(value) = syn::parse2::<SynExpr>(rest) else { continue };
            let value = self.attribute_value(value);
            self.args.push(Arg { kind, value });
        }
    }

    fn attribute_value(&mut self, value: SynExpr) -> ExprId {
        match value {
            SynExpr::Call(call) if self.depth < super::DEEPEST => {
                let last = self.span(call.paren_token.span.close());
                self.depth += 1;
                let callee = self.expr(*call.func);
                let base = self.args.len();
                for arg in call.args {
                    let (kind, value) = match arg {
                        SynExpr::Assign(assign) => (self.name_of(&assign.left), *assign.right),
                        other => (ArgKind::Positional, other),
                    };
                    let value = self.attribute_value(value);
                    self.args.push(Arg { kind, value });
                }
                self.depth -= 1;
                let span = super::hull(self.span_of(callee), last);
                self.call_with(callee, base, span)
            }
            value => self.nested(value),
        }
    }

    fn name_of(&mut self, expr: &SynExpr) -> ArgKind {
        match expr {
            SynExpr::Path(path) => match path.path.get_ident() {
                Some(ident) => ArgKind::Named(self.name(ident)),
                None => ArgKind::Positional,
            },
            _ => ArgKind::Positional,
        }
    }
}

/// `#[serde(default = "page")]`: functions by which a field is read from data or written, under the method that runs them.
pub(super) fn data_functions(attrs: &[Attribute]) -> Vec<(&'static str, Path)> {
    let mut found = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let Meta::List(list) = &attr.meta else { continue };
        for (name, rest) in split(list.tokens.clone()).into_iter().map(named) {
            let Some(path) = syn::parse2::<LitStr>(rest).ok().and_then(|text| text.parse::<Path>().ok())
            else {
                continue;
            };
            let inside = |name: &str| {
                let mut path = path.clone();
                path.segments.push(Ident::new(name, attr.pound_token.spans[0]).into());
                path
            };
            match name.as_deref() {
                Some("default" | "deserialize_with") => found.push((READS, path)),
                Some("serialize_with" | "skip_serializing_if") => found.push((WRITES, path)),
                Some("with") => found.extend([(READS, inside(READS)), (WRITES, inside(WRITES))]),
                _ => {}
            }
        }
    }
    found
}

const READS: &str = "deserialize";
const WRITES: &str = "serialize";

/// `#[cfg(test)]`, `#[test]`, `#[tokio::test]`: built for tests only.
pub(super) fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::Path(path) => path.segments.last().is_some_and(|last| last.ident == "test"),
        Meta::List(list) if list.path.is_ident("cfg") => asks_for_test(list.tokens.clone(), 0),
        Meta::List(list) => list.path.segments.last().is_some_and(|last| last.ident == "test"),
        Meta::NameValue(_) => false,
    })
}

/// `test`, `all(test, …)`; `any(…)` may hold without.
fn asks_for_test(tokens: TokenStream, level: usize) -> bool {
    let mut is_all = false;
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if let [TokenTree::Ident(only)] = tokens.as_slice() {
        return only == "test";
    }
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => {
                let is_alone = level > 0
                    && !matches!(tokens.get(at + 1), Some(TokenTree::Group(_) | TokenTree::Punct(_)));
                let is_listed = level > 0 && is_sign(tokens.get(at + 1), &[',']);
                if name == "test" && (is_alone || is_listed) {
                    return true;
                }
                is_all = name == "all";
            }
            TokenTree::Group(group) if is_all && level < 8 && asks_for_test(group.stream(), level + 1) => {
                return true;
            }
            _ => {}
        }
    }
    false
}
