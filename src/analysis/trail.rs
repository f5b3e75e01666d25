//! The trail of an operation: what surely happened before its external effects and after them, on every way through the
//! handler, its helpers, its decorators and the context managers around. Which event is looked for is the caller's choice;
//! what must hold is the rules' business. One operation at a time: the class of its object decides what `self.run()` means.

mod domain;
mod events;
mod in_line;
mod managers;
mod matters;
mod relation;
mod walk;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

pub use events::{Event, Events, Happens};
pub use relation::{Relation, Stage};

use self::walk::{Mode, Walk};
use super::decorators::made_by;
use super::effects::{EffectSite, Effects};
use super::exceptions::Exception;
use super::guards::Bodies;
use super::interp::interpret;
use crate::catalog::{Catalog, EffectKind};
use crate::ir::ExprId;
use crate::link::{At, Cls, Edge, EdgeKind, Func, Program, Receiver, Target};

/// Functions call each other so deep; what is deeper is taken to do nothing.
const MAX_DEPTH: u32 = 24;
/// So far from what has an event or an effect are functions looked at for what they raise.
const MAX_RAISE_DEPTH: u32 = 2;
/// An operation that reaches more functions than that is not followed further.
const MAX_FUNCTIONS: usize = 4_000;

/// A parameter that is called, and the function that it stands for.
pub type Binding = ((Func, u32), Func);

/// Where an operation starts.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub handler: Func,
    /// The class of the object whose method the handler is.
    pub class: Option<Cls>,
}

/// How an operation leaves.
#[derive(Clone, Debug)]
pub struct Left {
    pub func: Func,
    pub at: ExprId,
    pub by_exception: bool,
    pub rows: Relation,
}

/// What was found out about one operation.
#[derive(Default, Debug)]
pub struct Trail {
    /// In the order of their places; of the function that stands for the operation.
    pub exits: Vec<Left>,
    /// Where an effect can run although the event has not happened, in the function that stands for the operation.
    pub early: Vec<(Func, ExprId)>,
    /// Where the event was seen.
    pub seen: Vec<(Func, ExprId)>,
    /// Events that are known by the name of a call alone.
    pub by_name: Vec<(Func, ExprId)>,
    /// Effects that are known by the name of a runner alone.
    pub effects: Vec<(Func, ExprId)>,
    /// It is too large to be followed to its end.
    pub given_up: bool,
}

/// What a function does, in terms of whoever calls it.
#[derive(Clone, Debug)]
struct Summary {
    returns: Relation,
    raises: Relation,
    /// What it raises; nothing: it never does.
    classes: Vec<Option<Exception>>,
    /// How it leaves, and where an effect can run although the event has not happened.
    exits: Vec<Left>,
    early: BTreeSet<ExprId>,
}

/// A part of a function, with what its parameters stand for.
type Key = (Func, Mode, Vec<Binding>);

/// The program as one operation sees it.
struct Tracer<'t, 'a> {
    program: &'t Program<'a>,
    catalog: &'t Catalog,
    events: Rc<Events<'t, 'a>>,
    class: Option<Cls>,
    /// Calls with an external effect.
    effects: Rc<FxHashSet<At>>,
    /// Functions that lead to an event or an effect.
    matters: RefCell<FxHashSet<Func>>,
    /// Functions that lead to an effect.
    acts: RefCell<FxHashSet<Func>>,
    lines: Rc<Lines>,
    /// None: it is being walked.
    summaries: RefCell<FxHashMap<Key, Option<Rc<Summary>>>>,
    found: RefCell<Found>,
    given_up: Cell<bool>,
}

/// What functions have in their own lines, of those that were looked at: the same for whatever object.
#[derive(Default)]
struct Lines {
    happens: RefCell<FxHashMap<(Func, ExprId), Option<Happens>>>,
    has_event: RefCell<FxHashMap<Func, bool>>,
    has_effect: RefCell<FxHashMap<Func, bool>>,
}

#[derive(Default)]
struct Found {
    seen: Vec<(Func, ExprId)>,
    by_name: Vec<(Func, ExprId)>,
    effects: Vec<(Func, ExprId)>,
}

