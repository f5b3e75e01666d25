//! What stands for any tool and is none: a method that runs the function that its object was made of, or leaves the work to
//! subclasses, a function inside another one that runs what that was given, and one that only makes a tool.

use rustc_hash::FxHashSet;

use super::{Finder, Name, Registered};
use crate::analysis::stubs;
use crate::ir::{Expr, ExprId, FnKind};
use crate::link::{Cls, Func};

impl Finder<'_, '_> {
    /// `run` of a base class, which is in every tool, and `__call__` of some object: nothing is called so that a model could
    /// call. What nobody gave a name of its own must do something of its own.
    pub(super) fn is_of_framework(&self, func: Func, name: &Name) -> bool {
        let (program, offers) = (self.program, &self.catalog.registrations.offers);
        let is_usual = offers.methods.iter().any(|method| method == program.name(func));
        let class = program.function(func).class;
        if is_usual && class.is_some_and(|class| self.is_base(class)) {
            return true;
        }
        match name {
            Name::Known(_) => false,
            Name::Own => is_usual && self.is_generic(func),
            Name::Unknown => self.is_generic(func),
        }
    }

    /// Almost any object can be called, or run: one that is a tool is made where it is given, or its method is spelled there.
    pub(super) fn is_meant(&self, func: Func, value: ExprId, function: Func) -> bool {
        let program = self.program;
        let name = program.name(function);
        let mut usual = self.catalog.registrations.offers.methods.iter();
        if program.function(function).class.is_none() || !usual.any(|method| method == name) {
            return true;
        }
        let facts = program.facts(program.function(func).file);
        let spelled = facts.last_name(program.ir(func), value);
        spelled.is_some_and(|spelled| facts.str(spelled) == name)
    }

    /// True for what runs what it was given, itself or by another method of its object.
    pub(super) fn is_generic(&self, func: Func) -> bool {
        let program = self.program;
        let (catalog, is_declared) = (self.catalog, stubs::is_declared_abstract(program, self.catalog, func));
        if is_declared
            || stubs::is_empty(program, catalog, func) && stubs::refuses_all(program, catalog, func)
        {
            return true;
        }
        self.callees(func).any(|called| self.runs_what_it_was_given(func, called))
    }

    /// Leaves out what makes a tool: the tool is what its object does.
    pub(super) fn leave_out_makers(&mut self) {
        let program = self.program;
        let classes: FxHashSet<Cls> = self
            .found
            .iter()
            .filter_map(|known| {
                let Registered { class, handler, .. } = known.registered;
                class.or(program.function(handler).class)
            })
            .collect();
        let is_maker = |func: Func| {
            let facts = program.facts(program.function(func).file);
            let mut made = program
                .returns(func)
                .map(|value| match *facts.expr(value) {
                    Expr::Call { callee, .. } => program.class_named(func, callee),
                    _ => None,
                })
                .peekable();
            // What a tool runs may hand back an object of any class.
            let is_own = program.function(func).class.is_some_and(|class| classes.contains(&class));
            !is_own
                && made.peek().is_some()
                && made.all(|class| class.is_some_and(|class| classes.contains(&class)))
        };
        self.found.retain(|known| !is_maker(known.registered.handler));
    }

    /// What a function calls, as it is spelled, and whether it gives something.
    fn callees(&self, func: Func) -> impl Iterator<Item = (ExprId, bool)> {
        let facts = self.program.facts(self.program.function(func).file);
        self.program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Call { callee, args, .. } => Some((callee, !args.is_empty())),
            _ => None,
        })
    }

    /// `self.func(…)`, `self._run(…)` that subclasses write, `func(…)` of the function around.
    fn runs_what_it_was_given(&self, func: Func, (callee, gives): (ExprId, bool)) -> bool {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        match *facts.expr(callee) {
            Expr::Field { base, name } if program.is_own_object(func, base) => {
                let Some(class) = self.class_around(func) else { return false };
                match program.method(class, facts.str(name)) {
                    Some(method) => method != func && self.leads_nowhere(method),
                    // A factory that is asked for a client with nothing runs no tool.
                    None => gives && self.is_function_word(facts.str(name)),
                }
            }
            Expr::Var(var) => {
                let parameter = program.parameter_of(program.slot_of(func, var));
                parameter.is_some_and(|(owner, _)| owner != func && program.ir(owner).kind == FnKind::Plain)
            }
            _ => false,
        }
    }

    /// A method that subclasses write, or that runs what its object was made of.
    fn leads_nowhere(&self, method: Func) -> bool {
        let program = self.program;
        let facts = program.facts(program.function(method).file);
        let runs_own = |(callee, _): (ExprId, bool)| match *facts.expr(callee) {
            Expr::Field { base, name } if program.is_own_object(method, base) => {
                let name = facts.str(name);
                let class = program.function(method).class;
                class.is_none_or(|class| program.method(class, name).is_none()) && self.is_function_word(name)
            }
            _ => false,
        };
        stubs::is_open(program, self.catalog, method) || self.callees(method).any(runs_own)
    }

    fn class_around(&self, mut func: Func) -> Option<Cls> {
        let program = self.program;
        loop {
            if let Some(class) = program.function(func).class {
                return Some(class);
            }
            let parent = program.ir(func).parent;
            if parent == func {
                return None;
            }
            func = parent;
        }
    }

    /// `_invoke_tool_impl`: the last word says that it is a function.
    fn is_function_word(&self, name: &str) -> bool {
        let last = name.trim_matches('_').rsplit('_').next().unwrap_or_default();
        self.catalog.handlers.function.iter().any(|word| word == last)
    }
}
