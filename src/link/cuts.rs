//! What was let go because a limit was reached, and what could have been called for it: a set of values that grew too large,
//! more overriding methods than are followed. Nothing resolves by it; whoever speaks of what was not followed asks for it.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::edges::{Pass, Targets};
use super::eval::push;
use super::names::Name;
use super::program::{At, Cls, Func, Program, Target};
use super::solve::Solver;
use super::types::{Slot, Type, Types};
use crate::ir::{Expr, ExprId};

/// A call that may run more than its edges say.
#[derive(Clone, Debug)]
pub struct Cut {
    pub from: Func,
    pub at: At,
    /// What it may run besides.
    pub targets: Vec<Target>,
    /// There is more of that than is kept.
    pub is_open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CutId(u32);

pub type CutIds = SmallVec<[CutId; 2]>;

/// Sets that reach one place; beyond, `OTHERS` stands for all that are not kept.
const MAX_CUTS: usize = 8;
const OTHERS: CutId = CutId(u32::MAX);
/// Values of one set that was cut; no table that people write is longer.
const MAX_HELD: usize = 4096;
/// What functions hand back that functions hand back.
const MAX_NESTING: u32 = 3;

/// What was let go in one place.
#[derive(Default)]
struct Held {
    types: Vec<Type>,
    /// There were more values than are kept.
    is_open: bool,
    /// Methods that were asked for by their name, and not what has methods.
    are_members: bool,
}

#[derive(Default)]
pub struct Cuts {
    held: Vec<Held>,
    own: FxHashMap<Slot, CutId>,
    members: FxHashMap<(Cls, Name), CutId>,
    /// Slots with the sets whose values would have reached them.
    of_slot: FxHashMap<Slot, CutIds>,
    /// What was asked for since `begin`.
    read: CutIds,
}

impl Cuts {
    pub fn begin(&mut self) {
        self.read.clear();
    }

    pub fn taken(&mut self) -> CutIds {
        std::mem::take(&mut self.read)
    }

    pub fn is_read(&self) -> bool {
        !self.read.is_empty()
    }

    /// Values of a slot that it does not hold.
    pub fn lose(&mut self, slot: Slot, types: impl IntoIterator<Item = Type>) {
        let held = &mut self.held;
        let id = *self.own.entry(slot).or_insert_with(|| new(held));
        let Held { types: known, is_open, .. } = &mut self.held[id.0 as usize];
        for ty in types {
            match known.len() < MAX_HELD {
                true if known.contains(&ty) => {}
                true => known.push(ty),
                false => *is_open = true,
            }
        }
        add(self.of_slot.entry(slot).or_default(), id);
    }

    /// Members of a class that are too many.
    fn lose_members(&mut self, class: Cls, name: Name) -> (CutId, bool) {
        let count = self.held.len();
        let held = &mut self.held;
        let id = *self.members.entry((class, name)).or_insert_with(|| new(held));
        add(&mut self.read, id);
        (id, self.held.len() > count)
    }

    pub fn asked(&mut self, slot: Slot) {
        for &id in self.of_slot.get(&slot).into_iter().flatten() {
            add(&mut self.read, id);
        }
    }

    /// What was read would have reached this slot. True if that is new.
    pub fn reaches(&mut self, slot: Slot) -> bool {
        let known = self.of_slot.entry(slot).or_default();
        let before = known.len();
        self.read.iter().for_each(|&id| add(known, id));
        known.len() > before
    }
}

fn new(held: &mut Vec<Held>) -> CutId {
    held.push(Held::default());
    CutId(held.len() as u32 - 1)
}

fn add(ids: &mut CutIds, id: CutId) {
    if !ids.contains(&id) && !ids.contains(&OTHERS) {
        ids.push(if ids.len() < MAX_CUTS { id } else { OTHERS });
    }
}

impl Solver<'_, '_> {
    /// There are more members of this name below the class than are followed.
    pub(super) fn cut_members(&mut self, class: Cls, name: Name, base: Type) {
        let (id, is_new) = self.cuts.lose_members(class, name);
        if !is_new {
            return;
        }
        let hierarchy = self.hierarchy;
        let below = hierarchy.descendants[class.0 as usize].iter();
        let below = below.chain(hierarchy.uncounted.get(&class).into_iter().flatten());
        let mut found = Types::new();
        let is_open = below.clone().nth(MAX_HELD).is_some();
        for &descendant in below.take(MAX_HELD) {
            if let Some((_, slot)) = hierarchy.class_attr(self.index, descendant, name) {
                self.bind_members(slot, base, &mut found);
            }
        }
        self.cuts.held[id.0 as usize] = Held { types: found.into_vec(), is_open, are_members: true };
    }

