//! What is done with the values that calls are given: they are run, opened, asked for. Data (`[[sink]]`);
//! knows no program.

mod sanitizers;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::effects::ArgumentTest;
use super::loaders::Loads;
use super::pattern::PatternMap;
use crate::finding::Confidence;
pub(super) use sanitizers::RawSanitizer;
pub use sanitizers::{Sanitizer, Sanitizers};

/// What is done with a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// It is source text that is run.
    Code,
    /// It names what is imported.
    Module,
    /// The file that it names is run.
    Script,
    /// It is read by what runs code while it reads.
    Data,
    /// A template is made of it.
    Template,
    /// It is what a process is started with.
    Command,
    /// It is an argument of a process, which may take it for an option.
    Option,
    /// It is a pattern of names below a folder, which `..` leads out of.
    Upward,
    /// It names a file that is read, written, moved or deleted.
    Path,
    /// It is where a request goes.
    Address,
    /// It is the text of a query.
    Query,
    /// A rule names the call itself.
    #[serde(skip)]
    Given,
}

impl Purpose {
    pub const ALL: [Purpose; 12] = [
        Purpose::Code,
        Purpose::Module,
        Purpose::Script,
        Purpose::Data,
        Purpose::Template,
        Purpose::Command,
        Purpose::Option,
        Purpose::Upward,
        Purpose::Path,
        Purpose::Address,
        Purpose::Query,
        Purpose::Given,
    ];
    pub const WORDS: [(&'static str, Purpose); 9] = [
        ("code", Purpose::Code),
        ("module", Purpose::Module),
        ("script", Purpose::Script),
        ("data", Purpose::Data),
        ("template", Purpose::Template),
        ("command", Purpose::Command),
        ("path", Purpose::Path),
        ("address", Purpose::Address),
        ("query", Purpose::Query),
    ];

    fn of(loads: Loads) -> Option<Self> {
        match loads {
            Loads::Module => Some(Purpose::Module),
            Loads::Code => Some(Purpose::Code),
            Loads::File => Some(Purpose::Script),
            Loads::Data => Some(Purpose::Data),
            Loads::Attribute | Loads::Folder | Loads::Spec | Loads::Names => None,
        }
    }

    /// True if what is in a file counts where only its path is given.
    pub fn reads_files(self) -> bool {
        matches!(self, Purpose::Command | Purpose::Script | Purpose::Data)
    }

    /// As rules name it.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, purpose)| *purpose == self).map_or("", |(word, _)| word)
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Purposes for which a value is harmless.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Purposes(u16);

impl Purposes {
    pub const ALL: Purposes = Purposes(u16::MAX);

    pub fn has(self, purpose: Purpose) -> bool {
        self.0 & purpose.bit() != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn with(self, other: Purposes) -> Self {
        Purposes(self.0 | other.0)
    }

    #[must_use]
    pub fn and(self, other: Purposes) -> Self {
        Purposes(self.0 & other.0)
    }
}

impl From<Purpose> for Purposes {
    fn from(purpose: Purpose) -> Self {
        Purposes(purpose.bit())
    }
}

impl FromIterator<Purpose> for Purposes {
    fn from_iter<I: IntoIterator<Item = Purpose>>(purposes: I) -> Self {
        Purposes(purposes.into_iter().fold(0, |bits, purpose| bits | purpose.bit()))
    }
}

/// How a call takes what it starts a process with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The whole of it decides, as one value.
    #[default]
    Whole,
    /// The words of a command, the program first, as a sequence.
    Words,
    /// The same, one argument each.
    Spread,
    /// Words behind those that its receiver has been given.
    Further,
}

/// One `[[sink]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    #[serde(default)]
    call: Vec<String>,
    /// Methods of objects that nobody knows.
    #[serde(default)]
    method: Vec<String>,
    /// The first words of what these are given.
    #[serde(default)]
    starts: Vec<String>,
    /// What is under this key of the argument.
    pub key: Option<String>,
    pub of: Purpose,
    /// Which argument; without it all that stand at a position.
    pub argument: Option<ArgumentTest>,
    /// What another argument must be for it to count.
    pub when: Option<ArgumentTest>,
    #[serde(default)]
    pub form: Form,
    pub confidence: Option<Confidence>,
    /// The words of the command before what it is given: `git diff`.
    #[serde(default)]
    words: Vec<String>,
}

/// Number of a sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SinkId(u32);

impl Sink {
    fn new(call: &[String], of: Purpose) -> Self {
        Self {
            call: call.to_vec(),
            method: Vec::new(),
            starts: Vec::new(),
            key: None,
            of,
            argument: None,
            when: None,
            form: Form::default(),
            confidence: None,
            words: Vec::new(),
        }
    }

