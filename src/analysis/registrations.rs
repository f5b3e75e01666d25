//! What is registered: the commands that a person or a program calls by name, and the tools that a model may call. One list
//! for everybody who asks: the rules see its functions (`tools`, `handlers`), the inventory sees all of it.

mod annotations;
mod announced;
mod calls;
mod classes;
mod constructed;
mod decorated;
mod dispatched;
mod generic;
mod ladders;
mod lists;
mod marked;
mod offered;
mod registrars;
mod settle;

use rustc_hash::{FxHashMap, FxHashSet};

pub use annotations::{Annotation, Hints};
pub use announced::announced;

use super::decorators::decorated;
use super::reached::EntryKind;
use crate::catalog::{Catalog, Registration, RegistrationKind};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Span};
use crate::link::{At, Cls, EdgeKind, Func, Program, Target};
use crate::parallel;
use crate::source::FileId;
use registrars::{Registrars, Words};

/// A command or a tool. A function that has two names is there twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registered {
    pub kind: RegistrationKind,
    /// Whose way to register it is; none for the project's own.
    pub framework: Option<String>,
    /// As callers know it: `comm.search`. None where it is not constant.
    pub name: Option<String>,
    /// What runs.
    pub handler: Func,
    /// What runs in its place, for callers of another kind: `_arun` beside `_run`.
    pub others: Vec<Func>,
    /// Branches of the handler that are taken for other names only.
    pub closed: Vec<Span>,
    /// The class whose objects are registered.
    pub class: Option<Cls>,
    /// Where that is said: the decorator, the head of the class, the call or the entry of a table.
    pub file: FileId,
    pub span: Span,
    pub confidence: Confidence,
    /// What the registration itself says of the class of the tool.
    pub annotation: Option<Annotation>,
    /// A command of the comm namespace, or a tool that is called like one.
    pub is_comm: bool,
}

/// A function that a registration declares, and how sure it is that it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handler {
    pub func: Func,
    /// The registered name, if it is constant: `comm.search`.
    pub name: Option<String>,
    pub confidence: Confidence,
}

impl Registered {
    /// What it is for an agent: a command outside the namespace is called by people and programs.
    pub fn entry(&self) -> Option<EntryKind> {
        match self.kind {
            RegistrationKind::Tool => Some(EntryKind::Tool),
            RegistrationKind::Command => self.is_comm.then_some(EntryKind::Handler),
        }
    }

    /// False for what only tests register or run.
    pub fn is_production(&self, program: &Program<'_>) -> bool {
        !program.is_test(self.file) && !program.is_test_code(self.handler)
    }
}

/// Everything that a program registers, in the order of the places where it does.
pub fn registrations(program: &Program<'_>, catalog: &Catalog) -> Vec<Registered> {
    let (mut found, commands) =
        parallel::join(|| by_catalogue(program, catalog), || super::handlers::find(program, catalog));
    let words = &catalog.handlers;
    for known in &mut found {
        known.registered.is_comm = known.registered.name.as_ref().is_some_and(|name| words.is_command(name));
    }
    super::handlers::divide(program, catalog, &mut found);
    found.extend(commands);
    settle::settle(program, found)
}

/// The tools, by function.
pub fn tools(registered: &[Registered]) -> Vec<Handler> {
    by_function(registered.iter().filter(|known| known.kind == RegistrationKind::Tool))
}

/// The comm handlers, by function.
pub fn handlers(registered: &[Registered]) -> Vec<Handler> {
    by_function(registered.iter().filter(|known| known.is_comm))
}

/// Of several registrations of one function the surest counts, and of those the first.
fn by_function<'r>(registered: impl Iterator<Item = &'r Registered>) -> Vec<Handler> {
    let mut handlers: Vec<Handler> = Vec::new();
    for known in registered {
        let Registered { handler, others, name, confidence, .. } = known;
        let all = [handler].into_iter().chain(others);
        handlers.extend(all.map(|&func| Handler { func, name: name.clone(), confidence: *confidence }));
    }
    handlers.sort_by_key(|handler| (handler.func, std::cmp::Reverse(handler.confidence)));
    handlers.dedup_by(|later, first| {
        let is_same = later.func == first.func;
        if is_same && first.name.is_none() {
            first.name = later.name.take();
        }
        is_same
    });
    handlers
}

/// How near to the function something says that it is registered: the nearest is where a reader looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Way {
    /// By what a list may hold, as far as types tell.
    Inferred,
    /// In a list with others, somewhere.
    Listed,
    /// By a call, or under a name in a table.
    Called,
    /// At its own head.
    Marked,
}

/// What one place says.
#[derive(Debug)]
pub(super) struct Candidate {
    pub registered: Registered,
    pub way: Way,
    /// Where the call or the class begins that registers it, perhaps with others.
    pub within: u32,
    /// The name was chosen; else it is that of the function.
    pub is_named: bool,
    /// Of several functions for one name, the least is the usual one.
    pub nth: usize,
}

