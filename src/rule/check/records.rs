//! Records of a fixed form (`record`): in code, in JSON inside its texts, in data files, and in the prompts that the
//! configuration names. All of them are found once for all rules; a rule reports its part of the form.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{Keys, Recorder, Values, texts};
use crate::finding::{Confidence, Finding, Place};
use crate::ir::Span;
use crate::link::Func;
use crate::parallel;
use crate::record::{Block, Broken, Found, Node, Problem, Reading, Schemas, blocks, found, whole};
use crate::rule::Rule;
use crate::source::{FileId, TextId, is_data};

/// Something that is wrong with a record.
#[derive(Clone, Debug)]
pub struct Wrong {
    file: FileId,
    /// Where code has it; none in a text.
    func: Option<Func>,
    problem: Problem,
}

/// What people fill in later is not known yet; a transcript is read by another rule.
const TEMPLATE: Reading = Reading { is_template: true };
const DATA: Reading = Reading { is_template: false };

pub fn run(
    context: &Context<'_>,
    wrong: &[Wrong],
    rule: &Arc<Rule>,
    parts: &[String],
    out: &mut Vec<Finding>,
) {
    let mut seen = BTreeSet::new();
    for Wrong { file, func, problem } in wrong {
        if !parts.contains(&problem.part) || !seen.insert((*file, problem.span, problem.text.as_str())) {
            continue;
        }
        let applies = match *func {
            Some(func) => context.applies(rule, *file, func),
            None => (!rule.scope.excludes(context.config.layers.of(&context.source(*file).path)))
                .then_some(Confidence::High),
        };
        let Some(confidence) = applies else { continue };
        let sure = if problem.is_sure { Confidence::High } else { Confidence::Medium };
        let place = Place { file: *file, span: first_line(&context.source(*file).text, problem.span) };
        out.push(context.finding(
            rule,
            Draft {
                confidence: confidence.min(sure),
                names: func.iter().map(|&func| &*context.program.function(func).path).collect(),
                inside: *func,
                ..Draft::at(place, BTreeMap::from([("problem", problem.text.clone())]))
            },
        ));
    }
}

/// A record can be long; its first line is what a reader needs.
fn first_line(text: &str, span: Span) -> Span {
    let rest = text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
    let len = rest.find(['\n', '\r']).unwrap_or(rest.len());
    Span { lo: span.lo, hi: span.lo + len as u32 }
}

/// Everything that is wrong with records of the project, in the order of the files.
pub fn all(context: &Context<'_>, values: &Values<'_, '_>) -> Vec<Wrong> {
    let schemas = &context.catalog.records;
    let wrong = |part: Part<'_>| match part {
        Part::Found(found) => found.problems.clone(),
        Part::Broken(broken) => vec![broken_off(schemas, broken)],
    };
    let found = every(context, values, schemas, wrong);
    found.into_iter().map(|Record { file, func, value }| Wrong { file, func, problem: value }).collect()
}

/// A record with a form, or one that breaks off.
pub enum Part<'p> {
    Found(&'p Found<'p>),
    Broken(&'p Broken),
}

/// What was read of a record, and where it stands.
pub struct Record<T> {
    pub file: FileId,
    /// None in a text.
    pub func: Option<Func>,
    pub value: T,
}

/// What stands at a place of the text in which it was read; in code that may be a text inside.
pub trait Placed {
    fn place(self, place: &dyn Fn(Span) -> Span) -> Self;
}

impl Placed for Problem {
    fn place(self, place: &dyn Fn(Span) -> Span) -> Self {
        Self { span: place(self.span), ..self }
    }
}

