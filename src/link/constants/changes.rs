//! What operations make of one known text, number or list. Nothing here knows a program.

use super::decoding::{base32, base64, base64_url, hex, rot13};
use crate::catalog::TextOp;
use crate::ir::Op;
use crate::link::values::{Item, Known};

pub(super) fn character(number: i64) -> Option<String> {
    u32::try_from(number).ok().and_then(char::from_u32).map(String::from)
}

pub(super) fn arithmetic(op: Op, args: &[i64]) -> Option<i64> {
    let (&first, rest) = args.split_first()?;
    if rest.is_empty() && op == Op::Sub {
        return first.checked_neg();
    }
    rest.iter().try_fold(first, |left, &right| match op {
        Op::Add => left.checked_add(right),
        Op::Sub => left.checked_sub(right),
        Op::Mul => left.checked_mul(right),
        Op::Mod => left.checked_rem_euclid(right),
        _ => None,
    })
}

pub(super) fn number_of(op: TextOp, item: Item, base: i64) -> Option<i64> {
    match (op, item) {
        (TextOp::CodePoint, Item::Text(text)) => {
            let mut chars = text.chars();
            let only = chars.next().filter(|_| chars.next().is_none());
            only.map(|c| i64::from(u32::from(c)))
        }
        (TextOp::Number, Item::Number(number)) => Some(number),
        (TextOp::Number, Item::Text(text)) => {
            let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
            let text = text.trim().to_lowercase();
            let digits = ["0x", "0o", "0b"].iter().find_map(|prefix| text.strip_prefix(prefix));
            i64::from_str_radix(digits.unwrap_or(&text), base).ok()
        }
        (TextOp::Length, Item::Text(text)) => i64::try_from(text.chars().count()).ok(),
        _ => None,
    }
}

/// Of a text that is only known where it begins, what keeps its letters in their places is known.
pub(super) fn known_change(op: TextOp, known: &Known, given: &[&str]) -> Option<String> {
    let keeps = matches!(op, TextOp::Same | TextOp::Lower | TextOp::Upper | TextOp::SwapCase | TextOp::Rot13);
    match op {
        _ if known.whole || keeps => change(op, &known.text, given),
        TextOp::Trim | TextOp::TrimStart => change(TextOp::TrimStart, &known.text, given),
        TextOp::TrimEnd | TextOp::DropSuffix => Some(known.text.clone()),
        TextOp::Replace => change(op, &known.text, given),
        _ => None,
    }
}

/// What an operation makes of a whole text.
pub fn change(op: TextOp, text: &str, given: &[&str]) -> Option<String> {
    let first = || given.first().copied();
    let in_set = |c: char| first().map_or(c.is_whitespace(), |set| set.contains(c));
    Some(match op {
        TextOp::Same => text.to_owned(),
        TextOp::Lower => text.to_lowercase(),
        TextOp::Upper => text.to_uppercase(),
        TextOp::SwapCase => text.chars().map(swapped).collect(),
        TextOp::Title => titled(text),
        TextOp::Capitalize => {
            let mut chars = text.chars();
            let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            first + &chars.as_str().to_lowercase()
        }
        TextOp::Trim => text.trim_matches(in_set).to_owned(),
        TextOp::TrimStart => text.trim_start_matches(in_set).to_owned(),
        TextOp::TrimEnd => text.trim_end_matches(in_set).to_owned(),
        TextOp::Replace => match *given {
            [from, to] => text.replace(from, to),
            _ => return None,
        },
        TextOp::DropPrefix => text.strip_prefix(first()?).unwrap_or(text).to_owned(),
        TextOp::DropSuffix => text.strip_suffix(first()?).unwrap_or(text).to_owned(),
        TextOp::Base64 => base64(text)?,
        TextOp::Base64Url => base64_url(text)?,
        TextOp::Base32 => base32(text)?,
        TextOp::Hex => hex(text)?,
        TextOp::Rot13 => rot13(text),
        _ => return None,
    })
}

fn swapped(c: char) -> char {
    match c {
        'a'..='z' => c.to_ascii_uppercase(),
        c => c.to_ascii_lowercase(),
    }
}

fn titled(text: &str) -> String {
    let mut is_inside = false;
    let each = |c: char| {
        let cased = if is_inside { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        is_inside = c.is_alphabetic();
        cased
    };
    text.chars().map(each).collect()
}

pub(super) fn split(text: &str, separator: Option<&str>) -> Vec<String> {
    match separator {
        Some(separator) if !separator.is_empty() => text.split(separator).map(str::to_owned).collect(),
        _ => text.split_whitespace().map(str::to_owned).collect(),
    }
}

/// As Python cuts a sequence.
pub(super) fn slice(items: Vec<Item>, lo: Option<i64>, hi: Option<i64>, step: i64) -> Vec<Item> {
    let len = items.len() as i64;
    let (start, end) = if step < 0 { (len - 1, -1) } else { (0, len) };
    let (least, most) = if step < 0 { (-1, len - 1) } else { (0, len) };
    let place = |bound: Option<i64>, default: i64| {
        bound.map_or(default, |at| if at < 0 { at.saturating_add(len) } else { at }.clamp(least, most))
    };
    let (mut at, end) = (place(lo, start), place(hi, end));
    let mut part = Vec::new();
    while step != 0 && if step < 0 { at > end } else { at < end } {
        part.extend(usize::try_from(at).ok().and_then(|at| items.get(at)).cloned());
        at = at.saturating_add(step);
    }
    part
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, lo: Option<i64>, hi: Option<i64>, step: i64) -> String {
        let items = text.chars().map(|c| Item::Text(c.to_string())).collect();
        slice(items, lo, hi, step).into_iter().filter_map(Item::text).collect()
    }

    #[test]
    fn slices_are_those_of_python() {
        assert_eq!(cut("metsys", None, None, -1), "system");
        assert_eq!(cut("xsystemx", Some(1), Some(-1), 1), "system");
        assert_eq!(cut("s.y.s.t.e.m", None, None, 2), "system");
        assert_eq!(cut("abcdef", Some(4), Some(1), -1), "edc");
        assert_eq!(cut("abc", Some(-9), Some(9), 1), "abc");
        assert_eq!(cut("abc", Some(9), None, -1), "cba");
        assert_eq!(cut("abc", None, None, 0), "");
    }

    #[test]
    fn texts_change_as_in_python() {
        let changed = |op, text, given: &[&str]| change(op, text, given).unwrap_or_default();
        assert_eq!(changed(TextOp::Trim, "xxsystemx", &["x"]), "system");
        assert_eq!(changed(TextOp::SwapCase, "SyStEm1", &[]), "sYsTeM1");
        assert_eq!(changed(TextOp::Title, "they're 2b", &[]), "They'Re 2B");
        assert_eq!(changed(TextOp::Replace, "s-y-s", &["-", ""]), "sys");
        assert_eq!(number_of(TextOp::Number, Item::Text("0x73".into()), 16), Some(0x73));
    }

    proptest! {
        #[test]
        fn a_slice_is_never_longer_than_the_text(lo in any::<Option<i64>>(), hi in any::<Option<i64>>(), step in any::<i64>()) {
            prop_assert!(cut("abcdef", lo, hi, step).len() <= 6);
        }
    }
}
