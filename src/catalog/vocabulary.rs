//! Vocabularies: how a value is called, and which constants it can be. The words of the phase are data
//! (`rules/catalog/phase.toml`); a team's rule brings its own. Knows no program.

use serde::Deserialize;

use super::globs::{Globs, plain, snake_case};
use super::pattern::PatternSet;

/// `[phase]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVocabulary {
    names: Globs,
    names_if_deciding: Globs,
    open: Vec<String>,
    closed: Vec<String>,
    gates: Vec<String>,
    gate_names: Globs,
    promises: Globs,
    exempt_calls: Globs,
    record_classes: Globs,
    declared_under: String,
    only_tell: Globs,
    run_coroutines: Vec<String>,
    await_coroutines: Vec<String>,
    keep_exceptions: Vec<String>,
    swallow: Vec<String>,
    enter_contexts: Vec<String>,
    same_word: Vec<String>,
    same_word_calls: Vec<String>,
    says_what_equals: Vec<String>,
}

/// The words for one value.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    names: Globs,
    names_if_deciding: Globs,
    /// The constants that are looked for: what opens the gate.
    pub open: Vec<String>,
    /// The constants that close it.
    pub closed: Vec<String>,
    gates: PatternSet,
    gate_names: Globs,
    /// What such a name begins with: the receiver's, or the name itself.
    gate_spellings: Globs,
    promises: Globs,
    exempt_calls: Globs,
    record_classes: Globs,
    declared_under: Option<String>,
    only_tell: Globs,
    run_coroutines: PatternSet,
    await_coroutines: PatternSet,
    keep_exceptions: Vec<String>,
    swallow: PatternSet,
    enter_contexts: PatternSet,
    same_word: Vec<String>,
    same_word_calls: PatternSet,
    says_what_equals: Vec<String>,
    /// What a rule names itself, as patterns.
    open_like: Globs,
}

/// How much a name says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Naming {
    /// It has other meanings, too: it counts where a decision hangs on the value.
    IfDeciding,
    Always,
}

/// `[[fallback]]`: a call that reads a value under a key and has another one for when there is none.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    call: Globs,
    pub key: usize,
    pub default: usize,
    /// Every later reader gets the default, too.
    #[serde(default)]
    pub declares: bool,
}

impl Fallback {
    /// `spelled` is the last name with its receiver's, as written: `environ.get`.
    pub fn matches(&self, spelled: &str) -> bool {
        self.call.fit(spelled)
    }
}

impl RawVocabulary {
    pub(super) fn compile(self) -> Vocabulary {
        let first = |glob: &String| glob.split('.').next().unwrap_or(glob).to_owned();
        let is_named = |glob: &&String| !glob.starts_with("*.");
        Vocabulary {
            gate_spellings: self.gate_names.iter().filter(is_named).map(first).collect(),
            names: self.names,
            names_if_deciding: self.names_if_deciding,
            open: self.open,
            closed: self.closed,
            gates: PatternSet::new(&self.gates),
            gate_names: self.gate_names,
            promises: self.promises,
            exempt_calls: self.exempt_calls,
            record_classes: self.record_classes,
            declared_under: Some(self.declared_under),
            only_tell: self.only_tell,
            run_coroutines: PatternSet::new(&self.run_coroutines),
            await_coroutines: PatternSet::new(&self.await_coroutines),
            keep_exceptions: self.keep_exceptions,
            swallow: PatternSet::new(&self.swallow),
            enter_contexts: PatternSet::new(&self.enter_contexts),
            same_word: self.same_word,
            same_word_calls: PatternSet::new(&self.same_word_calls),
            says_what_equals: self.says_what_equals,
            open_like: Globs::default(),
        }
    }
}

impl Vocabulary {
    /// What a rule says by itself: names that always count.
    pub fn of_rule(names: Globs, open: Vec<String>, closed: Vec<String>) -> Self {
        let open_like = open.iter().filter(|word| word.len() > 1).cloned().collect();
        Self { names, open, closed, open_like, ..Self::default() }
    }

    /// True for a constant that is looked for. What a rule names itself is read in snake_case, and may be a pattern.
    pub fn opens(&self, text: &str) -> bool {
        self.open.iter().any(|word| word == text) || self.open_like.fit(&snake_case(text))
    }

