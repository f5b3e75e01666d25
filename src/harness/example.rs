//! One `[[example]]`: its text holds files, marks and configuration (CONTRIBUTING, "Add a rule"), and only findings of its
//! own rule count.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::config::{self, Config, ConfigError, ConfigOptions};
use crate::finding::base::Base;
use crate::merge_base::{Now, of_texts};
use crate::rule::{Check, Example, Rule};
use crate::source::{DiscoverOptions, Discovered, LANGUAGES, SourceFile, is_manifest, is_source, is_text};
use camino::Utf8PathBuf;

use super::run::Engine;
use super::verdict::{Comparison, Expected, Mark, compare};

/// The examples' project never was on a disk.
const ROOT: &str = "/example";
const CONFIG: &str = "gatelint.toml";
/// The folder of what was there at the merge base.
const BASE: &str = "merge-base";

pub fn check(engine: &Engine, rule: &Arc<Rule>, example: &Example) -> Comparison {
    judge(engine, rule, expected(rule, example))
}

/// Runs a rule over files that hold its marks, whoever wrote them.
pub fn judge(engine: &Engine, rule: &Arc<Rule>, mut expected: Expected) -> Comparison {
    let config = match configured(&expected.files) {
        Ok(config) => config,
        Err(error) => {
            expected.unreadable.push(describe(&error));
            Config::defaults(ROOT)
        }
    };
    let (then, base) = base(engine, &mut expected, &config);
    let found = discovered(&expected.files, &config);
    // Only beside all others can it be seen which waivers are used.
    let rules = if rule.checks(Check::UnusedWaiver) { engine.rules.clone() } else { vec![Arc::clone(rule)] };
    let mut reported = engine.run(found, &config, base, rules);
    reported.retain(|mark, _| mark.rule == rule.id);
    expected.files.extend(then);
    compare(expected, &reported)
}

/// The files of the merge base, taken out of the project, and what was allowed there.
fn base(
    engine: &Engine,
    expected: &mut Expected,
    is: &Config,
) -> (BTreeMap<Utf8PathBuf, String>, Option<Base>) {
    let (then, now) =
        std::mem::take(&mut expected.files).into_iter().partition(|(path, _)| path.starts_with(BASE));
    expected.files = now;
    let then: BTreeMap<Utf8PathBuf, String> = then;
    if then.is_empty() {
        return (then, None);
    }
    let inside = then.iter().filter_map(|(path, text)| Some((path.strip_prefix(BASE).ok()?, text)));
    let inside: BTreeMap<Utf8PathBuf, String> =
        inside.map(|(path, text)| (path.to_owned(), text.clone())).collect();
    let was = configured(&inside).unwrap_or_else(|error| {
        expected.unreadable.push(describe(&error));
        Config::defaults(ROOT)
    });
    let sources = inside.iter().filter(|(path, _)| is_source(path, LANGUAGES));
    let sources: Vec<_> = sources.map(|(path, text)| SourceFile::new(path.clone(), text.clone())).collect();
    let now = Now {
        config: is,
        start: &is.root,
        options: &ConfigOptions::default(),
        baseline: None,
        rules: &engine.rules,
        catalog: &engine.catalog,
    };
    (then, Some(of_texts(was, &sources, None, &now)))
}

/// Files as discovery would find them on a disk.
pub fn discovered(files: &BTreeMap<Utf8PathBuf, String>, config: &Config) -> Discovered {
    let (exclude, watched) = (config.exclude.clone(), config.prompts.clone());
    let options = DiscoverOptions { exclude, watched, ..DiscoverOptions::default() };
    let mut found = Discovered::default();
    for (path, text) in files {
        if found.matched.excludes(path.as_std_path(), &options) {
            found.excluded.extend(is_source(path, LANGUAGES).then(|| path.clone()));
            continue;
        }
        if is_source(path, LANGUAGES) {
            found.files.push(SourceFile::new(path.clone(), text.clone()));
        } else if is_manifest(path.as_std_path()) {
            found.manifests.give(path.clone(), text.clone().into_bytes());
        } else if is_text(path.as_std_path()) || options.watched.is_match(path) {
            found.texts.give(path.clone(), text.clone().into_bytes());
        }
    }
    found
}

