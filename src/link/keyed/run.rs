//! What runs if something that a table holds is called.

use std::sync::Arc;

use super::super::edge::Target;
use super::super::edges::{Pass, Targets};
use super::super::ids::{Func, SetId};
use super::super::ran::Level;
use super::super::types::{Type, Value};
use crate::ir::Sym;

impl Pass<'_, '_, '_> {
    /// What runs if one of these values is called, or its attribute, or what a list among them holds.
    pub(super) fn run_of(&mut self, value: Value, attribute: Option<Sym>) -> Arc<[Func]> {
        match value {
            Value::Nothing => Arc::default(),
            Value::Is(ty) => self.run_of_types(&[ty], attribute),
            Value::In(slot) => self.run_of_set(self.solver.graph.held(slot), attribute, Level::Entry),
        }
    }

    pub(super) fn run_of_types(&mut self, values: &[Type], attribute: Option<Sym>) -> Arc<[Func]> {
        self.run_of_all(values.iter().copied(), attribute, Level::Entry)
    }

    fn run_of_set(&mut self, set: SetId, attribute: Option<Sym>, level: Level) -> Arc<[Func]> {
        if let Some(known) = self.ran.of_set.get(&(set, attribute, level)) {
            return known.clone();
        }
        let members = self.solver.graph.sets.members(set).clone();
        let values: Vec<Type> = members.iter().map(|&id| self.solver.graph.sets.ty(id)).collect();
        let found = self.run_of_all(values.into_iter(), attribute, level);
        self.ran.of_set.insert((set, attribute, level), found.clone());
        found
    }

    fn run_of_all(
        &mut self,
        values: impl Iterator<Item = Type>,
        attribute: Option<Sym>,
        level: Level,
    ) -> Arc<[Func]> {
        let mut found = Vec::new();
        for ty in values {
            match (ty, level.inside()) {
                (Type::Container(id), Some(inside)) => {
                    let held = self.solver.graph.held(self.solver.elements_of(id));
                    found.extend_from_slice(&self.run_of_set(held, attribute, inside));
                }
                _ => found.extend_from_slice(&self.run_of_value(ty, attribute)),
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into()
    }

    fn run_of_value(&mut self, ty: Type, attribute: Option<Sym>) -> Arc<[Func]> {
        if !is_own(ty) {
            return Arc::default();
        }
        if let Some(known) = self.ran.of_value.get(&(ty, attribute)) {
            return known.clone();
        }
        let mut targets = Targets::default();
        match attribute {
            None => self.target(ty, false, &mut targets),
            Some(name) => {
                for member in self.solver.attr_of(ty, name) {
                    self.target(member, false, &mut targets);
                }
            }
        }
        let project = targets.list.into_iter().filter_map(|target| match target {
            Target::Project(func) => Some(func),
            Target::External(_) => None,
        });
        let found: Arc<[Func]> = project.collect();
        self.ran.of_value.insert((ty, attribute), found.clone());
        found
    }
}

/// What the project itself may have a body for.
fn is_own(ty: Type) -> bool {
    matches!(
        ty,
        Type::Function(_) | Type::Bound(_) | Type::Partial(_) | Type::Class { .. } | Type::Instance { .. }
    )
}
