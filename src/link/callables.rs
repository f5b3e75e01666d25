//! What functions and bound methods have as attributes: themselves, the function behind, the object, and whatever code stores there.

use super::ids::{Func, Slot};
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::Sym;

impl Solver<'_, '_> {
    /// An attribute of something that is called.
    pub(super) fn attr_of_callable(&mut self, callable: Type, name: Sym) -> Value {
        let (Type::Function(func) | Type::Bound(func) | Type::Partial(func)) = callable else {
            return Value::Nothing;
        };
        match self.method_does(func, name) {
            Some(DataOp::Itself) => Value::Is(callable),
            Some(DataOp::FunctionOf) => Value::Is(Type::Function(func)),
            Some(DataOp::ObjectOf) => match self.index.method_of[func.0 as usize] {
                Some(class) => Value::Is(Type::Instance { class, exact: false }),
                None => Value::Nothing,
            },
            // What it does is what a function that is made of it does.
            _ if self.index.externals.catalog().setters.is_code(self.index.names.text(name)) => {
                Value::Is(Type::Function(func))
            }
            _ if self.settable.contains(&name) => Value::In(self.attribute_of_function(func, name)),
            _ => Value::Nothing,
        }
    }

    /// What code stores in an attribute of a function.
    pub(super) fn attribute_of_function(&mut self, func: Func, name: Sym) -> Slot {
        if let Some(&known) = self.function_attributes.get(&(func, name)) {
            return known;
        }
        let slot = self.new_slot();
        self.function_attributes.insert((func, name), slot);
        slot
    }
}
