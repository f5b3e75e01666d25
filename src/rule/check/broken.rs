//! Guards that guard nothing: functions that promise it by their names and break the promise by their bodies, and what stands
//! in the place of one that would keep it. At the guard, or at the line that replaces it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{
    Bodies, Fault, Gating, Guards, Kept, Promise, is_blank_text, is_overridden, set_by_text,
};
use crate::catalog::Loads;
use crate::finding::{Confidence, Finding, Place};
use crate::ir::walk::Child;
use crate::ir::{Arg, Expr, ExprId, FnKind, Imported, Lit, Pat, Sym};
use crate::link::{At, Cls, Func, Meant, Named, Overwritten, Program};
use crate::rule::Rule;

/// As a reader reads it behind the name of a fence.
const UNMARKED: &str = "marks content with nothing from here on";

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let look = Look::new(context, shared);
    let mut told: BTreeSet<Place> = BTreeSet::new();
    for &(func, promise) in &look.promised {
        let Kept::Broken(fault) = look.kept(func, promise) else { continue };
        let place =
            Place { file: context.program.function(func).file, span: context.program.ir(func).name_span };
        if told.insert(place) {
            let name = context.program.short_name(func);
            out.extend(finding(context, rule, func, place, (name, fault.said().to_owned())));
        }
    }
    for (func, expr, name, said) in look.replaced() {
        let place = context.place(At { file: context.program.function(func).file, expr });
        if told.insert(place) {
            out.extend(finding(context, rule, func, place, (name, said)));
        }
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    primary: Place,
    (guard, fault): (String, String),
) -> Option<Finding> {
    let applies = context.applies(rule, primary.file, func)?;
    let path = context.program.function(func).path.to_string();
    let draft = Draft {
        confidence: Confidence::High.min(applies),
        primary,
        steps: Vec::new(),
        captures: BTreeMap::from([("guard", guard), ("fault", fault)]),
        names: vec![&path],
        agent_reachable: context.is_reachable(func),
    };
    Some(context.finding(rule, draft))
}

struct Look<'l, 'c> {
    context: &'l Context<'c>,
    program: &'c Program<'c>,
    gating: &'l Gating,
    bodies: Bodies<'c, 'c>,
    /// By file: production code that is no example.
    in_production: Vec<bool>,
    /// The functions that promise something, in order.
    promised: Vec<(Func, Promise)>,
    /// The project has operations that rely on checks of declarations.
    has_operations: bool,
}

impl<'l, 'c> Look<'l, 'c> {
    fn new(context: &'l Context<'c>, shared: &'l Shared<'c>) -> Self {
        let program = context.program;
        let is_meant = |path: &str| !context.catalog.boundaries.is_example(path);
        let mut look = Self {
            context,
            program,
            gating: shared.gating(context),
            bodies: Bodies::new(program, context.catalog),
            in_production: context.sources.iter().map(|source| is_meant(source.path.as_str())).collect(),
            promised: Vec::new(),
            has_operations: !context.handlers.is_empty() || !shared.operations(context).is_empty(),
        };
        let functions = (0..program.functions.len() as u32).map(Func);
        let own =
            functions.filter(|&func| program.ir(func).kind == FnKind::Plain && look.is_production(func));
        look.promised = own.filter_map(|func| Some((func, look.promise(func)?))).collect();
        look
    }

    fn is_production(&self, func: Func) -> bool {
        self.in_production[self.program.function(func).file.0 as usize] && !self.program.is_test_code(func)
    }

    /// What a function promises, by its own name or as a method that stands for one of a base class.
    fn promise(&self, func: Func) -> Option<Promise> {
        let catalog = self.context.catalog;
        let path = &self.program.function(func).path;
        let own = || Promise::of(catalog, path, self.gating.is_vouched_for(func));
        let inherited = || {
            let class = self.program.function(func).class?;
            let bases = self.program.lineage(class).iter().skip(1);
            let name = self.program.name(func);
            let mut paths = bases.map(|&base| format!("{}.{name}", self.program.class_path(base)));
            paths.find_map(|path| Promise::of(catalog, &path, false))
        };
        let promise = own().or_else(inherited)?;
        (promise != Promise::Validates || self.has_operations).then_some(promise)
    }

