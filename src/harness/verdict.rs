//! What must be reported against what was: the outcomes by name, and a message that shows the lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use camino::Utf8PathBuf;

use super::run::Reported;

/// One rule at one line of one file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    pub path: Utf8PathBuf,
    /// From 1.
    pub line: u32,
    pub rule: String,
}

/// Code and the places in it that must report.
#[derive(Debug, Default)]
pub struct Expected {
    pub files: BTreeMap<Utf8PathBuf, String>,
    pub errors: BTreeSet<Mark>,
    /// Known misses: they must stay silent, so that one that is found is not forgotten.
    pub misses: BTreeSet<Mark>,
    /// Marks and texts that cannot be understood.
    pub unreadable: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    AsExpected,
    /// A line that must report is silent.
    Missing,
    /// A line reports that must be silent.
    Noisy,
    /// Both: usually the right finding at another line.
    Wrong,
    /// A known miss is found: its mark becomes `# error`.
    Closed,
    /// The example itself is no example.
    Unreadable,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::AsExpected => "as expected",
            Verdict::Missing => "missing",
            Verdict::Noisy => "noisy",
            Verdict::Wrong => "wrong",
            Verdict::Closed => "closed",
            Verdict::Unreadable => "unreadable",
        }
    }
}

#[derive(Debug)]
pub struct Comparison {
    expected: Expected,
    /// What to say at a line; empty if all is as it should be.
    notes: BTreeMap<(Utf8PathBuf, u32), Vec<String>>,
    pub verdict: Verdict,
}

pub fn compare(expected: Expected, reported: &Reported) -> Comparison {
    let mut notes: BTreeMap<_, Vec<String>> = BTreeMap::new();
    let mut note = |mark: &Mark, text: String| {
        notes.entry((mark.path.clone(), mark.line)).or_default().push(text);
    };
    let (mut missing, mut noisy, mut closed) = (false, false, false);
    for mark in expected.errors.iter().filter(|mark| !reported.contains_key(mark)) {
        missing = true;
        note(mark, format!("missing: {} must report here and is silent", mark.rule));
    }
    for (mark, messages) in reported {
        let message = messages.join("; ");
        if expected.misses.contains(mark) {
            closed = true;
            note(mark, format!("closed: {} finds this now, so mark it `# error`: {message}", mark.rule));
        } else if !expected.errors.contains(mark) {
            noisy = true;
            note(mark, format!("noisy: {} reports here: {message}", mark.rule));
        } else if messages.iter().collect::<BTreeSet<_>>().len() < messages.len() {
            noisy = true;
            note(mark, format!("noisy: {} says the same twice: {message}", mark.rule));
        }
    }
    let verdict = match (missing, noisy, closed) {
        _ if !expected.unreadable.is_empty() => Verdict::Unreadable,
        (true, true, _) => Verdict::Wrong,
        (true, false, _) => Verdict::Missing,
        (false, true, _) => Verdict::Noisy,
        (false, false, true) => Verdict::Closed,
        (false, false, false) => Verdict::AsExpected,
    };
    Comparison { expected, notes, verdict }
}

/// Lines of code around a note; an example is shorter than that, a project's file is not.
const CONTEXT: u32 = 8;

impl Comparison {
    pub fn known_misses(&self) -> usize {
        self.expected.misses.len()
    }

    /// The verdict and what it rests on; None if all is as it should be.
    pub fn complaint(&self) -> Option<String> {
        self.details().map(|details| format!("{}\n{details}", self.verdict.name()))
    }

    /// The code with a note at each line that came out otherwise; None if there is none.
    pub fn details(&self) -> Option<String> {
        if self.verdict == Verdict::AsExpected {
            return None;
        }
        let mut text = String::new();
        for problem in &self.expected.unreadable {
            text += &format!("  {problem}\n");
        }
        for (path, code) in &self.expected.files {
            if self.notes.keys().any(|(noted, _)| noted == path) || self.expected.files.len() <= 4 {
                self.show(path, code, &mut text);
            }
        }
        Some(text)
    }

    fn show(&self, path: &Utf8PathBuf, code: &str, text: &mut String) {
        let lines: BTreeSet<u32> =
            self.notes.keys().filter(|(noted, _)| noted == path).map(|&(_, line)| line).collect();
        let near = |line: u32| lines.iter().any(|&noted| noted.abs_diff(line) <= CONTEXT);
        let _ = writeln!(text, "\n  {path}");
        for (line, code) in (1..).zip(code.lines()) {
            if near(line) || self.expected.files.len() <= 4 {
                let sign = if lines.contains(&line) { '>' } else { ' ' };
                let _ = writeln!(text, "{sign} {line:4} | {code}");
            }
            for note in self.notes.get(&(path.clone(), line)).into_iter().flatten() {
                let _ = writeln!(text, "       | ^ {note}");
            }
        }
    }
}
