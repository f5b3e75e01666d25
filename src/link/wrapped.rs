//! What values do inside the types of Rust's standard library that hold them: a box, a lock, an option or a result hands on
//! what it holds, a list or a map holds many, and their methods run closures on them. The words are the catalogue's.

use super::call::CallExpr;
use super::ids::{CallId, ContainerId, Func, Key, PathId, Role};
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Types, Value};
use crate::catalog::Wrappers;
use crate::ir::{Arm, Expr, ExprId, ListOf, Pat, PatId, Sym};

/// Parameters of a closure that one of many values may reach.
const MAX_PARAMETERS: u32 = 3;

impl<'a> Solver<'_, 'a> {
    fn words(&self) -> &'a Wrappers {
        &self.index.externals.catalog().wrappers
    }

    /// True where the language's own types hold values inside others.
    pub(super) fn has_wrappers(&self, func: Func) -> bool {
        self.index.units[self.index.file_of(func)].facts.lang.profile().has_wrappers
    }

    /// `base.name(…)` for one thing that the base can be; what the language's own types do is done here.
    pub(super) fn call_wrapped_method(&mut self, call: CallId, base: Type, name: Sym) {
        let method = self.index.names.text(name);
        let callee = self.method_attr(base, name);
        self.on(callee, React::Call(call));
        if !self.answers(base, name, callee) {
            self.hand_on(call, base, method);
        }
        let words = self.words();
        if words.runs.contains(method) || words.maps.contains(method) {
            self.run_closures(call, base, words.maps.contains(method));
        }
    }

    /// True if the value has such a method itself.
    fn answers(&self, base: Type, name: Sym, callee: Value) -> bool {
        match (base, callee) {
            (Type::Instance { class, exact } | Type::Class { class, exact }, _) => {
                self.hierarchy.class_attr(self.index, class, name).is_some()
                    || !exact && !self.hierarchy.overriding(self.index, class, name).is_empty()
            }
            (_, Value::Is(Type::External(path))) => self.index.externals.result(path).is_some(),
            (Type::Module(_), Value::In(_)) => true,
            _ => false,
        }
    }

    /// A method that the value itself does not have is that of what holds it.
    fn hand_on(&mut self, call: CallId, ty: Type, method: &str) {
        let (words, it) = (self.words(), self.call_of(call));
        match ty {
            Type::Container(container) => self.hand_on_element(it, container, method),
            Type::Class { class, .. } if words.constructors.contains(method) => {
                self.insert(it.result, Type::Instance { class, exact: true });
            }
            Type::Class { .. } | Type::Module(_) => {}
            _ if words.same.contains(method) => self.insert(it.result, ty),
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
            self.read_entry(container, key, call.result);
        }
        if let (true, Some(last)) = (words.adds.contains(method), call.args.last()) {
            let key = key.filter(|_| call.args.len() > 1);
            let value = self.value(call.func, last.value);
            self.on(value, React::Add { to: container, key, is_all: words.all_of.contains(method) });
        }
    }

    /// Closures are given what the value holds, or each of what it holds; some methods hand back what they make of it.
    pub(super) fn run_closures(&mut self, call: CallId, base: Type, is_map: bool) {
        let it = self.call_of(call);
        let (given, is_many) = match base {
            Type::Container(container) => (Value::In(self.elements_of(container)), true),
            _ => (Value::Is(base), false),
        };
        for arg in it.args {
            let callable = self.value(it.func, arg.value);
            self.on(callable, React::RunOn { call, given, is_many, is_map });
        }
    }

    pub(super) fn run_on(&mut self, call: CallId, callable: Type, given: Value, how: (bool, bool)) {
        let ((is_many, is_map), it) = (how, self.call_of(call));
        let made = match callable {
            Type::Function(target) | Type::Bound(target) | Type::Partial(target) => {
                let count = self.index.ir(target).params.len() as u32;
                (0..count.min(MAX_PARAMETERS)).for_each(|at| self.pass(target, at, given));
                if !self.is_of_caller(it) {
                    self.operations.unpacked.insert(target);
                }
                Value::In(self.returned(target))
            }
            Type::Class { class, exact } => Value::Is(Type::Instance { class, exact }),
            Type::External(path) | Type::Handed(path) => match self.index.externals.result(path) {
                Some(result) => Value::Is(Type::Object(result)),
                None if self.words().hands_back(self.index.externals.text(path)) => given,
                None => return,
            },
            _ => return,
        };
        if !is_map {
            return;
        }
        let is_element = self.method_word(it).is_some_and(|method| self.words().element.contains(method));
        if is_many && !is_element {
            self.on(made, React::Collect(call));
        } else {
            self.copy(made, it.result);
        }
    }

    /// True if what a method is called on is, or is part of, what the function around is given: its callers say what it is.
    fn is_of_caller(&self, call: CallExpr<'a>) -> bool {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let mut at = call.receiver;
        while let Some(expr) = at {
            at = match *facts.expr(expr) {
                Expr::Call { callee, .. } => Some(callee),
                Expr::Field { base, .. } | Expr::Index { base, .. } => Some(base),
                Expr::Match { subject, .. } => Some(subject),
                Expr::Var(var) => {
                    let parameter = self.index.param_of.get(&self.index.var(call.func, var));
                    return parameter.is_some_and(|&(owner, at)| !self.index.is_receiver(owner, at));
                }
                _ => None,
            };
        }
        false
    }

    /// The name of the method that a call calls.
    fn method_word(&self, call: CallExpr<'a>) -> Option<&'a str> {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let Expr::Call { callee, .. } = *facts.expr(call.expr) else { return None };
        facts.written_name(callee).map(|name| facts.str(name))
    }

    /// What a call makes of each element stands in the container that it hands back.
    pub(super) fn collected(&mut self, call: CallId, made: Type) {
        let container = self.make(self.call_of(call));
        self.store_entry(container, None, Value::Is(made));
    }

    /// Calls of the language's own types, and constructors of what only a library knows.
    pub(super) fn call_wrapped_library(&mut self, call: CallId, path: PathId) {
        let (words, call) = (self.words(), self.call_of(call));
        let text = self.index.externals.text(path);
        if words.hands_back(text) {
            if let Some(first) = call.args.first() {
                let first = self.value(call.func, first.value);
                self.copy(first, call.result);
            }
            return;
        }
        if words.makes_ends(text) {
            return self.make_ends(call);
        }
        let Some((owner_path, last)) = text.rsplit_once('.') else { return };
        let owner = owner_path.rsplit('.').next().unwrap_or(owner_path);
        if !words.constructors.contains(last) {
            return;
        }
        if words.sequences.contains(owner) || words.mappings.contains(owner) {
            self.make_container(call, words.mappings.contains(owner));
        } else if self.index.externals.result(path).is_none() && owner.starts_with(char::is_uppercase) {
            let owner = self.index.externals.path(owner_path);
            self.insert(call.result, Type::Object(owner));
        }
    }

    /// `Vec::from(items)`, `HashMap::from([(key, value)])`.
    fn make_container(&mut self, call: CallExpr<'a>, is_map: bool) {
        let made = self.make(call);
        for arg in call.args {
            if is_map && self.make_entries(call.func, arg.value, made) {
                continue;
            }
            let value = self.value(call.func, arg.value);
            self.on_containers(value, React::CopyInto(made));
        }
    }

    /// `[(key, value), …]`; false if it is no such list.
    fn make_entries(&mut self, func: Func, list: ExprId, made: ContainerId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Seq(entries) = *facts.expr(list) else { return false };
        for &entry in facts.list(entries) {
            let Expr::Seq(parts) = *facts.expr(entry) else { return false };
            let [key, value] = *facts.list(parts) else { return false };
            let (key, value) = (self.constant_key(func, key), self.value(func, value));
            self.store_entry(made, key, value);
        }
        true
    }

    /// `let (sender, receiver) = channel();`: both ends are what is put into one.
    fn make_ends(&mut self, call: CallExpr<'a>) {
        let file = self.index.file_of(call.func);
        let queue = self.container(file, call.expr, Role::Pair);
        let ends = self.container(file, call.expr, Role::Value);
        for at in [0, 1] {
            self.store_entry(ends, Some(Key::At(at)), Value::Is(Type::Container(queue)));
        }
        self.insert(call.result, Type::Container(ends));
    }

    /// A variant that only holds its value binds what the subject is; one of the project binds its own fields.
    pub(super) fn bind_variant(&mut self, func: Func, pat: PatId, value: Value) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Pat::Ctor { path, items, named } = *facts.pat(pat) else { return };
        let variant = self.index.statics(func, path);
        if self.only_holds(&variant) {
            return facts.list(items).iter().for_each(|&item| self.bind(func, item, value));
        }
        let is_own = variant.iter().any(|ty| matches!(ty, Type::Class { .. }));
        let value = if is_own { self.instances(func, path) } else { value };
        self.bind_fields(func, named, value);
        for (at, &item) in facts.list(items).iter().enumerate() {
            let Some(name) = self.index.names.get(&at.to_string()) else { continue };
            let to = self.new_slot();
            self.on(value, React::LoadOwn { name, to });
            self.bind(func, item, Value::In(to));
        }
    }

    /// `Ok`, `Some` and the like.
    fn only_holds(&self, variant: &Types) -> bool {
        variant.iter().any(|ty| match *ty {
            Type::External(path) => self.words().hands_back(self.index.externals.text(path)),
            _ => false,
        })
    }

    /// `match value { Ok(v) => …, other => … }`: what is left behind the good case is the bad one, which nobody follows.
    pub(super) fn build_match(&mut self, func: Func, subject: ExprId, arms: ListOf<Arm>) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let subject = self.value(func, subject);
        let mut is_taken_apart = false;
        for arm in facts.list(arms) {
            match *facts.pat(arm.pat) {
                Pat::Var(_) if is_taken_apart => {}
                Pat::Ctor { path, .. } => {
                    is_taken_apart |= self.only_holds(&self.index.statics(func, path));
                    self.bind(func, arm.pat, subject);
                }
                _ => self.bind(func, arm.pat, subject),
            }
        }
    }

    /// `X::default()` of a class of the project that has none written out: a macro wrote it.
    pub(super) fn is_made(&mut self, func: Func, callee: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return false };
        self.has_wrappers(func)
            && self.words().constructors.contains(facts.str(name))
            && self.eval_base(func, base).iter().any(|ty| matches!(ty, Type::Class { .. }))
    }
}
