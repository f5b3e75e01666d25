//! Tables of the index: what imports and globs bring, and which blocks each class is made of.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::ids::{Cls, Func, Slot};
use super::types::{Global, Type};
use super::unit::Unit;
use crate::ir::{ImportId, Sym};
use crate::parallel::Lazy;

/// The answers of `imported`.
pub struct Imports {
    /// By `ImportId`.
    known: Vec<Lazy<Option<Global>>>,
    /// Those that are being looked for.
    open: Mutex<Vec<(usize, ImportId)>>,
}

impl Imports {
    pub fn new(units: &[Unit<'_>]) -> Self {
        let imports = units.iter().flat_map(|unit| unit.facts.imports());
        Self { known: imports.map(|_| Lazy::new()).collect(), open: Mutex::default() }
    }

    /// What an import brings; found once.
    pub fn of(&self, file: usize, id: ImportId, find: impl FnOnce() -> Option<Global>) -> Option<Global> {
        let known = &self.known[id.0 as usize];
        if let Some(&known) = known.get() {
            return known;
        }
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // An import that needs itself brings nothing.
        if open().contains(&(file, id)) {
            return None;
        }
        open().push((file, id));
        let found = find();
        open().pop();
        *known.keep(found)
    }
}

/// All that the globs of one module bring.
#[derive(Default)]
pub struct Table {
    pub(super) names: FxHashMap<Sym, Slot>,
    pub(super) library: Option<Type>,
}

/// What the blocks of each class are.
#[derive(Default)]
pub struct Impls {
    /// The blocks, by the class they are for.
    pub(super) of: FxHashMap<Cls, Vec<Cls>>,
    /// The class that a block is for.
    pub(super) target: FxHashMap<Cls, Cls>,
    /// Methods with the name of a field.
    pub(super) beside_fields: FxHashMap<(Func, Sym), Slot>,
}

impl Impls {
    pub fn of(&self, class: Cls) -> &[Cls] {
        self.of.get(&class).map_or(&[], Vec::as_slice)
    }

    /// True for a block that is part of another class.
    pub fn is_part(&self, class: Cls) -> bool {
        self.target.contains_key(&class)
    }

    /// A method that a class body has beside a field of the same name.
    pub fn beside_field(&self, body: Func, name: Sym) -> Option<Slot> {
        self.beside_fields.get(&(body, name)).copied()
    }
}
