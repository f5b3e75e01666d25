//! Items that macros of the same file make: a `macro_rules!` is expanded as the compiler does it, by matching tokens, so that
//! what it makes is read as what it is. What does not fit, or grows too long, is left to `macros`.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Item, Macro};

use super::nesting::survey;
use super::parse::SHALLOW;
use super::tokens::is_sign;

/// Tokens that are matched or made for one file.
const MAX_TOKENS: usize = 1 << 16;

/// The macros that a file defines among its items.
pub(super) struct Macros {
    rules: BTreeMap<String, Vec<Rule>>,
    left: Cell<usize>,
}

struct Rule {
    matcher: Vec<Pattern>,
    body: TokenStream,
}

enum Pattern {
    Token(String),
    Group(Delimiter, Vec<Pattern>),
    /// `$name:ident`.
    Fragment(String, String),
    Repeat(Repeat<Vec<Pattern>>),
}

/// `$( … ) , *`.
struct Repeat<T> {
    inner: T,
    separator: Option<TokenTree>,
    sign: char,
}

/// What a name of a matcher stands for.
#[derive(Clone)]
enum Bound {
    One(Rc<[TokenTree]>),
    Many(Rc<[Bound]>),
}

type Bindings = BTreeMap<String, Bound>;

impl Macros {
    pub fn of(items: &[Item]) -> Self {
        let mut rules = BTreeMap::new();
        let mut open: Vec<&[Item]> = vec![items];
        while let Some(items) = open.pop() {
            for item in items {
                match item {
                    Item::Mod(module) => open.extend(module.content.as_ref().map(|(_, items)| &items[..])),
                    Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                        let name = item.ident.as_ref().map(ToString::to_string);
                        let found = name.and_then(|name| Some((name, rules_of(&item.mac.tokens)?)));
                        rules.extend(found);
                    }
                    _ => {}
                }
            }
        }
        Self { rules, left: Cell::new(MAX_TOKENS) }
    }

    /// The items that a macro makes among items; `None` if it is none of these, or makes something else.
    pub fn expand(&self, mac: &Macro) -> Option<Vec<Item>> {
        let rules = self.rules.get(&mac.path.get_ident()?.to_string())?;
        let tokens: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
        let matched = rules.iter().find_map(|rule| {
            let mut bindings = Bindings::new();
            let used = self.matched(&rule.matcher, &tokens, &mut bindings)?;
            (used == tokens.len()).then_some((rule, bindings))
        });
        let (rule, bindings) = matched?;
        let made: TokenStream = self.transcribed(&rule.body, &bindings)?.into_iter().collect();
        // What nests deeper than what was written is not parsed on this stack.
        if survey(&made.to_string()).deepest > SHALLOW {
            return None;
        }
        let file = syn::parse2::<syn::File>(made).ok()?;
        (!file.items.is_empty()).then_some(file.items)
    }

    fn spend(&self, tokens: usize) -> Option<()> {
        self.left.set(self.left.get().checked_sub(tokens + 1)?);
        Some(())
    }

    /// How many tokens a matcher takes.
    fn matched(&self, patterns: &[Pattern], tokens: &[TokenTree], out: &mut Bindings) -> Option<usize> {
        let mut at = 0;
        for pattern in patterns {
            let rest = &tokens[at..];
            at += match pattern {
                Pattern::Token(text) => usize::from(rest.first()?.to_string() == *text).checked_sub(1)? + 1,
                Pattern::Group(delimiter, inner) => {
                    let TokenTree::Group(group) = rest.first()? else { return None };
                    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                    let used =
                        self.matched(inner, &tokens, out).filter(|_| group.delimiter() == *delimiter)?;
                    usize::from(used == tokens.len()).checked_sub(1)? + 1
                }
                Pattern::Fragment(name, kind) => {
                    self.spend(rest.len())?;
                    let used = fragment(kind, rest)?;
                    out.insert(name.clone(), Bound::One(rest[..used].into()));
                    used
                }
                Pattern::Repeat(repeat) => self.repeated(repeat, rest, out)?,
            };
        }
        Some(at)
    }

    fn repeated(
        &self,
        repeat: &Repeat<Vec<Pattern>>,
        tokens: &[TokenTree],
        out: &mut Bindings,
    ) -> Option<usize> {
        let (mut at, mut rounds) = (0, Vec::new());
        while at < tokens.len() && (repeat.sign != '?' || rounds.is_empty()) {
            self.spend(0)?;
            let mut next = at;
            if let (Some(separator), false) = (&repeat.separator, rounds.is_empty()) {
                if tokens[at].to_string() != separator.to_string() {
                    break;
                }
                next += 1;
            }
            let mut round = Bindings::new();
            match self.matched(&repeat.inner, &tokens[next..], &mut round) {
                Some(used) if used > 0 => at = next + used,
                _ => break,
            }
            rounds.push(round);
        }
        if repeat.sign == '+' && rounds.is_empty() {
            return None;
        }
        let mut names = BTreeSet::new();
        bound_names(&repeat.inner, &mut names);
        for name in names {
            let each = rounds.iter().filter_map(|round| round.get(name).cloned());
            out.insert(name.to_owned(), Bound::Many(each.collect()));
        }
        Some(at)
    }

    /// The body with what its names stand for.
    fn transcribed(&self, body: &TokenStream, bindings: &Bindings) -> Option<Vec<TokenTree>> {
        let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
        let (mut made, mut at) = (Vec::new(), 0);
        while let Some(token) = tokens.get(at) {
            at += 1;
            self.spend(0)?;
            match (token, tokens.get(at)) {
                (sign, Some(TokenTree::Ident(name))) if is_sign(Some(sign), &['$']) => {
                    at += 1;
                    match bindings.get(&name.to_string()) {
                        Some(Bound::One(tokens)) => {
                            self.spend(tokens.len())?;
                            made.extend(tokens.iter().cloned());
                        }
                        Some(Bound::Many(_)) => return None,
                        // `$crate`.
                        None => made.push(TokenTree::Ident(name.clone())),
                    }
                }
                (sign, Some(TokenTree::Group(group))) if is_sign(Some(sign), &['$']) => {
                    let (separator, _, used) = ends(&tokens[at + 1..])?;
                    at += 1 + used;
                    self.rounds(&group.stream(), separator, bindings, &mut made)?;
                }
                (TokenTree::Group(group), _) => {
                    let inner = self.transcribed(&group.stream(), bindings)?;
                    let mut whole = Group::new(group.delimiter(), inner.into_iter().collect());
                    whole.set_span(group.span());
                    made.push(TokenTree::Group(whole));
                }
                (token, _) => made.push(token.clone()),
            }
        }
        Some(made)
    }

    fn rounds(
        &self,
        body: &TokenStream,
        separator: Option<TokenTree>,
        bindings: &Bindings,
        made: &mut Vec<TokenTree>,
    ) -> Option<()> {
        let mut names = BTreeSet::new();
        used_names(body, &mut names);
        let used = || bindings.iter().filter(|(name, _)| names.contains(*name));
        let lengths = used().filter_map(|(_, bound)| match bound {
            Bound::Many(each) => Some(each.len()),
            Bound::One(_) => None,
        });
        for round in 0..lengths.max()? {
            let of_round = used().map(|(name, bound)| {
                let bound = match bound {
                    Bound::Many(each) => each.get(round)?.clone(),
                    one @ Bound::One(_) => one.clone(),
                };
                Some((name.clone(), bound))
            });
            let of_round: Bindings = of_round.collect::<Option<_>>()?;
            made.extend(separator.clone().filter(|_| round > 0));
            made.extend(self.transcribed(body, &of_round)?);
        }
        Some(())
    }
}

