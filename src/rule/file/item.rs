//! The `item` matcher as a rule file writes it: one question, with what it is about.

use super::{owned, paths};
use crate::analysis::Event;
use crate::catalog::{Bound, EffectKind};
use crate::rule::matcher::{GateQuery, GuardWord, Label, Question, TestStep, Tested};
use crate::spanned::{Reader, Table, listed};

const QUESTIONS: [&str; 12] = [
    "named",
    "gate",
    "before",
    "limits",
    "always",
    "result",
    "tested",
    "documented",
    "approved",
    "ordered",
    "annotated",
    "arguments",
];
/// Those that need nothing to be said.
const BARE: [(&str, Question); 6] = [
    ("named", Question::Named),
    ("documented", Question::Documented),
    ("approved", Question::Approved),
    ("ordered", Question::Ordered),
    ("annotated", Question::Annotated),
    ("arguments", Question::Arguments),
];

/// Events that the catalogue knows.
#[derive(Clone, Copy)]
enum Known {
    Audit,
    Declaration,
}

const EVENTS: [(&str, Known); 2] = [("audit", Known::Audit), ("declaration", Known::Declaration)];

/// `what`: `item` or `tool`, as the file says.
pub(super) fn read(reader: &mut Reader, table: &Table, what: &str) -> Option<Question> {
    reader.keys(table, &format!("`{what}`"), &[], &QUESTIONS);
    let asked: Vec<&str> = QUESTIONS.into_iter().filter(|question| table.has(question)).collect();
    let [question] = asked[..] else {
        let message = format!("`{what}` asks one question");
        reader.mistake(table.span.clone(), message, "here", format!("write one of {}", listed(&QUESTIONS)));
        return None;
    };
    let inner = reader.table(table, question)?;
    if let Some((_, bare)) = BARE.iter().find(|(name, _)| *name == question) {
        reader.keys(&inner, &format!("`{question}`"), &[], &[]);
        return Some(bare.clone());
    }
    match question {
        "gate" => {
            reader.keys(&inner, "`gate`", &["is"], &[]);
            let is = reader.text(&inner, "is")?;
            reader.choice(&is, "place of a gate", &GateQuery::WORDS).map(Question::Gate)
        }
        "before" => event(reader, &inner, "`before`").map(Question::Before),
        "always" => event(reader, &inner, "`always`").map(Question::Always),
        "limits" => Some(Question::Limits(limits(reader, &inner))),
        "result" => {
            reader.keys(&inner, "`result`", &["carries"], &[]);
            let carries = reader.text(&inner, "carries")?;
            reader.choice(&carries, "label", &Label::WORDS).map(Question::Result)
        }
        _ => tested(reader, &inner).map(Question::Tested),
    }
}

/// An event of the catalogue, or calls that the rule names by their paths or as they are written.
fn event(reader: &mut Reader, table: &Table, what: &str) -> Option<Event> {
    reader.keys(table, what, &[], &["event", "path", "name"]);
    match (table.has("event"), table.has("path") || table.has("name")) {
        (true, false) => {
            let event = reader.text(table, "event")?;
            reader.choice(&event, "event", &EVENTS).map(|event| match event {
                Known::Audit => Event::Audit,
                Known::Declaration => Event::Declaration,
            })
        }
        (false, true) => {
            let name = owned(&reader.texts(table, "name"));
            Some(Event::Named { path: paths(reader, table, "path"), name })
        }
        _ => {
            let message = format!("{what} takes either `event`, or `path` and `name`");
            let help =
                "`event` is one that the catalogue knows, `path` and `name` are calls of your own".to_owned();
            reader.mistake(table.span.clone(), message, "here", help);
            None
        }
    }
}

fn limits(reader: &mut Reader, table: &Table) -> Vec<(EffectKind, Vec<Bound>)> {
    reader.keys(table, "`limits`", &[], &["process", "network"]);
    let kinds = [("process", EffectKind::Process), ("network", EffectKind::Network)];
    let of = kinds.into_iter().filter(|(name, _)| table.has(name)).map(|(name, kind)| {
        let bounds = reader.texts(table, name);
        let bounds = bounds.iter().filter_map(|word| reader.choice(word, "bound", &Bound::WORDS));
        (kind, bounds.collect())
    });
    of.collect()
}

fn tested(reader: &mut Reader, table: &Table) -> Option<Tested> {
    reader.keys(table, "`tested`", &[], &["guards", "step"]);
    match (table.has("guards"), table.has("step")) {
        (true, false) => {
            let words = reader.texts(table, "guards");
            let words = words.iter().filter_map(|word| reader.choice(word, "guard", &GuardWord::WORDS));
            Some(Tested::Guards(words.collect()))
        }
        (false, true) => {
            let steps = reader.tables(table, "step");
            let words = steps.iter().map(|step| {
                reader.keys(step, "`step`", &["name", "any"], &["does"]);
                let name = reader.text(step, "name").map(|name| name.into_inner().to_owned());
                let does = step.has("does").then(|| reader.text(step, "does")).flatten();
                let does = does.and_then(|word| reader.choice(&word, "act", &[("execution", true)]));
                TestStep {
                    name: name.unwrap_or_default(),
                    any: owned(&reader.texts(step, "any")),
                    executes: does.unwrap_or_default(),
                }
            });
            Some(Tested::Steps(words.collect()))
        }
        _ => {
            let message = "`tested` takes either `guards`, or `[[step]]`s".to_owned();
            let help = "`guards` are looked for one by one, steps in one and the same test".to_owned();
            reader.mistake(table.span.clone(), message, "here", help);
            None
        }
    }
}
