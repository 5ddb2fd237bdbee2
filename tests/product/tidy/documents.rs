//! Documents against the code: what they name exists, what they show is what is printed.

use std::path::{Path, PathBuf};

use crate::support::Reaper;

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A document of the project.
pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The text of the fenced block that follows `<!-- name -->`.
fn block(document: &str, name: &str) -> String {
    let mark = format!("<!-- {name} -->");
    let (_, rest) = document.split_once(&mark).unwrap_or_else(|| panic!("no block {name}"));
    let (_, rest) = rest.split_once("```").expect("a fence");
    let (_, rest) = rest.split_once('\n').expect("a line");
    let (text, _) = rest.split_once("```").expect("a closing fence");
    text.to_owned()
}

#[test]
fn the_readme_shows_the_demo_as_it_is() {
    let ran = Reaper::new().env("COLUMNS", "100").run(&["demo"]).exits(0);
    let document = read("README.md");
    let shown = block(&document, "demo");
    let beginning = shown.strip_suffix("…\n").expect("an ellipsis for the rest");
    assert!(beginning.lines().count() > 20, "enough to see what it looks like");
    assert!(ran.stdout.starts_with(beginning), "put this into README.md:\n{}", ran.stdout);
}

#[test]
fn the_readme_shows_the_exit_codes_as_they_are() {
    let help = Reaper::new().run(&["--help"]).exits(0).stdout;
    let shown = block(&read("README.md"), "exit codes");
    assert!(help.contains(&shown), "--help says:\n{help}");
}

#[test]
fn the_readme_shows_the_audit_policy_of_aws() {
    let policy = read("providers/aws/audit-policy.json");
    assert_eq!(block(&read("README.md"), "aws audit policy").trim(), policy.trim());
}

#[test]
fn invariants_of_the_architecture_have_tests_of_their_name() {
    let document = read("ARCHITECTURE.md");
    let mut tests = String::new();
    collect(&root().join("crates"), &mut tests);
    collect(&root().join("providers"), &mut tests);
    collect(&root().join("tests"), &mut tests);
    let mut found = 0;
    for line in document.lines().filter(|line| line.starts_with("| ") && line.contains("| yes |")) {
        let name = line.split('`').nth(1).expect("a name in code");
        assert!(tests.contains(&format!("fn {name}(")), "no test is called {name}");
        found += 1;
    }
    assert!(found >= 14, "only {found} invariants are kept");
}

#[test]
fn every_guard_of_the_readme_has_its_test() {
    let document = read("README.md");
    let (_, table) = document.split_once("<!-- guards -->").expect("the table");
    let (table, _) = table.split_once("\n\n").expect("its end");
    let mut tests = String::new();
    for folder in ["crates", "providers", "tests"] {
        collect(&root().join(folder), &mut tests);
    }
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() >= 14, "{rows:?}");
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        assert_eq!(cells.len(), 4, "{row}");
        let name = cells[3].trim_end_matches(" |").trim_matches('`');
        assert!(tests.contains(&format!("fn {name}(")), "no test is called {name}: {row}");
    }
}

fn collect(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&std::fs::read_to_string(&path).expect("UTF-8"));
        }
    }
}
