//! Constraints other than calls: binding, storing, returning, iterating, entering, building containers.

use super::calls::{CALL, INIT};
use super::eval::push;
use super::program::Func;
use super::solve::{Key, Role, Solver};
use super::types::{ContainerId, Slot, Type, Types};
use crate::ir::{EntryKey, Expr, ExprId, Jump, ListOf, Pat, PatId};

impl Solver<'_, '_> {
    /// Runs the constraint of one expression.
    pub fn apply(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(expr) {
            Expr::Bind { pat, value } => self.apply_bind(func, pat, value),
            Expr::Store { place, value: Some(value), .. } => {
                let types = self.eval(func, value);
                self.store(func, place, &types);
            }
            Expr::Jump { kind: Jump::Return, value: Some(value) } => self.apply_return(func, value),
            Expr::Yield { value: Some(value), delegate } => self.apply_yield(func, value, delegate),
            Expr::Loop(index) => {
                if let Some((pat, iterable)) = facts.arenas.loop_at(index).each {
                    let elements = self.elements(func, iterable);
                    self.bind(func, pat, &elements);
                }
            }
            Expr::With { context, pat: Some(pat), .. } => {
                let entered = self.entered(func, context);
                self.bind(func, pat, &entered);
            }
            Expr::Match { subject, arms } if self.is_rust(func) => self.apply_match(func, subject, arms),
            Expr::Match { subject, arms } => {
                let types = self.eval(func, subject);
                facts.list(arms).iter().for_each(|arm| self.bind(func, arm.pat, &types));
            }
            Expr::Seq(items) => self.apply_seq(func, expr, items),
            Expr::Record(_) => self.apply_record(func, expr),
            Expr::Collect { item, .. } => {
                let types = self.eval(func, item);
                let container = self.container(file, expr, Role::Value);
                self.store_entry(container, None, &types);
            }
            Expr::Call { .. } => self.apply_call(func, expr),
            _ => {}
        }
    }

    /// `a, b = x, y` binds pairwise; anything else binds the value as a whole.
    fn apply_bind(&mut self, func: Func, pat: PatId, value: ExprId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if let (Pat::Seq { items, rest: None }, Expr::Seq(values)) = (*facts.pat(pat), *facts.expr(value)) {
            let (items, values) = (facts.list(items), facts.list(values));
            let plain = values.iter().all(|&v| !matches!(facts.expr(v), Expr::Spread(_)));
            if items.len() == values.len() && plain {
                for (&item, &value) in items.iter().zip(values) {
                    self.apply_bind(func, item, value);
                }
                return;
            }
        }
        if let Expr::Closure(id) = *facts.expr(value) {
            self.decorate(func, self.index.func(self.index.file_of(func), id));
        }
        let types = self.eval(func, value);
        self.bind(func, pat, &types);
    }

    /// A decorator is called with the function below it: a registry's decorator stores it.
    fn decorate(&mut self, scope: Func, function: Func) {
        let facts = self.index.units[self.index.file_of(function)].facts;
        for &decorator in facts.list(self.index.ir(function).decorators) {
            for ty in self.eval(scope, decorator) {
                let method = match ty {
                    Type::Function(decorator) => {
                        self.pass(decorator, 0, &[Type::Function(function)]);
                        self.own_wrapper(decorator, function);
                        continue;
                    }
                    Type::Bound(decorator) => vec![decorator],
                    Type::Instance { .. } => self.method(ty, CALL),
                    Type::Class { class, .. } => self.method(Type::Instance { class, exact: true }, INIT),
                    _ => continue,
                };
                method.into_iter().for_each(|method| self.pass(method, 1, &[Type::Function(function)]));
            }
        }
    }

    /// The wrapper around a method is given the method's object first.
    fn own_wrapper(&mut self, decorator: Func, method: Func) {
        let Some(class) = self.index.method_of[method.0 as usize] else { return };
        let mut wrappers = Types::new();
        self.wrappers(decorator, &mut wrappers);
        for wrapper in wrappers {
            if let Type::Function(wrapper) = wrapper {
                self.pass(wrapper, 0, &[Type::Instance { class, exact: false }]);
            }
        }
    }

