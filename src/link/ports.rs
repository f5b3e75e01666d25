//! What is asked of all values of a slot, and what is put into them. Who asks the same of a slot shares the answer, so that a slot
//! of many values with many readers costs their sum and not their product.

use super::ids::{Key, Slot};
use super::react::React;
use super::solve::Solver;
use super::types::{Given, Type, Value};
use crate::ir::Sym;

/// A question to all values of a slot, or what they all are given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Port {
    /// Attributes of a name.
    Attr(Sym),
    /// What a subscript gives.
    Item(Option<Key>),
    /// Entries of containers.
    Entry(Option<Key>),
    /// What iterating gives.
    Elements,
    /// What entering gives.
    Enter,
    /// Classes of objects.
    ClassOf,
    /// Objects of classes, or of subclasses.
    Objects,
    /// The containers.
    Containers,
    /// Modules and tables of them.
    Modules,
    SetAttr {
        name: Sym,
        is_test: bool,
    },
    SetEntry(Option<Key>),
}

impl Port {
    pub(super) fn is_read(self) -> bool {
        !matches!(self, Port::SetAttr { .. } | Port::SetEntry(_) | Port::Containers | Port::Modules)
    }
}

impl Solver<'_, '_> {
    /// The answer of a value.
    pub(super) fn ask(&mut self, value: Value, port: Port) -> Value {
        match value {
            Value::Nothing => Value::Nothing,
            Value::In(slot) => Value::In(self.graph.port(slot, port)),
            Value::Is(ty) => {
                let slot = self.new_slot();
                self.graph.tell_of(React::Port { port, slot }, ty);
                Value::In(slot)
            }
        }
    }

    /// Gives something to a value.
    pub(super) fn put(&mut self, value: Value, port: Port, given: impl Into<Given>) {
        if let Value::In(slot) = self.ask(value, port) {
            self.give(given, slot);
        }
    }

    pub(super) fn connect(&mut self, port: Port, ty: Type, slot: Slot) {
        match (port, ty) {
            (port, Type::Anything) if port.is_read() => self.insert(slot, ty),
            (Port::Attr(name), _) => self.load_attr(ty, name, slot),
            (Port::Item(key), _) => self.item_of(ty, key, slot),
            (Port::Entry(key), _) => self.entry_of(ty, key, slot),
            (Port::Elements, _) => self.elements_into(ty, slot),
            (Port::Enter, _) => self.entered_into(ty, slot),
            (Port::ClassOf, Type::Instance { class, exact }) => {
                self.insert(slot, Type::Class { class, exact })
            }
            (Port::Objects, Type::Class { class, .. }) => {
                self.insert(slot, Type::Instance { class, exact: false });
            }
            (Port::Objects, Type::External(path) | Type::Handed(path)) => {
                self.insert(slot, Type::Object(path))
            }
            (Port::Containers, Type::Container(_)) | (Port::Modules, Type::Module(_)) => {
                self.insert(slot, ty)
            }
            (Port::Modules, Type::External(path)) if self.index.externals.is_module_table(path) => {
                self.insert(slot, ty);
            }
            (Port::SetAttr { name, is_test }, _) => self.store_attr(is_test, ty, name, Value::In(slot)),
            (Port::SetEntry(key), Type::Container(container)) => {
                self.store_under(container, key, Value::In(slot));
            }
            _ => {}
        }
    }
}
