//! One door to the file system: what a check depends on is known only if all that it reads is asked there. A kept verdict
//! would not notice a change of what was read elsewhere.

use std::collections::BTreeSet;

use syn::ItemMod;
use syn::visit::{self, Visit};

use super::{none, sources};

/// Where files are asked for reading.
const DOOR: &str = "source/disk";
/// Who writes, and who asks for what no verdict depends on.
const OTHERS: [(&str, &str); 6] = [
    ("adopt.rs", "writes a configuration"),
    ("cli/output.rs", "writes reports"),
    ("cli/watchdog.rs", "asks how much memory is used"),
    ("verdict/folder.rs", "keeps verdicts"),
    ("verdict/private.rs", "makes the folder of verdicts and asks whose it is"),
    ("session.rs", "reads plans line by line, which may come from a pipe"),
];
/// Methods of paths that ask the file system.
const METHODS: [&str; 13] = [
    "canonicalize",
    "canonicalize_utf8",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "metadata",
    "read_dir",
    "read_dir_utf8",
    "read_link",
    "read_link_utf8",
    "symlink_metadata",
    "try_exists",
];
/// What opens files or lists folders, by a part of its path.
const MODULES: [&str; 5] = ["fs", "fs_err", "ignore", "walkdir", "OpenOptions"];
/// The door itself, and what matches the lines of ignore files and opens none.
const FINE: [&str; 3] = ["disk", "Match", "gitignore"];

/// What a file asks outside its tests.
#[derive(Default)]
struct Asks(BTreeSet<String>);

impl<'ast> Visit<'ast> for Asks {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if call.args.is_empty() && METHODS.contains(&name.as_str()) {
            self.0.insert(format!(".{name}()"));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        let asks = |part: &&String| MODULES.contains(&part.as_str()) || METHODS.contains(&part.as_str());
        if parts.len() > 1 && !parts.iter().any(|part| FINE.contains(&part.as_str())) {
            self.0.extend(parts.iter().find(asks).cloned());
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut names = BTreeSet::new();
        super::Names(&mut names).visit_item_use(item);
        if !FINE.iter().any(|name| names.contains(*name)) {
            self.0
                .extend(MODULES.iter().filter(|name| names.contains(**name)).map(|name| (*name).to_owned()));
        }
    }
}

fn asks(text: &str) -> BTreeSet<String> {
    let mut asks = Asks::default();
    asks.visit_file(&syn::parse_file(text).unwrap());
    asks.0
}

#[test]
fn files_are_read_by_one_door() {
    let mut complaints = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test() && !source.name.starts_with(DOOR)) {
        let asks = asks(&source.text);
        let is_listed = OTHERS.iter().any(|(name, _)| source.name == *name);
        if !asks.is_empty() && !is_listed {
            complaints.push(format!("{} asks the file system: {asks:?}; ask `source::disk`", source.name));
        }
        if asks.is_empty() && is_listed {
            complaints.push(format!("{} asks for nothing any more; take it off the list", source.name));
        }
    }
    none(complaints);
}

#[test]
fn a_question_is_seen_in_every_form() {
    let is_seen = |text: &str| !asks(text).is_empty();
    for text in [
        "use std::fs;",
        "use std::{fs::{self, File}, io};",
        "fn f(a: &A) { std::fs::read(a); }",
        "fn f(a: &A) -> bool { a.root.join(B).is_file() }",
        "fn f(a: A) { a.into_iter().filter(Path::exists); }",
        "use walkdir::WalkDir;",
    ] {
        assert!(is_seen(text), "{text}");
    }
    for text in [
        "use ignore::gitignore::{Gitignore, GitignoreBuilder};",
        "use crate::source::disk::is_file;",
        "fn f(a: A) -> bool { disk::is_file(a) }",
        "#[cfg(test)] mod tests { use std::fs; }",
        "fn f(a: A) { a.exists(1); }",
    ] {
        assert!(!is_seen(text), "{text}");
    }
}
