//! The walk over one function: what its calls do to the sessions, and what it comes to.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::keys::Key;
use super::state::{Known, Left, Refusal, Source, State, Summary};
use super::tools::{Role, ToolId};
use super::{Contaminated, Found, Order};
use crate::analysis::decorators::made_by;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, Sym, VarId};
use crate::link::{Edge, EdgeKind, Func, Target};

/// What a value tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    Nothing,
    Is(bool),
    /// True if, and only if, internal data was read; or the opposite.
    Mark(bool),
    /// The same of whether the tool at hand is a source.
    Source(bool),
    /// A list of names of tools.
    Plan(ExprId),
}

pub struct Walk<'w, 'o, 'p, 'a> {
    pub order: &'w Order<'o, 'p, 'a>,
    pub func: Func,
    pub facts: &'a Facts,
    known: &'w Known,
    pub marks: &'w BTreeSet<Sym>,
    pub found: &'w mut Found,
    pub told: FxHashMap<VarId, Told>,
    pub records: bool,
    out: Summary,
    leaves: Option<State>,
    /// What it hands back, as long as that is one thing.
    hands: Option<Told>,
}

impl<'w, 'o, 'p, 'a> Walk<'w, 'o, 'p, 'a> {
    pub fn new(
        order: &'w Order<'o, 'p, 'a>,
        func: Func,
        known: &'w Known,
        marks: &'w BTreeSet<Sym>,
        found: &'w mut Found,
    ) -> Self {
        Self {
            order,
            func,
            facts: order.program.facts(order.program.function(func).file),
            known,
            marks,
            found,
            told: FxHashMap::default(),
            records: false,
            out: Summary::default(),
            leaves: None,
            hands: None,
        }
    }

    pub fn entry(&self) -> State {
        State::entry()
    }

    pub fn begin_recording(&mut self) {
        self.records = true;
        self.out = Summary::default();
        self.leaves = None;
        self.hands = None;
    }

    pub fn finish(self) -> Summary {
        let Self { mut out, leaves, hands, func, order, .. } = self;
        let is_known = |key: &Key| order.keys.is_known_outside(func, key);
        out.left = leaves.map(|state| Left {
            is_clean: state.is_clean,
            reset: state.reset,
            sources: state.sources.into_iter().filter(|(key, _)| is_known(key)).collect(),
        });
        out.externals.retain(|(.., key)| is_known(key));
        out.tells = match hands {
            Some(Told::Mark(when)) => Some(when),
            _ => None,
        };
        out
    }

    /// The function is left by something thrown, because the mark was seen or not.
    pub fn refuse(&mut self, is_refusal: bool) {
        if self.records && is_refusal {
            self.out.refusals.insert(Refusal::Raises);
        }
    }

    /// The function comes back.
    pub fn leave(&mut self, state: &State, at: ExprId, value: Told) {
        if !self.records {
            return;
        }
        if state.is_marked || self.hands_on_refusal(at) {
            self.out.refusals.insert(Refusal::Returns);
        }
        match &mut self.leaves {
            Some(leaves) => leaves.join(state),
            None => self.leaves = Some(state.clone()),
        }
        self.hands = Some(match self.hands {
            None => value,
            Some(known) if known == value => known,
            Some(_) => Told::Nothing,
        });
    }

    /// A call: what it makes is new, what it runs happens, and what it resets is over.
    ///
    /// Comes back with whether it may throw because it saw the mark.
    pub fn run(&mut self, state: &mut State, call: ExprId) -> bool {
        state.sources.retain(|key, _| !key.is_of(self.func, call));
        self.together(call);
        match self.order.calls.of(self.func, call) {
            Some(tool) => self.tool(state, call, tool),
            None => self.functions(state, call),
        }
        self.reset(state, call);
        self.refuses(call, Refusal::Raises)
    }

    fn tool(&mut self, state: &mut State, call: ExprId, tool: ToolId) {
        let key = self.session(call);
        match self.order.tools.get(tool).role {
            Role::External if !self.is_refused(call) => self.external(state, (self.func, call), &key, tool),
            Role::Source => {
                let source = Source { func: self.func, at: call, tool };
                state.add(key, source);
            }
            Role::External | Role::Other => {}
        }
    }