/// The trails of many operations, for one event. What a function does is found once, and again only for an operation whose
/// class decides what it calls.
pub struct Trails<'t, 'a> {
    shared: Tracer<'t, 'a>,
    of_class: RefCell<FxHashMap<Cls, Rc<Tracer<'t, 'a>>>>,
}

impl<'t, 'a> Trails<'t, 'a> {
    /// `kinds` are the effects that count.
    pub fn new(
        bodies: &'t Bodies<'t, 'a>,
        effects: &'t Effects,
        event: &'t Event,
        kinds: &'t [EffectKind],
    ) -> Self {
        let sites = effects.sites.iter();
        let is_meant = |site: &&EffectSite| site.runs && site.kind.is_some_and(|kind| kinds.contains(&kind));
        let effects = sites.filter(is_meant).map(|site| site.at).collect();
        let shared = Tracer::new(bodies, (Rc::new(Events::new(bodies, event)), Rc::new(effects)));
        Self { shared, of_class: RefCell::default() }
    }

    /// Follows one operation.
    pub fn follow(&self, start: Start) -> Trail {
        let program = self.shared.program;
        let reached = self.shared.reached(start.handler);
        let dispatches = |edge: &Edge| edge.receiver == Receiver::SameDispatched;
        let decides = reached.iter().any(|&func| program.edges_from(func).iter().any(dispatches));
        match start.class.filter(|_| decides) {
            None => self.shared.follow(start.handler, &reached),
            Some(class) => {
                let of_class = || Rc::new(self.shared.of_class(class));
                let own = Rc::clone(self.of_class.borrow_mut().entry(class).or_insert_with(of_class));
                let reached = own.reached(start.handler);
                own.follow(start.handler, &reached)
            }
        }
    }
}

impl<'t, 'a> Tracer<'t, 'a> {
    fn new(bodies: &'t Bodies<'t, 'a>, (events, effects): (Rc<Events<'t, 'a>>, Rc<FxHashSet<At>>)) -> Self {
        Self {
            program: bodies.program(),
            catalog: bodies.catalog(),
            events,
            class: None,
            effects,
            lines: Rc::default(),
            matters: RefCell::default(),
            acts: RefCell::default(),
            summaries: RefCell::default(),
            found: RefCell::default(),
            given_up: Cell::new(false),
        }
    }

    /// The same for objects of one class.
    fn of_class(&self, class: Cls) -> Self {
        let shared = (Rc::clone(&self.events), Rc::clone(&self.effects));
        let lines = Rc::clone(&self.lines);
        Self { class: Some(class), lines, ..Self::new(self.events.bodies(), shared) }
    }

    /// Walks an operation that runs these functions.
    fn follow(&self, handler: Func, reached: &[Func]) -> Trail {
        if reached.len() > MAX_FUNCTIONS {
            return Trail { given_up: true, ..Trail::default() };
        }
        self.given_up.set(false);
        self.find_what_matters(reached);
        if !reached.iter().any(|&func| self.has_event(func)) {
            return self.untold(handler, reached);
        }
        let (top, bindings) = self.operation(handler);
        let summary = self.summary(top, Mode::Whole, &bindings, 0);
        let (mut exits, early) = summary.map(|it| (it.exits.clone(), it.early.clone())).unwrap_or_default();
        exits.sort_by_key(|left| (left.at, left.by_exception));
        if self.given_up.get() {
            // What was cut off for the depth of this operation is within the depth of another.
            self.summaries.borrow_mut().clear();
        }
        let inside: FxHashSet<Func> = reached.iter().copied().collect();
        let found = self.found.borrow();
        let of = |places: &[(Func, ExprId)]| {
            let own = places.iter().copied().filter(|(func, _)| inside.contains(func));
            own.collect::<BTreeSet<_>>().into_iter().collect()
        };
        Trail {
            exits,
            // Inside a helper nothing has happened before, unless its caller has seen to it.
            early: early.into_iter().map(|at| (top, at)).collect(),
            seen: of(&found.seen),
            by_name: of(&found.by_name),
            effects: of(&found.effects),
            given_up: self.given_up.get(),
        }
    }
}

