//! How the path that an expression stands for begins, as far as it is constant. What lies in the workspace and what does
//! not is for the catalogue to say.

use super::constants::fold;
use super::index::Index;
use super::program::{Func, Program};
use super::statics::Global;
use super::types::{Slot, Type};
use crate::ir::{Arg, Expr, ExprId, Op};

/// A name of a path of a name; more is a cycle.
const MAX_HOPS: u32 = 12;
/// How a path in the home directory begins.
const HOME: &str = "~";

impl Program<'_> {
    /// The constant beginning of a path expression, as far as it is known; `~` is the home directory.
    pub fn path_start(&self, func: Func, path: ExprId) -> Option<String> {
        start(&self.index, func, path, MAX_HOPS)
    }
}

fn start(index: &Index<'_>, func: Func, expr: ExprId, hops: u32) -> Option<String> {
    let hops = hops.checked_sub(1)?;
    if let Some(known) = fold(index, func, expr, hops) {
        return Some(known.text);
    }
    let file = index.file_of(func);
    let facts = index.units[file].facts;
    match *facts.expr(expr) {
        Expr::Op { op: Op::Div | Op::Add, args } | Expr::Text(args) => {
            joined(index, func, facts.list(args), hops)
        }
        Expr::Field { base, name } if facts.str(name) == "parent" => start(index, func, base, hops),
        Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => {
            start(index, func, value, hops)
        }
        Expr::Var(var) => start_of_slot(index, index.var(func, var), hops),
        Expr::Free(name) => match index.global(file, index.name(file, name)) {
            Global::Slot(slot) => start_of_slot(index, slot, hops),
            Global::Is(_) => None,
        },
        Expr::Import(id) => match index.imported(file, id)? {
            Global::Slot(slot) => start_of_slot(index, slot, hops),
            Global::Is(_) => None,
        },
        Expr::Index { base, key } => {
            let is_home = fold(index, func, key, hops).is_some_and(|key| key.text == "HOME");
            (is_home && path_of(index, func, base)? == "os.environ").then(|| HOME.to_owned())
        }
        Expr::Call { callee, args, .. } => start_of_call(index, func, callee, facts.list(args), hops),
        _ => None,
    }
}

fn start_of_slot(index: &Index<'_>, slot: Slot, hops: u32) -> Option<String> {
    let mut definitions = index.definitions(slot);
    let (func, value) = definitions.next()?;
    if definitions.next().is_some() || index.param_of.contains_key(&slot) {
        return None;
    }
    start(index, func, value, hops)
}

/// `first / "a" / "b"`: the start of the first part, with constant text behind it, so that climbing is seen.
fn joined(index: &Index<'_>, func: Func, parts: &[ExprId], hops: u32) -> Option<String> {
    let (first, rest) = parts.split_first()?;
    let mut text = start(index, func, *first, hops)?;
    for &part in rest {
        let Some(known) = fold(index, func, part, hops) else { break };
        text.push('/');
        text.push_str(&known.text);
    }
    Some(text)
}

fn start_of_call(index: &Index<'_>, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Option<String> {
    let facts = index.units[index.file_of(func)].facts;
    let first = args.first().map(|arg| arg.value);
    let values: Vec<ExprId> = args.iter().map(|arg| arg.value).collect();
    match path_of(index, func, callee).as_deref() {
        Some("pathlib.Path.home") => return Some(HOME.to_owned()),
        Some(
            "pathlib.Path" | "pathlib.PurePath" | "os.path.join" | "os.path.expanduser" | "os.path.abspath"
            | "os.path.realpath" | "os.path.normpath" | "builtins.str" | "os.fspath",
        ) => return joined(index, func, &values, hops),
        Some("os.getenv" | "os.environ.get") => {
            let name = fold(index, func, first?, hops)?;
            return (name.text == "HOME").then(|| HOME.to_owned());
        }
        _ => {}
    }
    // Methods of a path: `Path("~/x").expanduser()`.
    match *facts.expr(callee) {
        Expr::Field { base, name } => match facts.str(name) {
            "expanduser" | "resolve" | "absolute" | "with_suffix" | "with_name" | "as_posix" => {
                start(index, func, base, hops)
            }
            "joinpath" => {
                let parts: Vec<ExprId> = std::iter::once(base).chain(values).collect();
                joined(index, func, &parts, hops)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The library path that an expression names by definitions and imports alone.
fn path_of(index: &Index<'_>, func: Func, expr: ExprId) -> Option<String> {
    index.statics(func, expr).into_iter().find_map(|ty| match ty {
        Type::External(path) => Some(index.externals.text(path)),
        _ => None,
    })
}
