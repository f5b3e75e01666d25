//! `gatelint debug flows`: where the parameters of tools get, by the value-flow graph.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{Shown, json_lines};
use crate::analysis::{Effects, Node, Place, Sink as Kind, Valueflow, chosen, registrations};
use crate::catalog::{ArgumentTest, Catalog, EffectKind};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};
use crate::link::{At, Func, Program, Target, argument};
use crate::source::SourceFile;

/// A value of a tool's parameter that gets to what runs it.
#[derive(Serialize)]
struct Found<'a> {
    tool: &'a str,
    parameter: &'a str,
    runs: &'static str,
    confidence: Confidence,
    file: &'a str,
    line: u32,
    way: Vec<String>,
}

/// A value that something runs.
struct Sink {
    node: Node,
    func: Func,
    expr: ExprId,
    runs: &'static str,
}

/// One JSON object per value that is run and may be what a tool is given, with the surest way.
pub fn flows(program: &Program<'_>, catalog: &Catalog, sources: &[SourceFile]) -> String {
    let effects = Effects::find(program, catalog);
    let graph = Valueflow::new(program, catalog, &effects);
    let sinks = sinks(program, catalog, &effects, &graph);
    let ends: Vec<Node> = sinks.iter().map(|sink| sink.node).collect();
    let shown = Shown::new(program, sources);
    let reach = graph.of_parameters(&chosen(program, catalog, &registrations(program, catalog)), &ends);
    let found = sinks.iter().flat_map(|sink| reach.at(sink.node).take(1).map(move |reached| (sink, reached)));
    let found = found.filter_map(|(sink, reached)| {
        let place = At { file: program.function(sink.func).file, expr: sink.expr };
        let file = place.file.0 as usize;
        let way = reach.way(reached);
        let (tool, Place::Param(at)) = graph.place(*way.first()?)? else { return None };
        let facts = program.facts(program.function(tool).file);
        Some(Found {
            tool: &program.function(tool).path,
            parameter: facts.str(facts.list(program.ir(tool).params)[at as usize].name),
            runs: sink.runs,
            confidence: reached.confidence,
            file: sources[file].path.as_str(),
            line: shown.lines[file].line_col(program.span(place).lo).line,
            way: way.into_iter().filter_map(|node| step(&shown, &graph, node)).collect(),
        })
    });
    json_lines(found)
}

fn sinks(
    program: &Program<'_>,
    catalog: &Catalog,
    effects: &Effects,
    graph: &Valueflow<'_, '_>,
) -> Vec<Sink> {
    let mut loaders: FxHashMap<Target, Option<(&ArgumentTest, &'static str)>> = FxHashMap::default();
    let mut all: Vec<(Func, ExprId, Option<ExprId>, &'static str)> = Vec::new();
    for site in effects.of_kinds(&[EffectKind::Process]) {
        let command = given(program, site.from, site.at.expr, (Some(0), Some("args")));
        let command = command.or_else(|| receiver(program, site.from, site.at.expr));
        all.push((site.from, site.at.expr, command, Kind::Process.word()));
    }
    for edge in &program.edges {
        let known = *loaders.entry(edge.to).or_insert_with(|| loader(program, catalog, edge.to));
        let Some((test, runs)) = known.filter(|_| !program.is_test_code(edge.from)) else { continue };
        let value = given(program, edge.from, edge.at.expr, (test.index, test.name.as_deref()));
        all.push((edge.from, edge.at.expr, value, runs));
    }
    let mut sinks = BTreeMap::new();
    for (func, _, value, runs) in all {
        if let Some(value) = value {
            sinks.entry((func, value)).or_insert(runs);
        }
    }
    let sink = |((func, expr), runs)| Sink { node: graph.expr(func, expr), func, expr, runs };
    sinks.into_iter().map(sink).collect()
}

/// What the catalogue says that a call of this runs.
fn loader<'c>(
    program: &Program<'_>,
    catalog: &'c Catalog,
    target: Target,
) -> Option<(&'c ArgumentTest, &'static str)> {
    let Target::External(path) = target else { return None };
    let loader = catalog.loader(program.path(path)).filter(|loader| !loader.prepares)?;
    Some((loader.argument.as_ref()?, Kind::of(loader.of)?.word()))
}

fn given(
    program: &Program<'_>,
    func: Func,
    call: ExprId,
    (index, name): (Option<usize>, Option<&str>),
) -> Option<ExprId> {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { args, .. } = *facts.expr(call) else { return None };
    argument(facts, facts.list(args), index, name)
}

/// What a command is that was made before.
fn receiver(program: &Program<'_>, func: Func, call: ExprId) -> Option<ExprId> {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
    match *facts.expr(callee) {
        Expr::Field { base, .. } => Some(base),
        _ => None,
    }
}

/// A node on a way, as a reader finds it.
fn step(shown: &Shown<'_>, graph: &Valueflow<'_, '_>, node: Node) -> Option<String> {
    let (func, place) = graph.place(node)?;
    let name = &shown.program.function(func).path;
    Some(match place {
        Place::Expr(expr) => {
            let at = At { file: shown.program.function(func).file, expr };
            let (file, span) = (at.file.0 as usize, shown.program.span(at));
            let text = shown.sources[file].text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
            let text: String = text.chars().take(60).collect();
            format!("{}:{} {text}", shown.sources[file].path, shown.lines[file].line_col(span.lo).line)
        }
        Place::Param(at) => format!("parameter {at} of {name}"),
        Place::Changed(at) => format!("put into parameter {at} of {name}"),
        Place::Returned => format!("returned by {name}"),
        Place::Var(_) | Place::Between => return None,
    })
}
