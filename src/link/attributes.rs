//! What `base.name` is: members of classes and objects through the hierarchy, what code stores in attributes, exports of
//! modules, paths of libraries. Each question is one slot that all who ask share.

use super::domain::is_marker;
use super::hierarchy::MethodKind;
use super::ids::{Cls, Module, Slot};
use super::react::React;
use super::solve::{Fallback, Solver};
use super::types::{Global, Type, Value};
use crate::ir::Sym;

/// The method behind `*value`, which the compiler calls by itself.
pub(super) const DEREF: &str = "deref";

impl Solver<'_, '_> {
    /// `base.name`.
    pub fn attr(&mut self, base: Type, name: Sym) -> Value {
        let index = self.index;
        if let Some(extension) = self.extension(base, name) {
            return extension;
        }
        match base {
            Type::Module(module) => self.module_attr(module, name),
            Type::Object(class) if index.externals.is_filled(class) => {
                Value::In(self.filled_attribute(class, name))
            }
            Type::External(path) | Type::Object(path) | Type::Handed(path) => {
                Value::Is(Type::External(index.externals.child(path, name, &index.names)))
            }
            Type::Unbound(path) => Value::Is(Type::Unbound(index.externals.child(path, name, &index.names))),
            Type::Instance { class, exact } | Type::Class { class, exact } => {
                match self.may_have(class, exact, name) {
                    true => Value::In(self.member(base, name)),
                    false => Value::Nothing,
                }
            }
            Type::Super(_) => Value::In(self.member(base, name)),
            Type::Anything => Value::Is(base),
            Type::Container(record) => self.field_of(record, name),
            Type::Holder(holder) | Type::PartOf(holder) => Value::Is(Type::PartOf(holder)),
            Type::Function(_) | Type::Bound(_)
                if index.externals.catalog().boundaries.is_undecorated(index.names.text(name)) =>
            {
                Value::Is(base)
            }
            Type::Function(_) | Type::Bound(_) | Type::Partial(_) => self.attr_of_callable(base, name),
            _ => Value::Nothing,
        }
    }

    /// The same for what is called: of a field and a method with one name, the method.
    pub fn method_attr(&mut self, base: Type, name: Sym) -> Value {
        let Type::Instance { class, .. } = base else { return self.attr(base, name) };
        let mut ancestors = self.hierarchy.ancestors[class.0 as usize].iter();
        let beside = ancestors.find_map(|&at| self.index.impls.beside_field(self.index.class_body(at), name));
        match beside {
            Some(slot) => {
                let to = self.new_slot();
                self.bind_members(slot, base, to);
                Value::In(to)
            }
            None => self.attr(base, name),
        }
    }

    fn module_attr(&mut self, module: Module, name: Sym) -> Value {
        if let Module::File(file) = module
            && let Some(&slot) = self.global_slots.get(&(file as u32, name))
        {
            return Value::In(slot);
        }
        let known = self.index.module_attr(module, name).or_else(|| self.asked_of_module(module));
        let run = || match module {
            Module::File(file) => self.run_here(file, name),
            Module::Namespace(_) => None,
        };
        known.or_else(run).map_or(Value::Nothing, Value::from)
    }

    /// False where nothing in the program gives objects of the class such an attribute. Most questions are of that kind, and have
    /// no slot.
    pub(super) fn may_have(&self, class: Cls, exact: bool, name: Sym) -> bool {
        self.binds(class, exact, name) || self.hierarchy.has_hook(class)
    }

    /// The same without what a hook of the class hands out.
    fn binds(&self, class: Cls, exact: bool, name: Sym) -> bool {
        let is_open = |&path| !is_marker(self.index.externals.text(path));
        self.settable.contains(&name)
            || self.is_bound(class, exact, name)
            || self.hierarchy.external_bases[class.0 as usize].iter().any(is_open)
            || self.has_wrappers(self.index.class_body(class))
            || self.index.namespace_attr(class, name).is_some()
            || self.hierarchy.metaclass_attr(self.index, class, name).is_some()
            || self.hierarchy.is_enumeration(class)
    }

    /// True if the body of a class binds the name of which objects of this one may have something.
    fn is_bound(&self, class: Cls, exact: bool, name: Sym) -> bool {
        let (owners, kin) = (self.hierarchy.binding(name), self.hierarchy.kin(class, exact));
        // Very many classes may have a method of one name.
        match kin.len() < owners.len() {
            true => kin.iter().any(|of| owners.binary_search(of).is_ok()),
            false => owners.iter().any(|&owner| self.is_related(class, exact, owner)),
        }
    }

