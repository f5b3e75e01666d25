//! Finding the configuration and the project root, and reading the file.

use std::collections::BTreeSet;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;
use toml::Spanned;
use toml::de::DeTable;

use super::diagnostic::{Mistake, Mistakes};
use super::schema::{self, Settings};
use super::{Config, Origin};
use crate::source::{LineIndex, ReadError, read_text};

const OWN: [&str; 2] = ["gatelint.toml", ".gatelint.toml"];
const PYPROJECT: &str = "pyproject.toml";
/// A configuration that people write is a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Clone, Default, Debug)]
pub struct ConfigOptions {
    /// `--config FILE`: this one, wherever it lies.
    pub file: Option<Utf8PathBuf>,
    /// `--isolated`: no configuration of the tree.
    pub isolated: bool,
}

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read the configuration `{path}`: {error}")]
    Unreadable { path: Utf8PathBuf, error: ReadError },
    #[error("`{folder}` holds two configurations, `{first}` and `{second}`; keep one of them")]
    Ambiguous { folder: Utf8PathBuf, first: &'static str, second: &'static str },
    #[error("the configuration `{path}` is a link out of its folder; put the file itself there")]
    LinkedAway { path: Utf8PathBuf },
    #[error("`{path}` has no table `[tool.gatelint]`; add it, or name a `gatelint.toml`")]
    NoTable { path: Utf8PathBuf },
    #[error("{0}")]
    Mistakes(Box<Mistakes>),
}

/// `first` is the first scanned path, absolute. Configuration is looked for in its folder and upwards, as far as the
/// nearest folder with `.git`: what lies above a repository does not speak for it.
pub fn load(first: &Utf8Path, options: &ConfigOptions) -> Result<Config, ConfigError> {
    let start = if first.is_dir() { first } else { first.parent().unwrap_or(first) };
    if let Some(file) = &options.file {
        let text = read(file)?;
        let settings = if file.file_name() == Some(PYPROJECT) {
            pyproject(file, &text)?.ok_or_else(|| ConfigError::NoTable { path: file.clone() })?
        } else {
            whole(file, &text)?
        };
        return Ok(config(root_without_config(start), settings, Origin::File(file.clone())));
    }
    if !options.isolated {
        for folder in start.ancestors() {
            if let Some((name, settings)) = in_folder(folder)? {
                return Ok(config(folder, settings, Origin::File(name.into())));
            }
            if is_repository(folder) {
                break;
            }
        }
    }
    Ok(Config::defaults(root_without_config(start)))
}

/// The configuration of a project that is no folder, such as an example of a rule: `text` as `gatelint.toml`.
pub fn from_text(root: impl Into<Utf8PathBuf>, name: &str, text: &str) -> Result<Config, ConfigError> {
    let settings = whole(Utf8Path::new(name), text)?;
    Ok(config(&root.into(), settings, Origin::File(name.into())))
}

fn config(root: &Utf8Path, settings: Settings, origin: Origin) -> Config {
    let Settings { layers, exclude, planning } = settings;
    Config { root: root.to_owned(), layers, exclude, planning, origin }
}

fn root_without_config(start: &Utf8Path) -> &Utf8Path {
    start.ancestors().find(|folder| is_repository(folder)).unwrap_or(start)
}

/// A folder, or a file in a work tree or submodule.
fn is_repository(folder: &Utf8Path) -> bool {
    folder.join(".git").exists()
}

