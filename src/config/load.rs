//! Finding the configuration and the project root, and reading the file.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;
use toml::de::DeTable;

use super::diagnostic::{Mistake, Mistakes};
use super::inspect::mistakes;
use super::keys::CONFIG;
use super::names::RuleNames;
use super::raw::Raw;
use super::settings::{Settings, settings};
use super::shape::Text;
use super::{Config, DEFAULT_BASELINE, Origin, text as words};
use crate::catalog::preset;
use crate::source::disk::{self, Kind};
use crate::source::{LineIndex, ReadError, read_text};
use crate::spanned::parse;

const OWN: [&str; 2] = ["gatelint.toml", ".gatelint.toml"];
pub const PYPROJECT: &str = "pyproject.toml";
/// Where the configuration stands in it.
pub const OWN_TABLE: [&str; 2] = ["tool", "gatelint"];
/// A configuration that people write is a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Clone, Default, Debug)]
pub struct ConfigOptions {
    /// `--config FILE`: this one, wherever it lies.
    pub file: Option<Utf8PathBuf>,
    /// `--isolated`: no configuration of the tree.
    pub isolated: bool,
    /// Every rule there is; empty where that is not known yet. Then a name of a rule is taken for one.
    pub rules: RuleNames,
}

/// What one file says.
struct Said {
    settings: Settings,
    text: String,
}

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read the configuration `{path}`: {error}")]
    Unreadable { path: Utf8PathBuf, error: ReadError },
    #[error("`{folder}` holds two configurations, `{first}` and `{second}`; keep one of them")]
    Ambiguous { folder: Utf8PathBuf, first: &'static str, second: &'static str },
    #[error("the configuration `{path}` is a link out of its folder; put the file itself there")]
    LinkedAway { path: Utf8PathBuf },
    #[error("the folder of rules `{path}` is a link out of the project; put the rules themselves there")]
    RulesAway { path: Utf8PathBuf },
    #[error("the baseline `{path}` is a link out of the project; put the file itself there")]
    BaselineAway { path: Utf8PathBuf },
    #[error("`{path}` has no table `[tool.gatelint]`; add it, or name a `gatelint.toml`")]
    NoTable { path: Utf8PathBuf },
    #[error("{0}")]
    Mistakes(Box<Mistakes>),
}

/// `first` is the first scanned path, absolute. Configuration is looked for in its folder and upwards, as far as the
/// nearest folder with `.git`: what lies above a repository does not speak for it.
pub fn load(first: &Utf8Path, options: &ConfigOptions) -> Result<Config, ConfigError> {
    found(first, options).map(|config| with_own_baseline(config, options))
}

/// A baseline that nothing names counts as well, unless nothing of the tree does.
fn with_own_baseline(config: Config, options: &ConfigOptions) -> Config {
    let is_there = || disk::is_file(config.root.join(DEFAULT_BASELINE));
    Config { has_own_baseline: !options.isolated && config.baseline.is_none() && is_there(), ..config }
}

fn found(first: &Utf8Path, options: &ConfigOptions) -> Result<Config, ConfigError> {
    let start = if disk::is_folder(first) { first } else { first.parent().unwrap_or(first) };
    if let Some(file) = &options.file {
        let text = read(file)?;
        let said = if file.file_name() == Some(PYPROJECT) {
            pyproject(file, text, &options.rules)?
                .ok_or_else(|| ConfigError::NoTable { path: file.clone() })?
        } else {
            whole(file, text, &options.rules)?
        };
        let root = root_without_config(start);
        return Ok(config(root, said, Origin::File(shown(file, root))));
    }
    if !options.isolated {
        for folder in start.ancestors() {
            if let Some((name, said)) = in_folder(folder, &options.rules)? {
                return Ok(config(folder, said, Origin::File(name.into())));
            }
            if is_repository(folder) {
                break;
            }
        }
    }
    Ok(Config::defaults(root_without_config(start)))
}

/// The configuration that speaks for a folder of a copied tree: looked for there and upwards, as far as `top`. A copy has no
/// `.git` that would end the search.
pub fn load_within(start: &Utf8Path, top: &Utf8Path, options: &ConfigOptions) -> Result<Config, ConfigError> {
    found_within(start, top, options).map(|config| with_own_baseline(config, options))
}

fn found_within(start: &Utf8Path, top: &Utf8Path, options: &ConfigOptions) -> Result<Config, ConfigError> {
    for folder in start.ancestors().take_while(|folder| folder.starts_with(top) && !options.isolated) {
        if let Some((name, said)) = in_folder(folder, &options.rules)? {
            return Ok(config(folder, said, Origin::File(name.into())));
        }
    }
    Ok(Config::defaults(start))
}