    pub fn bind(&mut self, func: Func, pat: PatId, types: &[Type]) {
        if types.is_empty() {
            return self.bind_patterns(func, pat);
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.pat(pat) {
            Pat::Var(var) => {
                let slot = self.index.var(func, var);
                self.insert_all(slot, types);
            }
            Pat::As { pat, var } => {
                let slot = self.index.var(func, var);
                if !matches!(facts.pat(pat), Pat::Ctor { .. }) {
                    self.insert_all(slot, types);
                }
                self.bind_patterns(func, pat);
                self.bind_named_class(func, pat, slot);
            }
            Pat::Place(place) => self.store(func, place, types),
            Pat::Seq { items, rest } => self.bind_sequence(func, items, rest.map(|r| r.0), types),
            Pat::Or(alternatives) => {
                facts.list(alternatives).iter().for_each(|&alternative| self.bind(func, alternative, types));
            }
            Pat::Record { items, .. } => {
                for field in facts.list(items) {
                    let key = Key::Name(self.index.name(self.index.file_of(func), field.name));
                    let values = self.entries(types, Some(key));
                    self.bind(func, field.pat, &values);
                }
            }
            Pat::Ctor { .. } if self.is_rust(func) => self.bind_variant(func, pat, types),
            Pat::Ctor { items, named, .. } => self.bind_fields(func, items, named, types),
            Pat::Wild | Pat::Value(_) => {}
        }
    }

    /// Patterns that name a class say what they bind even where the subject is unknown.
    fn bind_patterns(&mut self, func: Func, pat: PatId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.pat(pat) {
            // What was let go would be here.
            Pat::Var(var) => self.insert_all(self.index.var(func, var), &[]),
            Pat::Place(place) => self.store(func, place, &[]),
            Pat::As { pat, var } => {
                let slot = self.index.var(func, var);
                self.bind_named_class(func, pat, slot);
                self.bind_patterns(func, pat);
            }
            Pat::Or(items) | Pat::Seq { items, .. } => {
                facts.list(items).iter().for_each(|&item| self.bind_patterns(func, item));
            }
            Pat::Ctor { .. } if self.is_rust(func) => self.bind_variant(func, pat, &[]),
            Pat::Ctor { path, items, named } => {
                let types = self.instances(func, path);
                self.bind_fields(func, items, named, &types);
            }
            _ => {}
        }
    }

    fn bind_named_class(&mut self, func: Func, pat: PatId, slot: Slot) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if let Pat::Ctor { path, .. } = *facts.pat(pat) {
            let types = self.instances(func, path);
            self.insert_all(slot, &types);
        }
    }

    pub(super) fn instances(&mut self, func: Func, path: ExprId) -> Types {
        let classes = self.eval(func, path);
        let instances = classes.into_iter().filter_map(|ty| match ty {
            Type::Class { class, .. } => Some(Type::Instance { class, exact: false }),
            Type::External(_) | Type::Handed(_) => Some(ty),
            _ => None,
        });
        instances.collect()
    }

