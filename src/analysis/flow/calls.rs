//! Calls: what comes back from a source, a guard, a function of the project or a library, and what the call does to its
//! arguments.

use smallvec::SmallVec;

use super::data::{Data, Key};
use super::labels::{Aspect, Labels};
use super::model::Tells;
use super::records::{changed, joined_text, merged};
use super::state::{State, Value};
use super::tables::{Cell, Part, Summary, Taker};
use super::walk::Walk;
use crate::analysis::implicit;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Operator};
use crate::link::{Edge, EdgeKind, Func, Passed, Program, Resolution, Target};

/// A call on its way.
pub(super) struct Call<'c, 'a> {
    pub expr: ExprId,
    pub callee: ExprId,
    pub args: &'a [Arg],
    pub values: &'c [Value],
    /// The object whose method is called, or the callable itself.
    pub receiver: Value,
    /// Those that are followed.
    pub edges: SmallVec<[Edge; 2]>,
    /// What comes back from callables that are handed over and run, by the argument.
    pub handed: Vec<(ExprId, Data)>,
}

impl Call<'_, '_> {
    pub fn is_tainted(&self) -> bool {
        !self.receiver.data.is_nothing() || self.values.iter().any(|value| !value.data.is_nothing())
    }

    pub fn given(&self) -> impl Iterator<Item = &Data> {
        self.values.iter().map(|value| &value.data)
    }

    /// All that goes in.
    pub fn taken(&self) -> Data {
        joined_text(std::iter::once(&self.receiver.data).chain(self.given()))
    }
}

