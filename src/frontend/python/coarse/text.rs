//! What would needlessly confuse tree-sitter is taken away.

use std::borrow::Cow;

/// The text as the parser should see it: as long as the original, so that spans hold. A lone CR ends a line, as it does in
/// Python; a NUL would make the parser lose what follows.
pub(in super::super) fn clean(text: &str) -> Cow<'_, str> {
    match joined(text) {
        Some(joined) => Cow::Owned(without_odd(&joined).into_owned()),
        None => without_odd(text),
    }
}

/// So many lines that hold nothing but a backslash may follow each other.
const MAX_BARE: usize = 32;

/// The parser goes through a run of lines with nothing but a backslash again for each of them. All but the first and the last
/// become blanks, which join what is around them just as well. `None` if no run is long.
fn joined(text: &str) -> Option<String> {
    let ends_line = |at: usize| matches!(text.as_bytes().get(at + 1), None | Some(b'\n' | b'\r'));
    let mut joins = text.match_indices('\\').filter(|&(at, _)| ends_line(at));
    // Few files have so many.
    joins.nth(MAX_BARE)?;
    let is_bare = |line: &&str| {
        let line = line.trim_end_matches(['\n', '\r']);
        line.ends_with('\\') && line.trim_start_matches([' ', '\t', '\x0C']).len() == 1
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let runs = || lines.chunk_by(|a, b| is_bare(a) && is_bare(b));
    runs().any(|run| run.len() > MAX_BARE).then(|| {
        let mut out = String::with_capacity(text.len());
        for run in runs() {
            let inner = if run.len() > MAX_BARE { 1..run.len() - 1 } else { 0..0 };
            for (at, line) in run.iter().enumerate() {
                match inner.contains(&at) {
                    true => out.extend(std::iter::repeat_n(' ', line.len())),
                    false => out.push_str(line),
                }
            }
        }
        out
    })
}

fn without_odd(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |i: usize| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    let is_odd = |i: &usize| bytes[*i] == 0 || is_lone(*i);
    if !bytes.contains(&0) && !bytes.contains(&b'\r') || !(0..bytes.len()).any(|i| is_odd(&i)) {
        return Cow::Borrowed(text);
    }
    let mut at = 0;
    let replaced = text.chars().map(|c| {
        let here = at;
        at += c.len_utf8();
        match c {
            '\0' => ' ',
            '\r' if is_lone(here) => '\n',
            _ => c,
        }
    });
    Cow::Owned(replaced.collect())
}

pub(super) fn is_keyword(word: &str) -> bool {
    const KEYWORDS: &str = "False None True and as assert async await break case class continue def del elif else \
        except exec finally for from global if import in is lambda match nonlocal not or pass print raise return try type \
        while with yield __future__ _";
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}
