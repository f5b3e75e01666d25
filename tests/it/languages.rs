//! One list of languages: whatever tells users, or other tools, which files gatelint reads says what that list says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gatelint::ir::Lang;
use gatelint::source::{LANGUAGES, file_type};
use yaml_rust2::YamlLoader;

use crate::support::Project;

/// What else a run reads: the configuration and the baseline, prompts and declarations.
const OTHER_TYPES: [&str; 4] = ["toml", "json", "markdown", "plain-text"];

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// `Python and Rust`.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let (last, first) = names.split_last().expect("gatelint reads something");
    if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) }
}

fn titles() -> String {
    listed(LANGUAGES.iter().map(|known| known.lang.profile().title.to_owned()))
}

#[test]
fn every_language_has_files_and_a_folder_of_the_catalogue() {
    for lang in Lang::ALL {
        assert_eq!(file_type(lang).lang, lang, "{}", lang.name());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/catalog").join(lang.name());
        assert!(folder.is_dir(), "{}", folder.display());
    }
    assert_eq!(LANGUAGES.len(), Lang::ALL.len());
}

#[test]
fn hooks_run_for_every_language() {
    let hooks = YamlLoader::load_from_str(&text(".pre-commit-hooks.yaml")).unwrap().remove(0);
    let expected: BTreeSet<&str> = Lang::ALL.iter().map(|lang| lang.name()).chain(OTHER_TYPES).collect();
    for hook in hooks.as_vec().unwrap() {
        let types = hook["types_or"].as_vec().unwrap().iter().map(|ty| ty.as_str().unwrap());
        assert_eq!(types.collect::<BTreeSet<_>>(), expected, "{:?}", hook["id"]);
    }
}

#[test]
fn the_documents_name_every_language() {
    let sentence = format!("gatelint reads {}.", titles());
    assert!(text("README.md").contains(&sentence), "the README says: {sentence}");
    let page = text("docs/languages.md");
    let extensions = LANGUAGES.iter().flat_map(|known| known.extensions).map(|name| format!("`.{name}`"));
    let scripts = titles().replace(" and ", " or ");
    let scanned = format!("{} files, and scripts whose first line runs {scripts},", listed(extensions));
    assert!(page.contains(&scanned), "docs/languages.md says: {scanned}");
    for known in LANGUAGES {
        let section = format!("\n## What gatelint follows in {}\n", known.lang.profile().title);
        assert!(page.contains(&section), "docs/languages.md has the section: {section}");
    }
}

#[test]
fn an_empty_tree_is_told_what_would_be_read() {
    let ran = Project::new(&[("notes.txt", "nothing\n")]).run(&["check"]);
    for known in LANGUAGES {
        assert!(ran.stdout.contains(known.lang.profile().title), "{ran:?}");
        for extension in known.extensions {
            assert!(ran.stdout.contains(&format!("`.{extension}`")), "{ran:?}");
        }
    }
}

#[test]
fn a_proposal_for_files_at_the_top_names_their_extension() {
    let python = ("store.py", "import sqlite3\n\ndef store():\n    return sqlite3.connect(\"a.db\")\n");
    let rust = ("main.rs", "fn main() {\n    let _ = rusqlite::Connection::open(\"a.db\");\n}\n");
    for (files, glob) in [(&[python][..], "*.py"), (&[rust][..], "*.rs"), (&[python, rust][..], "*.{py,rs}")]
    {
        let ran = Project::new(files).run(&["init", "--print"]);
        assert!(ran.stdout.contains(&format!("{glob:?}")), "{glob}: {ran:?}");
    }
}
