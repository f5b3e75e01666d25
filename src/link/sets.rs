//! Sets of values, hash-consed: one number for each value and for each set that ever was, so that slots share what they hold
//! and two sets are compared as numbers.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::ids::{EMPTY, SetId, TypeId};
use super::kinds::{Domain, Kinds};
use super::types::Type;

pub struct Sets<'x> {
    domain: &'x dyn Domain,
    kinds: Vec<Kinds>,
    joins: Vec<Option<TypeId>>,
    types: Vec<Type>,
    type_ids: FxHashMap<Type, TypeId>,
    /// What stands for a value that became one with another.
    parents: Vec<TypeId>,
    /// Sorted.
    sets: Vec<Rc<[TypeId]>>,
    set_ids: FxHashMap<Rc<[TypeId]>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    handed: FxHashMap<SetId, SetId>,
    filtered: FxHashMap<(SetId, Kinds), SetId>,
}

impl<'x> Sets<'x> {
    pub fn new(domain: &'x dyn Domain) -> Self {
        let empty: Rc<[TypeId]> = Rc::new([]);
        Self {
            domain,
            kinds: Vec::new(),
            joins: Vec::new(),
            types: Vec::new(),
            type_ids: FxHashMap::default(),
            parents: Vec::new(),
            sets: vec![Rc::clone(&empty)],
            set_ids: FxHashMap::from_iter([(empty, EMPTY)]),
            unions: FxHashMap::default(),
            handed: FxHashMap::default(),
            filtered: FxHashMap::default(),
        }
    }

    pub fn id(&mut self, ty: Type) -> TypeId {
        let next = TypeId(self.types.len() as u32);
        let id = *self.type_ids.entry(ty).or_insert(next);
        if id == next {
            self.types.push(ty);
            self.parents.push(id);
            self.joins.push(None);
            self.kinds.push(self.domain.kinds(ty));
            self.joins[id.0 as usize] = self.domain.join(ty).map(|join| self.id(join));
        }
        self.find(id)
    }

    /// From now on `kept` stands for `gone`, wherever that is still to go.
    pub fn become_one(&mut self, gone: TypeId, kept: TypeId) {
        let (gone, kept) = (self.find(gone), self.find(kept));
        self.parents[gone.0 as usize] = kept;
    }

    pub fn find(&self, mut id: TypeId) -> TypeId {
        while self.parents[id.0 as usize] != id {
            id = self.parents[id.0 as usize];
        }
        id
    }

    /// The value that stands for all of its kind.
    pub fn joined(&self, id: TypeId) -> Option<TypeId> {
        self.joins[id.0 as usize]
    }

    pub fn kinds(&self, id: TypeId) -> Kinds {
        self.kinds[id.0 as usize]
    }

    pub fn ty(&self, id: TypeId) -> Type {
        self.types[id.0 as usize]
    }

