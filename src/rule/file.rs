//! One rule file: from TOML text to a rule whose parts fit together, or every mistake in it. Built-in rules and those of
//! a team come through here, so that neither can say what the other cannot.

mod flow;
mod item;
mod mutate;
mod record;
mod values;

use std::collections::BTreeSet;
use std::ops::Range;

use super::matcher::{Boundary, Check, Goal, Guard, Item, Named, Reach, Role, Subject};
use super::template::Template;
use super::{Advice, Cover, Example, Matcher, Only, Rule, Same, Scope, Wording};
use crate::catalog::{Access, EffectKind, Purpose};
use crate::config::{Layer, Mistake};
use crate::finding::Severity;
use crate::ir::Lang;
use crate::spanned::{Reader, Table, Text, listed, parse};

/// A rule, and where its file says what must be unique.
#[derive(Debug)]
pub struct RuleFile {
    pub rule: Rule,
    pub id_span: Range<usize>,
    pub name_span: Range<usize>,
}

const SEVERITIES: [(&str, Severity); 3] =
    [("error", Severity::Error), ("warning", Severity::Warning), ("note", Severity::Note)];
const MATCHERS: [&str; 13] = [
    "import", "call", "reach", "guard", "value", "compare", "mutate", "flow", "escape", "item", "tool",
    "record", "check",
];

/// Mistakes come in the order of the file.
pub fn read(text: &str) -> Result<RuleFile, Vec<Mistake>> {
    let (document, mistakes) = parse(text);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let table = Table::new(document.get_ref(), 0..0);
    let mut reader = Reader::default();
    let rule = rule(&mut reader, &table, text);
    let mut mistakes = reader.mistakes;
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        return Err(mistakes);
    }
    Ok(RuleFile { rule, id_span: table.value_span("id"), name_span: table.value_span("name") })
}

fn rule(reader: &mut Reader, table: &Table, text: &str) -> Rule {
    let needed = ["id", "name", "summary", "severity", "message", "help", "match"];
    reader.keys(
        table,
        "a rule",
        &needed,
        &[
            "title",
            "on_request",
            "languages",
            "references",
            "why",
            "scope",
            "without_comm",
            "advice",
            "covered",
            "example",
        ],
    );
    let mut line =
        |key| reader.text(table, key).map(|text| text.get_ref().trim().to_owned()).unwrap_or_default();
    let (summary, help, why) = (line("summary"), line("help"), line("why"));
    let title = title(reader, table);
    let matches = matches(reader, table);
    Rule {
        title,
        on_request: reader.flag(table, "on_request"),
        id: checked(reader, table, "id", is_id, "write capital letters, then digits: `ACME001`"),
        name: checked(reader, table, "name", is_name, "write what is wrong in small words: `pickle-in-tool`"),
        summary,
        severity: severity(reader, table),
        languages: languages(reader, table),
        message: message(reader, table, &matches, text),
        help,
        references: owned(&reader.texts(table, "references")),
        why,
        scope: reader.table(table, "scope").map(|table| scope(reader, &table)).unwrap_or_default(),
        without_comm: reader
            .table(table, "without_comm")
            .map(|table| wording(reader, &table, &matches, text)),
        advice: reader.tables(table, "advice").iter().map(|table| advice(reader, table)).collect(),
        covered: reader.tables(table, "covered").iter().map(|table| cover(reader, table)).collect(),
        matches,
        examples: examples_in(reader, table).into(),
    }
}

const SAME: [(&str, Same); 3] =
    [("module", Same::Module), ("function", Same::Function), ("folder", Same::Folder)];

fn cover(reader: &mut Reader, table: &Table) -> Cover {
    reader.keys(table, "`covered`", &["by", "same"], &[]);
    let same = reader.text(table, "same");
    let same = same.and_then(|same| reader.choice(&same, "thing that findings have in common", &SAME));
    Cover { by: owned(&reader.texts(table, "by")), same: same.unwrap_or(Same::Function) }
}

