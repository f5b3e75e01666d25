//! Arguments become parameters: by position, by name, collected by `*args` and `**kwargs`, and spread.

use super::args::{Passed, pair};
use super::calls::CallExpr;
use super::modules::Module;
use super::program::Func;
use super::solve::{Key, Role, Solver};
use super::types::{Slot, Type, Types};
use crate::ir::{ParamKind, Pat};

impl<'a> Solver<'_, 'a> {
    /// Test code calls production code with doubles; they say nothing of production.
    pub fn is_test_into_production(&self, caller: Func, callee: Func) -> bool {
        self.index.is_test_code(caller) && !self.index.is_test_code(callee)
    }

    /// The same of what tests assign.
    pub fn is_test_store(&self, from: Func, base: Type) -> bool {
        let owner = match base {
            Type::Instance { class, .. } | Type::Class { class, .. } => self.index.class_body(class),
            Type::Module(Module::File(file)) => self.index.module_body(file),
            _ => return false,
        };
        self.is_test_into_production(from, owner)
    }

    pub fn pass_arguments(&mut self, call: CallExpr<'a>, target: Func, skip: u32) {
        if self.is_test_into_production(call.func, target) {
            return;
        }
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for (passed, value) in pair(self.index, facts, call.args, target, skip) {
            self.cuts.begin();
            let types: Types = self.eval(call.func, value).into_iter().map(Type::handed_over).collect();
            if types.is_empty() && !self.cuts.is_read() {
                continue;
            }
            match passed {
                Passed::Param(at) => self.pass(target, at, &types),
                Passed::Rest(at) => self.pass_collected(target, at, None, &types),
                Passed::KeywordRest(at, name) => {
                    let name = self.index.name(self.index.file_of(call.func), name);
                    self.pass_collected(target, at, Some(Key::Name(name)), &types);
                }
                Passed::SpreadFrom(from) => self.pass_spread(target, from, &types),
                Passed::SpreadNamed => self.pass_spread_named(target, &types),
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

    pub fn pass(&mut self, target: Func, at: u32, types: &[Type]) {
        match self.param_slot(target, at) {
            Some(slot) if !self.closed_params.contains(&slot) => self.insert_all(slot, types),
            Some(_) => {}
            None => self.pass_apart(target, at, types),
        }
    }

    /// A closure of Rust may take its parameter apart at once.
    fn pass_apart(&mut self, target: Func, at: u32, types: &[Type]) {
        let facts = self.index.units[self.index.file_of(target)].facts;
        if let Some(param) = facts.list(self.index.ir(target).params).get(at as usize)
            && self.is_rust(target)
        {
            self.bind(target, param.pat, types);
        }
    }

    /// `*args` and `**kwargs` are containers of the function.
    fn pass_collected(&mut self, target: Func, at: u32, key: Option<Key>, types: &[Type]) {
        let Some(slot) = self.param_slot(target, at) else { return };
        let file = self.index.file_of(target);
        let facts = self.index.units[file].facts;
        let is_rest = facts.list(self.index.ir(target).params)[at as usize].kind == ParamKind::Rest;
        let role = if is_rest { Role::Rest } else { Role::KeywordRest };
        let container = self.container(file, self.index.ir(target).body, role);
        self.insert(slot, Type::Container(container));
        self.store_entry(container, key, types);
    }

    pub fn pass_spread(&mut self, target: Func, from: u32, types: &[Type]) {
        let facts = self.index.units[self.index.file_of(target)].facts;
        let params = facts.list(self.index.ir(target).params);
        for &ty in types {
            let Type::Container(container) = ty else { continue };
            for at in from..params.len() as u32 {
                let mut values = Types::new();
                self.read_entry(container, Some(Key::At(at - from)), &mut values);
                match params[at as usize].kind {
                    ParamKind::Rest => self.pass_collected(target, at, None, &values),
                    ParamKind::KeywordOnly | ParamKind::KeywordRest => {}
                    _ => self.pass(target, at, &values),
                }
            }
        }
    }

    fn pass_spread_named(&mut self, target: Func, types: &[Type]) {
        let file = self.index.file_of(target);
        let facts = self.index.units[file].facts;
        let params = facts.list(self.index.ir(target).params);
        for &ty in types {
            let Type::Container(container) = ty else { continue };
            for (at, param) in params.iter().enumerate() {
                let name = self.index.name(file, param.name);
                match param.kind {
                    ParamKind::KeywordRest => {
                        let own = self.container(file, self.index.ir(target).body, Role::KeywordRest);
                        if let Some(slot) = self.param_slot(target, at as u32) {
                            self.insert(slot, Type::Container(own));
                        }
                        self.copy_entries(ty, own);
                    }
                    ParamKind::Rest | ParamKind::PositionalOnly => {}
                    _ => {
                        let mut values = Types::new();
                        self.read_entry(container, Some(Key::Name(name)), &mut values);
                        self.pass(target, at as u32, &values);
                    }
                }
            }
        }
    }
}
