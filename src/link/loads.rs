//! Files that code runs by their path (`run_path("x.txt")`, `exec(open("x").read())`): where the path is constant the file is a
//! module, and the call an edge to its body. Which calls load, open and read is the catalogue's.

use std::cell::Cell;

use camino::{Utf8Path, Utf8PathBuf};

use super::args::argument;
use super::constants::Folder;
use super::folders::normal;
use super::hierarchy::Hierarchy;
use super::ids::{Func, PathId, Slot};
use super::index::Index;
use super::types::{Global, Type};
use super::values::Known;
use crate::catalog::{Loader, Loads, PathOp};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Op, Pat};

/// A name of a name of a name; more is a cycle.
const MAX_HOPS: u32 = 16;
/// What runs of a folder that is run.
pub const MAIN: &str = "__main__.py";
/// A loop over a few paths; more is a table, of which something is not known.
const MAX_PATHS: usize = 16;
/// Folders in one list.
const MAX_FOLDERS: usize = 256;

/// A path as far as it is known: below the project root, or from the file's own place on.
#[derive(Clone)]
struct Written {
    text: String,
    /// It says its folder itself, by the file that it stands in.
    is_placed: bool,
}

pub(super) struct Paths<'i, 'a> {
    index: &'i Index<'a>,
    hierarchy: &'i Hierarchy,
    /// How many values that callers give may still be looked at.
    left: Cell<usize>,
}

impl<'i, 'a> Paths<'i, 'a> {
    pub fn new(index: &'i Index<'a>, hierarchy: &'i Hierarchy) -> Self {
        Self { index, hierarchy, left: Cell::new(MAX_PATHS) }
    }

    /// The files that a call of this library path runs.
    pub fn loaded(&self, func: Func, path: PathId, args: &[Arg]) -> Vec<Utf8PathBuf> {
        let externals = &self.index.externals;
        let Some(loader) = externals.loader(path) else { return Vec::new() };
        let mut found: Vec<Utf8PathBuf> =
            self.written(func, loader, args).iter().map(|path| self.placed(func, path)).collect();
        found.sort();
        found.dedup();
        found
    }

    /// The folders that an expression names.
    pub fn folders(&self, func: Func, value: ExprId) -> Vec<Utf8PathBuf> {
        self.path(func, value, MAX_HOPS).iter().map(|path| self.placed(func, path)).collect()
    }

    /// True for a call that adds to where imports are looked for.
    pub fn adds_folder(&self, path: PathId) -> bool {
        self.index.externals.loader(path).is_some_and(Loader::adds_folder)
    }

    /// True if only the run knows what a call of this library path loads.
    pub fn is_open(&self, func: Func, path: PathId, args: &[Arg]) -> bool {
        let runs = |loader: &&Loader| !loader.prepares || loader.of == Loads::File && loader.source;
        let loader = self.index.externals.loader(path).filter(runs);
        let Some((loader, test)) = loader.and_then(|loader| Some((loader, loader.argument.as_ref()?))) else {
            return false;
        };
        let Some(value) = argument(self.facts(func), args, test.index, test.name.as_deref()) else {
            return false;
        };
        match loader.of {
            Loads::Code | Loads::Module => {
                self.may_be_another(func, loader.of, value) && self.written(func, loader, args).is_empty()
            }
            Loads::File => {
                let count = self.written(func, loader, args).len();
                loader.source && (count == 0 || count >= MAX_PATHS)
            }
            Loads::Data => true,
            Loads::Names => !self.is_mapping(func, value),
            Loads::Attribute | Loads::Folder | Loads::Spec => false,
        }
    }

    fn is_mapping(&self, func: Func, value: ExprId) -> bool {
        let (func, value) = self.index.named_once(func, value);
        matches!(self.facts(func).expr(value), Expr::Record(_))
    }

    /// True unless it is known what a value can be; of a module, which package it is in.
    fn may_be_another(&self, func: Func, of: Loads, value: ExprId) -> bool {
        let known = Folder::new(self.index, self.hierarchy).fold(func, value);
        let is_fixed = |known: &Known| known.whole || of == Loads::Module && known.text.contains('.');
        known.list.is_empty() || !known.complete || !known.list.iter().all(is_fixed)
    }

    fn written(&self, func: Func, loader: &Loader, args: &[Arg]) -> Vec<Written> {
        let Some(test) = &loader.argument else { return Vec::new() };
        let value = argument(self.facts(func), args, test.index, test.name.as_deref());
        match (loader.of, value) {
            (Loads::File, Some(value)) if loader.source => self.path(func, value, MAX_HOPS),
            (_, Some(value)) if loader.adds_folder() => self.path(func, value, MAX_HOPS),
            (Loads::Code, Some(value)) => self.content(func, value, MAX_HOPS),
            _ => Vec::new(),
        }
    }

    /// A path that says no folder is looked for beside the file, then below the project root.
    fn placed(&self, func: Func, path: &Written) -> Utf8PathBuf {
        let from_root = normal(Utf8Path::new(&path.text));
        let own = self.index.units[self.index.file_of(func)].path;
        let beside = normal(&own.parent().unwrap_or(Utf8Path::new("")).join(&path.text));
        let is_beside = !path.is_placed && self.file_at(&from_root).is_none();
        if is_beside && self.file_at(&beside).is_some() { beside } else { from_root }
    }

