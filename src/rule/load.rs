//! Loads rule files: the folder is the registry, embedded at build time. The same loader will read a team's own rules.

use std::sync::Arc;

use include_dir::{Dir, include_dir};
use thiserror::Error;

use super::Rule;
use super::template::Template;
use crate::catalog::{Catalog, CatalogError};

static RULES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/rules");
const CATALOG: &str = "catalog";
/// Read only where a configuration names one.
const PRESETS: &str = "catalog/presets";

/// A rule file that cannot be used.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("rule file `{file}` is invalid: {source}")]
    Invalid {
        file: String,
        #[source]
        source: Box<toml::de::Error>,
    },
    #[error("rule file `{file}`: {what}")]
    Inconsistent { file: String, what: String },
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

/// Every built-in rule, sorted by id.
pub fn builtin() -> Result<Vec<Arc<Rule>>, LoadError> {
    let mut rules = Vec::new();
    for (file, text) in embedded_rules() {
        rules.push(Arc::new(parse(file, text)?));
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(rules)
}

/// The built-in catalogue.
pub fn builtin_catalog() -> Result<Catalog, LoadError> {
    let files = embedded().into_iter().filter(|(file, _)| {
        let path = std::path::Path::new(file);
        path.starts_with(CATALOG) && !path.starts_with(PRESETS)
    });
    Ok(Catalog::load(files)?)
}

/// The built-in rule files: (path below `rules/`, text), sorted by path.
pub fn embedded_rules() -> Vec<(&'static str, &'static str)> {
    embedded().into_iter().filter(|(file, _)| !file.starts_with(CATALOG)).collect()
}

fn embedded() -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    let mut folders = vec![&RULES];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        let tomls = folder.files().filter(|file| file.path().extension().is_some_and(|e| e == "toml"));
        files.extend(tomls.filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?))));
    }
    files.sort_unstable();
    files
}

/// Reads one rule file and checks that what it says fits together.
pub fn parse(file: &str, text: &str) -> Result<Rule, LoadError> {
    let rule: Rule = toml::from_str(text)
        .map_err(|source| LoadError::Invalid { file: file.to_owned(), source: Box::new(source) })?;
    let inconsistent = |what: String| Err(LoadError::Inconsistent { file: file.to_owned(), what });
    if rule.matches.is_empty() {
        return inconsistent("it has no `[[match]]`, so it can never report".to_owned());
    }
    let template = Template::new(&rule.message);
    for matcher in &rule.matches {
        let offered = matcher.captures();
        if let Some(unknown) = template.captures().find(|capture| !offered.contains(capture)) {
            let offered = offered.join("`, `");
            return inconsistent(format!(
                "`{{{unknown}}}` in `message` is no capture; there are `{offered}`"
            ));
        }
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_loads() {
        let rules = builtin().expect("built-in rules are valid");
        assert!(rules.iter().any(|rule| rule.id == "GL201"));
        builtin_catalog().expect("built-in catalogue is valid");
    }

    #[test]
    fn a_message_names_only_what_the_matcher_captures() {
        let text =
            embedded_rules().into_iter().find(|(file, _)| file.contains("GL201")).expect("it is there").1;
        let wrong = text.replace("{function}", "{nonsense}");
        let error = parse("x.toml", &wrong).expect_err("`nonsense` is no capture");
        assert!(error.to_string().contains("`{nonsense}`"), "{error}");
    }
}
