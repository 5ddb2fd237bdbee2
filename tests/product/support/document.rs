//! Looking things up in an audit document.

use serde_json::Value;

use super::Ran;

/// The machine of that native id.
#[track_caller]
pub(crate) fn found<'a>(document: &'a Value, id: &str) -> &'a Value {
    document["instances"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|machine| machine["native_id"] == id)
        .unwrap_or_else(|| panic!("{id} is not in the report"))
}

/// The first scope of that location.
#[track_caller]
pub(crate) fn scope<'a>(document: &'a Value, location: &str) -> &'a Value {
    document["scopes"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|scope| scope["location"] == location)
        .unwrap_or_else(|| panic!("{location} is not in the report"))
}

/// The codes of all warnings.
pub(crate) fn warnings(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().expect("a list");
    warnings.iter().map(|warning| warning["code"].as_str().expect("a code")).collect()
}

/// Asserts the classes of the outcome.
#[track_caller]
pub(crate) fn classes(ran: &Ran, expected: &[&str]) {
    let document = ran.json();
    assert_eq!(document["outcome"]["classes"], serde_json::json!(expected), "{}", ran.stderr);
}
