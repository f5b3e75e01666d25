//! Calls: what comes back from a source, a guard, a function of the project or a library, and what the call does to its
//! arguments.

use super::data::{Data, Key, Marks};
use super::labels::{Aspect, Labels, Origin, Inflow};
use super::model::{Guard, Sink, SinkSite, Tells};
use super::state::{Path, Proof, Proven, State, Value};
use super::tables::{Summary, Taker};
use super::walk::{Walk, changed, joined_text, merged};
use crate::catalog::Guarding;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId};
use crate::link::{Edge, EdgeKind, Func, Passed, Resolution, Target};

/// A call on its way.
pub(super) struct Call<'c, 'a> {
    pub expr: ExprId,
    pub callee: ExprId,
    pub args: &'a [Arg],
    pub values: &'c [Value],
    /// The object whose method is called, or the callable itself.
    pub receiver: Value,
    pub edges: Vec<Edge>,
}

impl Call<'_, '_> {
    pub fn is_tainted(&self) -> bool {
        !self.receiver.data.is_nothing() || self.values.iter().any(|value| !value.data.is_nothing())
    }

    fn given(&self) -> impl Iterator<Item = &Data> {
        self.values.iter().map(|value| &value.data)
    }

    /// All that goes in.
    fn taken(&self) -> Data {
        joined_text(std::iter::once(&self.receiver.data).chain(self.given()))
    }
}

