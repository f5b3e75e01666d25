//! The order in which deeds are found: callees first over the strongly connected components of the calls that a walk follows,
//! a fixpoint inside each. Groups and their order follow from the program alone, so no answer depends on who asks first or on
//! how deep the question comes from; nothing recurses, so a chain of calls of any length fits the stack.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::followed;
use super::{Deed, Deeds, Walk};
use crate::analysis::components::components;
use crate::analysis::interp::interpret;
use crate::analysis::stubs;
use crate::catalog::Catalog;
use crate::link::{Func, Program};

/// A group in which some member still changes after so many walks is open, with all its members.
const MAX_WALKS: u32 = 16;

/// The functions of a program in groups that call each other, callees first.
#[derive(Debug)]
pub(super) struct Groups {
    /// Each in the order of the program.
    members: Vec<Vec<Func>>,
    /// By function, its group and its place there.
    places: Vec<(u32, u32)>,
    /// By function, whether what it does is an open question whatever its body says.
    is_stub: Vec<bool>,
}

impl Groups {
    fn find(program: &Program<'_>, catalog: &Catalog) -> Self {
        let all = (0..program.functions.len() as u32).map(Func);
        let is_stub: Vec<bool> = all.map(|func| stubs::is_open(program, catalog, func)).collect();
        let next =
            |at: usize| calls(program, &is_stub, Func(at as u32)).map(|func| func.0 as usize).collect();
        let numbered = components(is_stub.len(), next).into_iter();
        let members: Vec<Vec<Func>> = numbered
            .map(|mut group| {
                group.sort_unstable();
                group.into_iter().map(|at| Func(at as u32)).collect()
            })
            .collect();
        let mut places = vec![(0, 0); is_stub.len()];
        for (group, members) in (0..).zip(&members) {
            (0..).zip(members).for_each(|(at, func)| places[func.0 as usize] = (group, at));
        }
        Self { members, places, is_stub }
    }

    fn of(&self, func: Func) -> u32 {
        self.places[func.0 as usize].0
    }
}

/// The functions that a walk of `func` asks for.
fn calls<'c>(program: &'c Program<'_>, is_stub: &'c [bool], func: Func) -> impl Iterator<Item = Func> + 'c {
    let called = program.edges_from(func).iter().filter_map(followed);
    called.filter(|target| !is_stub[target.0 as usize])
}

/// A group whose fixpoint is being looked for: what is known so far of its members. They start with "never comes back", so
/// that a path through a call of one counts as soon as some path leads out of that one.
#[derive(Default)]
pub(super) struct Open(FxHashMap<Func, Arc<Deed>>);

impl Open {
    pub(super) fn has(&self, func: Func) -> bool {
        self.0.contains_key(&func)
    }
}

impl Deeds<'_, '_> {
    pub fn of(&self, func: Func) -> Arc<Deed> {
        let groups = self.groups();
        let (group, at) = groups.places[func.0 as usize];
        if self.known.known(&group).is_none() {
            self.missing_below(&groups, group)
                .into_iter()
                .for_each(|group| drop(self.settled(&groups, group)));
        }
        Arc::clone(&self.settled(&groups, group)[at as usize])
    }

    fn groups(&self) -> Arc<Groups> {
        self.groups.of((), || Arc::new(Groups::find(self.program, self.catalog)))
    }

    /// What a walk of a member of `open` is told of a function that it calls.
    pub(super) fn heard(&self, func: Func, open: &Open) -> Arc<Deed> {
        let groups = self.groups();
        match open.0.get(&func) {
            _ if groups.is_stub[func.0 as usize] => Arc::new(Deed::unknown()),
            Some(so_far) => Arc::clone(so_far),
            None => {
                let (group, at) = groups.places[func.0 as usize];
                Arc::clone(&self.settled(&groups, group)[at as usize])
            }
        }
    }

    /// The groups that `group` leads to and itself, callees first, as far as they are not known.
    fn missing_below(&self, groups: &Groups, group: u32) -> Vec<u32> {
        let (mut seen, mut todo) = (FxHashSet::from_iter([group]), vec![group]);
        while let Some(group) = todo.pop() {
            let members = groups.members[group as usize].iter();
            let called = members.flat_map(|&func| calls(self.program, &groups.is_stub, func));
            let below = called.map(|func| groups.of(func));
            todo.extend(below.filter(|next| self.known.known(next).is_none() && seen.insert(*next)));
        }
        let mut missing: Vec<u32> = seen.into_iter().collect();
        // The groups have been numbered callees first.
        missing.sort_unstable();
        missing
    }

    fn settled(&self, groups: &Groups, group: u32) -> Arc<[Arc<Deed>]> {
        self.known.of(group, || self.settle(groups, group).into())
    }

    /// Walks the members of a group until nothing changes; one that calls nobody back is walked once.
    fn settle(&self, groups: &Groups, group: u32) -> Vec<Arc<Deed>> {
        let members = &groups.members[group as usize];
        let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
        for &func in members {
            let called = calls(self.program, &groups.is_stub, func).filter(|&to| groups.of(to) == group);
            called.for_each(|to| callers.entry(to).or_default().push(func));
        }
        if callers.is_empty() {
            let walked = |&func: &Func| Arc::new(self.walked(func, &Open::default()));
            return members.iter().map(walked).collect();
        }
        match self.fixpoint(members, &callers) {
            Some(found) => {
                let of = |func: &Func| found.0.get(func).filter(|deed| !deed.never_leaves()).cloned();
                members.iter().map(|func| of(func).unwrap_or_else(|| Arc::new(Deed::unknown()))).collect()
            }
            None => members.iter().map(|_| Arc::new(Deed::unknown())).collect(),
        }
    }

    /// Nothing if that takes too long.
    fn fixpoint(&self, members: &[Func], callers: &FxHashMap<Func, Vec<Func>>) -> Option<Open> {
        let mut open = Open(members.iter().map(|&func| (func, Arc::default())).collect());
        // First in, first out: each hears what all others found in a round before it is walked again.
        let mut todo: VecDeque<Func> = members.iter().copied().collect();
        let mut waiting: FxHashSet<Func> = members.iter().copied().collect();
        let mut walks: FxHashMap<Func, u32> = FxHashMap::default();
        while let Some(func) = todo.pop_front() {
            waiting.remove(&func);
            let walks = walks.entry(func).or_default();
            if *walks == MAX_WALKS {
                return None;
            }
            *walks += 1;
            let deed = self.walked(func, &open);
            if open.0.get(&func).is_some_and(|known| **known == deed) {
                continue;
            }
            open.0.insert(func, Arc::new(deed));
            let callers = callers.get(&func).into_iter().flatten().copied();
            todo.extend(callers.filter(|&caller| waiting.insert(caller)));
        }
        Some(open)
    }

    fn walked(&self, func: Func, open: &Open) -> Deed {
        let mut walk = Walk::new(self, func, open);
        let entry = walk.entry();
        let facts = walk.facts;
        interpret(&mut walk, facts, self.program.ir(func), &entry);
        walk.finish()
    }
}
