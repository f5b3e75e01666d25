//! `gatelint declarations`: what a transcript declares and what is wrong with it, by the forms and rules that a check goes by.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;
use thiserror::Error;

use crate::Failure;
use crate::catalog::Catalog;
use crate::cli::declarations::DeclarationsArgs;
use crate::cli::{self, ListFormat, output};
use crate::exit::ExitCode;
use crate::record::{Block, Found, Node, Problem, Reading, Shows, Value, blocks, found};
use crate::report::{self, Complaint, Declared};
use crate::rule::{self, Matcher, Rule};
use crate::source::{LineIndex, ReadError, decode, read_bytes, read_stdin};

/// A transcript that is longer is none of one session.
const MAX_TRANSCRIPT: u64 = 64 << 20;
/// What a model said stands for nothing else.
const SAID: Reading = Reading { is_template: false };
/// More of a value is no help to whoever has to decide.
const MAX_SHOWN: usize = 400;

#[derive(Debug, Error)]
#[error("cannot read the transcript `{name}`: {why}")]
pub struct TranscriptError {
    name: String,
    why: String,
}

pub fn declarations(args: &DeclarationsArgs) -> Result<ExitCode, Failure> {
    let catalog = rule::builtin_catalog()?;
    let rules = rules_of_parts(&rule::builtin()?);
    let mut all = Vec::new();
    for file in &args.files {
        let text = read(file)?;
        all.extend(
            Transcript { catalog: &catalog, rules: &rules, name: file.as_str(), text: &text }.declared(),
        );
    }
    output::to_stdout(false, |out| match args.format {
        ListFormat::Human => report::declarations(&all, args.files.len(), out),
        ListFormat::Json => report::declarations_json(&all, args.files.len(), out),
    })
    .map_err(Failure::Stdout)?;
    if all.is_empty() {
        cli::remark("nothing is declared");
        return Ok(ExitCode::NothingToScan);
    }
    let is_wrong = all.iter().any(|declared| !declared.complaints.is_empty());
    Ok(if is_wrong { ExitCode::Findings } else { ExitCode::Clean })
}

fn read(file: &Utf8Path) -> Result<String, TranscriptError> {
    let failed = |why: String| TranscriptError { name: file.to_string(), why };
    let bytes = match file.as_str() {
        "-" => read_stdin(MAX_TRANSCRIPT),
        _ => read_bytes(file.as_std_path(), MAX_TRANSCRIPT),
    };
    let bytes = bytes.map_err(|error: ReadError| failed(error.to_string()))?;
    decode(bytes, false).map(|decoded| decoded.text).map_err(|error| failed(error.to_string()))
}

/// Which rule speaks of which part of a form.
pub fn rules_of_parts(rules: &[Arc<Rule>]) -> BTreeMap<String, String> {
    let of = |rule: &Rule| -> Vec<(String, String)> {
        let parts = rule.matches.iter().filter_map(|matcher| match matcher {
            Matcher::Record(parts) => Some(parts.clone()),
            _ => None,
        });
        parts.flatten().map(|part| (part, rule.id.clone())).collect()
    };
    rules.iter().flat_map(|rule| of(rule)).collect()
}

/// A transcript, and what it is read by.
pub struct Transcript<'r> {
    pub catalog: &'r Catalog,
    /// By the part of a form that they speak of.
    pub rules: &'r BTreeMap<String, String>,
    pub name: &'r str,
    pub text: &'r str,
}

impl Transcript<'_> {
    pub fn declared(&self) -> Vec<Declared> {
        let (schemas, lines) = (&self.catalog.records, &LineIndex::new(self.text));
        let mut all = Vec::new();
        for block in blocks(schemas, self.text, SAID) {
            match block {
                Block::Whole(node) => {
                    let found = found(schemas, &node, SAID.is_template);
                    all.extend(found.iter().flat_map(|found| self.found(found, lines)));
                }
                Block::Broken(broken) => {
                    let problem = Problem {
                        part: schemas.0.first().map(|schema| schema.part.clone()).unwrap_or_default(),
                        span: crate::ir::Span { lo: broken.at as u32, hi: broken.at as u32 },
                        text: format!("the JSON breaks off here: {}", broken.why),
                        is_sure: true,
                    };
                    let declared = self.empty("broken JSON", lines, broken.start as u32);
                    all.push(Declared { complaints: vec![self.complaint(&problem, lines)], ..declared });
                }
            }
        }
        all
    }

    /// A record, or each of the entries of its list.
    fn found(&self, found: &Found<'_>, lines: &LineIndex<'_>) -> Vec<Declared> {
        let schemas = &self.catalog.records;
        let shows = &found.schema.shows;
        let at = |path: &Option<String>| path.as_deref().and_then(|path| found.node.at(path));
        let required = at(&shows.required).and_then(|node| match node.value {
            Value::Bool(required) => Some(required),
            _ => None,
        });
        let entries = match at(&shows.items).map(|node| &node.value) {
            Some(Value::List { items, .. }) => &items[..],
            _ => &[],
        };
        let entries: Vec<&Node> = entries.iter().filter(|entry| entry.record().is_some()).collect();
        if entries.is_empty() {
            let complaints = found.problems.iter().map(|problem| self.complaint(problem, lines)).collect();
            let one = self.one(&found.schema.name, shows, &found.node, lines);
            return vec![Declared { required, complaints, ..one }];
        }
        let form = found.schema.entries().and_then(|name| schemas.named(name)).unwrap_or(found.schema);
        let of_entry = |(nth, entry): (usize, &&Node)| {
            let mine = found.problems.iter().filter(|problem| {
                let owner = entries
                    .iter()
                    .position(|entry| entry.span.lo <= problem.span.lo && problem.span.hi <= entry.span.hi);
                owner.unwrap_or(0) == nth
            });
            let complaints = mine.map(|problem| self.complaint(problem, lines)).collect();
            Declared { required, complaints, ..self.one(&form.name, &form.shows, entry, lines) }
        };
        entries.iter().enumerate().map(of_entry).collect()
    }

    fn one(&self, form: &str, shows: &Shows, node: &Node, lines: &LineIndex<'_>) -> Declared {
        let at = |path: &Option<String>| {
            path.as_deref().and_then(|path| node.at(path)).map(|node| self.shown(node))
        };
        Declared {
            what: at(&shows.what),
            target: at(&shows.target),
            reason: at(&shows.reason),
            priority: at(&shows.priority),
            cost: at(&shows.cost),
            ..self.empty(form, lines, node.span.lo)
        }
    }

    fn empty(&self, form: &str, lines: &LineIndex<'_>, start: u32) -> Declared {
        Declared {
            file: self.name.to_owned(),
            form: form.to_owned(),
            at: lines.line_col(start),
            what: None,
            target: None,
            reason: None,
            required: None,
            priority: None,
            cost: None,
            complaints: Vec::new(),
        }
    }

    /// A text as it is, anything else as it is written, in one line.
    fn shown(&self, node: &Node) -> String {
        let text = match &node.value {
            Value::Text(text) => text.only().unwrap_or_default(),
            _ => self.text.get(node.span.lo as usize..node.span.hi as usize).unwrap_or_default(),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    fn complaint(&self, problem: &Problem, lines: &LineIndex<'_>) -> Complaint {
        Complaint {
            rule: self.rules.get(&problem.part).cloned().unwrap_or_default(),
            at: lines.line_col(problem.span.lo),
            text: problem.text.clone(),
        }
    }
}
