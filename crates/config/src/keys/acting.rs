//! The keys that acting and telling people need: `[state]`, `[limits]`, `[timeouts]`, `[hooks]`,
//! `[notify]`.

use super::file::table;
use super::{Key, Kind, Table, channels};

/// Words for how a connection to a mail server is encrypted.
const TLS: [&str; 3] = ["starttls", "implicit", "none"];

pub(super) fn state() -> Table {
    let doc = "`file:` and a folder, relative to this file, or `s3://`, `gs://` or `az://` with a \
               bucket and a prefix. Everybody who runs with this configuration shares it.";
    let keys = vec![Key::new("url", Kind::Text, doc).default("file:reaper-state")];
    table("state", "[state]", keys)
}

pub(super) fn limits() -> Table {
    let keys = vec![
        Key::new("max_actions", Kind::Whole(0, 100_000), "Machines acted upon in one run.")
            .default("10"),
        Key::new("max_share", Kind::Percent, "Share of all machines that were read.")
            .default("20%"),
        Key::new(
            "max_hourly_value",
            Kind::Amount,
            "What the machines acted upon cost in an hour. Default: 200 of `currency`. Over \
             currencies without a rate the shares of this number add up.",
        )
        .default("200 EUR"),
    ];
    table("limits", "[limits]", keys)
}

pub(super) fn timeouts() -> Table {
    let limit = |name, doc, default| Key::new(name, Kind::Duration, doc).default(default);
    let keys = vec![
        limit("call", "One attempt of one call.", "30s"),
        limit("scope", "All calls for one account at one location.", "5m"),
        limit("run", "The whole run.", "30m"),
        limit("confirm", "Until an action must be seen to have ended the bill.", "10m"),
        limit("poll", "Between two looks at a machine that is being stopped.", "5s"),
        limit("mail", "Everything said to the mail server for one mail.", "1m"),
        limit("stop_grace", "To finish or hand over after SIGTERM or SIGINT.", "7s"),
        limit("plan", "How long a plan may be applied.", "1d"),
        limit(
            "lease",
            "How long a run keeps others off an account if it dies. At least `run`, which is the \
             default where that is longer.",
            "30m",
        ),
    ];
    table("timeouts", "[timeouts]", keys)
}

pub(super) fn hooks() -> Table {
    let hook = vec![
        Key::new(
            "command",
            Kind::Command,
            "The program and its arguments, without a shell; a program with a slash in it is \
             relative to this file.",
        )
        .required(),
        Key::new("timeout", Kind::Duration, "How long it may take.").default("10m"),
    ];
    let keys = vec![Key::new(
        "before_stop",
        Kind::Table(table("hooks.before_stop", "[hooks.before_stop]", hook)),
        "Runs before each stop, to save checkpoints; if it fails, the machine is left alone.",
    )];
    table("hooks", "[hooks]", keys)
}

pub(super) fn notify() -> Table {
    let doc = "Mail; acting needs it, because owners are told first.";
    let mut keys = vec![Key::new("email", Kind::Table(email()), doc)];
    keys.extend(channels::channels());
    table("notify", "[notify]", keys)
}

fn email() -> Table {
    let keys = vec![
        Key::new("from", Kind::Text, "The sender's address.").required(),
        Key::new("from_name", Kind::Text, "The sender's name."),
        Key::new("reply_to", Kind::Text, "Address for answers. Default: `from`."),
        Key::new("max_size", Kind::Size, "The most that one mail may be.").default("10 MiB"),
        Key::new("smtp", Kind::Table(smtp()), "The mail server.").required(),
        Key::new(
            "report_to",
            Kind::Texts,
            "Addresses that get the weekly report; an empty list for none. Default: \
             `owners.fallback`.",
        ),
        Key::new(
            "allowed_domains",
            Kind::SomeTexts,
            "Domains of owners who may be written to, subdomains not included; owners elsewhere \
             go to `owners.fallback`. Default: `owners.domain` and the domain of `from`.",
        ),
        Key::new(
            "remind_every",
            Kind::Duration,
            "How long after a mail about a machine the next one may follow.",
        )
        .default("7d"),
    ];
    table("notify.email", "[notify.email]", keys)
}

fn smtp() -> Table {
    let keys = vec![
        Key::new("host", Kind::Text, "Name or address of the server.").required(),
        Key::new(
            "port",
            Kind::Whole(1, 65_535),
            "Default: 587; 465 if `tls` is `implicit`, 25 if it is `none`.",
        ),
        Key::new(
            "tls",
            Kind::Word(TLS.to_vec()),
            "`starttls` and `implicit` send nothing in the clear; `none` takes a password on \
             this machine only.",
        )
        .default("starttls"),
        Key::new("user", Kind::Text, "Login, together with `password`."),
        Key::new("password", Kind::Secret, "Password, by reference, together with `user`."),
        Key::new(
            "ca_bundle",
            Kind::Text,
            "PEM file with further certificate authorities to trust, relative to this file. \
             Default: `tls.ca_bundle`.",
        ),
    ];
    table("notify.email.smtp", "[notify.email.smtp]", keys)
}
