//! Tests that come out the same whatever they are given: two constants that are compared, a length that is no length, a kind
//! that everything is of, a pattern that every text fits. Guards that ask nothing else ask nothing. What libraries do is the
//! catalogue's to say; patterns are read here.

use crate::catalog::Catalog;
use crate::ir::{ArgKind, Expr, ExprId, Facts, Lit, Op};
use crate::link::{Func, Program};

/// Whether an expression is always true, or always false, by its form.
pub fn decided(program: &Program<'_>, catalog: &Catalog, func: Func, expr: ExprId) -> Option<bool> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Op { op, args } => match *facts.list(args) {
            [left, right] => compared(program, catalog, func, (op, left, right)),
            _ => None,
        },
        Expr::Call { callee, args, .. } => {
            let args = facts.list(args);
            let given: Vec<ExprId> =
                args.iter().filter(|arg| arg.kind == ArgKind::Positional).map(|arg| arg.value).collect();
            (given.len() == args.len()).then(|| called(program, catalog, func, (callee, &given))).flatten()
        }
        _ => None,
    }
}

fn compared(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    (op, left, right): (Op, ExprId, ExprId),
) -> Option<bool> {
    let facts = program.facts(program.function(func).file);
    if let (Expr::Var(a), Expr::Var(b)) = (facts.expr(left), facts.expr(right)) {
        return (a == b).then(|| of_order(op, std::cmp::Ordering::Equal)).flatten();
    }
    if let (Expr::Lit(a), Expr::Lit(b)) = (*facts.expr(left), *facts.expr(right)) {
        return of_literals(facts, op, (a, b));
    }
    let is_size = |expr: ExprId| match *facts.expr(expr) {
        Expr::Call { callee, .. } => {
            program.library_path(func, callee).is_some_and(|path| catalog.tells.is_size(path))
        }
        _ => false,
    };
    match (number(program, func, left), number(program, func, right)) {
        (None, Some(least)) if is_size(left) => of_size(op, least),
        (Some(least), None) if is_size(right) => of_size(turned(op), least),
        _ => None,
    }
}

fn of_order(op: Op, order: std::cmp::Ordering) -> Option<bool> {
    match op {
        Op::Eq | Op::Is => Some(order.is_eq()),
        Op::Ne | Op::IsNot => Some(order.is_ne()),
        Op::Lt => Some(order.is_lt()),
        Op::Le => Some(order.is_le()),
        Op::Gt => Some(order.is_gt()),
        Op::Ge => Some(order.is_ge()),
        _ => None,
    }
}

fn of_literals(facts: &Facts, op: Op, literals: (Lit, Lit)) -> Option<bool> {
    match literals {
        (Lit::Int(a), Lit::Int(b)) => of_order(op, a.cmp(&b)),
        (Lit::Str(a), Lit::Str(b)) => of_order(op, facts.str(a).cmp(facts.str(b))),
        _ => None,
    }
}

/// What is never less than zero, against a number.
fn of_size(op: Op, number: i64) -> Option<bool> {
    match op {
        Op::Lt => (number <= 0).then_some(false),
        Op::Le => (number < 0).then_some(false),
        Op::Gt => (number < 0).then_some(true),
        Op::Ge => (number <= 0).then_some(true),
        Op::Eq => (number < 0).then_some(false),
        Op::Ne => (number < 0).then_some(true),
        _ => None,
    }
}

/// The same with its sides exchanged.
fn turned(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        op => op,
    }
}

fn number(program: &Program<'_>, func: Func, expr: ExprId) -> Option<i64> {
    let (owner, bound) = program.bound(func, expr);
    match *program.facts(program.function(owner).file).expr(bound) {
        Expr::Lit(Lit::Int(number)) => Some(number),
        _ => None,
    }
}

