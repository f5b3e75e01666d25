//! The walk of one function: what its expressions do to what is known of values. Order, joins and loops are the
//! interpreter's; calls are in `calls`, assignments in `stores`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::data::{Data, Joins, Key, Marks};
use super::labels::{Labels, Origin, Word};
use super::model::Model;
use super::state::{Path, State, Value};
use super::tables::{Cell, Event, Outcome, Part, Tables, Taker, UseKind};
use crate::analysis::texts::Markers;
use crate::analysis::values::Values;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, FnKind, Function, Lit, Pat, Sym, VarId};
use crate::link::{At, Cls, EdgeKind, Func, Slot};

pub struct Walk<'w, 'p, 'a> {
    pub(super) model: &'w Model<'p, 'a>,
    pub(super) values: &'w Values<'p, 'a>,
    pub(super) tables: &'w Tables,
    pub(super) func: Func,
    pub(super) facts: &'a Facts,
    /// Expressions whose labels are told.
    asked: &'w [ExprId],
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
    pub(super) joins: Joins,
    pub(super) returns: Option<Data>,
    pub(super) outs: FxHashMap<u32, Data>,
    pub(super) out: Outcome,
}

impl<'w, 'p, 'a> Walk<'w, 'p, 'a> {
    pub fn new(
        model: &'w Model<'p, 'a>,
        values: &'w Values<'p, 'a>,
        tables: &'w Tables,
        func: Func,
        asked: &'w [ExprId],
    ) -> Self {
        let program = model.program;
        let info = program.function(func);
        let facts = program.facts(info.file);
        let function = facts.function(func);
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
        let inside = facts.functions().iter().filter(|inner| inner.parent == func);
        let used = inside.flat_map(|inner| facts.list(inner.captures)).map(|it| it.outer);
        let shared = used.filter(|&var| is_plain(var)).collect();
        let hands_over = program.edges_from(func).iter().any(|edge| edge.kind == EdgeKind::Passed);
        Self {
            model,
            values,
            tables,
            func,
            facts,
            asked,
            captured,
            shared,
            own,
            has_sites: model.has_sites(func),
            hands_over,
            is_recording: false,
            receivers: FxHashMap::default(),
            joins: Joins::default(),
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
        let given = self.tables.given(self.func);
        let params = self.facts.list(self.function().params).iter();
        for (at, param) in params.enumerate() {
            let at = at as u32;
            let Pat::Var(var) = *self.facts.pat(param.pat) else { continue };
            let labels = if given.has(at) { param_labels(at) } else { Default::default() };
            state.enter(var, at, Data::new(labels, Marks::default()));
        }
        state
    }

    pub fn finish(mut self) -> Outcome {
        self.share_parameters();
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

    /// Tells what is known of an expression that somebody asks for.
    pub(super) fn tell_asked(&mut self, expr: ExprId, value: &Value) {
        if self.is_recording && self.asked.contains(&expr) {
            self.event(expr, value.data.total(), Taker::Asked);
        }
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
    pub(super) fn global(&self, expr: ExprId, name: Sym) -> Value {
        let program = self.model.program;
        if !self.tables.global_names.contains(&name) {
            return Value::default();
        }
        let Some(variable) = program.variable(self.func, expr) else { return Value::default() };
        let slot = program.slot_of(variable.func, variable.var);
        let mut labels = self.cell(Cell::Own(slot));
        labels.join(&self.cell(Cell::Inner(slot)));
        Value::of(Data::new(labels, Marks::default()))
    }

    /// The marker of the fence, wherever it is defined.
    pub(super) fn marker(&self, expr: ExprId) -> Data {
        let markers = Markers { texts: &self.model.catalog.fence.markers, by_name: true };
        let names_marker = self.tables.names_marker[self.model.program.function(self.func).file.0 as usize];
        // A marker that is defined as nothing marks nothing.
        let is_blank = || self.model.program.text(self.func, expr).is_some_and(|text| text.trim().is_empty());
        let is_marker = names_marker && self.values.holds(self.func, expr, &markers).is_some() && !is_blank();
        if is_marker { Data::marked(Marks::FENCED.or(Marks::MARKER)) } else { Data::default() }
    }

    /// Functions inside use what was given.
    fn share_parameters(&mut self) {
        let facts = self.facts;
        for (at, param) in facts.list(self.function().params).iter().enumerate() {
            if let Pat::Var(var) = *facts.pat(param.pat)
                && self.tables.given(self.func).has(at as u32)
            {
                self.share(var, self.function().body, &param_labels(at as u32));
            }
        }
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
            Expr::Lit(Lit::Str(text)) => Some(Key::Name(text)),
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).ok().map(Key::At),
            Expr::Free(_) | Expr::Field { .. } | Expr::Var(_) => {
                let texts = self.values.texts(self.func, key);
                let [text] = &texts[..] else { return None };
                self.model.program.symbol_of(text).map(Key::Name)
            }
            _ => None,
        }
    }

    /// The part of a value under a key, or under each of the keys that a variable runs through.
    pub(super) fn index(&self, of: &Value, key: ExprId) -> Value {
        let known = self.key(key);
        if known.is_none() && matches!(self.facts.expr(key), Expr::Var(_)) {
            let texts = self.values.texts(self.func, key);
            let names = texts.iter().filter_map(|text| self.model.program.symbol_of(text));
            let parts = names.map(|name| self.read(of, Some(Key::Name(name))).data);
            if let Some(data) = parts.reduce(|all, part| all.join(&part)) {
                return Value { data, ..Value::default() };
            }
        }
        self.read(of, known)
    }

    pub(super) fn field(
        &mut self,
        state: &State,
        expr: ExprId,
        base: ExprId,
        name: Sym,
        of: &Value,
    ) -> Value {
        let program = self.model.program;
        let key = Key::Name(name);
        let mut read = self.read(of, Some(key));
        let base = *self.facts.expr(base);
        if let Expr::Var(var) = base {
            if let Some(&class) = self.own.get(&var)
                && !state.get(var).has_field(key)
            {
                read.data = read.data.with_rest(&self.cell(Cell::Field(class, name)));
            }
        } else {
            self.receivers.insert(expr, of.clone());
        }
        if read.data.is_nothing() {
            read.data = self.marker(expr);
        } else if self.model.catalog.tells.is_silent_member(self.facts.str(name)) {
            read.data = Data::default();
        }
        if program.is_property_name(name) {
            read.data = read.data.and(&self.getter(expr, of));
        }
        read
    }

    pub(super) fn left(&mut self, state: &State, at: ExprId, value: &Data) {
        self.event(at, value.total(), Taker::Use(UseKind::Exit));
        // What a decorator runs hands its content to the decorator.
        for wrapper in self.model.wrappers(self.func) {
            self.event(at, value.total(), Taker::Param(wrapper.maker, 0, Part::Whole));
        }
        self.returns = Some(match self.returns.take() {
            Some(known) => known.join(value),
            None => value.clone(),
        });
        for (param, data) in state.parameters() {
            let own = self.tables.given(self.func).has(param);
            let before =
                if own { Data::new(param_labels(param), Marks::default()) } else { Default::default() };
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
