//! What is asked of all values of a slot, and what is put into them. Who asks the same of a slot shares the answer, so that a slot
//! of many values with many readers costs their sum and not their product.

use super::ids::Key;
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