    fn kept(&self, func: Func, promise: Promise) -> Kept {
        if is_overridden(self.program, func) {
            return Kept::Open;
        }
        let kept = self.kept_as(func, promise);
        let hands_back = || self.bodies.hands_content_back(func);
        match (promise, kept) {
            // A look-up of something else is no guard.
            (Promise::Attribution(Guards::Marks), Kept::Broken(Fault::HandsBack)) if !hands_back() => {
                Kept::Open
            }
            _ => kept,
        }
    }

    /// Whether a function keeps the promise of another one in whose place it stands.
    fn kept_as(&self, func: Func, promise: Promise) -> Kept {
        match promise {
            Promise::Gate => self.gating.kept(self.program, self.context.catalog, &self.bodies, func),
            _ => self.bodies.kept(func, promise),
        }
    }

    /// The lines of production code that put something in the place of a guard that breaks its promise.
    fn replaced(&self) -> Vec<(Func, ExprId, String, String)> {
        let set = self.set_names();
        let runners = self.context.catalog.loader_names(|loader| loader.of == Loads::Code);
        let runners = self.program.meant(|text| runners.contains(text));
        let functions = (0..self.program.functions.len() as u32).map(Func);
        let mut found = Vec::new();
        for func in functions.filter(|&func| self.is_production(func)) {
            let may_set = self.program.holds_any(self.program.function(func).file, &set);
            if !may_set && self.program.ir(func).kind == FnKind::Plain {
                continue;
            }
            for expr in self.program.ir(func).exprs.iter() {
                let sets = may_set && self.sets(func, expr, &set);
                let broken = if sets { self.overwritten(func, expr) } else { self.renamed(func, expr) };
                let replaced = |fault: Fault| format!("is replaced here by something that {}", fault.said());
                let broken = broken.or_else(|| self.executed(func, expr, &runners));
                let broken = broken.map(|(name, fault)| (name, replaced(fault)));
                let unmarked = || Some((self.unmarked(func, expr)?, UNMARKED.to_owned()));
                let broken = broken.or_else(|| sets.then(unmarked).flatten());
                found.extend(broken.map(|(name, said)| (func, expr, name, said)));
            }
        }
        found
    }

    /// What guards, their classes and their markers are called, and what sets an attribute by its name.
    fn set_names(&self) -> Meant {
        let of = |&(func, _): &(Func, Promise)| {
            let class = self.program.function(func).class.map(|class| self.program.class_name(class));
            std::iter::once(self.program.name(func)).chain(class)
        };
        let guards: FxHashSet<&str> = self.promised.iter().flat_map(of).collect();
        let catalog = self.context.catalog;
        let is_set = |text: &str| guards.contains(text) || catalog.fence.names_marker(text);
        self.program.meant(|text| is_set(text) || catalog.setters.may_be(text))
    }

