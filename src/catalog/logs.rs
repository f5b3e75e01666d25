//! Who writes down what happens. The lists are data (`rules/catalog/logs.toml`).

use serde::Deserialize;

use super::globs::Globs;

/// `[logs]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLogs {
    objects: Globs,
    loud: Globs,
    quiet: Globs,
    records: Globs,
    traces: Globs,
}

/// The words of logs.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    objects: Globs,
    loud: Globs,
    quiet: Globs,
    records: Globs,
    traces: Globs,
}

/// Who reads what is logged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Whoever looks for a fault.
    Quiet,
    /// Whoever runs the program.
    Loud,
}

impl Logs {
    pub(super) fn add(&mut self, raw: RawLogs) {
        self.objects.extend(raw.objects);
        self.loud.extend(raw.loud);
        self.quiet.extend(raw.quiet);
        self.records.extend(raw.records);
        self.traces.extend(raw.traces);
    }

    /// True for a call that writes what it is given into a log or a trace.
    pub fn writes(&self, spelled: &str) -> bool {
        let (before, name) = spelled.rsplit_once('.').unwrap_or(("", spelled));
        let is_log = before.split('.').any(|object| self.objects.fit_plain(object));
        is_log && (self.loud.fit_plain(name) || self.quiet.fit_plain(name)) || self.traces.fit_plain(name)
    }

    /// How loud a call is, by its path or as it is written: `logger.warning`.
    pub fn level(&self, spelled: &str) -> Option<Level> {
        let (before, name) = spelled.rsplit_once('.').unwrap_or(("", spelled));
        let is_log = before.split('.').any(|object| self.objects.fit_plain(object));
        match () {
            () if self.records.fit_plain(name) || is_log && self.loud.fit_plain(name) => Some(Level::Loud),
            () if is_log && self.quiet.fit_plain(name) => Some(Level::Quiet),
            () => None,
        }
    }
}
