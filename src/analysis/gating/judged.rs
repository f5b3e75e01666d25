//! Who judges an action, what the judge is told of, and whether what runs is what was judged.

use std::collections::BTreeSet;

use super::asks::library_callee;
use super::known::Learnt;
use super::state::State;
use super::walk::Walk;
use crate::analysis::gates::spelled;
use crate::analysis::outcomes::{Gates, Value};
use crate::analysis::subjects::{Subject, SubjectId};
use crate::analysis::told::is_given;
use crate::catalog::Speaks;
use crate::ir::{Arg, Expr, ExprId, FnKind, VarId};
use crate::link::{Edge, Func, Target};

/// How a call is known to ask a judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judge {
    /// Its answer is one.
    Answers,
    /// It hands back words that a person wrote: an answer where they are compared with one.
    HandsWordsBack,
}

impl Walk<'_, '_> {
    pub(super) fn judge(&self, call: ExprId, edges: &[Edge]) -> Option<Judge> {
        let (program, words) = (self.known.program, self.actions());
        if library_callee(program, self.func, call).is_some_and(|path| words.asks_for_words(path)) {
            return Some(Judge::HandsWordsBack);
        }
        let given: Speaks<'_> = &|fits| is_given(program, self.func, call, fits);
        let is_judge = |edge: &Edge| match edge.to {
            Target::Project(to) => self.known.learnt.judges(to),
            Target::External(path) => words.is_gate(program.path(path), given),
        };
        let is_named =
            || spelled(program, self.func, call).is_some_and(|name| words.is_gate_name(&name, given));
        (edges.iter().any(is_judge) || is_named()).then_some(Judge::Answers)
    }

    // ---- what is judged

    /// A gate for everything that the judge was told of; for nothing in particular if nothing has a name, or if a library
    /// asks a person, who sees what the library shows.
    pub(super) fn judged(&mut self, call: ExprId, list: &[Arg]) -> Gates {
        let is_of_library = library_callee(self.known.program, self.func, call).is_some();
        let list = if is_of_library { &[] } else { list };
        let told: Vec<SubjectId> = self.subjects_in(list.iter().map(|arg| arg.value));
        let gates = told.into_iter().map(|subject| self.subjects.atom(subject)).reduce(Gates::with);
        gates.unwrap_or_else(|| match self.subjects.id(Subject::Result(call)) {
            Some(own) => self.subjects.atom(own),
            None => Gates::NONE,
        })
    }

    /// Whether what these expressions speak of is what was judged, as far as it has names.
    pub(super) fn is_judged(&mut self, state: &State, exprs: &[ExprId], values: &[Value]) -> bool {
        let of_values = values.iter().filter_map(Value::least).fold(Gates::NONE, Gates::with);
        if !of_values.is_empty() {
            return true;
        }
        let judged: Vec<SubjectId> = self.subjects.of(state.passed).collect();
        let is_named = |subject: &SubjectId| !matches!(self.subjects.get(*subject), Subject::Result(_));
        if judged.is_empty() || !judged.iter().all(is_named) {
            return !judged.is_empty();
        }
        let judged: BTreeSet<SubjectId> =
            judged.into_iter().map(|subject| self.subjects.root(subject)).collect();
        let runs = self.subjects_in(exprs.iter().copied());
        runs.is_empty()
            || runs.iter().any(|run| judged.contains(run))
                && exprs.iter().all(|&expr| judged.len() == 1 || self.is_covered(expr, &judged))
    }

    /// False for the arguments of a tool that a judge of the whole action was not told of.
    fn is_covered(&mut self, expr: ExprId, judged: &BTreeSet<SubjectId>) -> bool {
        let mut work = vec![expr];
        let mut seen = BTreeSet::new();
        while let Some(expr) = work.pop() {
            for part in self.facts.arenas.below(expr) {
                let Expr::Var(var) = *self.facts.expr(part) else { continue };
                let is_told = self.variable(var).is_some_and(|place| judged.contains(&place));
                if is_told || !seen.insert(var) || !self.is_arguments(var) {
                    continue;
                }
                match self.known.program.sole_definition(self.func, part) {
                    // What a library makes of it is the same in another form.
                    Some((owner, made)) if owner == self.func && !self.is_made_here(made) => work.push(made),
                    _ => return false,
                }
            }
        }
        true
    }

