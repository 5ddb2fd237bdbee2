//! The reference of the configuration in Markdown, from its schema: every table and key, in the
//! order of the schema, with what it is, its default and what it means.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The whole reference.
pub(crate) fn reference(schema: &Value) -> String {
    let mut text = String::from(
        "# reaper.toml\n\n\
         Every table and key. A text can also be given by reference, `{ env = \"NAME\" }` or \
         `{ file = \"PATH\" }`; secrets are given in no other way. Durations are written `90m`, `2h` \
         or `7d12h`, amounts `5000 EUR`, shares `20%`.\n",
    );
    let reader = Reader { defs: schema.get("$defs") };
    reader.table(&mut text, "", schema);
    text
}

struct Reader<'a> {
    defs: Option<&'a Value>,
}

impl Reader<'_> {
    /// A table with its keys, then the tables in it. `path` is its header, empty for the file.
    fn table(&self, text: &mut String, path: &str, schema: &Value) {
        let schema = self.resolved(schema);
        let empty = Map::new();
        let keys = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        if !path.is_empty() {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "\n## `{path}`");
            if let Some(description) = description(schema) {
                let _ = writeln!(text, "\n{description}");
            }
        }
        let (tables, plain): (Vec<_>, Vec<_>) =
            keys.iter().partition(|(_, value)| self.is_table(value));
        if !plain.is_empty() {
            let _ =
                writeln!(text, "\n| key | value | default | meaning |\n| --- | --- | --- | --- |");
        }
        for (key, value) in plain {
            let default = match value.get("default") {
                Some(default) => format!("`{}`", cell(&toml_like(default))),
                None if required.contains(&key.as_str()) => "required".to_owned(),
                None => String::new(),
            };
            let meaning = description(value).unwrap_or_default();
            let kind = self.kind(value);
            let _ = writeln!(text, "| `{key}` | {} | {default} | {} |", cell(&kind), cell(meaning));
        }
        for (key, value) in tables {
            self.inner(text, &joined(path, key), value);
        }
    }

    /// A table below another: one, one by name, or any number in a row.
    fn inner(&self, text: &mut String, name: &str, schema: &Value) {
        let value = self.resolved(schema);
        if let Some(items) = value.get("items") {
            let items = self.resolved(items);
            let mut whole = items.clone();
            if let (Some(whole), Some(words)) = (whole.as_object_mut(), description(value)) {
                whole.entry("description").or_insert_with(|| Value::from(words));
            }
            self.table(text, &format!("[[{name}]]"), &whole);
        } else if let Some(named) =
            value.get("additionalProperties").filter(|named| named.is_object())
        {
            let mut whole = self.resolved(named).clone();
            if let (Some(whole), Some(words)) = (whole.as_object_mut(), description(value)) {
                whole.entry("description").or_insert_with(|| Value::from(words));
            }
            self.table(text, &format!("[{name}.NAME]"), &whole);
        } else {
            self.table(text, &format!("[{name}]"), value);
        }
    }

    /// Whether it has keys of its own that deserve a table: not what is written on one line.
    fn is_table(&self, value: &Value) -> bool {
        let value = self.resolved(value);
        let has_keys = |value: &Value| self.resolved(value).get("properties").is_some();
        has_keys(value)
            || value.get("items").is_some_and(has_keys)
            || value.get("additionalProperties").is_some_and(has_keys)
    }

    /// What can be written there.
    fn kind(&self, value: &Value) -> String {
        match value.get("$ref").and_then(Value::as_str) {
            Some("#/$defs/reference") => return "reference".to_owned(),
            Some("#/$defs/text") => return "text".to_owned(),
            _ => {}
        }
        let value = self.resolved(value);
        if let Some(words) = value.get("enum").and_then(Value::as_array) {
            let words: Vec<String> =
                words.iter().map(|word| format!("`{}`", toml_like(word))).collect();
            return words.join(", ");
        }
        if let Some(ways) =
            value.get("anyOf").or_else(|| value.get("oneOf")).and_then(Value::as_array)
        {
            let mut kinds: Vec<String> = ways.iter().map(|way| self.kind(way)).collect();
            kinds.dedup();
            return match kinds.as_slice() {
                [one, many] if *many == format!("list of {one}") => format!("{one}, or a list"),
                kinds => kinds.join(" or "),
            };
        }
        let example = value.get("examples").and_then(|examples| examples.get(0));
        match (value.get("type").and_then(Value::as_str), example) {
            (Some("array"), _) => {
                let of = value.get("items").map_or("text".to_owned(), |items| self.kind(items));
                format!("list of {of}")
            }
            (_, Some(example)) => format!("such as `{}`", toml_like(example)),
            (Some("string"), None) => "text".to_owned(),
            (Some("integer" | "number"), None) => "number".to_owned(),
            (Some("boolean"), None) => "`true` or `false`".to_owned(),
            (Some("object"), None) => "table".to_owned(),
            _ => "value".to_owned(),
        }
    }

    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let name = value.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
        name.and_then(|name| self.defs?.get(name)).unwrap_or(value)
    }
}

fn joined(path: &str, key: &str) -> String {
    let path = path.trim_matches(['[', ']']);
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn description(value: &Value) -> Option<&str> {
    value.get("description").and_then(Value::as_str)
}

/// As it stands in the file: JSON and TOML write texts, numbers and lists alike.
fn toml_like(value: &Value) -> String {
    value.to_string()
}

/// A cell of a table holds neither its border nor a line break.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
