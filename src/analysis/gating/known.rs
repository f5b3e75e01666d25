//! What a walk is told of the rest of the program: the words of the phase, the summaries made so far, and what runs what.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::asks::{Asks, Question, constant};
use super::special::Specials;
use super::summary::Summary;
use super::visit::Effort;
use crate::analysis::escape::Managers;
use crate::analysis::gates::spelled;
use crate::analysis::guards::Bodies;
use crate::analysis::subjects::{Subject, SubjectId, Subjects};
use crate::catalog::{Catalog, Naming, Vocabulary};
use crate::ir::{Expr, ExprId, FnKind};
use crate::link::{Cls, Edge, EdgeKind, Func, Program, Target};

/// What has been found out so far.
#[derive(Clone, Debug, Default)]
pub struct Learnt {
    pub(super) asks: Asks,
    summaries: FxHashMap<Func, Summary>,
    /// Parameters that are run, and whether always behind a gate.
    pub(super) runs: FxHashMap<(Func, u32), bool>,
    pub(super) specials: Specials,
    /// Functions that a decorator of the project does not run whatever happens.
    pub(super) cut_off: FxHashSet<Func>,
    /// Functions that somebody takes from behind their decorators.
    pub(super) undecorated: FxHashSet<Func>,
    /// The lowest decorator of a function that registers it: what stands above is not run by whoever finds it there.
    pub(super) registered_by: FxHashMap<Func, ExprId>,
    /// Functions in which something was given up that may be a gate.
    pub given_up: BTreeSet<Func>,
}

pub struct Known<'k, 'a> {
    pub program: &'k Program<'a>,
    pub catalog: &'k Catalog,
    pub(super) learnt: Cow<'k, Learnt>,
    /// Parameters that say in which phase a function works, by function.
    phases: RefCell<FxHashMap<Func, Arc<[u32]>>>,
    /// Functions as calls with constants mean them.
    pub specials: RefCell<Specials>,
    /// Functions whose summaries are not final: those of the component that is walked.
    pub unsettled: FxHashSet<Func>,
    pub effort: Effort,
    pub managers: &'k Managers<'k, 'a>,
    given_up: RefCell<BTreeSet<Func>>,
}

impl Learnt {
    pub fn asks(&self, func: Func) -> bool {
        self.asks.by_func.get(func.0 as usize).copied().unwrap_or_default()
    }

    pub fn is_vouched(&self, func: Func) -> bool {
        self.asks.vouched.contains(&func)
    }

    /// The configuration vouches, whatever the body does.
    pub fn is_vouched_for(&self, func: Func) -> bool {
        self.asks.vouched_for.contains(&func)
    }

    pub fn has_judges(&self) -> bool {
        self.asks.judges
    }

    pub fn summary(&self, func: Func) -> Option<&Summary> {
        self.summaries.get(&func)
    }

    /// True if the function runs its parameter, and only behind a gate.
    pub fn runs_behind_gate(&self, func: Func, at: u32) -> bool {
        self.runs.get(&(func, at)) == Some(&true)
    }
}

impl<'k, 'a> Known<'k, 'a> {
    pub fn new(
        bodies: &'k Bodies<'k, 'a>,
        asks: Asks,
        [cut_off, undecorated]: [FxHashSet<Func>; 2],
        registered_by: FxHashMap<Func, ExprId>,
    ) -> Self {
        let program = bodies.program();
        let functions = (0..program.functions.len() as u32).map(Func);
        let exprs: usize = functions.map(|func| program.ir(func).exprs.iter().count()).sum();
        let learnt = Cow::Owned(Learnt { asks, cut_off, undecorated, registered_by, ..Learnt::default() });
        Self::with(bodies, learnt, Effort::for_all(exprs))
    }

    /// To look at a function again when everything is known.
    pub fn again(bodies: &'k Bodies<'k, 'a>, learnt: &'k Learnt) -> Self {
        Self::with(bodies, Cow::Borrowed(learnt), Effort::for_one())
    }