    pub(super) fn bind_fields(
        &mut self,
        func: Func,
        items: ListOf<PatId>,
        named: ListOf<crate::ir::PatField>,
        types: &[Type],
    ) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        for field in facts.list(named) {
            let name = self.index.name(file, field.name);
            let mut values = Types::new();
            types.iter().for_each(|&ty| self.attr_of(ty, name, &mut values));
            self.bind(func, field.pat, &values);
        }
        facts.list(items).iter().for_each(|&item| self.bind_patterns(func, item));
    }

    fn bind_sequence(&mut self, func: Func, items: ListOf<PatId>, rest: Option<u32>, types: &[Type]) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        for (position, &item) in facts.list(items).iter().enumerate() {
            let position = position as u32;
            let values = match rest {
                // Behind `*rest` positions are unknown; `rest` itself is the sequence again.
                Some(at) if position == at => types.into(),
                Some(at) if position > at => self.entries(types, None),
                _ => self.entries(types, Some(Key::At(position))),
            };
            let values = self.or_value(func, (position, items.len()), types, values);
            self.bind(func, item, &values);
        }
    }

    fn entries(&mut self, types: &[Type], key: Option<Key>) -> Types {
        let mut out = Types::new();
        for &ty in types {
            match ty {
                Type::Container(container) => self.read_entry(container, key, &mut out),
                Type::Generator(func) => self.read(self.yields(func), &mut out),
                _ => {}
            }
        }
        out
    }

    /// Assigns to an attribute, an entry or a global name.
    pub fn store(&mut self, func: Func, place: ExprId, types: &[Type]) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(place) {
            Expr::Field { base, name } => {
                let name = self.index.name(file, name);
                for base in self.eval(func, base) {
                    self.store_attr(func, base, name, types);
                }
            }
            Expr::Index { base, key } => {
                self.store_by_name(func, base, key, types);
                let key = self.constant_key(func, key);
                for base in self.eval(func, base) {
                    if let Type::Container(container) = base {
                        self.store_entry(container, key, types);
                    }
                }
            }
            Expr::Free(name) => {
                let name = self.index.name(file, name);
                let known = self.index.export(self.index.module_body(file), name);
                if let Some(slot) = known.or_else(|| self.global_slots.get(&(file as u32, name)).copied()) {
                    self.insert_all(slot, types);
                }
            }
            Expr::Var(var) => {
                let slot = self.index.var(func, var);
                self.insert_all(slot, types);
            }
            _ => {}
        }
    }

    pub fn store_entry(&mut self, container: ContainerId, key: Option<Key>, types: &[Type]) {
        let (any, unknown) = {
            let container = &self.containers[container.0 as usize];
            (container.any, container.unknown)
        };
        if let (Some(Key::Name(name)), Some(&class)) = (key, self.fields_of.get(&container)) {
            let attr = self.attr(class, name);
            self.insert_all(attr, types);
        }
        let slot = key.map_or(unknown, |key| self.entry(container, key));
        self.insert_all(slot, types);
        self.insert_all(any, types);
    }

    fn apply_return(&mut self, func: Func, value: ExprId) {
        if self.closed_returns[func.0 as usize] {
            return;
        }
        let types = self.eval(func, value);
        let slot = self.returned(func);
        self.insert_all(slot, &types);
    }

    fn apply_yield(&mut self, func: Func, value: ExprId, delegate: bool) {
        let types = if delegate { self.elements(func, value) } else { self.eval(func, value) };
        let slot = self.yields(func);
        self.insert_all(slot, &types);
    }

    /// What iterating over `iterable` gives.
    pub fn elements(&mut self, func: Func, iterable: ExprId) -> Types {
        let types = self.eval(func, iterable);
        let mut out = self.entries(&types, None);
        for ty in types {
            if let Type::Instance { .. } = ty {
                self.read_method_result(ty, "__iter__", &mut out);
                self.read_method_result(ty, "__next__", &mut out);
            }
        }
        out
    }

    /// What `with context as x` gives `x`: a library's object stands for itself.
    fn entered(&mut self, func: Func, context: ExprId) -> Types {
        let mut out = Types::new();
        for ty in self.eval(func, context) {
            match ty {
                Type::Generator(func) => self.read(self.yields(func), &mut out),
                Type::Instance { .. } => {
                    let before = out.len();
                    self.read_method_result(ty, "__enter__", &mut out);
                    self.read_method_result(ty, "__aenter__", &mut out);
                    if out.len() == before {
                        push(&mut out, ty);
                    }
                }
                _ => push(&mut out, ty),
            }
        }
        out
    }

    fn apply_seq(&mut self, func: Func, expr: ExprId, items: ListOf<ExprId>) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let container = self.container(file, expr, Role::Value);
        let mut known = true;
        for (position, &item) in facts.list(items).iter().enumerate() {
            if let Expr::Spread(inner) = *facts.expr(item) {
                known = false;
                let types = self.elements(func, inner);
                self.store_entry(container, None, &types);
            } else {
                let types = self.eval(func, item);
                self.store_entry(container, known.then_some(Key::At(position as u32)), &types);
            }
        }
    }

    fn apply_record(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Expr::Record(entries) = *facts.expr(expr) else { return };
        let container = self.container(file, expr, Role::Value);
        for entry in facts.list(entries) {
            let types = self.eval(func, entry.value);
            match entry.key {
                EntryKey::Expr(key) => {
                    let key = self.constant_key(func, key);
                    self.store_entry(container, key, &types);
                }
                EntryKey::Spread => types.iter().for_each(|&ty| self.copy_entries(ty, container)),
            }
        }
    }

    /// `{**other}`, `update(other)`.
    pub fn copy_entries(&mut self, from: Type, to: ContainerId) {
        let Type::Container(from) = from else { return };
        if from == to {
            return;
        }
        let keys: Vec<Key> = self.containers[from.0 as usize].keys.iter().map(|&(key, _)| key).collect();
        for key in keys {
            let slot = self.entry(from, key);
            let mut types = Types::new();
            self.read(slot, &mut types);
            self.store_entry(to, Some(key), &types);
        }
        let unknown = self.containers[from.0 as usize].unknown;
        let mut types = Types::new();
        self.read(unknown, &mut types);
        self.store_entry(to, None, &types);
    }

    /// The default value of a parameter.
    pub fn default_of(&mut self, func: Func, position: u32) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let param = facts.list(self.index.ir(func).params)[position as usize];
        let (Some(default), Pat::Var(var)) = (param.default, *facts.pat(param.pat)) else { return };
        let slot = self.index.var(func, var);
        if self.closed_params.contains(&slot) {
            return;
        }
        let scope = self.index.func(file, self.index.ir(func).parent);
        let types = self.eval(scope, default);
        self.insert_all(slot, &types);
    }
}
