//! What transcripts declare, for people and for programs.

use std::io::{self, Write};

use serde::Serialize;

use super::escape;
use super::numbers::counted;
use super::{json_text, text};
use crate::source::LineCol;

const VERSION: u32 = 1;
/// What the `json` format of declarations promises.
pub const SCHEMA: &str = include_str!("../../docs/gatelint-declarations.schema.json");

/// One declaration, its values as text of the transcript that nobody has made safe yet.
#[derive(Clone, Debug)]
pub struct Declared {
    pub file: String,
    pub form: String,
    pub at: LineCol,
    /// The operation or the action.
    pub what: Option<String>,
    pub target: Option<String>,
    pub reason: Option<String>,
    /// None: the form does not say.
    pub required: Option<bool>,
    pub priority: Option<String>,
    pub cost: Option<String>,
    pub complaints: Vec<Complaint>,
}

/// Something that is wrong with it.
#[derive(Clone, Debug)]
pub struct Complaint {
    pub rule: String,
    pub at: LineCol,
    pub text: String,
}

/// For a terminal.
pub fn human(all: &[Declared], files: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut report = String::new();
    for declared in all {
        let LineCol { line, column } = declared.at;
        let what = declared.what.as_deref().unwrap_or(&declared.form);
        report += &format!("{}:{line}:{column}: {}\n", escape::line(&declared.file), escape::line(what));
        let required = declared.required.map(|required| if required { "yes" } else { "no" }.to_owned());
        let facts = [
            ("target", &declared.target),
            ("reason", &declared.reason),
            ("required", &required),
            ("priority", &declared.priority),
            ("cost", &declared.cost),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                report += &format!("  {name:8}  {}\n", escape::line(value));
            }
        }
        for complaint in &declared.complaints {
            let LineCol { line, column } = complaint.at;
            report += &format!(
                "  wrong     {} at {line}:{column}: {}\n",
                complaint.rule,
                escape::line(&complaint.text)
            );
        }
        report.push('\n');
    }
    let wrong = all.iter().filter(|declared| !declared.complaints.is_empty()).count();
    let verdict = if wrong == 0 { String::new() } else { format!(", {wrong} of them wrong") };
    report += &format!("{} in {}{verdict}\n", counted(all.len(), "declaration"), counted(files, "file"));
    text(&report, out)
}

#[derive(Serialize)]
struct Json<'a> {
    version: u32,
    tool: JsonTool,
    summary: JsonSummary,
    declarations: Vec<JsonDeclared<'a>>,
}

#[derive(Serialize)]
struct JsonTool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonSummary {
    files: usize,
    declarations: usize,
    wrong: usize,
}

#[derive(Serialize)]
struct JsonDeclared<'a> {
    path: &'a str,
    start: JsonPlace,
    form: &'a str,
    operation: Option<&'a str>,
    target: Option<&'a str>,
    reason: Option<&'a str>,
    required: Option<bool>,
    priority: Option<&'a str>,
    cost: Option<&'a str>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
struct JsonProblem<'a> {
    rule: &'a str,
    start: JsonPlace,
    message: String,
}

#[derive(Serialize)]
struct JsonPlace {
    line: u32,
    column: u32,
}

/// For programs: values are exact, messages are made safe.
pub fn json(all: &[Declared], files: usize, out: &mut dyn Write) -> io::Result<()> {
    let report = Json {
        version: VERSION,
        tool: JsonTool { name: "gatelint", version: env!("CARGO_PKG_VERSION") },
        summary: JsonSummary {
            files,
            declarations: all.len(),
            wrong: all.iter().filter(|declared| !declared.complaints.is_empty()).count(),
        },
        declarations: all.iter().map(declared).collect(),
    };
    text(&json_text(&report)?, out)
}

fn declared(declared: &Declared) -> JsonDeclared<'_> {
    JsonDeclared {
        path: &declared.file,
        start: place(declared.at),
        form: &declared.form,
        operation: declared.what.as_deref(),
        target: declared.target.as_deref(),
        reason: declared.reason.as_deref(),
        required: declared.required,
        priority: declared.priority.as_deref(),
        cost: declared.cost.as_deref(),
        problems: declared.complaints.iter().map(problem).collect(),
    }
}

fn problem(complaint: &Complaint) -> JsonProblem<'_> {
    let Complaint { rule, at, text } = complaint;
    JsonProblem { rule, start: place(*at), message: escape::line(text).into_owned() }
}

fn place(at: LineCol) -> JsonPlace {
    JsonPlace { line: at.line, column: at.column }
}
