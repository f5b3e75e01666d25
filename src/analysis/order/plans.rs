//! Plans that are written down: lists of names of tools, or of steps that name one, under the name of a plan. One that is handed
//! to a validator is only a proposal.

use super::state::Source;
use super::walk::{Told, Walk};
use super::{Contaminated, Order, Role, ToolId};
use crate::ir::{ArgKind, Entry, EntryKey, Expr, ExprId};
use crate::link::Func;

impl Order<'_, '_, '_> {
    /// The list of steps that an expression is, or that a record holds under the name of a plan.
    pub fn plan(&self, func: Func, expr: ExprId) -> Option<ExprId> {
        let facts = self.values.facts(func);
        match *facts.expr(expr) {
            Expr::Seq(items) => {
                let items = facts.list(items);
                (items.len() > 1 && items.iter().all(|&item| self.step(func, item).is_some())).then_some(expr)
            }
            Expr::Record(entries) => {
                let is_plan = |entry: &Entry| self.is_plan_key(func, entry).then_some(entry.value);
                let mut values = facts.list(entries).iter().filter_map(is_plan);
                values.find(|&value| matches!(facts.expr(value), Expr::Seq(_)) && self.list(func, value))
            }
            _ => None,
        }
    }

    fn list(&self, func: Func, expr: ExprId) -> bool {
        self.plan(func, expr).is_some()
    }

    fn is_plan_key(&self, func: Func, entry: &Entry) -> bool {
        match entry.key {
            EntryKey::Expr(key) => self.program.text(func, key).is_some_and(|key| self.words.is_plan(&key)),
            EntryKey::Spread => false,
        }
    }

    /// Functions of files in which a plan stands, or the name of a mark.
    pub fn beside_words(&self) -> Vec<Func> {
        let program = self.program;
        let marked = program.files_that_hold(&self.marks);
        let named = program.files_with(|text| self.tools.named(text).is_some());
        let functions = || (0..program.functions.len() as u32).map(Func);
        let file = |func: Func| program.function(func).file.0 as usize;
        let holds = |func: Func| program.ir(func).exprs.iter().any(|expr| self.plan(func, expr).is_some());
        let mut planned = vec![false; named.len()];
        for func in functions().filter(|&func| named[file(func)]) {
            planned[file(func)] = planned[file(func)] || holds(func);
        }
        functions().filter(|&func| planned[file(func)] || marked[file(func)]).collect()
    }

    /// The plan that a name was bound to somewhere else.
    pub fn plan_named(&self, func: Func, expr: ExprId) -> Option<ExprId> {
        self.plans.of((func, expr), || {
            let (owner, value) = self.program.bound(func, expr);
            (value != expr).then(|| self.plan(owner, value)).flatten()
        })
    }

    /// The tool that an entry of a plan names.
    fn step(&self, func: Func, item: ExprId) -> Option<ToolId> {
        self.tools.named(&self.calls.name_in(func, item)?)
    }

    /// The steps of a plan that will be blocked.
    pub fn planned(&self, func: Func, plan: ExprId) -> Vec<Contaminated> {
        let facts = self.values.facts(func);
        let Expr::Seq(items) = *facts.expr(plan) else { return Vec::new() };
        let steps = facts.list(items).iter().filter_map(|&item| Some((item, self.step(func, item)?)));
        let mut source: Option<Source> = None;
        let mut blocked = Vec::new();
        for (at, tool) in steps {
            match (self.tools.get(tool).role, source) {
                (Role::Source, None) => source = Some(Source { func, at, tool }),
                (Role::External, Some(source)) => blocked.push(Contaminated { func, at, tool, source }),
                _ => {}
            }
        }
        blocked
    }
}

impl Walk<'_, '_, '_, '_> {
    /// A list of steps, or a record that holds one under the name of a plan and so needs no name itself.
    pub fn written(&mut self, expr: ExprId) -> Told {
        let Some(plan) = self.order.plan(self.func, expr) else { return Told::Nothing };
        if self.records && plan != expr {
            self.found.plans.insert((self.func, plan), ());
        }
        Told::Plan(plan)
    }

    /// A value stands under a name.
    pub fn plan_under(&mut self, name: &str, value: Told) {
        if let Told::Plan(plan) = value
            && self.records
            && self.order.words.is_plan(name)
        {
            self.found.plans.insert((self.func, plan), ());
        }
    }

    /// Arguments that are plans by the name of the parameter.
    pub fn plans_given(&mut self, call: ExprId) {
        let Expr::Call { args, .. } = *self.facts.expr(call) else { return };
        for arg in self.facts.list(args) {
            if let ArgKind::Named(name) = arg.kind
                && let Some(plan) = self.order.plan(self.func, arg.value)
            {
                self.plan_under(self.facts.str(name), Told::Plan(plan));
            }
        }
    }

    /// A plan is handed to a validator.
    pub fn validate(&mut self, call: ExprId, args: &[Told]) {
        let Expr::Call { callee, args: given, .. } = *self.facts.expr(call) else { return };
        if !self.order.calls.said(self.func, callee).validates || !self.does_something(call) {
            return;
        }
        let is_plan = |value| {
            let name = self.order.program.receiver_name(self.func, value).map(|known| known.name);
            name.is_some_and(|name| self.order.words.is_plan(name))
        };
        if self.facts.list(given).iter().any(|arg| is_plan(arg.value)) {
            self.found.checks.insert((self.func, call));
        }
        for told in args {
            if let Told::Plan(plan) = told {
                self.found.validated.insert(*plan);
            }
        }
    }
}
