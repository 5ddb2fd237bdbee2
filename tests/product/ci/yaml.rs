//! YAML files of `config/ci` as JSON values.

use std::path::PathBuf;

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::Value;

/// Where the kit lies.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/ci"))
}

/// A file of the kit as text.
pub(super) fn text(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The documents of a file of the kit.
pub(super) fn documents(name: &str) -> Vec<Value> {
    let text = text(name);
    let documents = Yaml::load_from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    documents.iter().map(value).collect()
}

/// The only document of a file of the kit.
pub(super) fn document(name: &str) -> Value {
    let mut documents = documents(name);
    assert_eq!(documents.len(), 1, "{name}");
    documents.remove(0)
}

fn value(node: &Yaml<'_>) -> Value {
    if let Some(list) = node.as_sequence() {
        list.iter().map(value).collect()
    } else if let Some(map) = node.as_mapping() {
        let text = |key: &Yaml<'_>| key.as_str().expect("keys are text").to_owned();
        map.iter().map(|(key, node)| (text(key), value(node))).collect()
    } else if let Some(text) = node.as_str() {
        text.into()
    } else if let Some(number) = node.as_integer() {
        number.into()
    } else if let Some(flag) = node.as_bool() {
        flag.into()
    } else {
        assert!(node.is_null(), "{node:?}");
        Value::Null
    }
}