/// The configuration of a project that is no folder, such as an example of a rule: `text` as `gatelint.toml`.
pub fn from_text(root: impl Into<Utf8PathBuf>, name: &str, text: &str) -> Result<Config, ConfigError> {
    let said = whole(Utf8Path::new(name), text.to_owned(), &RuleNames::default())?;
    Ok(config(&root.into(), said, Origin::File(name.into())))
}

fn config(root: &Utf8Path, said: Said, origin: Origin) -> Config {
    let Said { settings, text } = said;
    Config::new(root.to_owned(), settings, origin, text)
}

pub fn check_rules(config: &Config, rules: &RuleNames) -> Result<(), ConfigError> {
    let Origin::File(path) = &config.origin else { return Ok(()) };
    let named = config.levels.iter().flat_map(|level| &level.rules);
    let unknown = named.filter_map(|(word, span, _)| {
        let wrong = words::check(Text::Rule, "rules", word, rules).err()?;
        let words::Wrong { message, label, help } = wrong;
        Some(Mistake { span: span.clone(), message, label: label.to_owned(), help: Some(help) })
    });
    let unknown: Vec<_> = unknown.collect();
    if unknown.is_empty() { Ok(()) } else { Err(failed(path, config.text.clone(), unknown)) }
}

/// Mistakes in rules are shown with the text of their file, so a link must not lead to files of the host.
pub fn rules_folders(config: &Config) -> Result<Vec<Utf8PathBuf>, ConfigError> {
    let folder = |path: &Utf8PathBuf| {
        let folder = config.root.join(path);
        match disk::real(&folder) {
            Ok(real) if !real.starts_with(&config.root) => Err(ConfigError::RulesAway { path: path.clone() }),
            _ => Ok(folder),
        }
    };
    config.rules_paths.iter().map(folder).collect()
}

