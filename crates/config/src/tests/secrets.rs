//! No secret in any output, and references that lead nowhere.

use secrecy::ExposeSecret;

use super::support::{read, read_in, refused};

fn scaleway(credentials: &str) -> String {
    format!("[[account]]\nname = \"poc\"\nprovider = \"scaleway\"\n{credentials}\n")
}

#[test]
fn secrets_come_by_reference_and_stay_out_of_debug() {
    let text = scaleway("credentials = { secret_key = { env = \"SCW_SECRET_KEY\" } }");
    let config = read(&text).expect("accepted");
    assert_eq!(config.accounts[0].credentials["secret_key"].expose_secret(), "hunter2-secret");
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn blanks_around_a_secret_are_left_out_and_the_variable_is_named() {
    let text = scaleway("credentials = { secret_key = { env = \"WITH_BLANKS\" } }");
    let config = read(&text).expect("accepted");
    assert_eq!(config.accounts[0].credentials["secret_key"].expose_secret(), "hunter2-secret");
    let [warning] =
        config.warnings.iter().filter(|w| w.code != "config-no-rules").collect::<Vec<_>>()[..]
    else {
        panic!("one warning: {:?}", config.warnings)
    };
    assert_eq!(warning.code, "config-blanks-trimmed");
    assert!(warning.text.contains("`WITH_BLANKS`") && !warning.text.contains("hunter2"));
}

#[test]
fn a_secret_from_a_file_may_end_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("key"), "hunter2-secret\r\n").expect("written");
    let text = scaleway("credentials = { secret_key = { file = \"key\" } }");
    let config = read_in(folder.path(), &text).expect("accepted");
    assert_eq!(config.accounts[0].credentials["secret_key"].expose_secret(), "hunter2-secret");
    assert!(config.warnings.iter().all(|warning| warning.code == "config-no-rules"));
}

#[test]
fn references_that_lead_nowhere_are_refused() {
    for (reference, words) in [
        (
            "{ env = \"NOT_SET\" }",
            "account `poc`: `secret_key`: the environment variable `NOT_SET` is not set",
        ),
        ("{ env = \"BLANK\" }", "the environment variable `BLANK` is blank"),
        ("{ env = \"TWO_LINES\" }", "the environment variable `TWO_LINES` has control characters"),
        ("{ file = \"absent\" }", "the file `/nowhere/absent` cannot be read"),
        ("{ env = \"A\", file = \"b\" }", "is not a reference"),
        ("{ vault = \"b\" }", "is not a reference"),
    ] {
        let error = read(&scaleway(&format!("credentials = {{ secret_key = {reference} }}")));
        let error = error.expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn a_secret_in_the_file_is_refused_and_not_repeated() {
    for line in [
        "credentials = { secret_key = \"hunter2\" }",
        "credentials = { secret_kye = \"hunter2\" }",
        "credentials = { secret_key = { env = \"hunter2 no variable\" } }",
        "credentials = \"hunter2\"",
        "secret_key = \"hunter2\"",
        "my_key = \"hunter2\"",
        "api_key = \"hunter2\"",
        "endpoint_url = \"https://me:hunter2@example.org\"",
        // Not TOML at all:
        "credentials = { secret_key = \"hunter2 }",
        "secret_key = hunter2",
        "[account.credentials]\nkye = hunter2",
        "[account.credentials]\nkye = \"\"\"\nhunter2\nhunter2\n\"\"\" x",
        "secret_key = \"\"\"\nhunter2\n",
        "api_key = \"hunter2\"\napi_key = \"hunter2\"",
        "endpoint_url = https://me:hunter2@example.org",
    ] {
        let error = read(&scaleway(line)).expect_err("refused");
        for text in [error.render(false), error.render(true), format!("{error:?}")] {
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
    for line in [
        "[notify.email]\nsmtp = { password = \"hunter2\" }",
        "[notify.email]\nsmtp = { pasword = \"hunter2\" }",
        "[notify.email.smtp]\npasword = \"hunter2\"",
        "[notify.email.smtp]\nhost = \"me:hunter2@example.org\"",
        "[notify.email.smtp]\npassword = { env = \"hunter2\" }",
        "[notify.slack]\nwebhook = \"https://example.org/hunter2\"",
        "[notify.slack]\nwebhook = { evn = \"https://example.org/hunter2\" }",
        "[notify.slack]\nurl = \"https://example.org/hunter2\"",
        "[notify]\nslack = \"https://example.org/hunter2\"",
        "[notify]\nwebhook = \"https://example.org/hunter2\"",
        "[notify.webhook]\nurl = \"https://example.org/hunter2\"",
        "[notify.webhook]\nsecrets = [\"whsec_hunter2\"]",
        "[notify.webhook]\nsecrets = { env = \"hunter2\" }",
        "[notify.webhook]\nkeys = [\"whsec_hunter2\"]",
        "[notify]\nheartbeat = \"https://example.org/hunter2\"",
        "[notify.heartbeat]\nurl = \"https://example.org/hunter2\"",
        "[notify.heartbeat]\nurl = { env = \"PLAIN_URL\" }",
        "[notify.heartbeat]\nurl = { env = \"LOGIN_URL\" }",
        "[state]\nurl = \"s3://key:hunter2@bucket\"",
        "[state]\nurl = \"s3://bucket?secret=hunter2\"",
        // Not TOML at all:
        "[notify.email.smtp]\npw = hunter2",
        "[notify.email]\nsmtp = { pw = \"hunter2 }",
        "[notify.slack]\naddress = https://example.org/hunter2",
        "[notify.heartbeat]\nurl = https://example.org/hunter2",
        "[notify]\nheartbeat = { url = \"https://example.org/hunter2 }",
    ] {
        let elsewhere = refused(&format!("{line}\n"));
        assert!(!elsewhere.contains("hunter2"), "{elsewhere}");
    }
}

#[test]
fn a_refused_secret_is_shown_as_stars() {
    let error = read(&scaleway("credentials = { secret_key = \"hunter2\" }")).expect_err("refused");
    insta::assert_snapshot!(error, @r#"
    error: account `poc`: `secret_key` is a secret, and secrets are never in this file
     --> reaper.toml:4:30
      |
    4 | credentials = { secret_key = ********* }
      |                              ^^^^^^^^^
      |
      = help: write { env = "SECRET_KEY" } or { file = "…" }
    "#);
}
