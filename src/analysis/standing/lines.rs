//! One line of production code: whether it puts something in the place of a guard, and what is wrong with what it puts there.

use rustc_hash::FxHashSet;

use super::Look;
use crate::analysis::deeds::is_blank_text;
use crate::analysis::executed::set_by_text;
use crate::analysis::guards::{Fault, Guards, Kept, Promise};
use crate::ir::walk::Child;
use crate::ir::{Arg, Expr, ExprId, FnKind, Imported, Lit, Pat, Sym};
use crate::link::{Cls, Func, Meant, Named, Overwritten};

/// What breaks a promise: of which guard, by what name, how.
pub(super) struct Broken {
    pub guard: Option<Func>,
    pub name: String,
    pub fault: Fault,
    pub is_told: bool,
}

impl Look<'_, '_> {
    /// What guards, their classes and their markers are called, and what sets an attribute by its name.
    pub(super) fn set_names(&self) -> Meant {
        let of = |&(func, _): &(Func, Promise)| {
            let class = self.program.function(func).class.map(|class| self.program.class_name(class));
            std::iter::once(self.program.name(func)).chain(class)
        };
        let guards: FxHashSet<&str> = self.promised.iter().flat_map(of).collect();
        let catalog = self.catalog;
        let is_set = |text: &str| guards.contains(text) || catalog.fence.names_marker(text);
        self.program.meant(|text| is_set(text) || catalog.setters.may_be(text))
    }

    /// Cheap, because every expression is asked: it sets a name that a guard has, or may set any.
    pub(super) fn sets(&self, func: Func, expr: ExprId, set: &Meant) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let is_meant = |text: Sym| set.has(text);
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
    pub(super) fn executed(&self, func: Func, expr: ExprId, runners: &Meant) -> Option<Broken> {
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(expr) else { return None };
        let runner = facts.last_name(self.program.ir(func), callee);
        runner.filter(|&name| runners.has(name))?;
        let set = set_by_text(self.program, self.catalog, func, expr);
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
        Some(self.broken(guard, Fault::Unreadable, false))
    }

    fn broken(&self, guard: Func, fault: Fault, is_told: bool) -> Broken {
        Broken { guard: Some(guard), name: self.program.short_name(guard), fault, is_told }
    }

    pub(super) fn overwritten(&self, func: Func, expr: ExprId) -> Option<Broken> {
        let found: Vec<Broken> =
            self.program.overwritten(func, expr).iter().flat_map(|found| self.breaks(func, found)).collect();
        // What is told at this line comes before what is told elsewhere.
        found.into_iter().min_by_key(|broken| broken.is_told)
    }

    /// The guards that it replaces, each with what is wrong with what stands there.
    fn breaks(&self, func: Func, found: &Overwritten) -> Vec<Broken> {
        let is_double = found.library.as_deref().is_some_and(|path| self.catalog.boundaries.stands_in(path));
        let guards = found.was.iter().flat_map(|&was| match was {
            Named::Function(func) => self.promise_of(func).into_iter().collect(),
            Named::Class(class) => self.guards_of(class),
        });
        let broken = guards.filter_map(|(guard, promise)| {
            if is_double {
                return Some(self.broken(guard, Fault::LetsPass, false));
            }
            let now = found.is.iter().filter_map(|&is| self.stands_for(is, guard));
            let faults = now.filter(|&now| now != guard).filter_map(|now| self.fault(now, promise));
            match faults.min_by_key(|(_, is_told)| *is_told) {
                Some((fault, is_told)) => Some(self.broken(guard, fault, is_told)),
                None if self.is_unreadable(func, found) => Some(self.broken(guard, Fault::Unreadable, false)),
                None => None,
            }
        });
        broken.collect()
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
                path.is_some_and(|path| self.catalog.setters.makes_class(path))
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

    pub(super) fn promise_of(&self, func: Func) -> Option<(Func, Promise)> {
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
    pub(super) fn unmarked(&self, func: Func, expr: ExprId) -> Option<(Func, String)> {
        let catalog = self.catalog;
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
            Some((fence, self.program.short_name(fence)))
        })
    }

    /// How a function breaks the promise of the guard in whose place it stands, and whether that is told where it is defined:
    /// it promises something by its own name.
    fn fault(&self, func: Func, promise: Promise) -> Option<(Fault, bool)> {
        match self.kept_as(func, promise) {
            Kept::Broken(fault) => Some((fault, self.promise_of(func).is_some())),
            Kept::Yes | Kept::Open => None,
        }
    }

    /// `PhaseGate = Quiet`, `from quiet import Quiet as PhaseGate`, `check = staticmethod(lambda *given: None)` in the class.
    pub(super) fn renamed(&self, func: Func, expr: ExprId) -> Option<Broken> {
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
        let catalog = self.catalog;
        let promise = |path: String| Promise::of(catalog, &path, false);
        let own = promise(format!("{scope}.{name}"));
        if own.is_none() && !catalog.boundaries.is_guard_class(name) {
            return None;
        }
        let fault = self.program.meanings(func, value).into_iter().find_map(|is| match is {
            Named::Function(func) => self.fault(func, own?),
            Named::Class(class) => {
                let methods = self.program.nested(self.program.class_body(class));
                let mut faults = methods.filter_map(|method| {
                    let promise = promise(format!("{name}.{}", self.program.name(method)))?;
                    self.fault(method, promise)
                });
                faults.next()
            }
        });
        let (fault, is_told) = fault?;
        let guard = self.bound_before(func, expr).into_iter().find_map(|was| match was {
            Named::Function(guard) => self.promise_of(guard),
            Named::Class(class) => self.guards_of(class).into_iter().next(),
        });
        Some(Broken { guard: guard.map(|(guard, _)| guard), name: name.to_owned(), fault, is_told })
    }

    /// What the name that is bound here stood for before, in the same scope.
    fn bound_before(&self, func: Func, bind: ExprId) -> Vec<Named> {
        let facts = self.program.facts(self.program.function(func).file);
        let names = facts.list(self.program.ir(func).vars);
        let bound = |expr: ExprId| match *facts.expr(expr) {
            Expr::Bind { pat, value } => match *facts.pat(pat) {
                Pat::Var(var) => names.get(var.0 as usize).map(|&name| (name, value)),
                _ => None,
            },
            _ => None,
        };
        let Some((name, _)) = bound(bind) else { return Vec::new() };
        let before = self.program.ir(func).exprs.iter().take_while(|&expr| expr < bind).filter_map(bound);
        let before = before.filter(|&(other, _)| other == name);
        before.flat_map(|(_, value)| self.program.meanings(func, value)).collect()
    }
}