fn advice(reader: &mut Reader, table: &Table) -> Advice {
    reader.keys(table, "`advice`", &["to", "help"], &[]);
    let to = reader.texts(table, "to");
    let known = |word: &Text| Purpose::WORDS.iter().any(|(known, _)| known == word.get_ref());
    for word in to.iter().filter(|word| !known(word)) {
        let words: Vec<_> = Purpose::WORDS.iter().map(|&(word, _)| word).collect();
        let message = format!("a value becomes no `{}`", word.get_ref());
        reader.mistake(word.span(), message, "here", format!("there are {}", listed(&words)));
    }
    let help = reader.text(table, "help").map(|help| help.get_ref().trim().to_owned());
    Advice { to: owned(&to), help: help.unwrap_or_default() }
}

fn title(reader: &mut Reader, table: &Table) -> Option<String> {
    let title = if table.has("title") { reader.text(table, "title") } else { None };
    title.map(|text| text.get_ref().trim().to_owned())
}

fn checked(reader: &mut Reader, table: &Table, key: &str, is_right: fn(&str) -> bool, help: &str) -> String {
    let Some(text) = reader.text(table, key) else { return String::new() };
    if !is_right(text.get_ref()) {
        let message = format!("`{}` is no {key} of a rule", text.get_ref());
        reader.mistake(text.span(), message, "here", help.to_owned());
    }
    text.into_inner().to_owned()
}

/// `GL201`, `ACME001`.
fn is_id(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number && digits.len() < text.len() && text.len() <= 32
}

fn is_name(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.split('-').all(word)
}

fn severity(reader: &mut Reader, table: &Table) -> Severity {
    let word = reader.text(table, "severity");
    word.and_then(|word| reader.choice(&word, "severity", &SEVERITIES)).unwrap_or(Severity::Error)
}

/// Every language, unless the rule names some.
fn languages(reader: &mut Reader, table: &Table) -> BTreeSet<String> {
    let named = reader.texts(table, "languages");
    if named.is_empty() {
        return Lang::ALL.iter().map(|lang| lang.name().to_owned()).collect();
    }
    named.iter().map(|language| known_language(reader, language)).collect()
}

fn known_language(reader: &mut Reader, language: &Text) -> String {
    let words: Vec<(&str, ())> = Lang::ALL.iter().map(|lang| (lang.name(), ())).collect();
    reader.choice(language, "language that gatelint reads", &words);
    (*language.get_ref()).to_owned()
}

/// Every capture must be offered by every matcher: whichever reports, the message is whole.
fn message(reader: &mut Reader, table: &Table, matches: &[Matcher], text: &str) -> String {
    template(reader, table, matches, text).unwrap_or_default()
}

fn wording(reader: &mut Reader, table: &Table, matches: &[Matcher], text: &str) -> Wording {
    reader.keys(table, "`[without_comm]`", &["help"], &["message"]);
    let help = reader.text(table, "help").map(|help| help.get_ref().trim().to_owned());
    let message = if table.has("message") { template(reader, table, matches, text) } else { None };
    Wording { message, help: help.unwrap_or_default() }
}

fn template(reader: &mut Reader, table: &Table, matches: &[Matcher], text: &str) -> Option<String> {
    let message = reader.text(table, "message")?;
    let template = Template::new(message.get_ref());
    let offered = |name: &&str| matches.iter().all(|matcher| matcher.captures().contains(name));
    for name in template.captures().filter(|name| !offered(name)) {
        let known = matches.iter().find(|matcher| !matcher.captures().contains(&name));
        let known = known.map(|matcher| listed(matcher.captures())).unwrap_or_default();
        let span = within(text, message.span(), &format!("{{{name}}}"));
        reader.mistake(span, format!("`{{{name}}}` is no capture"), "unknown", format!("there are {known}"));
    }
    if template.has_loose_brace() {
        let span = within(text, message.span(), "{");
        let help = "close it: `{callee}`".to_owned();
        reader.mistake(span, "a `{` of the message is never closed".to_owned(), "here", help);
    }
    Some(message.into_inner().to_owned())
}

