//! What stands where a guard is called: bodies that break what their names promise, and the lines that put something in the
//! place of one that would keep it. One answer for the rules and for `explain --gate`.

mod lines;

use self::lines::Broken;
use super::gating::Gating;
use super::guards::{Bodies, Fault, Guards, Kept, Promise};
use super::stubs::is_overridden;
use crate::catalog::{Catalog, Loads};
use crate::ir::{ClassKind, Expr, ExprId, Facts, FnKind, Span};
use crate::link::{Func, Program};
use crate::source::SourceFile;

/// Guards that guard nothing.
#[derive(Debug, Default)]
pub struct Standing {
    /// Functions that break what they promise by their names, in order.
    pub broken: Vec<(Func, Promise, Fault)>,
    /// In the order of the functions and expressions that replace.
    pub replaced: Vec<Replacement>,
}

/// A line that puts something in the place of a guard that breaks its promise.
#[derive(Clone, Debug)]
pub struct Replacement {
    pub func: Func,
    pub at: ExprId,
    /// The guard, if its definition is in the tree.
    pub guard: Option<Func>,
    /// What the guard promises, if that is known.
    pub promise: Option<Promise>,
    pub name: String,
    /// What is wrong with what stands there; without it, the marker of a fence is set to nothing.
    pub fault: Option<Fault>,
    /// What stands there promises the same by its own name, and is broken where it is defined.
    pub is_told: bool,
}

impl Standing {
    /// `has_operations`: the project has operations that rely on checks of declarations.
    pub fn find(
        bodies: &Bodies<'_, '_>,
        gating: &Gating,
        files: &[SourceFile],
        has_operations: bool,
    ) -> Self {
        let look = Look::new(bodies, gating, files, has_operations);
        let broken = look.promised.iter().filter_map(|&(func, promise)| match look.kept(func, promise) {
            Kept::Broken(fault) => Some((func, promise, fault)),
            Kept::Yes | Kept::Open => None,
        });
        Self { broken: broken.collect(), replaced: look.replaced() }
    }

    /// The first line that replaces a guard.
    fn replacement(&self, guard: Func) -> Option<&Replacement> {
        self.replaced.iter().find(|replaced| replaced.guard == Some(guard) && replaced.fault.is_some())
    }

    /// The first line that replaces a phase gate.
    pub fn replaced_gate(&self, gate: Func) -> Option<&Replacement> {
        self.replacement(gate).filter(|replaced| replaced.promise == Some(Promise::Gate))
    }

    /// How a function breaks the promise to be a phase gate.
    pub fn broken_gate(&self, func: Func) -> Option<Fault> {
        let at = self.broken.binary_search_by_key(&func, |(func, ..)| *func).ok()?;
        let (_, promise, fault) = self.broken[at];
        (promise == Promise::Gate).then_some(fault)
    }
}

/// The definition that takes the place of a function, or of the class or function around it, in the same scope, whatever it does:
/// where it stands.
pub fn redefined(program: &Program<'_>, func: Func) -> Option<Span> {
    let facts = program.facts(program.function(func).file);
    let mut at = func;
    while at != facts.function(at).parent {
        let later = defined_later(facts, at);
        if later.is_some() {
            return later;
        }
        at = facts.function(at).parent;
    }
    None
}

/// The last function or class of the same name behind a function, or behind the class that it is the body of.
fn defined_later(facts: &Facts, id: Func) -> Option<Span> {
    let own = facts.function(id);
    let Expr::Block(scope) = *facts.expr(facts.function(own.parent).body) else { return None };
    let defined = facts.list(scope).iter().filter_map(|&statement| match *facts.expr(statement) {
        Expr::Bind { value, .. } => match *facts.expr(value) {
            Expr::Closure(id) => Some((id, facts.function(id).name, facts.function(id).name_span)),
            Expr::Class(class) if facts.class(class).kind == ClassKind::Plain => {
                Some((facts.class(class).body, facts.class(class).name, facts.span(value)))
            }
            _ => None,
        },
        _ => None,
    });
    let mut defined = defined.skip_while(|&(other, ..)| other != id);
    let (_, name, _) = defined.next()?;
    defined.filter(|&(_, other, _)| other == name).last().map(|(.., span)| span)
}

struct Look<'l, 'a> {
    program: &'l Program<'a>,
    catalog: &'l Catalog,
    gating: &'l Gating,
    bodies: &'l Bodies<'l, 'a>,
    /// By file: production code that is no example.
    in_production: Vec<bool>,
    /// The functions that promise something, in order.
    promised: Vec<(Func, Promise)>,
    /// The project has operations that rely on checks of declarations.
    has_operations: bool,
}

impl<'l, 'a> Look<'l, 'a> {
    fn new(
        bodies: &'l Bodies<'l, 'a>,
        gating: &'l Gating,
        files: &[SourceFile],
        has_operations: bool,
    ) -> Self {
        let (program, catalog) = (bodies.program(), bodies.catalog());
        let is_meant = |file: &SourceFile| !catalog.boundaries.is_example(file.path.as_str());
        let in_production = files.iter().map(is_meant).collect();
        let promised = Vec::new();
        let mut look = Self { program, catalog, gating, bodies, in_production, promised, has_operations };
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
        let catalog = self.catalog;
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
            Promise::Gate => self.gating.kept(self.bodies, func),
            _ => self.bodies.kept(func, promise),
        }
    }

    /// The lines of production code that put something in the place of a guard that breaks its promise.
    fn replaced(&self) -> Vec<Replacement> {
        let set = self.set_names();
        let runners = self.catalog.loader_names(|loader| loader.of == Loads::Code);
        let runners = self.program.meant(|text| runners.contains(text));
        let functions = (0..self.program.functions.len() as u32).map(Func);
        let mut found = Vec::new();
        // Each file is asked once, however many functions it has.
        let may_set = self.program.files_that_hold(&set);
        for func in functions.filter(|&func| self.is_production(func)) {
            let may_set = may_set[self.program.function(func).file.0 as usize];
            if !may_set && self.program.ir(func).kind == FnKind::Plain {
                continue;
            }
            for at in self.program.ir(func).exprs.iter() {
                let sets = may_set && self.sets(func, at, &set);
                let broken = if sets { self.overwritten(func, at) } else { self.renamed(func, at) };
                let broken = broken.or_else(|| self.executed(func, at, &runners));
                let replaced = |Broken { guard, name, fault, is_told }| {
                    let promise = guard.and_then(|guard| self.promise_of(guard)).map(|(_, promise)| promise);
                    Replacement { func, at, guard, promise, name, fault: Some(fault), is_told }
                };
                let unmarked = || {
                    let (guard, name) = self.unmarked(func, at)?;
                    Some(Replacement {
                        func,
                        at,
                        guard: Some(guard),
                        promise: None,
                        name,
                        fault: None,
                        is_told: false,
                    })
                };
                found.extend(broken.map(replaced).or_else(|| sets.then(unmarked).flatten()));
            }
        }
        found
    }
}
