//! For what a text is harmless that fits a pattern.

use crate::catalog::{Purpose, Purposes};

/// What a pattern leaves of a text that it fits from end to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    /// The letters that it names.
    Few,
    /// Anything else only between quotes, and never a quote.
    Quoted,
    Anything,
}

/// For what a text is harmless that has passed a pattern: `[a-z]+$`. `is_whole`: the end need not be said.
pub fn passed(pattern: &str, is_whole: bool) -> Purposes {
    let is_ended = is_whole || ["$", "\\Z", "\\z"].iter().any(|end| pattern.ends_with(end));
    let left = match left(pattern) {
        Left::Few if is_ended => Purposes::ALL,
        Left::Quoted if is_ended => Purposes::from_iter([Purpose::Query]),
        _ => Purposes::default(),
    };
    left.with(named(pattern))
}

/// The same of a text that was found by it. Letters alone name any module.
pub fn found(pattern: &str) -> Purposes {
    let others = Purpose::ALL.into_iter().filter(|&purpose| purpose != Purpose::Module);
    let named = if has_groups(pattern) { Purposes::default() } else { named(pattern) };
    passed(pattern, true).and(others.collect()).with(named)
}

/// Behind `package\.` only modules of that package are named.
fn named(pattern: &str) -> Purposes {
    match is_in_package(pattern) {
        true => Purposes::from_iter([Purpose::Module]),
        false => Purposes::default(),
    }
}

fn is_in_package(pattern: &str) -> bool {
    let mut prefix = String::new();
    let mut letters = pattern.trim_start_matches('^').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if_eq(&'.').is_some() => prefix.push('.'),
            _ if letter.is_alphanumeric() || letter == '_' => prefix.push(letter),
            // What may be left out is no prefix.
            '?' | '*' | '{' => {
                prefix.pop();
                break;
            }
            _ => break,
        }
    }
    let has_package = prefix.find('.').is_some_and(|at| at > 0);
    has_package && !has_alternatives(pattern)
}

/// True for `google\.adk|os`: what stands first need not stand there.
fn has_alternatives(pattern: &str) -> bool {
    let mut depth = 0;
    outside_classes(pattern).into_iter().any(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == '|' && depth == 0
    })
}

/// True if a part of what was found can be asked for.
fn has_groups(pattern: &str) -> bool {
    let letters = outside_classes(pattern);
    letters.windows(2).any(|pair| pair[0] == '(' && pair[1] != '?') || pattern.contains("(?P<")
}

/// The letters that stand for nothing but themselves or an operator, without those of classes.
fn outside_classes(pattern: &str) -> Vec<char> {
    let (mut found, mut rest) = (Vec::new(), &letters(pattern)[..]);
    while let [first, others @ ..] = rest {
        rest = match first {
            '\\' => others.get(1..).unwrap_or_default(),
            '[' => &rest[Class::new(rest).len..],
            _ => {
                found.push(*first);
                others
            }
        };
    }
    found
}

fn letters(pattern: &str) -> Vec<char> {
    pattern.chars().collect()
}

fn left(pattern: &str) -> Left {
    let letters = letters(pattern);
    let (mut at, mut left) = (0, Left::Few);
    while let Some(&letter) = letters.get(at) {
        at += match letter {
            '.' => return Left::Anything,
            '\\' if letters.get(at + 1).is_some_and(|next| "SWD".contains(*next)) => return Left::Anything,
            '\\' => 2,
            '[' => {
                let class = Class::new(&letters[at..]);
                let behind = &letters[at + class.len..];
                match class.is_negated {
                    true if class.is_quoted(letters[..at].last(), behind) => left = Left::Quoted,
                    false if !class.is_open => {}
                    _ => return Left::Anything,
                }
                class.len
            }
            _ => 1,
        };
    }
    left
}

/// `[^"\\]`
#[derive(Default)]
struct Class {
    is_negated: bool,
    /// It has what others leave out: `\S`.
    is_open: bool,
    members: Vec<char>,
    len: usize,
}

impl Class {
    /// The class that some letters begin with.
    fn new(letters: &[char]) -> Self {
        let is_negated = letters.get(1) == Some(&'^');
        let first = if is_negated { 2 } else { 1 };
        let mut class = Class { is_negated, len: first, ..Class::default() };
        while let Some(&letter) = letters.get(class.len) {
            class.len += 1;
            match letter {
                // As the first one it is a member.
                ']' if class.len > first + 1 => break,
                '\\' => {
                    let escaped = letters.get(class.len).copied();
                    class.is_open |= escaped.is_some_and(|letter| "SWD".contains(letter));
                    class.members.extend(escaped);
                    class.len += 1;
                }
                _ => class.members.push(letter),
            }
        }
        class.len = class.len.min(letters.len());
        class
    }

    /// True between quotes if it can hold neither a quote nor an escape: that is still one quoted text.
    fn is_quoted(&self, before: Option<&char>, behind: &[char]) -> bool {
        let behind = match behind {
            ['+' | '*' | '?', rest @ ..] => rest,
            _ => behind,
        };
        let (Some(quote), [end, rest @ ..]) = (before, behind) else { return false };
        let is_optional = matches!(rest.first(), Some('?' | '*' | '{'));
        "`\"'".contains(*quote)
            && quote == end
            && !is_optional
            && [quote, &'\\'].iter().all(|left_out| self.members.contains(left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::{Left, found, left, passed};
    use crate::catalog::{Purpose, Purposes};

    #[test]
    fn a_pattern_is_closed_if_it_names_its_letters_to_the_end() {
        for (pattern, is_whole, closed) in [
            ("[a-z]+", true, true),
            ("[a-z]+", false, false),
            ("^[a-z]+$", false, true),
            (r"[\w.-]+", true, true),
            (".*", true, false),
            (r"\S+", true, false),
            (r"[\S]+", true, false),
            ("[^/]+", true, false),
            (r"[a-z]+\.py", true, true),
        ] {
            assert_eq!(passed(pattern, is_whole) == Purposes::ALL, closed, "{pattern}");
        }
    }

    #[test]
    fn a_negated_class_is_quoted_by_what_it_leaves_out() {
        for (pattern, expected) in [
            (r#"`[^`\\]+`|"[^"\\]*""#, Left::Quoted),
            (r#"`[^"\\]+`"#, Left::Anything),
            ("`[^`]+`", Left::Anything),
            (r"`?[^`\\]+`?", Left::Anything),
            (r"[^`\\]+", Left::Anything),
            (r"[^]`\\]+", Left::Anything),
        ] {
            assert_eq!(left(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn a_module_is_known_by_its_package() {
        for (pattern, is_known) in [
            (r"app\.plugins(?:\.\w+)+", true),
            (r"app\.plugins\..+", true),
            (r"app\.plugins\.(\w+)", false),
            (r"app\.\w+|\w+", false),
            (r"app\.?\w+", false),
            (r"[\w.]+", false),
        ] {
            assert_eq!(found(pattern).has(Purpose::Module), is_known, "{pattern}");
        }
        assert!(found(r"[\w.]+").has(Purpose::Path));
        assert!(!found(r"app\.(.+)").has(Purpose::Path));
    }
}
