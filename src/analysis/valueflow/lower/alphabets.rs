//! For what a text is harmless of which a substitution leaves few letters.

use super::Lower;
use crate::catalog::{DataOp, Purpose, Purposes};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit};

/// The letters without which a text is harmless for a purpose.
const LETTERS: [(Purpose, &str); 5] = [
    (Purpose::Path, "/\\"),
    (Purpose::Script, "/\\"),
    (Purpose::Option, "-"),
    (Purpose::Query, "'\"`;\\() \t\n"),
    (Purpose::Template, "{}%<$#"),
];

impl Lower<'_, '_> {
    /// What a call does to what it is given.
    pub(super) fn does(&self, callee: ExprId, path: Option<&str>) -> Option<DataOp> {
        let operations = &self.catalog.operations;
        let by_name = || {
            let name = self.facts.written_name(callee)?;
            operations.of_method(self.facts.lang, self.facts.str(name))
        };
        path.and_then(|path| operations.of_call(path)).or_else(by_name)
    }

    /// For what a text is harmless of which a substitution leaves few letters: `re.sub("[^a-z]", "-", name)`.
    pub(super) fn left(&self, callee: ExprId, args: &[Arg], path: Option<&str>) -> Purposes {
        if self.does(callee, path) != Some(DataOp::Substitute) {
            return Purposes::default();
        }
        let is_plain = args.iter().all(|arg| arg.kind == ArgKind::Positional);
        let is_function = path.and_then(|path| self.catalog.operations.of_call(path)).is_some();
        let (pattern, replacement) = match (*self.facts.expr(callee), args) {
            (_, [pattern, replacement, _]) if is_function => (self.text_of(pattern.value), replacement.value),
            (Expr::Field { base, .. }, [replacement, _]) if !is_function => {
                (self.pattern(base), replacement.value)
            }
            _ => return Purposes::default(),
        };
        match (pattern, self.text_of(replacement)) {
            (Some(pattern), Some(replacement)) if is_plain => without(&pattern, &replacement),
            _ => Purposes::default(),
        }
    }

    fn text_of(&self, expr: ExprId) -> Option<String> {
        if let Expr::Lit(Lit::Str(text)) = *self.facts.expr(expr) {
            return Some(self.facts.str(text).to_owned());
        }
        self.program.constant(self.func, expr).filter(|known| known.whole).map(|known| known.text)
    }

    /// The text of a pattern that was made before: `NAME = re.compile("[^a-z]+")`.
    fn pattern(&self, expr: ExprId) -> Option<String> {
        let (func, value) = self.program.sole_definition(self.func, expr)?;
        let facts = self.program.facts(self.program.function(func).file);
        let value = match *facts.expr(value) {
            Expr::Ascribe { value: Some(inner), .. } => inner,
            _ => value,
        };
        let Expr::Call { callee, args, .. } = *facts.expr(value) else { return None };
        let does = self.catalog.operations.of_call(self.program.library_path(func, callee)?);
        let [text] = facts.list(args) else { return None };
        let known = self.program.constant(func, text.value).filter(|known| known.whole);
        known.filter(|_| does == Some(DataOp::Pattern)).map(|known| known.text)
    }
}

/// For what a text is harmless in which a pattern is replaced everywhere.
fn without(pattern: &str, replacement: &str) -> Purposes {
    let Some(listed) = listed(pattern) else { return Purposes::default() };
    let harmless = LETTERS.into_iter().filter(|(_, letters)| {
        letters.chars().all(|letter| !lists(listed, letter) && !replacement.contains(letter))
    });
    harmless.map(|(purpose, _)| purpose).collect()
}

/// The letters that a pattern leaves, as it lists them: `[^a-z]+` is everything but these.
fn listed(pattern: &str) -> Option<&str> {
    let body = pattern.strip_suffix(['+', '*']).unwrap_or(pattern).strip_prefix("[^")?.strip_suffix(']')?;
    let is_one = |(at, letter): (usize, char)| !matches!(letter, '[' | ']') || is_escaped(body, at);
    (!is_escaped(body, body.len()) && body.char_indices().all(is_one)).then_some(body)
}

fn is_escaped(text: &str, at: usize) -> bool {
    let before = &text[..at];
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// True if a class of letters may hold one.
fn lists(class: &str, letter: char) -> bool {
    let mut letters = class.chars().peekable();
    while let Some(own) = letters.next() {
        let first = match own {
            '\\' => match letters.next() {
                Some('w') if letter.is_alphanumeric() || letter == '_' => return true,
                Some('d') if letter.is_numeric() => return true,
                Some('s') if letter.is_whitespace() => return true,
                Some('w' | 'd' | 's') | None => continue,
                Some(kind) if kind.is_alphanumeric() => return true,
                Some(escaped) => escaped,
            },
            own => own,
        };
        let mut rest = letters.clone();
        let last = match (rest.next(), rest.next()) {
            (Some('-'), Some(last)) => {
                letters = rest;
                last
            }
            _ => first,
        };
        // An escaped end of a range may be anything.
        if last == '\\' || first <= letter && letter <= last {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{LETTERS, listed, without};
    use crate::catalog::Purpose::{self, Option, Path, Query, Script, Template};

    #[test]
    fn what_is_left_has_no_letter_that_harms() {
        let cases: [(&str, &str, &[Purpose]); 9] = [
            ("[^a-zA-Z0-9._-]+", "-", &[Path, Script, Query, Template]),
            ("[^a-zA-Z0-9]", "", &[Path, Script, Option, Query, Template]),
            (r"[^\w\-.]", "_", &[Path, Script, Query, Template]),
            (r"[^\w\s]", "_", &[Path, Script, Option, Template]),
            ("[^a-z/]+", "-", &[Query, Template]),
            ("[^a-z]+", "/", &[Option, Query, Template]),
            ("[^a-z]x", "", &[]),
            ("[a-z]+", "", &[]),
            (r"[^\S]", "", &[]),
        ];
        for (pattern, replacement, expected) in cases {
            let left = without(pattern, replacement);
            let found: Vec<Purpose> = Purpose::ALL.into_iter().filter(|&it| left.has(it)).collect();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{pattern} {replacement}");
        }
        assert_eq!(LETTERS.len(), 5);
        assert_eq!(listed("[^a][^b]"), None);
    }
}
