//! The types-lite fixpoint: one monotone worklist over constraints. A constraint is one expression that moves values; when
//! a slot grows, the constraints that read it run again, in order of their numbers, so the result is the same for any
//! thread count.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cuts::Cuts;
use super::hierarchy::Hierarchy;
use super::index::Index;
use super::names::Name;
use super::program::{Cls, Func};
use super::types::{Added, ContainerId, Slot, Type, TypeSet, Types};
use super::worklist::{Readers, Worklist};
use crate::ir::{Expr, ExprId, Jump, Pat, SiteId};

/// One expression of one function that moves values; a parameter of the function for `Param`.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    pub func: Func,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    Expr(ExprId),
    Param(u32),
}

/// An entry of a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    Name(Name),
    /// A member of an enumeration, or any other class attribute.
    Member(Cls, Name),
    At(u32),
}

/// What a container is to the expression that stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The expression's own value.
    Value,
    /// `*args` of the function whose body this is.
    Rest,
    /// `**kwargs` of the function whose body this is.
    KeywordRest,
    /// The pairs that `items()` gives.
    Pair,
    /// The fields of the object that a validator is about to make.
    Fields,
}

#[derive(Clone, Debug)]
pub struct Container {
    /// Every value, whatever its key.
    pub any: Slot,
    /// Values under unknown keys.
    pub unknown: Slot,
    pub keys: Vec<(Key, Slot)>,
}

pub struct Solver<'i, 'a> {
    pub index: &'i Index<'a>,
    pub hierarchy: &'i Hierarchy,
    slots: Vec<TypeSet>,
    pub(super) cuts: Cuts,
    readers: Readers,
    constraints: Vec<Constraint>,
    queue: Worklist,
    current: Option<u32>,
    call_base: Vec<u32>,
    return_base: u32,
    yield_base: u32,
    attr_slots: FxHashMap<(Cls, Name), Slot>,
    /// Grows when an attribute of this name appears on another class.
    attr_events: FxHashMap<Name, Slot>,
    pub global_slots: FxHashMap<(u32, Name), Slot>,
    /// The files that each file runs among its own names.
    pub(super) run_here: FxHashMap<usize, Arc<[usize]>>,
    container_at: FxHashMap<(u32, ExprId, Role), ContainerId>,
    pub containers: Vec<Container>,
    /// Containers whose entries become the attributes of a class.
    pub fields_of: FxHashMap<ContainerId, Cls>,
    /// Parameters that the function hands back as they are, as bits.
    pub returns_param: Vec<u32>,
    /// Methods that hand back an object of the class they are called on (`return cls()`, `-> Self`).
    pub returns_own: Vec<bool>,
    /// Parameters whose annotation leaves nothing to infer.
    pub closed_params: rustc_hash::FxHashSet<Slot>,
    /// Functions whose return annotation leaves nothing to infer.
    pub closed_returns: Vec<bool>,
    /// Something was still growing at the end.
    pub is_unsolved: bool,
}

/// The whole program is a few hundred thousand steps; beyond this something grows without end. What is known then is
/// used, and the run is incomplete.
const MAX_STEPS: usize = 20_000_000;

impl<'i, 'a> Solver<'i, 'a> {
    pub fn new(index: &'i Index<'a>, hierarchy: &'i Hierarchy) -> Self {
        let mut call_base = Vec::with_capacity(index.units.len());
        let mut next = index.variable_count;
        for unit in index.units {
            call_base.push(next);
            next += unit.facts.calls.len() as u32;
        }
        let functions = index.functions.len() as u32;
        let (return_base, yield_base) = (next, next + functions);
        let count = (yield_base + functions) as usize;
        Self {
            index,
            hierarchy,
            slots: vec![TypeSet::default(); count],
            cuts: Cuts::default(),
            readers: Readers::new(count),
            constraints: Vec::new(),
            queue: Worklist::default(),
            current: None,
            call_base,
            return_base,
            yield_base,
            attr_slots: FxHashMap::default(),
            attr_events: FxHashMap::default(),
            global_slots: FxHashMap::default(),
            run_here: FxHashMap::default(),
            container_at: FxHashMap::default(),
            containers: Vec::new(),
            fields_of: FxHashMap::default(),
            returns_param: vec![0; functions as usize],
            returns_own: vec![false; functions as usize],
            closed_params: Default::default(),
            closed_returns: vec![false; functions as usize],
            is_unsolved: false,
        }
    }

