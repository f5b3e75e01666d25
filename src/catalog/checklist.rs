//! Words of the enforcement checklist: what validates a declaration, which fields it has, and what limits a process or a
//! connection. The lists are data (`rules/catalog/checklist.toml`, `rules/catalog/python/limits.toml`).

use serde::Deserialize;

use super::globs::{Globs, Spellings, plain, snake_case, wildcard};
use super::pattern::PatternSet;

/// `[checklist]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawChecklist {
    validators: Vec<String>,
    declaration_words: Vec<String>,
    models: Vec<String>,
    model_bases: Vec<String>,
    unchecked: Vec<String>,
    fields: Vec<String>,
    phase: Vec<String>,
    attribution: Vec<String>,
    fence: Vec<String>,
    tests: Globs,
    prepares: Vec<String>,
    integration: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Checklist {
    validators: Spellings,
    declaration_words: Vec<String>,
    models: PatternSet,
    model_bases: PatternSet,
    unchecked: Vec<String>,
    fields: Vec<String>,
    /// How tests speak of each guard.
    pub phase: Vec<String>,
    pub attribution: Vec<String>,
    pub fence: Vec<String>,
    tests: Globs,
    integration: Vec<String>,
    /// Methods that prepare the tests of a class.
    pub prepares: Vec<String>,
}

impl Checklist {
    pub(super) fn add(&mut self, raw: RawChecklist) {
        self.validators.extend(raw.validators);
        self.declaration_words.extend(raw.declaration_words);
        raw.models.iter().for_each(|path| self.models.insert(path));
        raw.model_bases.iter().for_each(|path| self.model_bases.insert(path));
        self.unchecked.extend(raw.unchecked);
        self.fields.extend(raw.fields);
        self.phase.extend(raw.phase);
        self.attribution.extend(raw.attribution);
        self.fence.extend(raw.fence);
        self.tests.extend(raw.tests);
        self.prepares.extend(raw.prepares);
        self.integration.extend(raw.integration);
    }

    /// True for the name of a test function.
    pub fn is_test(&self, name: &str) -> bool {
        self.tests.fit(name)
    }

    /// True for a path of a test of the whole: a folder, or a word of the file's name.
    pub fn is_integration(&self, path: &str) -> bool {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or_default();
        let of_file = |word: &str| format!("_{stem}_").contains(&format!("_{word}_"));
        self.integration.iter().any(|word| folders.split('/').any(|folder| folder == word) || of_file(word))
    }

    /// True for a call that says it validates a declaration: `self.validate_declaration`, `DeclarationValidator.check`.
    pub fn validates(&self, spelled: &str) -> bool {
        self.validators.fit(&plain(spelled))
    }

    /// True for a name that speaks of a declaration.
    pub fn says_declaration(&self, name: &str) -> bool {
        let says = |part: &str| self.declaration_words.iter().any(|word| word == part);
        snake_case(name).split(['.', '_']).any(says)
    }

    /// A library function that refuses what does not fit its schema.
    pub fn is_model(&self, path: &str) -> bool {
        self.models.matches(path)
    }

    /// A library class whose subclasses refuse to be made of what does not fit them.
    pub fn is_model_base(&self, path: &str) -> bool {
        self.model_bases.matches(path)
    }

    /// A constructor of such a class that looks at nothing.
    pub fn is_unchecked(&self, method: &str) -> bool {
        self.unchecked.iter().any(|known| known == method)
    }

    /// A field of a declaration.
    pub fn is_field(&self, key: &str) -> bool {
        self.fields.iter().any(|known| known == key)
    }
}

/// What keeps an external operation within bounds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    Cwd,
    Env,
    Timeout,
    /// An address that is no constant without encryption.
    Https,
}

impl Bound {
    pub const WORDS: [(&'static str, Bound); 4] =
        [("cwd", Bound::Cwd), ("env", Bound::Env), ("timeout", Bound::Timeout), ("https", Bound::Https)];

    pub fn noun(self) -> &'static str {
        match self {
            Bound::Cwd => "working directory",
            Bound::Env => "environment",
            Bound::Timeout => "timeout",
            Bound::Https => "encrypted address",
        }
    }
}

/// `[limits]`: how calls are bounded.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    cwd: Globs,
    env: Globs,
    timeout: Globs,
    /// Keywords that carry the address.
    https: Globs,
    /// Seconds that a timeout may have.
    longest: Option<i64>,
    /// Keywords whose number counts something else than seconds.
    other_units: Globs,
    /// How an address without encryption begins.
    plain: Vec<String>,
    /// Hosts that are this machine.
    loopback: Globs,
    /// What hands the whole environment on.
    whole_environment: PatternSet,
    /// The variable that says where programs are looked for.
    search_path: Vec<String>,
    /// Calls around, or objects of a `with` around, that end what takes too long.
    around: PatternSet,
    /// Methods that wait for what was started, and take the timeout in its place.
    waits: Vec<String>,
    /// Calls after which every connection has a timeout.
    defaults: PatternSet,
    pub limit: Vec<Limit>,
    duration: Vec<Duration>,
}