    /// True if objects of the class have the attribute without asking what they stand for.
    pub(super) fn has_itself(&self, class: Cls, exact: bool, name: Sym) -> bool {
        if !self.has_wrappers(self.index.class_body(class)) {
            return self.binds(class, exact, name);
        }
        let words = &self.index.externals.catalog().wrappers;
        let brings = |&path: &_| {
            let text: &str = self.index.externals.text(path);
            let (owner, name) = text.rsplit_once('.').unwrap_or(("", text));
            !owner.starts_with("std") || words.provides.contains(name)
        };
        words.everywhere.contains(self.index.names.text(name))
            || self.hierarchy.class_attr(self.index, class, name).is_some()
            || !exact && !self.hierarchy.overriding(self.index, class, name).is_empty()
            || self.hierarchy.external_bases[class.0 as usize].iter().any(brings)
    }

    fn member(&mut self, base: Type, name: Sym) -> Slot {
        if let Some(&slot) = self.members.get(&(base, name)) {
            return slot;
        }
        let to = self.new_slot();
        self.members.insert((base, name), to);
        match base {
            Type::Instance { class, exact } => self.instance_member(class, exact, name, to),
            Type::Class { class, exact } => self.class_member(class, exact, name, to),
            Type::Super(class) => self.super_member(class, name, to),
            _ => {}
        }
        to
    }

    fn instance_member(&mut self, class: Cls, exact: bool, name: Sym, to: Slot) {
        // A member, and what stands there: a function is none.
        if let Some(member) = self.enum_member(class, name) {
            self.insert(to, member);
        }
        let base = Type::Instance { class, exact };
        let found = self.hierarchy.class_attr(self.index, class, name).map(|(_, slot)| slot);
        if let Some(getter) = self.hierarchy.property(class, name) {
            self.copy(Value::In(self.returned(getter)), to);
            // A getter that runs once gives way to what is set.
            self.stored(class, exact, name, to);
            if self.hands_back.is_own(getter) {
                self.insert(to, base);
            }
            if found.is_some() && !exact {
                self.overriding(class, name, base, to);
            }
            return;
        }
        self.stored(class, exact, name, to);
        self.inherited(found, (class, exact, base), name, to);
        if found.is_none() {
            self.of_members(class, name, to);
            self.fallbacks.push(Fallback::Library { class, name, to });
            if !self.has_wrappers(self.index.class_body(class)) {
                self.fallbacks.push(Fallback::Hook { class, name, to });
            } else {
                self.fallbacks.push(Fallback::StandsFor { object: base, name, to });
            }
        }
    }

    fn class_member(&mut self, class: Cls, exact: bool, name: Sym, to: Slot) {
        // A member, and what stands there: a function is none.
        if let Some(member) = self.enum_member(class, name) {
            self.insert(to, member);
        }
        let base = Type::Class { class, exact };
        let found = self.hierarchy.class_attr(self.index, class, name).map(|(_, slot)| slot);
        self.stored(class, exact, name, to);
        self.inherited(found, (class, exact, base), name, to);
        if found.is_none() {
            self.of_members(class, name, to);
            if let Some((metaclass, slot)) = self.hierarchy.metaclass_attr(self.index, class, name) {
                self.bind_members(slot, Type::Instance { class: metaclass, exact: true }, to);
            }
            match self.index.namespace_attr(class, name) {
                Some(global) => self.copy(global.into(), to),
                None => self.fallbacks.push(Fallback::Library { class, name, to }),
            }
        }
    }

    /// The member of the class, and those that descendants have in its place.
    fn inherited(
        &mut self,
        found: Option<Slot>,
        (class, exact, base): (Cls, bool, Type),
        name: Sym,
        to: Slot,
    ) {
        let is_overridden = !exact && self.overriding(class, name, base, to);
        // A method that a trait only names is an implementor's.
        if let Some(slot) = found.filter(|&slot| !(is_overridden && self.index.is_asked_for(slot))) {
            self.bind_members(slot, base, to);
        }
    }

    fn super_member(&mut self, class: Cls, name: Sym, to: Slot) {
        let base = Type::Instance { class, exact: false };
        let found = self.hierarchy.next_above(self.index, class, name);
        if found.is_empty() {
            self.fallbacks.push(Fallback::Library { class, name, to });
        }
        found.into_iter().for_each(|slot| self.bind_members(slot, base, to));
    }

