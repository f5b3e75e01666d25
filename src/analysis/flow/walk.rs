//! The walk of one function: what its expressions do to what is known of values. Order, joins and loops are the
//! interpreter's; calls are in `calls`, assignments in `stores`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::data::{Data, Key, Marks};
use super::labels::{Aspect, Labels, Origin, Word};
use super::model::Model;
use super::records::{changed, joined_text};
use super::state::{Path, Proof, Proven, State, Value};
use super::tables::{Cell, Event, Outcome, Tables, Taker, UseKind};
use crate::analysis::interp::{Caught, Domain, Exit};
use crate::analysis::texts::Markers;
use crate::analysis::values::Values;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, FnKind, Function, Lit, Op, Pat, PatId, Sym, VarId};
use crate::link::{At, Cls, EdgeKind, Func, Slot};

pub struct Walk<'w, 'p, 'a> {
    pub(super) model: &'w Model<'p, 'a>,
    pub(super) values: &'w Values<'p, 'a>,
    pub(super) tables: &'w Tables,
    pub(super) func: Func,
    pub(super) facts: &'a Facts,
    /// Functions whose callers see to the guards themselves.
    pub(super) handlers: &'w FxHashSet<Func>,
    /// The fence's marker can be named in this file.
    names_marker: bool,
    /// Variables of functions around.
    captured: FxHashMap<VarId, Slot>,
    /// Own variables that functions inside use.
    shared: FxHashSet<VarId>,
    /// Objects of the class around: `self`, also in a function inside a method.
    pub(super) own: FxHashMap<VarId, Cls>,
    /// Something is brought in, used or handed over to be called here: most functions need not be asked at each call.
    pub(super) has_sites: bool,
    pub(super) hands_over: bool,
    pub(super) is_recording: bool,
    /// The objects whose attributes were read, by the expression that reads.
    pub(super) receivers: FxHashMap<ExprId, Value>,
    returns: Option<Data>,
    outs: FxHashMap<u32, Data>,
    pub(super) out: Outcome,
}

impl<'w, 'p, 'a> Walk<'w, 'p, 'a> {
    pub fn new(
        model: &'w Model<'p, 'a>,
        values: &'w Values<'p, 'a>,
        tables: &'w Tables,
        handlers: &'w FxHashSet<Func>,
        names_marker: bool,
        func: Func,
    ) -> Self {
        let program = model.program;
        let info = program.function(func);
        let facts = program.facts(info.file);
        let function = facts.function(info.id);
        let params = facts.list(function.params).iter().take(1).filter_map(|it| match *facts.pat(it.pat) {
            Pat::Var(var) => Some(var),
            _ => None,
        });
        let objects = params.chain(facts.list(function.captures).iter().map(|it| it.inner));
        let own = objects.filter_map(|var| Some((var, program.root_class(program.own_class_of(func, var)?))));
        let own: FxHashMap<VarId, Cls> = own.collect();
        // What others put into an object of their own class is known by its attributes.
        let is_plain = |var: VarId| !own.contains_key(&var);
        let captures = facts.list(function.captures).iter().filter(|it| is_plain(it.inner));
        let captured = captures.map(|it| (it.inner, program.slot_of(func, it.inner))).collect();
        let inside = facts.functions.iter().filter(|inner| inner.parent == info.id);
        let used = inside.flat_map(|inner| facts.list(inner.captures)).map(|it| it.outer);
        let shared = used.filter(|&var| is_plain(var)).collect();
        let hands_over = program.edges_from(func).iter().any(|edge| edge.kind == EdgeKind::Passed);
        Self {
            model,
            values,
            tables,
            func,
            facts,
            handlers,
            names_marker,
            captured,
            shared,
            own,
            has_sites: model.has_sites(func),
            hands_over,
            is_recording: false,
            receivers: FxHashMap::default(),
            returns: None,
            outs: FxHashMap::default(),
            out: Outcome::default(),
        }
    }

