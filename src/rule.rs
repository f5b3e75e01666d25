//! Rules: data from `rules/<family>/GLxxx-<name>.toml` and from the folders of a team, loaded and compiled here, and run
//! over the program. A rule produces findings; it never prints, formats a path or looks at the command line.

mod builtin;
mod check;
mod examples;
mod file;
mod fingerprint;
mod matcher;
mod team;
mod template;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::config::{Layer, LayerSet, RuleNames, Selection};
use crate::finding::Severity;

pub use builtin::{builtin, builtin_catalog, builtin_names, embedded_rules};
pub use check::gaps::gaps;
pub use check::guard::missing::said as missing_gate;
pub use check::guards::guards;
pub use check::inventory::inventory;
pub use check::{Captures, Checked, Context, check, finding_at};
pub use examples::{Example, Examples};
pub use fingerprint::{number_repeats, plain};
pub use matcher::{Boundary, Check, Goal, Matcher};
use matcher::{Outlet, Subject};
pub use team::{LoadError, TeamError, team};

/// One rule, from its file.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `GL201`; a team's own has another prefix.
    pub id: String,
    /// Kebab-case, names the bad pattern.
    pub name: String,
    pub summary: String,
    /// What is asked, where the rule is an item of the checklist: the head of its column.
    pub title: Option<String>,
    /// Only the checklist asks it, and whoever selects it: a question to the author, no mistake in itself.
    pub on_request: bool,
    pub severity: Severity,
    pub languages: BTreeSet<String>,
    /// With captures in braces: `{function}`.
    pub message: String,
    pub help: String,
    pub references: Vec<String>,
    /// Markdown: what goes wrong, for whom, when it is fine. A team may leave it out.
    pub why: String,
    pub scope: Scope,
    /// In place of `message` and `help` in a project that has no comm layer.
    pub without_comm: Option<Wording>,
    /// In place of `help`, by what becomes of the value.
    pub advice: Vec<Advice>,
    /// What says the same, and more.
    pub covered: Vec<Cover>,
    pub matches: Vec<Matcher>,
    pub examples: Examples,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wording {
    /// With captures, as `Rule::message`; that one if there is none.
    pub message: Option<String>,
    pub help: String,
}

/// What to do where a value becomes one of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// As `[match.flow]` names them in `to`.
    pub to: Vec<String>,
    pub help: String,
}

/// A finding of one of these rules takes the place of one of this rule, where both speak of the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cover {
    /// Ids.
    pub by: Vec<String>,
    pub same: Same,
}

/// What two findings of one file must have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Same {
    /// One imports the module of which the other calls something.
    Module,
    /// Both are about one function.
    Function,
    /// Both name a path in one folder of the program's own, in whatever file.
    Folder,
}

impl Rule {
    /// True if it follows paths through the program, so that a finding may rest on any of its files.
    pub fn follows_paths(&self) -> bool {
        let follows = |matcher: &Matcher| {
            matches!(
                matcher,
                Matcher::Reach(_)
                    | Matcher::Escape(_)
                    | Matcher::Flow(_)
                    | Matcher::Trace(_)
                    | Matcher::Check(Check::ResponseMutation)
            )
        };
        self.matches.iter().any(follows)
    }

    /// True if it reports where a value is used, and true if it reports where one leaves a function.
    pub fn follows_values(&self) -> (bool, bool) {
        let of = |matcher: &Matcher| match matcher {
            Matcher::Flow(flow) => Some(flow.to == Outlet::Prompt),
            Matcher::Trace(_) => Some(true),
            _ => None,
        };
        let mut kinds = self.matches.iter().filter_map(of);
        (kinds.clone().any(|uses| uses), kinds.any(|uses| !uses))
    }

