//! Which class an expression names, what inherits from what, and which of the project's functions decorate a function.

use std::sync::Arc;

use super::ids::{Cls, Func, Module};
use super::program::Program;
use super::types::{Global, Type};
use super::{EdgeKind, Target};
use crate::ir::{ArgKind, Expr, ExprId, Lit, Pat, Span};
use crate::source::FileId;

/// A function of the project that stands as a decorator over another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decorator {
    pub func: Func,
    /// Where it stands in front of the function.
    pub at: ExprId,
    /// `@gated("comm.search")`: what the call returns decorates.
    pub is_called: bool,
}

impl Program<'_> {
    /// The project's class that an expression names by definitions and imports alone, if it is one only.
    pub fn class_named(&self, func: Func, expr: ExprId) -> Option<Cls> {
        match self.index.statics(func, expr)[..] {
            [Type::Class { class, .. }] => Some(class),
            _ => None,
        }
    }

    /// True if `class` is `ancestor` or inherits from it.
    pub fn inherits(&self, class: Cls, ancestor: Cls) -> bool {
        class == ancestor || self.hierarchy.ancestors[class.0 as usize].contains(&ancestor)
    }

    /// The project's functions that decorate `func`, from the outermost on. One that is made of others stands for those.
    pub fn decorators(&self, func: Func) -> impl Iterator<Item = Decorator> + '_ {
        let facts = self.facts(self.function(func).file);
        let scope = self.ir(func).parent;
        let named = facts.list(self.ir(func).decorators).iter();
        let own = named.filter_map(move |&decorator| self.decorator(scope, decorator));
        own.flat_map(|decorator| self.composed(decorator).unwrap_or_else(|| vec![decorator]))
    }

    /// The function behind `gated`, or `gated("comm.search")`.
    fn decorator(&self, scope: Func, expr: ExprId) -> Option<Decorator> {
        let (named, is_called) = match *self.facts(self.function(scope).file).expr(expr) {
            Expr::Call { callee, .. } => (callee, true),
            _ => (expr, false),
        };
        match self.index.statics(scope, named)[..] {
            [Type::Function(func) | Type::Bound(func)] => Some(Decorator { func, at: expr, is_called }),
            _ => None,
        }
    }

    /// The function that does all the work of another one: `return make(name)`.
    fn helper(&self, func: Func) -> Option<Func> {
        let mut calls = self.returns(func).flat_map(|value| self.edges_at(func, value));
        calls.find_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Call, Target::Project(helper)) => Some(helper),
            _ => None,
        })
    }

    /// `return gated(name)(audited(name)(function))`: what a decorator puts around the function that it is given.
    fn composed(&self, decorator: Decorator) -> Option<Vec<Decorator>> {
        let made = |factory: Func| self.nested(factory).next();
        let maker = match decorator.is_called {
            true => made(decorator.func).or_else(|| made(self.helper(decorator.func)?))?,
            false => decorator.func,
        };
        let facts = self.facts(self.function(maker).file);
        let mut returned = self.returns(maker);
        let (mut value, None) = (returned.next()?, returned.next()) else { return None };
        let mut around = Vec::new();
        while let Expr::Call { callee, args, .. } = *facts.expr(value) {
            let [only] = facts.list(args) else { return None };
            let inner = self.decorator(maker, callee).filter(|inner| inner.func != decorator.func)?;
            around.push(Decorator { at: decorator.at, ..inner });
            value = only.value;
        }
        let given = self.variable(maker, value)?;
        let is_given = self.parameter_of(self.slot_of(given.func, given.var)) == Some((maker, 0));
        (is_given && !around.is_empty()).then_some(around)
    }

    /// The names that a class body declares, in order: the fields of a data class.
    pub fn field_names(&self, class: Cls) -> Vec<Arc<str>> {
        let (file, class) = self.index.class_ir(class);
        let facts = self.index.units[file].facts;
        let body = facts.function(class.body);
        let Expr::Block(statements) = *facts.expr(body.body) else { return Vec::new() };
        let declared = |&statement: &ExprId| match *facts.expr(statement) {
            Expr::Bind { pat, value } if matches!(facts.expr(value), Expr::Ascribe { .. }) => {
                match *facts.pat(pat) {
                    Pat::Var(var) => Some(facts.str(facts.list(body.vars)[var.0 as usize]).into()),
                    _ => None,
                }
            }
            Expr::Ascribe { .. } => None,
            _ => None,
        };
        facts.list(statements).iter().filter_map(declared).collect()
    }

    /// The fields among them that have a value of their own. `is_field`: names of calls that describe a field and may give
    /// it a value; one whose first argument is an ellipsis gives none.
    pub fn defaulted_fields(&self, class: Cls, is_field: impl Fn(&str) -> bool) -> Vec<String> {
        let (file, class) = self.index.class_ir(class);
        let facts = self.index.units[file].facts;
        let body = facts.function(class.body);
        let Expr::Block(statements) = *facts.expr(body.body) else { return Vec::new() };
        let gives = |value: ExprId| match *facts.expr(value) {
            Expr::Call { callee, args, .. } => {
                let is_field = match *facts.expr(callee) {
                    Expr::Free(name) | Expr::Field { name, .. } => is_field(facts.str(name)),
                    _ => false,
                };
                let first = facts.list(args).first().map(|arg| (arg.kind, facts.expr(arg.value)));
                let is_given = match first {
                    Some((ArgKind::Positional, value)) => *value != Expr::Lit(Lit::Other),
                    _ => facts.list(args).iter().any(|arg| {
                        matches!(arg.kind, ArgKind::Named(name) if facts.str(name).starts_with("default"))
                    }),
                };
                !is_field || is_given
            }
            _ => true,
        };
        let declared = |&statement: &ExprId| {
            let Expr::Bind { pat, value } = *facts.expr(statement) else { return None };
            let (Pat::Var(var), Expr::Ascribe { value: Some(value), .. }) =
                (*facts.pat(pat), *facts.expr(value))
            else {
                return None;
            };
            gives(value).then(|| facts.str(facts.list(body.vars)[var.0 as usize]).to_owned())
        };
        facts.list(statements).iter().filter_map(declared).collect()
    }

    /// Where a class is defined, its name, and its path.
    pub fn class_head(&self, class: Cls) -> (FileId, Span, &str) {
        let (file, found) = self.index.class_ir(class);
        (FileId(file as u32), found.span, self.class_name(class))
    }

    pub fn class_path(&self, class: Cls) -> String {
        self.function(self.index.class_body(class)).path.to_string()
    }

    /// The function that a module has under a name, of its own or by an import.
    pub fn function_of(&self, file: FileId, name: &str) -> Option<Func> {
        self.function_in(Module::File(file.0 as usize), name)
    }

    /// The same of a module that `file` would import: `.search_tools` is one beside it.
    pub fn function_of_module(&self, file: FileId, module: &str, name: &str) -> Option<Func> {
        let dotted = module.trim_start_matches('.');
        let level = u8::try_from(module.len() - dotted.len()).ok()?;
        self.function_in(self.index.modules.resolve(file.0 as usize, level, dotted)?, name)
    }

    fn function_in(&self, module: Module, name: &str) -> Option<Func> {
        match self.index.module_attr(module, self.index.names.get(name)?)? {
            Global::Is(Type::Function(func)) => Some(func),
            Global::Slot(slot) => self.index.definitions(slot).find_map(|(owner, value)| {
                match *self.facts(self.function(owner).file).expr(value) {
                    Expr::Closure(func) => Some(func),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    /// The functions defined directly inside `func`, in order.
    pub fn nested(&self, func: Func) -> impl Iterator<Item = Func> + '_ {
        self.inside.functions[self.inside.starts.of(func.0)].iter().copied()
    }

    /// The names under which modules hand on functions that they import from others: `atlas.guards.require_execution` of what
    /// stands in `atlas.guards.phase`.
    pub fn other_names(&self) -> Vec<(Func, String)> {
        let of_file = |file: usize| {
            let facts = self.index.units[file].facts;
            let names = facts.list(facts.function(facts.module()).vars);
            let binds =
                facts.function(facts.module()).exprs.iter().filter_map(move |expr| match *facts.expr(expr) {
                    Expr::Bind { pat, value } if matches!(facts.expr(value), Expr::Import(_)) => {
                        Some((pat, value))
                    }
                    _ => None,
                });
            binds.filter_map(move |(pat, value)| {
                let Pat::Var(var) = *facts.pat(pat) else { return None };
                let [Type::Function(func)] = self.index.statics(self.index.module_body(file), value)[..]
                else {
                    return None;
                };
                let name = facts.str(names[var.0 as usize]);
                Some((func, format!("{}.{name}", self.index.modules.dotted(file))))
            })
        };
        (0..self.index.units.len()).flat_map(of_file).collect()
    }
}