/// `isinstance(value, object)`, `re.match(".*", text)`, `ANY.search(text)`.
fn called(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    (callee, given): (ExprId, &[ExprId]),
) -> Option<bool> {
    let tells = &catalog.tells;
    let facts = program.facts(program.function(func).file);
    let path = program.library_path(func, callee);
    if let (Some(path), [only]) = (path, given)
        && matches!(*facts.expr(*only), Expr::Seq(items) if items.is_empty())
    {
        return tells.of_nothing(path);
    }
    if let (Some(path), [_, kind]) = (path, given)
        && tells.asks_kind(path)
    {
        return is_every_kind(program, catalog, func, *kind).then_some(true);
    }
    let (pattern, path) = match (path, *facts.expr(callee)) {
        (Some(path), _) => (program.text(func, *given.first()?)?, path.to_owned()),
        (None, Expr::Field { base, name }) => {
            let (text, maker) = compiled(program, catalog, func, base)?;
            let module = maker.rsplit_once('.').map_or("", |(module, _)| module);
            (text, format!("{module}.{}", facts.str(name)))
        }
        _ => return None,
    };
    let is_whole = tells.asks_whole_pattern(&path);
    ((is_whole || tells.asks_pattern(&path)) && fits_all(&pattern, is_whole)).then_some(true)
}

fn is_every_kind(program: &Program<'_>, catalog: &Catalog, func: Func, kind: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(kind) {
        Expr::Seq(kinds) => facts.list(kinds).iter().any(|&kind| is_every_kind(program, catalog, func, kind)),
        _ => program.library_path(func, kind).is_some_and(|path| catalog.tells.is_every_kind(path)),
    }
}

/// The text of a pattern that is kept, and what made it.
fn compiled(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    pattern: ExprId,
) -> Option<(String, String)> {
    let (owner, bound) = program.bound(func, pattern);
    let facts = program.facts(program.function(owner).file);
    let Expr::Call { callee, args, .. } = *facts.expr(bound) else { return None };
    let path = program.library_path(owner, callee).filter(|path| catalog.tells.is_pattern(path))?;
    let [only] = facts.list(args) else { return None };
    let is_altered = program.is_altered(func, pattern);
    Some((program.text(owner, only.value).filter(|_| !is_altered)?, path.to_owned()))
}

/// True for a pattern that every text fits: each part of it may be missing, and to the end of the text only what takes
/// anything is as good.
fn fits_all(pattern: &str, is_whole: bool) -> bool {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let is_anything = |part: &str| matches!(part, ".*" | ".*?" | "(.*)" | "(.*?)" | "[\\s\\S]*");
    match pattern.strip_suffix('$') {
        Some(rest) => is_anything(rest),
        None if is_whole => is_anything(pattern),
        None => pattern.is_empty() || is_anything(pattern) || parts_may_be_missing(pattern),
    }
}

/// `[a-z]*\s*x?`: parts of one character or of one class, each with a sign that it may be missing.
fn parts_may_be_missing(pattern: &str) -> bool {
    let mut rest = pattern.chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            '(' | ')' | '|' | '{' | '}' | '*' | '?' | '+' | '$' | '^' => return false,
            '\\' if rest.next().is_none_or(|class| matches!(class, 'b' | 'B' | 'A' | 'Z' | 'z')) => {
                return false;
            }
            '[' if !rest.by_ref().any(|c| c == ']') => return false,
            _ => {}
        }
        match rest.next() {
            Some('*' | '?') => rest.next_if_eq(&'?'),
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::fits_all;

    #[test]
    fn patterns_that_every_text_fits() {
        for pattern in ["", "^", ".*", "^.*$", "(.*)", "[a-z]*", "\\s*x?", "a*?b*"] {
            assert!(fits_all(pattern, false), "{pattern}");
        }
        for pattern in [".+", "[a-z]", "a|b*", "\\b", "^$", "a*b", "(a)*", "[a-z", "[a-z]*$"] {
            assert!(!fits_all(pattern, false), "{pattern}");
        }
        assert!(fits_all(".*", true) && !fits_all("", true) && !fits_all("[a-z]*", true));
    }
}
