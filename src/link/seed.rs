//! What is known of slots before anything is inferred: `self`, `cls` and annotations.

use super::hierarchy::MethodKind;
use super::ids::{Cls, ContainerId, Func, Role, Slot};
use super::kinds::Kinds;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::ir::{ExprId, ParamKind, Pat};

impl Solver<'_, '_> {
    /// What is known before anything is inferred: `self`, `cls`, annotations.
    pub fn seed(&mut self, func: Func) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let function = self.index.ir(func);
        let class = self.index.enclosing_class(func);
        let parent = function.parent;
        self.seed_validator(func);
        for (position, param) in facts.list(function.params).iter().enumerate() {
            let Pat::Var(var) = *facts.pat(param.pat) else { continue };
            let slot = self.index.var(func, var);
            if let Some(ty) = self.receiver(func, position) {
                self.insert(slot, ty);
                self.graph.close(slot);
            } else if let Some(ty) = param.ty {
                self.seed_annotated(slot, parent, ty, class, param.kind);
            }
        }
        if let Some(returns) = function.returns {
            let annotation = self.index.annotation(parent, returns, class);
            let slot = if function.is_generator { self.yields(func) } else { self.returned(func) };
            let is_own = annotation.is_own && !function.is_generator;
            self.hands_back.makes_own[func.0 as usize] |= is_own;
            if !is_own {
                annotation.types.iter().for_each(|&ty| self.insert(slot, ty));
            }
            if function.is_generator {
                annotation.elements.iter().take(1).for_each(|&ty| self.insert(slot, ty));
            } else if annotation.is_container() {
                let container = self.annotated_container(file, returns, &annotation.elements);
                self.insert(slot, Type::Container(container));
            }
            if !function.is_generator {
                self.graph.declare(slot, annotation.accepted());
            }
        }
    }

    /// `values["client"] = Client()` in a validator that runs before the object exists sets an attribute.
    fn seed_validator(&mut self, func: Func) {
        let Some(class) = self.index.method_of[func.0 as usize] else { return };
        let validators = self.hierarchy.validators.get(&class);
        if !validators.is_some_and(|validators| validators.contains(&func)) {
            return;
        }
        let function = self.index.ir(func);
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Some(values) = facts.list(function.params).get(1) else { return };
        if let Pat::Var(var) = *facts.pat(values.pat) {
            let container = self.container(file, function.body, Role::Fields);
            self.make_fields_of(container, class);
            let slot = self.index.var(func, var);
            self.insert(slot, Type::Container(container));
        }
    }

    fn seed_annotated(&mut self, slot: Slot, scope: Func, ty: ExprId, class: Option<Cls>, kind: ParamKind) {
        let mut annotation = self.index.annotation(scope, ty, class);
        self.bind_type_variables(scope, ty);
        let file = self.index.file_of(scope);
        if matches!(kind, ParamKind::Rest | ParamKind::KeywordRest) {
            annotation.elements.append(&mut annotation.types);
            annotation.accepts = Kinds::ANY;
        }
        annotation.types.iter().for_each(|&ty| self.insert(slot, ty));
        if annotation.is_container() {
            let container = self.annotated_container(file, ty, &annotation.elements);
            self.insert(slot, Type::Container(container));
        }
        self.graph.declare(slot, annotation.accepted());
    }

    pub fn annotated_container(&mut self, file: usize, at: ExprId, elements: &[Type]) -> ContainerId {
        let container = self.container(file, at, Role::Value);
        for &element in elements {
            self.store_entry(container, None, Value::Is(element));
        }
        container
    }

    /// The type of the first parameter of a method.
    fn receiver(&self, func: Func, position: usize) -> Option<Type> {
        let class = self.index.method_of[func.0 as usize].filter(|_| position == 0)?;
        let file = self.index.file_of(func);
        let name = self.index.units[file].facts.str(self.index.ir(func).name);
        match self.hierarchy.kind(func) {
            MethodKind::Static => None,
            MethodKind::Class => Some(Type::Class { class, exact: false }),
            _ if matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__") => {
                Some(Type::Class { class, exact: false })
            }
            _ => Some(Type::Instance { class, exact: false }),
        }
    }
}
