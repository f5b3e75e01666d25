//! Which functions play a role: the catalogue's selectors, what the project configured, and registrations.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::catalog::Catalog;
use crate::catalog::selector::Candidate;
use crate::config::{NamePattern, Planning};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, FnKind, Lit, Sym};
use crate::link::{Edge, EdgeKind, Func, Program, Target, argument};

/// A function with a role, and how sure it is that it has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    pub func: Func,
    pub confidence: Confidence,
}

/// The tools of a program, in order: what its frameworks hand to a model to call.
pub fn tools(program: &Program<'_>, catalog: &Catalog) -> Vec<Start> {
    let mut found: BTreeMap<Func, Confidence> = BTreeMap::new();
    let mut add = |func, confidence| {
        let known = found.entry(func).or_insert(confidence);
        *known = confidence.max(*known);
    };
    let functions = (0..program.functions.len() as u32).into_par_iter().map(Func);
    let by_itself = |func| {
        let confidence = marked(program, catalog, func).max(inherited(program, catalog, func));
        confidence.map(|confidence| (func, confidence))
    };
    let by_itself: Vec<_> = functions.filter_map(by_itself).collect();
    by_itself.into_iter().for_each(|(func, confidence)| add(func, confidence));
    // Hundreds of edges lead to one target, and few targets register.
    let mut registers: FxHashMap<Target, bool> = FxHashMap::default();
    for edge in program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
        let Target::External(path) = edge.to else { continue };
        let is_asked = || catalog.tools.registered(program.path(path)).next().is_some();
        if *registers.entry(edge.to).or_insert_with(is_asked) {
            registered(program, catalog, edge).into_iter().for_each(|func| add(func, edge.confidence));
        }
    }
    found.into_iter().map(|(func, confidence)| Start { func, confidence }).collect()
}

/// `@tool`, `@mcp.tool()`.
fn marked(program: &Program<'_>, catalog: &Catalog, func: Func) -> Option<Confidence> {
    let paths = program.decorator_paths(func);
    let names = decorators(program, func).into_iter();
    names.filter_map(|(name, _)| catalog.tools.marks(&paths, name)).max()
}

/// `class Search(BaseTool)` with the method that the framework calls.
fn inherited(program: &Program<'_>, catalog: &Catalog, func: Func) -> Option<Confidence> {
    let class = program.function(func).class?;
    let name = program.name(func);
    catalog.tools.runs(name).then(|| catalog.tools.inherits(&program.base_paths(class), name)).flatten()
}

/// `StructuredTool.from_function(func=search)`, `Agent(tools=[search])`: link has an edge for what is handed over.
fn registered(program: &Program<'_>, catalog: &Catalog, edge: &Edge) -> Vec<Func> {
    let Target::External(path) = edge.to else { return Vec::new() };
    let facts = program.facts(edge.at.file);
    let Expr::Call { args, .. } = *facts.expr(edge.at.expr) else { return Vec::new() };
    let arguments = catalog.tools.registered(program.path(path));
    let values = arguments.filter_map(|a| argument(facts, facts.list(args), a.index, a.name.as_deref()));
    values.flat_map(|value| handed(program, edge, value)).collect()
}

fn handed<'p>(program: &'p Program<'_>, call: &Edge, value: ExprId) -> impl Iterator<Item = Func> + use<'p> {
    let edges = program.edges_from(call.from).iter();
    edges.filter_map(move |edge| match (edge.to, edge.kind) {
        (Target::Project(func), EdgeKind::Passed | EdgeKind::Stored) if edge.at.expr == value => Some(func),
        _ => None,
    })
}

/// The planning functions of a program, in order.
pub fn planning_functions(program: &Program<'_>, catalog: &Catalog, config: &Planning) -> Vec<Func> {
    let functions = (0..program.functions.len() as u32).into_par_iter().map(Func);
    functions.filter(|&func| plans(program, catalog, config, func)).collect()
}

fn plans(program: &Program<'_>, catalog: &Catalog, config: &Planning, func: Func) -> bool {
    let info = program.function(func);
    if program.ir(func).kind != FnKind::Plain {
        return false;
    }
    let named = |patterns: &[NamePattern]| patterns.iter().any(|pattern| pattern.matches(&info.path));
    if named(&config.not_functions) {
        return false;
    }
    if named(&config.functions) || program.planning_nodes.binary_search(&func).is_ok() {
        return true;
    }
    if info.is_property {
        return false;
    }
    let mut decorators = decorators(program, func);
    let paths = program.decorator_paths(func);
    // Imported under another name, a mark is what the library calls it.
    if paths.len() == decorators.len() {
        let real = paths.iter().filter_map(|path| path.rsplit('.').next());
        let renamed: Vec<_> = real.zip(&decorators).map(|(name, &(_, argument))| (name, argument)).collect();
        decorators.extend(renamed);
    }
    let class = info.class.map(|class| program.class_name(class));
    catalog.planning.selects(Candidate { name: program.name(func), class, decorators: &decorators })
}

/// The last names of a function's decorators, each with its first argument if that is constant text.
fn decorators<'a>(program: &Program<'a>, func: Func) -> Vec<(&'a str, Option<&'a str>)> {
    let facts = program.facts(program.function(func).file);
    let vars = vars_around(program, func);
    let all = facts.list(program.ir(func).decorators).iter();
    all.filter_map(|&decorator| decorator_name(facts, vars, decorator)).collect()
}

/// The names of the variables where the function is defined: decorators stand there.
fn vars_around<'a>(program: &Program<'a>, func: Func) -> &'a [Sym] {
    let facts = program.facts(program.function(func).file);
    facts.list(facts.function(program.ir(func).parent).vars)
}

/// The last name of a decorator and its first argument, if that is constant text.
fn decorator_name<'a>(
    facts: &'a Facts,
    vars: &[Sym],
    decorator: ExprId,
) -> Option<(&'a str, Option<&'a str>)> {
    match *facts.expr(decorator) {
        Expr::Field { name, .. } | Expr::Free(name) => Some((facts.str(name), None)),
        Expr::Var(var) => Some((facts.str(*vars.get(var.0 as usize)?), None)),
        Expr::Call { callee, args, .. } => {
            let (name, _) = decorator_name(facts, vars, callee)?;
            let argument = facts.list(args).first().and_then(|arg| match *facts.expr(arg.value) {
                Expr::Lit(Lit::Str(text)) => Some(facts.str(text)),
                _ => None,
            });
            Some((name, argument))
        }
        _ => None,
    }
}
