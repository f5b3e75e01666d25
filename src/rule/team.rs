//! A team's own rules: folders of rule files beside those that are built in. They add; none can take the place of a
//! built-in rule. Every mistake of every file comes out at once.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;

use super::Rule;
use super::file::{self, RuleFile};
use crate::catalog::CatalogError;
use crate::config::{Mistake, Mistakes};
use crate::source::disk::{Kind, Tree};
use crate::source::{ReadError, read_text};

/// A rule that people write, with its examples, is some kilobytes.
const MAX_BYTES: u64 = 1 << 20;
/// The prefix of built-in rules.
const BUILTIN: &str = "GL";

/// Why there are no rules to check with.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("{}", count(.0))]
    Mistakes(Vec<Mistakes>),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Team(#[from] TeamError),
}

/// A folder of rules that cannot be read, or not wholly: what was left out would be missing in silence.
#[derive(Debug, Error)]
pub enum TeamError {
    #[error("cannot read the rules in `{path}`: {error}")]
    Folder { path: Utf8PathBuf, error: String },
    #[error("cannot read the rule file `{path}`: {error}")]
    File { path: Utf8PathBuf, error: ReadError },
    #[error("the rule file `{path}` is a link; put the file itself there")]
    Link { path: String },
    #[error("`{path}` has a name that is not UTF-8; rename it")]
    NotUtf8 { path: String },
    #[error("`{path}` holds no rule; a rule is a file `<name>.toml`")]
    Empty { path: Utf8PathBuf },
}

fn count(wrong: &[Mistakes]) -> String {
    let mistakes: usize = wrong.iter().map(|file| file.list.len()).sum();
    match (wrong, mistakes) {
        ([file], 1) => format!("a mistake in the rule file `{}`", file.path),
        ([file], _) => format!("{mistakes} mistakes in the rule file `{}`", file.path),
        _ => format!("{mistakes} mistakes in {} rule files", wrong.len()),
    }
}

/// The rules of these folders (or files), sorted by id, without the built-in ones. They must not share an id or a name
/// with each other or with a built-in rule.
pub fn team(paths: &[Utf8PathBuf], builtin: &[Arc<Rule>]) -> Result<Vec<Arc<Rule>>, LoadError> {
    let mut files = BTreeMap::new();
    for path in paths {
        let found = texts(path)?;
        if found.is_empty() {
            return Err(TeamError::Empty { path: path.clone() }.into());
        }
        files.extend(found);
    }
    let mut names = Names::of(builtin);
    let (mut rules, mut wrong) = (Vec::new(), Vec::new());
    for (path, text) in files {
        let checked = file::read(&text).and_then(|read| names.take(&path, read));
        match checked {
            Ok(rule) => rules.push(Arc::new(rule)),
            Err(list) => wrong.push(Mistakes { path, text, list }),
        }
    }
    if !wrong.is_empty() {
        return Err(LoadError::Mistakes(wrong));
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(rules)
}

/// Walks without a look at ignore files: no line elsewhere may switch a rule off.
fn texts(path: &Utf8Path) -> Result<Vec<(Utf8PathBuf, String)>, TeamError> {
    let mut files = Vec::new();
    for entry in Tree::new(path.as_std_path()) {
        let unlisted = |(_, error)| TeamError::Folder { path: path.to_owned(), error: describe(error) };
        let entry = entry.map_err(unlisted)?;
        let is_named = entry.depth == 0;
        let is_toml = entry.path.extension().is_some_and(|extension| extension == "toml");
        if entry.kind == Kind::Folder || !(is_toml || is_named) {
            continue;
        }
        let lossy = || entry.path.to_string_lossy().into_owned();
        if entry.kind == Kind::Link {
            return Err(TeamError::Link { path: lossy() });
        }
        let Some(file) = Utf8Path::from_path(&entry.path) else {
            return Err(TeamError::NotUtf8 { path: lossy() });
        };
        let text = read_text(&entry.path, MAX_BYTES)
            .map_err(|error| TeamError::File { path: file.to_owned(), error })?;
        files.push((file.to_owned(), text));
    }
    Ok(files)
}

fn describe(error: ErrorKind) -> String {
    ReadError::Io(error).to_string()
}

/// Ids and names that are taken, each with who has it.
struct Names {
    ids: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
}

impl Names {
    fn of(builtin: &[Arc<Rule>]) -> Self {
        let owner = |rule: &Rule| format!("the built-in rule {}", rule.id);
        Self {
            ids: builtin.iter().map(|rule| (rule.id.clone(), owner(rule))).collect(),
            names: builtin.iter().map(|rule| (rule.name.clone(), owner(rule))).collect(),
        }
    }

    fn take(&mut self, path: &Utf8Path, file: RuleFile) -> Result<Rule, Vec<Mistake>> {
        let RuleFile { rule, id_span, name_span } = file;
        let mut mistakes = Vec::new();
        let owner = format!("a rule in `{path}`");
        let is_reserved =
            rule.id.strip_prefix(BUILTIN).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let taken = self.ids.get(&rule.id);
        if is_reserved || taken.is_some() {
            let message = match taken {
                Some(owner) => format!("`{}` is the id of {owner}", rule.id),
                None => format!("`{}` is an id that only a built-in rule can have", rule.id),
            };
            let help = "a rule of your own adds to the others; give it a prefix of your own: `ACME001`";
            mistakes.push(mistake(id_span, message, help));
        }
        if let Some(owner) = self.names.get(&rule.name) {
            let message = format!("`{}` is the name of {owner}", rule.name);
            mistakes.push(mistake(name_span, message, "say by its name what is different"));
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        self.ids.insert(rule.id.clone(), owner.clone());
        self.names.insert(rule.name.clone(), owner);
        Ok(rule)
    }
}

fn mistake(span: std::ops::Range<usize>, message: String, help: &str) -> Mistake {
    Mistake { span, message, label: "taken".to_owned(), help: Some(help.to_owned()) }
}