    /// Cheap, because every expression is asked: it sets a name that a guard has, or may set any.
    fn sets(&self, func: Func, expr: ExprId, set: &Meant) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let is_meant = |text: Sym| self.program.is_meant(func, text, set);
        match *facts.expr(expr) {
            Expr::Store { place, .. } => match *facts.expr(place) {
                Expr::Field { name, .. } => is_meant(name),
                Expr::Index { base, key } => {
                    matches!(*facts.expr(key), Expr::Lit(Lit::Str(key)) if is_meant(key))
                        || matches!(*facts.expr(base), Expr::Field { name, .. } | Expr::Free(name) if is_meant(name))
                }
                _ => false,
            },
            Expr::Call { callee, args, .. } => {
                let prepared = match *facts.expr(callee) {
                    Expr::Call { args, .. } => facts.list(args),
                    _ => &[],
                };
                let names =
                    |arg: &Arg| matches!(*facts.expr(arg.value), Expr::Lit(Lit::Str(text)) if is_meant(text));
                facts.last_name(self.program.ir(func), callee).is_some_and(is_meant)
                    || facts.list(args).iter().chain(prepared).any(names)
            }
            _ => false,
        }
    }

    /// `exec("PhaseGate.check = print")`: the guard that constant text, run as code, puts something in the place of.
    fn executed(&self, func: Func, expr: ExprId, runners: &Meant) -> Option<(String, Fault)> {
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(expr) else { return None };
        let runner = facts.last_name(self.program.ir(func), callee);
        runner.filter(|&name| self.program.is_meant(func, name, runners))?;
        let set = set_by_text(self.program, self.context.catalog, func, expr);
        let is_set = |&&(guard, _): &&(Func, Promise)| {
            let name = self.program.name(guard);
            let class = self.program.function(guard).class.map(|class| self.program.class_name(class));
            set.iter().any(|set| match (&set.owner, class) {
                (None, _) => set.name == class.unwrap_or(name),
                (Some(owner), Some(class)) => owner == class && set.name == name,
                (Some(_), None) => set.name == name,
            })
        };
        let &(guard, _) = self.promised.iter().find(is_set).filter(|_| !set.is_empty())?;
        Some((self.program.short_name(guard), Fault::Unreadable))
    }

    fn overwritten(&self, func: Func, expr: ExprId) -> Option<(String, Fault)> {
        self.program.overwritten(func, expr).iter().find_map(|found| self.breaks(func, found))
    }

    fn breaks(&self, func: Func, found: &Overwritten) -> Option<(String, Fault)> {
        let is_double =
            found.library.as_deref().is_some_and(|path| self.context.catalog.boundaries.stands_in(path));
        for &was in &found.was {
            let guards: Vec<(Func, Promise)> = match was {
                Named::Function(func) => self.promise_of(func).into_iter().collect(),
                Named::Class(class) => self.guards_of(class),
            };
            for (guard, promise) in guards {
                let name = self.program.short_name(guard);
                if is_double {
                    return Some((name, Fault::LetsPass));
                }
                let now = found.is.iter().filter_map(|&is| self.stands_for(is, guard));
                let fault = now.filter_map(|func| self.fault(func, promise)).next();
                if let Some(fault) = fault {
                    return Some((name, fault));
                }
                if self.is_unreadable(func, found) {
                    return Some((name, Fault::Unreadable));
                }
            }
        }
        None
    }

    /// Nothing says what is put there, and it is not made of the guard itself.
    fn is_unreadable(&self, func: Func, found: &Overwritten) -> bool {
        let Some(value) = found.value.filter(|_| found.is.is_empty()) else { return false };
        let facts = self.program.facts(self.program.function(func).file);
        let (owner, bound) = self.program.bound(func, value);
        let made_in = self.program.facts(self.program.function(owner).file);
        // A call of what is no function raises.
        let is_literal = matches!(facts.expr(value), Expr::Lit(_) | Expr::Record(_) | Expr::Seq(_));
        // A class that inherits from the guard need not do what it does.
        let makes_class = match *made_in.expr(bound) {
            Expr::Call { callee, .. } => {
                let path = self.program.library_path(owner, callee);
                path.is_some_and(|path| self.context.catalog.setters.makes_class(path))
            }
            _ => false,
        };
        let mut parts = vec![bound];
        while let Some(part) = parts.pop() {
            if !makes_class && self.program.meanings(owner, part).iter().any(|is| found.was.contains(is)) {
                return false;
            }
            made_in.arenas.each_child(part, |child| {
                if let Child::Expr(child) = child {
                    parts.push(child);
                }
            });
        }
        !is_literal
    }

    fn promise_of(&self, func: Func) -> Option<(Func, Promise)> {
        let at = self.promised.binary_search_by_key(&func, |(func, _)| *func).ok()?;
        Some(self.promised[at])
    }

    /// The methods of a class that promise something.
    fn guards_of(&self, class: Cls) -> Vec<(Func, Promise)> {
        let of_class = |&&(func, _): &&(Func, Promise)| {
            let owner = self.program.function(func).class;
            owner.is_some_and(|owner| self.program.inherits(class, owner))
        };
        self.promised.iter().filter(of_class).copied().collect()
    }

    /// What is called in the place of a guard.
    fn stands_for(&self, is: Named, guard: Func) -> Option<Func> {
        match is {
            Named::Function(func) => Some(func),
            Named::Class(class) => self.program.method(class, self.program.name(guard)),
        }
    }

    /// `ContentFence.UNTRUSTED_MARKER = ""`: the fence, if what it marks content with is set to nothing.
    fn unmarked(&self, func: Func, expr: ExprId) -> Option<String> {
        let catalog = self.context.catalog;
        self.program.set_attributes(func, expr).iter().find_map(|set| {
            let (class, value) = (set.class()?, set.value?);
            let facts = self.program.facts(self.program.function(func).file);
            let is_nothing = matches!(facts.expr(value), Expr::Lit(Lit::None | Lit::Bool(false)))
                || self.program.text(func, value).is_some_and(|text| is_blank_text(&text));
            if !is_nothing || !catalog.fence.names_marker(&set.name) {
                return None;
            }
            let marks = |promise| promise == Promise::Fence(Guards::Marks);
            let guards = self.guards_of(class);
            let (fence, _) = guards.into_iter().find(|&(_, promise)| marks(promise))?;
            Some(self.program.short_name(fence))
        })
    }

    /// How a function breaks the promise of the guard in whose place it stands; one that promises it by its own name is
    /// told where it is defined.
    fn fault(&self, func: Func, promise: Promise) -> Option<Fault> {
        if self.promise_of(func).is_some() {
            return None;
        }
        match self.kept_as(func, promise) {
            Kept::Broken(fault) => Some(fault),
            Kept::Yes | Kept::Open => None,
        }
    }

    /// `PhaseGate = Quiet`, `from quiet import Quiet as PhaseGate`, `check = staticmethod(lambda *given: None)` in the class.
    fn renamed(&self, func: Func, expr: ExprId) -> Option<(String, Fault)> {
        let facts = self.program.facts(self.program.function(func).file);
        let scope = match self.program.ir(func).kind {
            FnKind::Module => self.program.function(func).path.to_string(),
            FnKind::ClassBody(_) => self.program.class_path(self.program.class_of_body(func)?),
            FnKind::Plain | FnKind::Lambda => return None,
        };
        let Expr::Bind { pat, value } = *facts.expr(expr) else { return None };
        let Pat::Var(var) = *facts.pat(pat) else { return None };
        let name = *facts.list(self.program.ir(func).vars).get(var.0 as usize)?;
        let is_named_so = match *facts.expr(value) {
            Expr::Closure(_) | Expr::Class(_) => true,
            Expr::Import(id) => facts.import(id).what == Imported::Name(name),
            Expr::Lit(_) | Expr::Record(_) | Expr::Seq(_) | Expr::Text(_) | Expr::Op { .. } => return None,
            _ => false,
        };
        // By that name it is judged where it is defined.
        if is_named_so {
            return None;
        }
        let name = facts.str(name);
        let catalog = self.context.catalog;
        let promise = |path: String| Promise::of(catalog, &path, false);
        let own = promise(format!("{scope}.{name}"));
        if own.is_none() && !catalog.boundaries.is_guard_class(name) {
            return None;
        }
        self.program.meanings(func, value).into_iter().find_map(|is| match is {
            Named::Function(func) => Some((name.to_owned(), self.fault(func, own?)?)),
            Named::Class(class) => {
                let methods = self.program.nested(self.program.class_body(class));
                let mut faults = methods.filter_map(|method| {
                    let promise = promise(format!("{name}.{}", self.program.name(method)))?;
                    self.fault(method, promise)
                });
                Some((name.to_owned(), faults.next()?))
            }
        })
    }
}
