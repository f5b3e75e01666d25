//! What calls pick of the entries that their callees look up by a key.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Cls, ExprId, Func};

/// What the arguments of a call say of one entry of a table that the callee looks something up in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pick {
    /// Another key is given.
    Never,
    /// Nobody knows the key.
    Any,
    /// The caller is given the key itself.
    Through,
    /// Its key is the one that is given.
    Exact,
}

/// What a call says of the entries of one look-up.
#[derive(Clone, Debug)]
pub enum Picked {
    /// The same of all.
    All(Pick),
    /// These, and no others.
    Exactly(FxHashSet<Func>),
}

/// Entries that stand under some keys only; if the keys are classes, under which.
pub type Keyed = Arc<FxHashMap<Func, FxHashSet<Cls>>>;

#[derive(Default, Debug)]
pub struct Picks {
    /// By call and callee; a call that is not listed may pick anything.
    calls: FxHashMap<(ExprId, Func), Vec<(Keyed, Picked)>>,
    /// By method, what it may run on objects of which classes; what is not listed, on all.
    objects: FxHashMap<Func, Vec<Keyed>>,
}

impl Picks {
    pub fn add(&mut self, call: ExprId, callee: Func, entries: &Keyed, picked: Picked) {
        self.calls.entry((call, callee)).or_default().push((entries.clone(), picked));
    }

    pub fn add_objects(&mut self, method: Func, entries: &Keyed) {
        self.objects.entry(method).or_default().push(entries.clone());
    }

    /// True if the method of an object of exactly this class may run `entry`.
    pub fn runs(&self, method: Func, class: Cls, entry: Func) -> bool {
        let known = self.objects.get(&method).into_iter().flatten();
        let mut classes = known.filter_map(|entries| entries.get(&entry)).peekable();
        classes.peek().is_none() || classes.any(|classes| classes.contains(&class))
    }

    /// What `call` of `callee` says of `entry`: several look-ups of one callee each say something.
    pub fn of(&self, call: ExprId, callee: Func, entry: Func) -> Pick {
        let said = self.calls.get(&(call, callee)).into_iter().flatten();
        let of = said.filter(|(entries, _)| entries.contains_key(&entry)).map(|(_, picked)| match picked {
            Picked::All(pick) => *pick,
            Picked::Exactly(meant) if meant.contains(&entry) => Pick::Exact,
            Picked::Exactly(_) => Pick::Never,
        });
        of.max().unwrap_or(Pick::Any)
    }

    /// True if the caller is given the key itself.
    pub fn hands_on(&self, call: ExprId, callee: Func) -> bool {
        let mut said = self.calls.get(&(call, callee)).into_iter().flatten();
        said.any(|(_, picked)| matches!(picked, Picked::All(Pick::Through)))
    }

    /// True if something is known of what the call picks.
    pub fn knows(&self, call: ExprId, callee: Func) -> bool {
        self.calls.contains_key(&(call, callee))
    }
}