/// The place of a word in a token; the token itself if an escape hides the word.
fn within(text: &str, token: Range<usize>, word: &str) -> Range<usize> {
    let found = text.get(token.clone()).and_then(|raw| raw.find(word));
    found.map_or(token.clone(), |at| token.start + at..token.start + at + word.len())
}

fn scope(reader: &mut Reader, table: &Table) -> Scope {
    reader.keys(table, "`[scope]`", &[], &["except", "only"]);
    let layers = Layer::ALL.map(|layer| (layer.name(), layer));
    let except = reader.texts(table, "except");
    let except = except.iter().filter_map(|word| reader.choice(word, "layer", &layers)).collect();
    let mut places: Vec<(&str, Only)> = vec![("tool", Only::Tool)];
    places.extend(layers.map(|(name, layer)| (name, Only::Layer(layer))));
    let only = reader.texts(table, "only");
    let only = only.iter().filter_map(|word| reader.choice(word, "layer or role", &places)).collect();
    Scope { except, only }
}

fn matches(reader: &mut Reader, table: &Table) -> Vec<Matcher> {
    let tables = reader.tables(table, "match");
    if tables.is_empty() && table.has("match") {
        let message = "without a matcher the rule can never report".to_owned();
        reader.mistake(table.key_span("match"), message, "here", "add a `[[match]]`".to_owned());
    }
    tables.iter().filter_map(|table| matcher(reader, table)).collect()
}

fn matcher(reader: &mut Reader, table: &Table) -> Option<Matcher> {
    let found: Vec<&str> = MATCHERS.into_iter().filter(|kind| table.has(kind)).collect();
    reader.keys(table, "`[[match]]`", &[], &MATCHERS);
    let [kind] = found[..] else {
        let message = "`[[match]]` holds one matcher".to_owned();
        let help = format!("write one of {}; for either of two, write two `[[match]]`", listed(&MATCHERS));
        reader.mistake(table.span.clone(), message, "here", help);
        return None;
    };
    if kind == "check" {
        let word = reader.text(table, "check")?;
        return reader.choice(&word, "check", &Check::WORDS).map(Matcher::Check);
    }
    let inner = reader.table(table, kind)?;
    match kind {
        "import" => {
            reader.keys(&inner, "`import`", &["effects"], &[]);
            Some(Matcher::Import(effects(reader, &inner)))
        }
        "call" => {
            reader.keys(&inner, "`call`", &[], &["effects", "access", "path", "except"]);
            goal(reader, &inner).map(Matcher::Call)
        }
        "value" => values::value(reader, &inner).map(Matcher::Value),
        "compare" => values::compare(reader, &inner).map(Matcher::Compare),
        "guard" => {
            reader.keys(&inner, "`guard`", &["boundary", "effects"], &[]);
            let boundary = reader.text(&inner, "boundary")?;
            let boundary = reader.choice(&boundary, "boundary", &Boundary::WORDS)?;
            Some(Matcher::Guard(Guard { boundary, effects: effects(reader, &inner) }))
        }
        "mutate" => mutate::read(reader, &inner).map(Matcher::Mutate),
        "item" | "tool" => {
            let of = if kind == "tool" { Subject::Tool } else { Subject::Operation };
            let question = item::read(reader, &inner, kind)?;
            Some(Matcher::Item(Item { of, question }))
        }
        "flow" => flow::read(reader, &inner),
        "record" => record::read(reader, &inner),
        "escape" => {
            reader.keys(&inner, "`escape`", &["from"], &[]);
            role(reader, &inner).map(Matcher::Escape)
        }
        _ => {
            reader.keys(&inner, "`reach`", &["from"], &["effects", "path", "except", "waits"]);
            let goal = goal(reader, &inner);
            let from = role(reader, &inner)?;
            let waits = reader.flag(&inner, "waits");
            Some(Matcher::Reach(Reach { from, goal: goal?, waits }))
        }
    }
}

