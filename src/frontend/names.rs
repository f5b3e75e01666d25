//! Identifiers as the language compares them, and what a reader may take for another name: letters that normalise to others,
//! words of mixed scripts, and controls that change the order in which a line is shown. Texts and comments are no names.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};
use unicode_security::{MixedScript, RestrictionLevel, RestrictionLevelDetection, skeleton};

use crate::ir::{Confusable, ConfusableKind, Facts, Span};

/// Python compares names in this form.
pub(super) fn nfkc(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfkc_quick(name.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfkc().collect())
}

/// Rust in this one.
pub(super) fn nfc(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc_quick(name.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfc().collect())
}

/// False for a text in which nothing can be confused: most are ASCII, or hold Chinese texts and comments besides. Unified
/// ideographs are drawn like nothing else, and stand beside Latin letters in honest names.
pub(super) fn may_confuse(text: &str) -> bool {
    let is_plain = |c: char| match c {
        '\u{4E00}'..='\u{9FFF}' => true,
        c => c.is_ascii() || !is_of_name(c) && !is_control(c) && !is_mark(c),
    };
    !text.is_ascii() && !text.chars().all(is_plain)
}

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || is_combining_mark(c)
}

/// What may be confused in a file: each name once, where it is defined, else where it stands first; each control once for its
/// line. `words` are the names of the code, `quoted` its texts and comments, both in order.
pub(super) fn confusables(
    text: &str,
    facts: &Facts,
    words: impl Iterator<Item = Span>,
    quoted: &[Span],
    form: fn(&str) -> Cow<'_, str>,
) -> Vec<Confusable> {
    let mut names: BTreeMap<&str, Confusable> = BTreeMap::new();
    for span in words {
        let name = slice(text, span);
        if !name.is_ascii()
            && let Some((kind, reads_as)) = kind_of(name, form)
        {
            names.entry(name).or_insert(Confusable { span, kind, reads_as, is_definition: false });
        }
    }
    for span in definitions(facts) {
        let defined = slice(text, span);
        if let Some(found) = names.get_mut(defined) {
            // Of several definitions the first.
            found.span = if found.is_definition { found.span.min(span) } else { span };
            found.is_definition = true;
        }
    }
    // The import of a module brings its name into the program; who takes it from another file has no choice.
    let modules: BTreeSet<&str> =
        facts.imports().iter().flat_map(|import| facts.str(import.path).split('.')).collect();
    for (name, found) in &mut names {
        found.is_definition |= modules.contains(&*form(name));
    }
    let mut found: Vec<_> = names.into_values().collect();
    found.extend(controls(text, quoted));
    found.sort_unstable();
    found
}

/// Where functions, classes and parameters are named.
fn definitions(facts: &Facts) -> impl Iterator<Item = Span> {
    let parameters = facts.functions().iter().flat_map(|function| facts.list(function.params));
    facts.functions().iter().map(|function| function.name_span).chain(parameters.map(|param| param.span))
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
}

fn kind_of(name: &str, form: fn(&str) -> Cow<'_, str>) -> Option<(ConfusableKind, String)> {
    let normal = form(name);
    // A letter and its accent look like the accented letter; only another letter is another name to a reader.
    if *normal != *name && (normal.is_ascii() || normal.nfd().ne(name.nfd())) {
        return Some((ConfusableKind::Normalised, normal.into_owned()));
    }
    let mut parts = name.split(|c: char| c == '_' || c.is_numeric());
    // Latin letters stand beside Chinese, Japanese and Korean ones in honest names.
    let may_stand = |part: &str| part.check_restriction_level(RestrictionLevel::HighlyRestrictive);
    let is_mixed = parts.any(|part| !part.is_ascii() && !part.is_single_script() && !may_stand(part));
    let other = looks_like(name);
    (is_mixed && other != name).then_some((ConfusableKind::Mixed, other))
}

/// The name in the letters that its own are drawn like.
pub fn looks_like(name: &str) -> String {
    let mut read = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_ascii() => read.push(c),
            c => read.extend(skeleton(c.encode_utf8(&mut [0; 4]))),
        }
    }
    read
}

