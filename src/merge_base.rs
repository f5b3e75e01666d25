//! What a project allowed at the merge base of a change, from the copy of it that a workflow provides. gatelint starts no
//! git: the copy is a folder with the same paths as the repository or the project, or a configuration alone.

use std::io::ErrorKind;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;

use crate::baseline::{Baseline, BaselineError};
use crate::catalog::Catalog;
use crate::config::{self, Config, ConfigError, ConfigOptions, Loosening, repository};
use crate::engine::lower;
use crate::finding::Severity;
use crate::finding::base::{Base, Tree, Waiving, word};
use crate::rule::{self, Rule, names};
use crate::source::disk;
use crate::source::{self, DiscoverOptions, ReadError, RootError, SourceFile, discover, read_text};
use crate::waiver::Waivers;

/// As long as one of now may be.
const MAX_BASELINE: u64 = 256 << 20;
/// What a comment says that speaks to gatelint.
const MARK: &str = "gatelint:";

/// Why nothing can be compared.
#[derive(Debug, Error)]
pub enum MergeBaseError {
    #[error("{0}; `--base` names a copy of the merge base")]
    Root(RootError),
    #[error("the configuration at the merge base cannot be compared with: {0}")]
    Config(#[from] ConfigError),
    #[error("cannot read the baseline `{path}` of the merge base: {error}")]
    Read { path: Utf8PathBuf, error: ReadError },
    #[error("cannot use the baseline `{path}` of the merge base: {error}")]
    Baseline { path: Utf8PathBuf, error: BaselineError },
}

/// What is compared with the merge base.
pub struct Now<'n> {
    pub config: &'n Config,
    /// Where the configuration was looked for.
    pub start: &'n Utf8Path,
    pub options: &'n ConfigOptions,
    /// A baseline in place of the one that the configuration names.
    pub baseline: Option<&'n Utf8Path>,
    /// Every rule there is.
    pub rules: &'n [Arc<Rule>],
    pub catalog: &'n Catalog,
}

pub fn read(given: &Utf8Path, now: &Now<'_>) -> Result<Base, MergeBaseError> {
    let paths = source::resolve(&[given.to_owned()]).map_err(MergeBaseError::Root)?;
    let copy = paths.into_iter().next().unwrap_or_default();
    if !disk::is_folder(&copy) {
        let options = ConfigOptions { file: Some(copy), isolated: false, ..now.options.clone() };
        let was = Config { root: now.config.root.clone(), ..config::load(now.start, &options)? };
        return Ok(base(was, now, Default::default(), None));
    }
    let copy = Copy::new(&copy, now.config);
    let was = copy.config(now)?;
    let tree = Tree { baseline: copy.baseline(&was, now)?, waivers: waivers(&copied(&was)?, now.rules) };
    let below =
        |path: &Utf8Path, top: &Utf8Path| path.strip_prefix(top).unwrap_or(Utf8Path::new("")).to_owned();
    let roots = [below(&now.config.root, &copy.of), below(&was.root, &copy.at)];
    let mut base = base(was, now, roots, Some(tree));
    base.keys.extend(softened_rules(&base.was, now));
    Ok(base)
}

/// The team's own rules that stopped a change and do so no more. Of a rule that matches less nothing is said.
fn softened_rules(was: &Config, now: &Now<'_>) -> Vec<Loosening> {
    let folders = was.rules_folders().unwrap_or_default();
    let folders: Vec<Utf8PathBuf> = folders.into_iter().filter(|folder| disk::is_there(folder)).collect();
    // What could not be read then stopped nothing.
    let then = rule::builtin().and_then(|builtin| rule::team(&folders, &builtin)).unwrap_or_default();
    let span = config::span_of(now.config, "rules.paths");
    let softened = then.iter().filter_map(|rule| {
        let is = now.rules.iter().find(|is| is.id == rule.id).map(|is| is.severity);
        let what = match is {
            None if rule.severity == Severity::Error => format!("the rule `{}` was taken out", rule.id),
            Some(is) if is < rule.severity => {
                format!(
                    "the rule `{}` is {} instead of {}",
                    rule.id,
                    word(Some(is)),
                    word(Some(rule.severity))
                )
            }
            _ => return None,
        };
        Some(Loosening { span: span.clone(), what })
    });
    softened.collect()
}