    /// Runs to the fixpoint.
    pub fn solve(&mut self) {
        for func in (0..self.index.functions.len() as u32).map(Func) {
            self.seed(func);
            self.collect(func);
        }
        self.queue = Worklist::new(self.constraints.len());
        for id in 0..self.constraints.len() as u32 {
            self.run(id);
        }
        let mut steps = 0;
        while let Some(id) = self.queue.pop_first() {
            self.run(id);
            steps += 1;
            if steps > MAX_STEPS {
                self.is_unsolved = true;
                break;
            }
        }
        self.current = None;
    }

    fn run(&mut self, id: u32) {
        self.queue.remove(id);
        self.current = Some(id);
        self.cuts.begin();
        let Constraint { func, what } = self.constraints[id as usize];
        match what {
            What::Param(position) => self.default_of(func, position),
            What::Expr(expr) => self.apply(func, expr),
        }
    }

    /// The expressions of a body that move values.
    fn collect(&mut self, func: Func) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let function = self.index.ir(func);
        for position in 0..function.params.len() as u32 {
            self.constraints.push(Constraint { func, what: What::Param(position) });
        }
        for expr in function.exprs.iter() {
            if self.moves_values(func, facts.expr(expr)) {
                self.constraints.push(Constraint { func, what: What::Expr(expr) });
            }
            self.note_global(func, expr);
        }
    }

    fn moves_values(&mut self, func: Func, expr: &Expr) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *expr {
            Expr::Bind { value, .. } => !matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_)),
            Expr::Store { value: Some(value), .. } => {
                !matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_))
            }
            Expr::Jump { kind: Jump::Return, value: Some(value) } => {
                !matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_)) && !self.note_returned(func, value)
            }
            Expr::Call { .. } | Expr::With { .. } | Expr::Match { .. } | Expr::Collect { .. } => true,
            Expr::Yield { value, .. } => value.is_some(),
            Expr::Loop(index) => facts.arenas.loop_at(index).each.is_some(),
            Expr::Seq(items) => facts.list(items).iter().any(|&item| may_hold_type(facts.expr(item))),
            Expr::Record(entries) => facts.list(entries).iter().any(|e| may_hold_type(facts.expr(e.value))),
            _ => false,
        }
    }

    /// `return p` of a parameter is answered at each call with that call's own argument.
    fn note_returned(&mut self, func: Func, value: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if self.makes_own(func, value) {
            self.returns_own[func.0 as usize] = true;
            return true;
        }
        let Expr::Var(var) = *facts.expr(value) else { return false };
        match self.index.param_of.get(&self.index.var(func, var)) {
            Some(&(owner, position)) if owner == func && position < 32 => {
                self.returns_param[func.0 as usize] |= 1 << position;
                true
            }
            _ => false,
        }
    }

    /// `cls(…)` in a class method.
    fn makes_own(&self, func: Func, value: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Call { callee, .. } = *facts.expr(value) else { return false };
        let Expr::Var(var) = *facts.expr(callee) else { return false };
        self.index.param_of.get(&self.index.var(func, var)) == Some(&(func, 0))
            && self.hierarchy.kind(func) == super::hierarchy::MethodKind::Class
    }

    /// A name that a function binds by `global` has a slot even if the module body never binds it.
    fn note_global(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let place = match *facts.expr(expr) {
            Expr::Store { place, .. } => place,
            Expr::Bind { pat, .. } => match *facts.pat(pat) {
                Pat::Place(place) => place,
                _ => return,
            },
            _ => return,
        };
        if let Expr::Free(name) = *facts.expr(place) {
            let name = self.index.name(file, name);
            if self.index.export(self.index.module_body(file), name).is_none()
                && !self.global_slots.contains_key(&(file as u32, name))
            {
                let slot = self.new_slot();
                self.global_slots.insert((file as u32, name), slot);
            }
        }
    }

    pub fn insert(&mut self, slot: Slot, ty: Type) {
        match self.slots[slot.0 as usize].insert(ty) {
            Added::Known => {}
            Added::New => self.wake(slot),
            Added::Cut(held) => {
                self.cuts.lose(slot, held.into_iter().chain([ty]));
                self.wake(slot);
            }
            Added::Lost => self.cuts.lose(slot, [ty]),
        }
    }

    pub fn insert_all(&mut self, slot: Slot, types: &[Type]) {
        for &ty in types {
            self.insert(slot, ty);
        }
        if self.cuts.is_read() && self.cuts.reaches(slot) {
            self.slots[slot.0 as usize].is_cut = true;
            self.wake(slot);
        }
    }

    fn wake(&mut self, slot: Slot) {
        // A constraint that feeds itself (`x = f(x)`) runs again as well; sets only grow, so this ends.
        self.readers.of(slot).for_each(|reader| self.queue.insert(reader));
    }

    /// Appends what the slot holds and remembers who asked.
    pub fn read(&mut self, slot: Slot, out: &mut Types) {
        if let Some(current) = self.current {
            self.readers.add(slot, current);
        }
        if self.slots[slot.0 as usize].is_cut {
            self.cuts.asked(slot);
        }
        for &ty in self.slots[slot.0 as usize].types() {
            if !out.contains(&ty) {
                out.push(ty);
            }
        }
    }

    pub fn new_slot(&mut self) -> Slot {
        self.slots.push(TypeSet::default());
        self.readers.add_slot();
        Slot(self.slots.len() as u32 - 1)
    }

    pub fn result_of(&self, file: usize, site: SiteId) -> Slot {
        Slot(self.call_base[file] + site.0)
    }

    pub fn returned(&self, func: Func) -> Slot {
        Slot(self.return_base + func.0)
    }

    pub fn yields(&self, func: Func) -> Slot {
        Slot(self.yield_base + func.0)
    }

    /// The attribute of instances of `class`, if any code stores it.
    pub fn known_attr(&self, class: Cls, name: Name) -> Option<Slot> {
        self.attr_slots.get(&(class, name)).copied()
    }

    pub fn attr(&mut self, class: Cls, name: Name) -> Slot {
        if let Some(&slot) = self.attr_slots.get(&(class, name)) {
            return slot;
        }
        let slot = self.new_slot();
        self.attr_slots.insert((class, name), slot);
        let event = self.attr_event(name);
        self.wake(event);
        slot
    }

    /// Readers of this slot run again when an attribute of this name appears on another class.
    pub fn attr_event(&mut self, name: Name) -> Slot {
        if let Some(&slot) = self.attr_events.get(&name) {
            return slot;
        }
        let slot = self.new_slot();
        self.attr_events.insert(name, slot);
        slot
    }

    pub fn container(&mut self, file: usize, at: ExprId, role: Role) -> ContainerId {
        if let Some(&id) = self.container_at.get(&(file as u32, at, role)) {
            return id;
        }
        let id = ContainerId(self.containers.len() as u32);
        let container = Container { any: self.new_slot(), unknown: self.new_slot(), keys: Vec::new() };
        self.containers.push(container);
        self.container_at.insert((file as u32, at, role), id);
        id
    }

    pub fn entry(&mut self, container: ContainerId, key: Key) -> Slot {
        let keys = &self.containers[container.0 as usize].keys;
        if let Some(&(_, slot)) = keys.iter().find(|(known, _)| *known == key) {
            return slot;
        }
        let slot = self.new_slot();
        self.containers[container.0 as usize].keys.push((key, slot));
        slot
    }
}

/// False for what never has a type that link follows.
fn may_hold_type(expr: &Expr) -> bool {
    !matches!(expr, Expr::Lit(_) | Expr::Text(_) | Expr::Not(_))
}
