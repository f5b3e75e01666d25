//! Inclusion-based type propagation over slots: what every variable, attribute, return, parameter and element can be. Each
//! body is read once and becomes copies between slots and reactions to what arrives in them; the graph of them runs to its
//! fixpoint in an order that no thread and no address decides.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::backs::HandsBack;
use super::call::CallExpr;
use super::containers::{Containers, Holders, Operations};
use super::graph::Graph;
use super::hierarchy::Hierarchy;
use super::ids::{CallId, Cls, Func, Slot};
use super::index::Index;
use super::kinds::Domain;
use super::ports::Port;
use super::react::React;
use super::types::{Given, Type, Types, Value, push};
use crate::catalog::CallbackId;
use crate::ir::{ArgKind, Expr, ExprId, FnKind, Jump, Lit, Pat, SiteId, Sym};
use crate::limits::Run;

pub struct Solver<'i, 'a> {
    pub index: &'i Index<'a>,
    pub hierarchy: &'i Hierarchy,
    pub(super) graph: Graph<'i, React>,
    return_base: u32,
    yield_base: u32,
    /// The slots of expressions that are neither variables nor calls.
    pub(super) expr_slots: FxHashMap<(u32, ExprId), Value>,
    /// What code stores in attributes.
    pub(super) attributes: FxHashMap<(Cls, Sym), Slot>,
    pub(super) attributes_of_name: FxHashMap<Sym, Vec<(Cls, Slot)>>,
    pub(super) function_attributes: FxHashMap<(Func, Sym), Slot>,
    /// What callers send into generators.
    pub(super) sent: FxHashMap<Func, Slot>,
    /// What methods of objects hand back.
    pub(super) results: FxHashMap<(Type, Sym), Value>,
    /// Names of attributes that code sets, or may set by a text.
    pub(super) settable: FxHashSet<Sym>,
    /// Names of attributes that code sets of other objects than its own.
    pub(super) set_elsewhere: FxHashSet<Sym>,
    /// What objects and classes have under a name.
    pub(super) members: FxHashMap<(Type, Sym), Slot>,
    /// Members that wait for code that stores an attribute of their name.
    pub(super) awaiting: FxHashMap<Sym, Vec<(Cls, bool, Slot)>>,
    /// What stands for a slot that nothing has reached in the end.
    pub(super) fallbacks: Vec<Fallback>,
    pub(super) global_slots: FxHashMap<(u32, Sym), Slot>,
    /// The files that each file runs among its own names.
    pub(super) run_here: FxHashMap<usize, Arc<[usize]>>,
    pub(super) containers: Containers,
    pub(super) holders: Holders,
    pub(super) operations: Operations,
    pub(super) calls: Vec<CallExpr<'a>>,
    /// Calls with what they are known to call.
    pub(super) called: FxHashSet<(CallId, Func, u32)>,
    /// Calls of what library functions are given.
    pub(super) inner_calls: FxHashMap<(CallId, CallbackId, ExprId), CallId>,
    pub(super) through: FxHashSet<(CallId, Type)>,
    /// Texts that no file spells as a name.
    pub(super) unspelled: Vec<String>,
    pub(super) hands_back: HandsBack,
    /// Variables of class bodies with their annotations, and where those stand.
    pub(super) declared: FxHashMap<Slot, (Func, ExprId)>,
    /// Uses of variables of which a test has said something.
    pub(super) narrowed: FxHashMap<ExprId, Narrowed>,
    pub(super) narrowed_slots: FxHashMap<(Value, Narrowed), Slot>,
    /// Says when to stop.
    pub(super) run: Run,
}

/// What tests have said of a use of a variable.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Narrowed {
    pub is: Types,
    pub is_not: Types,
}

/// What a slot is if nothing else has reached it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fallback {
    Is(Type, Slot),
    /// A library base provides what the project neither defines nor stores.
    Library {
        class: Cls,
        name: Sym,
        to: Slot,
    },
    /// A hook of the class is asked for what it does not bind.
    Hook {
        class: Cls,
        name: Sym,
        to: Slot,
    },
    /// An object also has the methods of what it stands for.
    StandsFor {
        object: Type,
        name: Sym,
        to: Slot,
    },
}

