//! How deep a file may nest, found by one pass over its bytes before anybody parses it: syn recurses, and a stack that
//! overflows ends the process. The same pass finds the comments that speak to gatelint, which syn drops.

use crate::frontend::names::words_in;
use crate::ir::Span;

/// What a pass over a file finds.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// More than the levels that a parser can be in at once.
    pub deepest: usize,
    pub notes: Vec<Span>,
}

/// A parser recurses at brackets, and at most once for each sign or keyword between two separators (`!!x`, `a = b = c`,
/// `else if`, `a.b().c()`), so their number bounds it.
pub(super) fn survey(text: &str) -> Survey {
    survey_from(text, 0)
}

/// The same from a place on; what stands before it is no code.
pub(super) fn survey_from(text: &str, start: usize) -> Survey {
    let mut scanner =
        Scanner { bytes: text.as_bytes(), at: start, open: vec![0], total: 0, found: Survey::default() };
    while scanner.at < scanner.bytes.len() {
        scanner.token();
    }
    scanner.found
}

/// The names of a file that are not ASCII, and its texts and comments, in order; `None` for a file of ASCII alone.
pub(super) fn words(text: &str) -> Option<(Vec<Span>, Vec<Span>)> {
    if text.is_ascii() {
        return None;
    }
    let bytes = text.as_bytes();
    let mut scanner = Scanner { bytes, at: 0, open: vec![0], total: 0, found: Survey::default() };
    let (mut words, mut quoted) = (Vec::new(), Vec::new());
    while let Some(&first) = bytes.get(scanner.at) {
        let from = scanner.at;
        scanner.token();
        let token = &bytes[from..scanner.at.min(bytes.len())];
        let span = Span { lo: from as u32, hi: (from + token.len()) as u32 };
        let is_text = token.len() > 1 && matches!(first, b'"' | b'/' | b'\'') || token.contains(&b'"');
        if is_text {
            quoted.push(span);
        } else if is_word(first) && !token.is_ascii() {
            // Whatever is not ASCII is scanned as a word, spaces and signs among it.
            words.extend(words_in(text, span));
        }
    }
    Some((words, quoted))
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
    /// By open bracket, what was counted since the last separator.
    open: Vec<usize>,
    /// The sum of these.
    total: usize,
    found: Survey,
}

