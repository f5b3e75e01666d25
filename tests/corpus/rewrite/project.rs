//! The files of an example or a fixture, lowered once for all rewrites.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use gatelint::config::Layers;
use gatelint::harness::Expected;

use super::code::{Code, Edits};

pub type Files = BTreeMap<Utf8PathBuf, String>;

/// At which call of a chain the rules at hand report, so where a mark goes if a rewrite makes the chain longer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Where the path begins.
    Start,
    /// Where the effect is.
    End,
    /// In a function that others than the project call, a handler or a tool: where the path begins. In any other: where the
    /// effect is, unless the rule looks at what a function hands back itself.
    Boundary { is_handed_back: bool },
    /// Several rules at once.
    Mixed,
}

pub struct Project {
    pub codes: BTreeMap<Utf8PathBuf, Code>,
    /// Configuration and the like.
    others: Files,
    pub layers: Layers,
    pub marks: Marks,
    /// Lines that must report, and known misses.
    errors: BTreeSet<(Utf8PathBuf, u32)>,
    misses: BTreeSet<(Utf8PathBuf, u32)>,
}

impl Project {
    /// None if a file was not fully understood, or is of a language that the rewrites do not speak.
    pub fn new(expected: &Expected, layers: Layers, marks: Marks) -> Option<Self> {
        if expected.files.keys().any(|path| path.extension() == Some("rs")) {
            return None;
        }
        let is_code = |path: &Utf8Path| path.extension() == Some("py");
        let (mut codes, mut others) = (BTreeMap::new(), Files::new());
        for (path, text) in &expected.files {
            match is_code(path) {
                true => drop(codes.insert(path.clone(), Code::read(text)?)),
                false => drop(others.insert(path.clone(), text.clone())),
            }
        }
        let places = |marks: &BTreeSet<gatelint::harness::Mark>| {
            marks.iter().map(|mark| (mark.path.clone(), mark.line)).collect()
        };
        let (errors, misses) = (places(&expected.errors), places(&expected.misses));
        Some(Self { codes, others, layers, marks, errors, misses })
    }

    pub fn files(&self) -> Files {
        let texts = self.codes.iter().map(|(path, code)| (path.clone(), code.text.clone()));
        texts.chain(self.others.clone()).collect()
    }

    /// Edits each file on its own; None if that changes nothing.
    pub fn edit(&self, edits: impl Fn(&Utf8Path, &Code) -> Edits) -> Option<Files> {
        let mut files = self.files();
        let mut changed = false;
        for (path, code) in &self.codes {
            let edits = edits(path, code);
            changed |= !edits.is_empty();
            files.insert(path.clone(), edits.apply(&code.text));
        }
        changed.then_some(files)
    }

    /// A new file beside `path`, in the same layers, and how `path` imports it; None if a layer would differ.
    pub fn beside(&self, path: &Utf8Path, module: &str, file: &str) -> Option<(Utf8PathBuf, String)> {
        let folder = path.parent().unwrap_or(Utf8Path::new(""));
        let new = folder.join(file);
        let import = if folder == "" { module.to_owned() } else { format!(".{module}") };
        (self.layers.of(path) == self.layers.of(&new)).then_some((new, import))
    }

    /// The mark that the lines from `lo` on, before `hi`, carry.
    pub fn mark(&self, path: &Utf8Path, code: &Code, lo: u32, hi: u32) -> &'static str {
        let line = |at: u32| code.text[..at as usize].matches('\n').count() as u32 + 1;
        let lines = line(lo)..line(hi);
        let holds = |marks: &BTreeSet<(Utf8PathBuf, u32)>| {
            lines.clone().any(|line| marks.contains(&(path.to_owned(), line)))
        };
        match (holds(&self.errors), holds(&self.misses)) {
            (true, _) => "  # error",
            (_, true) => "  # todo-error",
            _ => "",
        }
    }
}

/// Code without the marks at the ends of its lines.
pub fn unmarked(text: &str) -> String {
    let bare = |line: &str| match ["# error", "# todo-error"].iter().find(|mark| line.ends_with(*mark)) {
        Some(mark) => line.trim_end_matches(mark).trim_end().to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(|line| bare(line) + "\n").collect()
}