    fn facts(&self, func: Func) -> &'a Facts {
        self.index.units[self.index.file_of(func)].facts
    }

    fn is_own_file(&self, facts: &Facts, name: &str) -> bool {
        let ops = &self.index.externals.catalog().path_ops;
        ops.of_method(facts.lang, name) == Some(PathOp::OwnFile)
    }

    /// What a callee does with paths, and what it is called on.
    fn operation(&self, func: Func, callee: ExprId) -> Option<(PathOp, Option<ExprId>)> {
        let externals = &self.index.externals;
        let ops = &externals.catalog().path_ops;
        if let [Type::External(path) | Type::Unbound(path)] = self.index.statics(func, callee)[..]
            && let Some(op) = ops.of_call(externals.text(path))
        {
            return Some((op, None));
        }
        let facts = self.facts(func);
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        Some((ops.of_method(facts.lang, facts.str(name))?, Some(base)))
    }

    /// The files whose text an expression is.
    fn content(&self, func: Func, expr: ExprId, hops: u32) -> Vec<Written> {
        let Some(hops) = hops.checked_sub(1) else { return Vec::new() };
        let facts = self.facts(func);
        match *facts.expr(expr) {
            Expr::Call { callee, args, .. } => {
                let Some((op, receiver)) = self.operation(func, callee) else {
                    return self.part(func, callee).map_or(Vec::new(), |of| self.content(func, of, hops));
                };
                let Some(first) = receiver.or_else(|| positional(facts.list(args)).next()) else {
                    return Vec::new();
                };
                match op {
                    PathOp::Content | PathOp::Same => self.content(func, first, hops),
                    // `Path(p).read_text()`, `file.read()`.
                    PathOp::Read => {
                        let opened = self.content(func, first, hops);
                        if opened.is_empty() { self.path(func, first, hops) } else { opened }
                    }
                    PathOp::Open => self.path(func, first, hops),
                    _ => Vec::new(),
                }
            }
            Expr::Ascribe { value: Some(value), .. } | Expr::Await(value) => self.content(func, value, hops),
            // A part of a file may be any of it.
            Expr::Index { base, .. } => self.content(func, base, hops),
            _ => self.through(func, expr, |func, value| self.content(func, value, hops)),
        }
    }

    /// The text that a method takes a part of, or changes.
    fn part(&self, func: Func, callee: ExprId) -> Option<ExprId> {
        let facts = self.facts(func);
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        let ops = &self.index.externals.catalog().text_ops;
        ops.of_method(facts.lang, facts.str(name)).map(|_| base)
    }

    /// The paths that an expression is known to be.
    fn path(&self, func: Func, expr: ExprId, hops: u32) -> Vec<Written> {
        let Some(hops) = hops.checked_sub(1) else { return Vec::new() };
        let facts = self.facts(func);
        let placed = match *facts.expr(expr) {
            Expr::Free(name) if self.is_own_file(facts, facts.str(name)) => {
                let own = self.index.units[self.index.file_of(func)].path;
                vec![Written { text: own.to_string(), is_placed: true }]
            }
            Expr::Call { callee, args, .. } => self.path_of_call(func, callee, facts.list(args), hops),
            Expr::Op { op: Op::Div, args } => self.joined(func, facts.list(args).iter().copied(), "/", hops),
            // `sys.path = ["lib"] + sys.path`.
            Expr::Seq(items) | Expr::Op { op: Op::Add, args: items } if is_list(facts, expr) => facts
                .list(items)
                .iter()
                .flat_map(|&item| self.path(func, item, hops))
                .take(MAX_FOLDERS)
                .collect(),
            Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => {
                self.joined(func, facts.list(parts).iter().copied(), "", hops)
            }
            Expr::Field { base, name } => {
                let op = self.index.externals.catalog().path_ops.of_method(facts.lang, facts.str(name));
                match op {
                    Some(PathOp::Parent) => self.path(func, base, hops).iter().map(parent).collect(),
                    _ => self.through(func, expr, |func, value| self.path(func, value, hops)),
                }
            }
            Expr::Ascribe { value: Some(value), .. } => self.path(func, value, hops),
            _ => self.through(func, expr, |func, value| self.path(func, value, hops)),
        };
        if placed.iter().any(|path| path.is_placed) {
            return placed;
        }
        let mut known = self.constant(func, expr);
        let others = placed.into_iter().filter(|path| !known.iter().any(|known| known.text == path.text));
        let others: Vec<Written> = others.collect();
        known.extend(others);
        known.truncate(MAX_FOLDERS);
        known
    }

    fn constant(&self, func: Func, expr: ExprId) -> Vec<Written> {
        let values = Folder::new(self.index, self.hierarchy).fold(func, expr);
        let whole = values.list.into_iter().filter(|known| known.whole && !known.text.is_empty());
        whole.map(|known| Written { text: known.text, is_placed: false }).take(MAX_PATHS).collect()
    }

    fn path_of_call(&self, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Vec<Written> {
        let Some((op, receiver)) = self.operation(func, callee) else { return Vec::new() };
        let mut operands = receiver.into_iter().chain(positional(args));
        match op {
            PathOp::Same => operands.next().map_or(Vec::new(), |first| self.path(func, first, hops)),
            PathOp::Parent => {
                let first = operands.next().map_or(Vec::new(), |first| self.path(func, first, hops));
                first.iter().map(parent).collect()
            }
            PathOp::Below => self.joined(func, operands, "/", hops),
            PathOp::Beside => match (operands.next(), operands.next()) {
                (Some(path), Some(name)) => {
                    let names = self.constant(func, name);
                    let paths = self.path(func, path, hops);
                    let each = |path: &Written| names.first().map(|name| parent(path).below(&name.text, "/"));
                    paths.iter().filter_map(each).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The first part may say where it is, the others are constant.
    fn joined(
        &self,
        func: Func,
        mut parts: impl Iterator<Item = ExprId>,
        separator: &str,
        hops: u32,
    ) -> Vec<Written> {
        let Some(first) = parts.next() else { return Vec::new() };
        let mut paths = self.path(func, first, hops);
        for part in parts {
            let tails = self.constant(func, part);
            let each = |path: Written| {
                tails.iter().map(|tail| path.below(&tail.text, separator)).collect::<Vec<_>>()
            };
            paths = paths.into_iter().flat_map(each).take(MAX_PATHS).collect();
        }
        paths
    }

    /// Through names, up to where they are bound, once.
    fn through(&self, func: Func, expr: ExprId, then: impl Fn(Func, ExprId) -> Vec<Written>) -> Vec<Written> {
        let file = self.index.file_of(func);
        let slot: Option<Slot> = match *self.facts(func).expr(expr) {
            Expr::Var(var) => Some(self.index.var(func, var)),
            Expr::Free(name) => slot_of(self.index.global(file, name)),
            Expr::Import(id) => self.index.imported(file, id).and_then(slot_of),
            _ => None,
        };
        if let Some(&param) = slot.and_then(|slot| self.index.param_of.get(&slot)) {
            return self.handed(param, then);
        }
        let defined = slot.and_then(|slot| self.index.sole_definition(slot));
        let defined = defined.or_else(|| Some((func, self.managed(func, expr)?)));
        defined.map_or(Vec::new(), |(func, value)| then(func, value))
    }

    /// What callers give for a parameter, as far as the budget goes: callers of callers multiply.
    fn handed(&self, param: (Func, u32), then: impl Fn(Func, ExprId) -> Vec<Written>) -> Vec<Written> {
        let mut found = Vec::new();
        for (func, value) in self.index.handed(param) {
            let Some(left) = self.left.get().checked_sub(1) else { break };
            self.left.set(left);
            found.extend(then(func, value));
        }
        found
    }

    /// `with open(path) as file`: what the name is entered from.
    fn managed(&self, func: Func, name: ExprId) -> Option<ExprId> {
        let facts = self.facts(func);
        let Expr::Var(wanted) = *facts.expr(name) else { return None };
        self.index.ir(func).exprs.iter().find_map(|expr| match *facts.expr(expr) {
            Expr::With { context, pat: Some(pat), .. } if *facts.pat(pat) == Pat::Var(wanted) => {
                Some(context)
            }
            _ => None,
        })
    }

    /// The file of the program at a path.
    pub fn file_at(&self, path: &Utf8Path) -> Option<usize> {
        let units = self.index.units;
        let at = |path: &Utf8Path| units.binary_search_by(|unit| unit.path.cmp(path)).ok();
        at(path).or_else(|| at(&path.join(MAIN)))
    }
}

impl Written {
    fn below(&self, name: &str, separator: &str) -> Self {
        if separator == "/" && name.starts_with('/') {
            return Self { text: name.to_owned(), is_placed: false };
        }
        let separator = if self.text.is_empty() { "" } else { separator };
        Self { text: format!("{}{separator}{name}", self.text), is_placed: self.is_placed }
    }
}

fn slot_of(global: Global) -> Option<Slot> {
    match global {
        Global::Slot(slot) => Some(slot),
        Global::Is(_) => None,
    }
}

fn parent(path: &Written) -> Written {
    let above = Utf8Path::new(&path.text).parent().map_or("..", Utf8Path::as_str);
    Written { text: above.to_owned(), is_placed: path.is_placed }
}

fn is_list(facts: &Facts, expr: ExprId) -> bool {
    match *facts.expr(expr) {
        Expr::Seq(_) => true,
        Expr::Op { op: Op::Add, args } => {
            facts.list(args).iter().any(|&part| matches!(facts.expr(part), Expr::Seq(_)))
        }
        _ => false,
    }
}

fn positional(args: &[Arg]) -> impl Iterator<Item = ExprId> + '_ {
    args.iter().take_while(|arg| arg.kind == ArgKind::Positional).map(|arg| arg.value)
}
