//! The values of a program as the analyses of data ask for them: what a name is bound to, what a call is by its path, which
//! expressions a value is made of. Looks at one function and at what modules and classes around it bind.

use std::sync::{Arc, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::definitions::{Definition, Definitions};
use super::effects::Effects;
use super::origins::Origin;
use super::texts::Held;
use crate::catalog::DataOp;
use crate::catalog::{BUILTINS, Built, Catalog, Makes};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Facts, Lit, ParamKind, Sym, VarId};
use crate::link::{At, Func, Program, SharedMemo, Slot, Target, Variable};

/// So many expressions make up a value; beyond that the rest is not looked at.
pub const MAX_PARTS: usize = 2_000;

/// The program, with the definitions of the functions that were asked for.
pub struct Values<'p, 'a> {
    pub program: &'p Program<'a>,
    pub catalog: &'p Catalog,
    pub effects: &'p Effects,
    definitions: SharedMemo<Func, Arc<Definitions>>,
    entries: SharedMemo<At, Arc<Entries>>,
    pub(super) texts: SharedMemo<Place, Arc<[String]>>,
    pub(super) elements: SharedMemo<Place, Arc<[String]>>,
    /// By the number of the markers that were looked for.
    pub(super) held: SharedMemo<(usize, Place), Option<Held>>,
    pub(super) markers: RwLock<Vec<(Vec<String>, bool)>>,
    pub(super) origins: SharedMemo<Place, Arc<Origin>>,
}

/// The entries of a record by key, as far as the keys are literal texts.
pub type Entries = FxHashMap<Sym, Vec<ExprId>>;

/// What a question is about: all uses of a variable have one answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    Variable(Slot),
    Expr(Func, ExprId),
}

/// What a name is bound to, in the function that binds it.
pub struct Bound {
    pub func: Func,
    var: VarId,
    definitions: Arc<Definitions>,
}

impl Bound {
    pub fn definitions(&self) -> &[Definition] {
        self.definitions.of(self.var)
    }
}

/// A call of a method: `receiver.name(args)`, also written `dict.name(receiver, args)`.
#[derive(Clone, Copy, Debug)]
pub struct Method<'c, 'f> {
    pub receiver: ExprId,
    /// By which the word lists of the catalogue know it.
    pub name: &'c str,
    pub does: Option<DataOp>,
    pub args: &'f [Arg],
}

impl<'p, 'a> Values<'p, 'a> {
    pub fn new(program: &'p Program<'a>, catalog: &'p Catalog, effects: &'p Effects) -> Self {
        Self {
            program,
            catalog,
            effects,
            definitions: SharedMemo::default(),
            entries: SharedMemo::default(),
            texts: SharedMemo::default(),
            elements: SharedMemo::default(),
            held: SharedMemo::default(),
            markers: RwLock::default(),
            origins: SharedMemo::default(),
        }
    }