    pub fn function(&self) -> &'a Function {
        self.model.program.ir(self.func)
    }

    /// What holds where the function starts: its parameters are what is put into them.
    pub fn entry(&self) -> State {
        let mut state = State::entry();
        let given = self.tables.given.get(&self.func);
        let params = self.facts.list(self.function().params).iter();
        for (at, param) in params.enumerate() {
            let at = at as u32;
            let Pat::Var(var) = *self.facts.pat(param.pat) else { continue };
            let is_given = given.is_some_and(|given| given.contains(&at));
            let labels = is_given.then(|| param_labels(at)).unwrap_or_default();
            state.enter(var, at, Data::new(labels, Marks::default()));
        }
        state
    }

    pub fn finish(mut self) -> Outcome {
        self.out.summary.returns = self.returns.unwrap_or_default();
        self.out.summary.outs = self.outs.into_iter().collect();
        self.out.summary.outs.sort_unstable_by_key(|(at, _)| *at);
        self.out
    }

    pub(super) fn at(&self, expr: ExprId) -> At {
        At { file: self.model.program.function(self.func).file, expr }
    }

    pub(super) fn event(&mut self, at: ExprId, labels: Labels, taker: Taker) {
        if self.is_recording && !labels.is_empty() {
            let at = self.at(at);
            self.out.events.push(Event { at, labels, taker });
        }
    }

    pub(super) fn name(&self, sym: Sym) -> Key {
        Key::Name(self.model.program.symbol(self.func, sym))
    }

    /// What others put into a shared place.
    fn cell(&self, cell: Cell) -> Labels {
        let number = self.tables.cells.get(&cell);
        let word = Word::new(Confidence::High, 0);
        number.map(|&number| Labels::raw(Origin::Cell(number), word)).unwrap_or_default()
    }

    pub(super) fn variable(&self, state: &State, var: VarId) -> Value {
        let mut data = state.get(var);
        if let Some(&slot) = self.captured.get(&var) {
            data = data.with_rest(&self.cell(Cell::Own(slot))).with_rest(&self.cell(Cell::Inner(slot)));
        } else if self.shared.contains(&var) {
            let slot = self.model.program.slot_of(self.func, var);
            data = data.with_rest(&self.cell(Cell::Inner(slot)));
        }
        Value { data, path: Some(Path::of(var)), ..Value::default() }
    }

    /// A name of the module.
    fn global(&self, expr: ExprId, name: Sym) -> Value {
        let program = self.model.program;
        if !self.tables.global_names.contains(&program.symbol(self.func, name)) {
            return Value::default();
        }
        let Some(variable) = program.variable(self.func, expr) else { return Value::default() };
        let slot = program.slot_of(variable.func, variable.var);
        let mut labels = self.cell(Cell::Own(slot));
        labels.join(&self.cell(Cell::Inner(slot)));
        Value::of(Data::new(labels, Marks::default()))
    }

    /// The marker of the fence, wherever it is defined.
    fn marker(&self, expr: ExprId) -> Data {
        let markers = Markers { texts: &self.model.catalog.fence.markers, by_name: true };
        let is_marker = self.names_marker && self.values.holds(self.func, expr, &markers).is_some();
        if is_marker { Data::marked(Marks::FENCED.or(Marks::MARKER)) } else { Data::default() }
    }

    /// The function's own variable keeps something that functions inside it use, or the other way round.
    pub(super) fn share(&mut self, var: VarId, at: ExprId, labels: &Labels) {
        if labels.is_empty() {
            return;
        }
        if let Some(&slot) = self.captured.get(&var) {
            self.event(at, labels.clone(), Taker::Cell(Cell::Inner(slot)));
        } else if self.shared.contains(&var) || self.function().kind == FnKind::Module {
            let slot = self.model.program.slot_of(self.func, var);
            self.event(at, labels.clone(), Taker::Cell(Cell::Own(slot)));
        }
    }

    /// The key that an index names, if it is one.
    pub(super) fn key(&self, key: ExprId) -> Option<Key> {
        match *self.facts.expr(key) {
            Expr::Lit(Lit::Str(text)) => Some(self.name(text)),
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).ok().map(Key::At),
            Expr::Free(_) | Expr::Field { .. } | Expr::Var(_) => {
                let texts = self.values.texts(self.func, key);
                let [text] = &texts[..] else { return None };
                self.model.program.symbol_of(text).map(Key::Name)
            }
            _ => None,
        }
    }

    fn field(&mut self, state: &State, expr: ExprId, base: ExprId, name: Sym, of: &Value) -> Value {
        let program = self.model.program;
        let symbol = program.symbol(self.func, name);
        let key = Key::Name(symbol);
        let mut read = self.read(of, Some(key));
        let base = *self.facts.expr(base);
        if let Expr::Var(var) = base {
            if let Some(&class) = self.own.get(&var)
                && !state.get(var).has_field(key)
            {
                read.data = read.data.with_rest(&self.cell(Cell::Field(class, symbol)));
            }
        } else {
            self.receivers.insert(expr, of.clone());
        }
        if read.data.is_nothing() {
            read.data = self.marker(expr);
        } else if self.model.catalog.tells.is_silent_member(self.facts.str(name)) {
            read.data = Data::default();
        }
        if program.is_property_name(symbol) {
            read.data = read.data.and(&self.getter(expr, of));
        }
        read
    }

    fn left(&mut self, state: &State, at: ExprId, value: &Data) {
        self.event(at, value.total(), Taker::Use(UseKind::Exit));
        self.returns = Some(match self.returns.take() {
            Some(known) => known.join(value),
            None => value.clone(),
        });
        for (param, data) in state.parameters() {
            let own = self.tables.given.get(&self.func).is_some_and(|given| given.contains(&param));
            let before = own.then(|| Data::new(param_labels(param), Marks::default())).unwrap_or_default();
            if *data != before {
                let known = self.outs.remove(&param);
                self.outs.insert(param, known.map_or(data.clone(), |known| known.join(data)));
            }
        }
    }
}

