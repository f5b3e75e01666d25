//! The layers and habits of `src/`, read from the code itself: what ARCHITECTURE.md promises and no compiler
//! checks. A new module is listed here, in its layer, or the test fails.

mod budgets;
mod cycles;
mod doors;
mod languages;
mod lines;
mod lists;
mod walkers;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, Macro, UseTree};
use walkdir::WalkDir;

/// From bottom to top. A module may use its own layer and those below.
const LAYERS: &[&[&str]] = &[
    &["ir", "confidence", "limits", "parallel"],
    &["source"],
    &["frontend", "record"],
    &["catalog"],
    &["config", "spanned"],
    &["link"],
    &["analysis"],
    &["rule", "finding", "inventory", "mutation", "ordering", "scenarios", "waiver", "baseline"],
    &["suppress"],
    &["report", "explain", "exit", "timings"],
    &["cli"],
    // Where the steps meet.
    &["engine", "debug", "harness", "merge_base", "verdict"],
    &[
        "adopt",
        "check",
        "checklist",
        "commands",
        "declarations",
        "explaining",
        "lib",
        "main",
        "mutate",
        "session",
        "suite",
    ],
];

/// What readers of a higher layer expect there, but which lives below: naming it is using the module below.
const REEXPORTS: &[(&[&str], &str)] = &[(&["finding", "Confidence"], "confidence")];

const MAX_LINES: usize = 400;
const MAY_PRINT: [&str; 3] = ["report", "cli", "main"];
const PRINTS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
/// A linter that starts nothing and calls nobody. Nothing in the tree may name these.
const FORBIDDEN: [&[&str]; 2] = [&["std", "process", "Command"], &["std", "net"]];

/// What a thread waits at until another one is done with it.
const LOCKS: [&str; 5] = ["Mutex", "RwLock", "Condvar", "Once", "Barrier"];
/// Modules that hold one. None of them does parallel work: a thread that waits for parallel work takes up other tasks
/// meanwhile, and one that asks for the same lock waits for itself.
const MAY_LOCK: &[&str] = &[
    "analysis/values.rs",
    "cli/progress.rs",
    "harness/summary.rs",
    "link/externals.rs",
    "limits.rs",
    "link/memo.rs",
    "link/tables.rs",
    "source/disk.rs",
    "source/texts.rs",
];
/// What one module alone names; the others use what that one offers, which knows when waiting would be for oneself.
const ONLY_IN: [(&str, &str); 4] = [
    ("rayon", "parallel.rs"),
    ("OnceLock", "parallel/lazy.rs"),
    ("LazyLock", "parallel/lazy.rs"),
    ("once_cell", "parallel/lazy.rs"),
];

/// The module body of a file that is lowered alone. Once files are joined it is asked for: `facts.module()`.
const OF_ONE_FILE: &str = "MODULE";
const MAY_READ_ONE_FILE: [&str; 3] = ["ir", "frontend", "analysis/gating/tests"];

struct Source {
    /// `report/human/card.rs`.
    name: String,
    /// `["report", "human", "card"]`; empty for `lib.rs`.
    module: Vec<String>,
    text: String,
}

impl Source {
    /// The top-level module it belongs to.
    fn top(&self) -> &str {
        self.module.first().map_or("lib", String::as_str)
    }

