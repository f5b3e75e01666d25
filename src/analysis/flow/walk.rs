//! The walk of one function: what its expressions do to what is known of values. Order, joins and loops are the
//! interpreter's; calls are in `calls`, assignments in `stores`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::data::{Data, Key, Marks};
use super::labels::{Aspect, Labels, Origin, Word};
use super::model::Model;
use super::state::{Path, Proof, Proven, State, Value};
use super::tables::{Cell, Event, Outcome, Tables, Taker, UseKind};
use crate::analysis::interp::{Caught, Domain, Exit};
use crate::analysis::texts::Markers;
use crate::analysis::values::Values;
use crate::finding::Confidence;
use crate::ir::{Entry, EntryKey, Expr, ExprId, Facts, FnKind, Function, Lit, Op, Pat, PatId, Sym, VarId};
use crate::link::{At, Func, Slot};

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
        let captures = facts.list(function.captures).iter();
        let captured = captures.map(|it| (it.inner, program.slot_of(func, it.inner))).collect();
        let inside = facts.functions.iter().filter(|inner| inner.parent == info.id);
        let shared = inside.flat_map(|inner| facts.list(inner.captures)).map(|it| it.outer).collect();
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
    pub(super) fn cell(&mut self, cell: Cell) -> Labels {
        if self.is_recording {
            self.out.watched.push(cell);
        }
        let number = self.tables.cells.get(&cell);
        let word = Word::new(Confidence::High, 0);
        number.map(|&number| Labels::raw(Origin::Cell(number), word)).unwrap_or_default()
    }

    fn variable(&mut self, state: &State, var: VarId) -> Value {
        let mut data = state.get(var);
        let slot = self.captured.get(&var).copied();
        if let Some(slot) = slot {
            data = data.with_rest(&self.cell(Cell::Own(slot))).with_rest(&self.cell(Cell::Inner(slot)));
        } else if self.shared.contains(&var) {
            let slot = self.model.program.slot_of(self.func, var);
            data = data.with_rest(&self.cell(Cell::Inner(slot)));
        }
        Value { data, path: Some(Path::of(var)), ..Value::default() }
    }

    /// A name of the module.
    fn global(&mut self, expr: ExprId) -> Value {
        let program = self.model.program;
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
        let key = self.name(name);
        let program = self.model.program;
        let mut read = self.read(of, Some(key));
        if self.model.catalog.handed_on.is_silent_member(self.facts.str(name)) {
            read.data = Data::default();
        }
        if let (Some(class), Key::Name(name)) = (program.own_class(self.func, base), key) {
            let Expr::Var(var) = *self.facts.expr(base) else { return read };
            if !state.get(var).has_field(key) {
                let labels = self.cell(Cell::Field(program.root_class(class), name));
                read.data = read.data.with_rest(&labels);
            }
        }
        if read.data.is_nothing() {
            read.data = self.marker(expr);
        }
        self.receivers.insert(expr, of.clone());
        let getters = program.edges_at(self.func, expr);
        if !getters.is_empty() {
            read.data = read.data.and(&self.getter(expr, of));
        }
        read
    }

    /// A part of a value.
    pub(super) fn read(&self, of: &Value, key: Option<Key>) -> Value {
        let data = match key {
            Some(key) => {
                let read = of.data.read(key);
                let mark = self.mark_of(of.data.marks(), key);
                if mark == Marks::default() { read } else { read.with_marks(mark) }
            }
            None => of.data.element(),
        };
        Value { data, path: of.path.map(|path| path.under(key)), ..Value::default() }
    }

    /// What guards a value stands under keys that are known.
    fn mark_of(&self, marks: Marks, key: Key) -> Marks {
        let words = self.model.catalog;
        if marks.has(Marks::ATTRIBUTED) && self.is_one_of(key, &words.attribution.keys) {
            return Marks::CREDIT;
        }
        if marks.has(Marks::ATTRIBUTED) && self.is_one_of(key, &words.attribution.holders) {
            return Marks::ATTRIBUTED;
        }
        if marks.has(Marks::FENCED) && self.is_one_of(key, &words.fence.keys) {
            return Marks::FENCED.or(Marks::MARKER);
        }
        Marks::default()
    }

    pub(super) fn is_one_of(&self, key: Key, words: &[String]) -> bool {
        let Key::Name(name) = key else { return false };
        words.iter().any(|word| self.model.program.symbol_of(word) == Some(name))
    }

    /// A record says where its content comes from, or that it is fenced, if one of its fields does.
    pub(super) fn sealed(&self, record: Data, key: Key, value: &Data) -> Data {
        let words = self.model.catalog;
        let marks = value.marks();
        let credits = marks.has(Marks::CREDIT) && self.is_one_of(key, &words.attribution.keys);
        let holds = marks.has(Marks::ATTRIBUTED) && self.is_one_of(key, &words.attribution.holders);
        let record = if credits || holds { record.with_marks(Marks::ATTRIBUTED) } else { record };
        // The marker itself, and nothing that is fenced on its own.
        let marker = marks.has(Marks::MARKER) && value.total().is_empty();
        let holder = marks.has(Marks::FENCED) && self.is_one_of(key, &words.attribution.holders);
        if marker || holder && value.total().is_empty() { record.with_marks(Marks::FENCED) } else { record }
    }

    fn record(&mut self, entries: &[Entry], parts: &[Value]) -> Data {
        let mut out = Data::default();
        for (entry, value) in entries.iter().zip(parts) {
            match entry.key {
                EntryKey::Expr(key) => {
                    out = match self.key(key) {
                        Some(key) => self.sealed(out.with_field(key, &value.data), key, &value.data),
                        None => out.with_rest(&value.data.total()),
                    };
                }
                EntryKey::Spread => out = merged(&out, &value.data),
            }
        }
        out
    }

    fn sequence(&self, items: &[ExprId], parts: &[Value]) -> Data {
        let mut out = Data::default();
        let mut at = Some(0);
        for (item, value) in items.iter().zip(parts) {
            if matches!(self.facts.expr(*item), Expr::Spread(_)) {
                out = out.with_rest(&value.data.total());
                at = None;
                continue;
            }
            out = match at {
                Some(at) => out.with_field(Key::At(at), &value.data),
                None => out.with_rest(&value.data.total()),
            };
            if value.data.marks().has(Marks::MARKER) && value.data.total().is_empty() {
                out = out.with_marks(Marks::FENCED.or(Marks::MARKER));
            }
            at = at.map(|at| at + 1);
        }
        out
    }

    fn operation(&mut self, op: Op, args: &[ExprId], parts: &[Value]) -> Value {
        match op {
            Op::Add | Op::Mod => Value::of(joined_text(parts.iter().map(|part| &part.data))),
            Op::BitOr => {
                let first = Data::default();
                Value::of(parts.iter().fold(first, |all, part| merged(&all, &part.data)))
            }
            Op::Eq | Op::In | Op::Ne | Op::NotIn => self.comparison(op, args, parts),
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Is | Op::IsNot => Value::default(),
            Op::Slice | Op::Sub | Op::Mul | Op::Div | Op::Other => {
                Value::of(joined_text(parts.iter().map(|part| &part.data)))
            }
        }
    }

    /// What equals something of the code's own, or is in a list of it, is no news.
    fn comparison(&self, op: Op, args: &[ExprId], parts: &[Value]) -> Value {
        let (Some(first), [_, others @ ..]) = (parts.first(), args) else { return Value::default() };
        let is_own = parts.iter().skip(1).all(|part| part.data.total().is_empty());
        let proof = first.path.filter(|_| is_own && !others.is_empty()).map(|path| Proof {
            path,
            of: Proven::Listed,
            holds: matches!(op, Op::Eq | Op::In),
        });
        Value { proof, ..Value::default() }
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
    Labels::all(Origin::Param(at), Word::new(Confidence::High, 0))
}

