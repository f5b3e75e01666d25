//! What an expression can be, from the slots as they are now.

use super::hierarchy::MethodKind;
use super::modules::Module;
use super::names::Name;
use super::program::{Cls, Func};
use super::solve::{Key, Role, Solver};
use super::statics::Global;
use super::types::{Slot, Type, Types};
use crate::ir::{Expr, ExprId, FnKind, Lit, Op};

impl Solver<'_, '_> {
    pub fn eval(&mut self, func: Func, expr: ExprId) -> Types {
        let mut out = Types::new();
        self.eval_into(func, expr, &mut out);
        out
    }

    pub fn eval_into(&mut self, func: Func, expr: ExprId, out: &mut Types) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(expr) {
            Expr::Var(var) => self.read(self.index.var(func, var), out),
            Expr::Free(name) => self.read_global(file, self.index.name(file, name), out),
            Expr::Field { base, name } => {
                let text = facts.str(name);
                let name = self.index.name(file, name);
                for base in self.eval_base(func, base) {
                    match base {
                        Type::Container(container) => self.element_of(container, text, out),
                        _ => self.attr_of(base, name, out),
                    }
                }
            }
            Expr::Index { base, key } => self.eval_index(func, base, key, out),
            Expr::Call { site, .. } => self.read(self.result_of(file, site), out),
            Expr::Closure(id) => self.eval_closure(func, self.index.func(file, id), out),
            Expr::Class(id) => push(out, self.index.class_type(file, id)),
            Expr::Import(id) => {
                if let Some(global) = self.index.imported(file, id) {
                    self.read_known(global, out);
                }
            }
            Expr::Seq(_) | Expr::Record(_) | Expr::Collect { .. } => {
                let container = self.container(file, expr, Role::Value);
                push(out, Type::Container(container));
            }
            Expr::Await(inner) | Expr::Bind { value: inner, .. } | Expr::Spread(inner) => {
                self.eval_into(func, inner, out);
            }
            Expr::Ascribe { value, ty } => self.eval_ascribed(func, value, ty, out),
            Expr::Any(parts)
            | Expr::All(parts)
            | Expr::Op { op: Op::Add | Op::BitOr | Op::Div, args: parts } => {
                facts.list(parts).iter().for_each(|&part| self.eval_into(func, part, out));
            }
            Expr::If { arms, otherwise } => {
                facts.list(arms).iter().for_each(|arm| self.eval_into(func, arm.body, out));
                otherwise.into_iter().for_each(|body| self.eval_into(func, body, out));
            }
            Expr::Match { arms, .. } if self.is_rust(func) => self.eval_arms(func, arms, out),
            Expr::Block(body) => {
                if let Some(&last) = facts.list(body).last() {
                    self.eval_into(func, last, out);
                }
            }
            _ => {}
        }
    }

    /// What an attribute is read from; of a path of Rust, what its first name means.
    pub fn eval_base(&mut self, func: Func, base: ExprId) -> Types {
        let file = self.index.file_of(func);
        match *self.index.units[file].facts.expr(base) {
            Expr::Free(first) if self.index.is_rust(file) => {
                let mut out = Types::new();
                self.read_known(self.index.head(file, self.index.name(file, first)), &mut out);
                out
            }
            _ => self.eval(func, base),
        }
    }

    fn read_global(&mut self, file: usize, name: Name, out: &mut Types) {
        if let Some(&slot) = self.global_slots.get(&(file as u32, name)) {
            return self.read(slot, out);
        }
        let global = self.index.global(file, name);
        let is_nowhere = matches!(global, Global::Is(Type::Unbound(_)));
        let run = is_nowhere.then(|| self.run_here(file, name)).flatten();
        self.read_known(run.unwrap_or(global), out);
    }

    pub fn read_known(&mut self, global: Global, out: &mut Types) {
        match global {
            Global::Slot(slot) => self.read(slot, out),
            Global::Is(ty) => push(out, ty),
        }
    }

    /// The function itself, and what the project's own decorators put around it. A decorator's wrapper is defined inside
    /// the decorator; whatever else it hands back belongs to other functions it decorates.
    fn eval_closure(&mut self, scope: Func, closure: Func, out: &mut Types) {
        push(out, Type::Function(closure));
        let file = self.index.file_of(closure);
        let decorators = self.index.ir(closure).decorators;
        for &decorator in self.index.units[file].facts.list(decorators) {
            self.made_by_decorator(scope, decorator, out);
        }
    }

    pub fn is_inside(&self, func: Func, outer: Func) -> bool {
        let mut func = func;
        loop {
            let function = self.index.ir(func);
            if matches!(function.kind, FnKind::Module) {
                return false;
            }
            func = self.index.func(self.index.file_of(func), function.parent);
            if func == outer {
                return true;
            }
        }
    }

    /// A declared type is believed; where it says nothing, the value decides.
    fn eval_ascribed(&mut self, func: Func, value: Option<ExprId>, ty: ExprId, out: &mut Types) {
        let class = self.declaring_class(func);
        let annotation = self.index.annotation(func, ty, class);
        if !annotation.elements.is_empty() {
            let container = self.annotated_container(self.index.file_of(func), ty, &annotation.elements);
            push(out, Type::Container(container));
        }
        annotation.types.iter().for_each(|&ty| push(out, ty));
        if annotation.types.is_empty()
            && let Some(value) = value
        {
            self.eval_into(func, value, out);
        }
    }

    fn declaring_class(&self, func: Func) -> Option<Cls> {
        match self.index.ir(func).kind {
            FnKind::ClassBody(class) => Some(self.index.class(self.index.file_of(func), class)),
            _ => self.index.enclosing_class(func),
        }
    }

    fn eval_index(&mut self, func: Func, base: ExprId, key: ExprId, out: &mut Types) {
        let objects = self.namespaces(func, base);
        if !objects.is_empty() {
            return self.named_attrs(func, &objects, key, out);
        }
        let name = key;
        let key = self.constant_key(func, key);
        for ty in self.eval(func, base) {
            match ty {
                Type::External(path) if self.index.externals.is_module_table(path) => {
                    self.modules_named(func, name).into_iter().for_each(|module| push(out, module));
                }
                // The names of a file that was run.
                Type::Module(_) => self.named_attrs(func, &[ty], name, out),
                Type::Container(container) => self.read_entry(container, key, out),
                // A subscript of a library's object, and a generic class with its arguments.
                Type::External(_) | Type::Handed(_) | Type::Unbound(_) | Type::Class { .. } => push(out, ty),
                Type::Instance { .. } => self.read_method_result(ty, "__getitem__", out),
                _ => {}
            }
        }
    }

    pub fn read_entry(&mut self, container: super::types::ContainerId, key: Option<Key>, out: &mut Types) {
        let (any, unknown) = {
            let container = &self.containers[container.0 as usize];
            (container.any, container.unknown)
        };
        match key {
            Some(key) => {
                let slot = self.entry(container, key);
                self.read(slot, out);
                self.read(unknown, out);
            }
            None => self.read(any, out),
        }
    }

    /// What the project's own special method hands back.
    pub fn read_method_result(&mut self, receiver: Type, method: &str, out: &mut Types) {
        let Some(name) = self.index.names.get(method) else { return };
        let mut methods = Types::new();
        self.attr_of(receiver, name, &mut methods);
        for method in methods {
            if let Type::Bound(target) = method {
                self.read(self.returned(target), out);
                self.read(self.yields(target), out);
                if self.returns_param[target.0 as usize] & 1 == 1 || self.returns_own[target.0 as usize] {
                    push(out, receiver);
                }
            }
        }
    }

    pub fn constant_key(&self, func: Func, key: ExprId) -> Option<Key> {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        match *facts.expr(key) {
            Expr::Lit(Lit::Str(text)) => Some(Key::Name(self.index.name(file, text))),
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).ok().map(Key::At),
            Expr::Field { base, name } => {
                self.index.statics(func, base).into_iter().find_map(|ty| match ty {
                    Type::Class { class, .. } => Some(Key::Member(class, self.index.name(file, name))),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// `base.name`.
    pub fn attr_of(&mut self, base: Type, name: Name, out: &mut Types) {
        let index = self.index;
        match base {
            Type::Module(module) => self.read_module_attr(module, name, out),
            Type::External(path) | Type::Handed(path) => {
                push(out, Type::External(index.externals.child(path, name, &index.names)))
            }
            Type::Unbound(path) => push(out, Type::Unbound(index.externals.child(path, name, &index.names))),
            Type::Instance { class, exact } => self.instance_attr(base, class, exact, name, out),
            Type::Class { class, exact } => self.class_attr(class, exact, name, out),
            Type::Super(class) => self.super_attr(class, name, out),
            Type::Function(_) | Type::Bound(_)
                if index.externals.catalog().boundaries.is_undecorated(index.names.text(name)) =>
            {
                push(out, base);
            }
            _ => {}
        }
    }

    fn read_module_attr(&mut self, module: Module, name: Name, out: &mut Types) {
        if let Module::File(file) = module
            && let Some(&slot) = self.global_slots.get(&(file as u32, name))
        {
            return self.read(slot, out);
        }
        let known = self.index.module_attr(module, name);
        let run = || match module {
            Module::File(file) => self.run_here(file, name),
            Module::Namespace(_) => None,
        };
        if let Some(global) = known.or_else(run) {
            self.read_known(global, out);
        }
    }

    fn instance_attr(&mut self, base: Type, class: Cls, exact: bool, name: Name, out: &mut Types) {
        let before = out.len();
        if let Some(getter) = self.hierarchy.property(class, name) {
            self.read(self.returned(getter), out);
            if self.hierarchy.class_attr(self.index, class, name).is_none() {
                return;
            }
            if !exact {
                self.overriding(class, name, base, out);
            }
            return;
        }
        let event = self.attr_event(name);
        self.read(event, &mut Types::new());
        self.stored_attrs(class, exact, name, out);
        let found = self.hierarchy.class_attr(self.index, class, name);
        let asked_for = found.filter(|&(_, slot)| !exact && self.index.is_asked_for(slot));
        if let Some((_, slot)) = found.filter(|_| asked_for.is_none()) {
            self.bind_members(slot, base, out);
        }
        if !exact {
            self.overriding(class, name, base, out);
        }
        if let Some((_, slot)) = asked_for.filter(|_| out.len() == before) {
            self.bind_members(slot, base, out);
        }
        if out.len() == before && found.is_none() {
            self.inherited_from_library(class, name, out);
        }
    }

    /// What is stored into attributes of this name on the class, its ancestors and, for `self`, its descendants.
    fn stored_attrs(&mut self, class: Cls, exact: bool, name: Name, out: &mut Types) {
        let hierarchy = self.hierarchy;
        let at = class.0 as usize;
        let related = if exact { &hierarchy.ancestors[at] } else { &hierarchy.related[at] };
        for &owner in related {
            if let Some(slot) = self.known_attr(owner, name) {
                self.read(slot, out);
            }
        }
    }

    /// Members of the same name that objects of descendants have; too many resolve nothing more.
    fn overriding(&mut self, class: Cls, name: Name, base: Type, out: &mut Types) {
        if self.hierarchy.uncounted.contains_key(&class) {
            self.cut_members(class, name, base);
        }
        let Some(overriding) = self.hierarchy.overriding(self.index, class, name) else {
            return self.cut_members(class, name, base);
        };
        for (slot, getter) in overriding {
            match getter {
                Some(getter) => self.read(self.returned(getter), out),
                None => self.bind_members(slot, base, out),
            }
        }
    }

    /// A class-body variable read through an instance: its functions become methods.
    pub(super) fn bind_members(&mut self, slot: Slot, base: Type, out: &mut Types) {
        let mut members = Types::new();
        self.read(slot, &mut members);
        for member in members {
            push(out, self.bound(member, base));
        }
    }

    fn bound(&self, member: Type, base: Type) -> Type {
        let Type::Function(func) = member else { return member };
        if self.index.method_of[func.0 as usize].is_none() {
            return member;
        }
        match (self.hierarchy.kind(func), base) {
            (MethodKind::Static, _) => member,
            (MethodKind::Class, _) => Type::Bound(func),
            (_, Type::Class { .. }) => member,
            _ => Type::Bound(func),
        }
    }

    fn class_attr(&mut self, class: Cls, exact: bool, name: Name, out: &mut Types) {
        let base = Type::Class { class, exact };
        let event = self.attr_event(name);
        self.read(event, &mut Types::new());
        self.stored_attrs(class, exact, name, out);
        match self.hierarchy.class_attr(self.index, class, name) {
            Some((_, slot)) if !exact && self.index.is_asked_for(slot) => {
                let before = out.len();
                self.overriding(class, name, base, out);
                if out.len() == before {
                    self.bind_members(slot, base, out);
                }
                return;
            }
            Some((_, slot)) => self.bind_members(slot, base, out),
            None => match self.index.namespace_attr(class, name) {
                Some(global) => self.read_known(global, out),
                None => self.inherited_from_library(class, name, out),
            },
        }
        if !exact {
            self.overriding(class, name, base, out);
        }
    }

    fn super_attr(&mut self, class: Cls, name: Name, out: &mut Types) {
        let base = Type::Instance { class, exact: false };
        let ancestors = &self.hierarchy.ancestors[class.0 as usize];
        let found = ancestors[1..]
            .iter()
            .find_map(|&ancestor| self.index.export(self.index.class_body(ancestor), name));
        match found {
            Some(slot) => self.bind_members(slot, base, out),
            None => self.inherited_from_library(class, name, out),
        }
    }
}

pub fn push(out: &mut Types, ty: Type) {
    if !out.contains(&ty) {
        out.push(ty);
    }
}