    pub fn facts(&self, func: Func) -> &'a Facts {
        self.program.facts(self.program.function(func).file)
    }

    pub fn at(&self, func: Func, expr: ExprId) -> At {
        At { file: self.program.function(func).file, expr }
    }

    pub fn definitions(&self, func: Func) -> Arc<Definitions> {
        self.definitions.of(func, || Arc::new(Definitions::new(self.program, self.catalog, func)))
    }

    pub fn place(&self, func: Func, expr: ExprId) -> Place {
        match *self.facts(func).expr(expr) {
            Expr::Var(var) => Place::Variable(self.program.slot_of(func, var)),
            _ => Place::Expr(func, expr),
        }
    }

    /// What a name is bound to.
    pub fn bound(&self, func: Func, expr: ExprId) -> Option<Bound> {
        let Variable { func, var } = self.program.variable(func, expr)?;
        Some(Bound { func, var, definitions: self.definitions(func) })
    }

    /// The entries of a record; of anything else none.
    pub fn entries(&self, func: Func, record: ExprId) -> Arc<Entries> {
        self.entries.of(self.at(func, record), || {
            let facts = self.facts(func);
            let mut found = Entries::default();
            if let Expr::Record(entries) = *facts.expr(record) {
                for entry in facts.list(entries) {
                    if let EntryKey::Expr(key) = entry.key
                        && let Expr::Lit(Lit::Str(key)) = *facts.expr(key)
                    {
                        found.entry(key).or_default().push(entry.value);
                    }
                }
            }
            Arc::new(found)
        })
    }

    /// The parameter that a name is, if it is one and is bound to nothing else.
    pub fn parameter(&self, func: Func, expr: ExprId) -> Option<ParamKind> {
        let variable = self.program.variable(func, expr)?;
        let definitions = self.definitions(variable.func);
        definitions.parameter(variable.var).filter(|_| definitions.of(variable.var).is_empty())
    }

    /// The variable behind an expression, through other names for it and through copies.
    pub fn root(&self, func: Func, expr: ExprId) -> Option<Variable> {
        let (mut func, mut expr) = (func, expr);
        for _ in 0..8 {
            while let Expr::Await(inner) | Expr::Spread(inner) = *self.facts(func).expr(expr) {
                expr = inner;
            }
            let variable = self.program.variable(func, expr)?;
            let definitions = self.definitions(variable.func);
            let plain = |d: &&Definition| !d.is_element;
            let mut whole = definitions.of(variable.var).iter().filter(plain);
            match (whole.next(), whole.next()) {
                (Some(only), None) if only.reads.is_empty() => {
                    let Some(next) = self.other_name(variable.func, only.value) else {
                        return Some(variable);
                    };
                    (func, expr) = (variable.func, next);
                }
                _ => return Some(variable),
            }
        }
        None
    }

    /// `b` of `a = b` and of `a = dict(b)`.
    fn other_name(&self, func: Func, value: ExprId) -> Option<ExprId> {
        let facts = self.facts(func);
        match *facts.expr(value) {
            Expr::Var(_) => Some(value),
            Expr::Call { args, .. } => {
                let [only] = facts.list(args) else { return None };
                let copies = self.path(func, value).is_some_and(|path| self.catalog.handed_on.by_call(&path));
                (copies && matches!(facts.expr(only.value), Expr::Var(_))).then_some(only.value)
            }
            _ => None,
        }
    }

    /// The library path, or the path of the project's own function, that a call resolved to.
    pub fn path(&self, func: Func, call: ExprId) -> Option<String> {
        self.paths(func, call).into_iter().next()
    }

    pub fn paths(&self, func: Func, call: ExprId) -> Vec<String> {
        let facts = self.facts(func);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return Vec::new() };
        let at = self.at(func, call);
        let edges = self.program.edges_from(func);
        let start = edges.partition_point(|edge| edge.at < at);
        let mut paths: Vec<String> = edges[start..]
            .iter()
            .take_while(|edge| edge.at == at)
            .map(|edge| match edge.to {
                Target::External(path) => self.program.path(path).to_string(),
                Target::Project(func) => self.program.function(func).path.to_string(),
            })
            .collect();
        if paths.is_empty() {
            paths.extend(self.spelled(func, callee));
        }
        paths
    }

    /// A function of the language itself, which link follows only where somebody asks.
    fn spelled(&self, func: Func, callee: ExprId) -> Option<String> {
        let facts = self.facts(func);
        match *facts.expr(callee) {
            Expr::Free(name) if self.program.variable(func, callee).is_none() => {
                Some(format!("{BUILTINS}{}", facts.str(name)))
            }
            Expr::Field { base, name } => match *facts.expr(base) {
                Expr::Free(class) if self.is_class(facts.str(class)) => {
                    Some(format!("{BUILTINS}{}.{}", facts.str(class), facts.str(name)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What a function of a library does that is called here.
    pub fn operation(&self, func: Func, call: ExprId) -> Option<DataOp> {
        self.catalog.operations.of_call(&self.path(func, call)?)
    }

    pub fn method(&self, func: Func, call: ExprId) -> Option<Method<'p, 'a>> {
        let facts = self.facts(func);
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return None };
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        let (operations, written, args) = (&self.catalog.operations, facts.str(name), facts.list(args));
        let (name, does) = (operations.known(facts.lang, written), operations.of_method(facts.lang, written));
        match *facts.expr(base) {
            Expr::Free(class) if self.is_class(facts.str(class)) => {
                let (first, rest) = args.split_first()?;
                let positional = first.kind == ArgKind::Positional;
                positional.then_some(Method { receiver: first.value, name, does, args: rest })
            }
            _ => Some(Method { receiver: base, name, does, args }),
        }
    }

    /// True for a method that the language of the function has for what it does, not one that only has the name.
    pub fn is_own(&self, func: Func, method: &Method<'_, '_>) -> bool {
        self.catalog.operations.own_method(self.facts(func).lang, method.name).is_some()
    }

    /// A type of the language itself whose methods are also called on the type: `dict.get(table, key)`.
    fn is_class(&self, name: &str) -> bool {
        let does = self.catalog.operations.of_builtin(name);
        matches!(does, Some(DataOp::MakeMapping | DataOp::ToText))
    }

    /// The text that a call only converts: `"…".to_string()`, `String::from("…")`.
    pub fn converted(&self, func: Func, call: ExprId) -> Option<ExprId> {
        let facts = self.facts(func);
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return None };
        if !facts.profile().converts_texts {
            return None;
        }
        let texts = &self.catalog.built_texts;
        match (*facts.expr(callee), facts.list(args)) {
            (Expr::Field { base, name }, [] | [_]) if texts.made_by(facts.str(name)) == Some(Makes::Same) => {
                Some(base)
            }
            (_, [only]) => {
                let path = self.program.library_path(func, callee)?;
                (texts.built_by(path) == Some(Built::Same)).then_some(only.value)
            }
            _ => None,
        }
    }

    /// True if the call puts a content fence around its arguments.
    pub fn is_wrap(&self, func: Func, call: ExprId) -> bool {
        self.paths(func, call).iter().any(|path| self.catalog.fence.wraps(path))
    }

    /// Every expression that the value of `expr` is made of, inside the function.
    pub fn parts(&self, func: Func, expr: ExprId) -> FxHashSet<ExprId> {
        let facts = self.facts(func);
        let definitions = self.definitions(func);
        let (mut seen, mut todo) = (FxHashSet::default(), vec![expr]);
        while let Some(id) = todo.pop() {
            if seen.len() >= MAX_PARTS {
                break;
            }
            if !seen.insert(id) {
                continue;
            }
            if let Expr::Var(var) = *facts.expr(id) {
                todo.extend(definitions.of(var).iter().map(|definition| definition.value));
            }
            facts.arenas.each_expr(id, |child| todo.push(child));
        }
        seen
    }

    /// True if a test looks at the variable of a loop of the same function.
    pub fn tests_loop_variable(&self, func: Func, test: ExprId) -> bool {
        let facts = self.facts(func);
        let is_looped = |id: ExprId| match *facts.expr(id) {
            Expr::Var(var) => self.definitions(func).of(var).iter().any(|d| d.of_loop.is_some()),
            _ => false,
        };
        self.below(func, test).into_iter().any(is_looped)
    }

    /// Every expression below `expr`, itself included, without a look at what its names are bound to.
    pub fn below(&self, func: Func, expr: ExprId) -> Vec<ExprId> {
        self.facts(func).arenas.below(expr)
    }
}
