//! Who may import whom: the table of ARCHITECTURE.md, read from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// Package → our packages that it may use. Nothing else of ours.
const TABLE: [(&str, &[&str]); 21] = [
    ("reaper-model", &[]),
    ("reaper-policy", &["reaper-model"]),
    ("reaper-budget", &["reaper-model"]),
    ("reaper-timetable", &["reaper-model"]),
    ("reaper-plan", &["reaper-model", "reaper-policy", "reaper-budget"]),
    ("reaper-advice", &["reaper-model"]),
    ("reaper-provider", &["reaper-model"]),
    ("reaper-http", &["reaper-model", "reaper-provider"]),
    ("reaper-config", &["reaper-model", "reaper-policy", "reaper-budget", "reaper-timetable"]),
    ("reaper-ledger", &["reaper-model"]),
    ("reaper-metrics", &["reaper-model", "reaper-provider", "reaper-http"]),
    ("reaper-report", &["reaper-model"]),
    ("reaper-notify", &["reaper-model", "reaper-report", "reaper-http"]),
    (
        "reaper-engine",
        &[
            "reaper-model",
            "reaper-policy",
            "reaper-budget",
            "reaper-timetable",
            "reaper-plan",
            "reaper-advice",
            "reaper-provider",
            "reaper-http",
            "reaper-ledger",
            "reaper-report",
            "reaper-notify",
        ],
    ),
    ("reaper-probe", &["reaper-model"]),
    ("reaper-simcloud", &["reaper-model"]),
    ("reaper-aws", &["reaper-model", "reaper-provider"]),
    ("reaper-ovhcloud", &["reaper-model", "reaper-provider", "reaper-http"]),
    ("reaper-scaleway", &["reaper-model", "reaper-provider", "reaper-http", "reaper-metrics"]),
    ("reaper-lambda", &["reaper-model", "reaper-provider", "reaper-http"]),
    ("reaper-tests", &["reaper-simcloud"]),
];

/// Libraries that only these of our packages may use: the pure crates never see the world.
const WORLD: [(&str, &[&str]); 10] = [
    (
        "tokio",
        &[
            "reaper-engine",
            "reaper-cli",
            "reaper-simcloud",
            "reaper-http",
            "reaper-aws",
            "reaper-tests",
            "reaper-ledger",
            "reaper-scaleway",
            "reaper-ovhcloud",
            "reaper-lambda",
            "reaper-notify",
            "reaper-probe",
        ],
    ),
    ("reqwest", &["reaper-http", "reaper-ledger"]),
    ("object_store", &["reaper-ledger"]),
    ("aws-sdk-ec2", &["reaper-aws"]),
    ("aws-sdk-cloudwatch", &["reaper-aws"]),
    ("aws-sdk-costexplorer", &["reaper-aws"]),
    ("aws-sdk-pricing", &["reaper-aws"]),
    ("hyper", &["reaper-simcloud"]),
    ("cron", &["reaper-timetable"]),
    ("nvml-wrapper", &["reaper-probe"]),
];

fn metadata() -> Metadata {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo metadata")
}

/// Package → what its shipped code depends on.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let packages = metadata().packages;
    packages
        .into_iter()
        .map(|package| {
            let normal = package
                .dependencies
                .into_iter()
                .filter(|dependency| dependency.kind == DependencyKind::Normal)
                .map(|dependency| dependency.name)
                .collect();
            (package.name.to_string(), normal)
        })
        .collect()
}

#[test]
fn every_crate_imports_only_what_the_table_allows() {
    let mut packages = dependencies();
    packages.remove("reaper-cli").expect("the binary, which may use everything");
    let listed: BTreeSet<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    let existing: BTreeSet<&str> = packages.keys().map(String::as_str).collect();
    assert_eq!(listed, existing);
    for (name, allowed) in TABLE {
        for used in packages[name].iter().filter(|used| used.starts_with("reaper-")) {
            assert!(allowed.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}

#[test]
fn only_listed_crates_see_the_world() {
    for (name, used) in dependencies() {
        for (library, allowed) in WORLD {
            assert!(
                !used.contains(library) || allowed.contains(&name.as_str()),
                "{name} must not use {library}"
            );
        }
    }
}

#[test]
fn the_architecture_document_shows_the_same_table() {
    let document = super::documents::read("ARCHITECTURE.md");
    for (name, allowed) in TABLE.into_iter().filter(|(name, _)| *name != "reaper-tests") {
        let short = |name: &str| name.trim_start_matches("reaper-").to_owned();
        let row = document
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` ", short(name))))
            .unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {name}"));
        let cell = row.split('|').nth(3).expect("a third column");
        let shown: BTreeSet<String> = cell
            .split_whitespace()
            .map(|word| word.trim_matches('`').to_owned())
            .filter(|word| word != "–")
            .collect();
        let expected: BTreeSet<String> = allowed.iter().map(|name| short(name)).collect();
        assert_eq!(shown, expected, "the row of {name}");
    }
}
