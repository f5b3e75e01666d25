//! What the strings of a configuration mean: globs, names, patterns, folders. Each is parsed here and nowhere else, so
//! what the check of a file accepts is what gatelint understands.

use camino::Utf8PathBuf;
use globset::Glob;

use super::diagnostic::nearest;
use super::layers::compile;
use super::names::{NamePattern, RuleNames};
use super::shape::Text;
use crate::catalog::{folder_of, preset_names};

/// What is wrong with a string.
#[derive(Debug)]
pub struct Wrong {
    pub message: String,
    pub label: &'static str,
    pub help: String,
}

fn wrong<T>(message: impl Into<String>, label: &'static str, help: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { message: message.into(), label, help: help.into() })
}

/// Says what is wrong with `text`, if anything is. `rules` is empty where rules are not known yet.
pub fn check(kind: Text, key: &str, text: &str, rules: &RuleNames) -> Result<(), Wrong> {
    match kind {
        Text::Glob => glob(text).map(drop),
        Text::Name => name(text).map(drop),
        Text::Pattern => dotted(text, true),
        Text::Path => dotted(text, false),
        Text::Folder => folder(text),
        Text::Inside => inside(text).map(drop),
        Text::Exact => Ok(()),
        Text::Words if text.trim().is_empty() => wrong(
            format!("`{key}` is empty"),
            "empty",
            format!("say what `{key}` is meant to say, or remove it"),
        ),
        Text::Words => Ok(()),
        Text::Preset => one_of(text, &preset_names(), "preset"),
        Text::Rule => rule(text, rules),
        Text::OneOf(words) => one_of(text, words, key),
    }
}

/// Characters of a glob, and choices (`{a,b}`) in it. What matches globs recurses into choices, and expands them.
const MAX_GLOB: usize = 1_000;
const MAX_CHOICES: usize = 16;

pub fn glob(text: &str) -> Result<Vec<Glob>, Wrong> {
    if text.trim().is_empty() {
        return wrong("an empty glob matches nothing", "empty", "remove it, or write `**` for every file");
    }
    relative(text, "glob", "globs are relative to the project root")?;
    if text.chars().count() > MAX_GLOB || text.matches('{').count() > MAX_CHOICES {
        let rule = format!("a glob has at most {MAX_GLOB} characters and {MAX_CHOICES} `{{`");
        return wrong(rule, "too long", "write several globs");
    }
    let help = "`*` matches within a folder, `**` across folders, `[ab]` one of both";
    compile(text).or_else(|error| wrong(format!("`{text}` is no glob: {error}"), "not a glob", help))
}

/// What all paths into the project have in common.
fn relative(text: &str, what: &str, rule: &str) -> Result<(), Wrong> {
    if text.contains('\\') {
        let help = "separate folders by `/`; it means the same on every system";
        wrong(format!("the {what} `{text}` holds a backslash"), "backslash", help)
    } else if text.starts_with('/') || text.starts_with('~') || text.chars().nth(1) == Some(':') {
        wrong(format!("the {what} `{text}` is absolute, but {rule}"), "absolute", "start at the project root")
    } else if text.split('/').any(|part| part == "..") {
        let help = "files outside the project root are never read";
        wrong(format!("the {what} `{text}` leaves the project root"), "leaves the root", help)
    } else {
        Ok(())
    }
}

pub fn inside(text: &str) -> Result<Utf8PathBuf, Wrong> {
    let path = text.trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.trim().is_empty() {
        return wrong("an empty path names nothing", "empty", "name what is meant, from the project root on");
    }
    relative(path, "path", "it is relative to the project root")?;
    Ok(path.into())
}

pub fn name(text: &str) -> Result<NamePattern, Wrong> {
    let help = "write a bare name or a dotted path; `*` matches within a segment";
    NamePattern::parse(text)
        .ok_or(())
        .or_else(|()| wrong(format!("`{text}` is no name of a function"), "not a name", help))
}

/// A path of a library; of stars alone it would be every call.
fn dotted(text: &str, stars: bool) -> Result<(), Wrong> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || (stars && c == '*');
    let segment = |part: &str| part.chars().all(is_part) && !part.starts_with(|c: char| c.is_ascii_digit());
    let parts = text.split('.').all(|part| !part.is_empty() && segment(part));
    if parts && text.contains(char::is_alphanumeric) {
        return Ok(());
    }
    let help = if stars {
        "write it as an import spells it: `requests.get`; `*` matches within a segment, `**` across segments"
    } else {
        "write it as an import spells it: `requests.adapters`, without `*`"
    };
    wrong(format!("`{text}` is no dotted path"), "not a path", help)
}

fn folder(text: &str) -> Result<(), Wrong> {
    let help = "name a folder: `data/work`, `/srv/atlas/work/**` or `~/.atlas`; no other `*`, no `..`, no whole disk";
    match folder_of(text) {
        Some(_) => Ok(()),
        None => wrong(format!("`{text}` is no folder of a workspace"), "not a folder", help),
    }
}

fn rule(text: &str, rules: &RuleNames) -> Result<(), Wrong> {
    if rules.is_empty() || rules.id_of(text).is_some() {
        return Ok(());
    }
    let help = match rules.nearest(text) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`gatelint rules` lists them all; a level names each rule by its id or name".to_owned(),
    };
    wrong(format!("no rule is called `{text}`"), "unknown rule", help)
}

fn one_of(text: &str, words: &[&str], what: &str) -> Result<(), Wrong> {
    if words.contains(&text) {
        return Ok(());
    }
    let help = match nearest(text, words) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("write one of {}", listed(words)),
    };
    wrong(format!("`{text}` is no {what}"), "unknown", help)
}

pub fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