/// The names in a stretch of code that are not ASCII.
pub(super) fn words_in(text: &str, span: Span) -> impl Iterator<Item = Span> + '_ {
    let code = slice(text, span);
    code.split(|c| !is_of_name(c)).filter(|name| !name.is_ascii()).map(move |name| {
        let lo = span.lo + (name.as_ptr() as usize - code.as_ptr() as usize) as u32;
        Span { lo, hi: lo + name.len() as u32 }
    })
}

/// Those that change the order of what follows, and those that end that.
fn is_embedding(c: char) -> bool {
    matches!(c, '\u{202A}' | '\u{202B}' | '\u{202D}' | '\u{202E}')
}

fn is_isolate(c: char) -> bool {
    matches!(c, '\u{2066}'..='\u{2068}')
}

fn is_control(c: char) -> bool {
    is_embedding(c) || is_isolate(c) || matches!(c, '\u{202C}' | '\u{2069}')
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{061C}')
}

/// Controls in the code itself, and those in a text or comment that are still open where it ends and code follows on the line:
/// the line is then not shown in the order in which it runs. The end of a line closes them all.
fn controls(text: &str, quoted: &[Span]) -> Vec<Confusable> {
    let mut found = Vec::new();
    if !text.contains(|c| is_control(c) || is_mark(c)) {
        return found;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.contains(|c| is_control(c) || is_mark(c)) {
            found.extend(control_in(text, line, start, quoted));
        }
        start += line.len();
    }
    found
}

fn control_in(text: &str, line: &str, start: usize, quoted: &[Span]) -> Option<Confusable> {
    let mut open: Vec<(char, usize)> = Vec::new();
    for (at, c) in line.char_indices() {
        let place = (start + at) as u32;
        let is_quoted = within(quoted, place);
        if !is_quoted && (is_control(c) || is_mark(c)) {
            return Some(control(place, c));
        }
        match c {
            // A mark inside a text has no end, and does not reach far.
            _ if is_embedding(c) || is_isolate(c) => open.push((c, at)),
            '\u{202C}' if open.last().is_some_and(|&(last, _)| is_embedding(last)) => {
                open.pop();
            }
            '\u{2069}' => {
                if let Some(isolate) = open.iter().rposition(|&(last, _)| is_isolate(last)) {
                    open.truncate(isolate);
                }
            }
            _ => {}
        }
        if let Some(&(first, at)) = open.first()
            && (!is_quoted || ends_text(text, quoted, place, c))
            && !c.is_whitespace()
        {
            return Some(control((start + at) as u32, first));
        }
    }
    None
}

fn control(lo: u32, c: char) -> Confusable {
    let span = Span { lo, hi: lo + c.len_utf8() as u32 };
    let reads_as = format!("U+{:04X}", c as u32);
    Confusable { span, kind: ConfusableKind::Bidirectional, reads_as, is_definition: true }
}

/// True for the sign that ends a text, which is code: where it is shown elsewhere, so is the end of the text.
fn ends_text(text: &str, quoted: &[Span], at: u32, c: char) -> bool {
    let next = quoted.partition_point(|span| span.hi <= at);
    let is_last = |span: &&Span| span.hi == at + c.len_utf8() as u32;
    let Some(span) = quoted.get(next).filter(is_last).filter(|_| QUOTES.contains(&c)) else { return false };
    slice(text, *span).trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '#').starts_with(QUOTES)
}

/// What texts begin and end with.
const QUOTES: [char; 2] = ['"', '\''];

/// What lies in a text or a comment.
pub(super) fn within(quoted: &[Span], at: u32) -> bool {
    let next = quoted.partition_point(|span| span.hi <= at);
    quoted.get(next).is_some_and(|span| span.lo <= at)
}

#[cfg(test)]
mod tests {
    use super::super::lower;
    use crate::ir::ConfusableKind::{self, Bidirectional, Mixed, Normalised};
    use crate::ir::{Confusable, Lang};

