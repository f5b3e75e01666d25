//! The vocabulary of action gates: who judges what a model wants to do, how an answer is spelled, and what runs a tool that
//! is named at run time. The lists are data (`rules/catalog/actions.toml`).

use std::borrow::Cow;

use serde::Deserialize;

use super::classes::words_of_name;
use super::globs::{Globs, plain, snake_case};
use super::pattern::PatternSet;
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
    arguments: Globs,
    tables: Globs,
    runs: Globs,
    approving: Globs,
    never: Globs,
    on: Globs,
    off: Globs,
    needed: Globs,
    policies: Globs,
    allow_all: Globs,
}

/// `[[action_gate]]`, `[[executor]]`: some functions, by the object whose methods they are, by their own name, or by path.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNamed {
    object: Globs,
    method: Globs,
    function: Globs,
    path: Vec<String>,
    of_words: bool,
    given: Vec<String>,
    refusals: Vec<String>,
}

/// Whether some name of what a function is given, or takes, fits.
pub type Speaks<'s> = &'s dyn Fn(&dyn Fn(&str) -> bool) -> bool;

/// Functions by their names.
#[derive(Clone, Debug, Default)]
struct NamedFunctions {
    objects: Globs,
    methods: Globs,
    functions: Globs,
    paths: PatternSet,
    /// Of names with many meanings: words of what they are given.
    given: Vec<String>,
    /// Every word by which they say no.
    refusals: Vec<String>,
}

/// What is known of the gates of actions.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// The words of an answer.
    pub words: Vocabulary,
    yes: Vec<String>,
    no: Vec<String>,
    verdict: Vec<String>,
    arguments: Globs,
    tables: Globs,
    runs: Globs,
    approving: Globs,
    never: Globs,
    on: Globs,
    off: Globs,
    needed: Globs,
    policies: Globs,
    allow_all: Globs,
    gates: Vec<NamedFunctions>,
    /// Gates only where their answer is compared with a word, …
    of_words: PatternSet,
    /// … by their last names.
    word_askers: Globs,
    not_gates: Globs,
    executors: Vec<NamedFunctions>,
}

impl Actions {
    pub(super) fn add(&mut self, raw: RawActions) {
        if !raw.open.is_empty() {
            self.words = Vocabulary::of_rule(Globs::default(), raw.open, raw.closed);
        }
        self.yes.extend(raw.yes);
        self.no.extend(raw.no);
        self.verdict.extend(raw.verdict);
        self.arguments.extend(raw.arguments);
        self.tables.extend(raw.tables);
        self.runs.extend(raw.runs);
        self.approving.extend(raw.approving);
        self.never.extend(raw.never);
        self.on.extend(raw.on);
        self.off.extend(raw.off);
        self.needed.extend(raw.needed);
        self.policies.extend(raw.policies);
        self.allow_all.extend(raw.allow_all);
    }

    pub(super) fn add_gate(&mut self, raw: RawNamed) {
        match raw.of_words {
            true => {
                let last = |path: &String| names(path).1.to_owned();
                self.word_askers.extend(raw.path.iter().map(last));
                raw.path.iter().for_each(|path| self.of_words.insert(path));
            }
            false => self.gates.push(raw.into()),
        }
    }

    pub(super) fn add_no_gate(&mut self, raw: RawNamed) {
        self.not_gates.extend(raw.object);
    }

    pub(super) fn add_executor(&mut self, raw: RawNamed) {
        self.executors.push(raw.into());
    }

    /// By the path of a function.
    pub fn is_gate(&self, path: &str, speaks: Speaks<'_>) -> bool {
        self.gates.iter().any(|gate| gate.paths.matches(path)) || self.is_gate_name(path, speaks)
    }

    /// True for the name of an object that judges.
    pub fn is_gate_object(&self, name: &str) -> bool {
        self.gates.iter().any(|gate| gate.objects.fit_plain(name))
            || self.is_policy(name)
            || self.allows_all(name)
    }

    /// By its last name with the one of its object, as written: `sentinel.check`.
    pub fn is_gate_name(&self, spelled: &str, speaks: Speaks<'_>) -> bool {
        let spelled = Spelled::of(spelled);
        let is_other = || spelled.object.as_ref().is_some_and(|object| self.not_gates.fit(object));
        self.gates.iter().any(|gate| gate.is_meant(&spelled, speaks)) && !is_other()
    }

    /// Every word by which a gate of a library says no, if that is known: what is none of some of them may be another one.
    pub fn refusals(&self, path: &str) -> &[String] {
        let known = self.gates.iter().find(|gate| !gate.refusals.is_empty() && gate.paths.matches(path));
        known.map_or(&[], |gate| &gate.refusals)
    }

