//! Where a path expression leads, as far as its constant part tells: out of the workspace, or not known to.

use std::sync::Arc;

use super::constants::fold;
use super::index::Index;
use super::program::{Func, Program};
use super::statics::Global;
use super::types::{Slot, Type};
use crate::ir::{Arg, Expr, ExprId, Op};

/// A name of a path of a name; more is a cycle.
const MAX_HOPS: u32 = 12;
/// Folders that agents are given, and where temporary files belong.
const WORKSPACE: [&str; 2] = [".agentos/workspace/", ".agentos/cache/"];
const TEMPORARY: [&str; 5] = ["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/null", "/dev/std"];

impl Program<'_> {
    /// True if the constant part of a path expression is absolute, in the home directory, or climbs with `..`.
    pub fn leads_outside(&self, func: Func, path: ExprId) -> bool {
        match start(&self.index, func, path, MAX_HOPS) {
            Some(Start::Home) => true,
            Some(Start::Text(text)) => is_outside(&text),
            None => false,
        }
    }
}

/// What a path begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Start {
    Home,
    Text(String),
}

fn is_outside(text: &str) -> bool {
    let text = text.replace('\\', "/");
    let temporary = TEMPORARY.iter().any(|folder| text.starts_with(folder)) || text == "/tmp";
    if temporary || WORKSPACE.iter().any(|folder| text.contains(folder)) {
        return false;
    }
    let drive =
        text.as_bytes().get(1) == Some(&b':') && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    text.starts_with('/') || text.starts_with('~') || drive || climbs(&text)
}

/// `..` leads above where the path began.
fn climbs(text: &str) -> bool {
    let mut depth = 0i32;
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

fn start(index: &Index<'_>, func: Func, expr: ExprId, hops: u32) -> Option<Start> {
    let hops = hops.checked_sub(1)?;
    if let Some(known) = fold(index, func, expr, hops) {
        return Some(Start::Text(known.text));
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
            (is_home && &*path_of(index, func, base)? == "os.environ").then_some(Start::Home)
        }
        Expr::Call { callee, args, .. } => start_of_call(index, func, callee, facts.list(args), hops),
        _ => None,
    }
}

fn start_of_slot(index: &Index<'_>, slot: Slot, hops: u32) -> Option<Start> {
    let mut definitions = index.definitions(slot);
    let (func, value) = definitions.next()?;
    if definitions.next().is_some() || index.param_of.contains_key(&slot) {
        return None;
    }
    start(index, func, value, hops)
}

/// `first / "a" / "b"`: the start of the first part, with constant text behind it, so that climbing is seen.
fn joined(index: &Index<'_>, func: Func, parts: &[ExprId], hops: u32) -> Option<Start> {
    let (first, rest) = parts.split_first()?;
    let Start::Text(mut text) = start(index, func, *first, hops)? else { return Some(Start::Home) };
    for &part in rest {
        let Some(known) = fold(index, func, part, hops) else { break };
        text.push('/');
        text.push_str(&known.text);
    }
    Some(Start::Text(text))
}

fn start_of_call(index: &Index<'_>, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Option<Start> {
    let facts = index.units[index.file_of(func)].facts;
    let first = args.first().map(|arg| arg.value);
    let values: Vec<ExprId> = args.iter().map(|arg| arg.value).collect();
    match path_of(index, func, callee).as_deref() {
        Some("pathlib.Path.home") => return Some(Start::Home),
        Some(
            "pathlib.Path" | "pathlib.PurePath" | "os.path.join" | "os.path.expanduser" | "os.path.abspath"
            | "os.path.realpath" | "os.path.normpath" | "builtins.str" | "os.fspath",
        ) => return joined(index, func, &values, hops),
        Some("os.getenv" | "os.environ.get") => {
            let name = fold(index, func, first?, hops)?;
            return (name.text == "HOME").then_some(Start::Home);
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
fn path_of(index: &Index<'_>, func: Func, expr: ExprId) -> Option<Arc<str>> {
    index.statics(func, expr).into_iter().find_map(|ty| match ty {
        Type::External(path) => Some(index.externals.text(path)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_home_and_climbing_paths_lead_out() {
        for text in
            ["/etc/hosts", "~/.ssh/config", "../secrets", "a/../../b", "C:\\Users\\x", "/home/x/.agentos/y"]
        {
            assert!(is_outside(text), "{text}");
        }
        for text in ["notes.md", "a/../b", ".agentos/workspace/s1/x", "/tmp/x", "/dev/null", "", "a..b/c"] {
            assert!(!is_outside(text), "{text}");
        }
    }
}
