//! Small rooms: size, first line, no logic in `lib.rs` and `mod.rs`, adapters alike.

use std::path::{Path, PathBuf};

use super::documents::root;

/// Lines that a file may have.
const ROOM: usize = 500;

/// Every Rust file of the house.
fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["crates", "providers", "tests"] {
        walk(&root().join(folder), &mut found);
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    found.sort();
    assert!(found.len() > 50, "the house was found");
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("UTF-8")
}

#[test]
fn no_file_is_longer_than_a_room() {
    for path in sources() {
        let lines = text(&path).lines().count();
        assert!(lines <= ROOM, "{} has {lines} lines", path.display());
    }
}

#[test]
fn every_file_says_first_what_lives_there() {
    for path in sources() {
        let text = text(&path);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! "), "{}: {first}", path.display());
    }
}

#[test]
fn no_logic_lives_in_lib_or_mod() {
    for path in sources() {
        let name = path.file_name().and_then(|name| name.to_str());
        let shipped = path.components().any(|part| part.as_os_str() == "src");
        if !shipped || !matches!(name, Some("lib.rs" | "mod.rs")) {
            continue;
        }
        for (number, line) in text(&path).lines().enumerate() {
            let logic = ["fn ", "impl ", "struct ", "enum ", "macro_rules!"];
            let code =
                line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
            let offends = logic.iter().any(|word| code.starts_with(word));
            assert!(!offends, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}

/// Files that every adapter has, so that who has read one has read them all.
const ADAPTER: [&str; 8] = [
    "lib.rs",
    "adapter.rs",
    "client.rs",
    "convert.rs",
    "descriptor.rs",
    "price.rs",
    "stop.rs",
    "wire.rs",
];

#[test]
fn adapters_are_alike() {
    for provider in ["aws", "lambda", "ovhcloud", "scaleway"] {
        let folder = root().join("providers").join(provider);
        for file in ADAPTER {
            assert!(folder.join("src").join(file).is_file(), "{provider} has no {file}");
        }
        assert!(folder.join("README.md").is_file(), "{provider} has no README.md");
    }
}

#[test]
fn leftovers_and_forbidden_words_are_nowhere() {
    // Written apart, so that this file does not find itself.
    let marks =
        [["to", "do!("], ["unimpl", "emented!("], ["db", "g!("], ["FIX", "ME"], ["XX", "X:"]];
    for path in sources() {
        let text = text(&path);
        for mark in marks.map(|parts| parts.concat()) {
            assert!(!text.contains(&mark), "{} has {mark}", path.display());
        }
    }
}