    #[track_caller]
    fn check(lang: Lang, text: &str, expected: &[(&str, usize, ConfusableKind)]) {
        let facts = lower(text, lang);
        let shown = |it: &Confusable| {
            let line = text[..it.span.lo as usize].matches('\n').count() + 1;
            (super::slice(text, it.span), line, it.kind)
        };
        let found: Vec<_> = facts.confusables.iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_that_normalise_to_others_stand_at_their_definition() {
        check(Lang::Python, "ｅｖａｌ(x)\n", &[("ｅｖａｌ", 1, Normalised)]);
        check(Lang::Python, "ｆ()\ndef ｆ(): pass\n", &[("ｆ", 2, Normalised)]);
        check(
            Lang::Python,
            "import ｏｓ\nｏｓ.ｓystem(x)\n",
            &[("ｏｓ", 1, Normalised), ("ｓystem", 2, Normalised)],
        );
        check(Lang::Python, "f(ﬁle=1)\ndef g(ﬁle): pass\n", &[("ﬁle", 2, Normalised)]);
        // The sign of Kelvin.
        check(Lang::Rust, "fn f() { \u{212A}(); }", &[("\u{212A}", 1, Normalised)]);
        check(Lang::Rust, "fn ﬁ() {}", &[]);
    }

    #[test]
    fn accents_of_their_own_and_names_of_one_script_are_none() {
        check(Lang::Python, "cafe\u{301} = größe = naïve = 1\n", &[]);
        check(Lang::Python, "подключение = 東京タワー = 変数x = Ωμέγα = get_данные = x1_ж = 1\n", &[]);
        check(Lang::Python, "s = 'ｅｖａｌ раypal'  # ｅｖａｌ\n", &[]);
        check(Lang::Rust, "fn größe() { \"rеquests\"; /* rеquests */ }", &[]);
    }

    #[test]
    fn words_that_mix_scripts_are_noted() {
        check(Lang::Python, "def rеquests(): pass\n", &[("rеquests", 1, Mixed)]);
        check(Lang::Rust, "fn chеck_phase() {}\n", &[("chеck_phase", 1, Mixed)]);
    }

    #[test]
    fn controls_that_reach_code_are_noted() {
        let text = "if level != \"none\u{202E} \u{2066}\": # check\u{2069} \u{2066}\n    f()\n";
        check(Lang::Python, text, &[("\u{202E}", 1, Bidirectional)]);
        let text = "'''one\u{2067}\ntwo \u{2067}''' ;f()\n";
        check(Lang::Python, text, &[("\u{2067}", 2, Bidirectional)]);
        check(Lang::Rust, "/* \u{202E} } */ f!();\n", &[("\u{202E}", 1, Bidirectional)]);
        check(Lang::Rust, "fn f() {} \u{200F} fn g() {}\n", &[("\u{200F}", 1, Bidirectional)]);
    }

    #[test]
    fn controls_that_reach_the_end_of_their_text_are_noted() {
        check(
            Lang::Python,
            "level = \"user\u{202E}\"  # \u{2066} level\u{2069}\n",
            &[("\u{202E}", 1, Bidirectional)],
        );
        check(Lang::Rust, "fn f() -> &str {\n\"\u{2067}x\"\n}\n", &[("\u{2067}", 2, Bidirectional)]);
        check(Lang::Python, "f()  # say \"\u{202E}x\"\n", &[]);
    }

    #[test]
    fn controls_that_are_closed_or_end_with_their_line_are_none() {
        check(Lang::Python, "x = f('\u{2067}שלום\u{2069}', '\u{202B}a\u{202C}')\n", &[]);
        check(Lang::Python, "f()  # \u{202E} one\ng()\n", &[]);
        check(Lang::Python, "'''\n\u{202E}one\n'''\ng('\\u202e', '\u{200F}')\n", &[]);
        check(Lang::Rust, "f!(\"\u{2067}a\u{2069}\"); // \u{202E}\n", &[]);
    }
}
