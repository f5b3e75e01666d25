//! What functions and methods do to collections and objects, by the operations of the catalogue: no name of any language stands here.

use super::call::CallExpr;
use super::ids::{CallId, ContainerId, Func, Key, Role, Slot};
use super::ports::Port;
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, Op, Sym};

impl<'a> Solver<'_, 'a> {
    /// What a method of this name does in the language of a function.
    pub(super) fn method_does(&self, func: Func, name: Sym) -> Option<DataOp> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        self.index.externals.catalog().operations.own_method(facts.lang, facts.str(name))
    }

    /// A call of a function that does what the catalogue says.
    pub(super) fn call_operation(&mut self, id: CallId, does: DataOp) {
        use DataOp::{
            Cast, Class, CopyWith, Enumerate, GetAttribute, MakeDefaultingMapping, MakeUniform, Members,
            Next, OneOf, Pair, Parent,
        };
        let call = self.call_of(id);
        let first = call.args.first().map(|arg| arg.value);
        match (does, first) {
            (Parent, _) => {
                if let Some(class) = self.index.enclosing_class(call.func) {
                    self.insert(call.result, Type::Super(class));
                }
            }
            (MakeDefaultingMapping, Some(factory)) => self.make_defaulting(call, factory),
            (MakeUniform, Some(_)) => self.make_uniform(call),
            (Pair, _) => {
                let columns: Vec<(u32, Value)> = call
                    .args
                    .iter()
                    .enumerate()
                    .map(|(at, arg)| (at as u32, self.elements(call.func, arg.value)))
                    .collect();
                self.pairs(call, &columns);
            }
            (Enumerate, Some(value)) => {
                let elements = self.elements(call.func, value);
                self.pairs(call, &[(1, elements)]);
            }
            (Next | OneOf, Some(_)) => self.hand_out(call),
            (GetAttribute, Some(value)) => self.call_getattr(call, value),
            (Class, Some(value)) if call.args.len() == 1 => {
                let value = self.value(call.func, value);
                let classes = self.ask(value, Port::ClassOf);
                self.copy(classes, call.result);
            }
            (Class, _) => self.make_class(call),
            (Cast, Some(ty)) => self.cast(call, ty),
            (CopyWith, Some(value)) => self.copy_with(call, value),
            (Members, Some(value)) => self.call_members(call, value),
            _ if is_cell(does) => self.call_cell(call, does),
            _ => self.make_collection(id, does),
        }
    }

    /// `list(values)` holds the same as `values`, and `dict(pairs)` what stands second in each pair.
    fn make_collection(&mut self, id: CallId, does: DataOp) {
        use DataOp::{
            Copy, DeepCopy, Filter, Iterate, MakeChainedMapping, MakeCollection, MakeMapping,
            MakeOrderedMapping, MakeSet, MakeView, Reverse,
        };
        let call = self.call_of(id);
        let is_mapping = matches!(does, MakeMapping | MakeOrderedMapping | MakeChainedMapping);
        let is_made = is_mapping || matches!(does, MakeCollection | MakeSet);
        if !is_made && !matches!(does, Copy | DeepCopy | Filter | Iterate | MakeView | Reverse) {
            return;
        }
        if is_mapping && call.args.iter().any(|arg| matches!(arg.kind, ArgKind::Named(_))) {
            let made = self.make(call);
            return self.container_update(call, made);
        }
        // What a filter lets through stands behind the function that says what.
        let given = if does == Filter { call.args.get(1) } else { call.args.first() };
        let Some(&Arg { value, .. }) = given else {
            if is_made {
                self.make(call);
            }
            return;
        };
        let whole = self.value(call.func, value);
        self.copy(whole, call.result);
        if is_mapping {
            let pairs = self.ask(whole, Port::Elements);
            self.on_containers(pairs, React::Pairs(id));
        }
    }

    /// A pair becomes an entry of the mapping that a call makes.
    pub(super) fn pair_into(&mut self, id: CallId, pair: ContainerId) {
        let Some(&key) = self.containers.pairs.get(&pair) else { return };
        let made = self.make(self.call_of(id));
        let value = self.new_slot();
        self.read_entry(pair, Some(Key::At(1)), value);
        self.store_noted(made, key, Value::In(value));
    }

    /// `defaultdict(Client)`: what is missing is made by the factory.
    fn make_defaulting(&mut self, call: CallExpr<'a>, at: ExprId) {
        let made = self.make(call);
        let to = self.new_slot();
        let factory = self.value(call.func, at);
        let missing = self.add_call(CallExpr { expr: at, receiver: None, args: &[], result: to, ..call });
        self.on(factory, React::Call(missing));
        self.store_noted(made, None, Value::In(to));
    }

    /// One value under every key.
    fn make_uniform(&mut self, call: CallExpr<'a>) {
        let Some(&Arg { value, .. }) = call.args.get(1) else { return };
        let made = self.make(call);
        let value = self.value(call.func, value);
        self.store_noted(made, None, value);
    }

    /// The container that a call makes and hands back.
    pub(super) fn make(&mut self, call: CallExpr<'a>) -> ContainerId {
        let made = self.container(self.index.file_of(call.func), call.expr, Role::Value);
        self.insert(call.result, Type::Container(made));
        made
    }

    /// `next(values)`, `max(values)`, `max(a, b)`.
    fn hand_out(&mut self, call: CallExpr<'a>) {
        let positional = || call.args.iter().filter(|arg| arg.kind == ArgKind::Positional);
        if let [only] = positional().collect::<Vec<_>>()[..] {
            let elements = self.elements(call.func, only.value);
            return self.copy(elements, call.result);
        }
        let Some(first) = positional().next() else { return };
        let elements = self.elements(call.func, first.value);
        self.copy(elements, call.result);
        for arg in positional() {
            let value = self.value(call.func, arg.value);
            self.copy(value, call.result);
        }
    }

    fn cast(&mut self, call: CallExpr<'a>, ty: ExprId) {
        let annotation = self.index.annotation(call.func, ty, None);
        annotation.types.iter().for_each(|&ty| self.insert(call.result, ty));
        if let (true, Some(&Arg { value, .. })) = (annotation.types.is_empty(), call.args.get(1)) {
            let value = self.value(call.func, value);
            self.copy(value, call.result);
        }
    }

    /// `replace(object, field=value)`: another object of the class, with some fields of its own.
    fn copy_with(&mut self, call: CallExpr<'a>, value: ExprId) {
        let object = self.value(call.func, value);
        self.copy(object, call.result);
        let is_test = self.index.is_test_code(call.func);
        for arg in call.args {
            if let ArgKind::Named(name) = arg.kind {
                let value = self.value(call.func, arg.value);
                self.put(object, Port::SetAttr { name, is_test }, value);
            }
        }
    }

    /// A sequence of tuples with these values at these positions.
    fn pairs(&mut self, call: CallExpr<'a>, columns: &[(u32, Value)]) {
        let pair = self.container(self.index.file_of(call.func), call.expr, Role::Pair);
        self.containers.pairs.insert(pair, None);
        for &(at, value) in columns {
            self.store_entry(pair, Some(Key::At(at)), value);
        }
        let pairs = self.make(call);
        self.store_entry(pairs, None, Value::Is(Type::Container(pair)));
    }

    /// `getattr(value, "name", default)` with a constant name is the attribute.
    fn call_getattr(&mut self, call: CallExpr<'a>, value: ExprId) {
        let Some(name) = call.args.get(1) else { return };
        let value = self.value(call.func, value);
        self.load_named(call.func, value, name.value, call.result);
        if let Some(default) = call.args.get(2) {
            let default = self.value(call.func, default.value);
            self.copy(default, call.result);
        }
    }

    /// Pairs of names with all that an object has.
    fn call_members(&mut self, call: CallExpr<'a>, object: ExprId) {
        let (object, all) = (self.value(call.func, object), self.new_slot());
        self.unspelled.push(String::new());
        self.on(object, React::LoadAll { beginning: self.unspelled.len() as u32 - 1, to: all });
        self.pairs(call, &[(1, Value::In(all))]);
    }

    /// What lists, sets and mappings do with what they are given.
    pub(super) fn container_method(&mut self, id: CallId, container: ContainerId, name: Sym) {
        use DataOp::{
            Add, Append, Copy, Entries, Extend, Fill, Get, GetEntry, GetOrInsert, Insert, Prepend, SetEntry,
            Take, Union, Update, Values,
        };
        let call = self.call_of(id);
        let Some(does) = self.method_does(call.func, name) else { return };
        let values: Vec<ExprId> = call.args.iter().map(|arg| arg.value).collect();
        match (does, &values[..]) {
            (Append | Add | Prepend | Fill, &[value, ..]) | (Insert, &[_, value]) => {
                let value = self.value(call.func, value);
                self.store_noted(container, None, value);
            }
            (Extend | Union | Update, _) => self.container_update(call, container),
            (Get | Take | GetOrInsert | GetEntry, keys) => self.take_entry(call, container, does, keys),
            (SetEntry, &[key, value]) => {
                let (key, value) = (self.constant_key(call.func, key), self.value(call.func, value));
                self.store_under(container, key, value);
            }
            (Values | Copy, _) => self.insert(call.result, Type::Container(container)),
            // Pairs whose second element is any value.
            (Entries, _) => {
                let values = Value::In(self.elements_of(container));
                self.pairs(call, &[(1, values)]);
            }
            _ => {}
        }
    }

    /// An entry under a key, or what is given in its place.
    fn take_entry(&mut self, call: CallExpr<'a>, container: ContainerId, does: DataOp, args: &[ExprId]) {
        let key = args.first().and_then(|&key| self.constant_key(call.func, key));
        self.read_entry(container, key, call.result);
        if let Some(&default) = args.get(1) {
            let default = self.value(call.func, default);
            self.copy(default, call.result);
            if does == DataOp::GetOrInsert {
                self.store_under(container, key, default);
            }
        }
    }

    fn container_update(&mut self, call: CallExpr<'a>, container: ContainerId) {
        for arg in call.args {
            let value = self.value(call.func, arg.value);
            match arg.kind {
                ArgKind::Named(name) => {
                    let key = Key::Name(name);
                    self.store_entry(container, Some(key), value);
                }
                _ => self.on_containers(value, React::CopyInto(container)),
            }
        }
    }

    /// `base.name`; a test may have said what it is.
    pub(super) fn attribute_value(&mut self, func: Func, expr: ExprId, (base, name): (ExprId, Sym)) -> Value {
        if let Some(slot) = self.member_value(func, base, name) {
            return Value::In(slot);
        }
        let base = self.base_value(func, base);
        if self.method_does(func, name) == Some(DataOp::Class) {
            return self.ask(base, Port::ClassOf);
        }
        let whole = self.field_value(base, name);
        if self.narrowed.contains_key(&expr) { self.narrowed(expr, whole) } else { whole }
    }

    /// What an operator makes is something else than its operands, and has a slot of its own.
    pub(super) fn operator_value(&mut self, func: Func, op: Op, operands: &[ExprId]) -> Value {
        let values: Vec<Value> = operands.iter().map(|&operand| self.value(func, operand)).collect();
        if values.iter().all(|&value| value == Value::Nothing) {
            return Value::Nothing;
        }
        let to = self.new_slot();
        for (at, value) in values.into_iter().enumerate() {
            match op {
                Op::Add if at == 0 => self.on(value, React::Begin(to)),
                Op::Add => self.on(value, React::Part(to)),
                Op::Mul => self.on_containers(value, React::Part(to)),
                Op::BitOr | Op::Div | Op::Other(_) => self.copy(value, to),
                _ => {}
            }
        }
        Value::In(to)
    }

    /// `place += value`: what a sequence holds stands behind what is there.
    pub(super) fn added_value(&mut self, func: Func, op: Op, value: ExprId) -> Value {
        let value = self.value(func, value);
        if op != Op::Add || value == Value::Nothing {
            return value;
        }
        let to = self.new_slot();
        self.on(value, React::Part(to));
        Value::In(to)
    }

    /// `a[2:]`: what a sequence holds, at places of its own.
    pub(super) fn slice_value(&mut self, func: Func, (base, key): (ExprId, ExprId), to: Slot) {
        if let Some(bounds) = self.bounds(func, key) {
            self.containers.bounds.insert(to, bounds);
        }
        let base = self.value(func, base);
        self.on(base, React::Slice(to));
    }

    /// Where a slice begins and ends, if constants say so.
    fn bounds(&self, func: Func, key: ExprId) -> Option<(u32, Option<u32>)> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Op { op: Op::Slice, args } = *facts.expr(key) else { return None };
        let bound = |part: ExprId| match *facts.expr(part) {
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).ok().map(Some),
            Expr::Lit(Lit::None) => Some(None),
            _ => None,
        };
        let &[from, to, ref step @ ..] = facts.list(args) else { return None };
        let is_plain = step.iter().all(|&step| bound(step) == Some(None));
        is_plain.then_some((bound(from)?.unwrap_or_default(), bound(to)?))
    }

    /// A part of a list that is written down keeps its order.
    pub(super) fn slice_into(&mut self, ty: Type, to: Slot) {
        let (Type::Container(whole), Some(&(from, end))) = (ty, self.containers.bounds.get(&to)) else {
            return self.part_into(ty, to);
        };
        // Its places are known, and what is put there later is there, too.
        let Some(&length) = self.containers.written.get(&whole) else { return self.part_into(ty, to) };
        let part = self.part(to);
        let unknown = self.containers.of(whole).unknown;
        self.store_entry(part, None, Value::In(unknown));
        for at in from..end.unwrap_or(length).min(length) {
            let slot = self.entry(whole, Key::At(at));
            self.store_entry(part, Some(Key::At(at - from)), Value::In(slot));
        }
    }

    /// True for `a:b` between brackets.
    pub(super) fn is_slice(&self, func: Func, key: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        matches!(*facts.expr(key), Expr::Op { op: Op::Slice, .. })
    }

    /// The container that takes over what others hold, where a slot stands for it.
    pub(super) fn part(&mut self, to: Slot) -> ContainerId {
        if let Some(&known) = self.containers.parts.get(&to) {
            return known;
        }
        let part = self.add_container();
        self.containers.parts.insert(to, part);
        self.insert(to, Type::Container(part));
        part
    }

    /// What has the elements of a sequence at other places; anything else stays what it is.
    pub(super) fn part_into(&mut self, ty: Type, to: Slot) {
        match ty {
            Type::Container(_) | Type::Generator(_) => {
                let part = self.part(to);
                let elements = self.new_slot();
                self.entry_of(ty, None, elements);
                self.store_entry(part, None, Value::In(elements));
            }
            _ => self.insert(to, ty),
        }
    }

    /// The same of what stands first, whose elements stay where they are.
    pub(super) fn begin_with(&mut self, ty: Type, to: Slot) {
        match ty {
            Type::Container(first) => {
                let part = self.part(to);
                self.copy_entries(first, part);
            }
            _ => self.insert(to, ty),
        }
    }
}

fn is_cell(does: DataOp) -> bool {
    use DataOp::{CallAttribute, LookUpAttribute, LookUpEntry, MakeCell, MakeRecord, MakeTuple};
    matches!(does, CallAttribute | LookUpAttribute | LookUpEntry | MakeCell | MakeRecord | MakeTuple)
}
