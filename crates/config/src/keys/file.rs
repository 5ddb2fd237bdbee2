//! Every key of the file.

use super::{Key, Kind, Table, acting, budget, idle, metrics, schedule};
use crate::context::ProviderKeys;

/// Keys that the contract has and this version does not, as (table, key). They are refused in
/// words of their own; whoever brings one to life removes its line.
pub(crate) const LATER: &[(&str, &str)] = &[];

/// Words for what a rule asks for.
pub(super) const ACTIONS: [&str; 3] = ["report", "stop", "terminate"];
/// Words for an owner's status that a rule may ask for. `unreadable` is not among them: missing
/// evidence is never a ground.
const OWNERS: [&str; 6] = ["absent", "empty", "unknown", "departed", "conflicting", "known"];

pub(super) fn table(path: &'static str, title: impl Into<String>, keys: Vec<Key>) -> Table {
    Table { path, title: title.into(), keys }
}

/// The whole file, for these providers.
pub(crate) fn file(providers: &[ProviderKeys]) -> Table {
    use Kind::{Duration, Map, Text, Texts, Whole, Word};
    let fx = table(
        "fx",
        "a rate of [fx]",
        vec![
            Key::new("rate", Kind::Decimal, "Units of `currency` per unit of this currency.")
                .required(),
            Key::new("as_of", Kind::Date, "The day of the rate.").required(),
        ],
    );
    let [idle_stop, working_hours] = idle::tags();
    let keys = vec![
        Key::new("version", Whole(1, 1), "Version of this format.").default("1"),
        Key::new("timezone", Text, "IANA time zone of months, weeks and dates.").default("UTC"),
        Key::new("currency", Text, "Currency of the report, an ISO 4217 code.").default("EUR"),
        Key::new(
            "mode",
            Word(vec!["report", "enforce"]),
            "`report` forbids acting whatever the command line says; absent: the command line \
             decides.",
        ),
        Key::new(
            "launch_grace",
            Duration,
            "Younger machines are left alone, because tags come late; a rule with an `older_than` of its \
             own may report them earlier.",
        )
        .default("15m"),
        Key::new("placeholders", Texts, "Tag values that count as missing, without case.")
            .default("[]"),
        Key::new("expiry_tag", Text, "Key of the tag that says when a machine may go.")
            .default("expires"),
        idle_stop,
        working_hours,
        Key::new(
            "leftovers",
            Kind::Flag,
            "Whether volumes, addresses, snapshots, images and file systems are read too, to report \
             those that nobody uses.",
        )
        .default("true"),
        Key::new("state", Kind::Table(acting::state()), "Where `reaper` remembers."),
        Key::new(
            "fx",
            Map(Box::new(Kind::Table(fx))),
            "Dated rates to `currency`, by currency. Without a rate there are separate subtotals.",
        ),
        Key::new("tls", Kind::Table(tls()), "Trust in certificates."),
        Key::new("account", Kind::Tables(account(providers)), "One set of credentials.").required(),
        Key::new("owners", Kind::Table(owners()), "How owners are found."),
        Key::new("protect", Kind::Table(protect()), "What is never stopped."),
        Key::new(
            "rule",
            Kind::Tables(rule()),
            "Every rule judges every machine; the strongest action counts.",
        ),
        Key::new("exempt", Kind::Tables(exempt()), "What the rules leave alone until a day."),
        Key::new(
            "limits",
            Kind::Table(acting::limits()),
            "The brake: over any of these, nothing at all is done.",
        ),
        Key::new(
            "price",
            Kind::Tables(price(providers)),
            "Overrides or fills the price catalogue.",
        ),
        Key::new("timeouts", Kind::Table(acting::timeouts()), "Time limits."),
        Key::new("retries", Kind::Table(retries()), "Repetition of calls."),
        Key::new("pace", Kind::Table(pace(providers)), "Bounds of the calls, per account."),
        Key::new("metrics", Kind::Table(metrics::metrics()), "Where it is learnt what machines do."),
        Key::new("hooks", Kind::Table(acting::hooks()), "Commands of yours."),
        Key::new(
            "budget",
            Kind::Tables(budget::budget(providers)),
            "A limit per calendar month; every budget counts for itself.",
        ),
        Key::new("schedule", Kind::Tables(schedule::schedule()), "Which jobs run when."),
        Key::new("notify", Kind::Table(acting::notify()), "How people are told."),
    ];
    table("", "the top level", keys)
}

