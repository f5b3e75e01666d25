//! Macros with a little language of their own: `matches!`, `vec!`, `json!`, `select!`. What does not read as that language is
//! a macro like any other.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Expr as SynExpr, Macro, Pat as SynPat, Token};

use super::tokens::{branches, expressions, split};
use super::{DEEPEST, Lowerer};
use crate::ir::{Arm, Entry, EntryKey, Expr, ExprId, Lit, Pat, Span};

impl Lowerer<'_> {
    pub(super) fn matches(&mut self, mac: Macro, span: Span) -> ExprId {
        let parser = |input: ParseStream<'_>| {
            let subject: SynExpr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = SynPat::parse_multi_with_leading_vert(input)?;
            let guard = if input.parse::<Option<Token![if]>>()?.is_some() {
                Some(input.parse::<SynExpr>()?)
            } else {
                None
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((subject, pat, guard))
        };
        let Ok((subject, pat, guard)) = parser.parse2(mac.tokens.clone()) else {
            return self.any_macro(mac, span);
        };
        let subject = self.nested(subject);
        let outer = self.scopes.open();
        self.depth += 1;
        let pat = self.pattern(pat);
        let guard = guard.map(|guard| self.condition(guard));
        self.depth -= 1;
        self.scopes.close(outer);
        let yes = self.add(Expr::Lit(Lit::Bool(true)), span);
        let no = self.add(Expr::Lit(Lit::Bool(false)), span);
        let wild = self.arenas.add_pat(Pat::Wild);
        let arms =
            self.list(&[Arm { pat, guard, body: yes, span }, Arm { pat: wild, guard: None, body: no, span }]);
        self.add(Expr::Match { subject, arms }, span)
    }

    pub(super) fn vec(&mut self, mac: Macro, span: Span) -> ExprId {
        let repeated = |input: ParseStream<'_>| {
            let element: SynExpr = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((element, input.parse::<SynExpr>()?))
        };
        if let Ok((element, len)) = repeated.parse2(mac.tokens.clone()) {
            return self.repeated(element, len, span);
        }
        match expressions(mac.tokens.clone()) {
            Ok(parts) => {
                let made: Vec<_> = parts.into_iter().map(|part| self.nested(part)).collect();
                let items = self.list(&made);
                self.add(Expr::Seq(items), span)
            }
            Err(_) => self.any_macro(mac, span),
        }
    }

    /// `{"key": value, …}`, `[…]`, `null`, or an expression.
    pub(super) fn json(&mut self, tokens: TokenStream, span: Span) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep_tokens(tokens, span);
        }
        let mut trees = tokens.clone().into_iter();
        let made = match (trees.next(), trees.next()) {
            (Some(TokenTree::Group(group)), None) => match group.delimiter() {
                Delimiter::Brace => self.json_record(group.stream(), span),
                Delimiter::Bracket => self.json_list(group.stream(), span),
                _ => None,
            },
            (Some(TokenTree::Ident(word)), None) if word == "null" => Some(self.none(span)),
            _ => None,
        };
        if let Some(made) = made {
            return made;
        }
        match syn::parse2::<SynExpr>(tokens.clone()) {
            Ok(value) => self.nested(value),
            Err(_) => self.scanned(tokens),
        }
    }

    fn json_list(&mut self, tokens: TokenStream, span: Span) -> Option<ExprId> {
        self.depth += 1;
        let made: Vec<_> = split(tokens).into_iter().map(|part| self.json_part(part, span)).collect();
        self.depth -= 1;
        let items = self.list(&made);
        Some(self.add(Expr::Seq(items), span))
    }

    fn json_part(&mut self, part: TokenStream, otherwise: Span) -> ExprId {
        let span = part.clone().into_iter().next().map_or(otherwise, |token| self.span(token.span()));
        self.json(part, span)
    }

    /// `None` if it is no record: a block is an expression, too.
    fn json_record(&mut self, tokens: TokenStream, span: Span) -> Option<ExprId> {
        let mut entries = Vec::new();
        self.depth += 1;
        for part in split(tokens) {
            let mut key = Vec::new();
            let mut rest = part.into_iter();
            let is_pair = rest.by_ref().any(|token| {
                let is_colon = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == ':');
                if !is_colon {
                    key.push(token);
                }
                is_colon
            });
            let value: TokenStream = rest.collect();
            if !is_pair {
                self.depth -= 1;
                return None;
            }
            let key = self.json_part(key.into_iter().collect(), span);
            let value = self.json_part(value, span);
            entries.push(Entry { key: EntryKey::Expr(key), value });
        }
        self.depth -= 1;
        let entries = self.list(&entries);
        Some(self.add(Expr::Record(entries), span))
    }

    /// `pattern = future, if guard => body`: whoever is first decides which body runs.
    pub(super) fn select(&mut self, mac: Macro, span: Span) -> ExprId {
        let Ok(branches) = branches.parse2(mac.tokens.clone()) else { return self.any_macro(mac, span) };
        let subject = self.opaque(span);
        let mut arms = Vec::new();
        for branch in branches {
            let outer = self.scopes.open();
            self.depth += 3;
            let guard = branch.guard.map(|guard| self.expr(guard));
            let bound = branch.future.map(|(pat, future)| {
                let future = self.expr(future);
                let value = self.add(Expr::Await(future), self.span_of(future));
                let pat = self.pattern(pat);
                self.add(Expr::Bind { pat, value }, self.span_of(future))
            });
            let body = self.expr(branch.body);
            self.depth -= 3;
            self.scopes.close(outer);
            let at = self.span_of(bound.unwrap_or(body));
            let parts: Vec<_> = bound.into_iter().chain([body]).collect();
            let parts = self.list(&parts);
            let body = self.add(Expr::Block(parts), super::hull(at, self.span_of(body)));
            let pat = self.arenas.add_pat(Pat::Wild);
            arms.push(Arm { pat, guard, body, span: at });
        }
        let arms = self.list(&arms);
        self.add(Expr::Match { subject, arms }, span)
    }
}