impl Walk<'_, '_, '_> {
    pub(super) fn called(
        &mut self,
        state: &mut State,
        expr: ExprId,
        callee: &Value,
        values: &[Value],
    ) -> Value {
        let facts = self.facts;
        let Expr::Call { callee: called, args, .. } = *facts.expr(expr) else { return Value::default() };
        let receiver = match *facts.expr(called) {
            Expr::Field { base, .. } => match *facts.expr(base) {
                Expr::Var(var) => self.variable(state, var),
                _ => self.receivers.remove(&called).unwrap_or_default(),
            },
            _ => callee.clone(),
        };
        let edges = self.model.program.edges_at(self.func, expr).iter();
        let follows = |edge: &&Edge| edge.kind.carries_content() && edge.confidence >= Confidence::Medium;
        let edges = edges.filter(follows).copied().collect();
        let (args, handed) = (facts.list(args), Vec::new());
        let mut call = Call { expr, callee: called, args, values, receiver, edges, handed };
        if self.has_sites || call.is_tainted() {
            self.prompts(&call);
        }
        if let Some(guard) = self.model.guard(self.func, expr, &call.edges) {
            return self.guarded(state, &call, guard);
        }
        let brought = self.brought(&call);
        call.handed = self.handed(&call);
        let passed = self.passed(&call);
        match (self.own(state, &call), passed) {
            (Some(data), None) if !brought.is_empty() && self.is_known(&call, &data) => {
                Value::of(told_as(data, &brought))
            }
            (Some(data), passed) => Value::of(data.and(&passed.unwrap_or_default()).with_rest(&brought)),
            // What it was given went to the callable; one that is named (`key=`) only looks at it.
            (None, Some(passed)) if self.hands_on(&call) => {
                let mut value = self.foreign(state, &call);
                value.data = value.data.and(&passed).with_rest(&brought);
                value
            }
            (None, Some(passed)) => Value::of(passed.with_rest(&brought)),
            // What a model answers is its own.
            (None, None) if self.model.prompt(self.at(expr)).is_some() => Value::of(Data::default()),
            (None, None) => {
                let mut value = self.foreign(state, &call);
                value.data = value.data.with_rest(&brought);
                value
            }
        }
    }

    /// What the call brings in by itself, or by a function of a library that it hands over.
    fn brought(&self, call: &Call<'_, '_>) -> Labels {
        if !self.has_sites {
            return Labels::default();
        }
        let mut labels = self.model.brought(self.at(call.expr));
        // A call among the arguments has brought in its own.
        let is_call = |arg: &&Arg| matches!(self.facts.expr(arg.value), Expr::Call { .. });
        for arg in call.args.iter().filter(|arg| !is_call(arg)) {
            labels.join(&self.model.brought(self.at(arg.value)));
        }
        labels
    }

    /// A comm operation of the project is what its own code makes of it, as far as that is known.
    fn is_known(&self, call: &Call<'_, '_>, data: &Data) -> bool {
        let at = self.at(call.expr);
        let is_comm = self.values.effects.is_comm_call(at);
        is_comm && data.total().has_own()
    }

    /// Calls of functions of the project; `None` if there are none.
    fn own(&mut self, state: &mut State, call: &Call<'_, '_>) -> Option<Data> {
        let mut result: Option<Data> = None;
        for edge in &call.edges {
            let Target::Project(callee) = edge.to else { continue };
            let is_known = self.tables.summaries.contains_key(&callee);
            let data = match call.is_tainted() || is_known {
                true => {
                    let given = self.arguments(call, edge, callee);
                    self.invoke(state, call, edge, callee, &given)
                }
                false => Data::default(),
            };
            result = Some(result.map_or(data.clone(), |known| known.join(&data)));
        }
        if result.is_none() && self.constructs(call) {
            let made = self.constructed(call);
            self.tell_object(call, &made);
            return Some(made);
        }
        result
    }

    /// What each parameter gets, and under which name it is known here.
    fn arguments(&self, call: &Call<'_, '_>, edge: &Edge, callee: Func) -> Vec<(u32, Value)> {
        let program = self.model.program;
        let mut given: Vec<(u32, Value)> = Vec::new();
        let pairs = program.arguments(edge);
        let object = program.takes_object(edge);
        if object {
            given.push((0, call.receiver.clone()));
        }
        let count = self.facts_of(callee);
        for (passed, expr) in pairs {
            let Some(at) = call.args.iter().position(|arg| arg.value == expr) else { continue };
            // Whoever runs a callable says what becomes of its result.
            let brought = call.handed.iter().find(|(arg, _)| *arg == expr);
            let value = &brought.map_or_else(|| call.values[at].clone(), |(_, data)| Value::of(data.clone()));
            match passed {
                Passed::Param(param) => given.push((param, value.clone())),
                Passed::Rest(param) => given.push((param, Value::of(value.data.flat()))),
                Passed::KeywordRest(param, name) => {
                    let data = Data::default().with_field(Key::Name(name), &value.data);
                    given.push((param, Value::of(data)));
                }
                Passed::SpreadFrom(from) => {
                    let part = Value::of(value.data.read(Key::Each).flat());
                    given.extend((from..count).map(|param| (param, part.clone())));
                }
                Passed::SpreadNamed => {
                    let part = Value::of(value.data.flat());
                    given.extend((u32::from(object)..count).map(|param| (param, part.clone())));
                }
            }
        }
        given.retain(|(_, value)| !value.data.is_nothing() || value.path.is_some());
        given
    }

    fn facts_of(&self, callee: Func) -> u32 {
        let program = self.model.program;
        let facts = program.facts(program.function(callee).file);
        facts.list(program.ir(callee).params).len() as u32
    }

    /// A parameter of the callee gets this: as a whole, and apart by its keys.
    pub(super) fn give(&mut self, at: ExprId, callee: Func, param: u32, data: &Data) {
        if !self.is_recording || data.is_nothing() {
            return;
        }
        self.event(at, data.total(), Taker::Param(callee, param, Part::Whole));
        self.event(at, data.read_rest(), Taker::Param(callee, param, Part::Rest));
        for (key, field) in data.fields() {
            self.event(at, field.total(), Taker::Param(callee, param, Part::Key(key)));
        }
        // What is known by its key to whoever gave it is so to whoever gets it.
        let given = self.tables.given(self.func);
        let rest = data.rest();
        for key in rest.params().flat_map(|own| given.keys(own)).filter(|&key| !data.has_field(key)) {
            let part = data.read(key).total();
            let part = part.of_given(|own, key| given.has_key(own, key));
            self.event(at, part, Taker::Param(callee, param, Part::Key(key)));
        }
    }

    /// Without what is under keys that nobody puts anything under.
    pub(super) fn of_given(&self, data: Data) -> Data {
        let given = self.tables.given(self.func);
        data.map(&|labels| labels.of_given(|param, key| given.has_key(param, key)))
    }

    fn invoke(
        &mut self,
        state: &mut State,
        call: &Call<'_, '_>,
        edge: &Edge,
        callee: Func,
        given: &[(u32, Value)],
    ) -> Data {
        for (param, value) in given {
            self.give(call.expr, callee, *param, &value.data.weakened(edge.confidence));
        }
        let Some(summary) = self.tables.summaries.get(&callee) else { return Data::default() };
        let data: Given = given.iter().map(|(param, value)| (*param, value.data.clone())).collect();
        let result = self.of_given(substituted(&summary.returns, &data));
        let result = self.of_this_call(callee, result, &data).weakened(edge.confidence);
        let made = self.returned(state, call, summary, given, &data);
        let is_constructor = is_initialiser(self.model.program, callee) && self.constructs(call);
        match (is_constructor, made) {
            (true, made) => made.and(&self.constructed(call)),
            // What a handler lets out is told where it does.
            _ if self.tables.handlers.contains(&callee) => {
                let guarded = result.without(Aspect::Unattributed).without(Aspect::Unfenced);
                guarded.without(Aspect::Unwarned)
            }
            _ => result,
        }
    }

    /// Does to the arguments what the callee does to its parameters; what comes back is the object that it made.
    fn returned(
        &mut self,
        state: &mut State,
        call: &Call<'_, '_>,
        summary: &Summary,
        given: &[(u32, Value)],
        data: &[(u32, Data)],
    ) -> Data {
        let mut made = Data::default();
        for (param, out) in &summary.outs {
            let others: Given = data.iter().filter(|(other, _)| other != param).cloned().collect();
            let out = self.of_given(substituted(out, &others));
            match given.iter().find(|(at, _)| at == param).and_then(|(_, value)| value.path) {
                Some(path) => {
                    state.change(path, &mut |data, keys| changed(data, keys, &|part| merged(part, &out)));
                    self.tell(call.expr, path, &out.total());
                }
                None if *param == 0 => made = out,
                None => {}
            }
        }
        made
    }

    /// True for a call of a class.
    fn constructs(&self, call: &Call<'_, '_>) -> bool {
        self.model.program.resolution(self.func, call.expr).is_some_and(|resolution| {
            let runs_function = call.edges.iter().any(|edge| match edge.to {
                Target::Project(func) => !is_initialiser(self.model.program, func),
                Target::External(_) => false,
            });
            matches!(resolution, Resolution::Resolved(_)) && !runs_function
        })
    }

    /// The methods of an object see what its constructor is given.
    fn tell_object(&mut self, call: &Call<'_, '_>, made: &Data) {
        let program = self.model.program;
        let Some(class) = program.class_named(self.func, call.callee).filter(|_| self.is_recording) else {
            return;
        };
        for (key, field) in made.fields() {
            if let Key::Name(name) = key {
                let cell = Cell::Field(program.root_class(class), name);
                self.event(call.expr, field.total(), Taker::Cell(cell));
            }
        }
    }

    /// An object keeps what its constructor is given under the names of its parameters.
    pub(super) fn constructed(&self, call: &Call<'_, '_>) -> Data {
        let mut out = Data::default();
        for (arg, value) in call.args.iter().zip(call.values) {
            out = match arg.kind {
                ArgKind::Named(name) => {
                    let key = Key::Name(name);
                    self.sealed(out.with_field(key, &value.data), key, &value.data)
                }
                ArgKind::SpreadNamed => merged(&out, &value.data),
                _ => out.with_rest(&value.data.total()),
            };
        }
        out
    }

    /// True if the call hands back what it is given, whatever it runs: `max(hits, key=stars)`, `filter(is_new, hits)`.
    fn hands_on(&self, call: &Call<'_, '_>) -> bool {
        let is_run = |arg: &Arg| {
            let edges = self.model.program.edges_at(self.func, arg.value);
            edges.iter().any(|edge| edge.kind == EdgeKind::Passed)
        };
        let tells = self.model.tells(self.func, call.callee, &call.edges);
        let is_named = |arg: &Arg| matches!(arg.kind, ArgKind::Named(_));
        tells == Tells::Same || call.args.iter().filter(|arg| is_run(arg)).all(is_named)
    }

    /// What a property, or the object of a `with`, runs.
    pub(super) fn getter(&mut self, expr: ExprId, of: &Value) -> Data {
        let mut result = Data::default();
        for edge in self.model.program.edges_at(self.func, expr).to_vec() {
            let Target::Project(callee) = edge.to else { continue };
            if edge.kind != EdgeKind::Call || edge.confidence < Confidence::Medium {
                continue;
            }
            self.give(expr, callee, 0, &of.data);
            if let Some(summary) = self.tables.summaries.get(&callee) {
                result = result.and(&substituted(&summary.returns, &[(0, of.data.clone())]));
            }
        }
        result
    }
}

/// Content of a comm operation is from there, wherever the operation has it from.
fn told_as(data: Data, brought: &Labels) -> Data {
    data.map(&|labels| {
        let mut out = Labels::default();
        for (origin, aspect, word) in labels.iter() {
            match origin.is_own() {
                true => out.join(&brought.clone().only(aspect)),
                false => out.add(origin, aspect, word),
            };
        }
        out
    })
}

/// True for what runs when an object is made; `__call__` of an object is a function like others.
fn is_initialiser(program: &Program<'_>, func: Func) -> bool {
    implicit::is_implicit(program, func) && !implicit::runs(program, func, &[Operator::Call])
}

/// What each parameter is given.
pub(super) type Given = Vec<(u32, Data)>;

/// What a summary says, with what the parameters are given.
pub(super) fn substituted(data: &Data, given: &[(u32, Data)]) -> Data {
    let of = |at: u32, key: Option<Key>| {
        let given = given.iter().find(|(param, _)| *param == at).map(|(_, data)| data);
        let part = given.map(|data| key.map_or_else(|| data.total(), |key| data.read(key).total()));
        part.unwrap_or_default()
    };
    data.map(&|labels| labels.substituted(of))
}
