//! What a function hands back of what it is given (`return p`, `return p[key]`, `return clean(p)`, `return cls()`): answered at
//! each call with that call's own argument, so that callers learn nothing of one another. What else the parameter may be, and
//! what arrives in it by another way than a call that names the function, is handed back to all.

use smallvec::SmallVec;

use super::args::{Passed, pair};
use super::backs::Back;
use super::call::CallExpr;
use super::hierarchy::MethodKind;
use super::ids::Func;
use super::ports::Port;
use super::solve::Solver;
use super::types::{Given, Type, Value};
use crate::ir::{Arg, Expr, ExprId, ParamKind, VarId};

impl<'a> Solver<'_, 'a> {
    pub(super) fn note_returned(&mut self, func: Func, value: ExprId) {
        if self.makes_own(func, value) {
            self.hands_back.makes_own[func.0 as usize] = true;
        } else if let Some(back) = self.handed_back(func, value) {
            self.hands_back.note(func, back);
        } else if let Some(call) = self.tail_call(func, value) {
            self.hands_back.tail_calls.push((func, call));
        }
    }

    /// `return clean(page)`, also awaited.
    fn tail_call(&self, func: Func, value: ExprId) -> Option<ExprId> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let value = if let Expr::Await(awaited) = *facts.expr(value) { awaited } else { value };
        let Expr::Call { args, .. } = *facts.expr(value) else { return None };
        let is_own = |arg: &Arg| self.parameter_at(func, arg.value).is_some();
        facts.list(args).iter().any(is_own).then_some(value)
    }

    /// What is handed back by the functions of which a function hands back the result is handed back by that one, too.
    pub(super) fn note_tail_calls(&mut self) {
        let mut tails = Vec::new();
        for &(func, call) in &self.hands_back.tail_calls {
            let facts = self.index.units[self.index.file_of(func)].facts;
            let Expr::Call { callee, args, .. } = *facts.expr(call) else { continue };
            for ty in self.index.statics(func, callee) {
                let Type::Function(target) = ty else { continue };
                // What stands above a function may hand back something else.
                if !self.index.ir(target).decorators.is_empty() {
                    continue;
                }
                for (passed, value) in pair(self.index, facts, facts.list(args), target, 0) {
                    if let (Passed::Param(at), Some(own)) = (passed, self.parameter_at(func, value)) {
                        tails.push(((target, at), (func, own)));
                    }
                }
            }
        }
        self.hands_back.note_tails(&tails);
        self.hands_back.tail_calls.sort_unstable();
    }

    /// True if an argument comes back from a call whose result is handed back: the callers of the function around get their own.
    fn is_tail(&self, call: CallExpr<'a>, value: ExprId, back: Back) -> bool {
        let is_tail = self.hands_back.tail_calls.binary_search(&(call.func, call.expr)).is_ok();
        is_tail
            && self.parameter_at(call.func, value).is_some_and(|parameter| {
                self.hands_back.of(call.func, parameter).any(|own| own.entry == back.entry)
            })
    }

    /// The parameter of a function that an expression in it names.
    fn parameter_at(&self, func: Func, expr: ExprId) -> Option<u32> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Var(var) = *facts.expr(expr) else { return None };
        self.own_parameter(func, var)
    }

    /// The parameter that a function hands back as it is, or an entry of it.
    fn handed_back(&self, func: Func, value: ExprId) -> Option<Back> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.expr(value) {
            Expr::Var(var) => self.own_parameter(func, var).map(|parameter| Back { parameter, entry: None }),
            Expr::Index { base, key } => {
                let Expr::Var(var) = *facts.expr(base) else { return None };
                let parameter = self.own_parameter(func, var)?;
                let is_object = parameter == 0 && self.index.method_of[func.0 as usize].is_some();
                let entry = Some(self.constant_key(func, key));
                (!is_object && !self.has_wrappers(func)).then_some(Back { parameter, entry })
            }
            _ => None,
        }
    }

    /// A parameter that one argument of a call goes into.
    fn own_parameter(&self, func: Func, var: VarId) -> Option<u32> {
        let &(owner, position) = self.index.param_of.get(&self.index.var(func, var))?;
        let facts = self.index.units[self.index.file_of(func)].facts;
        let kind = facts.list(self.index.ir(owner).params)[position as usize].kind;
        let is_one = !matches!(kind, ParamKind::Rest | ParamKind::KeywordRest);
        (owner == func && is_one).then_some(position)
    }

    /// `cls(…)` in a class method.
    fn makes_own(&self, func: Func, value: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Call { callee, .. } = *facts.expr(value) else { return false };
        let Expr::Var(var) = *facts.expr(callee) else { return false };
        self.own_parameter(func, var) == Some(0) && self.hierarchy.kind(func) == MethodKind::Class
    }

    /// True if each call answers for itself.
    pub(super) fn is_answered(&self, func: Func, value: ExprId) -> bool {
        self.makes_own(func, value) || self.handed_back(func, value).is_some()
    }

    /// What a call gives and gets back.
    pub(super) fn return_arguments(&mut self, call: CallExpr<'a>, target: Func, skip: u32) {
        if !self.hands_back.parameters.contains_key(&target) {
            return;
        }
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for (passed, value) in pair(self.index, facts, call.args, target, skip) {
            let Passed::Param(at) = passed else { continue };
            for back in self.hands_back.of(target, at).collect::<SmallVec<[Back; 1]>>() {
                if self.is_tail(call, value, back) {
                    continue;
                }
                let value = self.value(call.func, value);
                let handed = self.meant_part(value, back);
                self.copy(handed, call.result);
            }
        }
    }

    /// What a parameter is besides the arguments of calls is handed back to all of them.
    pub(super) fn return_to_all(&mut self, target: Func, at: u32, given: Given) {
        for back in self.hands_back.of(target, at).collect::<SmallVec<[Back; 1]>>() {
            let handed = Given { value: self.meant_part(given.value, back), ..given };
            self.give(handed, self.returned(target));
        }
    }

    fn meant_part(&mut self, value: Value, back: Back) -> Value {
        match back.entry {
            None => value,
            Some(key) => self.ask(value, Port::Item(key)),
        }
    }

    /// Binds a variable.
    pub(super) fn bind_var(&mut self, func: Func, var: VarId, value: Value) {
        let slot = self.index.var(func, var);
        self.copy(value, slot);
        if let Some(&(owner, position)) = self.index.param_of.get(&slot) {
            self.return_to_all(owner, position, value.into());
        }
    }
}
