//! Tokens that read as nothing: the calls that can be seen in them, `path::to(…)`, `.method(…)` and macros of macros.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::Lowerer;
use super::scope::Wanted;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, Span, Sym};

/// What was seen so far of something that may turn out to be a call.
#[derive(Default)]
struct Seen {
    path: Vec<(Sym, Span)>,
    /// A method of what stands before it.
    is_method: bool,
    /// The last token was `::`, or half of it.
    colons: usize,
    /// Open angle brackets behind it.
    angles: usize,
}

impl Lowerer<'_> {
    /// All calls in the tokens, as children of a node that is not understood.
    pub(super) fn scanned(&mut self, tokens: TokenStream) -> ExprId {
        let base = self.exprs.len();
        let mut span = None;
        for token in tokens.clone() {
            let at = self.span(token.span());
            span = Some(span.map_or(at, |span| super::hull(span, at)));
        }
        self.scan(tokens);
        let calls = self.take_exprs(base);
        self.add(Expr::Opaque(calls), span.unwrap_or_default())
    }

    pub(super) fn scanned_statement(&mut self, tokens: TokenStream, span: Span) -> Span {
        self.scan(tokens);
        span
    }

    fn scan(&mut self, tokens: TokenStream) {
        let mut seen = Seen::default();
        for token in tokens {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == '<' && (seen.colons == 2 || seen.angles > 0) => {
                    seen.angles += 1;
                }
                TokenTree::Punct(sign) if sign.as_char() == '>' && seen.angles > 0 => seen.angles -= 1,
                TokenTree::Ident(_) | TokenTree::Punct(_) if seen.angles > 0 => {}
                TokenTree::Ident(ident) => {
                    if seen.colons != 2 {
                        let is_method = seen.is_method && seen.path.is_empty();
                        seen = Seen { is_method, ..Seen::default() };
                    }
                    let name = self.name(&ident);
                    seen.path.push((name, self.span(ident.span())));
                    seen.colons = 0;
                }
                TokenTree::Punct(sign) => match sign.as_char() {
                    ':' => seen.colons += 1,
                    // Of a macro.
                    '!' => {}
                    '.' => seen = Seen { is_method: true, ..Seen::default() },
                    _ => seen = Seen::default(),
                },
                TokenTree::Group(group) => {
                    let is_call = group.delimiter() == Delimiter::Parenthesis && !seen.path.is_empty();
                    let args = self.args.len();
                    self.scan_group(&group, is_call);
                    if is_call {
                        self.seen_call(&seen, args, self.span(group.span_close()));
                    }
                    self.args.truncate(args);
                    seen = Seen::default();
                }
                TokenTree::Literal(_) => seen = Seen::default(),
            }
        }
    }

    /// What stands inside; its texts are arguments of the call.
    fn scan_group(&mut self, group: &proc_macro2::Group, is_call: bool) {
        self.scan(group.stream());
        for token in group.stream() {
            let TokenTree::Literal(literal) = token else { continue };
            if let (true, syn::Lit::Str(text)) = (is_call, syn::Lit::new(literal)) {
                let span = self.span(text.span());
                let text = self.names.intern(&text.value());
                let value = self.add(Expr::Lit(Lit::Str(text)), span);
                self.args.push(Arg { kind: ArgKind::Positional, value });
            }
        }
    }

    fn seen_call(&mut self, seen: &Seen, args: usize, last: Span) {
        let Some(&(name, at)) = seen.path.last() else { return };
        let callee = if seen.is_method && seen.path.len() == 1 {
            let base = self.opaque(at);
            self.add(Expr::Field { base, name }, at)
        } else {
            self.segments(&seen.path, Wanted::Any)
        };
        let span = super::hull(self.span_of(callee), last);
        let made = self.call_with(callee, args, span);
        self.exprs.push(made);
    }
}
