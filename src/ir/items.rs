//! What a file consists of beside expressions: imports, classes, functions and the places of calls.

use super::arena::ItemCounts;
use super::{Arg, Capture, Cls, Export, ExprId, Func, ListOf, Param, Span, Sym};

/// The items of a file, or of files that are joined.
#[derive(Clone, Debug, Default)]
pub struct Items {
    pub imports: Vec<Import>,
    pub classes: Vec<Class>,
    pub functions: Vec<Function>,
    /// Every call by its `SiteId`.
    pub calls: Vec<Site>,
}

impl Items {
    pub(super) fn counts(&self) -> ItemCounts {
        ItemCounts {
            imports: self.imports.len() as u32,
            classes: self.classes.len() as u32,
            functions: self.functions.len() as u32,
            calls: self.calls.len() as u32,
        }
    }
}

/// A call and the function in whose body it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    pub expr: ExprId,
    pub function: Func,
}

/// One imported name (or module, or star).
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The whole statement, not the name alone.
    pub span: Span,
    pub scope: Func,
    /// Leading dots of a relative import; 0 is absolute. In Rust 1 is `self`, 2 `super`, and so on, from the module around,
    /// which may be an inline one.
    pub level: u8,
    /// The module as written, without leading dots: `a.b.c`; empty for `from . import x`. With a slash, a file beside this one.
    pub path: Sym,
    pub what: Imported,
    pub when: When,
    pub takes: Takes,
}

/// What an import needs of the file that it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    Names,
    /// It declares the file a module of its own; without it nothing is built.
    Module,
    /// The code of the file stands in its place.
    Text,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imported {
    /// `import a.b.c`: binds the first segment, loads the rest.
    Root,
    /// `import a.b.c as d`: binds the module itself.
    Module,
    /// `from a import name`.
    Name(Sym),
    /// `from a import *`.
    Star,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Always,
    /// Inside a `try` or its handlers: one of several alternatives.
    InTry,
    /// Never at run time (`if TYPE_CHECKING:`, `#[cfg(test)]`).
    TypeOnly,
}

#[derive(Clone, Copy, Debug)]
pub struct Class {
    pub name: Sym,
    pub kind: ClassKind,
    pub span: Span,
    pub bases: ListOf<ExprId>,
    /// What the class statement says by name: `metaclass=Meta`.
    pub options: ListOf<Arg>,
    pub decorators: ListOf<ExprId>,
    /// The class body is a function whose variables are the class attributes; its closures are the methods.
    pub body: Func,
    /// Where the class statement stands.
    pub scope: Func,
}

/// What a class is to the rest of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassKind {
    /// Objects are made of it.
    Plain,
    /// Others provide what it names: a trait, an interface.
    Interface,
    /// Adds members to a class that is defined elsewhere: an `impl`, a class that is opened again.
    Extension(ExprId),
    /// Groups names, and its functions are no methods: an inline module, a namespace.
    Namespace,
}

impl ClassKind {
    /// The expressions of its head.
    pub fn expr(self) -> Option<ExprId> {
        match self {
            ClassKind::Extension(of) => Some(of),
            ClassKind::Plain | ClassKind::Interface | ClassKind::Namespace => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: Sym,
    pub span: Span,
    /// The name in the head; for a lambda or a module its first byte.
    pub name_span: Span,
    /// The function in whose body this one is defined; the module body is its own parent.
    pub parent: Func,
    pub kind: FnKind,
    pub is_async: bool,
    /// `yield` stands in the body: the body starts at the first `next`.
    pub is_generator: bool,
    /// The source itself says that it is built for tests only (`#[cfg(test)]`).
    pub is_test: bool,
    /// The source itself says that nobody outside the module may call it, or the name does.
    pub is_private: bool,
    pub params: ListOf<Param>,
    /// Annotation of the return value.
    pub returns: Option<ExprId>,
    pub decorators: ListOf<ExprId>,
    /// A `Block`, whose end returns nothing; for a lambda a `Block` with one `Return`.
    pub body: ExprId,
    /// The ids of the body's expressions, without those of nested functions: a pass over one function is a scan.
    /// Defaults, decorators and annotations belong to the function around.
    pub exprs: ExprRange,
    /// Names by `VarId`; several webs may share a name.
    pub vars: ListOf<Sym>,
    /// Variables of enclosing functions that are used here.
    pub captures: ListOf<Capture>,
    /// What each name is bound to when the body has run: module attributes and class attributes.
    pub exports: ListOf<Export>,
}

/// Expression ids `lo..hi`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExprRange {
    pub lo: u32,
    pub hi: u32,
}

impl ExprRange {
    pub fn iter(self) -> impl Iterator<Item = ExprId> {
        (self.lo..self.hi).filter_map(std::num::NonZeroU32::new).map(ExprId)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FnKind {
    Module,
    /// A class body; `Cls` is the class.
    ClassBody(Cls),
    Plain,
    Lambda,
}