/// The one configuration of a folder. Two are a mistake: whichever lost would be ignored in silence.
fn in_folder(folder: &Utf8Path) -> Result<Option<(&'static str, Settings)>, ConfigError> {
    let mut found: Option<(&'static str, Settings)> = None;
    for name in OWN.into_iter().chain([PYPROJECT]) {
        let path = folder.join(name);
        if !exists(path.as_std_path()) {
            continue;
        }
        confined(folder, &path)?;
        let text = read(&path)?;
        let shown = Utf8Path::new(name);
        let settings = if name == PYPROJECT { pyproject(shown, &text)? } else { Some(whole(shown, &text)?) };
        match (&found, settings) {
            (_, None) => {}
            (None, Some(settings)) => found = Some((name, settings)),
            (Some((first, _)), Some(_)) => {
                return Err(ConfigError::Ambiguous { folder: folder.to_owned(), first, second: name });
            }
        }
    }
    Ok(found)
}

/// A folder of that name is no configuration; whatever else cannot be read is an error later.
fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

/// Mistakes are shown with the text of the file, so a link in a hostile tree must not make us print a file of the host.
fn confined(folder: &Utf8Path, path: &Utf8Path) -> Result<(), ConfigError> {
    match std::fs::canonicalize(path) {
        Ok(real) if !real.starts_with(folder) => Err(ConfigError::LinkedAway { path: path.to_owned() }),
        _ => Ok(()),
    }
}

fn read(path: &Utf8Path) -> Result<String, ConfigError> {
    read_text(path.as_std_path(), MAX_BYTES)
        .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })
}

fn whole(path: &Utf8Path, text: &str) -> Result<Settings, ConfigError> {
    let (table, mut mistakes) = parse(text);
    let mut meant = Vec::new();
    let settings = schema::read(table.get_ref(), &mut meant);
    // On a line that is no TOML, what was recovered is a guess.
    let lines = LineIndex::new(text);
    let line = |mistake: &Mistake| lines.line_col(mistake.span.start as u32).line;
    let broken: BTreeSet<_> = mistakes.iter().map(line).collect();
    mistakes.extend(meant.into_iter().filter(|mistake| !broken.contains(&line(mistake))));
    finish(path, text, settings, mistakes)
}

/// None if the file does not speak of gatelint. One that does and is no TOML is a mistake of the configuration;
/// one that does not is none of our business.
fn pyproject(path: &Utf8Path, text: &str) -> Result<Option<Settings>, ConfigError> {
    let (table, mut mistakes) = parse(text);
    if !mistakes.is_empty() {
        let speaks_of_us = text.contains("gatelint");
        return if speaks_of_us { Err(failed(path, text, mistakes)) } else { Ok(None) };
    }
    let tool = table.get_ref().get("tool").and_then(|tool| tool.get_ref().as_table());
    let Some(own) = tool.and_then(|tool| tool.get("gatelint")) else { return Ok(None) };
    let Some(own_table) = own.get_ref().as_table() else {
        mistakes.push(Mistake {
            span: own.span(),
            message: "`tool.gatelint` takes a table".to_owned(),
            label: "not a table".to_owned(),
            help: Some("write it as a table: `[tool.gatelint]`".to_owned()),
        });
        return Err(failed(path, text, mistakes));
    };
    let settings = schema::read(own_table, &mut mistakes);
    finish(path, text, settings, mistakes).map(Some)
}

/// What could be read, and every place that is no TOML, one a line: the others there only follow from the first.
fn parse(text: &str) -> (Spanned<DeTable<'_>>, Vec<Mistake>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = LineIndex::new(text);
    let mut seen = BTreeSet::new();
    let mistakes = errors
        .into_iter()
        .filter(|error| seen.insert(lines.line_col(start(error)).line))
        .map(|error| Mistake {
            span: error.span().unwrap_or_default(),
            message: format!("this is no TOML: {}", error.message().replace('\n', "; ")),
            label: "here".to_owned(),
            help: None,
        })
        .collect();
    (table, mistakes)
}

fn start(error: &toml::de::Error) -> u32 {
    error.span().map_or(0, |span| span.start as u32)
}

fn finish(
    path: &Utf8Path,
    text: &str,
    settings: Settings,
    mistakes: Vec<Mistake>,
) -> Result<Settings, ConfigError> {
    if mistakes.is_empty() { Ok(settings) } else { Err(failed(path, text, mistakes)) }
}

fn failed(path: &Utf8Path, text: &str, mut list: Vec<Mistake>) -> ConfigError {
    list.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
    ConfigError::Mistakes(Box::new(Mistakes { path: path.to_owned(), text: text.to_owned(), list }))
}
