//! The JSON schema of the configuration, made from the same keys as its check. Editors read it. It is never stricter than
//! gatelint itself; what only gatelint can judge (a glob, a preset of a later version) it leaves alone.

use serde_json::{Map, Value, json};

use super::keys::CONFIG;
use super::shape::{Fields, Key, Shape, Text};
use crate::catalog::preset_names;

const ID: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/docs/gatelint.schema.json");

/// The schema of `gatelint.toml`, and of the table `[tool.gatelint]`.
pub fn json_schema() -> Value {
    let mut schema = fields(&CONFIG);
    schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("$id".into(), json!(ID));
    schema.insert("title".into(), json!("gatelint configuration"));
    let about = "`gatelint.toml`, `.gatelint.toml`, or the table `[tool.gatelint]` of `pyproject.toml`.";
    schema.insert("description".into(), json!(about));
    Value::Object(schema)
}

fn fields(fields: &Fields) -> Map<String, Value> {
    let properties: Map<_, _> = fields.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("additionalProperties".into(), json!(false));
    let required: Vec<_> = fields.keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    if !fields.one_of.is_empty() {
        let any: Vec<_> = fields.one_of.iter().map(|name| json!({ "required": [name] })).collect();
        schema.insert("anyOf".into(), json!(any));
    }
    if !fields.implies.is_empty() {
        let needs: Map<_, _> =
            fields.implies.iter().map(|(name, needed)| ((*name).to_owned(), json!([needed]))).collect();
        schema.insert("dependentRequired".into(), Value::Object(needs));
    }
    schema.insert("properties".into(), Value::Object(properties));
    schema
}

fn property(key: &Key) -> Value {
    let mut schema = match key.shape {
        Shape::Text(kind) => text(kind),
        Shape::Texts(kind) => list(text(kind), key.is_required),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Index => json!({ "type": "integer", "minimum": 0, "maximum": u16::MAX }),
        Shape::Table(inner) => Value::Object(fields(&inner)),
        Shape::Tables(inner) => list(Value::Object(fields(&inner)), key.is_required),
        Shape::Named(inner) => {
            json!({ "type": "object", "additionalProperties": Value::Object(fields(&inner)) })
        }
        Shape::Map(_, values) => {
            json!({ "type": "object", "minProperties": 1, "additionalProperties": text(values) })
        }
    };
    schema["description"] = json!(key.about);
    schema
}

fn list(items: Value, is_required: bool) -> Value {
    match is_required {
        true => json!({ "type": "array", "minItems": 1, "items": items }),
        false => json!({ "type": "array", "items": items }),
    }
}

fn text(kind: Text) -> Value {
    match kind {
        Text::Glob | Text::Inside => json!({
            "type": "string",
            "pattern": "\\S",
            "not": { "pattern": "^[/~]|^.:|\\\\|(^|/)\\.\\.(/|$)" },
        }),
        Text::Words => json!({ "type": "string", "pattern": "\\S" }),
        Text::Name | Text::Pattern => {
            json!({ "type": "string", "pattern": "^[^\\s./()]+(\\.[^\\s./()]+)*$" })
        }
        Text::Path => json!({ "type": "string", "pattern": "^[^\\s./()*]+(\\.[^\\s./()*]+)*$" }),
        Text::Folder => json!({ "type": "string", "pattern": "^[^*?\\[\\\\]+(/\\*\\*)?$" }),
        Text::Exact | Text::Rule => json!({ "type": "string" }),
        Text::Preset => json!({ "enum": preset_names() }),
        Text::OneOf(words) => json!({ "enum": words }),
    }
}