impl Scanner<'_> {
    fn token(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'/' if self.next_is(b'/') => self.comment(),
            b'/' if self.next_is(b'*') => self.block_comment(),
            b'"' => self.string(),
            b'\'' => self.quote(),
            b'(' | b'[' | b'{' => {
                self.count();
                self.open.push(0);
                self.at += 1;
            }
            b')' | b']' | b'}' => self.close(byte),
            b',' | b';' => {
                self.separate();
                self.at += 1;
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word(),
            b'0'..=b'9' => self.skip_while(is_word),
            _ if byte.is_ascii_whitespace() => self.at += 1,
            _ => {
                self.count();
                self.at += 1;
            }
        }
    }

    fn count(&mut self) {
        self.total += 1;
        self.found.deepest = self.found.deepest.max(self.total);
        if let Some(last) = self.open.last_mut() {
            *last += 1;
        }
    }

    /// A new expression, statement or item begins.
    fn separate(&mut self) {
        if let Some(last) = self.open.last_mut() {
            self.total -= std::mem::take(last);
        }
    }

    fn close(&mut self, byte: u8) {
        self.at += 1;
        if self.open.len() > 1 {
            self.separate();
            self.open.pop();
        }
        if byte == b'}' && self.begins_anew() {
            self.separate();
        }
    }

    /// What stands behind a block does not go on with it.
    fn begins_anew(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let rest = &rest[rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()..];
        let goes_on =
            |word: &[u8]| rest.starts_with(word) && !rest.get(word.len()).copied().is_some_and(is_word);
        match rest.first() {
            Some(&byte) => {
                matches!(byte, b'#' | b'"' | b'/') || (is_word(byte) && !goes_on(b"else") && !goes_on(b"as"))
            }
            None => true,
        }
    }

    /// Only keywords make a parser recurse, but to tell them apart would cost more than it saves.
    fn word(&mut self) {
        let from = self.at;
        self.skip_while(is_word);
        let word = &self.bytes[from..self.at];
        let raw =
            matches!(word, b"r" | b"br" | b"cr") && matches!(self.bytes.get(self.at), Some(b'"' | b'#'));
        if raw && self.raw_string() {
            return;
        }
        if word.len() <= 7 && word.iter().all(u8::is_ascii_lowercase) {
            self.count();
        }
    }

    /// False if it is a raw name (`r#type`).
    fn raw_string(&mut self) -> bool {
        let hashes = self.bytes[self.at..].iter().take_while(|&&byte| byte == b'#').count();
        if self.bytes.get(self.at + hashes) != Some(&b'"') {
            return false;
        }
        self.at += hashes + 1;
        while self.at < self.bytes.len() {
            let is_quote = self.bytes[self.at] == b'"';
            self.at += 1;
            let closing = self.bytes[self.at..].iter().take(hashes).take_while(|&&byte| byte == b'#').count();
            if is_quote && closing == hashes {
                self.at += hashes;
                break;
            }
        }
        true
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1 + usize::from(byte == b'\\');
            if byte == b'"' {
                break;
            }
        }
    }

    /// A character, or a lifetime, which nothing closes.
    fn quote(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let len = match rest.first() {
            Some(b'\\') => rest.iter().skip(2).position(|&byte| byte == b'\'').map(|at| at + 3),
            Some(_) => {
                let char = 1 + rest.iter().skip(1).take_while(|&&byte| byte & 0xC0 == 0x80).count();
                (rest.get(char) == Some(&b'\'')).then_some(char + 1)
            }
            None => None,
        };
        self.at += 1 + len.unwrap_or(0);
        if len.is_none() {
            self.count();
            self.skip_while(is_word);
        }
    }

    fn comment(&mut self) {
        let from = self.at;
        self.skip_while(|byte| byte != b'\n');
        self.note(from);
    }

    fn block_comment(&mut self) {
        let from = self.at;
        let mut open = 0usize;
        while self.at < self.bytes.len() {
            match &self.bytes[self.at..] {
                [b'/', b'*', ..] => (open, self.at) = (open + 1, self.at + 2),
                [b'*', b'/', ..] => (open, self.at) = (open - 1, self.at + 2),
                _ => self.at += 1,
            }
            if open == 0 {
                break;
            }
        }
        self.note(from);
    }

    fn note(&mut self, from: usize) {
        let text = &self.bytes[from..self.at.min(self.bytes.len())];
        if !is_documentation(text) && text.windows(9).any(|word| word == b"gatelint:") {
            let hi = from + text.trim_ascii_end().len();
            self.found.notes.push(Span { lo: from as u32, hi: hi as u32 });
        }
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at + 1) == Some(&byte)
    }

    fn skip_while(&mut self, fits: impl Fn(u8) -> bool) {
        self.at += self.bytes[self.at..].iter().take_while(|&&byte| fits(byte)).count();
    }
}

/// Documentation speaks to readers, also where it mentions a waiver.
fn is_documentation(comment: &[u8]) -> bool {
    let is_rule =
        comment.starts_with(b"////") || comment.starts_with(b"/***") || comment.starts_with(b"/**/");
    !is_rule && [b"//!", b"///", b"/*!", b"/**"].iter().any(|sign| comment.starts_with(*sign))
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_do_not_nest() {
        for text in [
            "\"((((((((\"",
            "r#\"((((\"((((\"#",
            "b\"((((((\\\"((\"",
            "// ((((((((((\n",
            "/* (((( /* ((((( */ ((( */",
            "'('; '\\''; 'é'; '(';",
        ] {
            assert!(survey(text).deepest <= 4, "{text}: {}", survey(text).deepest);
        }
    }

    #[test]
    fn separators_end_what_was_counted() {
        let items = "fn f() { a.b(c)?; }\n".repeat(1_000);
        assert!(survey(&items).deepest < 12, "{}", survey(&items).deepest);
        let arms = format!("match x {{ {} }}", "A => { b() } C::D(e) => f, ".repeat(1_000));
        assert!(survey(&arms).deepest < 20);
    }

    #[test]
    fn what_recurses_is_counted() {
        for unit in [
            "(",
            "!",
            "&",
            "-",
            ".a()",
            "a = ",
            "return ",
            "else if a {} ",
            "A<",
            "|| ",
            "a::",
            "+ 1",
            "?",
            "[0]",
        ] {
            assert!(survey(&unit.repeat(1_000)).deepest >= 1_000, "{unit}");
        }
    }

    #[test]
    fn notes_are_found() {
        let text =
            "f(); // gatelint: allow[GL101] reason=\"x\"  \n/* gatelint: y */ // other\n\"// gatelint:\"";
        let notes = survey(text).notes;
        let texts: Vec<_> = notes.iter().map(|span| &text[span.lo as usize..span.hi as usize]).collect();
        assert_eq!(texts, ["// gatelint: allow[GL101] reason=\"x\"", "/* gatelint: y */"]);
    }
}
