//! The graph of slots along which values move: inclusion-based propagation with difference propagation and lazy cycle detection
//! (Andersen, "Program Analysis and Specialization for the C Programming Language", 1994; Hardekopf and Lin, "The Ant and the
//! Grasshopper", PLDI 2007). What arrives in a slot goes on along its copies once, and is told once to each of its watchers.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::chains::{Chains, with_room};
use super::ids::{EMPTY, SetId, Slot, TypeId};
use super::kinds::{Declared, Domain};
use super::ports::Port;
use super::sets::Sets;
use super::types::{Copied, Type};
use super::worklist::Worklist;

/// Who is told what arrives in the slots it watches.
pub trait Watcher: Copy {
    /// What connects all that arrives with the slot of a port.
    fn connect(port: Port, slot: Slot) -> Self;
}

pub struct Graph<'x, W> {
    pub sets: Sets<'x>,
    /// Slots that hold the same because they feed one another are one; the slot that stands for it.
    pub(super) parents: Vec<u32>,
    pub(super) held: Vec<SetId>,
    /// Values that slots have taken in, all together.
    pub(super) taken: usize,
    /// Slots that nothing more is let into.
    pub(super) closed: FxHashSet<Slot>,
    /// What is let into slots of a declared type.
    pub(super) declared: FxHashMap<Slot, Declared>,
    /// Those where something has begun to wait.
    pub(super) contradicted: Vec<Slot>,
    /// What is kept out of them for good, for who follows what it shares with what is let in.
    pub(super) refused: Vec<(Slot, SetId)>,
    /// What has arrived and was not looked at.
    pub(super) arrived: Chains<SetId>,
    pub(super) copies: Chains<Copied>,
    /// The copies of slots that have many.
    pub(super) known: FxHashSet<(Slot, Copied)>,
    pub(super) watchers: Chains<W>,
    pub(super) ports: Chains<(Port, Slot)>,
    pub(super) known_ports: FxHashMap<(Slot, Port), Slot>,
    pub(super) queue: Worklist,
    /// Watchers with what they have not been told yet.
    pub(super) untold: VecDeque<(W, SetId)>,
    /// Copies along which a cycle was looked for.
    pub(super) tried: FxHashSet<(Slot, Slot)>,
    /// Slots that are to become one.
    pub(super) due: Vec<(Slot, Slot)>,
    /// How much hangs on each slot: who has less is moved.
    pub(super) weights: Vec<u32>,
    /// Slots that became one with another that stands for them, for who keeps more of slots.
    pub merged: Vec<(Slot, Slot)>,
}

impl<'x, W: Watcher> Graph<'x, W> {
    /// With this many slots to begin with.
    pub fn new(slots: usize, domain: &'x dyn Domain) -> Self {
        let mut parents = with_room(slots, 0);
        parents.iter_mut().zip(0..).for_each(|(parent, slot)| *parent = slot);
        Self {
            sets: Sets::new(domain),
            parents,
            held: with_room(slots, EMPTY),
            taken: 0,
            closed: FxHashSet::default(),
            declared: FxHashMap::default(),
            contradicted: Vec::new(),
            refused: Vec::new(),
            arrived: Chains::new(slots),
            copies: Chains::new(slots),
            known: FxHashSet::default(),
            watchers: Chains::new(slots),
            ports: Chains::new(slots),
            known_ports: FxHashMap::default(),
            due: Vec::new(),
            weights: with_room(slots, 0),
            queue: Worklist::default(),
            untold: VecDeque::new(),
            tried: FxHashSet::default(),
            merged: Vec::new(),
        }
    }

    pub fn new_slot(&mut self) -> Slot {
        let slot = self.parents.len() as u32;
        self.parents.push(slot);
        self.held.push(EMPTY);
        self.weights.push(0);
        self.arrived.add_list();
        self.copies.add_list();
        self.watchers.add_list();
        self.ports.add_list();
        Slot(slot)
    }

    /// The slot that stands for this one.
    pub fn find(&self, slot: Slot) -> Slot {
        let mut at = slot.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        Slot(at)
    }

    pub fn held(&self, slot: Slot) -> SetId {
        self.held[self.find(slot).0 as usize]
    }

    /// True if nothing has arrived so far.
    pub fn is_empty(&self, slot: Slot) -> bool {
        let slot = self.find(slot);
        self.held[slot.0 as usize] == EMPTY && self.arrived.is_empty(slot.0)
    }

    /// How many values a slot holds.
    pub fn len(&self, slot: Slot) -> usize {
        self.sets.members(self.held(slot)).len()
    }