    pub fn naming(&self, name: &str) -> Option<Naming> {
        let name = plain(name);
        match self.names.fit(&name) {
            true => Some(Naming::Always),
            false => self.names_if_deciding.fit(&name).then_some(Naming::IfDeciding),
        }
    }

    /// True if some names count only where a decision hangs on them.
    pub fn asks_who_decides(&self) -> bool {
        !self.names_if_deciding.is_empty()
    }

    pub fn is_word(&self, text: &str) -> bool {
        self.open.iter().chain(&self.closed).any(|word| word == text)
    }

    /// The word that opens the gate.
    pub fn is_open(&self, text: &str) -> bool {
        self.open.iter().any(|word| word == text)
    }

    /// A gate of this name answers, and leaves it to the caller to stop.
    pub fn only_tells(&self, last_name: &str) -> bool {
        self.only_tell.fit_plain(last_name)
    }

    /// A library function that runs the coroutine it is given before it comes back.
    pub fn runs_coroutine(&self, path: &str) -> bool {
        self.run_coroutines.matches(path)
    }

    /// A function whose result, awaited, has run the coroutines that it was given.
    pub fn awaits_coroutines(&self, path: &str) -> bool {
        self.await_coroutines.matches(path)
    }

    /// An argument by which exceptions become results.
    pub fn keeps_exceptions(&self, argument: &str) -> bool {
        self.keep_exceptions.iter().any(|known| known == argument)
    }

    /// A context manager that lets no exception out.
    pub fn swallows(&self, path: &str) -> bool {
        self.swallow.matches(path)
    }

    /// A library function that enters the context manager it is given.
    pub fn enters_contexts(&self, path: &str) -> bool {
        self.enter_contexts.matches(path)
    }

    /// `phase.lower()`, `Phase.EXECUTION.value`: the same word in another form.
    pub fn is_same_word(&self, name: &str) -> bool {
        self.same_word.iter().any(|known| known == name)
    }

    /// A library function that hands back its last argument, in another form.
    pub fn hands_word_back(&self, path: &str) -> bool {
        self.same_word_calls.matches(path)
    }

    /// The methods by which a class decides what its objects are made of, and what they are equal to.
    pub fn says_what_equals(&self) -> impl Iterator<Item = &str> {
        self.says_what_equals.iter().map(String::as_str)
    }

    /// By the path that a callee resolved to.
    pub fn is_gate(&self, path: &str) -> bool {
        self.gates.matches(path)
    }

    /// By its last name with its receiver's, as written.
    pub fn is_gate_name(&self, spelled: &str) -> bool {
        self.gate_names.fit(spelled.trim_start_matches('_'))
    }

    /// True for a function that says by its name that it refuses: a method of a gate with such a name, or a function that
    /// is a gate by its own.
    pub fn promises_gate(&self, path: &str, spelled: &str, name: &str) -> bool {
        let bare = name.trim_start_matches('_');
        let is_own_gate = !spelled.starts_with(char::is_uppercase) && self.is_gate_name(bare);
        is_own_gate || (self.is_gate(path) && self.promises.fit_plain(name))
    }

    /// True for a name that a gate may be spelled with: its receiver's, or its own.
    pub fn may_spell_gate(&self, name: &str) -> bool {
        self.gate_spellings.fit(name.trim_start_matches('_'))
    }

    pub fn is_exempt_call(&self, last_name: &str) -> bool {
        self.exempt_calls.fit_plain(last_name)
    }

    pub fn is_record_class(&self, name: &str) -> bool {
        self.record_classes.fit(name)
    }

    /// The key beside which the value belongs to a declaration.
    pub fn declares(&self, key: &str) -> bool {
        self.declared_under.as_deref() == Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_snake_case() {
        let words = Vocabulary {
            names: vec!["execution_phase".into(), "*_execution_phase".into()].into(),
            names_if_deciding: vec!["phase".into(), "*_phase".into()].into(),
            ..Vocabulary::default()
        };
        for name in ["execution_phase", "executionPhase", "_execution_phase", "AGENT_EXECUTION_PHASE"] {
            assert_eq!(words.naming(name), Some(Naming::Always), "{name}");
        }
        for name in ["phase", "currentPhase", "APP_PHASE"] {
            assert_eq!(words.naming(name), Some(Naming::IfDeciding), "{name}");
        }
        for name in ["phases", "phase_of", "emphase", ""] {
            assert_eq!(words.naming(name), None, "{name}");
        }
    }
}
