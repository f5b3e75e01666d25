//! `gatelint debug flows`: where the parameters of tools get, by the value-flow graph.

use serde::Serialize;

use super::{Shown, json_lines};
use crate::analysis::{Effects, Key, Node, Part, Place, Question, Valueflow, chosen, registrations, taken};
use crate::catalog::{Catalog, Purposes};
use crate::finding::Confidence;
use crate::link::{At, Func, Program};
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

/// One JSON object per value that something is done with and that may be what a tool is given, with the surest way.
pub fn flows(program: &Program<'_>, catalog: &Catalog, sources: &[SourceFile]) -> String {
    let effects = Effects::find(program, catalog);
    let graph = Valueflow::new(program, catalog, &effects);
    let mut sinks = taken(program, catalog);
    sinks.dedup_by_key(|sink| (sink.func, sink.value));
    let ends: Vec<Node> = sinks.iter().map(|sink| graph.expr(sink.func, sink.value)).collect();
    let shown = Shown::new(program, sources);
    let chosen = chosen(program, catalog, &registrations(program, catalog));
    let roots = graph.roots(catalog, &chosen);
    let question = Question { roots: &roots, ends: ends.clone(), purposes: Purposes::default(), cut: &[] };
    let reach = graph.reach(&[question]).pop().unwrap_or_default();
    let found = sinks.iter().zip(&ends);
    let found = found.flat_map(|(sink, &end)| reach.at(end).take(1).map(move |reached| (sink, reached)));
    let found = found.filter_map(|(sink, reached)| {
        let place = At { file: program.function(sink.func).file, expr: sink.value };
        let file = place.file.0 as usize;
        let way = reach.way(reached);
        let (tool, Place::Param(at)) = graph.place(way.first()?.0)? else { return None };
        let facts = program.facts(program.function(tool).file);
        Some(Found {
            tool: &program.function(tool).path,
            parameter: facts.str(facts.list(program.ir(tool).params)[at as usize].name),
            runs: sink.purpose.word(),
            confidence: reached.confidence,
            file: sources[file].path.as_str(),
            line: shown.lines[file].line_col(program.span(place).lo).line,
            way: way.into_iter().filter_map(|(node, part)| step(&shown, &graph, node, part)).collect(),
        })
    });
    json_lines(found)
}

/// A node on a way, as a reader finds it.
fn step(shown: &Shown<'_>, graph: &Valueflow<'_, '_>, node: Node, part: Part) -> Option<String> {
    let (func, place) = graph.place(node)?;
    let name = &shown.program.function(func).path;
    let of = part_of(shown, func, part);
    Some(match place {
        Place::Expr(expr) => {
            let at = At { file: shown.program.function(func).file, expr };
            let (file, span) = (at.file.0 as usize, shown.program.span(at));
            let text = shown.sources[file].text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
            let text: String = text.chars().take(60).collect();
            format!("{}:{} {text}{of}", shown.sources[file].path, shown.lines[file].line_col(span.lo).line)
        }
        Place::Param(at) => format!("parameter {at} of {name}{of}"),
        Place::Changed(at) => format!("put into parameter {at} of {name}{of}"),
        Place::Returned => format!("returned by {name}{of}"),
        Place::Var(_) | Place::Between => return None,
    })
}

/// What of a node it is: ` [.name.*]`.
fn part_of(shown: &Shown<'_>, func: Func, part: Part) -> String {
    let facts = shown.program.facts(shown.program.function(func).file);
    let keys = part.keys().iter().map(|key| match *key {
        Key::File => "<file>".to_owned(),
        Key::Names => "<names>".to_owned(),
        Key::Attr(name) => format!(".{}", facts.str(name)),
        Key::Name(name) => format!("[{}]", facts.str(name)),
        Key::At(at) => format!(".{at}"),
        Key::From(at) => format!(".{at}.."),
        Key::Each => ".each".to_owned(),
        Key::Any => ".*".to_owned(),
    });
    let keys: String = keys.collect();
    if keys.is_empty() { keys } else { format!(" [{keys}]") }
}