    /// An external tool runs in this state; where that is the caller's, it is the caller who knows.
    fn external(&mut self, state: &State, at: (Func, ExprId), key: &Key, tool: ToolId) {
        if let Some(source) = state.source_of(key) {
            self.report(at, tool, source);
        }
        if state.is_open(key) {
            self.out.externals.insert((at.0, at.1, tool, key.clone()));
        }
    }

    fn report(&mut self, (func, at): (Func, ExprId), tool: ToolId, source: Source) {
        // A tool that calls itself again is one call.
        if self.records && (source.func, source.at) != (func, at) {
            self.found.report((func, at), Contaminated { func, at, tool, source });
        }
    }

    /// The session that a call of a tool belongs to.
    fn session(&self, call: ExprId) -> Key {
        let keys = &self.order.keys;
        let object = || match *self.facts.expr(call) {
            Expr::Call { callee, .. } => match *self.facts.expr(callee) {
                Expr::Field { base, name } if self.order.words.calls(self.facts.str(name)) => {
                    self.is_no_tool(base).then(|| keys.of(self.func, base))
                }
                _ => None,
            },
            _ => None,
        };
        keys.session_argument(self.func, call).or_else(object).unwrap_or(Key::Any)
    }

    /// `search.invoke(…)` is called on the tool, `session.invoke("search")` on a session.
    fn is_no_tool(&self, base: ExprId) -> bool {
        let (_, value) = self.order.program.bound(self.func, base);
        !matches!(self.facts.expr(value), Expr::Closure(_) | Expr::Index { .. })
    }

    /// The runtime block: what runs the tool, or what stands around it, leaves where the mark is set.
    fn is_refused(&self, call: ExprId) -> bool {
        let refuses = |func: Func| self.known.summaries.get(&func).is_some_and(|it| !it.refusals.is_empty());
        let program = self.order.program;
        program.edges_at(self.func, call).iter().any(|edge| match edge.to {
            Target::Project(target) => {
                let around = program.decorators(target).flat_map(|it| made_by(program, it.func));
                refuses(target) || around.into_iter().any(refuses)
            }
            Target::External(_) => false,
        })
    }

    /// True if a function that is called refuses in that way.
    fn refuses(&self, call: ExprId, how: Refusal) -> bool {
        let edges = self.order.program.edges_at(self.func, call).iter();
        let mut targets = edges.filter(|edge| edge.kind == EdgeKind::Call).filter_map(|edge| match edge.to {
            Target::Project(target) => self.known.summaries.get(&target),
            Target::External(_) => None,
        });
        targets.any(|summary| summary.refusals.contains(&how))
    }

    /// `return self._call(name)`: what refuses there refuses here.
    fn hands_on_refusal(&self, at: ExprId) -> bool {
        let Expr::Jump { value: Some(value), .. } = *self.facts.expr(at) else { return false };
        let value = match *self.facts.expr(value) {
            Expr::Await(inner) => inner,
            _ => value,
        };
        self.refuses(value, Refusal::Returns)
    }

    /// What the functions of the project do that a call runs; where it may be one of several, any of them.
    fn functions(&mut self, state: &mut State, call: ExprId) {
        let edges = self.edges(call);
        // What nothing is known of leaves everything as it was.
        let is_known = |edge: &Edge| match edge.to {
            Target::Project(target) => {
                self.known.summaries.contains_key(&target) || self.known.unsettled.contains(&target)
            }
            Target::External(_) => false,
        };
        if !edges.iter().any(is_known) {
            return;
        }
        let before = state.clone();
        let mut after: Option<State> = None;
        for edge in edges {
            let ran = self.ran(before.clone(), &edge);
            match &mut after {
                Some(after) => after.join(&ran),
                None => after = Some(ran),
            }
        }
        if let Some(after) = after {
            *state = after;
        }
    }

    /// The functions that a call calls, and those that it is handed and runs.
    fn edges(&self, call: ExprId) -> Vec<Edge> {
        let program = self.order.program;
        let Expr::Call { args, .. } = *self.facts.expr(call) else { return Vec::new() };
        let given = self.facts.list(args).iter().flat_map(|arg| program.edges_at(self.func, arg.value));
        let handed = given.filter(|edge| edge.kind == EdgeKind::Passed);
        let called = program.edges_at(self.func, call).iter().filter(|edge| edge.kind != EdgeKind::Stored);
        called.chain(handed).filter(|edge| edge.confidence > Confidence::Low).copied().collect()
    }