    /// A file of tests only.
    fn is_test(&self) -> bool {
        self.module.iter().any(|part| matches!(part.as_str(), "tests" | "testing" | "properties"))
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = WalkDir::new(&root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"));
    files.map(|entry| source(&root, entry.path())).collect()
}

fn source(root: &Path, path: &Path) -> Source {
    let name: PathBuf = path.strip_prefix(root).unwrap().to_owned();
    let module = name.with_extension("");
    let mut module: Vec<_> = module.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if module == ["lib"] {
        module.clear();
    }
    Source { name: name.to_str().unwrap().to_owned(), module, text: fs::read_to_string(path).unwrap() }
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

#[track_caller]
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let unlisted = sources().into_iter().filter(|source| layer(source.top()).is_none());
    none(unlisted.map(|source| format!("{} is in no layer; list `{}`", source.name, source.top())).collect());
}

#[test]
fn dependencies_point_down() {
    let mut complaints = Vec::new();
    for source in sources() {
        let Some(own) = layer(source.top()) else { continue };
        for path in paths(&source) {
            let reexported = REEXPORTS.iter().find(|(name, _)| path == *name).map(|(_, module)| *module);
            let module = reexported.or(path.first().map(String::as_str));
            let above = module.and_then(layer).filter(|used| *used > own);
            if above.is_some() {
                complaints.push(format!(
                    "{} uses `crate::{}`, which is above it",
                    source.name,
                    path.join("::")
                ));
            }
        }
    }
    none(complaints);
}

#[test]
fn every_file_says_what_it_owns_and_stays_short() {
    let mut complaints = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        if !source.text.starts_with("//! ") {
            complaints.push(format!("{} does not begin with `//!`", source.name));
        }
        if lines > MAX_LINES {
            complaints
                .push(format!("{} has {lines} lines, more than {MAX_LINES}; split it by noun", source.name));
        }
        if source.name.ends_with("mod.rs") {
            complaints.push(format!("{} should be named after its folder", source.name));
        }
    }
    none(complaints);
}

#[test]
fn only_reports_print() {
    let mut complaints = Vec::new();
    for source in sources().iter().filter(|source| !MAY_PRINT.contains(&source.top())) {
        let prints = read(source).macros;
        let prints = prints.into_iter().filter(|name| PRINTS.contains(&name.as_str()));
        complaints.extend(prints.map(|name| format!("{} calls `{name}!`", source.name)));
    }
    none(complaints);
}

#[test]
fn nothing_is_started_and_nobody_is_called() {
    let mut complaints = Vec::new();
    for source in sources() {
        for path in read(&source).paths {
            if FORBIDDEN.iter().any(|forbidden| {
                path.iter().map(String::as_str).take(forbidden.len()).eq(forbidden.iter().copied())
            }) {
                complaints.push(format!("{} names `{}`", source.name, path.join("::")));
            }
        }
    }
    none(complaints);
}

#[test]
fn no_lock_is_held_over_parallel_work() {
    let mut complaints = Vec::new();
    for source in sources() {
        let waits = waits(&source.text);
        let may_lock = MAY_LOCK.contains(&source.name.as_str());
        if waits.locks && !may_lock {
            complaints
                .push(format!("{} holds a lock; list it if nothing parallel runs under it", source.name));
        }
        if waits.locks && waits.is_parallel {
            complaints.push(format!("{} holds a lock and does parallel work; split it", source.name));
        }
        if may_lock && !waits.locks {
            complaints.push(format!("{} holds no lock any more; take it off the list", source.name));
        }
    }
    none(complaints);
}

#[test]
fn parallel_work_and_lazy_values_have_one_module() {
    let mut complaints = Vec::new();
    for source in sources() {
        let named = waits(&source.text).names;
        let elsewhere = |&&(name, module): &&(&str, &str)| source.name != module && named.contains(name);
        complaints.extend(
            ONLY_IN
                .iter()
                .filter(elsewhere)
                .map(|(name, module)| format!("{} names `{name}`; only {module} may", source.name)),
        );
    }
    none(complaints);
}

#[test]
fn joined_files_have_no_ids_of_their_own() {
    let may = |source: &Source| MAY_READ_ONE_FILE.iter().any(|place| source.name.starts_with(place));
    let named = sources()
        .into_iter()
        .filter(|source| !may(source) && waits(&source.text).names.contains(OF_ONE_FILE));
    none(
        named
            .map(|source| format!("{} names `{OF_ONE_FILE}`; ask for `facts.module()`", source.name))
            .collect(),
    );
}

#[test]
fn a_lock_and_parallel_work_are_seen_in_every_form() {
    let seen = |text: &str| {
        let Waits { locks, is_parallel, names } = waits(text);
        let is_elsewhere = ONLY_IN.iter().any(|(name, _)| names.contains(*name));
        (locks, is_parallel, is_elsewhere)
    };
    assert_eq!(seen("struct A { a: std::sync::OnceLock<u8> }"), (false, false, true));
    assert_eq!(seen("use std::{fs, sync::{Arc, Mutex}};"), (true, false, false));
    assert_eq!(seen("fn f() { static A: LazyLock<u8> = LazyLock::new(g); }"), (false, false, true));
    assert_eq!(seen("fn f(a: A) { parallel::map(a, g); }"), (false, true, false));
    assert_eq!(seen("use crate::parallel::join as both;"), (false, true, false));
    assert_eq!(seen("use crate::{ir, parallel::{Lazy, Pool}};"), (false, true, false));
    assert_eq!(seen("use crate::parallel::Lazy;"), (false, false, false));
    assert_eq!(seen("use rayon::join as both;"), (false, false, true));
    assert_eq!(seen("#[cfg(test)] mod tests { use std::sync::Mutex; }"), (false, false, false));
    assert_eq!(seen("#[cfg(test)] mod tests { use rayon::prelude::*; }"), (false, false, true));
}

/// What a file waits at, outside its tests.
#[derive(Default)]
struct Waits {
    locks: bool,
    is_parallel: bool,
    /// All that it names, with its tests.
    names: BTreeSet<String>,
}

fn waits(text: &str) -> Waits {
    let mut waits = Waits::default();
    let file = syn::parse_file(text).unwrap();
    Names(&mut waits.names).visit_file(&file);
    waits.visit_file(&file);
    waits
}

/// Every identifier.
struct Names<'n>(&'n mut BTreeSet<String>);

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.0.insert(ident.to_string());
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        let tokens = item.tokens.to_string();
        let is_part = |c: char| !c.is_alphanumeric() && c != '_';
        self.0.extend(tokens.split(is_part).filter(|part| !part.is_empty()).map(str::to_owned));
        visit::visit_macro(self, item);
    }
}

