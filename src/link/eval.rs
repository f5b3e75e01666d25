//! Where the values of an expression come from: a slot, or what it is by itself.

use rustc_hash::FxHashSet;

use super::constants::Folder;
use super::ids::{Cls, ContainerId, Func, Key, Role, Slot};
use super::kinds::{Accepted, Kinds};
use super::ports::Port;
use super::react::React;
use super::solve::Solver;
use super::types::{Global, Type, Types, Value};
use crate::ir::{Expr, ExprId, FnKind, Lit, Sym};

impl Solver<'_, '_> {
    /// What an expression can be, as far as it is known now: for who asks when everything is.
    pub fn eval(&mut self, func: Func, expr: ExprId) -> Types {
        let value = self.value(func, expr);
        self.settled(value)
    }

    /// The same of what an attribute is read from.
    pub fn eval_base(&mut self, func: Func, base: ExprId) -> Types {
        let value = self.base_value(func, base);
        self.settled(value)
    }

    /// What is called.
    pub fn callees(&mut self, func: Func, callee: ExprId) -> Types {
        let file = self.index.file_of(func);
        let Expr::Field { base, name } = *self.index.units[file].facts.expr(callee) else {
            return self.eval(func, callee);
        };
        let (mut out, mut known) = (Types::new(), FxHashSet::default());
        for base in self.eval_base(func, base) {
            let found = self.method_attr(base, name);
            out.extend(self.settled(found).into_iter().filter(|&ty| known.insert(ty)));
        }
        out
    }

    /// `base.name`, when everything is known.
    pub fn attr_of(&mut self, base: Type, name: Sym) -> Types {
        let value = self.attr(base, name);
        self.settled(value)
    }

    /// Everything that a container holds.
    pub fn held_by(&self, container: ContainerId) -> Types {
        self.types(Value::In(self.elements_of(container)))
    }

    /// The project's own special methods of a type.
    pub fn method(&mut self, receiver: Type, method: &str) -> Vec<Func> {
        let Some(name) = self.index.names.get(method) else { return Vec::new() };
        let members = self.attr_of(receiver, name).into_iter();
        members.filter_map(|ty| if let Type::Bound(func) = ty { Some(func) } else { None }).collect()
    }

    pub(super) fn settled(&mut self, value: Value) -> Types {
        self.settle();
        self.types(value)
    }

    /// Where the values of an expression come from.
    pub fn value(&mut self, func: Func, expr: ExprId) -> Value {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(expr) {
            Expr::Var(var) => {
                let whole = Value::In(self.index.var(func, var));
                if self.narrowed.contains_key(&expr) { self.narrowed(expr, whole) } else { whole }
            }
            Expr::Free(name) => self.global_value(file, name),
            Expr::Call { site, .. } => Value::In(self.result_of(site)),
            Expr::Class(id) if facts.list(facts.class(id).decorators).is_empty() => {
                Value::Is(self.index.class_type(id))
            }
            Expr::Import(id) => self.index.imported(file, id).map_or(Value::Nothing, Value::from),
            Expr::Seq(_) | Expr::Record(_) | Expr::Collect { .. } => {
                Value::Is(Type::Container(self.container(file, expr, Role::Value)))
            }
            Expr::Await(inner) | Expr::Bind { value: inner, .. } | Expr::Spread(inner) => {
                self.value(func, inner)
            }
            Expr::Block(body) => match facts.list(body).last() {
                Some(&last) => self.value(func, last),
                None => Value::Nothing,
            },
            Expr::Match { .. } if !self.has_wrappers(func) => Value::Nothing,
            Expr::Closure(id) if facts.list(facts.function(id).decorators).is_empty() => {
                Value::Is(Type::Function(id))
            }
            Expr::Field { .. }
            | Expr::Index { .. }
            | Expr::Closure(_)
            | Expr::Ascribe { .. }
            | Expr::Any(_)
            | Expr::All(_)
            | Expr::Yield { .. }
            | Expr::Class(_)
            | Expr::Op { .. }
            | Expr::If { .. }
            | Expr::Match { .. } => self.expr_value(func, expr),
            _ => Value::Nothing,
        }
    }

