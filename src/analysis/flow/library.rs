//! Calls of library functions, and of those that nothing is known of: what the result tells of the arguments, and what is
//! put into the receiver.

use super::calls::Call;
use super::data::{Data, Key, Marks};
use super::labels::{Aspect, Labels};
use super::model::Tells;
use super::records::{changed, merged};
use super::state::{State, Value};
use super::walk::Walk;
use crate::catalog::DataOp;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId};
use crate::link::Resolution;

impl Walk<'_, '_, '_> {
    /// A function of a library, or one that nothing is known of.
    pub(super) fn foreign(&mut self, state: &mut State, call: &Call<'_, '_>) -> Value {
        let name = match *self.facts.expr(call.callee) {
            // `tokio::fs::write` is no method.
            Expr::Field { name, .. } if !self.is_function(call.callee) => {
                Some(self.model.catalog.operations.known(self.facts.lang, self.facts.str(name)))
            }
            _ => None,
        };
        if let Some(same) = name.and_then(|_| self.unwrapped(call)) {
            return same;
        }
        if !call.is_tainted() && !name.is_some_and(|name| self.model.catalog.handed_on.by_method(name)) {
            return Value::default();
        }
        match self.model.tells(self.func, call.callee, &call.edges) {
            Tells::Nothing => Value::default(),
            Tells::Number => {
                Value::of(Data::new(call.taken().total().only(Aspect::Unattributed), Marks::default()))
            }
            Tells::Same => Value::of(self.same(call)),
            Tells::All => match name {
                Some(name) => self.method(state, call, name),
                None => Value::of(self.weak(call, call.taken())),
            },
        }
    }

    /// `guarded.lock().unwrap()`: what a wrapper holds is the same object, whatever the wrapper is asked for it.
    fn unwrapped(&self, call: &Call<'_, '_>) -> Option<Value> {
        let Expr::Field { name, .. } = *self.facts.expr(call.callee) else { return None };
        let (name, catalog) = (self.facts.str(name), self.model.catalog);
        let words = &catalog.wrappers;
        let is_plain =
            call.args.is_empty() && words.same.contains(name) && !catalog.handed_on.by_method(name);
        let is_meant = self.facts.profile().has_wrappers && (words.unwraps.contains(name) || is_plain);
        is_meant.then(|| Value { path: call.receiver.path, ..Value::of(call.receiver.data.clone()) })
    }

    /// A function of a module, in a language where that is told from a method of an object.
    fn is_function(&self, callee: ExprId) -> bool {
        self.facts.profile().tells_functions && self.model.program.library_path(self.func, callee).is_some()
    }

    fn same(&self, call: &Call<'_, '_>) -> Data {
        let mut given = call.given().filter(|data| !data.is_nothing());
        match (given.next(), given.next()) {
            (Some(only), None) => only.clone(),
            _ => call.taken(),
        }
    }

    /// A method of an object that is none of the project's.
    fn method(&mut self, state: &mut State, call: &Call<'_, '_>, name: &str) -> Value {
        let (words, tells) = (&self.model.catalog.handed_on, &self.model.catalog.tells);
        let does = self.model.catalog.operations.of_name(name);
        if tells.lists_by_method(name) || tells.is_silent_member(name) {
            return Value::default();
        }
        if tells.collects(name) || tells.writes_file(name) {
            self.collected(state, call, does);
        }
        match (words.by_method(name), call.args) {
            (true, [key, ..]) => {
                let key = self.key(key.value);
                let mut read = self.read(&call.receiver, key);
                if let Some(path) = call.receiver.path.filter(|_| does == Some(DataOp::Take)) {
                    self.unwarn(state, path.under(key), None);
                }
                // `.get(key, default)`
                for other in call.values.iter().skip(1).filter(|other| !other.data.is_nothing()) {
                    read.data = read.data.and(&other.data);
                }
                read
            }
            (true, []) => {
                Value { data: call.receiver.data.flat(), path: call.receiver.path, ..Value::default() }
            }
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
    fn collected(&mut self, state: &mut State, call: &Call<'_, '_>, does: Option<DataOp>) {
        let mut labels = Labels::default();
        for value in call.values {
            labels.join(&value.data.total());
        }
        let Some(path) = call.receiver.path else {
            return self.store_shared(call.callee, &Data::new(labels, Marks::default()));
        };
        let record = (does == Some(DataOp::Update)).then(|| self.updates(call)).flatten();
        let is_bare = |data: &Data| data.marks().has(Marks::MARKER) && data.total().is_empty();
        let marks =
            if call.given().any(is_bare) { Marks::FENCED.or(Marks::MARKER) } else { Marks::default() };
        let added = call.values.last().map(|value| &value.data).filter(|data| !data.is_nothing());
        let added =
            added.map(|data| if does == Some(DataOp::Extend) { data.read(Key::Each) } else { data.clone() });
        state.change(path, &mut |data, keys| {
            changed(data, keys, &|part| match (&record, &added) {
                (Some(record), _) => merged(part, record),
                (None, Some(added)) => {
                    part.with_element(added).with_rest(&labels_of_others(call)).with_marks(marks)
                }
                (None, None) => part.with_marks(marks),
            })
        });
        self.tell(call.expr, path, &labels);
        if let Some(whole) = state.behind(path).filter(|_| self.facts.profile().has_views) {
            self.tell(call.expr, whole, &labels);
        }
    }

    /// The record that `update` is given.
    fn updates(&self, call: &Call<'_, '_>) -> Option<Data> {
        match call.args {
            [only] if only.kind == ArgKind::Positional => call.values.first().map(|value| value.data.clone()),
            _ => Some(self.constructed(call)),
        }
    }
}

/// What all arguments but the last hold: the key, or the position, under which it is put.
fn labels_of_others(call: &Call<'_, '_>) -> Labels {
    let mut labels = Labels::default();
    for value in call.values.split_last().into_iter().flat_map(|(_, others)| others) {
        labels.join(&value.data.total());
    }
    labels
}
