//! `[notify.slack]`, `[notify.webhook]`, `[notify.heartbeat]`, `[notify.prometheus]`: defaults, and
//! what is refused without giving an address away.

use secrecy::ExposeSecret as _;

use super::support::{ACCOUNT, accepted, read_in, refused};
use crate::{Channels, Told};

const SLACK: &str = "[notify.slack]\nwebhook = { env = \"SLACK_WEBHOOK\" }\n";
const WEBHOOK: &str = "[notify.webhook]\nurl = { env = \"REAPER_WEBHOOK_URL\" }\n\
                       secrets = [{ env = \"REAPER_WEBHOOK_SECRET\" }]\n";
const HEARTBEAT: &str = "[notify.heartbeat]\nurl = { env = \"HEARTBEAT_URL\" }\n";

fn channels(text: &str) -> Channels {
    accepted(text).channels
}

#[test]
fn an_address_is_enough_and_everything_is_told() {
    let Channels { slack, webhook, heartbeat, prometheus } =
        channels(&format!("{SLACK}{WEBHOOK}{HEARTBEAT}"));
    let slack = slack.expect("slack");
    assert_eq!(slack.webhook.expose_secret(), "https://hooks.example.org/hunter2-secret");
    assert_eq!((slack.send, slack.timeout.as_secs()), (Told::ALL.to_vec(), 30));
    let webhook = webhook.expect("a webhook");
    assert_eq!(webhook.secrets.len(), 1);
    assert_eq!((webhook.send, webhook.timeout.as_secs()), (Told::ALL.to_vec(), 30));
    assert_eq!(heartbeat.expect("a heartbeat").timeout.as_secs(), 10);
    assert!(prometheus.is_none());
}

#[test]
fn without_tables_there_are_no_channels() {
    let Channels { slack, webhook, heartbeat, prometheus } = channels("");
    assert!(slack.is_none() && webhook.is_none() && heartbeat.is_none() && prometheus.is_none());
}

#[test]
fn everything_that_can_be_said_is_heard() {
    let text = format!(
        "{SLACK}send = [\"stops\", \"alerts\", \"stops\"]\ntimeout = \"5s\"\n\
         [notify.webhook]\nurl = {{ env = \"LOOPBACK_URL\" }}\nsend = \"report\"\n\
         secrets = [{{ env = \"REAPER_WEBHOOK_SECRET\" }}, {{ env = \"SMTP_PASSWORD\" }}]\n"
    );
    assert_eq!(channels(&text).told(Told::Stops), ["slack"]);
    assert_eq!(channels(&text).told(Told::Report), ["webhook"]);
    let Channels { slack, webhook, .. } = channels(&text);
    let slack = slack.expect("slack");
    assert_eq!(slack.send, [Told::Alerts, Told::Stops]);
    assert_eq!(slack.timeout.as_secs(), 5);
    let webhook = webhook.expect("a webhook");
    assert_eq!((webhook.send, webhook.secrets.len()), (vec![Told::Report], 2));
    let one = text.replace(
        "[{ env = \"REAPER_WEBHOOK_SECRET\" }, { env = \"SMTP_PASSWORD\" }]",
        "{ env = \"REAPER_WEBHOOK_SECRET\" }",
    );
    assert_eq!(channels(&one).webhook.expect("a webhook").secrets.len(), 1);
}

#[test]
fn fl_155_what_is_in_force_is_listed_without_addresses() {
    let config = accepted(&format!("{SLACK}{WEBHOOK}{HEARTBEAT}"));
    let listed: Vec<String> = config
        .effective()
        .iter()
        .filter(|setting| setting.key.starts_with("notify."))
        .map(|s| format!("{} = {}{}", s.key, s.value, if s.is_default { " (default)" } else { "" }))
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r#"
    notify.slack.send = ["report", "alerts", "stops"] (default)
    notify.slack.timeout = 30s (default)
    notify.webhook.send = ["report", "alerts", "stops"] (default)
    notify.webhook.timeout = 30s (default)
    notify.heartbeat.timeout = 10s (default)
    "#);
}