    fn is_arguments(&self, var: VarId) -> bool {
        let vars = self.facts.list(self.known.program.ir(self.func).vars);
        vars.get(var.0 as usize).is_some_and(|&name| self.actions().is_arguments(self.facts.str(name)))
    }

    /// True for what a call of somebody's own comes back with.
    fn is_made_here(&self, made: ExprId) -> bool {
        let made = match *self.facts.expr(made) {
            Expr::Await(inner) => inner,
            _ => made,
        };
        let Expr::Call { callee, .. } = *self.facts.expr(made) else { return false };
        let is_of_variable = match *self.facts.expr(callee) {
            Expr::Field { base, .. } => matches!(self.facts.expr(base), Expr::Var(_)),
            _ => false,
        };
        library_callee(self.known.program, self.func, made).is_none() && !is_of_variable
    }

    /// The variables that expressions speak of, and what those were made of; not the object whose method this is.
    fn subjects_in(&mut self, exprs: impl Iterator<Item = ExprId>) -> Vec<SubjectId> {
        let mut found = BTreeSet::new();
        let mut work: Vec<(Func, ExprId)> = exprs.map(|expr| (self.func, expr)).collect();
        while let Some(at) = work.pop() {
            self.mentions(at, &mut found, &mut work);
        }
        found.into_iter().filter_map(|var| self.variable(var)).collect()
    }

    fn mentions(
        &self,
        (func, expr): (Func, ExprId),
        found: &mut BTreeSet<VarId>,
        made_of: &mut Vec<(Func, ExprId)>,
    ) {
        let program = self.known.program;
        for part in self.facts.arenas.below(expr) {
            let Expr::Var(named) = *self.facts.expr(part) else { continue };
            let Some(var) = self.as_named_here(func, named) else { continue };
            if program.own_class_of(func, named).is_some() || !found.insert(var) {
                continue;
            }
            let made = program.sole_definition(func, part);
            made_of.extend(made.filter(|&(owner, _)| self.is_around(owner)));
        }
    }

    /// This function, or one that it stands in: their variables may be seen here.
    fn is_around(&self, owner: Func) -> bool {
        let program = self.known.program;
        let mut at = self.func;
        while at != owner {
            let parent = program.ir(at).parent;
            if parent == at || program.ir(at).kind == FnKind::Module {
                return false;
            }
            at = parent;
        }
        true
    }

    /// A variable of a function around, as this one sees it.
    fn as_named_here(&self, func: Func, var: VarId) -> Option<VarId> {
        if func == self.func {
            return Some(var);
        }
        let program = self.known.program;
        let slot = program.slot_of(func, var);
        let own = self.facts.list(program.ir(self.func).vars);
        (0..own.len() as u32).map(VarId).find(|&own| program.slot_of(self.func, own) == slot)
    }

    /// What a variable held before was judged; what it holds now is another thing.
    pub(super) fn rejudge(&mut self, state: &mut State, var: VarId) {
        let Some(place) = self.variable(var).filter(|_| !self.answers.is_empty()) else { return };
        let gates: Gates = self
            .subjects
            .of(state.passed)
            .filter(|&subject| self.subjects.root(subject) == place)
            .collect::<Vec<_>>()
            .into_iter()
            .fold(Gates::NONE, |all, subject| all.with(self.subjects.atom(subject)));
        state.passed = state.passed.without(gates);
    }
}

impl Learnt {
    /// A judge of actions whose body can be read.
    pub(super) fn judges(&self, func: Func) -> bool {
        self.asks.gates.contains(&func)
    }

    /// A call that runs a tool which is named at run time.
    pub(super) fn runs_tool(&self, func: Func, call: ExprId) -> bool {
        self.asks.executions.contains(&(func, call))
    }
}