/// The rules of a `macro_rules!`; `None` if one is written in a way that is not known.
fn rules_of(tokens: &TokenStream) -> Option<Vec<Rule>> {
    let tokens: Vec<TokenTree> =
        tokens.clone().into_iter().filter(|token| !is_sign(Some(token), &[';'])).collect();
    let rule = |rule: &[TokenTree]| match rule {
        [TokenTree::Group(matcher), first, second, TokenTree::Group(body)]
            if is_sign(Some(first), &['=']) && is_sign(Some(second), &['>']) =>
        {
            Some(Rule { matcher: patterns(&matcher.stream())?, body: body.stream() })
        }
        _ => None,
    };
    tokens.chunks(4).map(rule).collect()
}

fn patterns(tokens: &TokenStream) -> Option<Vec<Pattern>> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        at += 1;
        found.push(match (token, &tokens[at..]) {
            (sign, [TokenTree::Ident(name), colon, TokenTree::Ident(kind), ..])
                if is_sign(Some(sign), &['$']) && is_sign(Some(colon), &[':']) =>
            {
                at += 3;
                Pattern::Fragment(name.to_string(), kind.to_string())
            }
            (sign, [TokenTree::Group(group), rest @ ..]) if is_sign(Some(sign), &['$']) => {
                let (separator, sign, used) = ends(rest)?;
                at += 1 + used;
                Pattern::Repeat(Repeat { inner: patterns(&group.stream())?, separator, sign })
            }
            (sign, _) if is_sign(Some(sign), &['$']) => return None,
            (TokenTree::Group(group), _) => Pattern::Group(group.delimiter(), patterns(&group.stream())?),
            (token, _) => Pattern::Token(token.to_string()),
        });
    }
    Some(found)
}