/// The baseline is read, shown and written, so the same holds for it. It need not be there yet, but its folder is asked.
pub fn check_baseline(config: &Config) -> Result<(), ConfigError> {
    let Some(path) = config.baseline_file() else { return Ok(()) };
    let file = config.root.join(path);
    let real = file.ancestors().find_map(|path| disk::real(path).ok());
    match real {
        Some(real) if !real.starts_with(&config.root) => {
            Err(ConfigError::BaselineAway { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Relative to the project root; of a file elsewhere only the name, since no report holds a path of the machine.
fn shown(file: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    let real = disk::real_utf8(file).unwrap_or_else(|| file.to_owned());
    let name = || Utf8Path::new(file.file_name().unwrap_or_default());
    real.strip_prefix(root).unwrap_or_else(|_| name()).as_str().replace('\\', "/").into()
}

fn root_without_config(start: &Utf8Path) -> &Utf8Path {
    repository(start).unwrap_or(start)
}

/// The nearest folder upwards that is a repository.
pub fn repository(start: &Utf8Path) -> Option<&Utf8Path> {
    start.ancestors().find(|folder| is_repository(folder))
}

/// A folder, or a file in a work tree or submodule.
fn is_repository(folder: &Utf8Path) -> bool {
    disk::is_there(folder.join(".git"))
}

/// The one configuration of a folder. Two are a mistake: whichever lost would be ignored in silence.
fn in_folder(folder: &Utf8Path, rules: &RuleNames) -> Result<Option<(&'static str, Said)>, ConfigError> {
    let mut found: Option<(&'static str, Said)> = None;
    for name in OWN.into_iter().chain([PYPROJECT]) {
        let path = folder.join(name);
        if !exists(&path) {
            continue;
        }
        confined(folder, &path)?;
        let text = read(&path)?;
        let shown = Utf8Path::new(name);
        let said = match name {
            PYPROJECT => pyproject(shown, text, rules)?,
            _ => Some(whole(shown, text, rules)?),
        };
        match (&found, said) {
            (_, None) => {}
            (None, Some(said)) => found = Some((name, said)),
            (Some((first, _)), Some(_)) => {
                return Err(ConfigError::Ambiguous { folder: folder.to_owned(), first, second: name });
            }
        }
    }
    Ok(found)
}

/// A folder of that name is no configuration; whatever else cannot be read is an error later.
fn exists(path: &Utf8Path) -> bool {
    disk::own_kind(path).is_ok_and(|kind| kind != Kind::Folder)
}

/// Mistakes are shown with the text of the file, so a link in a hostile tree must not make us print a file of the host.
fn confined(folder: &Utf8Path, path: &Utf8Path) -> Result<(), ConfigError> {
    match disk::real(path) {
        Ok(real) if !real.starts_with(folder) => Err(ConfigError::LinkedAway { path: path.to_owned() }),
        _ => Ok(()),
    }
}

fn read(path: &Utf8Path) -> Result<String, ConfigError> {
    read_text(path.as_std_path(), MAX_BYTES)
        .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })
}

fn whole(path: &Utf8Path, text: String, rules: &RuleNames) -> Result<Said, ConfigError> {
    let (table, mut broken) = parse(&text);
    let meant = mistakes(table.get_ref(), &CONFIG, &known(table.get_ref(), rules));
    if broken.is_empty() && meant.is_empty() {
        return said(path, &text, table);
    }
    // On a line that is no TOML, what was recovered is a guess.
    let lines = LineIndex::new(&text);
    let line = |mistake: &Mistake| lines.line_col(mistake.span.start as u32).line;
    let guesses: BTreeSet<_> = broken.iter().map(line).collect();
    broken.extend(meant.into_iter().filter(|mistake| !guesses.contains(&line(mistake))));
    Err(failed(path, text, broken))
}

/// None if the file does not speak of gatelint. One that does and is no TOML is a mistake of the configuration;
/// one that does not is none of our business.
fn pyproject(path: &Utf8Path, text: String, rules: &RuleNames) -> Result<Option<Said>, ConfigError> {
    let (table, broken) = parse(&text);
    if !broken.is_empty() {
        let speaks_of_us = text.contains("gatelint");
        return if speaks_of_us { Err(failed(path, text, broken)) } else { Ok(None) };
    }
    let tool = table.get_ref().get("tool").and_then(|tool| tool.get_ref().as_table());
    let Some(own) = tool.and_then(|tool| tool.get("gatelint")) else { return Ok(None) };
    let Some(own_table) = own.get_ref().as_table() else {
        let mistake = Mistake {
            span: own.span(),
            message: "`tool.gatelint` takes a table".to_owned(),
            label: "not a table".to_owned(),
            help: Some("write it as a table: `[tool.gatelint]`".to_owned()),
        };
        return Err(failed(path, text, vec![mistake]));
    };
    let meant = mistakes(own_table, &CONFIG, &known(own_table, rules));
    if !meant.is_empty() {
        return Err(failed(path, text, meant));
    }
    said(path, &text, Spanned::new(own.span(), own_table.clone())).map(Some)
}

/// With rules of one's own, which are not loaded yet, any word may be a rule.
fn known(table: &DeTable<'_>, rules: &RuleNames) -> RuleNames {
    if table.contains_key("rules") { RuleNames::default() } else { rules.clone() }
}

/// A table without mistakes, understood.
fn said(path: &Utf8Path, text: &str, table: Spanned<DeTable<'_>>) -> Result<Said, ConfigError> {
    let raw = raw(table).map_err(|error| failed(path, text.to_owned(), vec![no_toml(&error)]))?;
    let presets = raw.extends.iter().filter_map(|name| preset(name));
    let presets = presets.filter_map(raw_of).collect();
    Ok(Said { settings: settings(raw, presets), text: text.to_owned() })
}

fn raw(table: Spanned<DeTable<'_>>) -> Result<Raw, toml::de::Error> {
    Raw::deserialize(toml::de::Deserializer::from(table))
}

/// A preset is built in, and a test reads each.
fn raw_of(preset: &str) -> Option<Raw> {
    raw(DeTable::parse(preset).ok()?).ok()
}

fn no_toml(error: &toml::de::Error) -> Mistake {
    Mistake {
        span: error.span().unwrap_or_default(),
        message: format!("this is no TOML: {}", error.message().replace('\n', "; ")),
        label: "here".to_owned(),
        help: None,
    }
}

fn failed(path: &Utf8Path, text: String, mut list: Vec<Mistake>) -> ConfigError {
    list.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
    ConfigError::Mistakes(Box::new(Mistakes { path: path.to_owned(), text, list }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::preset_names;

    #[test]
    fn every_preset_is_a_valid_configuration_without_globs() {
        assert!(!preset_names().is_empty());
        for name in preset_names() {
            let text = preset(name).unwrap();
            let table = DeTable::parse(text).unwrap();
            for key in ["extends", "exclude", "layers", "prompts", "baseline", "rules", "levels"] {
                assert!(!table.get_ref().contains_key(key), "{name}: `{key}` is for projects");
            }
            assert_eq!(mistakes(table.get_ref(), &CONFIG, &RuleNames::default()), [], "{name}");
            assert!(raw_of(text).is_some(), "{name}");
        }
    }
}