    /// What is asked for again and again, and has a slot of its own.
    fn expr_value(&mut self, func: Func, expr: ExprId) -> Value {
        let key = (self.index.file_of(func) as u32, expr);
        if let Some(&known) = self.expr_slots.get(&key) {
            return known;
        }
        // An expression is no part of itself, but what it leads to may ask for it.
        let made = self.make_value(func, expr);
        self.expr_slots.insert(key, made);
        made
    }

    fn make_value(&mut self, func: Func, expr: ExprId) -> Value {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(expr) {
            Expr::Field { base, name } => self.attribute_value(func, expr, (base, name)),
            Expr::Yield { value, delegate } => self.yield_value(func, value.filter(|_| delegate)),
            Expr::Index { base, key } => self.index_value(func, base, key),
            Expr::Closure(id) => self.closure_value(func, id),
            Expr::Class(id) => self.class_value(func, id),
            Expr::Ascribe { value, ty, is_guess } => self.ascribed_value(func, value, ty, is_guess),
            Expr::Any(parts) | Expr::All(parts) => self.any_of(func, facts.list(parts).iter().copied()),
            Expr::Op { op, args } => self.operator_value(func, op, facts.list(args)),
            Expr::If { arms, otherwise } => {
                self.any_of(func, facts.list(arms).iter().map(|arm| arm.body).chain(otherwise))
            }
            // The value of a branch is that of the block behind it.
            Expr::Match { arms, .. } => self.any_of(func, facts.list(arms).iter().map(|arm| arm.body)),
            _ => Value::Nothing,
        }
    }

    pub(super) fn field_value(&mut self, base: Value, name: Sym) -> Value {
        match base {
            Value::Is(ty) if !matches!(ty, Type::Container(_)) => self.attr(ty, name),
            _ => self.ask(base, Port::Attr(name)),
        }
    }

    fn any_of(&mut self, func: Func, parts: impl Iterator<Item = ExprId>) -> Value {
        let mut values = Vec::new();
        for part in parts {
            match self.value(func, part) {
                Value::Nothing => {}
                value => values.push(value),
            }
        }
        match values[..] {
            [] => Value::Nothing,
            [only] => only,
            _ => {
                let to = self.new_slot();
                values.into_iter().for_each(|value| self.copy(value, to));
                Value::In(to)
            }
        }
    }

    /// What an attribute is read from; of a path of Rust, what its first name means.
    pub fn base_value(&mut self, func: Func, base: ExprId) -> Value {
        let file = self.index.file_of(func);
        match *self.index.units[file].facts.expr(base) {
            Expr::Free(first) if self.index.has_crates(file) => self.index.head(file, first).into(),
            _ => self.value(func, base),
        }
    }

    fn global_value(&mut self, file: usize, name: Sym) -> Value {
        if let Some(&slot) = self.global_slots.get(&(file as u32, name)) {
            return Value::In(slot);
        }
        let global = self.index.global(file, name);
        let is_nowhere = matches!(global, Global::Is(Type::Unbound(_)));
        let run = is_nowhere.then(|| self.run_here(file, name)).flatten();
        run.unwrap_or(global).into()
    }

    /// The function itself, and what the project's own decorators put around it. A decorator's wrapper is defined inside
    /// the decorator; whatever else it hands back belongs to other functions it decorates.
    fn closure_value(&mut self, scope: Func, closure: Func) -> Value {
        let to = self.new_slot();
        self.insert(to, Type::Function(closure));
        let file = self.index.file_of(closure);
        for &decorator in self.index.units[file].facts.list(self.index.ir(closure).decorators) {
            let decorator = self.value(scope, decorator);
            self.on(decorator, React::Around { to });
        }
        Value::In(to)
    }

