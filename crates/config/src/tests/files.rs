//! Files beside the configuration: absent, unreadable, wrong.

use std::fs;
use std::path::Path;

use super::support::{ACCOUNT, PROVIDERS, currency, lookup, read_in};
use crate::{Config, ConfigError, Environment, Position, load};

fn env() -> Environment<'static> {
    Environment { lookup: &lookup, providers: &PROVIDERS, currency: &currency }
}

/// With this directory of people.
fn with_people(people: &[u8]) -> (tempfile::TempDir, Result<Config, ConfigError>) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("owners.csv"), people).expect("written");
    let text = format!("[owners]\ndirectory = \"owners.csv\"\n{ACCOUNT}");
    let result = read_in(folder.path(), &text);
    (folder, result)
}

fn refused_people(people: &str) -> String {
    let (folder, result) = with_people(people.as_bytes());
    let shown = result.expect_err("refused").to_string();
    shown.replace(&folder.path().display().to_string(), "…")
}

#[test]
fn fl_154_an_absent_file_is_an_error() {
    let error = load(Path::new("/nowhere/reaper.toml"), &env()).expect_err("absent");
    insta::assert_snapshot!(error, @r#"
    error: there is no such configuration file
    --> /nowhere/reaper.toml
     = help: `reaper init` writes one; --config or REAPER_CONFIG name another
    "#);
}

#[test]
fn fl_154_path_and_digest_are_those_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reaper.toml");
    fs::write(&path, ACCOUNT).expect("written");
    let config = load(&path, &env()).expect("accepted");
    assert_eq!(config.path.as_deref(), Some(path.as_path()));
    // As `sha256sum` says.
    assert_eq!(
        config.digest,
        "sha256:8d17dcdc063767e2c6fd8b74dcab76c095fa44bed99bba3d466855d20053fd24"
    );
}

#[test]
fn a_file_that_is_no_text_is_refused_at_the_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reaper.toml");
    fs::write(&path, b"version = 1\ncurrency = \"\xff\"\n").expect("written");
    let error = load(&path, &env()).expect_err("refused");
    assert_eq!(error.problems[0].position, Some(Position { line: 2, column: 13 }));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reaper.toml");
    fs::write(&path, format!("\u{feff}{ACCOUNT}").replace('\n', "\r\n")).expect("written");
    assert_eq!(load(&path, &env()).expect("accepted").accounts.len(), 1);
}

#[test]
fn people_are_read() {
    let (_folder, result) = with_people(
        "\u{feff}owner,email,team,status\r\nalice,alice@example.org,atlas,active\r\n\
         \"bob\", ,,Departed\r\nAlice,other@example.org,,active\r\n"
            .as_bytes(),
    );
    let config = result.unwrap_or_else(|error| panic!("{error}"));
    let directory = config.policy.owners.directory.expect("there");
    assert_eq!(directory.len(), 3);
    assert_eq!(
        directory.find("ALICE").and_then(|person| person.email.as_deref()),
        Some("alice@example.org")
    );
    let doubled: Vec<_> =
        config.warnings.iter().filter(|w| w.code == "config-directory-doubled").collect();
    assert_eq!(doubled.len(), 1);
    assert!(doubled[0].text.contains("`Alice`"));
}

#[test]
fn wrong_people_are_refused_with_file_and_line() {
    insta::assert_snapshot!(refused_people(
        "owner,email,team,status\nalice,alice.example.org,,active\nbob,,,gone\n\ncarol,,active\n"
    ), @r#"
    error: `alice.example.org` is no mail address
     --> …/owners.csv:2:1
      |
    2 | alice,alice.example.org,,active
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    error: `gone` is no status
     --> …/owners.csv:3:1
      |
    3 | bob,,,gone
      | ^^^^^^^^^^
      |
      = help: write active or departed

    error: 3 fields instead of 4
     --> …/owners.csv:5:1
      |
    5 | carol,,active
      | ^^^^^^^^^^^^^
    "#);
    insta::assert_snapshot!(refused_people("owner,mail,team,status\n"), @r#"
    error: `mail` is no column
     --> …/owners.csv:1:1
      |
    1 | owner,mail,team,status
      | ^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `email`?
    "#);
    insta::assert_snapshot!(refused_people("owner;email;team;status\nalice;;;active\n"), @r#"
    error: `owner;email;team;status` is no column
     --> …/owners.csv:1:1
      |
    1 | owner;email;team;status
      | ^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: the first line is owner,email,team,status
    "#);
}

#[test]
fn a_directory_of_nobody_is_refused_because_everybody_would_be_unknown() {
    let shown = refused_people("owner,email,team,status\n");
    assert!(shown.contains("lists nobody"), "{shown}");
    assert!(refused_people("").contains("lists nobody"));
}

#[test]
fn people_that_cannot_be_read_are_refused() {
    let (_folder, result) = with_people(b"owner,email,team,status\nal\xffice,,,active\n");
    assert!(result.expect_err("no text").to_string().contains("cannot be read"));
    let text = format!("[owners]\ndirectory = \"absent.csv\"\n{ACCOUNT}");
    let error = read_in(Path::new("/nowhere"), &text).expect_err("absent");
    assert!(error.to_string().contains("`/nowhere/absent.csv` cannot be read"), "{error}");
}

#[test]
fn a_bundle_is_looked_for_beside_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("[tls]\nca_bundle = \"ca.pem\"\n{ACCOUNT}");
    assert!(read_in(folder.path(), &text).is_err());
    fs::write(folder.path().join("ca.pem"), "").expect("written");
    let config = read_in(folder.path(), &text).expect("accepted");
    assert_eq!(config.ca_bundle, Some(folder.path().join("ca.pem")));
}