/// What stands behind a repetition: a separator, the sign, and how many tokens these are.
fn ends(tokens: &[TokenTree]) -> Option<(Option<TokenTree>, char, usize)> {
    let sign = |token: &TokenTree| match token {
        TokenTree::Punct(sign) => Some(sign.as_char()).filter(|sign| matches!(sign, '*' | '+' | '?')),
        _ => None,
    };
    match tokens {
        [first, ..] if sign(first).is_some() => Some((None, sign(first)?, 1)),
        [separator, second, ..] => Some((Some(separator.clone()), sign(second)?, 2)),
        _ => None,
    }
}

/// How many tokens a fragment takes.
fn fragment(kind: &str, tokens: &[TokenTree]) -> Option<usize> {
    let first = tokens.first();
    match kind {
        "tt" => first.map(|_| 1),
        "ident" => matches!(first, Some(TokenTree::Ident(_))).then_some(1),
        "block" => {
            matches!(first, Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Brace).then_some(1)
        }
        "literal" => taken::<syn::Lit>(tokens).or_else(|| Some(1 + taken::<syn::Lit>(tokens.get(1..)?)?)),
        "lifetime" => taken::<syn::Lifetime>(tokens),
        "vis" => Some(taken::<syn::Visibility>(tokens).unwrap_or(0)),
        "expr" | "expr_2021" => taken::<syn::Expr>(tokens),
        "ty" => taken::<syn::Type>(tokens),
        "path" => taken::<syn::Path>(tokens),
        "item" => taken::<Item>(tokens),
        "meta" => taken::<syn::Meta>(tokens),
        _ => None,
    }
}

fn taken<T: Parse>(tokens: &[TokenTree]) -> Option<usize> {
    let parser = |input: ParseStream<'_>| {
        input.parse::<T>()?;
        input.parse::<TokenStream>()
    };
    let rest = parser.parse2(tokens.iter().cloned().collect()).ok()?;
    tokens.len().checked_sub(rest.into_iter().count()).filter(|&used| used > 0)
}

fn bound_names<'p>(patterns: &'p [Pattern], out: &mut BTreeSet<&'p str>) {
    for pattern in patterns {
        match pattern {
            Pattern::Fragment(name, _) => drop(out.insert(name)),
            Pattern::Group(_, inner) | Pattern::Repeat(Repeat { inner, .. }) => bound_names(inner, out),
            Pattern::Token(_) => {}
        }
    }
}

fn used_names(body: &TokenStream, out: &mut BTreeSet<String>) {
    for token in body.clone() {
        match token {
            TokenTree::Ident(name) => drop(out.insert(name.to_string())),
            TokenTree::Group(group) => used_names(&group.stream(), out),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{facts, has};

    #[test]
    fn what_a_macro_makes_is_read_as_what_it_is() {
        let make =
            "macro_rules! make { ($name:ident) => { pub fn $name(a: &str) { crate::net::post(a); } }; }";
        has(
            &format!("{make} make!(send);"),
            &["export send=send.1", "fn 2 plain \"send\"", "(call (. (. (import 1) net) post) a.0)"],
        );
        has(
            "macro_rules! all { ($($name:ident => $f:path),* $(,)?) => { $(fn $name() { $f(1); })* } } all! { a => b::c, d => e, }",
            &["fn 2 plain \"a\"", "(call (. @b c) 1)", "fn 3 plain \"d\"", "(call @e 1)"],
        );
        has(
            "macro_rules! pick { (a) => { fn one() {} }; ($t:ty, $e:expr) => { const X: $t = $e; fn two() {} }; } pick!(Vec<u8>, f(1) + 2);",
            &["fn 2 plain \"two\"", "(+ (call @f 1) 2)"],
        );
    }

    #[test]
    fn what_is_made_lies_where_the_macro_is_called() {
        let source = "macro_rules! make { ($n:ident) => { fn $n() { go(); } } }\nmake!(send);\n";
        let made = facts(source).functions()[2];
        assert_eq!(&source[made.span.lo as usize..made.span.hi as usize], "make!(send)");
    }

    #[test]
    fn what_makes_itself_comes_to_an_end() {
        let endless = "macro_rules! m { ($($t:tt)*) => { m! { $($t)* $($t)* } } } m!(a);";
        assert!(!facts(endless).is_partial());
        let deep = "macro_rules! m { ($($t:tt)*) => { const A: bool = $(! $t)*; } } m! { ";
        facts(&format!("{deep} {} }}", "true ".repeat(5_000)));
        let other = "macro_rules! m { (x) => { fn a() {} } } m!(y); n!(x);";
        assert_eq!(facts(other).functions().len(), 2);
    }
}