#[test]
fn secrets_never_leave_a_channel() {
    let config = accepted(&format!("{SLACK}{WEBHOOK}{HEARTBEAT}"));
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn an_address_in_the_clear_stays_on_this_machine() {
    for (reference, words) in [
        ("PLAIN_URL", "would be sent to in the clear"),
        ("LOGIN_URL", "has a login in it"),
        ("TEAM", "is no address"),
    ] {
        for text in [SLACK, WEBHOOK, HEARTBEAT] {
            let name = ["SLACK_WEBHOOK", "REAPER_WEBHOOK_URL", "HEARTBEAT_URL"]
                .into_iter()
                .find(|name| text.contains(name))
                .expect("a variable");
            let shown = refused(&text.replace(name, reference));
            assert!(shown.contains(words), "{shown}");
            assert!(!shown.contains("hunter2") && !shown.contains("atlas"), "{shown}");
        }
    }
    assert!(channels(&HEARTBEAT.replace("HEARTBEAT_URL", "LOOPBACK_URL")).heartbeat.is_some());
    insta::assert_snapshot!(refused(&SLACK.replace("SLACK_WEBHOOK", "PLAIN_URL")), @r#"
    error: [notify.slack]: `webhook`: what it refers to would be sent to in the clear
     --> reaper.toml:2:11
      |
    2 | webhook = { env = "PLAIN_URL" }
      |           ^^^^^^^^^^^^^^^^^^^^^
      |
      = help: it begins with https://, without a login; http:// is for this machine only
    "#);
}

#[test]
fn fl_150_unknown_keys_and_words_are_refused_with_the_nearest() {
    for (line, words) in [
        ("sned = \"report\"", "did you mean `send`?"),
        ("channel = \"#gpu\"", "`channel` is not a key of [notify.slack]"),
        ("send = \"alert\"", "did you mean `alerts`?"),
        ("send = []", "`send` is an empty list"),
        ("timeout = 30", "`timeout` has no unit"),
        ("timeout = \"0s\"", "`timeout` must be longer than nothing"),
    ] {
        let shown = refused(&format!("{SLACK}{line}\n"));
        assert!(shown.contains(words), "{line}: {shown}");
    }
    for (text, words) in [
        ("[notify.slack]\n", "[notify.slack] needs `webhook`"),
        (
            "[notify.webhook]\nurl = { env = \"LOOPBACK_URL\" }\n",
            "[notify.webhook] needs `secrets`",
        ),
        ("[notify.heartbeat]\n", "[notify.heartbeat] needs `url`"),
        ("[notify.prometheus]\n", "[notify.prometheus] needs `textfile`"),
        ("[notify.slak]\nwebhook = { env = \"X\" }\n", "did you mean `slack`?"),
    ] {
        let shown = refused(text);
        assert!(shown.contains(words), "{text}: {shown}");
    }
    let slip = refused(&format!("{WEBHOOK}send = \"alert\"\n"));
    assert!(slip.contains("send = \"alert\""), "what is no secret is shown: {slip}");
}

#[test]
fn the_textfile_is_beside_the_file_and_can_overwrite_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |name: &str| {
        let text = format!("[notify.prometheus]\ntextfile = \"{name}\"\n{ACCOUNT}");
        read_in(folder.path(), &text)
    };
    let config = read("reaper.prom").expect("accepted");
    let prometheus = config.channels.prometheus.as_ref().expect("prometheus");
    let path = &prometheus.textfile;
    assert_eq!(*path, folder.path().join("reaper.prom"));
    assert!(config.warnings.iter().all(|warning| warning.code != "config-textfile-folder"));
    let listed = config.effective.iter().find(|setting| setting.key.ends_with(".textfile"));
    assert_eq!(listed.map(|setting| setting.value.clone()), Some(path.display().to_string()));
    let later = read("absent/reaper.prom").expect("accepted");
    let warning = later.warnings.iter().find(|warning| warning.code == "config-textfile-folder");
    assert_eq!(warning.map(|warning| warning.subject.as_str()), Some("[notify.prometheus]"));
    std::fs::create_dir(folder.path().join("a.prom")).expect("made");
    for name in ["reaper.toml", ".", "metrics", "a.prom", ".prom"] {
        let error = read(name).expect_err("refused").to_string();
        assert!(error.contains("is no file ending in .prom"), "{name}: {error}");
    }
}
