//! What is made from the rule files and committed: the pages of `docs/rules/` and their index.
//! `GATELINT_UPDATE=1 cargo test docs` writes them anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatelint::explain;
use gatelint::rule::{Rule, builtin};

const PAGES: &str = "docs/rules";
const UPDATE: &str = "GATELINT_UPDATE";
const NOTICE: &str =
    "<!-- Made from the rule files. Edit those, then run GATELINT_UPDATE=1 cargo test docs -->\n\n";

const HEAD: &str = "\
# Rules

Each page is what `gatelint explain` prints: why the rule exists, what to do, and examples that are run as tests.
[The model](../model.md) explains the terms. `--select GL2` runs one family, `--ignore GL2` leaves it out.
";

/// The beginning of the ids of a family, and what its rules are about.
const FAMILIES: [(&str, &str); 13] = [
    ("GL0", "The check itself: files, waivers, configuration"),
    ("GL1", "Reaching the outside world past the comm layer"),
    ("GL2", "Planning functions and phase gates"),
    ("GL3", "Attribution of external content"),
    ("GL40", "The content fence"),
    ("GL41", "What the model chooses"),
    ("GL50", "Declarations"),
    ("GL51", "Capture functions and audit events"),
    ("GL52", "Hints of tools"),
    ("GL6", "The enforcement checklist: operations and tools"),
    ("GL7", "The order of tools"),
    ("GL8", "Gates of actions"),
    ("GL9", "The runtime of tools"),
];

/// A generated file by its path from the root.
type Generated = BTreeMap<PathBuf, String>;

#[test]
fn pages_of_rules_are_fresh() {
    settle(&pages(&rules()));
}

#[test]
fn no_page_is_left_of_a_rule_that_is_gone() {
    let known = pages(&rules());
    let entries = fs::read_dir(root().join(PAGES)).unwrap().map(|entry| entry.unwrap().file_name());
    let pages = entries.map(|name| Path::new(PAGES).join(name));
    for stale in pages.filter(|page| !known.contains_key(page)) {
        match updates() {
            true => fs::remove_file(root().join(&stale)).unwrap(),
            false => panic!("{} belongs to no rule; {}", stale.display(), remedy()),
        }
    }
}

/// A reader sees one line in a terminal and one page in a browser; both must say everything.
#[test]
fn texts_of_rules_keep_the_style() {
    for rule in rules() {
        let id = &rule.id;
        for (what, text) in [("summary", &rule.summary), ("message", &rule.message), ("help", &rule.help)] {
            assert!(!text.contains('\n'), "{id}: `{what}` is one line");
            assert!(!text.ends_with('.'), "{id}: `{what}` ends without a full stop");
            assert!(!text.starts_with(char::is_uppercase), "{id}: `{what}` begins in lower case");
        }
        assert!(
            rule.why.split_whitespace().count() > 80,
            "{id}: `why` explains what goes wrong, and for whom"
        );
        assert!(!rule.why.contains("TODO"), "{id}: `why` is written");
        let code = rule.why.matches("```").count();
        assert!(code >= 2, "{id}: `why` shows the code before and after");
        let references = rule.references.iter().all(|reference| known_form(reference));
        assert!(
            references,
            "{id}: a reference is `ADR …`, `CWE-n` or `OWASP-id:year`: {:?}",
            rule.references
        );
    }
}

/// SARIF tags are made from these, so a slip of the pen would lose one in silence.
fn known_form(reference: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if let Some(number) = reference.strip_prefix("CWE-") {
        return is_number(number);
    }
    if let Some((item, year)) = reference.strip_prefix("OWASP-").and_then(|rest| rest.split_once(':')) {
        return item.trim_start_matches(char::is_alphabetic) != item && is_number(year);
    }
    reference.starts_with("ADR ")
}

fn pages(rules: &[Arc<Rule>]) -> Generated {
    let page = |name: &str| Path::new(PAGES).join(name);
    let mut pages: Generated = rules
        .iter()
        .map(|rule| (page(&format!("{}.md", rule.id)), format!("{NOTICE}{}", explain::markdown(rule))))
        .collect();
    pages.insert(page("README.md"), index(rules));
    pages
}

/// One table a family.
fn index(rules: &[Arc<Rule>]) -> String {
    let mut index = format!("{NOTICE}{HEAD}");
    for (family, title) in FAMILIES {
        let members: Vec<_> = rules.iter().filter(|rule| rule.id.starts_with(family)).collect();
        assert!(!members.is_empty(), "{family} has rules");
        index += &format!("\n## {title}\n\n| rule | name | severity | reports |\n|---|---|---|---|\n");
        members.into_iter().for_each(|rule| index += &row(rule));
    }
    let listed = rules.iter().filter(|rule| FAMILIES.iter().any(|(family, _)| rule.id.starts_with(family)));
    assert_eq!(listed.count(), rules.len(), "each rule is of one family");
    index
}

fn row(rule: &Rule) -> String {
    let Rule { id, name, severity, summary, .. } = rule;
    format!("| [{id}]({id}.md) | {name} | {} | {summary} |\n", explain::severity(*severity))
}

/// Compares with what is committed, or commits to it.
#[track_caller]
fn settle(generated: &Generated) {
    for (path, text) in generated {
        let full = root().join(path);
        if updates() {
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(&full, text).unwrap();
        }
        let committed = fs::read_to_string(&full).unwrap_or_default();
        assert!(committed == *text, "{} is out of date; {}", path.display(), remedy());
    }
}

fn rules() -> Vec<Arc<Rule>> {
    builtin().expect("the built-in rules are valid")
}

fn updates() -> bool {
    std::env::var_os(UPDATE).is_some_and(|value| value == "1")
}

fn remedy() -> String {
    format!("run `{UPDATE}=1 cargo test docs`")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