    /// Members of the same name that objects of descendants have; true if there are any.
    fn overriding(&mut self, class: Cls, name: Sym, base: Type, to: Slot) -> bool {
        let overriding = self.hierarchy.overriding(self.index, class, name);
        for &(slot, getter) in &overriding {
            match getter {
                Some(getter) => self.copy(Value::In(self.returned(getter)), to),
                None => self.bind_members(slot, base, to),
            }
        }
        !overriding.is_empty()
    }

    /// What is stored into attributes of this name on the class, its ancestors and, unless the class is exact, its relatives.
    fn stored(&mut self, class: Cls, exact: bool, name: Sym, to: Slot) {
        self.awaiting.entry(name).or_default().push((class, exact, to));
        let known = self.attributes_of_name.get(&name).cloned().unwrap_or_default();
        for (owner, slot) in known {
            if self.is_related(class, exact, owner) {
                self.copy(Value::In(slot), to);
            }
        }
    }

    fn is_related(&self, class: Cls, exact: bool, owner: Cls) -> bool {
        match exact {
            true => self.hierarchy.ancestors[class.0 as usize].contains(&owner),
            false => self.hierarchy.is_related(class, owner),
        }
    }

    /// What code stores in the attribute of objects of the class, or of the class itself.
    pub fn attribute(&mut self, class: Cls, name: Sym) -> Slot {
        if let Some(&slot) = self.attributes.get(&(class, name)) {
            return slot;
        }
        let slot = self.new_slot();
        self.attributes.insert((class, name), slot);
        self.declare_attribute(class, name, slot);
        self.attributes_of_name.entry(name).or_default().push((class, slot));
        let awaiting = self.awaiting.get(&name).cloned().unwrap_or_default();
        for (asked, exact, to) in awaiting {
            if self.is_related(asked, exact, class) {
                self.copy(Value::In(slot), to);
            }
        }
        slot
    }

    /// What the class body declares of an attribute narrows what is let in.
    fn declare_attribute(&mut self, class: Cls, name: Sym, slot: Slot) {
        let mut ancestors = self.hierarchy.ancestors[class.0 as usize].iter();
        let declared = ancestors.find_map(|&at| self.index.export(self.index.class_body(at), name));
        if let Some(&(scope, ty)) = declared.and_then(|slot| self.declared.get(&slot)) {
            let annotation = self.index.annotation(scope, ty, Some(class));
            let accepted = annotation.accepted();
            if accepted.is_checked && !annotation.elements.is_empty() {
                let file = self.index.file_of(scope);
                let container = self.annotated_container(file, ty, &annotation.elements);
                self.insert(slot, Type::Container(container));
            }
            self.graph.declare(slot, accepted);
        }
    }

    /// A class-body variable read through an object or a class: its functions become methods.
    pub(super) fn bind_members(&mut self, slot: Slot, base: Type, to: Slot) {
        self.on(Value::In(slot), React::Bind { base, to });
    }

    pub(super) fn bound(&self, member: Type, base: Type) -> Type {
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

    /// A library base provides what the project neither defines nor stores.
    pub(super) fn inherit_from_library(&mut self, class: Cls, name: Sym, to: Slot) {
        let stored = self.attributes_of_name.get(&name).into_iter().flatten();
        if stored.into_iter().any(|&(owner, _)| self.hierarchy.is_related(class, owner)) {
            return;
        }
        let index = self.index;
        for &path in &self.hierarchy.external_bases[class.0 as usize] {
            if !is_marker(index.externals.text(path)) {
                self.insert(to, Type::External(index.externals.child(path, name, &index.names)));
            }
        }
    }

    /// In Rust an object also has the methods of what it dereferences to.
    pub(super) fn stand_for(&mut self, object: Type, name: Sym, to: Slot) {
        if self.index.names.text(name) == DEREF {
            return;
        }
        let inner = self.method_result(object, DEREF);
        self.on(inner, React::LoadOther { object, name, to });
    }

    /// What the project's own special method of an object hands back.
    pub(super) fn method_result(&mut self, object: Type, method: &str) -> Value {
        let Some(name) = self.index.names.get(method) else { return Value::Nothing };
        if let Some(&known) = self.results.get(&(object, name)) {
            return known;
        }
        let result = match self.attr(object, name) {
            Value::Nothing => Value::Nothing,
            methods => {
                let to = self.new_slot();
                self.on(methods, React::Result { object, to });
                Value::In(to)
            }
        };
        self.results.insert((object, name), result);
        result
    }
}

impl From<Global> for Value {
    fn from(global: Global) -> Self {
        match global {
            Global::Slot(slot) => Value::In(slot),
            Global::Is(ty) => Value::Is(ty),
        }
    }
}
