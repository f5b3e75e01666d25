//! `gatelint debug`: what the front end made of a file, and what every call resolved to. For the people who work on
//! gatelint, and for checking it against other tools; the formats may change with any version.

mod flows;

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::ir::{Expr, print};
use crate::link::{CallSite, Edge, Func, Program, Resolution, Target};
use crate::source::{LineIndex, SourceFile};

pub use flows::flows;

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
    targets: Vec<CallTarget<'a>>,
}

#[derive(Serialize)]
struct CallTarget<'a> {
    path: &'a str,
    /// Where a project function is defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    kind: String,
    confidence: crate::finding::Confidence,
}

/// One edge of the call graph.
#[derive(Serialize)]
struct EdgeLine<'a> {
    from: &'a str,
    from_file: &'a str,
    from_line: u32,
    from_column: u32,
    /// Where the call stands.
    line: u32,
    column: u32,
    to: &'a str,
    /// Where a project function is defined.
    #[serde(flatten)]
    defined: Option<Defined<'a>>,
    kind: String,
    confidence: crate::finding::Confidence,
    rung: &'static str,
}

#[derive(Serialize)]
struct Defined<'a> {
    to_file: &'a str,
    to_line: u32,
    to_column: u32,
}

/// One JSON object per call, in order of files and places.
pub fn calls(program: &Program<'_>, sources: &[SourceFile]) -> String {
    let shown = Shown::new(program, sources);
    let mut by_place: BTreeMap<_, Vec<&Edge>> = BTreeMap::new();
    for edge in &program.edges {
        by_place.entry(edge.at).or_default().push(edge);
    }
    let mut calls: Vec<&CallSite> = program.calls.iter().collect();
    calls.sort_by_key(|call| (call.at.file, program.span(call.at)));
    let edges = |site: &CallSite| by_place.get(&site.at).map(Vec::as_slice).unwrap_or_default();
    json_lines(calls.into_iter().map(|site| shown.call(site, edges(site))))
}

/// One JSON object per edge of the call graph, in order of callers and places.
pub fn edges(program: &Program<'_>, sources: &[SourceFile]) -> String {
    let shown = Shown::new(program, sources);
    json_lines(program.edges.iter().map(|edge| shown.edge(edge)))
}

fn json_lines(objects: impl Iterator<Item = impl Serialize>) -> String {
    let mut out = String::new();
    for object in objects {
        out.push_str(&serde_json::to_string(&object).unwrap_or_default());
        out.push('\n');
    }
    out
}

/// A program, and the places of its files by line and column.
struct Shown<'a> {
    program: &'a Program<'a>,
    sources: &'a [SourceFile],
    lines: Vec<LineIndex<'a>>,
}

impl<'a> Shown<'a> {
    fn new(program: &'a Program<'_>, sources: &'a [SourceFile]) -> Self {
        let lines = sources.iter().map(|source| LineIndex::new(&source.text)).collect();
        Self { program, sources, lines }
    }

    fn call(&self, site: &CallSite, edges: &[&Edge]) -> Call<'a> {
        let file = site.at.file.0 as usize;
        let facts = self.program.facts(site.at.file);
        let end = match *facts.expr(site.at.expr) {
            Expr::Call { callee, .. } => facts.span(callee).hi,
            _ => self.program.span(site.at).hi,
        };
        let start = self.lines[file].line_col(self.program.span(site.at).lo);
        let name = self.lines[file].line_col(end);
        let (resolution, rung) = label(site.resolution);
        Call {
            file: self.sources[file].path.as_str(),
            line: start.line,
            column: start.column,
            name_line: name.line,
            name_column: name.column,
            resolution,
            rung,
            targets: edges.iter().map(|edge| self.target(edge)).collect(),
        }
    }

    fn target(&self, edge: &Edge) -> CallTarget<'a> {
        let (path, defined) = self.callee(edge.to);
        CallTarget {
            path,
            file: defined.as_ref().map(|at| at.to_file),
            line: defined.map(|at| at.to_line),
            kind: format!("{:?}", edge.kind).to_lowercase(),
            confidence: edge.confidence,
        }
    }

    fn edge(&self, edge: &Edge) -> EdgeLine<'a> {
        let at = self.lines[edge.at.file.0 as usize].line_col(self.program.span(edge.at).lo);
        let from = self.defined(edge.from);
        let (to, defined) = self.callee(edge.to);
        EdgeLine {
            from: &self.program.function(edge.from).path,
            from_file: from.to_file,
            from_line: from.to_line,
            from_column: from.to_column,
            line: at.line,
            column: at.column,
            to,
            defined,
            kind: format!("{:?}", edge.kind).to_lowercase(),
            confidence: edge.confidence,
            rung: edge.rung.label(),
        }
    }

    fn callee(&self, target: Target) -> (&'a str, Option<Defined<'a>>) {
        match target {
            Target::Project(func) => (&self.program.function(func).path, Some(self.defined(func))),
            Target::External(path) => (self.program.path(path), None),
        }
    }

    fn defined(&self, func: Func) -> Defined<'a> {
        let file = self.program.function(func).file.0 as usize;
        let at = self.lines[file].line_col(self.program.ir(func).name_span.lo);
        Defined { to_file: self.sources[file].path.as_str(), to_line: at.line, to_column: at.column }
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