    /// The same of a class.
    fn class_value(&mut self, scope: Func, class: Cls) -> Value {
        let to = self.new_slot();
        self.insert(to, self.index.class_type(class));
        let facts = self.index.units[self.index.file_of(scope)].facts;
        for &decorator in facts.list(facts.class(class).decorators) {
            let decorator = self.value(scope, decorator);
            self.on(decorator, React::Around { to });
        }
        Value::In(to)
    }

    pub fn is_inside(&self, func: Func, outer: Func) -> bool {
        let mut func = func;
        loop {
            let function = self.index.ir(func);
            if matches!(function.kind, FnKind::Module) {
                return false;
            }
            func = function.parent;
            if func == outer {
                return true;
            }
        }
    }

    /// A declared type is believed; where it says nothing, the value decides.
    fn ascribed_value(&mut self, func: Func, value: Option<ExprId>, ty: ExprId, is_guess: bool) -> Value {
        let class = self.declaring_class(func);
        let annotation = self.index.annotation(func, ty, class);
        let value = value.map_or(Value::Nothing, |value| self.value(func, value));
        let is_made_here = annotation.holds_callables || annotation.is_container();
        let holds = !annotation.elements.is_empty() || value == Value::Nothing && is_made_here;
        let is_anything = annotation.accepts == Kinds::ANY || value == Value::Nothing;
        if annotation.types.is_empty() && !holds && is_anything {
            return value;
        }
        let to = self.new_slot();
        if holds {
            let container = self.annotated_container(self.index.file_of(func), ty, &annotation.elements);
            self.insert(to, Type::Container(container));
        }
        annotation.types.iter().for_each(|&ty| self.insert(to, ty));
        let Accepted { kinds, is_checked } = annotation.accepted();
        self.graph.declare(to, Accepted { kinds, is_checked: is_checked && !is_guess });
        self.copy(value, to);
        Value::In(to)
    }

    pub(super) fn declaring_class(&self, func: Func) -> Option<Cls> {
        match self.index.ir(func).kind {
            FnKind::ClassBody(class) => Some(class),
            _ => self.index.enclosing_class(func),
        }
    }

    fn index_value(&mut self, func: Func, base: ExprId, key: ExprId) -> Value {
        let to = self.new_slot();
        if let Some(objects) = self.namespaces(func, base) {
            self.load_named(func, objects, key, to);
        } else if self.is_slice(func, key) {
            self.slice_value(func, (base, key), to);
        } else {
            let base = self.value(func, base);
            let known = self.constant_key(func, key);
            let item = self.ask(base, Port::Item(known));
            self.copy(item, to);
            if !matches!(known, Some(Key::At(_))) {
                let modules = self.ask(base, Port::Modules);
                self.on(modules, React::Named { func, key, to });
            }
        }
        Value::In(to)
    }

    /// An entry of the table of modules, and of the names of a file that was run.
    pub(super) fn named_entry(&mut self, ty: Type, func: Func, key: ExprId, to: Slot) {
        match ty {
            Type::External(path) if self.index.externals.is_module_table(path) => {
                self.modules_named(func, key).into_iter().for_each(|module| self.insert(to, module));
            }
            Type::Module(_) => self.load_named(func, Value::Is(ty), key, to),
            _ => {}
        }
    }

    pub(super) fn item_of(&mut self, ty: Type, key: Option<Key>, to: Slot) {
        match ty {
            Type::External(path) if self.index.externals.is_module_table(path) => {}
            Type::Container(container) => self.read_entry(container, key, to),
            // A subscript of a library's object, and a generic class with its arguments.
            Type::Class { class, .. } if self.hierarchy.is_enumeration(class) => {
                self.insert(to, Type::Instance { class, exact: true });
            }
            Type::External(_) | Type::Object(_) | Type::Handed(_) | Type::Unbound(_) | Type::Class { .. } => {
                self.insert(to, ty);
            }
            Type::Holder(holder) | Type::PartOf(holder) => self.insert(to, Type::PartOf(holder)),
            Type::Instance { class, .. } => {
                let item = self.method_result(ty, "__getitem__");
                self.copy(item, to);
                if let (Some(Key::Name(name)), true) = (key, self.hierarchy.is_record(self.index, class)) {
                    let field = self.attr(ty, name);
                    self.copy(field, to);
                }
            }
            _ => {}
        }
    }

