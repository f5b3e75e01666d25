//! What tells which class a tool is of, as the catalogue has it (`rules/catalog/tools.toml`): the words of annotations, and
//! names as the last resort.

use memchr::memchr2_iter;
use serde::Deserialize;

use super::globs::{Globs, Letters};
use super::pattern::PatternSet;

/// `[tool_classes]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassWords {
    /// The class itself, as a word.
    pub sensitivity: Vec<String>,
    /// Flags.
    pub internal: Vec<String>,
    pub external: Vec<String>,
    pub open_world: Vec<String>,
    pub read_only: Vec<String>,
    /// What calling the tool does that cannot be taken back: as a word, and as a flag.
    pub irreversibility: Vec<String>,
    pub destructive: Vec<String>,
    /// What holds the name of a tool.
    pub names: Vec<String>,
    /// What holds such flags: arguments, methods of builders, attributes of classes.
    pub annotations: Vec<String>,
    /// Frameworks whose tools reach outside unless they say otherwise.
    pub open_by_default: Vec<String>,
    /// Frameworks that hold what a model writes against the types of the parameters.
    pub enforce: Vec<String>,
    /// Types of which a model can make nothing else.
    pub closed: Vec<String>,
    /// Types of parameters that the framework fills.
    pub injected: Globs,
    /// Calls that start a process which changes nothing, and command lines of such.
    pub reading_calls: PatternSet,
    pub reading_commands: Globs,
}

/// What a flag or a word of an annotation says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassWord {
    Sensitivity,
    Internal,
    External,
    OpenWorld,
    ReadOnly,
    Irreversibility,
    Destructive,
}

impl ClassWords {
    /// True for a framework that refuses arguments whose types do not fit.
    pub fn enforces(&self, framework: &str) -> bool {
        self.enforce.iter().any(|known| known == framework)
    }

    /// True for the name of a type whose values are no text: `int`.
    pub fn is_closed(&self, name: &str) -> bool {
        self.closed.iter().any(|known| known == name)
    }

    /// True for a call whose process changes nothing: `git.Repo.git.status`.
    pub fn only_reads(&self, path: &str) -> bool {
        self.reading_calls.matches(path)
    }

    /// True for a command line that changes nothing: `git status --short`. One that does more than one thing is none.
    pub fn is_reading(&self, command: &str) -> bool {
        let is_one = !command.contains([';', '|', '&', '>', '`', '$', '\n']);
        is_one && self.reading_commands.fit(command.trim())
    }

    /// True for the name of a type that a framework hands to a tool: `RunContext`.
    pub fn is_injected(&self, name: &str) -> bool {
        self.injected.fit(name)
    }

    pub fn of(&self, word: &str) -> Option<ClassWord> {
        self.lists()
            .into_iter()
            .find(|(words, _)| words.iter().any(|known| known == word))
            .map(|(_, means)| means)
    }

    fn lists(&self) -> [(&Vec<String>, ClassWord); 7] {
        [
            (&self.sensitivity, ClassWord::Sensitivity),
            (&self.internal, ClassWord::Internal),
            (&self.external, ClassWord::External),
            (&self.open_world, ClassWord::OpenWorld),
            (&self.read_only, ClassWord::ReadOnly),
            (&self.irreversibility, ClassWord::Irreversibility),
            (&self.destructive, ClassWord::Destructive),
        ]
    }

    pub fn is_annotations(&self, word: &str) -> bool {
        self.annotations.iter().any(|known| known == word)
    }

    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.lists().into_iter().flat_map(|(words, _)| words)
    }

    pub(super) fn append(&mut self, other: Self) {
        self.sensitivity.extend(other.sensitivity);
        self.internal.extend(other.internal);
        self.external.extend(other.external);
        self.open_world.extend(other.open_world);
        self.read_only.extend(other.read_only);
        self.irreversibility.extend(other.irreversibility);
        self.destructive.extend(other.destructive);
        self.names.extend(other.names);
        self.annotations.extend(other.annotations);
        self.open_by_default.extend(other.open_by_default);
        self.enforce.extend(other.enforce);
        self.closed.extend(other.closed);
        self.injected.extend(other.injected);
        self.reading_calls.extend([other.reading_calls]);
        self.reading_commands.extend(other.reading_commands);
    }
}

/// One `[[irreversibility]]`: how a class is spelled, in snake_case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IrreversibilityWords {
    /// As `irreversibility` of the configuration spells it.
    pub class: String,
    words: Vec<Word>,
}

/// A word, and its letters.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
struct Word(String, Letters);

impl From<String> for Word {
    fn from(word: String) -> Self {
        let letters = word.split('_').map(Letters::of).collect();
        Self(word, letters)
    }
}

impl IrreversibilityWords {
    /// True for `ReadOnly`, `read-only` and `READ_ONLY` alike.
    pub fn has(&self, text: &str) -> bool {
        let text = words_of_name(text).join("_");
        self.words.iter().any(|Word(word, _)| *word == text)
    }

    /// True for a name of which the class is a part: `READ_ONLY_SKILLS`.
    pub fn is_part_of(&self, name: &str) -> bool {
        // Most names hold none of the words, however they are put together.
        let letters = Letters::of_any_case(name);
        let may_be = |Word(word, own): &&Word| {
            letters.has_all(*own) && word.split('_').all(|part| holds(name, part)) || !name.is_ascii()
        };
        let mut words = self.words.iter().filter(may_be).peekable();
        words.peek().is_some() && {
            let name = format!("_{}_", words_of_name(name).join("_"));
            words.any(|Word(word, _)| name.contains(&format!("_{word}_")))
        }
    }
}

/// True for a text that holds the other one, in small or capital letters.
fn holds(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let Some(first) = part.first() else { return true };
    let begins = memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text);
    let is_here =
        |at: usize| text[at..].get(..part.len()).is_some_and(|piece| piece.eq_ignore_ascii_case(part));
    begins.into_iter().any(is_here)
}

/// One `[[tool_name]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolName {
    /// As `sensitivity` spells it.
    pub class: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    nouns: Vec<String>,
}

impl ToolName {
    /// True if the words of a name have one of the verbs and one of the nouns.
    pub fn fits(&self, words: &[String]) -> bool {
        let any = |known: &[String]| known.is_empty() || words.iter().any(|word| known.contains(word));
        any(&self.verbs) && any(&self.nouns)
    }
}

/// `searchEmail`, `search-email`, `search_email`: the words, in small letters.
pub fn words_of_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