    fn with(bodies: &'k Bodies<'k, 'a>, learnt: Cow<'k, Learnt>, effort: Effort) -> Self {
        Self {
            program: bodies.program(),
            catalog: bodies.catalog(),
            learnt,
            phases: RefCell::default(),
            specials: RefCell::default(),
            unsettled: FxHashSet::default(),
            effort,
            managers: bodies.managers(),
            given_up: RefCell::default(),
        }
    }

    /// Something in this function was given up that may be a gate.
    pub fn give_up(&self, func: Func) {
        self.given_up.borrow_mut().insert(func);
    }

    // ---- words

    /// True for a walk that asks who judges actions, not for the phase.
    pub fn judges_actions(&self) -> bool {
        self.learnt.asks.question == Question::Action
    }

    pub fn words(&self) -> &'k Vocabulary {
        match self.judges_actions() {
            true => &self.catalog.actions.words,
            false => &self.catalog.phase,
        }
    }

    pub fn is_open(&self, word: &str) -> bool {
        !self.judges_actions() && self.words().is_open(word)
    }

    /// The word that opens the gate begins so.
    pub fn begins_open(&self, start: &str) -> bool {
        !self.judges_actions() && self.words().open.iter().any(|word| word.starts_with(start))
    }

    /// `phase.lower()`, `Phase.EXECUTION.value`: the same word in another form.
    pub fn is_same_word(&self, name: &str) -> bool {
        self.catalog.phase.is_same_word(name)
    }

    pub fn constant(&self, func: Func, expr: ExprId) -> Option<Arc<str>> {
        let facts = self.program.facts(self.program.function(func).file);
        // What a local variable holds is known to the walk itself.
        let is_local =
            matches!(facts.expr(expr), Expr::Var(_)) && self.program.ir(func).kind != FnKind::Module;
        if is_local {
            return None;
        }
        // What is set from elsewhere may be another word.
        let known = constant(self.program, self.words(), func, expr)?;
        (!self.program.is_altered(func, expr)).then_some(known)
    }

    /// True if a subject goes by a name of the phase.
    pub fn is_named(&self, subjects: &Subjects, mut id: SubjectId, func: Func) -> bool {
        loop {
            let (name, whole): (&str, _) = match subjects.get(id) {
                Subject::Part(of, name) => (name, Some(*of)),
                Subject::Param(at) => (self.param_name(func, *at), None),
                Subject::Var(var) => {
                    let facts = self.program.facts(self.program.function(func).file);
                    (
                        facts
                            .list(self.program.ir(func).vars)
                            .get(var.0 as usize)
                            .map_or("", |&name| facts.str(name)),
                        None,
                    )
                }
                Subject::Global(name) => {
                    (self.program.facts(self.program.function(func).file).str(*name), None)
                }
                Subject::Result(_) | Subject::Made(_) => return false,
            };
            if self.words().naming(name).is_some() {
                return true;
            }
            let Some(of) = whole else { return false };
            id = of;
        }
    }

    fn param_name(&self, func: Func, at: u32) -> &'a str {
        let facts = self.program.facts(self.program.function(func).file);
        facts.list(self.program.ir(func).params).get(at as usize).map_or("", |param| facts.str(param.name))
    }

    /// True if what was asked for is the phase that the function works in: one of its parameters if there is one for it,
    /// and anything that is not a constant otherwise.
    pub fn fits(&self, func: Func, subjects: &Subjects, subject: SubjectId) -> bool {
        if self.is_changed(func, subjects, subject) {
            return false;
        }
        let phases = self.phases(func);
        if phases.is_empty() {
            return true;
        }
        // What a function finds elsewhere is not what its caller says.
        let is_found = matches!(subjects.get(subjects.root(subject)), Subject::Var(_));
        if is_found || self.is_said_otherwise(func, subjects, subject, &phases) {
            return false;
        }
        if self.is_named(subjects, subject, func) {
            return true;
        }
        if let Subject::Made(Some(of)) = *subjects.get(subject) {
            return self.fits(func, subjects, of);
        }
        match subjects.get(subjects.root(subject)) {
            Subject::Param(at) => phases.contains(at),
            // An attribute of what was made is its own business.
            Subject::Result(_) | Subject::Made(_) => true,
            Subject::Var(_) | Subject::Global(_) | Subject::Part(..) => false,
        }
    }

    /// `args["phase"]` beside a parameter `execution_phase`: what the caller says of itself, or declares.
    fn is_said_otherwise(&self, func: Func, subjects: &Subjects, subject: SubjectId, phases: &[u32]) -> bool {
        let Subject::Part(_, name) = subjects.get(subject) else { return false };
        let Subject::Param(at) = *subjects.get(subjects.root(subject)) else { return false };
        let is_own = at == 0 && self.program.function(func).class.is_some();
        !is_own && !phases.contains(&at) && self.words().naming(name) == Some(Naming::IfDeciding)
    }

    /// True for what a computation made of the phase: a test of it says nothing of the phase itself.
    pub fn is_changed(&self, func: Func, subjects: &Subjects, subject: SubjectId) -> bool {
        match *subjects.get(subject) {
            Subject::Made(Some(of)) => {
                self.is_named(subjects, of, func) || self.is_changed(func, subjects, of)
            }
            Subject::Made(None) => true,
            _ => false,
        }
    }

    /// True if what is made of a subject is to be told from the phase: it may be the phase, or it is surely another thing.
    pub fn is_told_apart(&self, func: Func, subjects: &Subjects, subject: SubjectId) -> bool {
        matches!(subjects.get(subjects.root(subject)), Subject::Param(_))
            || self.is_named(subjects, subject, func)
            || !self.fits(func, subjects, subject)
    }

    /// The parameter that says in which phase the function works, if a place is that, or a variable that takes its name.
    pub fn phase_named(&self, func: Func, subjects: &Subjects, place: SubjectId) -> Option<u32> {
        let phases = self.phases(func);
        let mut of = phases.iter().copied();
        match *subjects.get(place) {
            Subject::Param(param) => of.find(|&at| at == param),
            Subject::Var(var) => {
                let facts = self.program.facts(self.program.function(func).file);
                let name = facts.list(self.program.ir(func).vars).get(var.0 as usize)?;
                of.find(|&at| self.param_name(func, at) == facts.str(*name))
            }
            _ => None,
        }
    }

    fn phases(&self, func: Func) -> Arc<[u32]> {
        let find = || {
            let params = 0..self.program.ir(func).params.len() as u32;
            params
                .filter(|&at| self.words().naming(self.param_name(func, at)) == Some(Naming::Always))
                .collect()
        };
        self.phases.borrow_mut().entry(func).or_insert_with(find).clone()
    }

    /// The parameter is the open phase unless the caller says otherwise.
    pub fn defaults_to_open(&self, func: Func, at: u32) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let param = facts.list(self.program.ir(func).params)[at as usize];
        let scope = self.program.ir(func).parent;
        param.default.is_some_and(|default| {
            constant(self.program, self.words(), scope, default).is_some_and(|text| self.is_open(&text))
        })
    }

    /// A decorator of the project stands before the function, and does not run it whatever happens.
    pub fn is_cut_off(&self, func: Func) -> bool {
        self.learnt.cut_off.contains(&func)
    }

    pub fn learnt_asks(&self, func: Func) -> bool {
        self.learnt.asks(func)
    }

    /// A check that external content says where it comes from.
    pub fn checks_attribution(&self, func: Func, call: ExprId, edges: &[Edge]) -> bool {
        let words = &self.catalog.boundaries;
        let passes =
            |edge: &Edge| matches!(edge.to, Target::Project(to) if self.learnt.asks.passing.contains(&to));
        if edges.iter().any(passes) {
            return false;
        }
        let by_path = edges.iter().any(|edge| words.checks_attribution(&self.program.target_name(edge.to)));
        by_path || spelled(self.program, func, call).is_some_and(|name| words.checks_attribution(&name))
    }

    /// `sys.exit()`.
    pub fn leaves_for_good(&self, edges: &[Edge]) -> bool {
        edges.iter().any(|edge| match edge.to {
            Target::External(path) => self.catalog.boundaries.never_returns(self.program.path(path)),
            Target::Project(_) => false,
        })
    }

    /// True if what is called hands back a result, as far as its head says.
    pub fn hands_back_result(&self, edges: &[Edge]) -> bool {
        edges.iter().all(|edge| match edge.to {
            Target::Project(func) => self.program.ir(func).returns.is_some(),
            Target::External(_) => true,
        })
    }

    // ---- functions

    pub fn summary(&self, func: Func) -> Option<&Summary> {
        self.learnt.summaries.get(&func)
    }

    pub fn assume_never_returns(&mut self, func: Func) {
        self.learnt.to_mut().summaries.insert(func, Summary::never_returns());
    }

    /// Gives up what is known of a function; true if that is news.
    pub fn forget(&mut self, func: Func) -> bool {
        self.give_up(func);
        self.summarise(func, Summary::unknown())
    }

    /// Keeps what is known of a function now; true if that is news.
    pub fn summarise(&mut self, func: Func, summary: Summary) -> bool {
        if self.summary(func) == Some(&summary) {
            return false;
        }
        self.learnt.to_mut().summaries.insert(func, summary);
        true
    }

    pub fn into_learnt(self) -> Learnt {
        let (specials, given_up) = (self.specials.into_inner(), self.given_up.into_inner());
        Learnt { specials, given_up, ..self.learnt.into_owned() }
    }

    /// True if a walk can find anything: the function asks for the phase, or calls, contains or is decorated by what does.
    pub fn is_worth_a_walk(&self, func: Func) -> bool {
        let tells = |func: Func| self.learnt.summaries.get(&func).is_some_and(Summary::is_informative);
        let params = |func: Func| 0..self.program.ir(func).params.len() as u32;
        let runs_held = |func: Func| params(func).any(|at| self.learnt.runs.contains_key(&(func, at)));
        self.learnt.asks.by_func[func.0 as usize]
            || self.learnt.asks.makers.contains(&func)
            || self.program.nested(func).any(|inner| self.learnt.summaries.contains_key(&inner))
            || self.is_held_at_entry(func)
            || self.program.edges_from(func).iter().any(|edge| match edge.to {
                Target::Project(to) if edge.kind != EdgeKind::Stored => tells(to) || runs_held(to),
                _ => false,
            })
    }

    /// True if the function, or one it calls, asks for the phase, but does not guarantee it.
    pub fn asks_on_some_way(&self, func: Func) -> bool {
        let asks = |func: Func| self.learnt.asks(func);
        let mut edges = self.program.edges_from(func).iter();
        let mut calls_asker = || edges.any(|edge| matches!(edge.to, Target::Project(to) if asks(to)));
        !self.summary(func).is_some_and(Summary::guarantees) && (asks(func) || calls_asker())
    }

    pub fn calls_itself(&self, func: Func) -> bool {
        self.program.edges_from(func).iter().any(|edge| edge.to == Target::Project(func))
    }

    pub fn is_coroutine(&self, func: Func) -> bool {
        let function = self.program.ir(func);
        function.is_async && !function.is_generator
    }

    /// `asyncio.run(gate())`: the callee runs the coroutine that it is given before it comes back.
    pub fn runs_coroutine(&self, target: Target) -> bool {
        matches!(target, Target::External(path) if self.catalog.phase.runs_coroutine(self.program.path(path)))
    }

    /// `stack.enter_context(gate(phase))`: the callee enters the context manager that it is given.
    pub fn enters_contexts(&self, target: Target) -> bool {
        matches!(target, Target::External(path) if self.catalog.phase.enters_contexts(self.program.path(path)))
    }

    /// The names of the fields of a class, in order.
    pub fn fields(&self, class: Cls) -> Vec<Arc<str>> {
        self.program.field_names(class)
    }
}
