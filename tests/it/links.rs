//! Links of the documents lead somewhere: to a file of the tree and, behind `#`, to a heading of it as GitHub names them. The
//! index of `docs/` leads to every page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

const AT_THE_TOP: [&str; 5] =
    ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"];
const FOLDER: &str = "docs";
const INDEX: &str = "docs/README.md";
/// Its pages have an index of their own, which is generated.
const RULES: &str = "docs/rules";

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let broken: Vec<String> = documents().iter().flat_map(|page| broken_links(page)).collect();
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_index_leads_to_every_page() {
    let linked: BTreeSet<PathBuf> =
        links(&read(Path::new(INDEX))).iter().map(|link| target(Path::new(INDEX), link).0).collect();
    let of_the_index = |page: &PathBuf| page.starts_with(FOLDER) && page != Path::new(INDEX);
    let pages = documents().into_iter().filter(of_the_index);
    let missing: Vec<PathBuf> = pages
        .filter(|page| !page.starts_with(RULES) || page.ends_with("README.md"))
        .filter(|page| !linked.contains(page))
        .collect();
    assert!(missing.is_empty(), "{INDEX} has no link to {missing:?}");
}

/// By their paths from the root.
fn documents() -> Vec<PathBuf> {
    let files = WalkDir::new(root().join(FOLDER)).sort_by_file_name().into_iter().map(Result::unwrap);
    let pages = files.map(|file| file.path().strip_prefix(root()).unwrap().to_owned());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    AT_THE_TOP.iter().map(PathBuf::from).chain(pages).collect()
}

fn broken_links(page: &Path) -> Vec<String> {
    let text = read(page);
    let inside =
        links(&text).into_iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:"));
    inside
        .filter_map(|link| problem(page, &link).map(|why| format!("{}: ({link}) {why}", page.display())))
        .collect()
}

/// What is wrong with a link of a page.
fn problem(page: &Path, link: &str) -> Option<String> {
    let (path, anchor) = target(page, link);
    if !root().join(&path).exists() {
        return Some(format!("there is no {}", path.display()));
    }
    let anchor = anchor?;
    let headings = anchors(&read(&path));
    (!headings.contains(&anchor)).then(|| format!("{} has only {headings:?}", path.display()))
}

/// The file that a link of a page leads to, from the root, and the heading.
fn target(page: &Path, link: &str) -> (PathBuf, Option<String>) {
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (link, None),
    };
    if path.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut found = page.parent().unwrap().to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => assert!(found.pop(), "{}: {link} leaves the tree", page.display()),
            Component::CurDir => {}
            part => found.push(part),
        }
    }
    (found, anchor)
}

/// The targets of `[…](target)` outside of code.
fn links(text: &str) -> Vec<String> {
    let prose = without_spans(&prose(text).join("\n"));
    let behind = prose.split("](").skip(1);
    behind.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.trim().to_owned()).collect()
}

/// The lines outside of fenced code.
fn prose(text: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let ticks = line.trim_start();
        let ticks = &ticks[..ticks.len() - ticks.trim_start_matches('`').len()];
        match fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => lines.push(line),
            Some(open) if ticks.len() >= open.len() => fence = None,
            Some(_) => {}
        }
    }
    lines
}

/// Without code in backticks: it ends at as many of them as it begins with.
fn without_spans(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        kept += &rest[..at];
        let code = rest[at..].trim_start_matches('`');
        let ticks = "`".repeat(rest.len() - at - code.len());
        rest = code.split_once(&ticks).map_or(code, |(_, after)| after);
    }
    kept + rest
}

/// The names that GitHub gives to headings: letters, digits, `-` and `_` in lower case, `-` for each space, and a number
/// behind a name that was there before.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).into_iter().filter_map(heading);
    let named = headings.map(|heading| {
        let name = anchor(heading);
        let before = seen.entry(name.clone()).and_modify(|count| *count += 1).or_default();
        if *before == 0 { name } else { format!("{name}-{before}") }
    });
    named.collect()
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - title.len())).then(|| title.strip_prefix(' ')).flatten()
}

fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn read(page: &Path) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn headings_have_the_names_that_github_gives_them() {
    assert_eq!(anchor("What it means: `--full`, and more?"), "what-it-means---full-and-more");
    let names = anchors("# A\n## A\n```\n# B\n```\n### A_b C\n#no\n");
    assert_eq!(names, ["a", "a-1", "a_b-c"].map(str::to_owned).into());
}

#[test]
fn links_in_code_are_none() {
    assert_eq!(links("[a](b.md#c) `[d](e)`\n````\n```\n[f](g)\n````\n[`x`\ny](h.md)"), ["b.md#c", "h.md"]);
}
