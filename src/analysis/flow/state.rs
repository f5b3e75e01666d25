//! What a function's variables hold at one point, and which of them are other names for the same object.

use std::sync::Arc;

use super::data::{Data, Joins, Key};
use crate::ir::VarId;

/// Aliases of aliases.
const MAX_HOPS: usize = 4;

/// A part of the object in a variable: the object itself, what is under a key, or under a key of that. `None` is some key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    pub var: VarId,
    keys: [Option<Key>; 2],
    depth: u8,
}

impl Path {
    pub fn of(var: VarId) -> Self {
        Self { var, keys: [None; 2], depth: 0 }
    }

    /// What is under a key of it.
    pub fn under(self, key: Option<Key>) -> Self {
        let mut deeper = self;
        match self.depth {
            depth @ (0 | 1) => {
                deeper.keys[depth as usize] = key;
                deeper.depth += 1;
            }
            _ => deeper.keys[1] = None,
        }
        deeper
    }

    pub fn keys(&self) -> &[Option<Key>] {
        &self.keys[..self.depth as usize]
    }
}

/// What is known of the value of an expression.
#[derive(Clone, Default, Debug)]
pub struct Value {
    pub data: Data,
    /// Where it is kept: a change of it is one there.
    pub path: Option<Path>,
    pub proof: Option<Proof>,
    /// It is always true, or always false.
    pub truth: Option<bool>,
}

/// What a test says of a value if it comes out as `holds`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    pub path: Path,
    pub of: Proven,
    pub holds: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proven {
    Attributed,
    Fenced,
}

impl Value {
    pub fn of(data: Data) -> Self {
        Self { data, ..Self::default() }
    }
}

#[derive(Clone, PartialEq, Default, Debug)]
struct Slot {
    data: Data,
    alias: Option<Path>,
    /// The parameter whose object this still is.
    param: Option<u32>,
}

/// Variables that hold something of interest, or are another name for something; sorted.
#[derive(Clone, PartialEq, Default, Debug)]
struct Env(Vec<(VarId, Slot)>);

/// Cheap to copy, since every branch and every call inside a `try` does.
#[derive(Clone, Debug)]
pub struct State(Option<Arc<Env>>);

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl State {
    pub fn dead() -> Self {
        Self(None)
    }

    pub fn entry() -> Self {
        Self(Some(Arc::default()))
    }

    pub fn is_live(&self) -> bool {
        self.0.is_some()
    }

    fn slot(&self, var: VarId) -> Option<&Slot> {
        let env = &self.0.as_ref()?.0;
        env.binary_search_by_key(&var, |(own, _)| *own).ok().map(|at| &env[at].1)
    }

    pub fn get(&self, var: VarId) -> Data {
        self.slot(var).map(|slot| slot.data.clone()).unwrap_or_default()
    }

    fn set(&mut self, var: VarId, slot: Slot) {
        let Some(env) = &mut self.0 else { return };
        match env.0.binary_search_by_key(&var, |(own, _)| *own) {
            Ok(at) if env.0[at].1 == slot => {}
            Ok(at) => Arc::make_mut(env).0[at].1 = slot,
            Err(_) if slot == Slot::default() => {}
            Err(at) => Arc::make_mut(env).0.insert(at, (var, slot)),
        }
    }

    /// Gives a parameter what its callers put into it.
    pub fn enter(&mut self, var: VarId, param: u32, data: Data) {
        self.set(var, Slot { data, alias: None, param: Some(param) });
    }

    /// The variable becomes the value.
    pub fn bind(&mut self, var: VarId, value: &Value) {
        let alias = value.path.filter(|path| path.var != var);
        self.set(var, Slot { data: value.data.clone(), alias, param: None });
    }

    /// Changes the object in a variable, under all names that are known for it.
    pub fn change(&mut self, path: Path, change: &mut dyn FnMut(&Data, &[Option<Key>]) -> Data) {
        let mut at = Some(path);
        for _ in 0..MAX_HOPS {
            let Some(path) = at else { return };
            let mut slot = self.slot(path.var).cloned().unwrap_or_default();
            slot.data = change(&slot.data, path.keys());
            at = slot.alias.map(|alias| path.keys().iter().fold(alias, |alias, key| alias.under(*key)));
            self.set(path.var, slot);
        }
    }

    /// What a variable is another name for, if it is one.
    pub fn behind(&self, path: Path) -> Option<Path> {
        let next = |path: &Path| {
            let alias = self.slot(path.var)?.alias?;
            Some(path.keys().iter().fold(alias, |alias, key| alias.under(*key)))
        };
        std::iter::successors(next(&path), next).take(MAX_HOPS).last()
    }

    /// What the parameters hold, as far as they are the objects that came in.
    pub fn parameters(&self) -> impl Iterator<Item = (u32, &Data)> {
        let slots = self.0.iter().flat_map(|env| &env.0);
        slots.filter_map(|(_, slot)| Some((slot.param?, &slot.data)))
    }

    pub fn join(&mut self, from: &State, joins: &mut Joins) {
        let Some(other) = &from.0 else { return };
        let Some(own) = &mut self.0 else {
            self.0 = Some(Arc::clone(other));
            return;
        };
        if Arc::ptr_eq(own, other) {
            return;
        }
        let joined = own.join(other, joins);
        if joined != **own {
            *own = Arc::new(joined);
        }
    }

    /// `self` with what a block changed that took `before` to `after`.
    pub fn carried(&self, before: &State, after: &State) -> State {
        let (Some(old), Some(new)) = (&before.0, &after.0) else { return State::dead() };
        let mut out = self.clone();
        if !Arc::ptr_eq(old, new) {
            for (var, slot) in &new.0 {
                if before.slot(*var) != Some(slot) {
                    out.set(*var, slot.clone());
                }
            }
        }
        out
    }
}

impl Env {
    fn join(&self, other: &Env, joins: &mut Joins) -> Env {
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let nothing = Slot::default();
        let mut out = Vec::with_capacity(self.0.len().max(other.0.len()));
        loop {
            let var = match (one.peek(), two.peek()) {
                (Some((a, _)), Some((b, _))) => *a.min(b),
                (Some((var, _)), None) | (None, Some((var, _))) => *var,
                (None, None) => return Env(out),
            };
            let a = one.next_if(|(own, _)| *own == var).map(|(_, slot)| slot);
            let b = two.next_if(|(own, _)| *own == var).map(|(_, slot)| slot);
            let slot = a.unwrap_or(&nothing).join(b.unwrap_or(&nothing), joins);
            if slot != nothing {
                out.push((var, slot));
            }
        }
    }
}

impl Slot {
    fn join(&self, other: &Slot, joins: &mut Joins) -> Slot {
        Slot {
            data: joins.of(&self.data, &other.data),
            alias: self.alias.filter(|alias| other.alias == Some(*alias)),
            param: self.param.filter(|param| other.param == Some(*param)),
        }
    }
}
