//! The vocabulary of action gates: who judges what a model wants to do, how an answer is spelled, and what runs a tool that
//! is named at run time. The lists are data (`rules/catalog/actions.toml`).

use serde::Deserialize;

use super::classes::words_of_name;
use super::pattern::{PatternSet, wildcard};
use super::selector::snake_case;
use super::vocabulary::Vocabulary;

/// `[actions]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawActions {
    open: Vec<String>,
    closed: Vec<String>,
    yes: Vec<String>,
    no: Vec<String>,
    verdict: Vec<String>,
}

/// `[[action_gate]]`, `[[executor]]`: some functions, by the object whose methods they are, by their own name, or by path.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNamed {
    object: Vec<String>,
    method: Vec<String>,
    function: Vec<String>,
    path: Vec<String>,
    of_words: bool,
    given: Vec<String>,
}

/// Functions by their names.
#[derive(Clone, Debug, Default)]
struct NamedFunctions {
    methods: Vec<(Vec<String>, Vec<String>)>,
    functions: Vec<String>,
    paths: PatternSet,
}

/// What is known of the gates of actions.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// The words of an answer.
    pub words: Vocabulary,
    yes: Vec<String>,
    no: Vec<String>,
    verdict: Vec<String>,
    gates: NamedFunctions,
    /// Gates only where their answer is compared with a word, …
    of_words: PatternSet,
    /// … by their last names.
    word_askers: Vec<String>,
    not_gates: Vec<String>,
    executors: NamedFunctions,
    /// Those of many meanings, and words of what they are given.
    others: Vec<(NamedFunctions, Vec<String>)>,
}

impl Actions {
    pub(super) fn add(&mut self, raw: RawActions) {
        if !raw.open.is_empty() {
            self.words = Vocabulary::of_rule(Vec::new(), raw.open, raw.closed);
        }
        self.yes.extend(raw.yes);
        self.no.extend(raw.no);
        self.verdict.extend(raw.verdict);
    }

    pub(super) fn add_gate(&mut self, raw: RawNamed) {
        match raw.of_words {
            true => {
                let last = |path: &String| names(path).1.to_owned();
                self.word_askers.extend(raw.path.iter().map(last));
                raw.path.iter().for_each(|path| self.of_words.insert(path));
            }
            false => self.gates.add(raw),
        }
    }

    pub(super) fn add_no_gate(&mut self, raw: RawNamed) {
        self.not_gates.extend(raw.object);
    }

    pub(super) fn add_executor(&mut self, raw: RawNamed) {
        let given = raw.given.clone();
        if given.is_empty() {
            return self.executors.add(raw);
        }
        let mut named = NamedFunctions::default();
        named.add(raw);
        self.others.push((named, given));
    }

    /// By the path of a function.
    pub fn is_gate(&self, path: &str) -> bool {
        self.gates.has_path(path) || self.is_gate_name(path)
    }

    /// By its last name with the one of its object, as written: `sentinel.check`.
    pub fn is_gate_name(&self, spelled: &str) -> bool {
        let (object, _) = names(spelled);
        let is_other = object.is_some_and(|object| fits(&self.not_gates, object));
        !is_other && self.gates.has_name(spelled)
    }

    /// True for a text that the name of a gate may end with, or that of its object.
    pub fn may_spell_gate(&self, text: &str) -> bool {
        let of_methods = self.gates.methods.iter().flat_map(|(_, methods)| methods);
        fits_any(of_methods.chain(&self.gates.functions).chain(&self.word_askers), text)
    }

    /// A library function that hands back what a person types.
    pub fn asks_for_words(&self, path: &str) -> bool {
        self.of_words.matches(path)
    }

    /// True for what runs a tool that is named at run time, by its path or as it is written. `is_given`: whether some
    /// name of what it is given fits.
    pub fn is_executor(&self, path: &str, is_given: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> bool {
        self.executors.has_path(path)
            || self.executors.has_name(path)
            || self.others.iter().any(|(named, given)| {
                let speaks = |name: &str| words_of_name(name).iter().any(|word| given.contains(word));
                named.has_name(path) && is_given(&speaks)
            })
    }

    /// What a word of an answer says.
    pub fn says(&self, word: &str) -> Option<bool> {
        let word = snake_case(word.trim());
        let has = |words: &[String]| words.iter().any(|known| *known == word);
        match has(&self.words.open) {
            true => Some(true),
            false => has(&self.words.closed).then_some(false),
        }
    }

    /// What a part of an answer says if it is true, by its name.
    pub fn says_if_true(&self, part: &str) -> Option<bool> {
        let part = snake_case(part);
        let has = |words: &[String]| words.iter().any(|known| *known == part);
        match has(&self.yes) {
            true => Some(true),
            false => has(&self.no).then_some(false),
        }
    }

    /// A part of an answer that holds its word.
    pub fn holds_word(&self, part: &str) -> bool {
        let part = snake_case(part);
        self.verdict.iter().any(|known| *known == part)
    }
}

impl NamedFunctions {
    fn add(&mut self, raw: RawNamed) {
        raw.path.iter().for_each(|path| self.paths.insert(path));
        self.functions.extend(raw.function);
        if !raw.object.is_empty() {
            self.methods.push((raw.object, raw.method));
        }
    }

    fn has_path(&self, path: &str) -> bool {
        self.paths.matches(path)
    }

    fn has_name(&self, spelled: &str) -> bool {
        let (object, name) = names(spelled);
        let of_object = |object: &str| {
            let mut entries = self.methods.iter();
            entries.any(|(objects, methods)| fits(methods, name) && fits(objects, object))
        };
        fits(&self.functions, name) || object.is_some_and(of_object)
    }
}

/// The last name of a path or a spelling, and the one before it.
fn names(spelled: &str) -> (Option<&str>, &str) {
    match spelled.rsplit_once('.') {
        Some((before, name)) => (Some(before.rsplit('.').next().unwrap_or(before)), name),
        None => (None, spelled),
    }
}

fn fits(globs: &[String], name: &str) -> bool {
    fits_any(globs.iter(), name)
}

fn fits_any<'g>(mut globs: impl Iterator<Item = &'g String>, name: &str) -> bool {
    let name = snake_case(name.trim_start_matches('_'));
    globs.any(|glob| wildcard(glob, &name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions() -> Actions {
        let mut actions = Actions::default();
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        actions.add_gate(RawNamed {
            object: list(&["*sentinel"]),
            method: list(&["check*"]),
            ..RawNamed::default()
        });
        actions.add_no_gate(RawNamed { object: list(&["phase_*"]), ..RawNamed::default() });
        actions.add_executor(RawNamed { function: list(&["run_skill"]), ..RawNamed::default() });
        actions
    }

    #[test]
    fn objects_and_methods_are_read_in_snake_case() {
        let actions = actions();
        assert!(actions.is_gate("atlas.guards.ActionSentinel.check_call"));
        assert!(actions.is_gate_name("_sentinel.check"));
        assert!(!actions.is_gate_name("phase_sentinel.check"));
        assert!(!actions.is_gate_name("check"));
        assert!(actions.is_executor("atlas.runner.runSkill", |_| false));
    }
}