fn tls() -> Table {
    let doc = "PEM file with further certificate authorities to trust, relative to this file.";
    table("tls", "[tls]", vec![Key::new("ca_bundle", Kind::Text, doc)])
}

fn account(providers: &[ProviderKeys]) -> Table {
    let mut keys = vec![
        Key::new("name", Kind::Text, "Unique name of this account.").required(),
        provider_key(providers),
        Key::new(
            "expect_account",
            Kind::Text,
            "The account that the credentials must belong to; acting needs it.",
        ),
        Key::new("endpoint_url", Kind::Text, "Base address instead of the provider's own."),
        Key::new(
            "allow_terminate",
            Kind::Flag,
            "Consent to end machines for good, with the data on them. Without it, what cannot be \
             stopped is only reported.",
        )
        .default("false"),
        Key::new(
            "allow_local_data_loss",
            Kind::Flag,
            "Consent to stop machines whose local disks (scratch, NVMe, instance store) a stop erases.",
        )
        .default("false"),
    ];
    let mut secrets: Vec<Key> = Vec::new();
    for provider in providers {
        let mut add = |name, kind, doc| merge(&mut keys, name, kind, doc, provider.name);
        if let Some(name) = provider.location_key {
            add(name, Kind::Texts, "Locations to list. Default: all.");
        }
        for &name in provider.options {
            add(name, Kind::Setting, "See the provider's documentation.");
        }
        for &name in provider.lists {
            add(name, Kind::Texts, "See the provider's documentation. Default: all.");
        }
        for &name in provider.credentials {
            let doc = "A secret, by reference. Default: the provider's own sources.";
            merge(&mut secrets, name, Kind::Secret, doc, provider.name);
        }
    }
    let secrets = table("account.credentials", "`credentials` of an [[account]]", secrets);
    keys.push(Key::new(
        "credentials",
        Kind::Table(secrets),
        "Secrets by reference. Default: the provider's own chain, files and variables.",
    ));
    table("account", "[[account]]", keys)
}

fn provider_key(providers: &[ProviderKeys]) -> Key {
    let names = providers.iter().map(|provider| provider.name).collect();
    Key::new("provider", Kind::Word(names), "The cloud.").required()
}

/// Adds a key, or a further provider to the key that is there.
fn merge(
    keys: &mut Vec<Key>,
    name: &'static str,
    kind: Kind,
    doc: &'static str,
    for_: &'static str,
) {
    match keys.iter_mut().find(|key| key.name == name) {
        Some(key) if key.only.is_empty() => {}
        Some(key) => key.only.push(for_),
        None => keys.push(Key::new(name, kind, doc).only(for_)),
    }
}

fn owners() -> Table {
    let keys = vec![
        Key::new("tags", Kind::SomeTexts, "Tag keys that name an owner, in order.")
            .default("[\"owner\"]"),
        Key::new("domain", Kind::Text, "Completes bare names to addresses."),
        Key::new(
            "directory",
            Kind::Text,
            "CSV file with the columns owner, email, team, status (active or departed).",
        ),
        Key::new("fallback", Kind::Text, "Address of those who are told when nobody else can be."),
        Key::new(
            "name_pattern",
            Kind::Text,
            "Regular expression with a group `owner`, tried on the name where tags say nothing.",
        ),
        Key::new("map", Kind::Map(Box::new(Kind::Text)), "Instance id to owner."),
    ];
    table("owners", "[owners]", keys)
}

fn protect() -> Table {
    let keys = vec![
        Key::new(
            "tag",
            Kind::Text,
            "Tag key that protects; only an explicit false or a past date does not.",
        )
        .default("reaper-keep"),
        Key::new("types", Kind::Patterns, "Machine types that are never stopped."),
    ];
    table("protect", "[protect]", keys)
}

