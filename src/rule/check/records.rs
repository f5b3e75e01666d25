//! Records of a fixed form (`record`): in code, in JSON inside its texts, in data files, and in the prompts that the
//! configuration names. All of them are found once for all rules; a rule reports its part of the form.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{Keys, Recorder, Values, Written, texts};
use crate::finding::{Confidence, Finding, Place};
use crate::ir::Span;
use crate::link::Func;
use crate::parallel;
use crate::record::{Block, Broken, Problem, Reading, Schemas, blocks, found, whole};
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
    let (mut found, in_texts) = parallel::join(|| in_code(context, values), || in_texts(context));
    found.extend(in_texts);
    found
}

fn in_code(context: &Context<'_>, values: &Values<'_, '_>) -> Vec<Wrong> {
    let program = context.program;
    let schemas = &context.catalog.records;
    let keys = Keys { literal: schemas.keys(false), made: schemas.keys(true) };
    let marks = schemas.marks();
    let files = program
        .files_with(|text| keys.literal.contains(text) || marks.iter().any(|mark| text.contains(mark)));
    let recorder = Recorder::new(values);
    let is_meant = |func: &Func| files[program.function(*func).file.0 as usize];
    context.of_functions(is_meant, |func| in_function(context, values, &recorder, func, (&keys, &marks)))
}

fn in_function(
    context: &Context<'_>,
    values: &Values<'_, '_>,
    recorder: &Recorder<'_, '_, '_>,
    func: Func,
    (keys, marks): (&Keys<'_>, &[&str]),
) -> Vec<Wrong> {
    let schemas = &context.catalog.records;
    let file = context.program.function(func).file;
    let wrong = |problem| Wrong { file, func: Some(func), problem };
    let nodes = recorder.records(func, keys, |node| schemas.of(node).is_some());
    let mut out: Vec<Wrong> = nodes
        .iter()
        .flat_map(|node| found(schemas, node, true))
        .flat_map(|found| found.problems)
        .map(wrong)
        .collect();
    for written in texts(values, func, &context.source(file).text, marks) {
        let whole = blocks(schemas, &written.text, TEMPLATE).into_iter().filter_map(|block| match block {
            Block::Whole(node) => Some(node),
            // A text that is put together elsewhere may be whole there.
            Block::Broken(_) => None,
        });
        out.extend(whole.flat_map(|node| problems(schemas, &node, &written)).map(wrong));
    }
    out
}

fn problems(schemas: &Schemas, node: &crate::record::Node, written: &Written) -> Vec<Problem> {
    let found = found(schemas, node, true).into_iter().flat_map(|found| found.problems);
    found.map(|problem| Problem { span: written.place(problem.span), ..problem }).collect()
}

fn in_texts(context: &Context<'_>) -> Vec<Wrong> {
    let marks = context.catalog.records.marks();
    let prompts = &context.config.prompts;
    let meant: Vec<(TextId, bool)> = context
        .texts
        .iter()
        .filter_map(|(text, path)| {
            let is_prompt = prompts.is_match(path);
            (is_prompt || is_data(path.as_std_path())).then_some((text, is_prompt))
        })
        .collect();
    parallel::flat_map(meant, |(text, is_prompt)| in_text(context, text, is_prompt, &marks))
}

fn in_text(context: &Context<'_>, text: TextId, is_prompt: bool, marks: &[&str]) -> Vec<Wrong> {
    let schemas = &context.catalog.records;
    let Some(source) = context.texts.mentioning(text, marks) else { return Vec::new() };
    let file = FileId::of_text(context.sources.len(), text);
    let blocks = match is_data(source.path.as_std_path()) {
        true => whole(schemas, &source.text, DATA),
        false => blocks(schemas, &source.text, if is_prompt { TEMPLATE } else { DATA }),
    };
    let problems = blocks.into_iter().flat_map(|block| match block {
        Block::Whole(node) => {
            found(schemas, &node, true).into_iter().flat_map(|found| found.problems).collect()
        }
        Block::Broken(broken) => vec![broken_off(schemas, &broken)],
    });
    problems.map(|problem| Wrong { file, func: None, problem }).collect()
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
