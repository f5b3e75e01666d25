//! Arguments become parameters: by position, by name, collected by `*args` and `**kwargs`, and spread.

use super::args::{Passed, pair};
use super::ids::{CallId, ContainerId, Func, Key, Module, Role, Slot};
use super::ports::Port;
use super::react::React;
use super::solve::Solver;
use super::types::{Given, Type, Value};
use crate::ir::{ParamKind, Pat};

impl Solver<'_, '_> {
    /// Test code calls production code with doubles; they say nothing of production.
    pub fn is_test_into_production(&self, caller: Func, callee: Func) -> bool {
        self.index.is_test_code(caller) && !self.index.is_test_code(callee)
    }

    /// True if it is code that runs in production whose attributes are set.
    pub(super) fn is_production(&self, base: Type) -> bool {
        let owner = match base {
            Type::Instance { class, .. } | Type::Class { class, .. } => self.index.class_body(class),
            Type::Module(Module::File(file)) => self.index.module_body(file),
            _ => return false,
        };
        !self.index.is_test_code(owner)
    }

    /// True of `is_answered` if the call itself says what it gets back of its arguments.
    pub(super) fn pass_arguments(&mut self, call: CallId, target: Func, skip: u32, is_answered: bool) {
        let call = self.call_of(call);
        if self.is_test_into_production(call.func, target) {
            return;
        }
        let file = self.index.file_of(call.func);
        for (passed, value) in pair(self.index, self.index.units[file].facts, call.args, target, skip) {
            let value = self.value(call.func, value);
            if value == Value::Nothing {
                continue;
            }
            match passed {
                Passed::Param(at) if is_answered => self.pass_own(target, at, value.handed()),
                Passed::Param(at) => self.pass(target, at, value.handed()),
                Passed::Rest(at) => self.pass_collected(target, at, None, value.handed()),
                Passed::KeywordRest(at, name) => {
                    let key = Key::Name(name);
                    self.pass_collected(target, at, Some(key), value.handed());
                }
                Passed::SpreadFrom(from) => self.spread(value, target, from),
                Passed::SpreadNamed => self.spread_named(value, target),
            }
        }
    }

    fn param_slot(&self, target: Func, at: u32) -> Option<Slot> {
        let facts = self.index.units[self.index.file_of(target)].facts;
        let param = facts.list(self.index.ir(target).params).get(at as usize)?;
        match *facts.pat(param.pat) {
            Pat::Var(var) => Some(self.index.var(target, var)),
            _ => None,
        }
    }

    pub fn pass(&mut self, target: Func, at: u32, given: impl Into<Given>) {
        let given = given.into();
        self.pass_own(target, at, given);
        self.return_to_all(target, at, given);
    }

    /// The same where nobody gets it back from the function as such.
    pub(super) fn pass_own(&mut self, target: Func, at: u32, given: impl Into<Given>) {
        match self.param_slot(target, at) {
            Some(slot) => self.give(given, slot),
            None => self.pass_apart(target, at, given.into()),
        }
    }

    /// A closure of Rust may take its parameter apart at once.
    fn pass_apart(&mut self, target: Func, at: u32, given: Given) {
        let facts = self.index.units[self.index.file_of(target)].facts;
        if let Some(param) = facts.list(self.index.ir(target).params).get(at as usize)
            && self.has_wrappers(target)
        {
            let whole = self.new_slot();
            self.give(given, whole);
            self.bind(target, param.pat, Value::In(whole));
        }
    }

    /// `*args` and `**kwargs` are containers of the function.
    fn pass_collected(&mut self, target: Func, at: u32, key: Option<Key>, given: impl Into<Given>) {
        if let Some(container) = self.collected_by(target, at) {
            self.store_entry(container, key, given);
        }
    }

    fn collected_by(&mut self, target: Func, at: u32) -> Option<ContainerId> {
        let slot = self.param_slot(target, at)?;
        let file = self.index.file_of(target);
        let facts = self.index.units[file].facts;
        let is_rest = facts.list(self.index.ir(target).params)[at as usize].kind == ParamKind::Rest;
        let role = if is_rest { Role::Rest } else { Role::KeywordRest };
        let container = self.container(file, self.index.ir(target).body, role);
        self.insert(slot, Type::Container(container));
        Some(container)
    }

    /// `*values`: any parameter from a position on.
    pub(super) fn spread(&mut self, values: Value, target: Func, from: u32) {
        let facts = self.index.units[self.index.file_of(target)].facts;
        for (at, param) in facts.list(self.index.ir(target).params).iter().enumerate().skip(from as usize) {
            let at = at as u32;
            if matches!(param.kind, ParamKind::KeywordOnly | ParamKind::KeywordRest) {
                continue;
            }
            let entry = self.ask(values, Port::Entry(Some(Key::At(at - from))));
            match param.kind {
                ParamKind::Rest => self.pass_collected(target, at, None, entry),
                _ => self.pass(target, at, entry),
            }
        }
    }

    /// `**values`: any parameter, by its name.
    fn spread_named(&mut self, values: Value, target: Func) {
        let file = self.index.file_of(target);
        let facts = self.index.units[file].facts;
        for (at, param) in facts.list(self.index.ir(target).params).iter().enumerate() {
            match param.kind {
                ParamKind::KeywordRest => {
                    if let Some(own) = self.collected_by(target, at as u32) {
                        self.on_containers(values, React::CopyInto(own));
                    }
                }
                ParamKind::Rest | ParamKind::PositionalOnly => {}
                _ => {
                    let key = Key::Name(param.name);
                    let entry = self.ask(values, Port::Entry(Some(key)));
                    self.pass(target, at as u32, entry);
                }
            }
        }
    }
}
