//! The rules and the catalogue that come with gatelint: the folder `rules/` is the registry, embedded at build time.

use std::collections::BTreeSet;
use std::sync::Arc;

use include_dir::{Dir, include_dir};

use super::examples::{self, Examples};
use super::team::LoadError;
use super::{Rule, file, names};
use crate::catalog::Catalog;
use crate::config::{Mistakes, RuleNames};
use crate::parallel::Lazy;

static RULES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/rules");
/// What the build has made of the files of the catalogue.
static CATALOG: &str = include_str!(concat!(env!("OUT_DIR"), "/catalog.json"));
const FORMS: &str = "catalog/declarations.toml";

/// Every built-in rule, sorted by id.
pub fn builtin() -> Result<Vec<Arc<Rule>>, LoadError> {
    let (mut rules, mut wrong) = (Vec::new(), Vec::new());
    for (path, text) in embedded_rules() {
        let (head, examples) = examples::split(text);
        match file::read(head) {
            Ok(read) => rules
                .push(Arc::new(Rule { examples: Examples::later(examples, file::examples), ..read.rule })),
            Err(list) => wrong.push(Mistakes { path: path.into(), text: head.to_owned(), list }),
        }
    }
    if !wrong.is_empty() {
        return Err(LoadError::Mistakes(wrong));
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(rules)
}

/// What they are called.
pub fn builtin_names() -> &'static RuleNames {
    static NAMES: Lazy<RuleNames> = Lazy::new();
    NAMES.of(|| names(&builtin().unwrap_or_default()))
}

/// The built-in catalogue.
pub fn builtin_catalog() -> Result<Catalog, LoadError> {
    Ok(Catalog::load_built(CATALOG)?)
}

/// What a rule can ask for of the forms of records.
pub fn record_parts() -> &'static BTreeSet<String> {
    static PARTS: Lazy<BTreeSet<String>> = Lazy::new();
    PARTS.of(|| {
        let text = embedded().into_iter().find(|(file, _)| *file == FORMS).map_or("", |(_, text)| text);
        let catalog = Catalog::load([(FORMS, text)]).unwrap_or_default();
        catalog.records.parts().into_iter().map(str::to_owned).collect()
    })
}

/// The built-in rule files: (path below `rules/`, text), sorted by path.
pub fn embedded_rules() -> Vec<(&'static str, &'static str)> {
    embedded().into_iter().filter(|(file, _)| !file.starts_with("catalog")).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_loads() {
        let rules = builtin().unwrap_or_else(|error| panic!("{error:#?}"));
        assert!(rules.iter().any(|rule| rule.id == "GL201"));
        for (path, text) in embedded_rules() {
            let whole = file::read(text).unwrap_or_else(|mistakes| panic!("{path}: {mistakes:#?}")).rule;
            let parted = rules.iter().find(|rule| rule.id == whole.id).expect("it was read");
            assert!(!whole.examples.is_empty(), "{path}");
            let parted = Rule { examples: parted.examples.to_vec().into(), ..(**parted).clone() };
            assert_eq!(format!("{whole:?}"), format!("{parted:?}"), "{path}");
        }
        builtin_catalog().expect("built-in catalogue is valid");
    }

    #[test]
    fn a_message_names_only_what_the_matcher_captures() {
        let text =
            embedded_rules().into_iter().find(|(file, _)| file.contains("GL201")).expect("it is there").1;
        let mistakes = file::read(&text.replace("{function}", "{nonsense}")).expect_err("it is no capture");
        assert_eq!(mistakes[0].message, "`{nonsense}` is no capture");
    }
}
