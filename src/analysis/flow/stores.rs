//! Assignments: to variables and patterns, and to parts of objects, under all names that are known for them.

use super::data::{Data, Key, Marks};
use super::labels::{Aspect, Labels};
use super::records::joined_text;
use super::state::{Path, State, Value};
use super::tables::{Cell, Taker};
use super::walk::Walk;
use crate::ir::{Expr, ExprId, Op, Pat, PatField, PatId, VarId};

/// What is in a wrapper.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapped {
    Value,
    Error,
}

impl Walk<'_, '_, '_> {
    pub(super) fn bound(&mut self, state: &mut State, pat: PatId, value: &Value) {
        let facts = self.facts;
        match *facts.pat(pat) {
            Pat::Var(var) => self.become_value(state, var, value),
            Pat::As { pat, var } => {
                self.become_value(state, var, value);
                self.bound(state, pat, value);
            }
            Pat::Seq { items, rest } => {
                let rest = rest.map(|rest| rest.0 as usize);
                for (at, &item) in facts.list(items).iter().enumerate() {
                    let part = match rest {
                        Some(rest) if at == rest => Value::of(value.data.flat()),
                        Some(rest) if at > rest => self.read(value, None),
                        _ => self.read(value, Some(Key::At(at as u32))),
                    };
                    self.bound(state, item, &part);
                }
            }
            Pat::Record { items, rest } => {
                self.fields(state, facts.list(items), value);
                rest.into_iter().for_each(|rest| self.bound(state, rest, value));
            }
            // What went wrong is no content.
            Pat::Ctor { path, .. } if self.wraps(path) == Some(Wrapped::Error) => {}
            Pat::Ctor { path, items, named } => {
                let part = match self.wraps(path) {
                    Some(Wrapped::Value) => value.clone(),
                    _ => self.read(value, None),
                };
                facts.list(items).iter().for_each(|&item| self.bound(state, item, &part));
                self.fields(state, facts.list(named), value);
            }
            Pat::Or(pats) => facts.list(pats).iter().for_each(|&pat| self.bound(state, pat, value)),
            Pat::Place(place) => self.stored(state, place, None, Some((place, value))),
            Pat::Wild | Pat::Value(_) => {}
        }
    }

    /// What a pattern takes out of its wrapper: `Ok(text)`, `Err(error)`.
    pub(super) fn wraps(&self, path: ExprId) -> Option<Wrapped> {
        if !self.facts.profile().has_wrappers {
            return None;
        }
        let path = self.model.program.library_path(self.func, path)?;
        let catalog = self.model.catalog;
        match catalog.handed_on.is_error(path) {
            true => Some(Wrapped::Error),
            false => catalog.handed_on.by_call(path).then_some(Wrapped::Value),
        }
    }

    fn fields(&mut self, state: &mut State, items: &[PatField], value: &Value) {
        for field in items {
            let key = Key::Name(field.name);
            let part = self.read(value, Some(key));
            self.bound(state, field.pat, &part);
        }
    }

    fn become_value(&mut self, state: &mut State, var: VarId, value: &Value) {
        state.bind(var, value);
        let at = self.function().body;
        self.share(var, at, &value.data.total());
    }

    pub(super) fn stored(
        &mut self,
        state: &mut State,
        place: ExprId,
        op: Option<Op>,
        value: Option<(ExprId, &Value)>,
    ) {
        let given = value.map(|(_, value)| value.data.clone()).unwrap_or_default();
        match *self.facts.expr(place) {
            Expr::Var(var) => {
                let data = match op {
                    Some(_) => joined_text([&state.get(var), &given].into_iter()),
                    None => given,
                };
                let value = Value::of(data);
                self.become_value(state, var, &value);
            }
            Expr::Free(_) => self.store_global(place, &given),
            _ => match self.path(place) {
                Some(path) => {
                    self.put(state, place, path, &given, op.is_some());
                    self.unwarn(state, path, value.map(|(value, _)| value));
                }
                None => self.store_shared(place, &given),
            },
        }
    }

    /// Something of the module gets the value as one of its parts.
    pub(super) fn store_shared(&mut self, place: ExprId, value: &Data) {
        let mut at = place;
        while let Expr::Field { base, .. } | Expr::Index { base, .. } = *self.facts.expr(at) {
            at = base;
        }
        if let Expr::Free(_) = *self.facts.expr(at) {
            self.store_global(at, value);
        }
    }

    fn store_global(&mut self, place: ExprId, value: &Data) {
        let program = self.model.program;
        if let Some(variable) = program.variable(self.func, place) {
            let slot = program.slot_of(variable.func, variable.var);
            self.event(place, value.total(), Taker::Cell(Cell::Inner(slot)));
        }
    }

    /// The variable behind `a.b["c"]`, and the keys on the way.
    pub(super) fn path(&self, place: ExprId) -> Option<Path> {
        let facts = self.facts;
        match *facts.expr(place) {
            Expr::Var(var) => Some(Path::of(var)),
            Expr::Field { base, name } => Some(self.path(base)?.under(Some(Key::Name(name)))),
            Expr::Index { base, key } => Some(self.path(base)?.under(self.key(key))),
            Expr::Await(inner) => self.path(inner),
            Expr::Call { callee, args, .. } => match (*facts.expr(callee), facts.list(args)) {
                (Expr::Field { base, name }, [key, ..])
                    if self.model.catalog.handed_on.by_method(facts.str(name)) =>
                {
                    Some(self.path(base)?.under(self.key(key.value)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Puts a value where the path leads.
    pub(super) fn put(&mut self, state: &mut State, at: ExprId, path: Path, value: &Data, adds: bool) {
        let this = &*self;
        state.change(path, &mut |data, keys| this.placed(data, keys, value, adds));
        self.tell(at, path, &value.total());
    }

    /// Lets others know what is put into an object that they see, too.
    pub(super) fn tell(&mut self, at: ExprId, path: Path, labels: &Labels) {
        if labels.is_empty() {
            return;
        }
        self.share(path.var, at, labels);
        if let (Some(&class), [Some(Key::Name(name)), ..]) = (self.own.get(&path.var), path.keys()) {
            self.event(at, labels.clone(), Taker::Cell(Cell::Field(class, *name)));
        }
    }

    fn placed(&self, data: &Data, keys: &[Option<Key>], value: &Data, adds: bool) -> Data {
        match keys {
            [] if adds => joined_text([data, value].into_iter()),
            [] => value.clone(),
            [Some(key), others @ ..] => {
                let inner = self.placed(&data.read(*key), others, value, adds);
                self.sealed(data.with_field(*key, &inner), *key, &inner)
            }
            [None, others @ ..] => {
                let inner = self.placed(&Data::default(), others, value, adds);
                // `for page in pages: page["attribution"] = …`
                let is_credit = inner.marks().has(Marks::ATTRIBUTED);
                let data = if is_credit { data.without(Aspect::Unattributed) } else { data.clone() };
                data.with_element(&inner)
            }
        }
    }
}