    /// What was held, with what tables in it hold and functions in it hand back: each true for a method that was asked for.
    /// And whether there is more.
    fn let_go(&mut self, ids: CutIds) -> (Vec<(Type, bool)>, bool) {
        let mut work: Vec<(Type, u32)> = Vec::new();
        let mut out = Vec::new();
        let mut is_more = ids.contains(&OTHERS);
        for id in ids.into_iter().filter(|&id| id != OTHERS) {
            let Held { types, is_open, are_members } = &self.cuts.held[id.0 as usize];
            is_more |= is_open;
            match are_members {
                true => out.extend(types.iter().map(|&ty| (ty, true))),
                false => work.extend(types.iter().map(|&ty| (ty, MAX_NESTING))),
            }
        }
        let mut known: FxHashSet<Type> = work.iter().map(|&(ty, _)| ty).collect();
        while let Some((ty, nesting)) = work.pop() {
            if out.len() >= MAX_HELD {
                return (out, true);
            }
            out.push((ty, false));
            let (inner, nesting) = self.held_by(ty, nesting);
            work.extend(inner.into_iter().filter(|&ty| known.insert(ty)).map(|ty| (ty, nesting)));
        }
        (out, is_more)
    }

    /// What a table holds, or what a function hands back that may still be asked for it.
    fn held_by(&mut self, ty: Type, nesting: u32) -> (Types, u32) {
        let mut inner = Types::new();
        match ty {
            Type::Container(container) => self.read_entry(container, None, &mut inner),
            Type::Function(func) | Type::Bound(func) if nesting > 0 => {
                self.read(self.returned(func), &mut inner);
                return (inner, nesting - 1);
            }
            _ => {}
        }
        (inner, nesting)
    }
}

impl Pass<'_, '_, '_> {
    /// Notes what a call that nothing else resolves may run of what was let go for its callee or its receiver.
    pub(super) fn cut(&mut self, func: Func, expr: ExprId, callee: ExprId, ids: CutIds) {
        let file = self.solver.index.file_of(func);
        let mut lost = Targets::default();
        let name = match *self.solver.index.units[file].facts.expr(callee) {
            Expr::Field { name, .. } => Some(self.solver.index.name(file, name)),
            _ => None,
        };
        let (held, is_more) = self.solver.let_go(ids);
        // Of objects that were not kept only those with such a method matter, and most have none.
        let is_open = is_more && name.is_none();
        for (ty, is_member) in held {
            let mut called = Types::new();
            match name.filter(|_| !is_member) {
                Some(name) => self.solver.attr_of(ty, name, &mut called),
                None => push(&mut called, ty),
            }
            called.into_iter().for_each(|ty| self.target(ty, false, &mut lost));
        }
        let mut targets = lost.list;
        targets.sort_unstable();
        targets.dedup();
        if is_open || !targets.is_empty() {
            let at = self.at(func, expr);
            self.found.cuts.push(Cut { from: func, at, targets, is_open });
        }
    }

    /// The functions among what was let go for a value that a table keeps.
    pub(super) fn cut_values(&mut self, ids: CutIds) -> Vec<Type> {
        self.solver.let_go(ids).0.into_iter().map(|(ty, _)| ty).collect()
    }
}

impl Program<'_> {
    /// Calls that may run more than their edges say, in order of functions.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }
}