/// So many milliseconds.
pub const SECOND: i64 = 1_000;

/// Calls that make a length of time of a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Duration {
    call: PatternSet,
    milliseconds: i64,
}

/// What is special about some calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    call: PatternSet,
    /// The position of the timeout.
    pub timeout_at: Option<usize>,
    /// The position of the address, if it is not the first.
    #[serde(default)]
    pub address_at: usize,
    /// The number of its timeout counts something else than seconds.
    #[serde(default)]
    pub other_unit: bool,
    /// The timeout is given where the process is waited for.
    #[serde(default)]
    pub waited: bool,
    /// The call takes no such thing.
    #[serde(default)]
    pub never: Vec<Bound>,
    /// What bounds it is not for the call to say: it has none of these.
    #[serde(default)]
    pub exempt: bool,
}

impl Limits {
    pub(super) fn append(&mut self, other: Limits) {
        self.cwd.extend(other.cwd);
        self.env.extend(other.env);
        self.timeout.extend(other.timeout);
        self.https.extend(other.https);
        self.longest = other.longest.or(self.longest);
        self.other_units.extend(other.other_units);
        self.plain.extend(other.plain);
        self.loopback.extend(other.loopback);
        self.whole_environment.extend([other.whole_environment]);
        self.search_path.extend(other.search_path);
        self.around.extend([other.around]);
        self.waits.extend(other.waits);
        self.defaults.extend([other.defaults]);
        self.limit.extend(other.limit);
        self.duration.extend(other.duration);
    }

    /// True for a keyword that carries the bound.
    pub fn carries(&self, bound: Bound, keyword: &str) -> bool {
        let words = match bound {
            Bound::Cwd => &self.cwd,
            Bound::Env => &self.env,
            Bound::Timeout => &self.timeout,
            Bound::Https => &self.https,
        };
        words.fit(keyword)
    }

    /// True for what hands the whole environment on: `os.environ`.
    pub fn is_search_path(&self, variable: &str) -> bool {
        self.search_path.iter().any(|known| known == variable)
    }

    pub fn is_whole_environment(&self, path: &str) -> bool {
        self.whole_environment.matches(path)
    }

    /// True for a keyword whose number counts no seconds: `timeout_ms`.
    pub fn is_in_other_unit(&self, keyword: &str) -> bool {
        self.other_units.fit(keyword)
    }

    /// True for a number of units, of so many milliseconds each, that a timeout may not have.
    pub fn is_too_long(&self, number: i64, unit: i64) -> bool {
        let longest = self.longest.map(|seconds| seconds.saturating_mul(SECOND));
        longest.is_some_and(|longest| number.saturating_mul(unit) > longest)
    }

    /// Seconds that a timeout may have.
    pub fn longest(&self) -> i64 {
        self.longest.unwrap_or(i64::MAX)
    }

    /// How many milliseconds one unit is of the number that a call makes a length of time of.
    pub fn unit(&self, path: &str) -> Option<i64> {
        self.duration.iter().find(|duration| duration.call.matches(path)).map(|found| found.milliseconds)
    }

    /// True for an address without encryption that leads off this machine; of one that is known only where it begins, if its
    /// host is known.
    pub fn is_plain_address(&self, address: &str, is_whole: bool) -> bool {
        let address = address.trim_start().to_ascii_lowercase();
        let rest = self.plain.iter().find_map(|scheme| address.strip_prefix(scheme.as_str()));
        let Some(rest) = rest else { return false };
        let end = rest.find(['/', '?', '#']);
        let authority = &rest[..end.unwrap_or(rest.len())];
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let port = if host.starts_with('[') { host.find(']').map(|at| at + 1) } else { host.find(':') };
        let is_known = is_whole || end.is_some() || port.is_some();
        let host = &host[..port.unwrap_or(host.len())];
        is_known && !host.is_empty() && !self.loopback.fit(host)
    }

    /// True for what ends the call inside it: `asyncio.wait_for`.
    pub fn ends(&self, path: &str) -> bool {
        self.around.matches(path)
    }

    /// True for a method that waits for a process.
    pub fn waits(&self, name: &str) -> bool {
        self.waits.iter().any(|known| known == name)
    }

    /// True for a call that gives every connection a timeout.
    pub fn is_default(&self, path: &str) -> bool {
        self.defaults.matches(path)
    }

    pub fn of(&self, path: &str) -> Option<&Limit> {
        self.limit.iter().find(|limit| limit.call.matches(path))
    }
}

/// True if one of the patterns fits a name or a text, read in snake_case.
pub fn says(patterns: &[String], text: &str) -> bool {
    let read = snake_case(text);
    patterns.iter().any(|glob| wildcard(glob, &read))
}