/// What the module of parallel work offers.
const OPERATIONS: [&str; 5] = ["join", "map", "map_each", "flat_map", "Pool"];

impl<'ast> Visit<'ast> for Waits {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.is_parallel |= names.windows(2).any(|pair| is_operation(&pair[0], &pair[1]));
        visit::visit_path(self, path);
    }

    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        let mut used = BTreeSet::new();
        Names(&mut used).visit_use_tree(&path.tree);
        self.is_parallel |= used.iter().any(|name| is_operation(&path.ident.to_string(), name));
        visit::visit_use_path(self, path);
    }

    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.locks |= LOCKS.contains(&ident.to_string().as_str());
    }
}

fn is_operation(module: &str, name: &str) -> bool {
    module == "parallel" && OPERATIONS.contains(&name)
}

/// Paths into this crate, without `crate`, as seen from the crate root.
fn paths(source: &Source) -> Vec<Vec<String>> {
    read(source).inside
}

fn read(source: &Source) -> Reader {
    let mut reader = Reader { module: source.module.clone(), ..Reader::default() };
    let file = syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.name));
    reader.visit_file(&file);
    reader
}

#[derive(Default)]
struct Reader {
    /// Where it is: the file's module, and modules inside the file.
    module: Vec<String>,
    paths: Vec<Vec<String>>,
    inside: Vec<Vec<String>>,
    macros: Vec<String>,
}

impl Reader {
    fn path(&mut self, path: Vec<String>) {
        let climbs = path.iter().take_while(|part| *part == "super").count();
        let rest = path[climbs..].to_vec();
        match path.first().map(String::as_str) {
            Some("crate") => self.inside.push(path[1..].to_vec()),
            Some("super") => {
                let kept = self.module.len().saturating_sub(climbs);
                self.inside.push(self.module[..kept].iter().cloned().chain(rest).collect());
            }
            // In the root file, modules are named without `crate`.
            Some(_) if self.module.is_empty() => self.inside.push(path.clone()),
            _ => {}
        }
        self.paths.push(path);
    }

    fn tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) => self.path(with(name.ident.to_string())),
            UseTree::Rename(rename) => self.path(with(rename.ident.to_string())),
            UseTree::Glob(_) => self.path(before.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.macros.extend(item.path.segments.last().map(|segment| segment.ident.to_string()));
        // What is inside another macro is tokens only.
        let tokens = item.tokens.to_string();
        let nested = PRINTS.iter().filter(|name| tokens.contains(&format!("{name} !")));
        self.macros.extend(nested.map(|name| (*name).to_owned()));
        visit::visit_macro(self, item);
    }
}

#[test]
fn the_reader_sees_through_every_form() {
    let text = "//! x\nuse super::cli; use crate::{report::x, rule}; mod tests { use super::super::link; fn f() { crate::analysis::g(); vec![println!()]; } }";
    let source = Source { name: "ir.rs".into(), module: vec!["ir".into()], text: text.into() };
    let reader = read(&source);
    let tops: Vec<_> = reader.inside.iter().map(|path| path[0].as_str()).collect();
    assert_eq!(tops, ["cli", "report", "rule", "link", "analysis"]);
    assert!(reader.macros.contains(&"println".to_owned()));
}