    /// True for a text that the name of a gate may end with, or that of its object.
    pub fn may_spell_gate(&self, text: &str) -> bool {
        let name = plain(text);
        let ends = |gate: &NamedFunctions| gate.methods.fit(&name) || gate.functions.fit(&name);
        self.word_askers.fit(&name) || self.gates.iter().any(ends)
    }

    /// A library function that hands back what a person types.
    pub fn asks_for_words(&self, path: &str) -> bool {
        self.of_words.matches(path)
    }

    /// True for what runs a tool that is named at run time, by its path or as it is written.
    pub fn is_executor(&self, path: &str, speaks: Speaks<'_>) -> bool {
        let spelled = Spelled::of(path);
        self.executors.iter().any(|known| known.paths.matches(path) || known.is_meant(&spelled, speaks))
    }

    /// True for the name of a table of tools.
    pub fn is_table(&self, name: &str) -> bool {
        self.tables.fit_plain(name)
    }

    /// A method by which an entry of such a table runs.
    pub fn runs_entry(&self, method: &str) -> bool {
        self.runs.fit_plain(method)
    }

    /// True for the name of what a tool is given by whoever asks for it.
    pub fn is_arguments(&self, name: &str) -> bool {
        self.arguments.fit_plain(name)
    }

    /// An option of a tool's registration by which the framework asks somebody before the tool runs.
    pub fn asks_by_option(&self, name: &str) -> bool {
        self.approving.fit_plain(name)
    }

    /// A word of such an option by which the framework asks nobody.
    pub fn asks_never(&self, word: &str) -> bool {
        self.never.fit_plain(word)
    }

    /// The name of a switch of a gate: whether it is on where that is true.
    pub fn switches(&self, name: &str) -> Option<bool> {
        match self.on.fit_plain(name) {
            true => Some(true),
            false => self.off.fit_plain(name).then_some(false),
        }
    }

    /// True for the name of what a judge cannot judge without: the request, the mission, the answer of a model.
    pub fn is_needed(&self, name: &str) -> bool {
        self.needed.fit_plain(name)
    }

    /// True for the name of an object that says by rules which tools may run.
    pub fn is_policy(&self, name: &str) -> bool {
        self.policies.fit_plain(name)
    }

    /// True for the name of what allows whatever comes, and says so.
    pub fn allows_all(&self, name: &str) -> bool {
        self.allow_all.fit_plain(name)
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

impl From<RawNamed> for NamedFunctions {
    fn from(raw: RawNamed) -> Self {
        let mut paths = PatternSet::default();
        raw.path.iter().for_each(|path| paths.insert(path));
        let RawNamed { object, method, function, given, refusals, .. } = raw;
        Self { objects: object, methods: method, functions: function, paths, given, refusals }
    }
}

impl NamedFunctions {
    fn is_meant(&self, spelled: &Spelled<'_>, speaks: Speaks<'_>) -> bool {
        let has_word = |name: &str| words_of_name(name).iter().any(|word| self.given.contains(word));
        self.has_name(spelled) && (self.given.is_empty() || speaks(&has_word))
    }

    fn has_name(&self, spelled: &Spelled<'_>) -> bool {
        let is_method = |object: &str| self.methods.fit(&spelled.name) && self.objects.fit(object);
        self.functions.fit(&spelled.name) || spelled.object.as_deref().is_some_and(is_method)
    }
}

/// The last names of a path, as patterns are held against them.
struct Spelled<'s> {
    object: Option<Cow<'s, str>>,
    name: Cow<'s, str>,
}

impl<'s> Spelled<'s> {
    fn of(spelled: &'s str) -> Self {
        let (object, name) = names(spelled);
        Self { object: object.map(plain), name: plain(name) }
    }
}

/// The last name of a path or a spelling, and the one before it.
fn names(spelled: &str) -> (Option<&str>, &str) {
    match spelled.rsplit_once('.') {
        Some((before, name)) => (Some(before.rsplit('.').next().unwrap_or(before)), name),
        None => (None, spelled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions() -> Actions {
        let mut actions = Actions::default();
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Globs>();
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
        assert!(actions.is_gate("atlas.guards.ActionSentinel.check_call", &|_| false));
        assert!(actions.is_gate_name("_sentinel.check", &|_| false));
        assert!(!actions.is_gate_name("phase_sentinel.check", &|_| false));
        assert!(!actions.is_gate_name("check", &|_| false));
        assert!(actions.is_executor("atlas.runner.runSkill", &|_| false));
    }
}