impl<'t, 'a> Tracer<'t, 'a> {
    /// The handler, or the outermost of what its decorators put into its place, and what the others stand for in it. Many
    /// handlers share a decorator, so what it runs is told anew for each.
    fn operation(&self, handler: Func) -> (Func, Vec<Binding>) {
        let (mut stands_for, mut bindings) = (handler, Vec::new());
        let decorators: Vec<_> = self.program.decorators(handler).collect();
        for decorator in decorators.iter().rev() {
            let around = made_by(self.program, decorator.func);
            let runs = |func: &Func| self.called_parameter(*func, &around);
            if let Some((wrapper, parameter)) = around.iter().find_map(|func| Some((*func, runs(func)?))) {
                bindings.insert(0, (parameter, stands_for));
                stands_for = wrapper;
            }
        }
        (stands_for, bindings)
    }

    /// The parameter of a decorator that a function inside it calls.
    fn called_parameter(&self, func: Func, around: &[Func]) -> Option<(Func, u32)> {
        let facts = self.program.facts(self.program.function(func).file);
        self.program.ir(func).exprs.iter().find_map(|expr| {
            let crate::ir::Expr::Call { callee, .. } = *facts.expr(expr) else { return None };
            self.parameter(func, callee).filter(|(owner, _)| around.contains(owner) && *owner != func)
        })
    }

    /// The parameter that an expression names, of the function or of one around it.
    fn parameter(&self, func: Func, expr: ExprId) -> Option<(Func, u32)> {
        let variable = self.program.variable(func, expr)?;
        self.program.parameter_of(self.program.slot_of(variable.func, variable.var))
    }

    /// What a function does; of one that is being walked already, nothing yet.
    fn summary(&self, func: Func, mode: Mode, bindings: &[Binding], depth: u32) -> Option<Rc<Summary>> {
        let key = (func, mode, bindings.to_vec());
        if let Some(known) = self.summaries.borrow().get(&key) {
            return known.clone();
        }
        if depth > MAX_DEPTH {
            self.given_up.set(true);
            return None;
        }
        self.summaries.borrow_mut().insert(key.clone(), None);
        let facts = self.program.facts(self.program.function(func).file);
        let mut walk = Walk::new(self, func, mode, bindings, depth);
        let entry = walk.entry();
        interpret(&mut walk, facts, self.program.ir(func), &entry);
        let summary = Some(Rc::new(walk.finish()));
        self.summaries.borrow_mut().insert(key, summary.clone());
        summary
    }

    /// What a call at one place does: all functions of the project that it can mean, joined.
    fn targets(&self, func: Func, expr: ExprId) -> impl Iterator<Item = (&'t Edge, Func)> {
        let class = self.class;
        let program = self.program;
        program.edges_at(func, expr).iter().filter_map(move |edge| match (edge.kind, edge.to) {
            (EdgeKind::Stored, _) | (_, Target::External(_)) => None,
            (_, Target::Project(target)) => is_meant(program, class, edge, target).then_some((edge, target)),
        })
    }

    fn reached(&self, handler: Func) -> Vec<Func> {
        let mut seen = FxHashSet::from_iter([handler]);
        let mut todo = vec![handler];
        let mut order = Vec::new();
        while let Some(func) = todo.pop() {
            order.push(func);
            if order.len() > MAX_FUNCTIONS {
                break;
            }
            let called = self.program.edges_from(func).iter().filter_map(|edge| match edge.to {
                Target::Project(target)
                    if edge.kind != EdgeKind::Stored && is_meant(self.program, self.class, edge, target) =>
                {
                    Some(target)
                }
                _ => None,
            });
            let mut next: Vec<Func> = called.chain(self.program.nested(func)).collect();
            for decorator in self.program.decorators(func) {
                next.extend(made_by(self.program, decorator.func));
            }
            next.extend(self.leavers(&next));
            todo.extend(next.into_iter().filter(|&func| seen.insert(func)));
        }
        order
    }
}

/// True unless the object of the operation has another method there.
fn is_meant(program: &Program<'_>, class: Option<Cls>, edge: &Edge, target: Func) -> bool {
    match (edge.receiver, class) {
        (Receiver::SameDispatched, Some(class)) => {
            let owner = program.function(target).class;
            let is_of_another = owner.is_some_and(|owner| {
                !program.inherits(class, owner) && program.root_class(owner) == program.root_class(class)
            });
            !is_of_another && (program.is_method_of(target, class) || owner.is_none())
        }
        _ => true,
    }
}
