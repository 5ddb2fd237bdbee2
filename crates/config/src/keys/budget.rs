//! The keys of `[[budget]]`.

use super::file::table;
use super::{Key, Kind, Table};
use crate::context::ProviderKeys;

/// Words for what happens at the limit.
const ON_LIMIT: [&str; 2] = ["report", "stop-orphans"];

pub(super) fn budget(providers: &[ProviderKeys]) -> Table {
    let keys = vec![
        Key::new("name", Kind::Text, "Unique name: letters, digits, `-`, `_` and `.`.").required(),
        Key::new("limit", Kind::Amount, "The limit per calendar month of `timezone`.").required(),
        Key::new(
            "scope",
            Kind::Table(scope(providers)),
            "What counts: spending that fits all of these. Default: everything.",
        ),
        Key::new(
            "thresholds",
            Kind::Percents(1),
            "Percentages of the limit that are alerted, once a month each, when the spending \
             reaches them.",
        )
        .default("[\"50%\", \"80%\"]"),
        Key::new(
            "forecast",
            Kind::Percents(0),
            "Percentages of the limit that are alerted when the forecast of the month's end \
             reaches them; an empty list for none.",
        )
        .default("[\"100%\"]"),
        Key::new(
            "recipients",
            Kind::SomeTexts,
            "Addresses that are alerted. Default: `owners.fallback`.",
        ),
        Key::new(
            "on_limit",
            Kind::Word(ON_LIMIT.to_vec()),
            "What else happens when the spending reaches 100 %: nothing, or the notice periods of \
             orphans in its scope end.",
        )
        .default("report"),
    ];
    table("budget", "[[budget]]", keys)
}

fn scope(providers: &[ProviderKeys]) -> Table {
    let names = providers.iter().map(|provider| provider.name).collect();
    let keys = vec![
        Key::new("provider", Kind::Words(names), "Of one of these clouds."),
        Key::new("account", Kind::SomeTexts, "Of one of these accounts."),
        Key::new("owner", Kind::SomeTexts, "Of one of these owners, without case."),
        Key::new(
            "team",
            Kind::SomeTexts,
            "Of one of these teams of `owners.directory`, without case.",
        ),
        Key::new("tag", Kind::Map(Box::new(Kind::Text)), "Tag key to value; all must fit."),
    ];
    table("budget.scope", "`scope` of a [[budget]]", keys)
}