    /// The state behind a function of the project; one of which nothing is known yet has not come back so far.
    fn ran(&mut self, mut state: State, edge: &Edge) -> State {
        let (order, known) = (self.order, self.known);
        let Target::Project(target) = edge.to else { return state };
        let Some(summary) = known.summaries.get(&target) else {
            return State { is_live: !known.unsettled.contains(&target), ..state };
        };
        for (func, at, tool, key) in &summary.externals {
            self.external(&state, (*func, *at), &order.keys.at_caller(key, edge), *tool);
        }
        match &summary.left {
            Some(left) => self.leave_behind(&mut state, edge, left),
            None => state.is_live = !known.unsettled.contains(&target),
        }
        state
    }

    fn leave_behind(&self, state: &mut State, edge: &Edge, left: &Left) {
        let keys = &self.order.keys;
        if left.is_clean {
            state.clean();
        }
        for key in &left.reset {
            self.is_over(state, &keys.at_caller(key, edge));
        }
        for (key, source) in &left.sources {
            state.add(keys.at_caller(key, edge), *source);
        }
    }

    /// `session.reset()`, `new_session()`.
    fn reset(&self, state: &mut State, call: ExprId) {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return };
        let program = self.order.program;
        if !self.order.calls.said(self.func, callee).resets || !self.does_something(call) {
            return;
        }
        let Expr::Field { base, .. } = *self.facts.expr(callee) else { return state.clean() };
        self.is_over(state, &self.order.keys.of(self.func, base));
        let object = program.receiver_name(self.func, base);
        if object.is_some_and(|object| self.order.words.is_session(object.name)) {
            self.is_over(state, &Key::Any);
        }
    }

    fn is_over(&self, state: &mut State, key: &Key) {
        state.sources.remove(key);
        state.reset.insert(key.clone());
    }

    /// False for a function of the project that calls and stores nothing: its name is all that it has.
    pub fn does_something(&self, call: ExprId) -> bool {
        let program = self.order.program;
        let acts = |func: Func| {
            let facts = program.facts(program.function(func).file);
            let acts =
                |expr| matches!(facts.expr(expr), Expr::Call { .. } | Expr::Store { .. } | Expr::Loop(_));
            program.ir(func).exprs.iter().any(acts)
        };
        let edges = program.edges_at(self.func, call).iter();
        edges
            .filter_map(|edge| match edge.to {
                Target::Project(target) => Some(target),
                Target::External(_) => None,
            })
            .all(acts)
    }

    /// What runs side by side: an external tool beside a source may run after it.
    fn together(&mut self, call: ExprId) {
        let Expr::Call { callee, args, .. } = *self.facts.expr(call) else { return };
        if !self.order.calls.said(self.func, callee).joins {
            return;
        }
        let below = self.facts.list(args).iter().flat_map(|arg| self.facts.arenas.below(arg.value));
        let called = below.filter_map(|expr| Some((expr, self.order.calls.of(self.func, expr)?)));
        let called: Vec<(ExprId, ToolId)> = called.collect();
        let tools = self.order.tools;
        let of = |role| called.iter().filter(move |(_, tool)| tools.get(*tool).role == role);
        for &(at, tool) in of(Role::External) {
            let key = self.session(at);
            let source = of(Role::Source).find(|(other, _)| self.session(*other).may_be(&key));
            if let Some(&(beside, tool_beside)) = source {
                let source = Source { func: self.func, at: beside, tool: tool_beside };
                self.report((self.func, at), tool, source);
            }
        }
    }

    /// What a call hands back that is one function of the project, as far as it tells.
    pub fn handed_back(&self, call: ExprId) -> Told {
        let edges = self.order.program.edges_at(self.func, call).iter();
        let mut told = edges.filter(|edge| edge.kind == EdgeKind::Call).map(|edge| match edge.to {
            Target::Project(target) => self.known.summaries.get(&target).and_then(|summary| summary.tells),
            Target::External(_) => None,
        });
        match (told.next(), told.next()) {
            (Some(Some(when)), None) => Told::Mark(when),
            _ => Told::Nothing,
        }
    }
}