    /// True if a text that begins like this is what is meant.
    pub fn begins(&self, text: &str) -> bool {
        let first = text.split_whitespace().next().unwrap_or_default();
        self.starts.iter().any(|word| word.eq_ignore_ascii_case(first))
    }
}

/// Entries by the paths of what is called.
#[derive(Clone, Default, Debug)]
pub struct Sinks {
    calls: PatternMap<u32>,
    by_method: FxHashMap<String, Vec<u32>>,
    list: Vec<Sink>,
    pub sanitizers: Sanitizers,
    pub commands: Commands,
}

impl Sinks {
    pub(super) fn add(&mut self, sink: Sink) {
        let id = self.list.len() as u32;
        sink.call.iter().for_each(|path| self.calls.insert(path, id));
        sink.method.iter().for_each(|name| self.by_method.entry(name.clone()).or_default().push(id));
        self.list.push(sink);
    }

    /// Without an argument it loads what it is given, or what it was made for.
    pub(super) fn add_loader(&mut self, call: &[String], of: Loads, argument: Option<&ArgumentTest>) {
        let Some(of) = Purpose::of(of) else { return };
        if argument.is_none() {
            let receiver = Some(ArgumentTest { receiver: true, ..ArgumentTest::default() });
            self.add(Sink { argument: receiver, ..Sink::new(call, of) });
        }
        self.add(Sink { argument: argument.cloned(), ..Sink::new(call, of) });
    }

    pub(super) fn add_query(&mut self, call: &[String], argument: &ArgumentTest, confidence: Confidence) {
        let (argument, confidence) = (Some(argument.clone()), Some(confidence));
        self.add(Sink { argument, confidence, ..Sink::new(call, Purpose::Query) });
    }

    /// What a call of `path` does with its arguments.
    pub fn of<'c>(&'c self, path: &'c str) -> impl Iterator<Item = (SinkId, &'c Sink)> + 'c {
        self.calls.all(path).map(|id| (SinkId(id), &self.list[id as usize]))
    }

    /// The words of the command before what a call is given.
    pub fn words(&self, sink: SinkId) -> &[String] {
        &self.list[sink.0 as usize].words
    }

    /// The same of a method of which only the name is known.
    pub fn of_method(&self, name: &str) -> impl Iterator<Item = (SinkId, &Sink)> {
        let known = self.by_method.get(name).into_iter().flatten();
        known.map(|&id| (SinkId(id), &self.list[id as usize]))
    }
}

/// `[commands]` as written: what a word decides behind which others.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Commands {
    /// Programs that run the file that they are given.
    interpreters: Vec<String>,
    /// Programs, perhaps with a subcommand, that start what follows: `sudo`, `docker exec`.
    starters: Vec<String>,
    /// Programs that only print what they are given.
    printers: Vec<String>,
    /// Methods that take many words at once.
    many: Vec<String>,
    options: Vec<RunningOption>,
}

/// Options whose value is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunningOption {
    of: Vec<String>,
    options: Vec<String>,
    runs: Purpose,
}

impl Commands {
    pub(super) fn add(&mut self, raw: Commands) {
        self.interpreters.extend(raw.interpreters);
        self.starters.extend(raw.starters);
        self.printers.extend(raw.printers);
        self.many.extend(raw.many);
        self.options.extend(raw.options);
    }

    pub fn is_interpreter(&self, program: &str) -> bool {
        self.interpreters.iter().any(|known| known == program)
    }

    /// True if what follows is a command of its own.
    pub fn starts_others<'w>(&self, program: &str, mut words: impl Iterator<Item = &'w str> + Clone) -> bool {
        let mut starters = self.starters.iter().map(|known| known.split_once(' ').unwrap_or((known, "")));
        starters.any(|(known, sub)| known == program && (sub.is_empty() || words.any(|word| word == sub)))
    }

    /// What a program does with the value of an option.
    pub fn runs(&self, program: &str, option: &str) -> Option<Purpose> {
        let is_of = |known: &&RunningOption| {
            known.of.iter().any(|of| of == program) && known.options.iter().any(|own| own == option)
        };
        self.options.iter().find(is_of).map(|known| known.runs)
    }

    pub fn reads_no_options(&self, program: &str) -> bool {
        self.printers.iter().any(|known| known == program)
    }

    pub fn takes_many(&self, method: &str) -> bool {
        self.many.iter().any(|known| known == method)
    }
}