impl Fallback {
    fn slot(self) -> Slot {
        match self {
            Fallback::Is(_, to)
            | Fallback::Library { to, .. }
            | Fallback::Hook { to, .. }
            | Fallback::StandsFor { to, .. } => to,
        }
    }
}

impl<'i, 'a> Solver<'i, 'a> {
    pub fn new(index: &'i Index<'a>, hierarchy: &'i Hierarchy, domain: &'i dyn Domain) -> Self {
        let calls = index.units.iter().map(|unit| unit.facts.calls().len() as u32);
        let next = index.variable_count + calls.sum::<u32>();
        let functions = index.functions.len() as u32;
        let (return_base, yield_base) = (next, next + functions);
        Self {
            index,
            hierarchy,
            graph: Graph::new((yield_base + functions) as usize, domain),
            return_base,
            yield_base,
            expr_slots: FxHashMap::default(),
            attributes: FxHashMap::default(),
            attributes_of_name: FxHashMap::default(),
            function_attributes: FxHashMap::default(),
            sent: FxHashMap::default(),
            results: FxHashMap::default(),
            settable: settable(index),
            set_elsewhere: FxHashSet::default(),
            members: FxHashMap::default(),
            awaiting: FxHashMap::default(),
            fallbacks: Vec::new(),
            global_slots: FxHashMap::default(),
            run_here: FxHashMap::default(),
            containers: Containers::default(),
            holders: Holders::default(),
            operations: Operations::default(),
            calls: Vec::new(),
            called: FxHashSet::default(),
            inner_calls: FxHashMap::default(),
            through: FxHashSet::default(),
            unspelled: Vec::new(),
            hands_back: HandsBack::new(functions as usize),
            declared: FxHashMap::default(),
            narrowed: FxHashMap::default(),
            narrowed_slots: FxHashMap::default(),
            run: Run::default(),
        }
    }

    /// Runs to the fixpoint.
    pub fn solve(&mut self) {
        let functions = (0..self.index.functions.len() as u32).map(Func);
        for func in functions.clone() {
            self.seed(func);
            self.note(func);
            self.note_tests(func);
        }
        self.note_tail_calls();
        for func in functions {
            if self.run.is_over() {
                return;
            }
            self.build(func);
        }
        self.settle();
        self.hold();
    }

    /// Lets everything that has arrived go where it leads.
    pub fn settle(&mut self) {
        while !self.run.is_over() {
            for (kept, gone) in std::mem::take(&mut self.graph.merged) {
                self.join_summaries(kept, gone);
            }
            while let Some((react, set)) = self.graph.untold().filter(|_| !self.run.is_over()) {
                for &id in &*set {
                    let ty = self.graph.sets.ty(id);
                    self.react(react, ty);
                }
            }
            if let Some((slot, mut new)) = self.graph.arrived() {
                self.summarise(slot, &mut new);
                self.graph.take_in(slot, new);
            } else if !self.fall_back() && !self.graph.admit() && !self.share_refused() {
                return;
            }
        }
    }

    /// True if there is more to do.
    fn fall_back(&mut self) -> bool {
        let fallbacks = std::mem::take(&mut self.fallbacks);
        let is_more = !fallbacks.is_empty();
        let mut filled = FxHashSet::default();
        for fallback in fallbacks.into_iter() {
            // Several types may stand for one slot.
            if !self.graph.is_empty(fallback.slot()) && !filled.contains(&fallback.slot()) {
                continue;
            }
            match fallback {
                Fallback::Is(ty, to) => {
                    filled.insert(to);
                    self.insert(to, ty);
                }
                Fallback::Library { class, name, to } => self.inherit_from_library(class, name, to),
                Fallback::Hook { class, name, to } => self.ask_hook(class, name, to),
                Fallback::StandsFor { object, name, to } => self.stand_for(object, name, to),
            }
        }
        is_more
    }

