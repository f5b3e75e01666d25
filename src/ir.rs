//! The core language: what every front end lowers a file into and what every analysis reads.
//! Facts are a function of one file's bytes and its dialect. They hold no path, no dotted module name, no configuration,
//! and this layer knows no rule and no other file; of the languages it knows what their profiles say.

pub mod arena;
mod check;
pub mod expr;
pub mod operators;
pub mod print;
pub mod profile;
pub mod walk;

pub use arena::{ExprId, ListOf, PatId, Span, Stored, Strings, Sym};
pub use expr::{
    Arg, ArgKind, Arm, Entry, EntryKey, Expr, Handler, IfArm, Jump, Label, Lit, Loop, Op, Pat, PatField,
    RestAt, Try,
};
pub use operators::Operator;
pub use profile::{Lang, LanguageProfile};

/// A function of this file; function 0 is the module body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FnId(pub u32);

/// A class of this file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(pub u32);

/// A variable of one function. The front end has resolved scopes, and one variable is one *web* of definitions:
/// a name that is bound again for another purpose is another variable (see `frontend::webs`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// A call of this file; indexes `Facts::calls`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// An import of this file; indexes `Facts::imports`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ImportId(pub u32);

/// The module body.
pub const MODULE: FnId = FnId(0);

/// Everything gatelint knows of one file.
///
/// Invariants, which `Facts::check` checks in debug builds and in property tests:
/// children have smaller ids than their parent; nesting is at most `frontend::MAX_DEPTH`;
/// every `Var` of a function is smaller than its number of variables.
#[derive(Debug)]
pub struct Facts {
    pub lang: Lang,
    pub strings: Strings,
    pub imports: Vec<Import>,
    pub classes: Vec<Class>,
    pub functions: Vec<Function>,
    /// Surface: every call by `SiteId`, so that most readers need not walk a body.
    pub calls: Vec<Site>,
    pub arenas: arena::Arenas,
    /// Comments that speak to gatelint (they contain `gatelint:`), by span; every other comment is dropped.
    pub notes: Vec<Span>,
    pub problems: Vec<Problem>,
    /// Sorted by place.
    pub confusables: Vec<Confusable>,
}

impl Facts {
    /// What is true of the language of this file.
    pub fn profile(&self) -> &'static LanguageProfile {
        self.lang.profile()
    }

    pub fn expr(&self, id: ExprId) -> &Expr {
        self.arenas.expr(id)
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.arenas.span(id)
    }

    pub fn pat(&self, id: PatId) -> &Pat {
        self.arenas.pat(id)
    }

    pub fn list<T: Stored>(&self, list: ListOf<T>) -> &[T] {
        self.arenas.list(list)
    }

    pub fn str(&self, sym: Sym) -> &str {
        self.strings.get(sym)
    }

    pub fn function(&self, id: FnId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    pub fn import(&self, id: ImportId) -> &Import {
        &self.imports[id.0 as usize]
    }

    /// The name that an attribute or a global name is written with.
    pub fn written_name(&self, expr: ExprId) -> Option<Sym> {
        match *self.expr(expr) {
            Expr::Field { name, .. } | Expr::Free(name) => Some(name),
            _ => None,
        }
    }

    /// The same, or the name of a variable of `function`, in which the expression stands.
    pub fn last_name(&self, function: &Function, expr: ExprId) -> Option<Sym> {
        match *self.expr(expr) {
            Expr::Var(var) => self.list(function.vars).get(var.0 as usize).copied(),
            _ => self.written_name(expr),
        }
    }

    /// About how much memory these facts take.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + self.strings.heap_bytes()
            + self.arenas.heap_bytes()
            + self.imports.capacity() * size_of::<Import>()
            + self.classes.capacity() * size_of::<Class>()
            + self.functions.capacity() * size_of::<Function>()
            + self.calls.capacity() * size_of::<Site>()
            + self.notes.capacity() * size_of::<Span>()
            + self.problems.capacity() * size_of::<Problem>()
            + self.confusables.capacity() * size_of::<Confusable>()
    }

    /// True if a call may be missing from these facts, so that silence proves nothing.
    pub fn is_partial(&self) -> bool {
        self.problems.iter().any(|p| p.kind.hides_calls())
    }
}

/// A place that the front end did not understand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    pub span: Span,
    pub kind: ProblemKind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ProblemKind {
    /// A syntax error whose calls are still seen.
    LocalSyntax,
    /// A syntax error that may hide calls: an unterminated string, an error that swallows statements.
    HidesCode,
    /// Nesting beyond `frontend::MAX_DEPTH`.
    TooDeep,
    /// The parser was stopped at its budget of steps.
    Budget,
}

impl ProblemKind {
    pub fn hides_calls(self) -> bool {
        !matches!(self, ProblemKind::LocalSyntax)
    }
}

/// A place that a reader may take for something else than what runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Confusable {
    pub span: Span,
    pub kind: ConfusableKind,
    /// The name that it is, or looks like; of a control its number.
    pub reads_as: String,
    /// A function, a class or a parameter is called so here, or a module that is imported.
    pub is_definition: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ConfusableKind {
    /// The language reads the name as another one.
    Normalised,
    /// A word of the name has letters of several scripts; whether it looks like another name the whole program tells.
    Mixed,
    /// A control that changes the order in which the line is shown.
    Bidirectional,
}

/// A call and the function in whose body it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    pub expr: ExprId,
    pub function: FnId,
}

/// One imported name (or module, or star).
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The whole statement, not the name alone.
    pub span: Span,
    pub scope: FnId,
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
    pub decorators: ListOf<ExprId>,
    /// The class body is a function whose variables are the class attributes; its closures are the methods.
    pub body: FnId,
    /// Where the class statement stands.
    pub scope: FnId,
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
    pub parent: FnId,
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
    /// A class body; `ClassId` is the class.
    ClassBody(ClassId),
    Plain,
    Lambda,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: Sym,
    pub pat: PatId,
    pub ty: Option<ExprId>,
    pub default: Option<ExprId>,
    pub kind: ParamKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// By position or by name.
    Normal,
    PositionalOnly,
    KeywordOnly,
    /// `*args`.
    Rest,
    /// `**kwargs`.
    KeywordRest,
}

#[derive(Clone, Copy, Debug)]
pub struct Capture {
    /// In the parent function (which may itself capture it).
    pub outer: VarId,
    pub inner: VarId,
}

#[derive(Clone, Copy, Debug)]
pub struct Export {
    pub name: Sym,
    pub var: VarId,
}
