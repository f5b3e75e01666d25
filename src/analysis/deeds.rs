//! What a function does for whoever relies on it, by its body: what it hands back on every way (marked, or merely what it was
//! given), whether it can refuse, whether it keeps anything of what it is told, and which of its parameters it runs whatever
//! happens. The body alone decides; which functions promise what is `guards`' business.

mod calls;
mod constants;
mod domain;
mod places;
mod silenced;
mod solve;
#[cfg(test)]
mod tests;
mod worth;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::constants::Constants;
use self::silenced::Silenced;
use self::solve::{Groups, Open};
pub use self::worth::{Marks, Worth, is_blank_text};
use super::escape::Managers;
use super::exceptions::Exception;
use crate::catalog::Catalog;
use crate::ir::{ExprId, Facts, Pat};
use crate::link::{Func, Program, SharedMemo};

/// A parameter of a function.
pub type Param = (Func, u32);

/// What a function does.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Deed {
    /// What it hands back, by the place where it comes back.
    pub returns: Vec<(ExprId, Worth)>,
    /// What leaves it by a `raise`, its own or that of a function of the project.
    pub raises: Vec<Option<Exception>>,
    /// What its parameters have got wherever it comes back.
    pub marked: Vec<(u32, Marks)>,
    /// The parameters, own ones and those of functions around, that it has run wherever it comes back.
    pub runs: BTreeSet<Param>,
    /// Something was handed to what keeps it: a file, a log, a queue, a library.
    pub keeps: bool,
    /// It changed an attribute or a container that outlives the call.
    pub notes: bool,
    /// Something that it was given went where nobody can look.
    pub is_open: bool,
}

impl Deed {
    /// Of a function that nobody can look into.
    fn unknown() -> Self {
        Self { is_open: true, keeps: true, ..Self::default() }
    }

    /// As far as it is known it never comes back, by no path.
    fn never_leaves(&self) -> bool {
        self.returns.is_empty() && self.raises.is_empty()
    }

    /// It can raise, or hand back an error in place of a value.
    pub fn refuses(&self) -> bool {
        !self.raises.is_empty() || self.returns.iter().any(|(_, worth)| worth.fails)
    }

    /// It lets everything pass: it neither refuses nor answers, nor does it ask anybody who could.
    pub fn is_toothless(&self) -> bool {
        let answers = |worth: &Worth| worth.truth.is_none() && !worth.is_itself || worth.says_no;
        !self.is_open && !self.refuses() && !self.returns.iter().any(|(_, worth)| answers(worth))
    }

    /// What is marked wherever it comes back, in its result.
    pub fn marks(&self) -> Marks {
        let all = self.returns.iter().map(|(_, worth)| worth.marks);
        all.reduce(Marks::common).unwrap_or_default()
    }
}

/// The deeds of a program, found as they are asked for. All threads ask the same, and no answer depends on who asks first.
pub struct Deeds<'d, 'a> {
    program: &'d Program<'a>,
    catalog: &'d Catalog,
    managers: Managers<'d, 'a>,
    constants: Constants,
    silenced: SharedMemo<(), Arc<Silenced>>,
    groups: SharedMemo<(), Arc<Groups>>,
    /// By group, those of its members, in their order. A group is known as a whole or not at all.
    known: SharedMemo<u32, Arc<[Arc<Deed>]>>,
}

impl<'d, 'a> Deeds<'d, 'a> {
    pub fn new(program: &'d Program<'a>, catalog: &'d Catalog) -> Self {
        let managers = Managers::new(program, catalog);
        let (constants, silenced, groups, known) = Default::default();
        Self { program, catalog, managers, constants, silenced, groups, known }
    }

    pub(super) fn managers(&self) -> &Managers<'d, 'a> {
        &self.managers
    }

    /// What this object of a library is told is gone.
    fn drops(&self, func: Func, writer: (ExprId, Option<&str>)) -> bool {
        let silenced = self.silenced.of((), || Arc::new(Silenced::find(self.program, self.catalog)));
        silenced.takes(self.program, self.catalog, func, writer)
    }
}

/// The values that one way out hands back, each with its marks.
type Outcomes = Vec<(u32, Marks)>;

/// The walk over one function.
struct Walk<'w, 'd, 'a> {
    deeds: &'w Deeds<'d, 'a>,
    program: &'d Program<'a>,
    catalog: &'d Catalog,
    func: Func,
    facts: &'a Facts,
    /// What is known so far of the group that the function is a member of.
    open: &'w Open,
    records: bool,
    deed: Deed,
    /// By return: what its parameters have got, and what has run.
    left: Vec<(Outcomes, BTreeSet<Param>)>,
}

impl<'w, 'd, 'a> Walk<'w, 'd, 'a> {
    fn new(deeds: &'w Deeds<'d, 'a>, func: Func, open: &'w Open) -> Self {
        let (program, catalog) = (deeds.program, deeds.catalog);
        let facts = program.facts(program.function(func).file);
        let (deed, left) = Default::default();
        Self { deeds, program, catalog, func, facts, open, records: false, deed, left }
    }

    fn entry(&self) -> domain::State {
        let mut state = domain::State { is_live: true, ..domain::State::default() };
        for (at, param) in (0..).zip(self.facts.list(self.program.ir(self.func).params)) {
            if let Pat::Var(var) = *self.facts.pat(param.pat)
                && self.program.own_class_of(self.func, var).is_none()
            {
                let is_content = state.vars.is_empty();
                let worth = match self.deeds.constants.is_never_given(self.program, self.func, at) {
                    true => Worth::constant(false),
                    false if is_content => Worth::given(var),
                    false => Worth::told(var),
                };
                state.vars.insert(var, worth);
            }
        }
        state
    }

    fn finish(mut self) -> Deed {
        let mut left = std::mem::take(&mut self.left).into_iter();
        if let Some((marked, runs)) = left.next() {
            let (mut marked, mut runs) = (marked, runs);
            for (others, ran) in left {
                let other = |at: u32| others.iter().find(|(param, _)| *param == at).map(|(_, marks)| *marks);
                marked = marked
                    .into_iter()
                    .filter_map(|(at, marks)| Some((at, marks.common(other(at)?))))
                    .collect();
                runs.retain(|param| ran.contains(param));
            }
            self.deed.marked = marked;
            self.deed.runs = runs;
        }
        self.deed
    }
}
