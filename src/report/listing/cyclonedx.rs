//! The inventory as a bill of materials: CycloneDX 1.6 as JSON. The same tree gives the same bytes, so there is neither a time nor
//! a serial number. A tool is an `application`, which the specification says of software that no other type fits.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::{at, kind};
use crate::finding::Outcome;
use crate::inventory::{Chosen, Listed, Reached};
use crate::report::places::Places;
use crate::report::{escape, json};

const SCHEMA: &str = "http://cyclonedx.org/schema/bom-1.6.schema.json";
const TYPE: &str = "application";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: Metadata<'a>,
    components: Vec<Component<'a>>,
    dependencies: Vec<Dependency>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compositions: Vec<Composition>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    tools: Tools<'a>,
    component: Component<'a>,
}

#[derive(Serialize)]
struct Tools<'a> {
    components: Vec<Component<'a>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Component<'a> {
    r#type: &'static str,
    #[serde(rename = "bom-ref", skip_serializing_if = "Option::is_none")]
    bom_ref: Option<String>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

#[derive(Serialize)]
struct Property {
    name: &'static str,
    value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    r#ref: String,
    depends_on: Vec<String>,
}

#[derive(Serialize)]
struct Composition {
    aggregate: &'static str,
    assemblies: Vec<String>,
}

pub fn write(
    outcome: &Outcome,
    listed: &[Listed],
    places: &Places<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = outcome.root.file_name().unwrap_or("project");
    let project = format!("project:{name}");
    let refs = refs(listed);
    let components =
        listed.iter().zip(&refs).map(|(known, of)| component(known, of.clone(), places)).collect();
    let incomplete = Composition { aggregate: "incomplete", assemblies: vec![project.clone()] };
    let gatelint = Component {
        r#type: TYPE,
        name: env!("CARGO_PKG_NAME"),
        version: Some(env!("CARGO_PKG_VERSION")),
        ..Component::default()
    };
    let bom = Bom {
        schema: SCHEMA,
        bom_format: "CycloneDX",
        spec_version: "1.6",
        version: 1,
        metadata: Metadata {
            tools: Tools { components: vec![gatelint] },
            component: Component {
                r#type: TYPE,
                bom_ref: Some(project.clone()),
                name,
                ..Component::default()
            },
        },
        components,
        dependencies: vec![Dependency { r#ref: project, depends_on: refs }],
        compositions: if outcome.is_complete() { Vec::new() } else { vec![incomplete] },
    };
    json::write_value(&bom, out)
}

/// `tool:agent.look_up#look_up`. What is registered twice under one name is numbered in the order of the places.
fn refs(listed: &[Listed]) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let each = listed.iter().map(|known| {
        let name = known.name.as_deref().unwrap_or_default();
        let of = format!("{}:{}#{name}", kind(known.kind), known.function);
        let count = seen.entry(of.clone()).and_modify(|count| *count += 1).or_insert(1);
        if *count == 1 { of } else { format!("{of}#{count}") }
    });
    each.collect()
}

fn component<'a>(known: &'a Listed, of: String, places: &Places<'_>) -> Component<'a> {
    Component {
        r#type: TYPE,
        bom_ref: Some(of),
        name: known.name.as_deref().unwrap_or(&known.function),
        version: None,
        description: known.description.as_deref(),
        properties: properties(known, places),
    }
}

fn properties(known: &Listed, places: &Places<'_>) -> Vec<Property> {
    let mut all = vec![
        property("gatelint:kind", kind(known.kind)),
        property("gatelint:handler", &format!("{} {}", known.function, at(known.handler, places))),
    ];
    let others = known.others.iter().map(|other| format!("{} {}", other.function, at(other.place, places)));
    all.extend(others.map(|other| property("gatelint:also", &other)));
    all.extend(known.framework.as_deref().map(|framework| property("gatelint:framework", framework)));
    all.push(property("gatelint:registered", &at(known.registered, places)));
    all.push(property("gatelint:confidence", known.confidence.label()));
    all.extend(known.entry.map(|entry| property("gatelint:entry_point", entry.noun())));
    let class = known.class.as_ref().map(|class| class.sensitivity.name());
    all.extend(class.map(|class| property("gatelint:sensitivity", class)));
    for reached in &known.effects {
        all.push(property("gatelint:effect", &effect(reached, places)));
        let way: Vec<String> = reached.steps.iter().map(|step| at(step.place, places)).collect();
        all.push(property("gatelint:path", &way.join(" > ")));
    }
    all.extend(known.gates.iter().map(|gate| property("gatelint:gate", gate)));
    all.extend(known.unknown.iter().map(|library| {
        property("gatelint:unknown_library", &format!("{} {}", library.callee, at(library.place, places)))
    }));
    all.push(property("gatelint:unresolved_calls", &known.unresolved.to_string()));
    all
}

fn property(name: &'static str, value: &str) -> Property {
    Property { name, value: escape::line(value).into_owned() }
}

/// `process subprocess.run tools/shell.py:41 target=caller gated=false argument=command confidence=high`
fn effect(effect: &Reached, places: &Places<'_>) -> String {
    let place = effect.steps.last().map_or(String::new(), |step| at(step.place, places));
    let target = effect.target.as_ref();
    let of = target.and_then(|target| target.of).map_or("unknown", Chosen::name);
    let argument = target.and_then(|target| target.argument.as_deref());
    let argument = argument.map_or(String::new(), |name| format!(" argument={name}"));
    let access = effect.access.map_or(String::new(), |access| format!(" access={}", access.name()));
    format!(
        "{} {} {place} target={of} gated={}{argument}{access} confidence={}",
        effect.kind.name(),
        effect.callee,
        effect.is_gated,
        effect.confidence.label()
    )
}