/// The ways that the catalogue lists.
fn by_catalogue(program: &Program<'_>, catalog: &Catalog) -> Vec<Candidate> {
    let words = Words::of(program, catalog);
    let registrars = Registrars::find(program, catalog, &words);
    let mut finder = Finder::new(program, catalog, &registrars);
    for func in (0..program.functions.len() as u32).map(Func) {
        finder.decorated(func);
        finder.class(func);
        finder.class_decorators(func);
    }
    // Hundreds of calls lead to one target, and few targets register.
    let mut entries: FxHashMap<Target, Vec<&Registration>> = FxHashMap::default();
    for edge in program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
        let known =
            entries.entry(edge.to).or_insert_with(|| catalog.registrations.calls(path(program, edge.to)));
        for entry in known {
            finder.called(edge.from, edge.at, entry, edge.confidence);
        }
        if let Target::Project(func) = edge.to
            && let Some(entry) = registrars.of(func)
        {
            finder.called(edge.from, edge.at, entry, Confidence::Medium);
        }
    }
    for call in &program.calls {
        finder.called_by_name(call);
        finder.constructed(call);
        finder.called_decorator(call);
        finder.announced(call);
    }
    finder.dispatched();
    finder.dispatching(&words);
    finder.offered(&words);
    finder.leave_out_makers();
    finder.close_branches();
    finder.found
}

/// The path that the catalogue knows something by. A framework may be the project itself.
fn path<'p>(program: &'p Program<'_>, target: Target) -> &'p str {
    match target {
        Target::External(path) => program.path(path),
        Target::Project(func) => &program.function(func).path,
    }
}

struct Finder<'f, 'a> {
    program: &'f Program<'a>,
    catalog: &'f Catalog,
    registrars: &'f Registrars,
    found: Vec<Candidate>,
    /// The functions that were found, and their classes.
    functions: FxHashSet<Func>,
    classes: FxHashSet<Cls>,
}

/// What a registration says beside the function.
#[derive(Clone)]
struct Said {
    name: Name,
    file: FileId,
    span: Span,
    /// Where the call or the class around begins.
    within: u32,
    way: Way,
    confidence: Confidence,
    annotation: Option<Annotation>,
}

/// What a registration says of the name.
#[derive(Clone)]
enum Name {
    /// Nothing: it is that of the function.
    Own,
    /// It is given, but not as a constant.
    Unknown,
    Known(String),
}

impl Name {
    fn of(text: Option<String>) -> Self {
        text.map_or(Name::Unknown, Name::Known)
    }
}

impl<'f, 'a> Finder<'f, 'a> {
    fn new(program: &'f Program<'a>, catalog: &'f Catalog, registrars: &'f Registrars) -> Self {
        let (found, functions, classes) = Default::default();
        Self { program, catalog, registrars, found, functions, classes }
    }
}

impl Finder<'_, '_> {
    /// Takes down a function. Without a name it has its own, as far as it has one; a command needs more than that.
    fn add(&mut self, entry: &Registration, func: Func, nth: usize, said: Said) {
        let Said { name, file, span, within, way, confidence, annotation } = said;
        // The project itself may register under a name that it is given what somebody else named.
        let is_named = match name {
            Name::Own => false,
            Name::Unknown => entry.framework.is_some() || way == Way::Marked,
            Name::Known(_) => true,
        };
        let needs_name = entry.kind == RegistrationKind::Command && !matches!(name, Name::Known(_));
        if needs_name || !entry.is_of(self.program.facts(file).lang) {
            return;
        }
        let name = match name {
            Name::Own => Some(self.program.name(func)).filter(|_| self.is_plain(func)).map(str::to_owned),
            Name::Unknown => None,
            Name::Known(name) => Some(name),
        };
        let registered = Registered {
            kind: entry.kind,
            framework: entry.framework.clone(),
            name,
            handler: func,
            others: Vec::new(),
            closed: Vec::new(),
            class: None,
            file,
            span,
            confidence,
            annotation,
            is_comm: false,
        };
        self.functions.insert(func);
        self.classes.extend(self.program.function(func).class);
        self.found.push(Candidate { registered, way, within, is_named, nth });
    }

    /// The attribute that an expression reads of the method's own object: `self.search`, with the class.
    fn own_attribute(&self, func: Func, expr: ExprId) -> Option<(Cls, &str)> {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let Expr::Field { base, name } = *facts.expr(expr) else { return None };
        let first = facts.list(program.ir(func).params).first()?;
        let is_own = program.receiver_name(func, base)?.name == facts.str(first.name);
        let class = program.function(func).class.filter(|_| is_own)?;
        matches!(facts.expr(base), Expr::Var(_)).then(|| (class, facts.str(name)))
    }

    fn is_plain(&self, func: Func) -> bool {
        self.program.ir(func).kind == crate::ir::FnKind::Plain
    }

    fn kept(&self, file: FileId, value: ExprId) -> Vec<Func> {
        decorated(self.program, At { file, expr: value })
    }
}

/// The text that a member of a class is: the constant itself, what a property hands back, and what a method does by which a
/// trait asks for one.
pub(super) fn constant(program: &Program<'_>, func: Func, value: ExprId) -> Option<String> {
    let file = program.function(func).file;
    let facts = program.facts(file);
    let Expr::Closure(getter) = *facts.expr(value) else {
        let mut texts = program.possible(func, value).list.into_iter().filter(|known| known.whole);
        return texts.next().map(|known| known.text).or_else(|| program.text(func, value));
    };
    let is_read = !facts.profile().has_getters || program.function(getter).is_property;
    program.returns(getter).filter(|_| is_read).find_map(|value| program.text(getter, value))
}

/// The text that a value is, as a name, a member of an enumeration or a literal.
fn constant_text(program: &Program<'_>, func: Func, value: ExprId) -> Option<String> {
    program.text(func, value).or_else(|| constant(program, func, value))
}
