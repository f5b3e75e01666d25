//! Classes as analyses ask for them: ancestors, subclasses, methods and what the class body declares.

use super::edge::{Edge, Receiver, Target};
use super::ids::{Cls, Func};
use super::program::Program;
use crate::ir::{ClassKind, Expr, ExprId};
use crate::source::FileId;

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

    /// The classes that `class` inherits from: library paths, and the names of the project's own.
    pub fn base_paths(&self, class: Cls) -> Vec<&str> {
        let own = self.hierarchy.ancestors[class.0 as usize].iter().filter(|&&ancestor| ancestor != class);
        let own = own.map(|&ancestor| self.class_name(ancestor));
        let paths = self.hierarchy.external_bases[class.0 as usize].iter();
        own.chain(paths.map(|&path| self.path(path))).collect()
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

    /// True if a call of this method's name on an object of exactly `class` runs this method.
    pub fn is_method_of(&self, method: Func, class: Cls) -> bool {
        let name = self.ir(method).name;
        let Some((_, slot)) = self.hierarchy.class_attr(&self.index, class, name) else { return false };
        let mut definitions = self.index.definitions(slot);
        definitions.any(|(func, value)| {
            let file = self.index.file_of(func);
            matches!(*self.facts(FileId(file as u32)).expr(value), Expr::Closure(id) if id == method)
        })
    }

    /// True if a call of this method's name on an object of `class`, or of one that inherits from it, may run this method.
    pub fn may_be_method_of(&self, method: Func, class: Cls) -> bool {
        let Some(owner) = self.function(method).class else { return true };
        let is_below = |&below: &Cls| self.is_method_of(method, below);
        self.inherits(owner, class)
            || self.is_method_of(method, class)
            || self.hierarchy.is_related(class, owner) && self.subclasses(class).iter().any(is_below)
    }

    /// True if what a function runs depends on the class of its object: it calls a method of its own that others override, or
    /// hands the object on to a method that does.
    pub fn depends_on_object(&self, func: Func) -> bool {
        self.dispatching[func.0 as usize]
    }
}

/// By function, whether what it runs depends on the class of its object.
pub(super) fn dispatching(edges: &[Edge], functions: usize) -> Vec<bool> {
    let mut dispatching = vec![false; functions];
    let mut callers: Vec<Vec<Func>> = vec![Vec::new(); functions];
    let mut work = Vec::new();
    for edge in edges {
        match (edge.receiver, edge.to) {
            (Receiver::SameDispatched, _) => work.push(edge.from),
            (Receiver::Same, Target::Project(callee)) => callers[callee.0 as usize].push(edge.from),
            _ => {}
        }
    }
    while let Some(func) = work.pop() {
        if !std::mem::replace(&mut dispatching[func.0 as usize], true) {
            work.append(&mut callers[func.0 as usize]);
        }
    }
    dispatching
}
