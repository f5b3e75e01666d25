//! Selectors: which functions play a role, by how their authors name and mark them. The lists are data
//! (`rules/catalog/selectors.toml`); here is only how they combine.

use serde::Deserialize;

use super::globs::{Globs, snake_case};
use super::pattern::PatternSet;

/// `[planning]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlanning {
    exact: Vec<String>,
    prefix: Vec<String>,
    making_verbs: Vec<String>,
    made: Vec<String>,
    classes: Globs,
    decorators: Vec<String>,
    phase_decorators: Vec<String>,
    phase: String,
    acting_verbs: Vec<String>,
    nouns: Globs,
    node_calls: Vec<String>,
    node_prefix: String,
}

/// Decides which functions plan.
#[derive(Clone, Debug, Default)]
pub struct Planning {
    exact: Vec<String>,
    prefix: Vec<String>,
    making_verbs: Vec<String>,
    made: Vec<String>,
    classes: Globs,
    decorators: PatternSet,
    phase_decorators: PatternSet,
    phase: String,
    acting_verbs: Vec<String>,
    nouns: Globs,
    /// Calls that register a graph node by name; one whose name starts with `node_prefix` plans.
    pub node_calls: PatternSet,
    pub node_prefix: String,
}

/// What says that a function plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SelectedBy {
    Mark,
    Class,
    Name,
}

/// What the selector looks at.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The function's own name.
    pub name: &'a str,
    /// The class it is a method of.
    pub class: Option<&'a str>,
    /// Last names of its decorators, each with its first constant argument.
    pub decorators: &'a [(&'a str, Option<&'a str>)],
}

impl RawPlanning {
    pub(super) fn compile(self) -> Planning {
        Planning {
            exact: self.exact,
            prefix: self.prefix,
            making_verbs: self.making_verbs,
            made: self.made,
            classes: self.classes,
            decorators: PatternSet::new(&self.decorators),
            phase_decorators: PatternSet::new(&self.phase_decorators),
            phase: self.phase,
            acting_verbs: self.acting_verbs,
            nouns: self.nouns,
            node_calls: PatternSet::new(&self.node_calls),
            node_prefix: self.node_prefix,
        }
    }
}

impl Planning {
    /// True if the function plans by its name, class or decorator. Configuration comes on top of this.
    pub fn selects(&self, candidate: Candidate<'_>) -> bool {
        self.selected(candidate).is_some()
    }

    /// True if nothing but the name of the function says that it plans.
    pub fn selects_by_name(&self, candidate: Candidate<'_>) -> bool {
        self.selected(candidate) == Some(SelectedBy::Name)
    }

    fn selected(&self, candidate: Candidate<'_>) -> Option<SelectedBy> {
        if candidate.decorators.iter().any(|&(name, argument)| self.marks(name, argument)) {
            return Some(SelectedBy::Mark);
        }
        if candidate.name.starts_with("__") && candidate.name.ends_with("__") {
            return None;
        }
        let name = snake_case(candidate.name.trim_start_matches('_'));
        if self.is_excluded(&name) {
            return None;
        }
        let in_planner = candidate.class.is_some_and(|class| self.classes.fit(class));
        match in_planner {
            true => Some(SelectedBy::Class),
            false => self.names_a_planner(&name).then_some(SelectedBy::Name),
        }
    }

    /// True for the name of a type of plans: `ExecutionPlan`.
    pub fn is_plan(&self, ty: &str) -> bool {
        let name = snake_case(ty);
        self.made.iter().any(|made| name.rsplit('_').next() == Some(made.as_str()))
    }

    fn marks(&self, decorator: &str, argument: Option<&str>) -> bool {
        match argument {
            Some(phase) => self.phase_decorators.matches(decorator) && phase == self.phase,
            None => self.decorators.matches(decorator),
        }
    }

    fn is_excluded(&self, name: &str) -> bool {
        let first = name.split('_').next().unwrap_or(name);
        self.acting_verbs.iter().any(|verb| verb == first) || self.nouns.fit(name)
    }

    fn names_a_planner(&self, name: &str) -> bool {
        self.exact.iter().any(|exact| exact == name)
            || self.prefix.iter().any(|prefix| name.len() > prefix.len() && name.starts_with(prefix.as_str()))
            || self.makes_a_plan(name)
    }

    /// `build_travel_plan`: a making verb, then anything, then the thing made.
    fn makes_a_plan(&self, name: &str) -> bool {
        let rest =
            self.making_verbs.iter().find_map(|verb| name.strip_prefix(verb.as_str())?.strip_prefix('_'));
        rest.is_some_and(|rest| {
            self.made.iter().any(|made| {
                rest.strip_suffix(made.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('_'))
            })
        })
    }
}