/// The merge base of a project that is no folder, such as an example of a rule.
pub fn of_texts(was: Config, files: &[SourceFile], baseline: Option<Baseline>, now: &Now<'_>) -> Base {
    let tree = Tree { baseline, waivers: waivers(files, now.rules) };
    base(was, now, Default::default(), Some(tree))
}

fn base(was: Config, now: &Now<'_>, roots: [Utf8PathBuf; 2], tree: Option<Tree>) -> Base {
    Base {
        keys: config::loosened(&was, now.config, now.catalog),
        is: now.config.clone(),
        was,
        roots,
        tree,
        names: names(now.rules),
        severities: now.rules.iter().map(|rule| (rule.id.clone(), rule.severity)).collect(),
    }
}

/// A folder that stands for another one at another time.
struct Copy {
    at: Utf8PathBuf,
    /// The repository, or the project alone.
    of: Utf8PathBuf,
}

impl Copy {
    fn new(at: &Utf8Path, config: &Config) -> Self {
        let top = repository(&config.root).unwrap_or(&config.root);
        let is_whole = config.root.strip_prefix(top).is_ok_and(|below| disk::is_folder(at.join(below)));
        Self { at: at.to_owned(), of: if is_whole { top } else { &config.root }.to_owned() }
    }

    /// Where a path lay.
    fn then(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        path.strip_prefix(&self.of).ok().map(|below| self.at.join(below))
    }

    fn config(&self, now: &Now<'_>) -> Result<Config, MergeBaseError> {
        let root = self.then(&now.config.root).unwrap_or_else(|| self.at.clone());
        let Some(file) = &now.options.file else {
            let start =
                self.then(now.start).filter(|start| start.starts_with(&self.at)).unwrap_or(root.clone());
            let start = if disk::is_folder(now.start) { &start } else { start.parent().unwrap_or(&start) };
            let found = config::load_within(start, &self.at, now.options)?;
            return Ok(if found.is_configured() { found } else { Config { root, ..found } });
        };
        let file = disk::real_utf8(file).and_then(|file| self.then(&file));
        match file.filter(|file| disk::is_file(file)) {
            Some(file) => {
                let options = ConfigOptions { file: Some(file), ..now.options.clone() };
                Ok(Config { root: root.clone(), ..config::load(&root, &options)? })
            }
            None => Ok(Config::defaults(root)),
        }
    }

    /// None if there was none; a link out of the copy is none of it.
    fn baseline(&self, was: &Config, now: &Now<'_>) -> Result<Option<Baseline>, MergeBaseError> {
        let path = match now.baseline {
            Some(path) => disk::real_utf8(path).and_then(|path| self.then(&path)),
            None => was.baseline_file().map(|path| was.root.join(path)),
        };
        let real = path.and_then(|path| disk::real_utf8(&path));
        let Some(path) = real.filter(|path| path.starts_with(&self.at)) else { return Ok(None) };
        match read_text(path.as_std_path(), MAX_BASELINE) {
            Ok(text) => {
                let read = Baseline::read(path.as_str(), &text);
                read.map(Some).map_err(|error| MergeBaseError::Baseline { path, error })
            }
            Err(ReadError::Io(ErrorKind::NotFound)) => Ok(None),
            Err(error) => Err(MergeBaseError::Read { path, error }),
        }
    }
}

/// The sources of the copy that speak to gatelint.
fn copied(was: &Config) -> Result<Vec<SourceFile>, MergeBaseError> {
    if !disk::is_folder(&was.root) {
        return Ok(Vec::new());
    }
    let options =
        DiscoverOptions { no_ignore: true, exclude: was.exclude.clone(), ..DiscoverOptions::default() };
    let found =
        discover(std::slice::from_ref(&was.root), &was.root, &options).map_err(MergeBaseError::Root)?;
    Ok(found.files.into_iter().filter(|file| file.text.contains(MARK)).collect())
}

fn waivers(files: &[SourceFile], rules: &[Arc<Rule>]) -> Vec<Waiving> {
    let facts = lower(files);
    let read = Waivers::read(files, &facts, &names(rules));
    let of = |waiver: &crate::waiver::Waiver| {
        let path = files.get(waiver.place.file.0 as usize).map(|file| file.path.clone()).unwrap_or_default();
        waiver.waivings(&path).collect::<Vec<_>>()
    };
    read.iter().flat_map(|(_, waiver)| of(waiver)).collect()
}
