//! The JSON schema of the configuration, made from the table of keys.

use serde_json::{Map, Value, json};

use crate::context::ProviderKeys;
use crate::keys::{self, Key, Kind, Table};

/// The JSON schema (draft 2020-12) of the configuration for these providers. Dates are text, as
/// editors and converters show TOML's.
pub fn schema(providers: &[ProviderKeys]) -> Value {
    let mut schema = table(&keys::file(providers));
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), "reaper.toml".into());
    let reference = |key: &str| {
        json!({
            "type": "object",
            "properties": { key: { "type": "string", "pattern": r"\S" } },
            "required": [key],
            "additionalProperties": false,
        })
    };
    let definitions = json!({
        "reference": {
            "description": "Refers to text outside of this file.",
            "oneOf": [reference("env"), reference("file")],
        },
        "text": {
            "oneOf": [{ "type": "string", "pattern": r"\S" }, { "$ref": "#/$defs/reference" }],
        },
    });
    schema.insert("$defs".into(), definitions);
    Value::Object(schema)
}

fn table(table: &Table) -> Map<String, Value> {
    let properties: Map<String, Value> =
        table.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> =
        table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    if table.path.ends_with("match") || table.path.starts_with("rule.") {
        schema.insert("minProperties".into(), 1.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn property(key: &Key) -> Value {
    let mut schema = values(&key.kind);
    schema["description"] = match key.only.as_slice() {
        [] => key.doc.into(),
        providers => format!("{} Providers: {}.", key.doc, providers.join(", ")).into(),
    };
    if let Some(default) = key.default {
        // A default that is no JSON is bare text, such as 3d.
        schema["default"] = serde_json::from_str(default).unwrap_or_else(|_| default.into());
    }
    schema
}

fn values(kind: &Kind) -> Value {
    match kind {
        Kind::Text => text(),
        Kind::Setting => json!({ "anyOf": [text(), { "type": "boolean" }] }),
        Kind::Texts => one_or_list(&text(), 0),
        Kind::SomeTexts | Kind::Patterns => one_or_list(&text(), 1),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Words(words) => one_or_list(&json!({ "enum": words }), 1),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Duration => json!({
            "type": "string",
            "pattern": r"^\s*(?=\d)(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?\s*$",
            "examples": ["90m", "2h", "7d12h"],
        }),
        Kind::Decimal => json!({
            "oneOf": [
                { "type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*$" },
                { "type": "number", "exclusiveMinimum": 0 },
            ],
        }),
        Kind::Amount => json!({
            "type": "string",
            "pattern": r"^\s*\d+(\.\d+)?\s+[A-Z]{3}\s*$",
            "examples": ["3.50 EUR"],
        }),
        Kind::Percent => percent("20%"),
        Kind::Percents(least) => one_or_list(&percent("80%"), *least),
        Kind::Size => json!({
            "type": "string",
            "pattern": r"^\s*\d+\s*(KiB|MiB)\s*$",
            "examples": ["10 MiB"],
        }),
        Kind::Command => json!({ "type": "array", "items": text(), "minItems": 1 }),
        Kind::Date => json!({ "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$" }),
        Kind::Moment => json!({ "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}" }),
        Kind::Secret => json!({ "$ref": "#/$defs/reference" }),
        Kind::Secrets => one_or_list(&json!({ "$ref": "#/$defs/reference" }), 1),
        Kind::Table(keys) => Value::Object(table(keys)),
        Kind::Tables(keys) => json!({ "type": "array", "items": table(keys) }),
        Kind::Map(entries) => {
            json!({ "type": "object", "additionalProperties": values(entries) })
        }
    }
}

fn percent(example: &str) -> Value {
    json!({
        "type": "string",
        "pattern": r"^\s*\d+(\.\d+)?\s*%\s*$",
        "examples": [example],
    })
}

fn text() -> Value {
    json!({ "$ref": "#/$defs/text" })
}

fn one_or_list(entry: &Value, least: u32) -> Value {
    json!({ "anyOf": [entry, { "type": "array", "items": entry, "minItems": least }] })
}
