//! Constants: numbers, and the decoding of string literals from their source text.

use std::borrow::Cow;

use crate::ir::Lit;

/// Decimal, `0x`, `0o`, `0b`, and the old `0777` and `10L`; what is no `i64` has no value here.
pub(super) fn integer(text: &str) -> Lit {
    let digits: Cow<'_, str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let digits = digits.trim_end_matches(['l', 'L']);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'o' | b'O', ..] => (&digits[2..], 8),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    i64::from_str_radix(digits, radix).map_or(Lit::Other, Lit::Int)
}

/// How a string literal is written: its prefix and quotes, and what they mean.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Quoting {
    pub is_raw: bool,
    pub is_bytes: bool,
    pub is_template: bool,
    /// Python 2: the repr of an expression.
    pub is_backtick: bool,
}

/// Splits a literal into its quoting and its content. The end may be missing.
pub(super) fn unquote(text: &str) -> (Quoting, &str) {
    let prefix = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, quoted) = text.split_at(prefix);
    let has = |wanted: char| letters.contains([wanted, wanted.to_ascii_uppercase()]);
    let quoting = Quoting {
        is_raw: has('r'),
        is_bytes: has('b'),
        is_template: has('f') || has('t'),
        is_backtick: quoted.starts_with('`'),
    };
    let quote =
        ["\"\"\"", "'''", "\"", "'", "`"].into_iter().find(|quote| quoted.starts_with(quote)).unwrap_or("");
    let content = &quoted[quote.len()..];
    (quoting, content.strip_suffix(quote).unwrap_or(content))
}

/// The value of a piece of a literal.
pub(super) fn decode(content: &str, quoting: Quoting) -> Cow<'_, str> {
    let has_braces = quoting.is_template && content.contains(['{', '}']);
    if !content.contains(['\\', '\r']) && !has_braces && (content.is_ascii() || !quoting.is_bytes) {
        return Cow::Borrowed(content);
    }
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\r' => {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                out.push('\n');
            }
            '{' | '}' if quoting.is_template => {
                rest = rest.strip_prefix(c).unwrap_or(rest);
                out.push(c);
            }
            '\\' if !quoting.is_raw => rest = escape(rest, quoting.is_bytes, &mut out),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Decodes what follows a backslash and returns the rest. A byte stands as the character of that number.
fn escape<'t>(text: &'t str, is_bytes: bool, out: &mut String) -> &'t str {
    let Some(c) = text.chars().next() else {
        out.push('\\');
        return text;
    };
    let rest = &text[c.len_utf8()..];
    let simple = match c {
        '\n' => return rest,
        '\r' => return rest.strip_prefix('\n').unwrap_or(rest),
        '\\' | '\'' | '"' => c,
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '0'..='7' => return number(text, 3, 8, out).unwrap_or(rest),
        'x' => return number(rest, 2, 16, out).unwrap_or(rest),
        'u' if !is_bytes => return number(rest, 4, 16, out).unwrap_or(rest),
        'U' if !is_bytes => return number(rest, 8, 16, out).unwrap_or(rest),
        'N' if !is_bytes => return named(rest, out),
        _ => {
            out.push('\\');
            c
        }
    };
    out.push(simple);
    rest
}

/// At most `digits` digits; a number that is no character, such as half of a surrogate pair, becomes the replacement character.
fn number<'t>(text: &'t str, digits: usize, radix: u32, out: &mut String) -> Option<&'t str> {
    let len = text.chars().take(digits).take_while(|c| c.is_digit(radix)).count();
    let value = u32::from_str_radix(&text[..len], radix).ok()?;
    out.push(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(&text[len..])
}

/// `\N{name}`: of what names are written in; a table of all names is not worth its size.
fn named<'t>(text: &'t str, out: &mut String) -> &'t str {
    let Some((name, rest)) = text.strip_prefix('{').and_then(|name| name.split_once('}')) else {
        out.push(char::REPLACEMENT_CHARACTER);
        return text;
    };
    out.push(character(&name.to_ascii_uppercase()).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

/// The letters, digits and signs that a path of names has.
fn character(name: &str) -> Option<char> {
    const DIGITS: [&str; 10] =
        ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"];
    let letter = |rest: &str| match rest.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(char::from(*letter)),
        _ => None,
    };
    if let Some(rest) = name.strip_prefix("LATIN SMALL LETTER ") {
        return letter(rest).map(|c| c.to_ascii_lowercase());
    }
    if let Some(rest) = name.strip_prefix("LATIN CAPITAL LETTER ") {
        return letter(rest);
    }
    if let Some(rest) = name.strip_prefix("DIGIT ") {
        let at = DIGITS.iter().position(|digit| *digit == rest)?;
        return char::from_digit(at as u32, 10);
    }
    match name {
        "LOW LINE" | "SPACING UNDERSCORE" => Some('_'),
        "FULL STOP" | "PERIOD" => Some('.'),
        "SPACE" => Some(' '),
        "COLON" => Some(':'),
        "SOLIDUS" | "SLASH" => Some('/'),
        "LEFT PARENTHESIS" | "OPENING PARENTHESIS" => Some('('),
        "RIGHT PARENTHESIS" | "CLOSING PARENTHESIS" => Some(')'),
        "APOSTROPHE" => Some('\''),
        "QUOTATION MARK" => Some('"'),
        "LINE FEED" | "NEW LINE" => Some('\n'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(literal: &str) -> String {
        let (quoting, content) = unquote(literal);
        decode(content, quoting).into_owned()
    }

    #[test]
    fn strings_are_decoded() {
        assert_eq!(value(r#""plain""#), "plain");
        assert_eq!(value(r#"'''a"b'''"#), "a\"b");
        assert_eq!(value(r"'\x41\u0042\103\N{BULLET}\q\''"), "ABC\u{fffd}\\q'");
        assert_eq!(value(r"'\N{LATIN SMALL LETTER O}\N{latin capital letter s}\N{DIGIT TWO}'"), "oS2");
        assert_eq!(value(r"r'\x41'"), r"\x41");
        assert_eq!(value("b'\\xff\\u0041'"), "\u{ff}\\u0041");
        assert_eq!(value("f'{{x}}'"), "{x}");
        assert_eq!(value("'a\\\r\nb\r\nc'"), "ab\nc");
        assert_eq!(value(r"'\ud800'"), "\u{fffd}");
        assert_eq!(value("'unterminated"), "unterminated");
        assert_eq!(value("'''"), "");
    }

    #[test]
    fn integers_are_decoded() {
        assert_eq!(integer("1_000"), Lit::Int(1000));
        assert_eq!(integer("0xfF"), Lit::Int(255));
        assert_eq!(integer("0777L"), Lit::Int(511));
        assert_eq!(integer("0b11"), Lit::Int(3));
        assert_eq!(integer("0"), Lit::Int(0));
        assert_eq!(integer("9223372036854775808"), Lit::Other);
        assert_eq!(integer("3j"), Lit::Other);
    }
}
