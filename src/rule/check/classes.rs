//! Which class each tool is of, and what says so: the configuration, what the code writes down, what the tool does, what its
//! protocol takes for granted, its name. Rules, the inventory, manifests and plans all go by this.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::Context;
use super::records::{self, Part, Placed};
use crate::analysis::{EffectSite, Graph, Reach, Registered, Returned, Values, announced};
use crate::catalog::{ClassWord, EffectKind, words_of_name};
use crate::config::Sensitivity;
use crate::finding::Confidence;
use crate::inventory::{Class, Reason};
use crate::ir::Span;
use crate::link::{At, Func, Program};
use crate::record::{Found, Value};

/// What sends something somewhere else.
const SENDS: [EffectKind; 2] = [EffectKind::Network, EffectKind::Comm];

/// The classes of the tools of a program.
#[derive(Debug, Default)]
pub struct Classes {
    /// By the number of what is registered.
    registered: Vec<Option<Class>>,
    /// Of tools that the configuration or a manifest names, registered or not.
    said: BTreeMap<String, Class>,
}

impl Classes {
    /// The class of what is registered, by its number.
    pub fn of(&self, nth: usize) -> Option<&Class> {
        self.registered.get(nth)?.as_ref()
    }

    /// What is said of tools by their names alone.
    pub fn said(&self) -> &BTreeMap<String, Class> {
        &self.said
    }

    pub fn find(context: &Context<'_>, values: &Values<'_, '_>, graph: &Graph<'_, '_>) -> Self {
        let said = said(context, values);
        let internal: FxHashSet<At> = context.effects.internal.iter().map(|site| site.at).collect();
        let sends = |site: &&EffectSite| !internal.contains(&site.at);
        let returned = Returned::new(values);
        let brings = |site: &&EffectSite| returned.holds(site.from, site.at.expr);
        let deeds = Deeds {
            program: context.program,
            // A tool that reads in order to write brings nothing into the session.
            reads: graph.search(context.effects.internal.iter().filter(brings), |edge| {
                returned.holds(edge.from, edge.at.expr)
            }),
            sends: graph.search(context.effects.of_kinds(&SENDS).filter(sends), |_| true),
        };
        let class = |known: &Registered| class(context, &said, &deeds, known);
        Self { registered: context.registered.iter().map(class).collect(), said }
    }
}

/// The configuration first, then what is written down, then what the tool does.
fn class(
    context: &Context<'_>,
    said: &BTreeMap<String, Class>,
    deeds: &Deeds<'_, '_>,
    known: &Registered,
) -> Option<Class> {
    let sure = |sensitivity, reason| Some(Class { sensitivity, reason, confidence: Confidence::High });
    let named = known.name.as_ref().and_then(|name| said.get(name));
    if let Some(class) = named.filter(|class| class.reason == Reason::Configured) {
        return Some(class.clone());
    }
    if known.is_comm {
        return sure(Sensitivity::External, Reason::Comm);
    }
    let annotation = known.annotation.as_ref();
    if let Some(annotation) = annotation
        && let Some(class) = annotation.class
    {
        return sure(class, Reason::Annotated(annotation.text.clone()));
    }
    if let Some(class) = named {
        return Some(class.clone());
    }
    let is_closed = annotation.is_some_and(|annotation| annotation.is_closed);
    let guessed =
        deeds.class(known).or_else(|| by_protocol(context, known)).or_else(|| by_name(context, known));
    guessed.filter(|class| !(is_closed && class.sensitivity == Sensitivity::External))
}

/// What the tools of a program reach.
struct Deeds<'d, 'a> {
    program: &'d Program<'a>,
    reads: Reach<'d>,
    sends: Reach<'d>,
}

