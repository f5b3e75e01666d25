//! What planners, tools and handlers may reach because only the run knows what is loaded or looked up: the load itself, a call of
//! what was looked up, and a call of what the body of a module loaded before.

use rustc_hash::FxHashMap;

use super::super::reached::Reached;
use super::{Finder, HiddenBy, Obscured};
use crate::catalog::BUILTINS;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};
use crate::link::{At, Func, Target};

/// Where something unknown is made, with the function around and what makes it.
type Unknown = FxHashMap<At, (Func, String)>;

impl Finder<'_, '_> {
    pub(super) fn open(&self, reached: &Reached<'_>) -> Vec<Obscured> {
        let program = self.program;
        let mut unknown: Unknown = self.lookups.clone();
        let mut found = Vec::new();
        for load in program.open_loads() {
            let Some(path) = self.loader_path(load.from, load.at) else { continue };
            found.push(site(load.from, load.at, &path));
            // Of a load that an agent reaches, its use says no more.
            if !reached.is(load.from) {
                unknown.insert(load.at, (load.from, path));
            }
        }
        if self.has_loaders {
            self.uses_of(&unknown, reached, &mut found);
        }
        found.sort_unstable();
        found.dedup_by_key(|site| site.at);
        found
    }

    /// Calls of what is made of something unknown.
    fn uses_of(&self, unknown: &Unknown, reached: &Reached<'_>, found: &mut Vec<Obscured>) {
        let program = self.program;
        let calls = program.calls.iter().filter(|call| reached.is(call.from));
        for call in calls.filter(|call| !program.is_test_code(call.from)) {
            let Expr::Call { callee, .. } = *program.facts(call.at.file).expr(call.at.expr) else { continue };
            let at = At { file: call.at.file, expr: callee };
            let looked_up = self.lookups.get(&at).map(|(_, by)| by.as_str());
            if let Some(by) = looked_up.or_else(|| self.made_at(call.from, callee, unknown)) {
                found.push(site(call.from, at, by));
            }
        }
    }

    /// What made the object whose method is called, if it is named once.
    fn made_at<'u>(&self, func: Func, callee: ExprId, unknown: &'u Unknown) -> Option<&'u str> {
        let program = self.program;
        let file = program.function(func).file;
        let Expr::Field { base, .. } = *program.facts(file).expr(callee) else { return None };
        let (owner, made) = program.sole_definition(func, base).unwrap_or((func, base));
        let at = At { file: program.function(owner).file, expr: made };
        unknown.get(&at).map(|(_, by)| by.as_str())
    }

    /// The library's function that a call loads by.
    pub(super) fn loader_path(&self, from: Func, at: At) -> Option<String> {
        let program = self.program;
        let mut edges = program.edges_at(from, at.expr).iter();
        edges.find_map(|edge| match edge.to {
            Target::External(path) => {
                let path = program.path(path);
                self.catalog.loader(path).map(|_| path.to_owned())
            }
            Target::Project(_) => None,
        })
    }
}

fn site(from: Func, at: At, by: &str) -> Obscured {
    let target = by.strip_prefix(BUILTINS).unwrap_or(by).to_owned();
    Obscured { from, at, confidence: Confidence::Low, target, how: HiddenBy::Open }
}
