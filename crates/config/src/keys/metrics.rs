//! The keys of `[metrics]`.

use super::file::table;
use super::{Key, Kind, Table};

/// Where it is learnt what machines do.
pub(super) fn metrics() -> Table {
    let keys = vec![
        Key::new(
            "clouds",
            Kind::Flag,
            "Whether the clouds' own monitoring (CloudWatch, Cockpit, OVHcloud) is read where a rule \
             asks what machines do.",
        )
        .default("true"),
        Key::new(
            "probe",
            Kind::Flag,
            "Whether the samples that `reaper probe` put into the state are read.",
        )
        .default("true"),
        Key::new(
            "prometheus",
            Kind::Table(prometheus()),
            "A Prometheus, or a server that speaks like it, with the series of DCGM exporter, \
             `reaper probe` or node_exporter.",
        ),
    ];
    table("metrics", "[metrics]", keys)
}

fn prometheus() -> Table {
    let keys = vec![
        Key::new("url", Kind::Text, "Its address, the part before `/api/v1`.").required(),
        Key::new(
            "label",
            Kind::Text,
            "The label whose value is a machine's id at its provider, its full id or its name; a \
             port behind it does not count.",
        )
        .default("instance"),
        Key::new("basic", Kind::Table(basic()), "Login by name and password."),
        Key::new("bearer", Kind::Secret, "Login by a token, by reference."),
        Key::new(
            "sigv4",
            Kind::Table(sigv4()),
            "Login by AWS signatures, for Amazon Managed Prometheus.",
        ),
        Key::new("timeout", Kind::Duration, "One attempt of one query.").default("30s"),
    ];
    table("metrics.prometheus", "[metrics.prometheus]", keys)
}

fn basic() -> Table {
    let keys = vec![
        Key::new("user", Kind::Text, "Name.").required(),
        Key::new("password", Kind::Secret, "Password, by reference.").required(),
    ];
    table("metrics.prometheus.basic", "`basic` of [metrics.prometheus]", keys)
}

fn sigv4() -> Table {
    let keys = vec![
        Key::new("region", Kind::Text, "The workspace's region.").required(),
        Key::new("access_key_id", Kind::Secret, "Id of the key, by reference.").required(),
        Key::new("secret_access_key", Kind::Secret, "The key, by reference.").required(),
        Key::new("session_token", Kind::Secret, "What temporary keys come with, by reference."),
    ];
    table("metrics.prometheus.sigv4", "`sigv4` of [metrics.prometheus]", keys)
}
