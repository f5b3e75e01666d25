//! Token streams of macros and attributes: cut into parts, cleaned of sigils, read as expressions or statements. It makes no
//! facts.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Block, Expr as SynExpr, Pat as SynPat, Stmt, Token};

/// Expressions between commas.
pub(super) fn expressions(tokens: TokenStream) -> syn::Result<Vec<SynExpr>> {
    Punctuated::<SynExpr, Token![,]>::parse_terminated.parse2(tokens).map(|parts| parts.into_iter().collect())
}

pub(super) fn statements(tokens: TokenStream) -> syn::Result<Vec<Stmt>> {
    Block::parse_within.parse2(tokens)
}

/// What stands between commas, where brackets are one token.
pub(super) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    split_at(tokens, &[','])
}

pub(super) fn split_at(tokens: TokenStream, signs: &[char]) -> Vec<TokenStream> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    for token in tokens {
        if is_sign(Some(&token), signs) {
            parts.push(part.drain(..).collect());
        } else {
            part.push(token);
        }
    }
    if !part.is_empty() {
        parts.push(part.into_iter().collect());
    }
    parts
}

/// `name = value`, also where the name is a keyword.
pub(super) fn named(tokens: TokenStream) -> (Option<String>, TokenStream) {
    let mut rest = tokens.clone().into_iter();
    match (rest.next(), rest.next(), rest.clone().next()) {
        (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(sign)), third)
            if sign.as_char() == '=' && !is_sign(third.as_ref(), &['=', '>']) =>
        {
            (Some(name.to_string()), rest.collect())
        }
        _ => (None, tokens),
    }
}

pub(super) fn is_sign(token: Option<&TokenTree>, signs: &[char]) -> bool {
    matches!(token, Some(TokenTree::Punct(sign)) if signs.contains(&sign.as_char()))
}

/// `%value` and `?value` say how a value is shown.
pub(super) fn without_sigil(tokens: TokenStream) -> TokenStream {
    let mut rest = tokens.clone().into_iter();
    if is_sign(rest.next().as_ref(), &['%', '?']) { rest.collect() } else { tokens }
}

/// `static ref NAME: T = …;` without the `ref`.
pub(super) fn without_ref(tokens: TokenStream) -> TokenStream {
    let is_word = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(name) if name == word);
    let mut was_static = false;
    let keep = |token: &TokenTree| {
        let dropped = was_static && is_word(token, "ref");
        was_static = is_word(token, "static");
        !dropped
    };
    tokens.into_iter().filter(keep).collect()
}

/// A branch of `select!`; without a future it is the `else`.
pub(super) struct Branch {
    pub future: Option<(SynPat, SynExpr)>,
    pub guard: Option<SynExpr>,
    pub body: SynExpr,
}

pub(super) fn branches(input: ParseStream<'_>) -> syn::Result<Vec<Branch>> {
    let mut branches = Vec::new();
    if input.peek(syn::Ident) && input.peek2(Token![;]) {
        // `biased;`
        input.parse::<syn::Ident>()?;
        input.parse::<Token![;]>()?;
    }
    while !input.is_empty() {
        branches.push(branch(input)?);
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(branches)
}

fn branch(input: ParseStream<'_>) -> syn::Result<Branch> {
    let future = if input.parse::<Option<Token![else]>>()?.is_some() {
        None
    } else {
        let pat = SynPat::parse_multi_with_leading_vert(input)?;
        input.parse::<Token![=]>()?;
        Some((pat, input.parse()?))
    };
    let guard = match input.parse::<Option<Token![,]>>()? {
        Some(_) => {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        }
        None => None,
    };
    input.parse::<Token![=>]>()?;
    Ok(Branch { future, guard, body: input.parse()? })
}
