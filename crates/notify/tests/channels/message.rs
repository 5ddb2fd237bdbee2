//! Messages for the tests.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, Utc};
use reaper_model::Verb;
use reaper_model::document::StoppedView;
use reaper_notify::{Content, Message, Target};

/// The secret part of every address here.
pub(crate) const CANARY: &str = "hunter2-canary-path";

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-30T07:06:00Z".parse().expect("a time")
}

pub(crate) fn stops() -> Vec<StoppedView> {
    let at = DateTime::<FixedOffset>::parse_from_rfc3339("2026-11-30T08:04:00+01:00");
    vec![StoppedView {
        id: "scaleway/org-1/fr-par-2/66bb".to_owned(),
        provider: "scaleway".into(),
        account: Some("poc".into()),
        name: Some("sweep-1 \"größe\" <b>".to_owned()),
        machine_type: Some("H100-1-80G".into()),
        owner: Some("bob".to_owned()),
        verb: Verb::Stop,
        rule: Some("ownerless".to_owned()),
        at: at.expect("a time"),
        running_again: None,
        saved: None,
    }]
}

pub(crate) fn message(stops: &[StoppedView]) -> Message<'_> {
    let key = "stops-0123456789abcdef".parse().expect("a key");
    Message { key, at: now(), content: Content::Stops(stops) }
}

pub(crate) fn target(url: &str, timeout: Duration) -> Target {
    Target { url: url.into(), timeout, ca_bundle: None }
}

/// Nothing secret in a text or a value's debug form.
pub(crate) fn gives_nothing_away(text: &str) {
    assert!(!text.contains(CANARY) && !text.contains("whsec_"), "{text}");
}
