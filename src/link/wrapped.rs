//! What values do inside the types of Rust's standard library that hold them: a box, a lock, an option or a result hands on
//! what it holds, a list or a map holds many, and their methods run closures on them. The words are the catalogue's.

use super::calls::CallExpr;
use super::externals::PathId;
use super::program::Func;
use super::solve::{Key, Role, Solver};
use super::types::{ContainerId, Type, Types};
use crate::catalog::Wrappers;
use crate::ir::{Expr, ExprId, ListOf, Pat, PatId, Sym};

/// Parameters of a closure that one of many values may reach.
const MAX_PARAMETERS: u32 = 3;

impl<'a> Solver<'_, 'a> {
    fn words(&self) -> &'a Wrappers {
        &self.index.externals.catalog().wrappers
    }

    pub(super) fn is_rust(&self, func: Func) -> bool {
        self.index.is_rust(self.index.file_of(func))
    }

    /// What `base.name` is; what the language's own types do is done here.
    pub(super) fn rust_methods(&mut self, call: CallExpr<'a>, base: ExprId, name: Sym) -> Types {
        let file = self.index.file_of(call.func);
        let text = self.index.units[file].facts.str(name);
        let name = self.index.name(file, name);
        let mut callees = Types::new();
        let bases = self.eval_base(call.func, base);
        for &ty in &bases {
            let mut found = Types::new();
            self.method_of(ty, name, &mut found);
            let is_own = |ty: &Type| matches!(ty, Type::Function(_) | Type::Bound(_) | Type::Partial(_));
            if !found.iter().any(is_own) {
                let handed_on = found.iter().any(|ty| match *ty {
                    Type::External(path) => self.index.externals.result(path).is_some(),
                    _ => false,
                });
                if !handed_on {
                    self.hand_on(call, ty, text);
                }
            }
            found.into_iter().for_each(|ty| super::eval::push(&mut callees, ty));
        }
        let words = self.words();
        if words.runs.contains(text) || words.maps.contains(text) {
            self.run_closures(call, &bases, text);
        }
        callees
    }

    /// A method that the value itself does not have is that of what holds it.
    fn hand_on(&mut self, call: CallExpr<'a>, ty: Type, method: &str) {
        let words = self.words();
        match ty {
            Type::Container(container) => self.hand_on_element(call, container, method),
            Type::Class { class, .. } if words.constructors.contains(method) => {
                self.insert(call.result, Type::Instance { class, exact: true });
            }
            Type::Class { .. } | Type::Module(_) => {}
            _ if words.same.contains(method) => self.insert(call.result, ty),
            _ => {}
        }
    }

    fn hand_on_element(&mut self, call: CallExpr<'a>, container: ContainerId, method: &str) {
        let words = self.words();
        if words.same.contains(method) {
            self.insert(call.result, Type::Container(container));
        }
        let key = call.args.first().and_then(|key| self.constant_key(call.func, key.value));
        if words.element.contains(method) {
            let mut types = Types::new();
            self.read_entry(container, key, &mut types);
            self.insert_all(call.result, &types);
        }
        if let (true, Some(last)) = (words.adds.contains(method), call.args.last()) {
            let key = key.filter(|_| call.args.len() > 1);
            for ty in self.eval(call.func, last.value) {
                match ty {
                    Type::Container(_) if words.all_of.contains(method) => self.copy_entries(ty, container),
                    _ => self.store_entry(container, key, &[ty]),
                }
            }
        }
    }

    /// Closures are given what the value holds, or each of what it holds; some methods hand back what they make of it.
    fn run_closures(&mut self, call: CallExpr<'a>, bases: &[Type], method: &str) {
        let words = self.words();
        let mut given = Types::new();
        for &ty in bases {
            match ty {
                Type::Container(container) => self.read_entry(container, None, &mut given),
                _ => super::eval::push(&mut given, ty),
            }
        }
        let is_many = bases.iter().any(|ty| matches!(ty, Type::Container(_)));
        for arg in call.args {
            for callable in self.eval(call.func, arg.value) {
                let mut made = Types::new();
                self.run_on(callable, &given, &mut made);
                if !words.maps.contains(method) || made.is_empty() {
                    continue;
                }
                if is_many && !words.element.contains(method) {
                    let container = self.container(self.index.file_of(call.func), call.expr, Role::Value);
                    self.store_entry(container, None, &made);
                    self.insert(call.result, Type::Container(container));
                } else {
                    self.insert_all(call.result, &made);
                }
            }
        }
    }

    fn run_on(&mut self, callable: Type, given: &[Type], made: &mut Types) {
        match callable {
            Type::Function(target) | Type::Bound(target) | Type::Partial(target) => {
                let count = self.index.ir(target).params.len() as u32;
                (0..count.min(MAX_PARAMETERS)).for_each(|at| self.pass(target, at, given));
                self.read(self.returned(target), made);
            }
            Type::Class { class, exact } => super::eval::push(made, Type::Instance { class, exact }),
            Type::External(path) | Type::Handed(path) => match self.index.externals.result(path) {
                Some(result) => super::eval::push(made, Type::External(result)),
                None if self.words().hands_back(self.index.externals.text(path)) => {
                    made.extend_from_slice(given)
                }
                None => {}
            },
            _ => {}
        }
    }

    /// Calls of the language's own types, and constructors of what only a library knows.
    pub(super) fn call_rust_library(&mut self, call: CallExpr<'a>, path: PathId) {
        let words = self.words();
        let text = self.index.externals.text(path);
        if words.hands_back(text) {
            if let Some(first) = call.args.first() {
                let types = self.eval(call.func, first.value);
                self.insert_all(call.result, &types);
            }
            return;
        }
        let Some((owner_path, last)) = text.rsplit_once('.') else { return };
        let owner = owner_path.rsplit('.').next().unwrap_or(owner_path);
        if !words.constructors.contains(last) {
            return;
        }
        if words.sequences.contains(owner) || words.mappings.contains(owner) {
            self.make_container(call);
        } else if self.index.externals.result(path).is_none() && owner.starts_with(char::is_uppercase) {
            let owner = self.index.externals.path(owner_path);
            self.insert(call.result, Type::External(owner));
        }
    }

    /// `Vec::from(items)`, `HashMap::from([(key, value)])`.
    fn make_container(&mut self, call: CallExpr<'a>) {
        let made = self.container(self.index.file_of(call.func), call.expr, Role::Value);
        self.insert(call.result, Type::Container(made));
        for arg in call.args {
            for ty in self.eval(call.func, arg.value) {
                self.copy_entries(ty, made);
            }
        }
    }

    /// `tuple.1`.
    pub(super) fn element_of(&mut self, container: ContainerId, name: &str, out: &mut Types) {
        if let Ok(at) = name.parse::<u32>() {
            self.read_entry(container, Some(Key::At(at)), out);
        }
    }

    /// Of the pairs that a map or a counted sequence of Rust runs through, only the values are known.
    pub(super) fn or_value(&self, func: Func, (at, of): (u32, usize), types: &[Type], found: Types) -> Types {
        if !found.is_empty() || at != 1 || of != 2 || !self.is_rust(func) {
            return found;
        }
        types.iter().copied().filter(|ty| !matches!(ty, Type::Container(_) | Type::Generator(_))).collect()
    }

    /// A variant that only holds its value binds what the subject is; one of the project binds its own fields.
    pub(super) fn bind_variant(&mut self, func: Func, pat: PatId, types: &[Type]) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Pat::Ctor { path, items, named } = *facts.pat(pat) else { return };
        if self.only_holds(func, path) {
            return facts.list(items).iter().for_each(|&item| self.bind(func, item, types));
        }
        let own = self.instances(func, path);
        let is_own = own.iter().any(|ty| matches!(ty, Type::Instance { .. }));
        let types = if is_own { &own[..] } else { types };
        self.bind_fields(func, items, named, types);
        self.bind_positions(func, items, types);
    }

    fn bind_positions(&mut self, func: Func, items: ListOf<PatId>, types: &[Type]) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        for (at, &item) in facts.list(items).iter().enumerate() {
            let Some(name) = self.index.names.get(&at.to_string()) else { continue };
            let mut values = Types::new();
            for &ty in types.iter().filter(|ty| matches!(ty, Type::Instance { .. })) {
                self.attr_of(ty, name, &mut values);
            }
            self.bind(func, item, &values);
        }
    }

    /// `Ok`, `Some` and the like.
    pub(super) fn only_holds(&mut self, func: Func, path: ExprId) -> bool {
        let words = self.words();
        self.eval(func, path).iter().any(|ty| match *ty {
            Type::External(path) | Type::Handed(path) => words.hands_back(self.index.externals.text(path)),
            _ => false,
        })
    }

    /// `match value { Ok(v) => …, other => … }`: what is left behind the good case is the bad one, which nobody follows.
    pub(super) fn apply_match(&mut self, func: Func, subject: ExprId, arms: ListOf<crate::ir::Arm>) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let types = self.eval(func, subject);
        let mut is_taken_apart = false;
        for arm in facts.list(arms) {
            match *facts.pat(arm.pat) {
                Pat::Var(_) if is_taken_apart => {}
                Pat::Ctor { path, .. } => {
                    is_taken_apart |= self.only_holds(func, path);
                    self.bind(func, arm.pat, &types);
                }
                _ => self.bind(func, arm.pat, &types),
            }
        }
    }

    /// The value of a branch is that of the block behind it.
    pub(super) fn eval_arms(&mut self, func: Func, arms: ListOf<crate::ir::Arm>, out: &mut Types) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        facts.list(arms).iter().for_each(|arm| self.eval_into(func, arm.body, out));
    }

    /// `X::default()` of a class of the project that has none written out: a macro wrote it.
    pub(super) fn is_made(&mut self, func: Func, callee: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return false };
        self.is_rust(func)
            && self.words().constructors.contains(facts.str(name))
            && self.eval_base(func, base).iter().any(|ty| matches!(ty, Type::Class { .. }))
    }
}
