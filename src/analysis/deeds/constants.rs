//! Constants that switch a guard off: a flag that is false, a list without an entry, a parameter that is never given. What
//! anything else may set is no constant.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use crate::catalog::Catalog;
use crate::ir::{ArgKind, Expr, ExprId, Facts, FnKind, Lit, Sym};
use crate::link::{EdgeKind, Func, Meant, Name, Passed, Program, Target};

/// What production code sets and gives, found once it is asked for.
#[derive(Default)]
pub(super) struct Constants {
    names: OnceCell<FxHashSet<Name>>,
    calls: OnceCell<Calls>,
}

/// What functions are given.
#[derive(Default)]
struct Calls {
    called: FxHashSet<Func>,
    given: FxHashSet<(Func, u32)>,
    /// Somebody else calls them, or gives what cannot be told.
    open: FxHashSet<Func>,
}

impl Constants {
    /// Whether a name of a module or a class is true, if nothing else than its definition says so.
    pub fn truth(&self, program: &Program<'_>, catalog: &Catalog, func: Func, name: ExprId) -> Option<bool> {
        let (owner, value) = program.bound(func, name);
        if (owner, value) == (func, name) || program.ir(owner).kind == FnKind::Plain {
            return None;
        }
        let truth = literal_truth(program, owner, value)?;
        let written = program.symbol(func, spelled(program, func, name)?);
        let names = self.names.get_or_init(|| set_names(program, catalog));
        (!names.contains(&written)).then_some(truth)
    }

    /// True for a parameter that is off unless it is given, and that no call gives.
    pub fn is_never_given(&self, program: &Program<'_>, func: Func, at: u32) -> bool {
        let facts = program.facts(program.function(func).file);
        let default = facts.list(program.ir(func).params).get(at as usize).and_then(|param| param.default);
        if !default.is_some_and(|default| *facts.expr(default) == Expr::Lit(Lit::Bool(false))) {
            return false;
        }
        let calls = self.calls.get_or_init(|| calls(program));
        calls.called.contains(&func) && !calls.given.contains(&(func, at)) && !calls.open.contains(&func)
    }
}

/// Of a flag, and of what is surely empty.
fn literal_truth(program: &Program<'_>, func: Func, value: ExprId) -> Option<bool> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(value) {
        Expr::Lit(Lit::Bool(value)) => Some(value),
        Expr::Lit(Lit::Int(value)) => Some(value != 0),
        Expr::Seq(items) => items.is_empty().then_some(false),
        Expr::Record(entries) => entries.is_empty().then_some(false),
        // `frozenset()`
        Expr::Call { callee, args, .. } => {
            let path = program.library_path(func, callee)?;
            let is_container =
                CONTAINERS.iter().any(|name| path.strip_prefix(crate::catalog::BUILTINS) == Some(name));
            (is_container && args.is_empty()).then_some(false)
        }
        _ => None,
    }
}

/// What makes an empty container if it is given nothing.
const CONTAINERS: [&str; 5] = ["frozenset", "tuple", "set", "list", "dict"];

/// The names that production code may set from elsewhere.
fn set_names(program: &Program<'_>, catalog: &Catalog) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    let texts = program.meant(is_name);
    let mutators = program.meant(|text| catalog.handed_on.mutates(text));
    let functions = (0..program.functions.len() as u32).map(Func);
    for func in functions.filter(|&func| !program.is_test_code(func)) {
        let mut set = |name: Sym| found.extend([program.symbol(func, name)]);
        for expr in program.ir(func).exprs.iter() {
            sets(program, func, expr, (&texts, &mutators), &mut set);
        }
    }
    found
}

/// By an assignment to an attribute or through a mapping, as a word in a text or of a call, or by a method that changes what
/// they hold.
fn sets(
    program: &Program<'_>,
    func: Func,
    expr: ExprId,
    (texts, mutators): (&Meant, &Meant),
    set: &mut dyn FnMut(Sym),
) {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Store { place, .. } => {
            stored(facts, place).filter_map(|part| spelled(program, func, part)).for_each(set)
        }
        Expr::Lit(Lit::Str(text)) if program.is_meant(func, text, texts) => set(text),
        Expr::Call { callee, args, .. } => {
            for arg in facts.list(args) {
                if let ArgKind::Named(name) = arg.kind {
                    set(name);
                }
            }
            if let Expr::Field { base, name } = *facts.expr(callee)
                && program.is_meant(func, name, mutators)
            {
                spelled(program, func, base).into_iter().for_each(set);
            }
        }
        _ => {}
    }
}

/// What an attribute or a name is called.
fn spelled(program: &Program<'_>, func: Func, expr: ExprId) -> Option<Sym> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Field { name, .. } | Expr::Free(name) => Some(name),
        Expr::Var(var) => facts.list(program.ir(func).vars).get(var.0 as usize).copied(),
        _ => None,
    }
}

/// A place that is set, and what it is a part of.
fn stored(facts: &Facts, place: ExprId) -> impl Iterator<Item = ExprId> + '_ {
    std::iter::successors(Some(place), |&at| match *facts.expr(at) {
        Expr::Index { base, .. } => Some(base),
        _ => None,
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn calls(program: &Program<'_>) -> Calls {
    let mut found = Calls::default();
    for edge in program.edges.iter().filter(|edge| !program.is_test_code(edge.from)) {
        let Target::Project(to) = edge.to else { continue };
        if edge.kind != EdgeKind::Call {
            found.open.insert(to);
            continue;
        }
        found.called.insert(to);
        for (passed, _) in program.arguments(edge) {
            match passed {
                Passed::Param(at) => drop(found.given.insert((to, at))),
                _ => drop(found.open.insert(to)),
            }
        }
    }
    found
}
