//! The schema of the configuration: fresh, and of one mind with the check that gatelint does itself.

use std::fs;
use std::path::Path;

use gatelint::config;
use serde_json::{Map, Value, json};

use crate::settings::EVERYTHING;
use crate::support::Run;

const FILE: &str = "docs/gatelint.schema.json";

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&config::json_schema()).unwrap()
}

/// As editors see it.
fn as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

fn is_accepted(text: &str) -> bool {
    config::from_text("/project", "gatelint.toml", text).is_ok()
}

#[test]
fn the_schema_is_fresh() {
    let printed = Run::new(&["schema", "config"]).ran();
    assert_eq!(printed.code, 0, "{printed:?}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("GATELINT_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &printed.stdout).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == printed.stdout, "{FILE} is out of date; run `GATELINT_UPDATE=1 cargo test schema`");
}

#[test]
fn the_schema_of_the_report_is_printed_as_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-report.schema.json");
    assert_eq!(Run::new(&["schema", "report"]).ran().stdout, fs::read_to_string(path).unwrap());
}

#[test]
fn what_gatelint_accepts_is_valid() {
    let validator = validator();
    for text in ["", EVERYTHING, include_str!("../../fixtures/atlas-agent/gatelint.toml")] {
        let errors: Vec<_> = validator.iter_errors(&as_json(text)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        assert!(is_accepted(text));
    }
}

/// It shows everything but the entries of the catalogue, so a new key is not forgotten there.
#[test]
fn the_example_in_the_documents_is_accepted_and_complete() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("<!-- settings -->\n```toml\n").expect("the page has the example");
    let (example, _) = rest.split_once("```").unwrap();
    assert!(is_accepted(example), "{example}");
    let shown = as_json(example);
    assert!(validator().is_valid(&shown));
    let mut absent = Vec::new();
    missing(&config::json_schema(), &shown, "", &mut absent);
    assert_eq!(absent, ["alias", "callback", "loader", "returns"]);
}

/// Keys of the schema that an instance does not have, as far as it goes in.
fn missing(schema: &Value, instance: &Value, path: &str, absent: &mut Vec<String>) {
    // The keys of an entry are explained where the catalogue is.
    let properties = schema["properties"].as_object().filter(|_| path != "effect.");
    for (key, inner) in properties.into_iter().flatten() {
        match instance.get(key) {
            None => absent.push(format!("{path}{key}")),
            Some(value) if value.is_object() => missing(inner, value, &format!("{path}{key}."), absent),
            Some(_) => {}
        }
    }
}

/// An instance with every key there is, made from the schema: a key that one side knows and the other does not shows here.
#[test]
fn every_key_of_the_schema_is_read() {
    let all = instance(&config::json_schema());
    assert!(validator().is_valid(&all), "{all:#}");
    let text = toml::to_string(&all).unwrap();
    let read = config::from_text("/project", "gatelint.toml", &text);
    assert!(read.is_ok(), "{read:?}\n{text}");
}

fn instance(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    match schema["type"].as_str() {
        Some("string") => json!("a"),
        Some("boolean") => json!(true),
        Some("integer") => json!(1),
        Some("array") => json!([instance(&schema["items"])]),
        Some("object") if schema["additionalProperties"].is_object() => {
            json!({ "a": instance(&schema["additionalProperties"]) })
        }
        Some("object") => {
            let properties = schema["properties"].as_object().unwrap();
            let all: Map<_, _> = properties.iter().map(|(key, of)| (key.clone(), instance(of))).collect();
            Value::Object(all)
        }
        _ => panic!("{schema}"),
    }
}

#[test]
fn what_is_wrong_is_wrong_for_both() {
    let validator = validator();
    let wrong = [
        "exlude = []",
        "exclude = \"vendor\"",
        "exclude = [\"/opt\"]",
        "exclude = [\"a/../b\"]",
        "exclude = [\"a\\\\b\"]",
        "exclude = [\" \"]",
        "extends = [\"nobody\"]",
        "layers = []",
        "[layers]\ncom = []",
        "[planning]\nfunctions = [\"a b\"]",
        "[planning]\nfunctions = [3]",
        "[gates.phase]\nfunctions = [\"a\"]",
        "[workspace]\npaths = [\"/srv/*/x\"]",
        "[tools]\nsearch = \"external\"",
        "[tools.search]",
        "[tools.search]\nsensitivity = \"high\"",
        "[[levels]]\npaths = [\"a\"]\nrules = { GL101 = \"off\" }",
        "[[levels]]\npaths = []\nrules = { GL101 = \"off\" }\nreason = \"x\"",
        "[[levels]]\npaths = [\"a\"]\nrules = {}\nreason = \"x\"",
        "[[levels]]\npaths = [\"a\"]\nrules = { GL101 = \"of\" }\nreason = \"x\"",
        "[[levels]]\npaths = [\"a\"]\nrules = { GL101 = \"off\" }\nreason = \" \"",
        "[levels]\npaths = [\"a\"]",
        "[[effect]]\nkind = \"network\"",
        "[[effect]]\nkind = \"net\"\ncall = [\"a.b\"]",
        "[[effect]]\nkind = \"network\"\ncallee = [\"a\"]",
        "[[effect]]\nkind = \"network\"\nmodule = [\"a.*\"]",
        "[[effect]]\nkind = \"network\"\ncall = [\"a\"]\nargument = { index = -1 }",
        "[[callback]]\ncall = [\"a\"]\nruns = [{ when = \"now\" }]",
        "[[returns]]\ncall = [\"a\"]",
    ];
    for text in wrong {
        assert!(!is_accepted(text), "gatelint accepts\n{text}");
        assert!(!validator.is_valid(&as_json(text)), "the schema accepts\n{text}");
    }
}