/// The configuration among the files of an example.
pub fn configured(files: &BTreeMap<Utf8PathBuf, String>) -> Result<Config, ConfigError> {
    match files.get(camino::Utf8Path::new(CONFIG)) {
        Some(text) => config::from_text(ROOT, CONFIG, text),
        None => Ok(Config::defaults(ROOT)),
    }
}

fn describe(error: &ConfigError) -> String {
    match error {
        ConfigError::Mistakes(mistakes) => {
            let messages: Vec<_> = mistakes.list.iter().map(|mistake| mistake.message.as_str()).collect();
            format!("{CONFIG}: {}", messages.join("; "))
        }
        other => other.to_string(),
    }
}

/// Splits the text into files and reads the marks.
pub fn expected(rule: &Rule, example: &Example) -> Expected {
    let mut expected = Expected::default();
    let mut path = Utf8PathBuf::from(format!("agent.{}", extension(&example.language)));
    let mut line_in_file = 0;
    for (number, line) in (1u32..).zip(example.code.lines()) {
        if let Some(named) = file_mark(line) {
            path = named.into();
            line_in_file = 0;
            if expected.files.insert(path.clone(), String::new()).is_some() {
                expected.unreadable.push(format!("`{path}` begins twice"));
            }
            continue;
        }
        line_in_file += 1;
        let text = expected.files.entry(path.clone()).or_default();
        text.push_str(line);
        text.push('\n');
        let mark = Mark { path: path.clone(), line: line_in_file, rule: rule.id.clone() };
        if comment(line).is_none() && example.errors.contains(&number) {
            expected.errors.insert(mark);
        } else {
            read_mark(line, mark, format_args!("line {number}"), &mut expected);
        }
    }
    expected
}

/// Reads the marks of files.
pub fn marked(rule: &Rule, files: BTreeMap<Utf8PathBuf, String>) -> Expected {
    let mut expected = Expected::default();
    for (path, text) in &files {
        for (line, code) in (1u32..).zip(text.lines()) {
            let mark = Mark { path: path.clone(), line, rule: rule.id.clone() };
            read_mark(code, mark, format_args!("{path}:{line}"), &mut expected);
        }
    }
    expected.files = files;
    expected
}

fn read_mark(line: &str, mark: Mark, place: fmt::Arguments<'_>, expected: &mut Expected) {
    match comment(line) {
        Some("error") => drop(expected.errors.insert(mark)),
        Some("todo-error") => drop(expected.misses.insert(mark)),
        Some(other) => expected.unreadable.push(format!("{place}: `{other}` is no mark")),
        None => {}
    }
}

/// What files of a language are called first; of one that is not read yet, by its name.
fn extension(language: &str) -> &str {
    let known = LANGUAGES.iter().find(|known| known.lang.name() == language);
    known.and_then(|known| known.extensions.first()).copied().unwrap_or(language)
}

/// `# file: agent/net.py` on a line of its own.
fn file_mark(line: &str) -> Option<&str> {
    let comment = line.trim().strip_prefix('#').or_else(|| line.trim().strip_prefix("//"))?;
    comment.trim().strip_prefix("file:").map(str::trim)
}

/// The last comment of a line if it is a mark, or looks like one that was misspelt.
fn comment(line: &str) -> Option<&str> {
    let ends = ["# ", "#", "// "].map(|start| line.rfind(start).map(|at| at + start.len()));
    let at = ends.into_iter().flatten().max()?;
    let text = line[at..].trim();
    let lower = text.to_lowercase();
    let like_a_mark =
        lower.trim_start_matches("todo").trim_start_matches(['-', ' ', '_']).starts_with("error");
    like_a_mark.then_some(text)
}