    pub fn types(&self, slot: Slot) -> impl Iterator<Item = Type> + Clone + '_ {
        self.sets.types(self.held(slot))
    }

    pub fn insert(&mut self, slot: Slot, ty: Type) {
        let id = self.sets.id(ty);
        let set = self.sets.intern(&[id]);
        self.arrive(self.find(slot), set);
    }

    /// From now on nothing is let in.
    pub fn close(&mut self, slot: Slot) {
        self.closed.insert(slot);
    }

    pub(super) fn arrive(&mut self, slot: Slot, set: SetId) {
        if self.closed.contains(&slot) {
            return;
        }
        let set = self.let_in(slot, set);
        self.bring(slot, set);
    }

    pub(super) fn bring(&mut self, slot: Slot, set: SetId) {
        if set != EMPTY && set != self.held[slot.0 as usize] {
            self.arrived.push(slot.0, set);
            self.queue.insert(slot.0);
        }
    }

    /// What `from` holds, now and later, `to` holds, too.
    pub fn copy(&mut self, from: Slot, to: Slot, is_handed: bool) {
        let (from, to) = (self.find(from), self.find(to));
        let copied = Copied { to, is_handed };
        if from == to || self.closed.contains(&to) || !self.add_copy(from, copied) {
            return;
        }
        self.weights[from.0 as usize] += 1;
        self.give(copied, self.held[from.0 as usize]);
    }

    pub(super) fn give(&mut self, copied: Copied, set: SetId) {
        let set = if copied.is_handed { self.sets.handed_over(set) } else { set };
        self.arrive(self.find(copied.to), set);
    }

    /// Tells `watcher` what the slot holds, now and later.
    pub fn watch(&mut self, slot: Slot, watcher: W) {
        let slot = self.find(slot);
        self.watchers.push(slot.0, watcher);
        self.weights[slot.0 as usize] += 1;
        self.tell(watcher, self.held[slot.0 as usize]);
    }

    /// The slot of a port: who asks the same of a slot shares the answer.
    pub fn port(&mut self, slot: Slot, port: Port) -> Slot {
        let slot = self.find(slot);
        if let Some(&known) = self.known_ports.get(&(slot, port)) {
            return known;
        }
        let at = self.new_slot();
        self.known_ports.insert((slot, port), at);
        self.ports.push(slot.0, (port, at));
        self.weights[slot.0 as usize] += 1;
        self.tell(W::connect(port, at), self.held[slot.0 as usize]);
        at
    }

    /// Tells `watcher` of values that no slot holds.
    pub fn tell_of(&mut self, watcher: W, ty: Type) {
        let id = self.sets.id(ty);
        let set = self.sets.intern(&[id]);
        self.tell(watcher, set);
    }

    pub(super) fn tell(&mut self, watcher: W, set: SetId) {
        if set != EMPTY {
            self.untold.push_back((watcher, set));
        }
    }

    /// The next watcher that is to be told something.
    pub fn untold(&mut self) -> Option<(W, Rc<[TypeId]>)> {
        let (watcher, set) = self.untold.pop_front()?;
        Some((watcher, Rc::clone(self.sets.members(set))))
    }

    /// A slot with what has arrived there and is new to it.
    pub fn arrived(&mut self) -> Option<(Slot, Vec<TypeId>)> {
        loop {
            let slot = self.queue.pop_next()?;
            let held = self.held[slot as usize];
            let mut sets = Vec::new();
            self.arrived.take(slot, &mut sets);
            let mut new = self.sets.outside(&mut sets, held);
            self.join(held, &mut new);
            if !new.is_empty() {
                return Some((Slot(slot), new));
            }
        }
    }

    /// Lets a slot have what has arrived.
    pub fn take_in(&mut self, slot: Slot, mut new: Vec<TypeId>) {
        let slot = self.find(slot);
        let held = self.held[slot.0 as usize];
        new.retain(|&id| !self.sets.contains(held, id));
        new.sort_unstable();
        let new = self.sets.intern(&new);
        let new = self.unless_crowd(slot, new);
        if new != EMPTY {
            self.taken += self.sets.members(new).len();
            self.held[slot.0 as usize] = self.sets.union(held, new);
            self.spread(slot, new);
        }
    }

    fn spread(&mut self, slot: Slot, new: SetId) {
        let mut watchers = self.watchers.cursor(slot.0);
        while let Some(watcher) = self.watchers.next(&mut watchers) {
            self.tell(watcher, new);
        }
        self.tell_ports(slot, new);
        let (mut loops, mut to_itself, mut to_others) = (Vec::new(), 0, 0);
        let mut copies = self.copies.cursor(slot.0);
        while let Some(copied) = self.copies.next(&mut copies) {
            let to = self.find(copied.to);
            if to == slot {
                to_itself += 1;
                continue;
            }
            to_others += 1;
            self.give(copied, new);
            let is_same = self.held[to.0 as usize] == self.held[slot.0 as usize];
            let is_plain = !copied.is_handed && !self.is_restricted(to);
            if is_same && is_plain && self.tried.insert((slot, to)) {
                loops.push(to);
            }
        }
        if to_itself > to_others {
            self.drop_copies_to_itself(slot);
        }
        for to in loops {
            self.collapse(slot, to);
        }
        self.merge_due();
    }

    pub(super) fn tell_ports(&mut self, slot: Slot, new: SetId) {
        let mut ports = self.ports.cursor(slot.0);
        while let Some((port, at)) = self.ports.next(&mut ports) {
            self.tell(W::connect(port, at), new);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::link::ids::Func;
    use crate::link::kinds::Plain;

    const SLOTS: u32 = 8;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u32, u32),
        Copy(u32, u32),
        Watch(u32),
        Merge(u32, u32),
        Settle,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let slot = || 0..SLOTS;
        let step = prop_oneof![
            (slot(), 0..20_u32).prop_map(|(slot, value)| Step::Insert(slot, value)),
            (slot(), slot()).prop_map(|(from, to)| Step::Copy(from, to)),
            slot().prop_map(Step::Watch),
            (slot(), slot()).prop_map(|(a, b)| Step::Merge(a, b)),
            Just(Step::Settle),
        ];
        prop::collection::vec(step, 0..60)
    }

    impl Watcher for u32 {
        fn connect(_: Port, slot: Slot) -> Self {
            slot.0
        }
    }

    fn settle(graph: &mut Graph<'_, u32>, told: &mut [BTreeSet<u32>]) {
        loop {
            while let Some((watcher, set)) = graph.untold() {
                for &id in &*set {
                    let Type::Function(Func(value)) = graph.sets.ty(id) else { continue };
                    told[watcher as usize].insert(value);
                }
            }
            match graph.arrived() {
                Some((slot, new)) => graph.take_in(slot, new),
                None if graph.untold.is_empty() => return,
                None => {}
            }
        }
    }

    /// The least solution, the slow way.
    fn solution(steps: &[Step]) -> Vec<BTreeSet<u32>> {
        let mut held = vec![BTreeSet::new(); SLOTS as usize];
        for _ in 0..=SLOTS {
            for step in steps {
                match *step {
                    Step::Insert(slot, value) => drop(held[slot as usize].insert(value)),
                    Step::Copy(from, to) => {
                        let values = held[from as usize].clone();
                        held[to as usize].extend(values);
                    }
                    Step::Merge(a, b) => {
                        let both = &held[a as usize] | &held[b as usize];
                        held[a as usize].clone_from(&both);
                        held[b as usize] = both;
                    }
                    Step::Watch(_) | Step::Settle => {}
                }
            }
        }
        held
    }

    proptest! {
        #[test]
        fn it_finds_the_least_solution_and_tells_of_each_value(steps in steps()) {
            let mut graph: Graph<'_, u32> = Graph::new(SLOTS as usize, &Plain);
            let mut told = Vec::new();
            let mut watched = Vec::new();
            for step in &steps {
                match *step {
                    Step::Insert(slot, value) => graph.insert(Slot(slot), Type::Function(Func(value))),
                    Step::Copy(from, to) => graph.copy(Slot(from), Slot(to), false),
                    Step::Merge(a, b) => graph.merge(Slot(a), Slot(b)),
                    Step::Watch(slot) => {
                        graph.watch(Slot(slot), watched.len() as u32);
                        watched.push(slot);
                        told.push(BTreeSet::new());
                    }
                    Step::Settle => settle(&mut graph, &mut told),
                }
            }
            settle(&mut graph, &mut told);
            let wanted = solution(&steps);
            for slot in 0..SLOTS {
                let held: BTreeSet<u32> = graph.types(Slot(slot)).map(|ty| match ty {
                    Type::Function(Func(value)) => value,
                    other => panic!("{other:?}"),
                }).collect();
                prop_assert_eq!(&held, &wanted[slot as usize]);
            }
            for (watcher, &slot) in watched.iter().enumerate() {
                prop_assert_eq!(&told[watcher], &wanted[slot as usize]);
            }
        }
    }
}