    /// Where it says that somebody must have asked for the phase.
    pub fn boundaries(&self) -> impl Iterator<Item = Boundary> + '_ {
        self.matches.iter().filter_map(|matcher| match matcher {
            Matcher::Guard(guard) => Some(guard.boundary),
            _ => None,
        })
    }

    /// True if it asks something of every external operation, or of every tool.
    pub fn is_item(&self) -> bool {
        self.matches.iter().any(|matcher| matches!(matcher, Matcher::Item(_)))
    }

    /// True if it is a column of the matrix of these.
    pub fn asks(&self, of: Subject) -> bool {
        self.matches.iter().any(|matcher| matches!(matcher, Matcher::Item(item) if item.of == of))
    }

    pub fn checks(&self, check: Check) -> bool {
        self.matches.iter().any(|matcher| matches!(matcher, Matcher::Check(own) if *own == check))
    }
}

/// The rules of a run.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Those that run, sorted by id.
    pub selected: Vec<Arc<Rule>>,
    /// What all are called: a waiver may speak of a rule that does not run.
    pub names: RuleNames,
    /// The words of `--select`; empty without it.
    pub chosen_by: Vec<String>,
    /// Those that run only for whoever asks for them.
    pub on_request: BTreeSet<String>,
}

impl RuleSet {
    pub fn new(all: &[Arc<Rule>], is_selected: impl Fn(&Rule) -> bool) -> Self {
        let selected = all.iter().filter(|rule| is_selected(rule)).cloned().collect();
        let on_request = all.iter().filter(|rule| rule.on_request).map(|rule| rule.id.clone()).collect();
        Self { selected, names: names(all), chosen_by: Vec::new(), on_request }
    }

    /// What a selection means. What was not analysed is said whatever is asked for, unless somebody wants it left out.
    pub fn meant(all: &[Arc<Rule>], selection: &Selection) -> Self {
        let is_asked_for = |rule: &Rule| !rule.on_request || !selection.select.is_empty();
        let fits = |rule: &Rule| if selection.items_only { rule.is_item() } else { is_asked_for(rule) };
        let is_gap = |rule: &Rule| rule.checks(Check::AnalysisGap) && !selection.ignores(&rule.id);
        let set = Self::new(all, |rule| is_gap(rule) || selection.includes(&rule.id) && fits(rule));
        Self { chosen_by: selection.select.clone(), ..set }
    }

    /// True if the rule of this id runs.
    pub fn runs(&self, id: &str) -> bool {
        self.selected.iter().any(|rule| rule.id == id)
    }
}

/// Whoever names no others knows the built-in ones.
impl From<Vec<Arc<Rule>>> for RuleSet {
    fn from(selected: Vec<Arc<Rule>>) -> Self {
        let names = builtin_names().clone().and(names(&selected));
        Self { names, selected, chosen_by: Vec::new(), on_request: BTreeSet::new() }
    }
}

pub fn names<'r>(rules: impl IntoIterator<Item = &'r Arc<Rule>>) -> RuleNames {
    RuleNames::new(rules.into_iter().map(|rule| (rule.id.as_str(), rule.name.as_str())))
}

/// Where the rule applies; the same keys for every rule.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    /// Layers in which it is silent.
    pub except: Vec<Layer>,
    /// Where it reports at all; everywhere if this names nothing.
    pub only: Vec<Only>,
}

/// A place that a rule is confined to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Only {
    Layer(Layer),
    /// The text of a tool, with the functions defined inside.
    Tool,
}

impl Scope {
    pub fn excludes(&self, layers: LayerSet) -> bool {
        self.except.iter().any(|&layer| layers.contains(layer))
    }
}

/// The built-in catalogue, and what the rules name besides it: a call of the language itself is followed only if
/// somebody asks for it.
pub fn catalog_for(rules: &[Arc<Rule>]) -> Result<Catalog, LoadError> {
    let mut catalog = builtin_catalog()?;
    let named = rules.iter().flat_map(|rule| &rule.matches).filter_map(Matcher::named);
    catalog.watch(named.flat_map(|named| &named.path));
    Ok(catalog)
}
