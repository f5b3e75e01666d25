//! What a runtime does with tools: what it logs and hides, how it makes names and paths, who starts other agents. The lists are data
//! (`rules/catalog/runtime.toml`).

use serde::Deserialize;

use super::globs::Globs;

/// `[runtime]`: patterns of names in snake_case; one with a dot means the object, too.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Runtime {
    /// Calls that hand back nothing readable of what they are given.
    pub hides: Names,
    /// Calls that hand back what they are given in another form.
    pub converts: Names,
    /// Attributes that hold what the whole object is about.
    pub contents: Names,
    /// Settings by which somebody asks to see more.
    pub debugging: Names,
    /// Calls that hand back where an exception comes from.
    pub tracebacks: Names,
    /// Calls that leave only characters that are allowed in a name.
    pub cleans: Names,
    /// Calls that open, load or run a file.
    pub opens: Names,
    /// Names of parameters that are a path, not a part of one.
    pub whole_paths: Names,
    /// Calls after which a path has no link and no `..`.
    pub resolves: Names,
    /// Calls that compare a path with the folder that it must stay in.
    pub contains: Names,
    /// Names of the arguments of a tool, and of nothing else.
    pub of_tool: Names,
    /// Objects that only carry a call to where it runs.
    pub carriers: Names,
    /// Calls by which a server says which tools it has.
    pub lists_tools: Names,
    /// What tools are put into.
    pub tables: Names,
    /// Calls that put a path together.
    pub joins: Names,
    /// Calls that put a tool under a name.
    pub registers: Names,
    /// Tools by which an agent starts another one.
    pub spawns: Names,
    /// Names by which somebody tells whether an agent was started by another one.
    pub nesting: Names,
    /// Calls that read everything there is.
    pub reads: Names,
    /// Calls that ask for a change.
    pub changes: Names,
    /// Names of numbers of things that are handed back.
    pub limits: Names,
    /// Calls by which a number gets an upper bound.
    pub bounds: Names,
    /// Functions that cut what they are given.
    pub caps: Names,
    /// What holds the work of other agents.
    pub work_of_others: Names,
    /// Methods by which it is looked up.
    pub looks_up: Names,
    /// Functions that read it.
    pub reads_work: Names,
    /// Names of whose it is.
    pub owners: Names,
    /// Functions that ask whose it is.
    pub asks_owner: Names,
    /// Options by which a model is told the form of its answer, …
    pub formats: Names,
    /// Calls that ask a model, where nothing else says what they do.
    pub models: Names,
    /// … how much is left to chance, …
    pub temperatures: Names,
    /// … and how long it may be.
    pub token_bounds: Names,
    /// Names of what a model has answered.
    pub answers: Names,
    /// Methods that end the program where there is a failure.
    pub unwraps: Names,
}

/// Patterns of names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Names(Globs);

impl Names {
    /// True for a name, or a name with its object's, that a pattern fits.
    pub fn has(&self, spelled: &str) -> bool {
        let last = spelled.rsplit('.').next().unwrap_or(spelled);
        self.0.fit_plain(spelled) || self.0.fit_plain(last)
    }
}
