//! The metamorphic harness: every example and every fixture is run again, rewritten mechanically, and must come out as
//! before. Examples are written by the hand that wrote the rule; a rewrite says the same in words that it did not think
//! of. A rewrite is applied only where it certainly keeps the meaning, and moves the marks with the code.
//!
//! A verdict that changes is a defect of gatelint, or stands in `rewrite/misses.toml` with its reason.

#[path = "rewrite/code.rs"]
mod code;
#[path = "rewrite/functions.rs"]
mod functions;
#[path = "rewrite/imports.rs"]
mod imports;
#[path = "rewrite/layout.rs"]
mod layout;
#[path = "rewrite/misses.rs"]
mod misses;
#[path = "rewrite/names.rs"]
mod names;
#[path = "rewrite/project.rs"]
mod project;

use std::collections::BTreeMap;
use std::fmt;

use gatelint::config::Layers;
use gatelint::harness::Expected;

pub use misses::Misses;
pub use project::{Files, Marks};

use code::Code;
use project::Project;

/// One way to say the same; None where it does not apply.
type Rewrite = fn(&Project) -> Option<Files>;

const REWRITES: [(&str, Rewrite); 14] = [
    ("import-alias", imports::alias),
    ("import-module", imports::to_module),
    ("import-names", imports::to_names),
    ("lazy-import", imports::lazy),
    ("re-export", imports::re_export),
    ("moved", functions::moved),
    ("reordered", functions::reordered),
    ("helper", functions::helper),
    ("through-self", functions::through_self),
    ("if-true", layout::condition),
    ("try-finally", layout::finally),
    ("annotated", layout::annotated),
    ("remarks", layout::remarks),
    ("crlf", layout::crlf),
];

/// How often each rewrite was applied.
#[derive(Default)]
pub struct Applied(BTreeMap<&'static str, [usize; 2]>);

impl Applied {
    /// Every rewrite that applies, by its name.
    pub fn rewrite(
        &mut self,
        expected: &Expected,
        layers: &Layers,
        marks: Marks,
    ) -> Vec<(&'static str, Files)> {
        // What is compared with the merge base is meant as it is written there.
        let is_compared = expected.files.keys().any(|path| path.starts_with("merge-base"));
        let project = match expected.unreadable.is_empty() && !is_compared {
            true => Project::new(expected, layers.clone(), marks),
            false => None,
        };
        let mut rewritten = Vec::new();
        for (name, rewrite) in REWRITES {
            let files = project.as_ref().and_then(rewrite);
            files.iter().for_each(|files| still_parses(name, files));
            self.0.entry(name).or_default()[usize::from(files.is_none())] += 1;
            rewritten.extend(files.map(|files| (name, files)));
        }
        rewritten
    }
}

/// A rewrite that breaks the code would prove nothing where a rule must be silent.
fn still_parses(rewrite: &str, files: &Files) {
    for (path, text) in files.iter().filter(|(path, _)| path.extension() == Some("py")) {
        assert!(Code::read(text).is_some(), "{rewrite} broke {path}:\n{text}");
    }
}

impl fmt::Display for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rewrites = REWRITES.iter().filter_map(|(name, _)| Some((name, self.0.get(name)?)));
        rewrites.into_iter().try_for_each(|(name, [applied, skipped])| {
            writeln!(f, "{name:13}  {applied} applied, {skipped} skipped")
        })
    }
}