impl Walk<'_, '_, '_> {
    pub(super) fn called(&mut self, state: &mut State, expr: ExprId, callee: &Value, values: &[Value]) -> Value {
        let facts = self.facts;
        let Expr::Call { callee: called, args, .. } = *facts.expr(expr) else { return Value::default() };
        let receiver = match *facts.expr(called) {
            Expr::Field { .. } => self.receivers.remove(&called).unwrap_or_default(),
            _ => callee.clone(),
        };
        let edges = self.model.program.edges_at(self.func, expr).iter();
        let follows =
            |edge: &&Edge| edge.kind != EdgeKind::Stored && edge.confidence >= Confidence::Medium;
        let edges = edges.filter(follows).copied().collect();
        let call = Call { expr, callee: called, args: facts.list(args), values, receiver, edges };
        self.sinks(&call);
        if let Some(guard) = self.model.guard(self.func, expr, &call.edges) {
            return self.guarded(state, &call, guard);
        }
        let brought = self.brought(state, &call);
        let passed = self.passed(&call);
        match (self.own(state, &call), passed) {
            (Some(data), None) if self.is_known(&call, &data) => Value::of(data),
            (Some(data), passed) => Value::of(data.and(&passed.unwrap_or_default()).with_rest(&brought)),
            // What it was given went to the callable.
            (None, Some(passed)) => Value::of(passed.with_rest(&brought)),
            // What a model answers is its own.
            (None, None) if model_is_asked(self.model.sinks(self.at(expr))) => Value::of(Data::default()),
            (None, None) => {
                let mut value = self.foreign(state, &call);
                value.data = value.data.with_rest(&brought);
                value
            }
        }
    }

    /// What the call brings in by itself, or by a function of a library that it hands over.
    fn brought(&mut self, state: &mut State, call: &Call<'_, '_>) -> Labels {
        let mut labels = self.model.brought(self.at(call.expr));
        // A cursor keeps the rows that were asked for.
        if let Some(path) = call.receiver.path
            && labels.iter().any(|(origin, _, _)| origin == Origin::Source(Inflow::Storage))
        {
            state.change(path, &mut |data, keys| changed(data, keys, &|part| part.with_rest(&labels)));
            self.tell(call.expr, path, &labels);
        }
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
            return Some(self.constructed(call));
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
            let value = &call.values[at];
            match passed {
                Passed::Param(param) => given.push((param, value.clone())),
                Passed::Rest(param) => given.push((param, Value::of(value.data.flat()))),
                Passed::KeywordRest(param, name) => {
                    let data = Data::default().with_field(self.name(name), &value.data);
                    given.push((param, Value::of(data)));
                }
                Passed::SpreadFrom(from) => {
                    let part = Value::of(value.data.element().flat());
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

    fn invoke(
        &mut self,
        state: &mut State,
        call: &Call<'_, '_>,
        edge: &Edge,
        callee: Func,
        given: &[(u32, Value)],
    ) -> Data {
        for (param, value) in given {
            self.event(call.expr, value.data.total().weakened(edge.confidence), Taker::Param(callee, *param));
        }
        let Some(summary) = self.tables.summaries.get(&callee) else { return Data::default() };
        let totals: Vec<(u32, Labels)> =
            given.iter().map(|(param, value)| (*param, value.data.total())).collect();
        let result = substituted(&summary.returns, &totals).weakened(edge.confidence);
        let made = self.returned(state, call, summary, given, &totals);
        let is_constructor = self.model.program.name(callee).starts_with("__") && self.constructs(call);
        match (is_constructor, made) {
            (true, made) => made.and(&self.constructed(call)),
            // What a handler lets out is told where it does.
            _ if self.handlers.contains(&callee) => {
                result.without(Aspect::Unattributed).without(Aspect::Unfenced)
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
        totals: &[(u32, Labels)],
    ) -> Data {
        let mut made = Data::default();
        for (param, out) in &summary.outs {
            let others: Vec<(u32, Labels)> =
                totals.iter().filter(|(other, _)| other != param).cloned().collect();
            let out = substituted(out, &others);
            match given.iter().find(|(at, _)| at == param).and_then(|(_, value)| value.path) {
                Some(path) => {
                    state.change(path, &mut |data, keys| changed(data, keys, &|part| {
                        merged(part, &out)
                    }));
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
                Target::Project(func) => !self.model.program.name(func).starts_with("__"),
                Target::External(_) => false,
            });
            matches!(resolution, Resolution::Resolved(_)) && !runs_function
        })
    }

    /// An object keeps what its constructor is given under the names of its parameters.
    fn constructed(&self, call: &Call<'_, '_>) -> Data {
        let mut out = Data::default();
        for (arg, value) in call.args.iter().zip(call.values) {
            out = match arg.kind {
                ArgKind::Named(name) => {
                    let key = self.name(name);
                    self.sealed(out.with_field(key, &value.data), key, &value.data)
                }
                ArgKind::SpreadNamed => merged(&out, &value.data),
                _ => out.with_rest(&value.data.total()),
            };
        }
        out
    }

    /// Callables that are handed over and run: the result may be theirs, and they get the arguments behind them.
    fn passed(&mut self, call: &Call<'_, '_>) -> Option<Data> {
        let mut result: Option<Data> = None;
        for (nth, arg) in call.args.iter().enumerate() {
            let edges = self.model.program.edges_at(self.func, arg.value).to_vec();
            let is_run = |edge: &&Edge| edge.kind == EdgeKind::Passed && edge.confidence >= Confidence::Medium;
            for edge in edges.iter().filter(is_run) {
                let Target::Project(callee) = edge.to else { continue };
                let skip = u32::from(self.model.program.function(callee).class.is_some());
                let others = call.args.iter().zip(call.values).skip(nth + 1);
                let others = others.filter(|(arg, _)| arg.kind == ArgKind::Positional);
                let given: Vec<(u32, Labels)> = others
                    .enumerate()
                    .map(|(at, (_, value))| (at as u32 + skip, value.data.total()))
                    .collect();
                for (param, labels) in &given {
                    self.event(arg.value, labels.clone(), Taker::Param(callee, *param));
                }
                let summary = self.tables.summaries.get(&callee);
                let returns = summary.map(|summary| substituted(&summary.returns, &given));
                result = Some(result.unwrap_or_default().and(&returns.unwrap_or_default()));
            }
        }
        result
    }

    fn guarded(&mut self, state: &mut State, call: &Call<'_, '_>, guard: Guard) -> Value {
        let (aspect, mark, guarding) = match guard {
            Guard::Attribution(guarding) => (Aspect::Unattributed, Marks::ATTRIBUTED, guarding),
            Guard::Fence(guarding) => (Aspect::Unfenced, Marks::FENCED, guarding),
        };
        let first = call.values.first().cloned().unwrap_or_default();
        match guarding {
            Guarding::Credits => Value::of(Data::marked(Marks::CREDIT)),
            Guarding::Checks => {
                if let Some(path) = first.path {
                    state.change(path, &mut |data, keys| {
                        changed(data, keys, &|part| part.without(aspect).with_marks(mark))
                    });
                }
                Value::of(first.data.without(aspect))
            }
            Guarding::Asks => {
                let of = if mark == Marks::FENCED { Proven::Fenced } else { Proven::Attributed };
                let proof = first.path.map(|path| Proof { path, of, holds: true });
                Value { proof, ..Value::default() }
            }
            Guarding::Displays => Value::of(call.taken().with_rest(&self.model.fenced(self.at(call.expr)))),
            Guarding::Guards if mark == Marks::FENCED => Value::of(self.wrapped(call)),
            Guarding::Guards => {
                let data = if call.values.len() > 1 && !first.data.is_nothing() {
                    first.data.clone()
                } else {
                    call.taken()
                };
                Value::of(data.without(aspect).with_marks(mark))
            }
        }
    }

    /// The record of the fence, which keeps the content as it was.
    fn wrapped(&self, call: &Call<'_, '_>) -> Data {
        let fenced = self.model.fenced(self.at(call.expr));
        let content = call.values.first().map(|value| value.data.flat()).unwrap_or_default();
        let mut out = Data::new(call.taken().total(), Marks::FENCED).with_rest(&fenced);
        for key in &self.model.catalog.fence.content {
            if let Some(name) = self.model.program.symbol_of(key) {
                out = out.with_field(Key::Name(name), &content.with_rest(&fenced));
            }
        }
        out
    }

    /// A function of a library, or one that nothing is known of.
    fn foreign(&mut self, state: &mut State, call: &Call<'_, '_>) -> Value {
        let name = match *self.facts.expr(call.callee) {
            Expr::Field { name, .. } => Some(self.facts.str(name)),
            _ => None,
        };
        if let Some(first) = call.values.first().filter(|first| first.path.is_some())
            && self.model.opens(self.func, call.callee, &call.edges)
        {
            return first.clone();
        }
        if !call.is_tainted() && !name.is_some_and(|name| self.model.catalog.handed_on.by_method(name)) {
            return Value::default();
        }
        match self.model.tells(self.func, call.callee, &call.edges) {
            Tells::Nothing => Value::default(),
            Tells::Number => Value::of(Data::new(call.taken().total().only(Aspect::Unattributed), Marks::default())),
            Tells::Listed => self.listed(call.values.get(1).or(call.values.first())),
            Tells::Same => Value::of(self.same(call)),
            Tells::All => match name {
                Some(name) => self.method(state, call, name),
                None => Value::of(self.weak(call, call.taken())),
            },
        }
    }

    fn same(&self, call: &Call<'_, '_>) -> Data {
        let mut given = call.given().filter(|data| !data.is_nothing());
        match (given.next(), given.next()) {
            (Some(only), None) => only.clone(),
            _ => call.taken(),
        }
    }

    fn listed(&self, value: Option<&Value>) -> Value {
        let path = value.and_then(|value| value.path);
        let proof = path.map(|path| Proof { path, of: Proven::Listed, holds: true });
        Value { proof, ..Value::default() }
    }

    /// A method of an object that is none of the project's.
    fn method(&mut self, state: &mut State, call: &Call<'_, '_>, name: &str) -> Value {
        let words = &self.model.catalog.handed_on;
        if words.lists_by_method(name) {
            return self.listed(Some(&call.receiver));
        }
        if words.is_silent_member(name) {
            return Value::default();
        }
        if words.writes_file(name) && !self.model.is_buffer(&call.edges) {
            self.written(state, call);
        } else if words.collects(name) || words.writes_file(name) {
            self.collected(state, call, name);
        }
        match (words.by_method(name), call.args) {
            (true, [key, ..]) => {
                let key = self.key(key.value);
                let mut read = self.read(&call.receiver, key);
                // `.get(key, default)`
                for other in call.values.iter().skip(1).filter(|other| !other.data.is_nothing()) {
                    read.data = read.data.and(&other.data);
                }
                read
            }
            (true, []) => Value { data: call.receiver.data.flat(), path: call.receiver.path, ..Value::default() },
            _ => Value::of(self.weak(call, call.taken())),
        }
    }

    /// The result of what nobody knows is less sure to be made of what goes in.
    fn weak(&self, call: &Call<'_, '_>, data: Data) -> Data {
        let resolution = self.model.program.resolution(self.func, call.expr);
        let is_open = resolution == Some(Resolution::Unresolved) && call.receiver.data.is_nothing();
        if is_open { data.weakened(Confidence::Medium) } else { data }
    }

    /// The receiver gets what the method is given.
    fn collected(&mut self, state: &mut State, call: &Call<'_, '_>, name: &str) {
        let mut labels = Labels::default();
        for value in call.values {
            labels.join(&value.data.total());
        }
        let Some(path) = call.receiver.path else {
            return self.store_shared(call.callee, &Data::new(labels, Marks::default()));
        };
        let record = (name == "update").then(|| self.updates(call)).flatten();
        let marks = call.given().any(|data| data.marks().has(Marks::MARKER) && data.total().is_empty());
        state.change(path, &mut |data, keys| {
            changed(data, keys, &|part| match &record {
                Some(record) => merged(part, record),
                None if marks => part.with_rest(&labels).with_marks(Marks::FENCED.or(Marks::MARKER)),
                None => part.with_rest(&labels),
            })
        });
        self.tell(call.expr, path, &labels);
    }

    /// The record that `update` is given.
    fn updates(&self, call: &Call<'_, '_>) -> Option<Data> {
        match call.args {
            [only] if only.kind == ArgKind::Positional => call.values.first().map(|value| value.data.clone()),
            _ => Some(self.constructed(call)),
        }
    }

    /// The file behind the receiver gets it.
    fn written(&mut self, state: &mut State, call: &Call<'_, '_>) {
        let mut labels = Labels::default();
        for data in call.given() {
            labels.join(&data.total());
        }
        let filed = labels.filed();
        let Some(path) = call.receiver.path.map(|path| Path::of(path.var)) else { return };
        state.change(path, &mut |data, _| data.with_rest(&filed));
    }

    /// What a property, or the object of a `with`, runs.
    pub(super) fn getter(&mut self, expr: ExprId, of: &Value) -> Data {
        let mut result = Data::default();
        for edge in self.model.program.edges_at(self.func, expr).to_vec() {
            let Target::Project(callee) = edge.to else { continue };
            if edge.kind != EdgeKind::Call || edge.confidence < Confidence::Medium {
                continue;
            }
            let labels = of.data.total();
            self.event(expr, labels.clone(), Taker::Param(callee, 0));
            if let Some(summary) = self.tables.summaries.get(&callee) {
                result = result.and(&substituted(&summary.returns, &[(0, labels)]));
            }
        }
        result
    }
}

fn model_is_asked(sinks: &[SinkSite<'_>]) -> bool {
    sinks.iter().any(|site| site.sink == Sink::Prompt)
}

/// What a summary says, with what the parameters are given.
pub(super) fn substituted(data: &Data, given: &[(u32, Labels)]) -> Data {
    let of = |at: u32| given.iter().find(|(param, _)| *param == at).map(|(_, labels)| labels);
    data.map(&|labels| labels.substituted(of))
}
