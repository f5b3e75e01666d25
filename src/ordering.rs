//! The order of tool calls in a session, as plain data: what each tool is, what a session is told of it, and whether a plan
//! keeps to it. What once read internal data must not call out any more. Made of the classes that rules go by, so that the
//! analysis and a gateway at run time cannot disagree. Nothing here reads files or prints.

mod manifest;
mod plan;
mod request;
mod steps;

use std::collections::BTreeMap;

use crate::config::{Sensitivity, nearest};
use crate::inventory::Class;

pub use manifest::{Manifest, prompt};
pub use plan::{Verdict, Violation, verdict};
pub use request::{Planned, RequestError};
pub use steps::{Dependencies, Steps};

/// A tool as a session sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionTool {
    pub name: String,
    /// None if nothing says what it is.
    pub class: Option<Class>,
    /// It may be called after internal data was read, although it reaches outside.
    pub may_follow: bool,
}

impl SessionTool {
    /// It brings internal data into the session.
    pub fn is_source(&self) -> bool {
        self.sensitivity() == Some(Sensitivity::InternalSource)
    }

    /// It is blocked once internal data was read. What nothing is known of could be external.
    pub fn is_blocked(&self) -> bool {
        !self.is_source() && !self.may_follow
    }

    fn sensitivity(&self) -> Option<Sensitivity> {
        self.class.as_ref().map(|class| class.sensitivity)
    }
}

/// All tools that a project knows, each name once.
#[derive(Clone, Default, Debug)]
pub struct Tools {
    all: Vec<SessionTool>,
    by_name: BTreeMap<String, usize>,
}

impl Tools {
    /// In the order given; of several of one name the first counts.
    pub fn new(tools: impl IntoIterator<Item = SessionTool>) -> Self {
        let mut made = Self::default();
        for tool in tools {
            if !made.by_name.contains_key(&tool.name) {
                made.by_name.insert(tool.name.clone(), made.all.len());
                made.all.push(tool);
            }
        }
        made
    }

    pub fn iter(&self) -> impl Iterator<Item = &SessionTool> {
        self.all.iter()
    }

    pub fn named(&self, name: &str) -> Result<&SessionTool, UnknownTool> {
        self.by_name.get(name).map(|at| &self.all[*at]).ok_or_else(|| self.unknown(name))
    }

    /// What a session offers, in the order of the table. Without names it offers everything.
    pub fn offered(&self, names: &[String]) -> Result<Vec<&SessionTool>, UnknownTool> {
        for name in names {
            self.named(name)?;
        }
        Ok(self.iter().filter(|tool| names.is_empty() || names.contains(&tool.name)).collect())
    }

    /// The names of all that is blocked once internal data was read.
    fn blocked(&self) -> Vec<&str> {
        self.iter().filter(|tool| tool.is_blocked()).map(|tool| tool.name.as_str()).collect()
    }

    fn unknown(&self, name: &str) -> UnknownTool {
        let known: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
        UnknownTool { name: name.to_owned(), meant: nearest(name, &known).map(str::to_owned) }
    }
}

/// A name that no tool has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTool {
    name: String,
    meant: Option<String>,
}

impl std::fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no tool is called `{}`", self.name)?;
        match &self.meant {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => write!(f, "; `gatelint commands` lists those that are known"),
        }
    }
}

impl std::error::Error for UnknownTool {}
