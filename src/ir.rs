//! The core language: what every front end lowers a file into and what every analysis reads.
//! Facts are a function of one file's bytes and its dialect. They hold no path, no dotted module name, no configuration,
//! and this layer knows no rule and no other file; of the languages it knows what their profiles say.

use std::sync::Arc;

pub mod arena;
mod check;
pub mod expr;
mod implied;
mod items;
mod join;
pub mod operators;
pub mod print;
mod problems;
pub mod profile;
mod texts;
pub mod walk;

pub use arena::{ExprId, ListOf, PatId, Span, Stored};
pub use expr::{
    Arg, ArgKind, Arm, Entry, EntryKey, Expr, Handler, IfArm, Jump, Label, Lit, Loop, Op, Pat, PatField,
    RestAt, Try,
};
pub use implied::{AllImplied, Implied};
pub use items::{Class, ClassKind, ExprRange, FnKind, Function, Import, Imported, Items, Site, Takes, When};
pub use join::{Part, join};
pub use operators::Operator;
pub use problems::{Confusable, ConfusableKind, Problem, ProblemKind};
pub use profile::{Lang, LanguageProfile};
pub use texts::{Strings, Sym};

/// A function, of a file as it is lowered and of all files once they are joined; the first of a file is its module body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Func(pub u32);

/// A class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cls(pub u32);

/// A variable of one function. The front end has resolved scopes, and one variable is one *web* of definitions:
/// a name that is bound again for another purpose is another variable (see `frontend::webs`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// An import.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ImportId(pub u32);

/// The module body of a file that is lowered.
pub const MODULE: Func = Func(0);

/// Everything gatelint knows of one file. Ids of expressions, patterns, lists and texts are those of this file as it is lowered; once
/// files are [joined](join), they mean the same in all of them.
///
/// Invariants, which `Facts::check` checks in debug builds and in property tests:
/// children have smaller ids than their parent; nesting is at most `frontend::MAX_DEPTH`;
/// every `Var` of a function is smaller than its number of variables.
#[derive(Debug)]
pub struct Facts {
    pub lang: Lang,
    /// Of this file alone as it is lowered; of all files once they are joined, like `arenas`.
    pub strings: Arc<Strings>,
    /// The names and constants of this file.
    pub texts: Vec<Sym>,
    pub items: Arc<Items>,
    pub arenas: Arc<arena::Arenas>,
    /// Which items and nodes are those of this file.
    pub part: Part,
    /// Comments that speak to gatelint (they contain `gatelint:`), by span; every other comment is dropped.
    pub notes: Vec<Span>,
    pub problems: Vec<Problem>,
    /// Sorted by place.
    pub confusables: Vec<Confusable>,
}

impl Facts {
    /// The facts of a file that is lowered.
    pub fn new(lang: Lang, items: Items, arenas: arena::Arenas, strings: Strings) -> Self {
        Self {
            lang,
            texts: strings.syms().collect(),
            strings: Arc::new(strings.finish()),
            part: Part::all(&items, &arenas),
            items: Arc::new(items),
            arenas: Arc::new(arenas),
            notes: Vec::new(),
            problems: Vec::new(),
            confusables: Vec::new(),
        }
    }

    /// The nodes of a file, which is not joined yet.
    pub fn arenas_mut(&mut self) -> &mut arena::Arenas {
        Arc::make_mut(&mut self.arenas)
    }

    /// The items of a file, which is not joined yet.
    pub fn items_mut(&mut self) -> &mut Items {
        Arc::make_mut(&mut self.items)
    }

    /// For a front end that is done with a file.
    pub fn seal(&mut self) {
        self.arenas_mut().shrink();
        self.part = Part::all(&self.items, &self.arenas);
    }

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

    /// Every expression of the file, children before parents.
    pub fn exprs(&self) -> impl Iterator<Item = ExprId> + use<> {
        ExprRange { lo: self.part.lo.nodes.exprs, hi: self.part.hi.nodes.exprs }.iter()
    }

    pub fn expr_count(&self) -> usize {
        (self.part.hi.nodes.exprs - self.part.lo.nodes.exprs) as usize
    }

    /// Every pattern of the file.
    pub fn pats(&self) -> &[Pat] {
        self.arenas.pats(self.part.lo.nodes, self.part.hi.nodes)
    }

    pub fn list<T: Stored>(&self, list: ListOf<T>) -> &[T] {
        self.arenas.list(list)
    }

    pub fn str(&self, sym: Sym) -> &str {
        self.strings.get(sym)
    }

    pub fn function(&self, id: Func) -> &Function {
        &self.items.functions[id.0 as usize]
    }

    pub fn class(&self, id: Cls) -> &Class {
        &self.items.classes[id.0 as usize]
    }

    pub fn import(&self, id: ImportId) -> &Import {
        &self.items.imports[id.0 as usize]
    }

    pub fn call(&self, id: SiteId) -> Site {
        self.items.calls[id.0 as usize]
    }

    /// The module body of this file.
    pub fn module(&self) -> Func {
        Func(self.part.lo.items.functions)
    }

    /// The functions of this file; their numbers are [`Self::function_ids`].
    pub fn functions(&self) -> &[Function] {
        self.part.of(&self.items.functions, |counts| counts.functions)
    }

    pub fn function_ids(&self) -> impl Iterator<Item = Func> + use<> {
        self.part.ids(|counts| counts.functions).map(Func)
    }

    pub fn class_ids(&self) -> impl Iterator<Item = Cls> + use<> {
        self.part.ids(|counts| counts.classes).map(Cls)
    }

    pub fn classes(&self) -> &[Class] {
        self.part.of(&self.items.classes, |counts| counts.classes)
    }

    pub fn imports(&self) -> &[Import] {
        self.part.of(&self.items.imports, |counts| counts.imports)
    }

    pub fn numbered_imports(&self) -> impl Iterator<Item = (ImportId, &Import)> {
        self.import_ids().zip(self.imports())
    }

    pub fn import_ids(&self) -> impl Iterator<Item = ImportId> + use<> {
        self.part.ids(|counts| counts.imports).map(ImportId)
    }

    /// The calls of this file, so that most readers need not walk a body.
    pub fn calls(&self) -> &[Site] {
        self.part.of(&self.items.calls, |counts| counts.calls)
    }

    /// The name that an attribute or a global name is written with.
    pub fn written_name(&self, expr: ExprId) -> Option<Sym> {
        match *self.expr(expr) {
            Expr::Field { name, .. } | Expr::Free(name) => Some(name),
            _ => None,
        }
    }

    /// What a decorator is: `app.task` for `@app.task` and for `@app.task(…)`.
    pub fn decorator(&self, expr: ExprId) -> ExprId {
        match *self.expr(expr) {
            Expr::Call { callee, .. } => callee,
            _ => expr,
        }
    }

    /// The same, or the name of a variable of `function`, in which the expression stands.
    pub fn last_name(&self, function: &Function, expr: ExprId) -> Option<Sym> {
        match *self.expr(expr) {
            Expr::Var(var) => self.list(function.vars).get(var.0 as usize).copied(),
            _ => self.written_name(expr),
        }
    }

    /// True if a call may be missing from these facts, so that silence proves nothing.
    pub fn is_partial(&self) -> bool {
        !self.problems.is_empty()
    }
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
