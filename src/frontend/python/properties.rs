//! Whatever the text, lowering ends without a panic and keeps the invariants of facts, which `testing::facts` checks.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::coarse::text;
use super::kind::{Kind, Tree};
use super::testing::{self, dump};
use crate::frontend::MAX_DEPTH;
use crate::frontend::sitter;
use crate::ir::{Expr, Facts, Lang, ListOf, ProblemKind, Span};

/// Lowers, and checks that no call is lost that the parser saw.
fn facts(source: &str) {
    let facts = testing::facts(source);
    let clean = text::clean(source);
    let tree: Tree<'_> = sitter::parse(&clean, Lang::Python).expect("within the budget");
    let found: std::collections::HashSet<Span> =
        facts.calls().iter().map(|site| facts.span(site.expr)).collect();
    let nodes = || tree.root().into_iter().flat_map(|root| root.descendants());
    // What Python's parser takes and this one does not is read in other pieces there.
    if nodes().any(|node| node.kind() == Kind::Error) {
        return;
    }
    for call in nodes().filter(|node| node.kind() == Kind::Call) {
        let is_partial = facts.problems.iter().any(|problem| problem.kind == ProblemKind::HidesCode);
        // `*f(x)` as a statement is no call of `*f` there.
        let span = call.span();
        let stars = call.text().len() - call.text().trim_start_matches(['*', ' ']).len();
        let span = Span { lo: span.lo + stars as u32, ..span };
        assert!(is_partial || found.contains(&span), "{:?} is lost in {source:?}", call.text());
    }
}

const TOKENS: &[&str] = &[
    "a",
    "b",
    "self",
    "f",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ":=",
    ".",
    "=",
    "+",
    "-",
    "*",
    "**",
    "and",
    "or",
    "not",
    "if",
    "else",
    "elif",
    "for",
    "in",
    "while",
    "def",
    "class",
    "lambda",
    "return",
    "yield",
    "await",
    "async",
    "with",
    "as",
    "try",
    "except",
    "finally",
    "match",
    "case",
    "type",
    "global",
    "nonlocal",
    "import",
    "from",
    "del",
    "raise",
    "assert",
    "print",
    "exec",
    "pass",
    "break",
    "continue",
    "1",
    "0x",
    "'a'",
    "f'{",
    "}'",
    "\"\"\"",
    "'",
    "`",
    "@",
    "->",
    "...",
    "_",
    "is",
    "==",
    "<",
    "|",
    "+=",
    "\n",
    "\n    ",
    "\n        ",
    "\n",
    " ",
    "# c",
    ";",
    "\\\n",
    "\0",
    "\r",
    "é",
];

/// Every construct once, with names that are bound in several scopes.
const REAL: &str = r#"
from __future__ import annotations
import os.path as p, sys
from . import x as y
try:
    import json
except (ImportError, E) as e:
    json = None
else: pass
finally: del sys
if TYPE_CHECKING:
    from a import *

@d(1)
class A[T](B["C"], metaclass=m()):
    x: "Optional['A']" = field(default=lambda self: x)
    y, *z = [q for q in x if (w := q)]
    def m(self, a, /, b: int = x, *c, d=None, **e) -> "A":
        global g
        g += self.f(a)[1:2, ::3].z
        for i, (j, self.k) in enumerate(a):
            while j < f(i) <= 3 and not i:
                if i: break
                elif j: continue
                else: return f"a{i!r:>{j}}b" "c" + b'd'
        def inner():
            nonlocal a
            a = yield [lambda z=i: z + a for i in a]
            yield from a
        async with open(p) as h, (a if b else c) as (i, j): await h
        type(self).x = (n := a if b else c)
        match a, b:
            case [1, *r] | {"k": -2, **r} if r: print(r)
            case A(x=P.q) as s: raise E from s
        assert [*self.x, *i], {**e, "k": {1, 2}}
type X[T] = list[T]
print(a, b)
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup(tokens in prop::collection::vec(select(TOKENS), 0..80), spaces in any::<bool>()) {
        facts(&tokens.join(if spaces { " " } else { "" }));
    }

    #[test]
    fn random_text(text in "\\PC{0,200}") {
        facts(&text);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        facts(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn real_code_with_a_part_removed(from in any::<Index>(), len in 0usize..60) {
        let from = from.index(REAL.len());
        let to = (from + len).min(REAL.len());
        facts(&format!("{}{}", &REAL[..from], &REAL[to..]));
    }

    #[test]
    fn real_code_with_tokens_put_in(places in prop::collection::vec((any::<Index>(), select(TOKENS)), 1..6)) {
        let mut text = REAL.to_owned();
        for (at, token) in places {
            let at = at.index(text.len());
            if text.is_char_boundary(at) {
                text.insert_str(at, token);
            }
        }
        facts(&text);
    }

    #[test]
    fn real_code_repeated_and_nested(times in 1usize..4, levels in 0usize..12) {
        let body: String = REAL.repeat(times).lines().map(|line| format!("{}{line}\n", " ".repeat(levels))).collect();
        let heads: String = (0..levels).map(|level| format!("{}def f{level}(a, x):\n", " ".repeat(level))).collect();
        facts(&format!("{heads}{body}"));
    }
}

#[test]
fn real_code_is_understood() {
    let dump = dump(REAL);
    assert!(!dump.contains("problem"), "{dump}");
}

#[test]
fn facts_are_a_function_of_the_text() {
    assert_eq!(dump(REAL), dump(REAL));
}

fn is_broken_by(change: impl FnOnce(&mut Facts)) -> bool {
    let mut facts = testing::facts("x = f(a)\ndef g(): return x\n");
    change(&mut facts);
    facts.check(MAX_DEPTH).is_err()
}

#[test]
fn the_check_sees_what_is_broken() {
    assert!(is_broken_by(|facts| {
        facts.items_mut().calls.clear();
        facts.seal();
    }));
    assert!(is_broken_by(|facts| facts.items_mut().functions[1].exprs.hi += 1));
    assert!(is_broken_by(|facts| facts.items_mut().functions[0].vars = ListOf::EMPTY));
    assert!(is_broken_by(|facts| facts.items_mut().functions[0].span.hi = 3));
    assert!(is_broken_by(|facts| {
        let (parent, call) = (facts.functions()[0].body, facts.calls()[0].expr);
        *facts.arenas_mut().expr_mut(call) = Expr::Not(parent);
    }));
    assert!(testing::facts("f(f(f(a)))").check(3).is_err());
}

#[test]
fn a_tuple_before_a_definition_is_no_call_of_it() {
    facts("class A:\n    y, * [q for q in x]\n    def m(self): f(self)\n");
}
