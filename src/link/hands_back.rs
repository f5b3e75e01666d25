//! What a function hands back of what it is given (`return p`, `return p[key]`, `return cls()`): answered at each call with that
//! call's own argument, so that callers learn nothing of one another. What else the parameter may be, and what arrives in it by
//! another way than a call that names the function, is handed back to all.

use smallvec::SmallVec;

use super::args::{Passed, pair};
use super::backs::Back;
use super::call::CallExpr;
use super::hierarchy::MethodKind;
use super::ids::Func;
use super::ports::Port;
use super::solve::Solver;
use super::types::{Given, Value};
use crate::ir::{Expr, ExprId, ParamKind, VarId};

impl<'a> Solver<'_, 'a> {
    pub(super) fn note_returned(&mut self, func: Func, value: ExprId) {
        if self.makes_own(func, value) {
            self.hands_back.makes_own[func.0 as usize] = true;
        } else if let Some(back) = self.handed_back(func, value) {
            let known = self.hands_back.parameters.entry(func).or_default();
            if !known.contains(&back) {
                known.push(back);
            }
        }
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
