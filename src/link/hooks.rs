//! Attributes that no code spells out: what a hook of a class hands out for a name that it does not bind, and names that are made at
//! run time, which are known by how they begin, or are all that an object has.

use super::constants::Folder;
use super::ids::{Cls, Func, Slot};
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{ArgKind, Expr, ExprId, Operator, Sym};

impl Solver<'_, '_> {
    /// The method of a class that is asked for names that nothing binds.
    pub(super) fn hook_of(&mut self, class: Cls) -> Option<Func> {
        if !self.hierarchy.has_hook(class) {
            return None;
        }
        let name = self.answer_of(class, Operator::FindAttribute, false)?;
        let (_, slot) = self.hierarchy.class_attr(self.index, class, self.index.names.get(name)?)?;
        match self.index.slot_statics(slot)[..] {
            [Type::Function(hook)] => Some(hook),
            _ => None,
        }
    }

    /// What the hook of a class hands out for a name.
    pub(super) fn ask_hook(&mut self, class: Cls, name: Sym, to: Slot) {
        let Some(hook) = self.hook_of(class) else { return };
        self.copy(Value::In(self.returned(hook)), to);
        for returned in self.index.returns(hook).collect::<Vec<_>>() {
            if let Some(object) = self.handed_on_by(hook, returned) {
                let object = self.value(hook, object);
                let value = self.field_value(object, name);
                self.copy(value, to);
            }
        }
    }

    /// `return getattr(self._inner, name)` of the name that the hook is given.
    fn handed_on_by(&self, hook: Func, returned: ExprId) -> Option<ExprId> {
        let facts = self.index.units[self.index.file_of(hook)].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(returned) else { return None };
        let [object, name, ..] = facts.list(args) else { return None };
        let Expr::Var(var) = *facts.expr(name.value) else { return None };
        let &(owner, at) = self.index.param_of.get(&self.index.var(hook, var))?;
        let is_meant =
            (owner, at) == (hook, 1) && self.function_does(hook, callee) == Some(DataOp::GetAttribute);
        is_meant.then_some(object.value)
    }

    /// What a function of the language or of a library does that an expression names.
    pub(super) fn function_does(&self, func: Func, callee: ExprId) -> Option<DataOp> {
        match self.index.statics(func, callee)[..] {
            [Type::External(path)] => {
                let externals = &self.index.externals;
                externals.catalog().operations.of_call(externals.text(path))
            }
            _ => None,
        }
    }

    /// Attributes whose names are known by how they begin, or are all names that an object has.
    pub(super) fn load_made_name(&mut self, func: Func, bases: Value, name: ExprId, to: Slot) {
        let Some(beginning) = self.beginning_of(func, name) else { return };
        self.unspelled.push(beginning);
        self.on(bases, React::LoadAll { beginning: self.unspelled.len() as u32 - 1, to });
    }

    fn beginning_of(&self, func: Func, name: ExprId) -> Option<String> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let values = Folder::new(self.index, self.hierarchy).fold(func, name);
        if let [only] = &values.list[..]
            && !only.whole
            && !only.text.is_empty()
        {
            return Some(only.text.clone());
        }
        let Expr::Var(var) = *facts.expr(name) else { return None };
        let iterated = self.index.iterated(self.index.var(func, var))?;
        let facts = self.index.units[self.index.file_of(iterated.func)].facts;
        let Expr::Call { callee, .. } = *facts.expr(iterated.iterable) else { return None };
        (self.function_does(iterated.func, callee) == Some(DataOp::AttributeNames)).then(String::new)
    }

    /// All that an object has whose name begins so.
    pub(super) fn load_all(&mut self, base: Type, beginning: u32, to: Slot) {
        let (Type::Instance { class, .. } | Type::Class { class, .. }) = base else { return };
        let beginning = self.unspelled[beginning as usize].clone();
        let mut names = Vec::new();
        for &ancestor in &self.hierarchy.ancestors[class.0 as usize] {
            let body = self.index.class_body(ancestor);
            let facts = self.index.units[self.index.file_of(body)].facts;
            let is_meant = |name: &&Sym| {
                let text = facts.str(**name);
                text.starts_with(&beginning) && !facts.profile().is_implicit(text)
            };
            names.extend(facts.list(self.index.ir(body).vars).iter().filter(is_meant).copied());
        }
        for name in names {
            self.load_attr(base, name, to);
        }
    }

    /// The call that made what is called: `attrgetter("send")` in `attrgetter("send")(net)`.
    pub(super) fn maker_of(&self, func: Func, call: ExprId) -> Option<(Func, ExprId)> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
        let (scope, maker) = self.index.named_once(func, callee);
        let facts = self.index.units[self.index.file_of(scope)].facts;
        matches!(facts.expr(maker), Expr::Call { .. }).then_some((scope, maker))
    }

    /// The first positional argument of the call that made what is called, and where it stands.
    pub(super) fn made_with(&self, func: Func, call: ExprId, nth: usize) -> Option<(Func, ExprId)> {
        let (scope, maker) = self.maker_of(func, call)?;
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let Expr::Call { args, .. } = *facts.expr(maker) else { return None };
        let given = facts.list(args).get(nth).filter(|arg| arg.kind == ArgKind::Positional)?;
        Some((scope, given.value))
    }
}