/// A text put together: one part of it can guard the others.
pub(super) fn joined_text<'d>(parts: impl Iterator<Item = &'d Data>) -> Data {
    let (mut labels, mut marks) = (Labels::default(), Marks::default());
    for part in parts.filter(|part| !part.is_nothing()) {
        labels.join(&part.total());
        if part.marks().has(Marks::MARKER) {
            marks = marks.or(Marks::FENCED).or(Marks::MARKER);
        }
        if part.marks().has(Marks::CREDIT) {
            marks = marks.or(Marks::ATTRIBUTED).or(Marks::CREDIT);
        }
    }
    Data::new(marks.guard(labels), marks)
}

/// A record with the fields of another laid over its own.
pub(super) fn merged(under: &Data, over: &Data) -> Data {
    let base = under.with_rest(&over.rest()).with_marks(over.marks());
    over.fields().fold(base, |out, (key, field)| out.with_field(key, field))
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
            Expr::Free(_) => {
                let mut value = self.global(expr);
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
            Expr::Collect { .. } => Value::of(first().data.flat()),
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

    fn thrown(&mut self, _state: &mut State, _value: Option<(ExprId, &Value)>, _handling: Option<&()>) {}

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
            Exit::Yield(at) => self.left(state, at, &value.data.flat()),
            Exit::Raise(()) => {}
        }
    }
}

/// `data` with a change of one of its parts.
pub(super) fn changed(data: &Data, keys: &[Option<Key>], change: &dyn Fn(&Data) -> Data) -> Data {
    match keys {
        [] => change(data),
        [Some(key), others @ ..] => data.with_field(*key, &changed(&data.read(*key), others, change)),
        // Some element, and not the others.
        [None, ..] => data.clone(),
    }
}