/// What `take` makes of every record that has one of these forms, in the order of the files: in code, in JSON inside its texts,
/// in data files and in prompts.
pub fn every<T: Placed + Send>(
    context: &Context<'_>,
    values: &Values<'_, '_>,
    schemas: &Schemas,
    take: impl Fn(Part<'_>) -> Vec<T> + Sync,
) -> Vec<Record<T>> {
    let reader = Reader { context, schemas, marks: schemas.marks(), take };
    let (mut found, in_texts) = parallel::join(|| reader.in_code(values), || reader.in_texts());
    found.extend(in_texts);
    found
}

struct Reader<'r, 'c, F> {
    context: &'r Context<'c>,
    schemas: &'r Schemas,
    marks: Vec<&'r str>,
    take: F,
}

impl<T: Placed + Send, F: Fn(Part<'_>) -> Vec<T> + Sync> Reader<'_, '_, F> {
    fn in_code(&self, values: &Values<'_, '_>) -> Vec<Record<T>> {
        let program = self.context.program;
        let keys = Keys { literal: self.schemas.keys(false), made: self.schemas.keys(true) };
        let is_marked = |text: &str| self.marks.iter().any(|mark| text.contains(mark));
        let files = program.files_that_say(|text| keys.literal.contains(text) || is_marked(text));
        let recorder = Recorder::new(values);
        let is_meant = |func: &Func| files[program.function(*func).file.0 as usize];
        self.context.of_functions(is_meant, |func| self.in_function(values, &recorder, func, &keys))
    }

    fn in_function(
        &self,
        values: &Values<'_, '_>,
        recorder: &Recorder<'_, '_, '_>,
        func: Func,
        keys: &Keys<'_>,
    ) -> Vec<Record<T>> {
        let file = self.context.program.function(func).file;
        let record = |value| Record { file, func: Some(func), value };
        let nodes = recorder.records(func, keys, |node| self.schemas.of(node).is_some());
        let mut out: Vec<Record<T>> = nodes.iter().flat_map(|node| self.taken(node)).map(record).collect();
        for written in texts(values, func, &self.context.source(file).text, &self.marks) {
            for block in blocks(self.schemas, &written.text, TEMPLATE) {
                // A text that is put together elsewhere may be whole there.
                let Block::Whole(node) = block else { continue };
                let taken = self.taken(&node).into_iter();
                out.extend(taken.map(|value| record(value.place(&|span| written.place(span)))));
            }
        }
        out
    }

    fn taken(&self, node: &Node) -> Vec<T> {
        found(self.schemas, node, true).iter().flat_map(|found| (self.take)(Part::Found(found))).collect()
    }

    fn in_texts(&self) -> Vec<Record<T>> {
        let prompts = &self.context.config.prompts;
        let meant: Vec<(TextId, bool)> = self
            .context
            .texts
            .iter()
            .filter_map(|(text, path)| {
                let is_prompt = prompts.is_match(path);
                (is_prompt || is_data(path.as_std_path())).then_some((text, is_prompt))
            })
            .collect();
        parallel::flat_map(meant, |(text, is_prompt)| self.in_text(text, is_prompt))
    }

    fn in_text(&self, text: TextId, is_prompt: bool) -> Vec<Record<T>> {
        let Some(source) = self.context.texts.mentioning(text, &self.marks) else { return Vec::new() };
        let file = FileId::of_text(self.context.sources.len(), text);
        let blocks = match is_data(source.path.as_std_path()) {
            true => whole(self.schemas, &source.text, DATA),
            false => blocks(self.schemas, &source.text, if is_prompt { TEMPLATE } else { DATA }),
        };
        let taken = blocks.iter().flat_map(|block| match block {
            Block::Whole(node) => self.taken(node),
            Block::Broken(broken) => (self.take)(Part::Broken(broken)),
        });
        taken.map(|value| Record { file, func: None, value }).collect()
    }
}

/// What is no JSON has no form at all.
fn broken_off(schemas: &Schemas, broken: &Broken) -> Problem {
    let at = broken.at as u32;
    let part = schemas.0.first().map(|schema| schema.part.clone()).unwrap_or_default();
    Problem {
        part,
        span: Span { lo: at, hi: at + 1 },
        text: format!("the JSON breaks off here: {}", broken.why),
        is_sure: true,
    }
}
