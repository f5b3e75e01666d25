//! `gatelint debug`: what the front end made of a file, and what every call resolved to. For the people who work on
//! gatelint, and for checking it against other tools; the formats may change with any version.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::ir::{Expr, print};
use crate::link::{CallSite, Edge, Program, Resolution, Target};
use crate::source::{LineIndex, SourceFile};

/// The core language of one file as text.
pub fn ir(file: &SourceFile) -> String {
    let facts = crate::frontend::lower(&file.text, file.lang);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = print::print(&facts, &file.text, &mut out);
    out
}

#[derive(Serialize)]
struct Call<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    /// Where the name that is called ends: a type checker asked there answers with the callee.
    name_line: u32,
    name_column: u32,
    resolution: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rung: Option<&'static str>,
    targets: Vec<CallTarget>,
}

#[derive(Serialize)]
struct CallTarget {
    path: String,
    /// Where a project function is defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    kind: String,
    confidence: crate::finding::Confidence,
}

/// One JSON object per call, in order of files and places.
pub fn calls(program: &Program<'_>, sources: &[SourceFile]) -> String {
    let lines: Vec<LineIndex<'_>> = sources.iter().map(|source| LineIndex::new(&source.text)).collect();
    let mut by_place: BTreeMap<_, Vec<&Edge>> = BTreeMap::new();
    for edge in &program.edges {
        by_place.entry(edge.at).or_default().push(edge);
    }
    let mut calls: Vec<&CallSite> = program.calls.iter().collect();
    calls.sort_by_key(|call| (call.at.file, program.span(call.at)));
    let mut out = String::new();
    for site in calls {
        let edges = by_place.get(&site.at).map(Vec::as_slice).unwrap_or_default();
        let call = describe(program, sources, &lines, site, edges);
        out.push_str(&serde_json::to_string(&call).unwrap_or_default());
        out.push('\n');
    }
    out
}

fn describe<'a>(
    program: &Program<'_>,
    sources: &'a [SourceFile],
    lines: &[LineIndex<'_>],
    site: &CallSite,
    edges: &[&Edge],
) -> Call<'a> {
    let file = site.at.file.0 as usize;
    let facts = program.facts(site.at.file);
    let end = match *facts.expr(site.at.expr) {
        Expr::Call { callee, .. } => facts.span(callee).hi,
        _ => program.span(site.at).hi,
    };
    let start = lines[file].line_col(program.span(site.at).lo);
    let name = lines[file].line_col(end);
    let (resolution, rung) = label(site.resolution);
    Call {
        file: sources[file].path.as_str(),
        line: start.line,
        column: start.column,
        name_line: name.line,
        name_column: name.column,
        resolution,
        rung,
        targets: edges.iter().map(|edge| target(program, sources, lines, edge)).collect(),
    }
}

fn target(program: &Program<'_>, sources: &[SourceFile], lines: &[LineIndex<'_>], edge: &Edge) -> CallTarget {
    let (path, place) = match edge.to {
        Target::Project(func) => {
            let info = program.function(func);
            let file = info.file.0 as usize;
            let line = lines[file].line_col(program.ir(func).name_span.lo).line;
            (info.path.to_string(), Some((sources[file].path.to_string(), line)))
        }
        Target::External(path) => (program.path(path).to_string(), None),
    };
    let (file, line) = place.unzip();
    CallTarget {
        path,
        file,
        line,
        kind: format!("{:?}", edge.kind).to_lowercase(),
        confidence: edge.confidence,
    }
}

fn label(resolution: Resolution) -> (&'static str, Option<&'static str>) {
    match resolution {
        Resolution::Resolved(rung) => ("resolved", Some(rung.label())),
        Resolution::External(rung) => ("external", Some(rung.label())),
        Resolution::Builtin => ("builtin", None),
        Resolution::LikelyBuiltin => ("builtin", Some("method-name")),
        Resolution::Parameter => ("parameter", None),
        Resolution::Unresolved => ("unresolved", None),
    }
}

/// Calls per resolution and rung, with their share.
pub fn statistics(program: &Program<'_>) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for call in &program.calls {
        let (resolution, rung) = label(call.resolution);
        *counts.entry((resolution, rung.unwrap_or("-"))).or_default() += 1;
    }
    let total = program.calls.len().max(1);
    let mut out = String::new();
    for ((resolution, rung), count) in counts {
        let share = 100.0 * count as f64 / total as f64;
        let _ = writeln!(out, "{resolution:<12} {rung:<12} {count:>8} {share:>6.1} %");
    }
    let _ = writeln!(out, "{:<25} {:>8}", "calls", program.calls.len());
    out
}