/// All that can be true of what a caller puts into a parameter.
fn param_labels(at: u32) -> Labels {
    Labels::all(Origin::Param(at, None), Word::new(Confidence::High, 0))
}

impl Domain for Walk<'_, '_, '_> {
    type State = State;
    type Value = Value;
    /// Nothing is known of exceptions; their texts are made here.
    type Thrown = ();

    fn dead(&self) -> State {
        State::dead()
    }

    fn is_live(&self, state: &State) -> bool {
        state.is_live()
    }

    fn join(&mut self, into: &mut State, from: &State) {
        into.join(from);
    }

    fn carried(&mut self, entry: &State, before: &State, after: &State) -> State {
        entry.carried(before, after)
    }

    /// States grow and are finite: a loop that has not settled has found what there is to find.
    fn forget(&mut self, _state: &mut State) {}

    fn record(&mut self) {
        self.is_recording = true;
        self.returns = None;
        self.outs.clear();
    }

    fn nothing(&self) -> Value {
        Value::default()
    }

    fn merge(&mut self, ways: &[(&State, Value)]) -> Value {
        let Some(((_, first), others)) = ways.split_first() else { return Value::default() };
        let mut all = first.clone();
        for (_, value) in others {
            all.data = all.data.join(&value.data);
            all.path = all.path.filter(|path| value.path == Some(*path));
            all.proof = None;
            all.truth = None;
        }
        all
    }

    fn value(&mut self, state: &mut State, expr: ExprId, parts: &[Value]) -> Value {
        let facts = self.facts;
        let first = || parts.first().cloned().unwrap_or_default();
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(_)) => Value::of(self.marker(expr)),
            Expr::Lit(Lit::Bool(truth)) => Value { truth: Some(truth), ..Value::default() },
            Expr::Var(var) => self.variable(state, var),
            Expr::Free(name) => {
                let mut value = self.global(expr, name);
                if value.data.is_nothing() {
                    value.data = self.marker(expr);
                }
                value
            }
            Expr::Field { base, name } => self.field(state, expr, base, name, &first()),
            Expr::Index { key, .. } => match *facts.expr(key) {
                Expr::Op { op: Op::Slice, .. } => Value::of(first().data),
                _ => self.read(&first(), self.key(key)),
            },
            Expr::Record(entries) => Value::of(self.record(facts.list(entries), parts)),
            Expr::Seq(items) => Value::of(self.sequence(facts.list(items), parts)),
            Expr::Op { op, args } => self.operation(op, facts.list(args), parts),
            Expr::Text(_) | Expr::Opaque(_) => Value::of(joined_text(parts.iter().map(|part| &part.data))),
            Expr::Await(_) | Expr::Spread(_) | Expr::Ascribe { .. } => first(),
            Expr::Collect { .. } => Value::of(Data::default().with_element(&first().data)),
            _ => Value::default(),
        }
    }

    fn value_when(&self, value: &Value, _holds: bool) -> Value {
        value.clone()
    }

    fn negated(&mut self, value: &Value) -> Value {
        let proof = value.proof.map(|proof| Proof { holds: !proof.holds, ..proof });
        Value { proof, truth: value.truth.map(|truth| !truth), ..Value::default() }
    }

    fn call(&mut self, state: &mut State, call: ExprId, callee: &Value, args: &[Value]) -> (Value, ()) {
        (self.called(state, call, callee, args), ())
    }

    fn thrown(
        &mut self,
        _state: &mut State,
        _raise: ExprId,
        _value: Option<(ExprId, &Value)>,
        _handling: Option<&()>,
    ) {
    }

    fn caught(&mut self, types: &[ExprId], _thrown: &()) -> Caught {
        if types.is_empty() { Caught::Yes } else { Caught::Maybe }
    }

    fn handle(&mut self, _state: &mut State, _thrown: &(), _handler: ExprId) {}

    fn either(&self, _one: &(), _other: &()) {}

    fn entered(
        &mut self,
        _state: &mut State,
        context: ExprId,
        value: &Value,
    ) -> (Value, Option<Vec<ExprId>>) {
        let entered = self.getter(context, value);
        (Value { data: value.data.and(&entered), ..value.clone() }, None)
    }

    fn element(&mut self, value: &Value) -> Value {
        self.read(value, None)
    }

    fn bind(&mut self, state: &mut State, pat: PatId, value: &Value) {
        self.bound(state, pat, value);
    }

    fn store(&mut self, state: &mut State, place: ExprId, op: Option<Op>, value: Option<(ExprId, &Value)>) {
        self.stored(state, place, op, value);
    }

    fn assume(&mut self, state: &mut State, value: &Value, holds: bool) {
        if value.truth == Some(!holds) {
            *state = State::dead();
        }
        let Some(proof) = value.proof.filter(|proof| proof.holds == holds) else { return };
        let aspect = match proof.of {
            Proven::Listed => Aspect::Content,
            Proven::Attributed => Aspect::Unattributed,
            Proven::Fenced => Aspect::Unfenced,
        };
        state.change(proof.path, &mut |data, keys| changed(data, keys, &|part| part.without(aspect)));
    }

    fn matched(&mut self, state: &State, value: &Value, pat: PatId) -> (State, State, Value) {
        let mut hit = state.clone();
        let is_listed = matches!(self.facts.pat(pat), Pat::Value(_) | Pat::Or(_));
        if let Some(path) = value.path.filter(|_| is_listed) {
            let proof = Proof { path, of: Proven::Listed, holds: true };
            let value = Value { proof: Some(proof), ..Value::default() };
            self.assume(&mut hit, &value, true);
        }
        (hit, state.clone(), value.clone())
    }

    fn exit(&mut self, state: &State, how: Exit<()>, value: &Value) {
        match how {
            _ if !self.is_recording => {}
            Exit::Return(at) => self.left(state, at, &value.data),
            Exit::Yield(at) => self.left(state, at, &Data::default().with_element(&value.data)),
            Exit::Raise(()) => {}
        }
    }
}
