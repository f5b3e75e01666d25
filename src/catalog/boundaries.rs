//! Words for the places where gates stand: names that say what a function is, what a refusal and an agreement look like,
//! and which calls hand a result on. The lists are data (`rules/catalog/gates.toml`).

use serde::Deserialize;

use super::globs::Globs;
use super::globs::snake_case;
use super::pattern::PatternSet;

/// `[boundaries]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBoundaries {
    #[serde(default)]
    guard_classes: Globs,
    #[serde(default)]
    channel_words: Vec<String>,
    #[serde(default)]
    examples: Globs,
    #[serde(default)]
    success_keys: Vec<String>,
    #[serde(default)]
    success_words: Vec<String>,
    #[serde(default)]
    denial_keys: Vec<String>,
    #[serde(default)]
    denial_words: Vec<String>,
    #[serde(default)]
    hands_on: Vec<String>,
    #[serde(default)]
    prepare: Vec<String>,
    #[serde(default)]
    attribution_checks: Vec<String>,
    #[serde(default)]
    never_return: Vec<String>,
    #[serde(default)]
    stand_ins: Vec<String>,
    #[serde(default)]
    undecorated: Vec<String>,
    #[serde(default)]
    undecorates: Vec<String>,
}

/// What stands at a boundary.
#[derive(Clone, Debug, Default)]
pub struct Boundaries {
    guard_classes: Globs,
    channel_words: Vec<String>,
    examples: Globs,
    success_keys: Vec<String>,
    success_words: Vec<String>,
    denial_keys: Vec<String>,
    denial_words: Vec<String>,
    hands_on: PatternSet,
    prepare: PatternSet,
    attribution_checks: PatternSet,
    never_return: PatternSet,
    stand_ins: PatternSet,
    undecorated: Vec<String>,
    undecorates: PatternSet,
    undecorating: Vec<String>,
}

impl Boundaries {
    pub(super) fn add(&mut self, raw: RawBoundaries) {
        self.guard_classes.extend(raw.guard_classes);
        self.channel_words.extend(raw.channel_words);
        self.examples.extend(raw.examples);
        self.success_keys.extend(raw.success_keys);
        self.success_words.extend(raw.success_words);
        self.denial_keys.extend(raw.denial_keys);
        self.denial_words.extend(raw.denial_words);
        raw.attribution_checks.iter().for_each(|path| self.attribution_checks.insert(path));
        raw.never_return.iter().for_each(|path| self.never_return.insert(path));
        raw.stand_ins.iter().for_each(|path| self.stand_ins.insert(path));
        self.undecorated.extend(raw.undecorated);
        raw.undecorates.iter().for_each(|path| self.undecorates.insert(path));
        let last = |path: &String| path.rsplit('.').next().unwrap_or(path).to_owned();
        self.undecorating.extend(raw.undecorates.iter().map(last));
        raw.prepare.iter().for_each(|path| self.prepare.insert(path));
        raw.hands_on.iter().for_each(|path| self.hands_on.insert(path));
    }

    /// A class that guards, whatever its methods do.
    pub fn is_guard_class(&self, name: &str) -> bool {
        self.guard_classes.fit(name)
    }

    /// A name that says that it is the sanctioned channel: one of its words does.
    pub fn says_channel(&self, name: &str) -> bool {
        snake_case(name).split('_').any(|word| self.channel_words.iter().any(|known| known == word))
    }

    /// Code that shows how something is used, by a folder or a file of its path.
    pub fn is_example(&self, path: &str) -> bool {
        path.split('/').any(|part| self.examples.fit(part))
    }

    /// A key that says, being true, that all went well.
    pub fn is_success_key(&self, key: &str) -> bool {
        self.success_keys.iter().any(|known| known == key)
    }

    /// A text that says that all went well.
    pub fn is_success_word(&self, word: &str) -> bool {
        self.success_words.iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// A key that is there only if something went wrong.
    pub fn is_denial_key(&self, key: &str) -> bool {
        self.denial_keys.iter().any(|known| known == key)
    }

    /// A text that says that something was refused or failed.
    pub fn is_denial_word(&self, word: &str) -> bool {
        self.denial_words.iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// A function that raises if content does not say where it comes from.
    pub fn checks_attribution(&self, path: &str) -> bool {
        self.attribution_checks.matches(path)
    }

    /// An object of a library that takes any call, and what is called of it.
    pub fn stands_in(&self, path: &str) -> bool {
        self.stand_ins.matches(path)
    }

    /// The attribute of a decorated function that is the function itself.
    pub fn is_undecorated(&self, attribute: &str) -> bool {
        self.undecorated.iter().any(|known| known == attribute)
    }

    /// A name that such an attribute or function may be written with.
    pub fn may_undecorate(&self, name: &str) -> bool {
        self.is_undecorated(name) || self.undecorating.iter().any(|known| known == name)
    }

    /// A library function that hands back the function behind its decorators.
    pub fn undecorates(&self, path: &str) -> bool {
        self.undecorates.matches(path)
    }

    /// A library function that makes a callable of a callable and some arguments.
    pub fn prepares(&self, path: &str) -> bool {
        self.prepare.matches(path)
    }

    /// A library function that ends the program.
    pub fn never_returns(&self, path: &str) -> bool {
        self.never_return.matches(path)
    }

    /// A library call whose result is that of what it is given to run.
    pub fn hands_result_on(&self, path: &str) -> bool {
        self.hands_on.matches(path)
    }
}