fn role(reader: &mut Reader, table: &Table) -> Option<Role> {
    let from = reader.text(table, "from")?;
    reader.choice(&from, "role", &Role::WORDS)
}

fn goal(reader: &mut Reader, table: &Table) -> Option<Goal> {
    match (table.has("effects"), table.has("path")) {
        (true, false) if !table.has("except") => {
            Some(Goal::Effects { kinds: effects(reader, table), access: accesses(reader, table) })
        }
        (false, true) => {
            let path = paths(reader, table, "path");
            Some(Goal::Named(Named { path, except: paths(reader, table, "except") }))
        }
        _ => {
            let message = "it takes either `effects` or `path`, and `except` with `path` only".to_owned();
            let help = "`effects` are kinds such as `network`, `path` names calls such as `pickle.loads`";
            reader.mistake(table.span.clone(), message, "here", help.to_owned());
            None
        }
    }
}

fn effects(reader: &mut Reader, table: &Table) -> Vec<EffectKind> {
    let words = EffectKind::ALL.map(|kind| (kind.name(), kind));
    let named = reader.texts(table, "effects");
    named.iter().filter_map(|word| reader.choice(word, "effect", &words)).collect()
}

/// What is done to storage.
fn accesses(reader: &mut Reader, table: &Table) -> Vec<Access> {
    let named = reader.texts(table, "access");
    named.iter().filter_map(|word| reader.choice(word, "access", &Access::WORDS)).collect()
}

fn paths(reader: &mut Reader, table: &Table, key: &str) -> Vec<String> {
    let paths = reader.texts(table, key);
    if paths.is_empty() && table.has(key) {
        let help = "name what is meant, or remove the key".to_owned();
        reader.mistake(table.key_span(key), format!("`{key}` names nothing"), "empty", help);
    }
    for path in paths.iter().filter(|path| !is_path(path.get_ref())) {
        let message = format!("`{}` is no path of a function", path.get_ref());
        let help =
            "write it as an import spells it: `pickle.loads`; `*` stays within a segment, `**` does not";
        reader.mistake(path.span(), message, "not a path", help.to_owned());
    }
    owned(&paths)
}

/// Dotted identifiers with stars; of stars alone it would be every call.
fn is_path(path: &str) -> bool {
    let segment = |segment: &str| {
        segment.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '*')
            && segment.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '*')
    };
    path.split('.').all(segment) && path.contains(|c: char| c.is_alphanumeric())
}

/// The examples that a text of nothing else holds.
pub fn examples(text: &str) -> Vec<Example> {
    let (document, _) = parse(text);
    examples_in(&mut Reader::default(), &Table::new(document.get_ref(), 0..0))
}

fn examples_in(reader: &mut Reader, table: &Table) -> Vec<Example> {
    reader.tables(table, "example").iter().map(|table| example(reader, table)).collect()
}

fn example(reader: &mut Reader, table: &Table) -> Example {
    reader.keys(table, "`[[example]]`", &["name", "code"], &["language", "errors"]);
    let name = reader.text(table, "name").map(|name| name.into_inner().to_owned());
    let language = reader.text(table, "language").map(|language| known_language(reader, &language));
    Example {
        name: name.unwrap_or_default(),
        language: language.unwrap_or_else(|| Lang::ALL[0].name().to_owned()),
        code: reader.text(table, "code").map(|code| code.into_inner().to_owned()).unwrap_or_default(),
        errors: reader.lines(table, "errors"),
    }
}

fn owned(texts: &[Text]) -> Vec<String> {
    texts.iter().map(|text| (*text.get_ref()).to_owned()).collect()
}
