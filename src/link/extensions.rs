//! Methods that traits of the project give types which are not of the project: `impl Tell for str`. A method that such a type has
//! itself comes first.

use rustc_hash::FxHashMap;

use super::hierarchy::Extension;
use super::ids::{Cls, Func, OperationId};
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::ir::{LanguageProfile, Operator, Sym};

impl Solver<'_, '_> {
    /// `value.name` where a block for the type of the value has it.
    pub(super) fn extension(&mut self, base: Type, name: Sym) -> Option<Value> {
        let known = self.hierarchy.extensions.get(&name)?;
        if let Some(&slot) = self.members.get(&(base, name)) {
            return Some(Value::In(slot));
        }
        let externals = &self.index.externals;
        let own = match base {
            Type::Object(path) => Some(path),
            Type::Container(_) => None,
            _ => return None,
        };
        let last = |path| externals.text(path).rsplit('.').next().unwrap_or_default();
        let is_same = |it: &&Extension| own.is_some_and(|own| it.of.is_some_and(|of| last(of) == last(own)));
        let mut found: Vec<Func> = known.iter().filter(is_same).map(|it| it.method).collect();
        let catalog = externals.catalog();
        // A text is one whether it is owned or not, and a bound says little.
        if found.is_empty() && own.is_none_or(|own| externals.is_of_language(own)) {
            let is_own = catalog.wrappers.is_own_method(self.index.names.text(name));
            let any = known.iter().filter(|_| !is_own && known.len() <= catalog.holders.few);
            found.extend(any.map(|it| it.method));
        }
        if found.is_empty() {
            return None;
        }
        let to = self.new_slot();
        self.members.insert((base, name), to);
        found.into_iter().for_each(|method| self.insert(to, Type::Bound(method)));
        Some(Value::In(to))
    }

    /// Operators of a type that is not of the project, by the class of their second operand: `impl Mul<Price> for u32`.
    pub(super) fn second_operand(&mut self, class: Cls, operator: Operator) -> Vec<Func> {
        let body = self.index.class_body(class);
        let profile = self.index.units[self.index.file_of(body)].facts.profile();
        let key = (profile.name, operator);
        if !self.operations.seconds.contains_key(&key) {
            let found = self.second_operands(profile, operator);
            self.operations.seconds.insert(key, found);
        }
        self.operations.seconds[&key].get(&class).cloned().unwrap_or_default()
    }

    /// The same for all classes, as the methods declare their second operand.
    fn second_operands(&self, profile: &LanguageProfile, operator: Operator) -> FxHashMap<Cls, Vec<Func>> {
        let mut found: FxHashMap<Cls, Vec<Func>> = FxHashMap::default();
        for method in self.extending(profile, operator) {
            let facts = self.index.units[self.index.file_of(method)].facts;
            let second = facts.list(self.index.ir(method).params).get(1).and_then(|param| param.ty);
            let types = second.map(|ty| self.declared_type(method, ty)).unwrap_or_default();
            for ty in types {
                let Type::Instance { class, .. } = ty else { continue };
                let methods = found.entry(class).or_default();
                if methods.last() != Some(&method) {
                    methods.push(method);
                }
            }
        }
        found
    }

    pub(super) fn extending(
        &self,
        profile: &LanguageProfile,
        operator: Operator,
    ) -> impl Iterator<Item = Func> {
        let names = profile.methods(operator).iter().filter_map(|name| self.index.names.get(name));
        names.filter_map(|name| self.hierarchy.extensions.get(&name)).flatten().map(|it| it.method)
    }

    pub(super) fn ask_second(
        &mut self,
        operation: OperationId,
        class: Cls,
        operator: Operator,
        object: Type,
    ) {
        for method in self.second_operand(class, operator) {
            self.on(Value::Is(Type::Function(method)), React::Answer { operation, object });
        }
    }
}
