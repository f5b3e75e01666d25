//! What a body becomes, calls aside: binding, storing, returning, iterating, entering, building containers.

use super::ids::{Func, Key, Role, Slot};
use super::ports::Port;
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{EntryKey, Expr, ExprId, Jump, ListOf, Pat, PatField, PatId, Sym};

impl Solver<'_, '_> {
    /// Makes constraints of all that moves values in a body.
    pub fn build(&mut self, func: Func) {
        for position in 0..self.index.ir(func).params.len() as u32 {
            self.build_default(func, position);
        }
        for expr in self.index.ir(func).exprs.iter() {
            self.build_expr(func, expr);
        }
    }

    fn build_expr(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(expr) {
            Expr::Bind { pat, value } => self.build_bind(func, pat, value),
            Expr::Store { place, op, value: Some(value) }
                if !matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_)) =>
            {
                let value = match op {
                    Some(op) => self.added_value(func, op, value),
                    None => self.value(func, value),
                };
                self.store(func, place, value);
            }
            Expr::Jump { kind: Jump::Return, value: Some(value) } => self.build_return(func, value),
            Expr::Yield { value: Some(value), delegate } => {
                let value = if delegate { self.elements(func, value) } else { self.value(func, value) };
                self.copy(value, self.yields(func));
            }
            Expr::Try(at) => {
                for handler in facts.list(facts.arenas.try_at(at).handlers) {
                    if let Some(pat) = handler.pat {
                        let caught = self.caught(func, facts.list(handler.types));
                        self.bind(func, pat, caught);
                    }
                }
            }
            Expr::Loop(index) => {
                if let Some((pat, iterable)) = facts.arenas.loop_at(index).each {
                    let elements = self.elements(func, iterable);
                    self.bind(func, pat, elements);
                }
            }
            Expr::With { context, pat: Some(pat), .. } => {
                let context = self.value(func, context);
                let entered = self.ask(context, Port::Enter);
                self.bind(func, pat, entered);
            }
            Expr::Match { subject, arms } if self.has_wrappers(func) => self.build_match(func, subject, arms),
            Expr::Match { subject, arms } => {
                let subject = self.value(func, subject);
                facts.list(arms).iter().for_each(|arm| self.bind(func, arm.pat, subject));
            }
            Expr::Seq(items) => self.build_seq(func, expr, items),
            Expr::Record(_) => self.build_record(func, expr),
            Expr::Collect { item, .. } => {
                let container = self.container(file, expr, Role::Value);
                let value = self.value(func, item);
                match facts.expr(item) {
                    Expr::Spread(_) => self.on_containers(value, React::CopyInto(container)),
                    _ => self.store_entry(container, None, value),
                }
            }
            Expr::Call { .. } => self.build_call(func, expr),
            _ => {}
        }
    }

    /// Objects of the classes that a handler catches.
    fn caught(&mut self, func: Func, types: &[ExprId]) -> Value {
        let to = self.new_slot();
        for &ty in types {
            let objects = self.instances(func, ty);
            self.copy(objects, to);
        }
        Value::In(to)
    }

    /// What `yield` gives: what the caller sends, or what the other generator hands back at its end.
    pub(super) fn yield_value(&mut self, func: Func, delegate: Option<ExprId>) -> Value {
        let to = self.new_slot();
        match delegate {
            Some(other) => {
                let other = self.value(func, other);
                self.on(other, React::Return(to));
            }
            None => {
                let sent = self.sent_into(func);
                self.copy(Value::In(sent), to);
            }
        }
        Value::In(to)
    }

    pub(super) fn sent_into(&mut self, func: Func) -> Slot {
        if let Some(&known) = self.sent.get(&func) {
            return known;
        }
        let slot = self.new_slot();
        self.sent.insert(func, slot);
        slot
    }

    /// `a, b = x, y` binds pairwise; anything else binds the value as a whole.
    fn build_bind(&mut self, func: Func, pat: PatId, value: ExprId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if let (Pat::Seq { items, rest: None }, Expr::Seq(values)) = (*facts.pat(pat), *facts.expr(value)) {
            let (items, values) = (facts.list(items), facts.list(values));
            let plain = values.iter().all(|&v| !matches!(facts.expr(v), Expr::Spread(_)));
            if items.len() == values.len() && plain {
                for (&item, &value) in items.iter().zip(values) {
                    self.build_bind(func, item, value);
                }
                return;
            }
        }
        self.decorate(func, value);
        let value = self.value(func, value);
        self.bind(func, pat, value);
    }

    pub fn bind(&mut self, func: Func, pat: PatId, value: Value) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.pat(pat) {
            Pat::Var(var) => self.bind_var(func, var, value),
            Pat::As { pat, var } => {
                let whole = match *facts.pat(pat) {
                    Pat::Ctor { path, .. } => self.instances(func, path),
                    _ => value,
                };
                self.bind_var(func, var, whole);
                self.bind(func, pat, value);
            }
            Pat::Place(place) => self.store(func, place, value),
            Pat::Seq { items, rest } => self.bind_sequence(func, items, rest.map(|r| r.0), value),
            Pat::Or(alternatives) => {
                facts.list(alternatives).iter().for_each(|&alternative| self.bind(func, alternative, value));
            }
            Pat::Record { items, .. } => {
                for field in facts.list(items) {
                    let key = Key::Name(field.name);
                    let entry = self.entry_value(value, Some(key));
                    self.bind(func, field.pat, entry);
                }
            }
            Pat::Ctor { .. } if self.has_wrappers(func) => self.bind_variant(func, pat, value),
            Pat::Ctor { path, items, named } => {
                let value = if self.names_class(func, path) { self.instances(func, path) } else { value };
                self.bind_fields(func, named, value);
                // What stands at a position is not known.
                facts.list(items).iter().for_each(|&item| self.bind(func, item, Value::Nothing));
            }
            Pat::Wild | Pat::Value(_) => {}
        }
    }

    /// A pattern that names a class says what the value is.
    fn names_class(&self, func: Func, path: ExprId) -> bool {
        let named = self.index.statics(func, path);
        named.iter().any(|ty| matches!(ty, Type::Class { .. } | Type::External(_)))
    }

    /// Objects of the class that a pattern names.
    pub(super) fn instances(&mut self, func: Func, path: ExprId) -> Value {
        let classes = self.value(func, path);
        self.ask(classes, Port::Objects)
    }

    pub(super) fn bind_fields(&mut self, func: Func, named: ListOf<PatField>, value: Value) {
        let file = self.index.file_of(func);
        for field in self.index.units[file].facts.list(named) {
            let held = self.field_value(value, field.name);
            self.bind(func, field.pat, held);
        }
    }

    fn bind_sequence(&mut self, func: Func, items: ListOf<PatId>, rest: Option<u32>, value: Value) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        // Of the pairs that a map or a counted sequence of Rust runs through, only the values are known.
        let is_pair = items.len() == 2 && self.has_wrappers(func);
        for (position, &item) in facts.list(items).iter().enumerate() {
            let position = position as u32;
            let entry = match rest {
                // Behind `*rest` positions are unknown; `rest` itself is the sequence again.
                Some(at) if position == at => {
                    let to = self.new_slot();
                    self.on(value, React::Part(to));
                    Value::In(to)
                }
                Some(at) if position > at => self.entry_value(value, None),
                _ if is_pair && position == 1 => {
                    let to = self.new_slot();
                    self.on(value, React::EntryOrItself { key: Key::At(position), to });
                    Value::In(to)
                }
                _ => self.entry_value(value, Some(Key::At(position))),
            };
            self.bind(func, item, entry);
        }
    }

    fn entry_value(&mut self, value: Value, key: Option<Key>) -> Value {
        self.ask(value, Port::Entry(key))
    }

    /// Assigns to an attribute, an entry or a global name.
    pub fn store(&mut self, func: Func, place: ExprId, value: Value) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(place) {
            // Also of an unknown value: an attribute that the project sets is no library's.
            Expr::Field { base, name } => {
                let is_test = self.index.is_test_code(func);
                let object = self.value(func, base);
                self.store_special(func, (object, name), value);
                match self.index.is_own_object(func, base) {
                    true => self.put(object, Port::SetAttr { name, is_test }, value),
                    false => self.set_attribute(object, name, is_test, value),
                }
            }
            Expr::Index { base, key } => {
                self.store_by_name(func, base, key, value);
                let key = self.constant_key(func, key);
                let base = self.value(func, base);
                self.put(base, Port::SetEntry(key), value);
            }
            Expr::Free(name) => {
                let known = self.index.export(self.index.module_body(file), name);
                if let Some(slot) = known.or_else(|| self.global_slots.get(&(file as u32, name)).copied()) {
                    self.copy(value, slot);
                }
            }
            Expr::Var(var) => self.bind_var(func, var, value),
            _ => {}
        }
    }

    /// An object gets another class, or the entries of a mapping as its attributes.
    fn store_special(&mut self, func: Func, (object, name): (Value, Sym), value: Value) {
        match self.method_does(func, name) {
            Some(DataOp::Class) => {
                if let Value::In(slot) = object {
                    let objects = self.ask(value, Port::Objects);
                    self.copy(objects, slot);
                }
            }
            Some(DataOp::Attributes) => self.take_attributes(object, value),
            _ => {}
        }
    }

    /// `return p` and `return cls(…)` are answered at each call.
    fn build_return(&mut self, func: Func, value: ExprId) {
        if self.is_answered(func, value) {
            return;
        }
        let value = self.value(func, value);
        self.copy(value, self.returned(func));
    }

    /// What iterating over `iterable` gives.
    pub fn elements(&mut self, func: Func, iterable: ExprId) -> Value {
        let iterable = self.value(func, iterable);
        self.ask(iterable, Port::Elements)
    }

    fn build_seq(&mut self, func: Func, expr: ExprId, items: ListOf<ExprId>) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let mut known = true;
        for (position, &item) in facts.list(items).iter().enumerate() {
            let is_spread = matches!(facts.expr(item), Expr::Spread(_));
            known &= !is_spread;
            let value = if is_spread { self.elements(func, item) } else { self.value(func, item) };
            if value != Value::Nothing {
                let container = self.container(file, expr, Role::Value);
                self.store_entry(container, known.then_some(Key::At(position as u32)), value);
            }
        }
        if known && let Some(list) = self.containers.made_here(file, expr) {
            self.containers.written.insert(list, facts.list(items).len() as u32);
        }
        if let &[key, value] = facts.list(items)
            && self.value(func, value) != Value::Nothing
        {
            let pair = self.container(file, expr, Role::Value);
            let key = self.constant_key(func, key);
            self.containers.pairs.insert(pair, key);
        }
    }

    fn build_record(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Expr::Record(entries) = *facts.expr(expr) else { return };
        for entry in facts.list(entries) {
            let value = self.value(func, entry.value);
            if value == Value::Nothing {
                continue;
            }
            let container = self.container(file, expr, Role::Value);
            match entry.key {
                EntryKey::Expr(key) => {
                    let key = self.constant_key(func, key);
                    self.store_entry(container, key, value);
                }
                EntryKey::Spread => self.on_containers(value, React::CopyInto(container)),
            }
        }
    }

    /// The default value of a parameter.
    fn build_default(&mut self, func: Func, position: u32) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let param = facts.list(self.index.ir(func).params)[position as usize];
        let (Some(default), Pat::Var(var)) = (param.default, *facts.pat(param.pat)) else { return };
        let scope = self.index.ir(func).parent;
        let default = self.value(scope, default);
        self.bind_var(func, var, default);
    }
}
