//! Classes as analyses ask for them: ancestors, subclasses, methods and what the class body declares.

use super::program::{Cls, Func, Program};
use crate::ir::{ClassKind, Expr, ExprId};

impl Program<'_> {
    /// The function whose variables are the attributes of the class.
    pub fn class_body(&self, class: Cls) -> Func {
        self.index.class_body(class)
    }

    /// The class itself, then its ancestors, the nearest first.
    pub fn lineage(&self, class: Cls) -> &[Cls] {
        &self.hierarchy.ancestors[class.0 as usize]
    }

    /// The library classes that it inherits from.
    pub fn library_bases(&self, class: Cls) -> impl Iterator<Item = &str> + '_ {
        self.hierarchy.external_bases[class.0 as usize].iter().map(|&path| self.path(path))
    }

    /// Classes of so many ancestors that not all of them are known.
    pub fn cut_classes(&self) -> &[Cls] {
        &self.hierarchy.cut
    }

    /// Others provide what it names: a trait, an interface.
    pub fn is_interface(&self, class: Cls) -> bool {
        self.index.class_ir(class).1.kind == ClassKind::Interface
    }

    /// All classes that inherit from it.
    pub fn subclasses(&self, class: Cls) -> &[Cls] {
        &self.hierarchy.descendants[class.0 as usize]
    }

    /// What the class body itself binds a name to.
    pub fn declared(&self, class: Cls, name: &str) -> impl Iterator<Item = (Func, ExprId)> + '_ {
        let slot =
            self.index.names.get(name).and_then(|name| self.index.export(self.index.class_body(class), name));
        slot.into_iter().flat_map(|slot| self.index.definitions(slot))
    }

    /// The method that the class body itself defines.
    pub fn own_method(&self, class: Cls, name: &str) -> Option<Func> {
        let mut methods = self.declared(class, name).filter_map(|(body, value)| {
            let file = self.function(body).file;
            match *self.facts(file).expr(value) {
                Expr::Closure(id) => Some(id),
                _ => None,
            }
        });
        methods.next()
    }

    /// The method that objects of exactly this class have, its own or inherited.
    pub fn method(&self, class: Cls, name: &str) -> Option<Func> {
        self.lineage(class).iter().find_map(|&ancestor| self.own_method(ancestor, name))
    }
}