impl Deeds<'_, '_> {
    /// A tool that reads internal data is a source, also if it sends its query. One that is given nothing sends nothing that a
    /// model wrote.
    fn class(&self, known: &Registered) -> Option<Class> {
        let runs = || [known.handler].into_iter().chain(known.others.iter().copied());
        let of = |reach: &Reach<'_>, sensitivity, reason: fn(String) -> Reason| {
            let path = reach.best(self.program, runs(), known.class)?;
            let confidence = path.confidence.min(known.confidence).min(Confidence::Medium);
            Some(Class { sensitivity, reason: reason(path.effect.callee.clone()), confidence })
        };
        let reads = of(&self.reads, Sensitivity::InternalSource, Reason::Reads);
        let is_given = runs().any(|func| self.is_given(func));
        reads.or_else(|| of(&self.sends, Sensitivity::External, Reason::Sends).filter(|_| is_given))
    }

    fn is_given(&self, func: Func) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let params = facts.list(self.program.ir(func).params).len();
        params > usize::from(self.program.function(func).class.is_some())
    }
}

fn by_protocol(context: &Context<'_>, known: &Registered) -> Option<Class> {
    let framework = known.framework.as_ref()?;
    let is_open = context.catalog.classes.open_by_default.contains(framework);
    is_open.then(|| Class {
        sensitivity: Sensitivity::External,
        reason: Reason::Protocol(framework.clone()),
        confidence: Confidence::Low,
    })
}

fn by_name(context: &Context<'_>, known: &Registered) -> Option<Class> {
    let words = words_of_name(known.name.as_ref()?);
    let entry = context.catalog.tool_names.iter().find(|entry| entry.fits(&words))?;
    let sensitivity = Sensitivity::read(&entry.class)?;
    Some(Class { sensitivity, reason: Reason::Named, confidence: Confidence::Low })
}

/// What the configuration and manifests say.
fn said(context: &Context<'_>, values: &Values<'_, '_>) -> BTreeMap<String, Class> {
    let mut said = BTreeMap::new();
    for tool in &context.config.tools {
        if let Some(sensitivity) = tool.sensitivity {
            said.insert(tool.name.clone(), Class::configured(sensitivity));
        }
    }
    let entries = records::every(context, values, &context.catalog.manifests, |part| match part {
        Part::Found(found) => entry(context, found).into_iter().collect(),
        Part::Broken(_) => Vec::new(),
    });
    for (name, annotation) in announced(context.program, context.catalog) {
        if let Some(sensitivity) = annotation.class {
            let reason = Reason::Annotated(annotation.text);
            said.entry(name).or_insert(Class { sensitivity, reason, confidence: Confidence::High });
        }
    }
    for entry in entries {
        let Entry { name, class } = entry.value;
        let is_test = entry.func.is_some_and(|func| context.program.is_test_code(func));
        if !is_test {
            said.entry(name).or_insert(class);
        }
    }
    said
}

/// An entry of a manifest.
struct Entry {
    name: String,
    class: Class,
}

impl Placed for Entry {
    fn place(self, _place: &dyn Fn(Span) -> Span) -> Self {
        self
    }
}

fn entry(context: &Context<'_>, found: &Found<'_>) -> Option<Entry> {
    let record = found.node.record()?;
    let text = |value: &Value| match value {
        Value::Text(text) => text.only().map(str::to_owned),
        _ => None,
    };
    let name = record.fields.iter().find(|field| found.schema.shows.what.as_deref() == Some(&field.key))?;
    let name = text(&name.node.value)?;
    let class = record.fields.iter().find_map(|field| {
        let sensitivity = match (context.catalog.classes.of(&field.key)?, &field.node.value) {
            (ClassWord::Sensitivity, value) => Sensitivity::read(&text(value)?)?,
            (ClassWord::Internal, Value::Bool(true)) => Sensitivity::InternalSource,
            (ClassWord::External, Value::Bool(true)) => Sensitivity::External,
            _ => return None,
        };
        let text =
            format!("{} = {}", field.key, text(&field.node.value).unwrap_or_else(|| "true".to_owned()));
        Some(Class { sensitivity, reason: Reason::Annotated(text), confidence: Confidence::High })
    })?;
    Some(Entry { name, class })
}