    pub fn types(&self, set: SetId) -> impl Iterator<Item = Type> + Clone + '_ {
        self.members(set).iter().map(|&id| self.ty(id))
    }

    pub fn members(&self, set: SetId) -> &Rc<[TypeId]> {
        &self.sets[set.0 as usize]
    }

    pub fn contains(&self, set: SetId, id: TypeId) -> bool {
        match *self.members(set) {
            ref members if members.len() <= 8 => members.contains(&id),
            ref members => members.binary_search(&id).is_ok(),
        }
    }

    /// The set of these members, which are sorted and distinct.
    pub fn intern(&mut self, members: &[TypeId]) -> SetId {
        if let Some(&id) = self.set_ids.get(members) {
            return id;
        }
        let (id, members): (SetId, Rc<[TypeId]>) = (SetId(self.sets.len() as u32), members.into());
        self.sets.push(Rc::clone(&members));
        self.set_ids.insert(members, id);
        id
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        match (a.min(b), a.max(b)) {
            (EMPTY, other) => other,
            (one, other) if one == other => one,
            pair => match self.unions.get(&pair) {
                Some(&known) => known,
                None => {
                    let merged = merged(self.members(pair.0), self.members(pair.1));
                    let id = self.intern(&merged);
                    self.unions.insert(pair, id);
                    id
                }
            },
        }
    }

    /// The values as arguments.
    pub fn handed_over(&mut self, set: SetId) -> SetId {
        if let Some(&known) = self.handed.get(&set) {
            return known;
        }
        let members = Rc::clone(self.members(set));
        let as_argument = |id: &TypeId| {
            let ty = self.ty(*id).handed_over();
            self.id(ty)
        };
        let mut handed: Vec<TypeId> = members.iter().map(as_argument).collect();
        handed.sort_unstable();
        handed.dedup();
        let handed = self.intern(&handed);
        self.handed.insert(set, handed);
        handed
    }

    /// The values of these kinds.
    pub fn of_kinds(&mut self, set: SetId, kinds: Kinds) -> SetId {
        if let Some(&known) = self.filtered.get(&(set, kinds)) {
            return known;
        }
        let members = self.members(set).iter().copied();
        let found: Vec<TypeId> = members.filter(|&id| kinds.meets(self.kinds(id))).collect();
        let found = self.intern(&found);
        self.filtered.insert((set, kinds), found);
        found
    }

    /// False of what may be anything.
    pub fn is_certain(&self, ty: Type) -> bool {
        self.domain.is_certain(ty)
    }

    /// The values of a set that are known for certain and that no value of another one stands for.
    pub fn contradicting(&mut self, set: SetId, by: SetId) -> SetId {
        let covering: Vec<Type> = self.members(by).iter().map(|&id| self.ty(id)).collect();
        let is_covered = |id: TypeId| covering.iter().any(|&whole| self.domain.covers(whole, self.ty(id)));
        let is_certain = |&id: &TypeId| self.domain.is_certain(self.ty(id)) && !is_covered(id);
        let left: Vec<TypeId> = self.members(set).iter().copied().filter(is_certain).collect();
        self.intern(&left)
    }

    /// The types of a set that are written as values of what another one holds.
    pub fn values_of(&mut self, set: SetId, by: SetId) -> SetId {
        let is_value = |id: TypeId| {
            self.members(by).iter().any(|&whole| self.domain.is_value_of(self.ty(whole), self.ty(id)))
        };
        let found: Vec<TypeId> = self.members(set).iter().copied().filter(|&id| is_value(id)).collect();
        self.intern(&found)
    }

    /// What is in one of the sets and not held, in order.
    pub fn outside(&self, sets: &mut Vec<SetId>, held: SetId) -> Vec<TypeId> {
        sets.sort_unstable();
        sets.dedup();
        let members = sets.iter().flat_map(|&set| self.members(set).iter().map(|&id| self.find(id)));
        let mut new: Vec<TypeId> = members.filter(|&id| !self.contains(held, id)).collect();
        new.sort_unstable();
        new.dedup();
        new
    }

    /// True if no kind of values makes up nine tenths of them.
    pub fn is_mixed(&self, set: SetId) -> bool {
        let members = self.members(set);
        let mut counts = [0_usize; 4];
        for &id in members.iter() {
            counts[self.ty(id).sort()] += 1;
        }
        counts.iter().all(|&count| count * 10 <= members.len() * 9)
    }

    /// What of `a` is not in `b`.
    pub fn without(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || a == EMPTY || b == EMPTY {
            return if a == b { EMPTY } else { a };
        }
        let left: Vec<TypeId> = self.members(a).iter().copied().filter(|&id| !self.contains(b, id)).collect();
        self.intern(&left)
    }
}

fn merged(a: &[TypeId], b: &[TypeId]) -> Vec<TypeId> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    out.extend_from_slice(a);
    out.extend_from_slice(b);
    // Two runs, which the stable sort merges.
    out.sort();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::link::ids::Func;
    use crate::link::kinds::Plain;

    fn set(sets: &mut Sets<'_>, of: &BTreeSet<u32>) -> SetId {
        let mut members: Vec<TypeId> = of.iter().map(|&it| sets.id(Type::Function(Func(it)))).collect();
        members.sort_unstable();
        sets.intern(&members)
    }

    fn read(sets: &Sets<'_>, id: SetId) -> BTreeSet<u32> {
        let func = |&id: &TypeId| match sets.ty(id) {
            Type::Function(Func(it)) => it,
            other => panic!("{other:?}"),
        };
        sets.members(id).iter().map(func).collect()
    }

    proptest! {
        #[test]
        fn they_are_sets(
            a in prop::collection::btree_set(0..40_u32, 0..20),
            b in prop::collection::btree_set(0..40_u32, 0..20),
        ) {
            let mut sets = Sets::new(&Plain);
            let (x, y) = (set(&mut sets, &a), set(&mut sets, &b));
            prop_assert_eq!(x == y, a == b);
            let union = sets.union(x, y);
            prop_assert_eq!(union, sets.union(y, x));
            prop_assert_eq!(read(&sets, union), &a | &b);
            let rest = sets.without(x, y);
            prop_assert_eq!(read(&sets, rest), &a - &b);
            prop_assert_eq!(set(&mut sets, &a), x);
        }
    }
}
