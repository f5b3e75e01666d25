//! `primaryLocationLineHash`: a hash of the hundred visible characters that start at a line, computed exactly as the
//! uploader of code scanning does, which warns about any other. Alerts keep their identity when lines move.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::source::{Encoding, SourceFile};

const BLOCK: usize = 100;
const BASE: u64 = 37;
/// What the uploader puts at the end of a file.
const END: u16 = 65535;

/// The text as the uploader decodes it; None if that cannot be known from ours.
fn as_on_disk(file: &SourceFile) -> Option<Cow<'_, str>> {
    match file.encoding {
        _ if file.lossy => None,
        Encoding::Utf8 => Some(Cow::Borrowed(&file.text)),
        Encoding::Utf8Bom => Some(Cow::Owned(format!("\u{feff}{}", file.text))),
        Encoding::Utf16 | Encoding::Latin1 => None,
    }
}

/// The hashes of every line of a file.
pub struct LineHashes {
    lines: Vec<String>,
}

impl LineHashes {
    pub fn of_file(file: &SourceFile) -> Option<Self> {
        as_on_disk(file).map(|text| Self::new(&text))
    }

    fn new(text: &str) -> Self {
        let mut window = Window::default();
        let mut line_starts = true;
        let mut after_cr = false;
        for unit in text.encode_utf16().chain([END]) {
            let skipped = matches!(unit, 0x20 | 0x09) || (after_cr && unit == 0x0A);
            after_cr = unit == 0x0D;
            if skipped {
                continue;
            }
            let unit = if unit == 0x0D { 0x0A } else { unit };
            window.push(unit, line_starts);
            line_starts = unit == 0x0A;
        }
        for _ in 0..BLOCK {
            window.push(0, false);
        }
        Self { lines: window.lines }
    }

    /// Lines count from 1.
    pub fn of_line(&self, line: u32) -> Option<&str> {
        self.lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// The last hundred characters and their rolling hash. A line's hash is known once a hundred more have come.
struct Window {
    units: [u16; BLOCK],
    /// Whether a line starts at the character of that slot.
    starts: [bool; BLOCK],
    at: usize,
    hash: u64,
    /// `BASE` to the power `BLOCK`: the weight of the character that leaves.
    leaving: u64,
    seen: HashMap<u64, u32>,
    lines: Vec<String>,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            units: [0; BLOCK],
            starts: [false; BLOCK],
            at: 0,
            hash: 0,
            leaving: (0..BLOCK).fold(1, |power, _| BASE.wrapping_mul(power)),
            seen: HashMap::new(),
            lines: Vec::new(),
        }
    }
}

impl Window {
    fn push(&mut self, unit: u16, line_starts: bool) {
        if self.starts[self.at] {
            let count = self.seen.entry(self.hash).or_insert(0);
            *count += 1;
            self.lines.push(format!("{:x}:{count}", self.hash));
        }
        self.starts[self.at] = line_starts;
        let gone = u64::from(self.units[self.at]);
        self.units[self.at] = unit;
        self.hash = BASE
            .wrapping_mul(self.hash)
            .wrapping_add(u64::from(unit))
            .wrapping_sub(self.leaving.wrapping_mul(gone));
        self.at = (self.at + 1) % BLOCK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(LineHashes::new(text).lines, expected);
    }

    // The expected values are those of the uploader's own tests (github/codeql-action, MIT).
    #[test]
    fn the_hashes_are_those_of_the_uploader() {
        check("", &["c129715d7a2bc9a3:1"]);
        check(
            " a\nb\n  \t\tc\n d",
            &["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        );
        let greetings = [
            "e9496ae3ebfced30:1",
            "fb7c023a8b9ccb3f:1",
            "ce8ba1a563dcdaca:1",
            "e20e36e16fcb0cc8:1",
            "b3edc88f2938467e:1",
            "c8e28b0b4002a3a0:1",
            "c129715d7a2bc9a3:1",
        ];
        check(" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", &greetings);
        check(" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", &greetings);
        check(" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", &greetings);
        check(" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", &greetings);
    }

    #[test]
    fn equal_lines_are_numbered() {
        check(
            &"Lorem ipsum dolor sit amet.\n".repeat(10),
            &[
                "a7f2ff13bc495cf2:1",
                "a7f2ff13bc495cf2:2",
                "a7f2ff13bc495cf2:3",
                "a7f2ff13bc495cf2:4",
                "a7f2ff13bc495cf2:5",
                "a7f2ff13bc495cf2:6",
                "a7f2ff1481e87703:1",
                "a9cf91f7bbf1862b:1",
                "55ec222b86bcae53:1",
                "cc97dc7b1d7d8f7b:1",
                "c129715d7a2bc9a3:1",
            ],
        );
    }

    #[test]
    fn a_transcoded_file_has_no_hash() {
        let mut file = SourceFile::new("a.py", "x");
        assert!(as_on_disk(&file).is_some());
        file.encoding = Encoding::Latin1;
        assert!(as_on_disk(&file).is_none());
    }
}
