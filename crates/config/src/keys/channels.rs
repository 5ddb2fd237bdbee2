//! The keys of the channels besides mail: `[notify.slack]`, `[notify.webhook]`,
//! `[notify.heartbeat]`, `[notify.prometheus]`.

use super::file::table;
use super::{Key, Kind, Table};

/// Words for what a channel may be told.
const SEND: [&str; 3] = ["report", "alerts", "stops"];

/// The channels, as keys of `[notify]`.
pub(super) fn channels() -> [Key; 4] {
    [
        Key::new(
            "slack",
            Kind::Table(slack()),
            "A Slack channel, by an incoming webhook, besides the mail.",
        ),
        Key::new(
            "webhook",
            Kind::Table(webhook()),
            "A program of yours, by signed requests (Standard Webhooks), besides the mail.",
        ),
        Key::new(
            "heartbeat",
            Kind::Table(heartbeat()),
            "An address that is asked when a run starts, succeeds and fails, so that a schedule \
             that silently does not run is noticed.",
        ),
        Key::new("prometheus", Kind::Table(prometheus()), "Figures of each run for Prometheus."),
    ]
}

fn slack() -> Table {
    let doc = "Its address, by reference: whoever knows it can write there.";
    let keys = vec![Key::new("webhook", Kind::Secret, doc).required(), send(), timeout("30s")];
    table("notify.slack", "[notify.slack]", keys)
}

fn webhook() -> Table {
    let keys = vec![
        Key::new("url", Kind::Secret, "Where requests are sent, by reference.").required(),
        Key::new(
            "secrets",
            Kind::Secrets,
            "What requests are signed with, by reference: `whsec_` and base64. Of several, while \
             one takes the place of another, each signs.",
        )
        .required(),
        send(),
        timeout("30s"),
    ];
    table("notify.webhook", "[notify.webhook]", keys)
}

fn heartbeat() -> Table {
    let doc = "The address, by reference; a start is told below it at `/start`, a failure at \
               `/fail`.";
    let keys = vec![Key::new("url", Kind::Secret, doc).required(), timeout("10s")];
    table("notify.heartbeat", "[notify.heartbeat]", keys)
}

fn prometheus() -> Table {
    let doc = "File that each run replaces, relative to this file, for the textfile collector; \
               its name ends in `.prom`.";
    table(
        "notify.prometheus",
        "[notify.prometheus]",
        vec![Key::new("textfile", Kind::Text, doc).required()],
    )
}

fn send() -> Key {
    let doc = "What is told there: the weekly report, budget alerts, confirmed stops.";
    Key::new("send", Kind::Words(SEND.to_vec()), doc).default("[\"report\", \"alerts\", \"stops\"]")
}

fn timeout(default: &'static str) -> Key {
    let doc = "Everything said there about one message, further attempts included.";
    Key::new("timeout", Kind::Duration, doc).default(default)
}