    pub fn constant_key(&self, func: Func, key: ExprId) -> Option<Key> {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(key) {
            Expr::Lit(Lit::Str(text)) => Some(Key::Name(text)),
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).ok().map(Key::At),
            Expr::Field { base, name } => {
                let mut statics = self.index.statics(func, base).into_iter();
                let class = statics
                    .find_map(|ty| if let Type::Class { class, .. } = ty { Some(class) } else { None })?;
                self.attribute_key(func, key, class, name)
            }
            Expr::Var(_) | Expr::Free(_) => self.named_key(func, key).or_else(|| self.class_key(func, key)),
            _ => None,
        }
    }

    /// A constant that has a name in the function. What others may set has none.
    fn named_key(&self, func: Func, key: ExprId) -> Option<Key> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Var(_) = *facts.expr(key) else { return None };
        if matches!(self.index.ir(func).kind, FnKind::Module | FnKind::ClassBody(_)) {
            return None;
        }
        let (scope, value) = self.index.named_once(func, key);
        if scope != func {
            return None;
        }
        match *facts.expr(value) {
            Expr::Lit(Lit::Str(text)) => Some(Key::Name(text)),
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).ok().map(Key::At),
            _ => None,
        }
    }

    /// A class that its own name stands for.
    fn class_key(&self, func: Func, key: ExprId) -> Option<Key> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if let Expr::Var(var) = *facts.expr(key) {
            let (scope, value) = self.index.sole_definition(self.index.var(func, var))?;
            let facts = self.index.units[self.index.file_of(scope)].facts;
            if !matches!(facts.expr(value), Expr::Class(_) | Expr::Import(_)) {
                return None;
            }
        }
        match self.index.statics(func, key)[..] {
            [Type::Class { class, .. }] => Some(Key::Class(class)),
            _ => None,
        }
    }

    /// A member of an enumeration is a key of its own; any other attribute of a class is the text that it is set to.
    fn attribute_key(&self, func: Func, key: ExprId, class: Cls, name: Sym) -> Option<Key> {
        let member = Key::Member(class, name);
        if self.hierarchy.is_enum(self.index, class) && !self.hierarchy.is_text(self.index, class) {
            return Some(member);
        }
        let values = Folder::new(self.index, self.hierarchy).fold(func, key);
        match &values.list[..] {
            [] => Some(member),
            [only] if only.whole && values.complete => self.index.names.get(&only.text).map(Key::Name),
            _ => None,
        }
    }

    /// The attributes that have the names that an expression is known to be.
    pub(super) fn load_named(&mut self, func: Func, bases: Value, name: ExprId, to: Slot) {
        self.load_made_name(func, bases, name, to);
        for text in self.texts(func, name) {
            match self.index.names.get(&text) {
                Some(name) => {
                    let value = self.field_value(bases, name);
                    self.copy(value, to);
                }
                // A name that no file spells is nobody's attribute but a library's.
                None => {
                    self.unspelled.push(text);
                    self.on(bases, React::LoadUnspelled { text: self.unspelled.len() as u32 - 1, to });
                }
            }
        }
    }

    pub(super) fn load_unspelled(&mut self, base: Type, text: u32, to: Slot) {
        if let Type::External(path) | Type::Object(path) | Type::Handed(path) = base {
            let externals = &self.index.externals;
            let whole = format!("{}.{}", externals.text(path), self.unspelled[text as usize]);
            self.insert(to, Type::External(externals.path(&whole)));
        }
    }
}
