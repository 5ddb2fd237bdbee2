//! Documents against the schemas that the binary prints.

use serde_json::Value;

use crate::support::Reaper;

/// Asserts that a document is what `reaper schema NAME` promises.
#[track_caller]
pub(crate) fn validates(name: &str, document: &Value) {
    let schema = Reaper::new().run(&["schema", name]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn schemas_refuse_what_is_not_promised() {
    let schema = Reaper::new().run(&["schema", "audit"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    assert!(!validator.is_valid(&serde_json::json!({"schema": "reaper.audit/1"})));
}

#[test]
fn the_committed_reference_is_the_one_that_the_binary_prints() {
    let printed = Reaper::new().run(&["schema", "config", "--format", "markdown"]).exits(0).stdout;
    let path = format!("{}/../config/REFERENCE.md", env!("CARGO_MANIFEST_DIR"));
    let committed = std::fs::read_to_string(path).expect("a reference");
    assert!(
        printed == committed,
        "write it anew: reaper schema config --format markdown --output config/REFERENCE.md"
    );
    for table in ["## `[[account]]`", "## `[notify.email.smtp]`", "## `[[schedule]]`"] {
        assert!(printed.contains(table), "{table}");
    }
}

#[test]
fn the_committed_schemas_are_those_that_the_binary_prints() {
    for name in ["config", "audit", "plan", "check", "explain", "history", "error"] {
        let printed = Reaper::new().run(&["schema", name]).exits(0).stdout;
        let path = format!("{}/../config/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == printed,
            "write it anew: reaper schema {name} --output config/schema/{name}.json"
        );
    }
}

#[test]
fn error_documents_validate() {
    let ran = Reaper::new().run(&["audit", "--format", "json"]).exits(2);
    validates("error", &ran.json());
}