fn rule() -> Table {
    let mut when = conditions("rule.when", "`when` of a [[rule]]");
    when.keys.extend(idle::conditions("rule.when.idle", "`idle` of a [[rule]]"));
    let mut except = conditions("rule.except", "`except` of a [[rule]]");
    except.keys.extend(idle::conditions("rule.except.idle", "`idle` of a [[rule]]"));
    let keys = vec![
        Key::new("name", Kind::Text, "Unique name.").required(),
        Key::new("when", Kind::Table(when), "All of these must hold.").required(),
        Key::new("except", Kind::Table(except), "If all of these hold, the rule says no."),
        Key::new("action", Kind::Word(ACTIONS.to_vec()), "What the rule asks for.")
            .default("report"),
        Key::new("notice", Kind::Duration, "Time between an accepted notice and the action.")
            .default("3d"),
    ];
    table("rule", "[[rule]]", keys)
}

fn conditions(path: &'static str, title: &str) -> Table {
    let pattern = |name, doc| Key::new(name, Kind::Patterns, doc);
    let keys = vec![
        Key::new(
            "owner",
            Kind::Words(OWNERS.to_vec()),
            "Status of the owner; `absent` includes `empty`.",
        ),
        Key::new(
            "older_than",
            Kind::Duration,
            "Longer than this since the last start (since creation where the provider shows no start).",
        ),
        Key::new("missing_tags", Kind::SomeTexts, "One of these tags is absent or blank."),
        Key::new("expired", Kind::Flag, "Whether the expiry has passed."),
        pattern("account", "Name of the account."),
        pattern("provider", "Name of the provider."),
        pattern("location", "Region or zone."),
        pattern("id", "Full id or the provider's."),
        pattern("name", "Name of the machine."),
        pattern("type", "Machine type."),
        pattern("gpu", "GPU model."),
        pattern("state", "Our word or the provider's, without case."),
        Key::new("tag", Kind::Map(Box::new(Kind::Patterns)), "Tag key to value."),
    ];
    table(path, title, keys)
}

fn exempt() -> Table {
    let matches = conditions("exempt.match", "`match` of an [[exempt]]");
    let keys = vec![
        Key::new("match", Kind::Table(matches), "All of these must hold.").required(),
        Key::new("owner", Kind::Text, "Who answers for it."),
        Key::new("reason", Kind::Text, "Why.").required(),
        Key::new("until", Kind::Moment, "A date, to its end in `timezone`, or a timestamp.")
            .required(),
    ];
    table("exempt", "[[exempt]]", keys)
}

fn price(providers: &[ProviderKeys]) -> Table {
    let keys = vec![
        provider_key(providers),
        Key::new("type", Kind::Text, "Machine type, letter for letter.").required(),
        Key::new("location", Kind::Text, "Region or zone. Default: everywhere."),
        Key::new("hourly", Kind::Amount, "Price of an hour; or `monthly`, exactly one."),
        Key::new("monthly", Kind::Amount, "Price of a month; or `hourly`, exactly one."),
    ];
    table("price", "[[price]]", keys)
}

fn retries() -> Table {
    let doc = "Attempts per call, the first included.";
    table("retries", "[retries]", vec![Key::new("attempts", Kind::Whole(1, 20), doc).default("4")])
}

fn pace(providers: &[ProviderKeys]) -> Table {
    let bounds = || {
        let keys = vec![
            Key::new("per_second", Kind::Whole(1, 1000), "Requests per second."),
            Key::new("in_flight", Kind::Whole(1, 1000), "Requests in flight."),
            Key::new("page_size", Kind::Whole(1, 1000), "Entries per page."),
        ];
        table("pace.provider", "a provider of [pace]", keys)
    };
    let keys = providers
        .iter()
        .map(|provider| Key::new(provider.name, Kind::Table(bounds()), "Bounds at this provider."))
        .collect();
    table("pace", "[pace]", keys)
}
