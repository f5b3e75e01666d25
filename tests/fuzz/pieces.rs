//! Pieces of programs: every example of every rule and every project under `fixtures/`, cut into the statements at the top
//! of its files, with the names that each binds. What the statements mean is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use gatelint::harness;
use gatelint::rule::Rule;

pub type Files = BTreeMap<Utf8PathBuf, String>;

/// An example of a rule, or a project under `fixtures/`.
#[derive(Debug)]
pub struct Example {
    pub is_rust: bool,
    /// In the order of the files and of their lines.
    pub pieces: Vec<Piece>,
    /// What functions set to the result of a call, as constants of a file.
    pub constants: Vec<Piece>,
    /// What is no source: configuration, manifests, documents.
    pub others: Files,
}

/// A statement at the top of a file.
#[derive(Debug)]
pub struct Piece {
    /// The file that it stands in.
    pub home: Utf8PathBuf,
    pub text: String,
    /// The names that it binds.
    pub binds: BTreeSet<String>,
    /// It binds what others define.
    pub is_import: bool,
}

/// All of them, in the same order each time.
pub fn examples(rules: &[Arc<Rule>]) -> Vec<Arc<Example>> {
    let of_rule = |rule: &Arc<Rule>| {
        let files = rule.examples.iter().map(|example| harness::expected(rule, example).files);
        files.collect::<Vec<_>>()
    };
    let all = rules.iter().flat_map(of_rule).chain(fixtures());
    all.map(example).filter(|example| !example.pieces.is_empty()).map(Arc::new).collect()
}

fn fixtures() -> Vec<Files> {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut projects: BTreeMap<Utf8PathBuf, Files> = BTreeMap::new();
    for file in walkdir::WalkDir::new(&root).into_iter().flatten().filter(|file| file.file_type().is_file()) {
        let Some(path) = Utf8Path::from_path(file.path()) else { continue };
        let Ok(below) = path.strip_prefix(&root) else { continue };
        let project = below.iter().next().unwrap_or_default();
        let (Ok(text), Ok(name)) = (std::fs::read_to_string(path), below.strip_prefix(project)) else {
            continue;
        };
        projects.entry(project.into()).or_default().insert(name.to_owned(), text);
    }
    projects.into_values().collect()
}

fn example(files: Files) -> Example {
    let (sources, others): (Files, Files) = files
        .into_iter()
        .filter(|(path, _)| !path.starts_with("merge-base"))
        .partition(|(path, _)| matches!(path.extension(), Some("py" | "rs")));
    let is_rust = sources.keys().any(|path| path.extension() == Some("rs"));
    let pieces = sources.iter().flat_map(|(path, text)| pieces(path, text)).collect();
    let lines = sources.iter().flat_map(|(path, text)| text.lines().map(move |line| (path, line)));
    let constants = lines.filter(|_| !is_rust).filter_map(|(path, line)| constant(path, line)).collect();
    Example { is_rust, pieces, constants, others }
}

/// `url = os.getenv("URL")` anywhere, on a line of its own.
fn constant(home: &Utf8Path, line: &str) -> Option<Piece> {
    let (name, value) = line.trim().split_once(" = ")?;
    let is_name = words(name).next() == Some(name);
    let (callee, rest) = value.split_once('(')?;
    let is_call = callee.contains('.') && callee.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
    let is_whole = rest.matches(')').count() == rest.matches('(').count() + 1;
    let text = format!("{name} = {value}\n");
    (is_name && is_call && is_whole).then(|| piece(home, text))
}

impl Example {
    /// The imports of a file that bind what a text uses.
    pub fn imports_for<'e>(&'e self, home: &Utf8Path, text: &str) -> Vec<&'e Piece> {
        let used: BTreeSet<&str> = words(text).collect();
        let of_home = self.pieces.iter().filter(|piece| piece.is_import && piece.home == home);
        of_home.filter(|piece| piece.binds.iter().any(|name| used.contains(name.as_str()))).collect()
    }
}

/// A statement begins at the left margin, unless the line closes or continues what stands before it.
fn pieces<'t>(home: &'t Utf8Path, text: &'t str) -> impl Iterator<Item = Piece> + 't {
    const CONTINUES: [&str; 8] = [")", "]", "}", "else", "elif", "except", "finally", "where"];
    let mut texts: Vec<String> = Vec::new();
    let (mut is_in_text, mut is_before_head) = (false, false);
    for line in text.lines() {
        let begins = !is_in_text
            && !is_before_head
            && line.starts_with(|c: char| !c.is_whitespace())
            && !CONTINUES.iter().any(|word| line.starts_with(word));
        match texts.last_mut().filter(|_| !begins) {
            Some(last) => *last += &format!("{line}\n"),
            None => texts.push(format!("{line}\n")),
        }
        is_in_text ^= line.matches("\"\"\"").count() % 2 == 1;
        // Decorators, attributes and comments belong to what follows.
        is_before_head =
            line.starts_with(['@', '#']) || line.starts_with("//") || is_before_head && line.starts_with(' ');
    }
    texts.into_iter().map(|text| piece(home, text))
}

fn piece(home: &Utf8Path, text: String) -> Piece {
    let head = text.lines().find(|line| !line.starts_with(['@', '#']) && !line.starts_with("//"));
    let head = head.unwrap_or_default();
    let is_import = ["import ", "from ", "use ", "pub use "].iter().any(|word| head.starts_with(word));
    let binds = if is_import { imported(&text) } else { defined(head).into_iter().collect() };
    Piece { home: home.to_owned(), text, binds, is_import }
}

/// Every word at the end of a path or behind `as`: some that are none do no harm.
fn imported(text: &str) -> BTreeSet<String> {
    let list = text.rsplit_once(" import ").map_or(text, |(_, names)| names);
    let list = list.trim_start_matches("import ").split([',', '{', '}', ';', '(', ')', '\n']);
    let last = list.filter_map(|item| words(item).last().map(str::to_owned));
    last.filter(|word| !matches!(word.as_str(), "use" | "pub" | "self" | "import")).collect()
}

/// The name of a function, a class, a type or a constant.
fn defined(head: &str) -> Option<String> {
    const HEADS: [&str; 14] = [
        "pub", "crate", "async", "def", "class", "fn", "struct", "enum", "trait", "const", "static", "mut",
        "type", "unsafe",
    ];
    let name = words(head).find(|word| !HEADS.contains(word))?;
    let is_head = words(head).next() != Some(name);
    let rest = &head[head.find(name)? + name.len()..];
    let is_set = rest.starts_with(" = ") || rest.starts_with(": ");
    (is_head || is_set).then(|| name.to_owned())
}

/// The names in a text, keywords included.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}
