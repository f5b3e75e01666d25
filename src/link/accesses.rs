//! Attributes that answer by themselves: an object in a class body whose class has the methods of a descriptor runs them where the
//! attribute of an object of the other class is read, set or deleted.

use rustc_hash::FxHashSet;

use super::containers::{Access, Operation};
use super::program::Func;
use super::solve::Solver;
use super::types::{Slot, Type, Value};
use crate::ir::{Expr, FnKind, Operator, Pat, Sym};

const DESCRIPTORS: [Operator; 3] =
    [Operator::GetDescriptor, Operator::SetDescriptor, Operator::DeleteDescriptor];

impl Solver<'_, '_> {
    /// Notes where attributes are used, if somebody writes a descriptor at all.
    pub(super) fn note_accesses(&mut self, func: Func) {
        if !DESCRIPTORS.iter().any(|&operator| self.is_spelled(operator, false)) {
            return;
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        let mut places = FxHashSet::default();
        let mut found = Vec::new();
        for expr in self.index.ir(func).exprs.iter() {
            let (place, operator, value) = match *facts.expr(expr) {
                Expr::Store { place, value: None, .. } => (place, Operator::DeleteDescriptor, None),
                Expr::Store { place, value, .. } => (place, Operator::SetDescriptor, value),
                Expr::Field { .. } => (expr, Operator::GetDescriptor, None),
                _ => continue,
            };
            if place != expr {
                places.insert(place);
            }
            found.push((expr, place, operator, value));
        }
        for (expr, place, operator, value) in found {
            let Expr::Field { base, name } = *facts.expr(place) else { continue };
            if operator == Operator::GetDescriptor && places.contains(&place) {
                continue;
            }
            let asked = self.base_value(func, base);
            if asked != Value::Nothing {
                let access = Access { func, expr, base, asked, name, operator, value };
                self.operations.accesses.push(access);
            }
        }
    }

    /// Looks for descriptors among what classes have by now. True if there are new ones.
    pub(super) fn find_descriptors(&mut self) -> bool {
        let before = self.operations.list.len();
        let names = self.described();
        if names.is_empty() {
            return false;
        }
        for at in 0..self.operations.accesses.len() {
            let access = self.operations.accesses[at];
            if names.contains(&access.name) {
                self.find_descriptor(at as u32, access);
            }
        }
        self.operations.list.len() > before
    }

    /// The names of class attributes that are descriptors.
    fn described(&mut self) -> FxHashSet<Sym> {
        let mut found = FxHashSet::default();
        for func in (0..self.index.functions.len() as u32).map(Func) {
            let ir = self.index.ir(func);
            if !matches!(ir.kind, FnKind::ClassBody(_)) {
                continue;
            }
            let facts = self.index.units[self.index.file_of(func)].facts;
            for expr in ir.exprs.iter() {
                let Expr::Bind { pat, .. } = *facts.expr(expr) else { continue };
                let Pat::Var(var) = *facts.pat(pat) else { continue };
                let slot = self.index.var(func, var);
                let is_one = self.types(Value::In(slot)).iter().any(|&ty| self.is_descriptor(ty));
                if is_one {
                    found.insert(facts.list(ir.vars)[var.0 as usize]);
                }
            }
        }
        found
    }

    fn is_descriptor(&mut self, ty: Type) -> bool {
        let Type::Instance { class, .. } = ty else { return false };
        DESCRIPTORS.iter().any(|&operator| self.answer_of(class, operator, false).is_some())
    }

    fn find_descriptor(&mut self, access: u32, it: Access) {
        for ty in self.types(it.asked) {
            let (Type::Instance { class, .. } | Type::Class { class, .. }) = ty else { continue };
            let Some((_, slot)) = self.hierarchy.class_attr(self.index, class, it.name) else { continue };
            if self.operations.described.insert((access, slot)) {
                self.note_descriptor(it, slot);
            }
        }
    }

    fn note_descriptor(&mut self, it: Access, slot: Slot) {
        let to = match (it.operator, self.value(it.func, it.expr)) {
            (Operator::GetDescriptor, Value::In(to)) => Some(to),
            _ => None,
        };
        let given = [Some(it.base), it.value];
        self.operations.list.push(Operation::new(it.func, it.expr, it.operator, Value::In(slot), given, to));
    }
}
