//! `[metrics]`: defaults, logins, and what is refused without giving a login away.

use secrecy::ExposeSecret as _;

use super::support::{accepted, refused};
use crate::{Metrics, PrometheusAuth, PrometheusServer};

const SERVER: &str = "[metrics.prometheus]\nurl = \"https://prometheus.example.org\"\n";
const BASIC: &str = "basic = { user = \"reaper\", password = { env = \"SMTP_PASSWORD\" } }\n";
const BEARER: &str = "bearer = { env = \"SCW_SECRET_KEY\" }\n";
const SIGV4: &str = "sigv4 = { region = \"eu-west-1\", access_key_id = { env = \"SCW_SECRET_KEY\" }, \
                     secret_access_key = { env = \"SMTP_PASSWORD\" } }\n";

fn metrics(text: &str) -> Metrics {
    accepted(text).metrics
}

fn server(text: &str) -> PrometheusServer {
    metrics(&format!("{SERVER}{text}")).prometheus.expect("a server")
}

#[test]
fn without_a_table_everything_is_read_that_needs_no_address() {
    let Metrics { clouds, probe, prometheus } = metrics("");
    assert!(clouds && probe && prometheus.is_none());
    let Metrics { clouds, probe, .. } = metrics("[metrics]\nclouds = false\nprobe = false\n");
    assert!(!clouds && !probe);
}

#[test]
fn an_address_is_enough() {
    let server = server("");
    assert_eq!((server.label.as_str(), server.timeout.as_secs()), ("instance", 30));
    assert!(matches!(server.auth, PrometheusAuth::None));
    let plain = "[metrics.prometheus]\nurl = \"http://prometheus:9090\"\nlabel = \"Hostname\"\n";
    let plain = metrics(plain).prometheus.expect("a server");
    assert_eq!((plain.url.as_str(), plain.label.as_str()), ("http://prometheus:9090", "Hostname"));
}

#[test]
fn every_login_is_heard() {
    let PrometheusAuth::Basic(login) = server(BASIC).auth else { panic!("basic") };
    assert_eq!((login.user.as_str(), login.password.expose_secret()), ("reaper", "hunter2-secret"));
    assert!(matches!(server(BEARER).auth, PrometheusAuth::Bearer(_)));
    let PrometheusAuth::SigV4(keys) = server(SIGV4).auth else { panic!("sigv4") };
    assert!(keys.region == "eu-west-1" && keys.session_token.is_none());
}

#[test]
fn fl_155_what_is_in_force_is_listed() {
    let config = accepted(&format!("{SERVER}{BEARER}timeout = \"5s\"\n"));
    let listed: Vec<String> = config
        .effective()
        .iter()
        .filter(|setting| setting.key.starts_with("metrics."))
        .map(|s| format!("{} = {}{}", s.key, s.value, if s.is_default { " (default)" } else { "" }))
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r"
    metrics.clouds = true (default)
    metrics.probe = true (default)
    metrics.prometheus.label = instance (default)
    metrics.prometheus.timeout = 5s
    ");
}

#[test]
fn secrets_never_leave_a_login() {
    for login in [BASIC, BEARER, SIGV4] {
        let config = accepted(&format!("{SERVER}{login}"));
        assert!(!format!("{config:?}").contains("hunter2"), "{login}");
    }
    for slip in [
        "bearer = \"hunter2\"\n",
        "baerer = \"hunter2\"\n",
        "basic = { user = \"reaper\", password = \"hunter2\" }\n",
        "basic = { user = \"reaper\", pasword = \"hunter2\" }\n",
        "sigv4 = { region = \"eu-west-1\", access_key_id = \"hunter2\" }\n",
        "bearer = hunter2\n",
    ] {
        let shown = refused(&format!("{SERVER}{slip}"));
        assert!(!shown.contains("hunter2"), "{slip}: {shown}");
    }
    let shown = refused("[metrics.prometheus]\nurl = \"https://me:hunter2@prometheus/\"\n");
    assert!(shown.contains("has a login in it") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_login_in_the_clear_stays_on_this_machine() {
    let plain = |host: &str| format!("[metrics.prometheus]\nurl = \"http://{host}\"\n{BEARER}");
    assert!(metrics(&plain("127.0.0.1:9090")).prometheus.is_some());
    insta::assert_snapshot!(refused(&plain("prometheus:9090")), @r#"
    error: [metrics.prometheus]: `url` would be sent a login in the clear
     --> reaper.toml:2:7
      |
    2 | url = "http://prometheus:9090"
      |       ^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write for example "https://prometheus.example.org"
    "#);
}

#[test]
fn fl_150_what_is_not_understood_is_refused_with_the_nearest() {
    for (text, words) in [
        ("[metrics.prometheus]\n".to_owned(), "[metrics.prometheus] needs `url`"),
        (format!("{SERVER}{BASIC}{BEARER}"), "there are `basic` and `bearer`"),
        (format!("{SERVER}lable = \"host\"\n"), "did you mean `label`?"),
        (format!("{SERVER}label = \"host-name\"\n"), "`host-name` is no name of a label"),
        (format!("{SERVER}timeout = \"0s\"\n"), "`timeout` must be longer than nothing"),
        (format!("{SERVER}basic = {{ user = \"a\" }}\n"), "needs `password`"),
        ("[metrics]\ncloud = true\n".to_owned(), "did you mean `clouds`?"),
        ("[metrics]\nclouds = \"yes\"\n".to_owned(), "`clouds`"),
        (SERVER.replace("https", "ftp"), "begins with neither https:// nor http://"),
        (SERVER.replace(".org", ".org/api/v1"), "ends with /api/v1, which is added"),
        (SERVER.replace(".org", ".org/?a=b"), "it is a base address"),
    ] {
        let shown = refused(&text);
        assert!(shown.contains(words), "{text}: {shown}");
    }
}