    /// What a body says before anything is inferred.
    fn note(&mut self, func: Func) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let is_class_body = matches!(self.index.ir(func).kind, FnKind::ClassBody(_));
        for expr in self.index.ir(func).exprs.iter() {
            self.note_entries(func, expr);
            match *facts.expr(expr) {
                Expr::Store { place, .. } => self.note_global(func, place),
                Expr::Bind { pat, value } => match (*facts.pat(pat), *facts.expr(value)) {
                    (Pat::Place(place), _) => self.note_global(func, place),
                    (Pat::Var(var), Expr::Ascribe { ty, .. }) if is_class_body => {
                        self.declared.insert(self.index.var(func, var), (func, ty));
                    }
                    _ => {}
                },
                Expr::Jump { kind: Jump::Return, value: Some(value) } => self.note_returned(func, value),
                _ => {}
            }
        }
    }

    /// A name that a function binds by `global` has a slot even if the module body never binds it.
    fn note_global(&mut self, func: Func, place: ExprId) {
        let file = self.index.file_of(func);
        if let Expr::Free(name) = *self.index.units[file].facts.expr(place) {
            self.note_global_name(func, name);
        }
    }

    pub(super) fn note_global_name(&mut self, func: Func, name: Sym) {
        let file = self.index.file_of(func);
        if self.index.export(self.index.module_body(file), name).is_none()
            && !self.global_slots.contains_key(&(file as u32, name))
        {
            let slot = self.new_slot();
            self.global_slots.insert((file as u32, name), slot);
        }
    }

    pub fn insert(&mut self, slot: Slot, ty: Type) {
        self.graph.insert(slot, ty);
    }

    /// What the value is, now and later, the slot holds.
    pub fn give(&mut self, given: impl Into<Given>, to: Slot) {
        let Given { value, is_handed } = given.into();
        match value {
            Value::Nothing => {}
            Value::Is(ty) => self.insert(to, if is_handed { ty.handed_over() } else { ty }),
            Value::In(slot) => self.graph.copy(slot, to, is_handed),
        }
    }

    pub fn copy(&mut self, value: Value, to: Slot) {
        self.give(value, to);
    }

    /// Reacts to all that the value is, now and later.
    pub fn on(&mut self, value: Value, react: React) {
        match value {
            Value::Nothing => {}
            Value::Is(ty) => self.graph.tell_of(react, ty),
            Value::In(slot) => self.graph.watch(slot, react),
        }
    }

    /// The same of the containers among them.
    pub(super) fn on_containers(&mut self, value: Value, react: React) {
        match value {
            Value::In(_) => {
                let containers = self.ask(value, Port::Containers);
                self.on(containers, react);
            }
            _ => self.on(value, react),
        }
    }

    pub fn new_slot(&mut self) -> Slot {
        self.graph.new_slot()
    }

    /// What a value is, as far as it is known now.
    pub fn types(&self, value: Value) -> Types {
        match value {
            Value::Nothing => Types::new(),
            Value::Is(ty) => Types::from_slice(&[ty]),
            Value::In(slot) => self.types_in(slot),
        }
    }

    fn types_in(&self, slot: Slot) -> Types {
        let mut types = Types::new();
        for ty in self.graph.types(slot) {
            match ty {
                Type::Container(id) => push(&mut types, Type::Container(self.containers.find(id))),
                other => types.push(other),
            }
        }
        types
    }

    pub fn result_of(&self, site: SiteId) -> Slot {
        Slot(self.index.variable_count + site.0)
    }

    pub fn returned(&self, func: Func) -> Slot {
        Slot(self.return_base + func.0)
    }

    pub fn yields(&self, func: Func) -> Slot {
        Slot(self.yield_base + func.0)
    }
}

/// The names of all attributes that are stored, and all texts and names of arguments, by which others may be.
fn settable(index: &Index<'_>) -> FxHashSet<Sym> {
    let mut found = FxHashSet::default();
    for unit in index.units {
        let facts = unit.facts;
        let mut add = |text| {
            found.insert(text);
        };
        let stored = |place| match *facts.expr(place) {
            Expr::Field { name, .. } => Some(name),
            _ => None,
        };
        for pat in facts.pats() {
            if let Pat::Place(place) = *pat {
                stored(place).into_iter().for_each(&mut add);
            }
        }
        for expr in facts.exprs() {
            match *facts.expr(expr) {
                Expr::Store { place, .. } => stored(place).into_iter().for_each(&mut add),
                Expr::Lit(Lit::Str(text)) => add(text),
                Expr::Call { args, .. } => facts.list(args).iter().for_each(|arg| {
                    if let ArgKind::Named(name) = arg.kind {
                        add(name);
                    }
                }),
                _ => {}
            }
        }
    }
    found
}
