//! What costs money and is used by nobody, in words that all formats share. Plain text, neither
//! cleaned nor escaped. Nothing here is ever acted upon.

use reaper_model::AssetKind;
use reaper_model::document::{AuditDocument, LeftoverView};

use crate::figures::{self, Zone, amounts, count};
use crate::machine::{self, MISSING};

/// What the list is.
pub const MEANING: &str = "unused and charged; reported, never removed";

/// `volume`, `address`: one of them.
pub const fn noun(kind: AssetKind) -> &'static str {
    match kind {
        AssetKind::Volume => "volume",
        AssetKind::Ip => "address",
        AssetKind::Snapshot => "snapshot",
        AssetKind::Image => "image",
        AssetKind::Filesystem => "file system",
    }
}

/// Its name, else `-`.
pub fn name(leftover: &LeftoverView) -> &str {
    leftover.name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(MISSING)
}

/// Its name, else its id.
pub fn known_as(leftover: &LeftoverView) -> &str {
    if name(leftover) == MISSING { &leftover.native_id } else { name(leftover) }
}

/// `aws/research/eu-west-1`: with the account's name in the configuration.
pub fn place(leftover: &LeftoverView) -> String {
    format!("{}/{}/{}", leftover.provider, leftover.account, leftover.location)
}

/// `500 GiB`, where its size is known.
pub fn size(leftover: &LeftoverView) -> Option<String> {
    leftover.size_gib.as_ref().map(|gib| format!("{gib} GiB"))
}

/// `41d 0h`, else `unknown`.
pub(crate) fn age(leftover: &LeftoverView) -> String {
    leftover.age_hours.as_deref().map_or_else(|| "unknown".to_owned(), figures::age)
}

/// Since when nobody uses it, or what else is known of its age.
pub fn since(leftover: &LeftoverView) -> String {
    match (&leftover.age_hours, leftover.unused_since, &leftover.age_why) {
        (Some(hours), Some(_), _) => format!("unused for {}", figures::age(hours)),
        (Some(hours), None, Some(why)) => format!("age {} ({why})", figures::age(hours)),
        (Some(hours), None, None) => format!("age {}", figures::age(hours)),
        (None, _, Some(why)) => format!("age unknown: {why}"),
        (None, _, None) => "age unknown".to_owned(),
    }
}

/// What its age counts from, where a column shows the age itself.
pub(crate) fn counts_from(leftover: &LeftoverView, zone: Zone) -> Option<String> {
    match (&leftover.age_hours, leftover.unused_since) {
        (Some(_), Some(since)) => Some(format!("unused since {}", zone.day(since))),
        (Some(_), None) => leftover.age_why.clone(),
        (None, _) => Some(since(leftover)),
    }
}

/// Whose it is, and how sure that is.
pub fn owner(leftover: &LeftoverView) -> String {
    machine::owner_of(&leftover.owner)
}

/// What it belonged to, where that is known; told apart where the stop was ours.
pub fn of(leftover: &LeftoverView) -> Option<String> {
    match (&leftover.of, leftover.of_our_stop) {
        (Some(of), true) => Some(format!("left by our stop of {of}")),
        (Some(of), false) => Some(format!("belonged to {of}")),
        (None, true) => Some("left by a stop of ours".to_owned()),
        (None, false) => None,
    }
}

/// What a month of it costs, else `unknown`; never 0 for that.
pub fn per_month(leftover: &LeftoverView) -> String {
    leftover.per_month.map_or_else(|| "unknown".to_owned(), |month| month.to_string())
}

/// The same with its unit: `240.00 USD a month`, `price unknown`.
pub fn cost(leftover: &LeftoverView) -> String {
    match leftover.per_month {
        Some(month) => format!("{month} a month"),
        None => "price unknown".to_owned(),
    }
}

/// Why its price is missing.
pub fn price_gap(leftover: &LeftoverView) -> Option<String> {
    match (leftover.per_month, &leftover.price_why) {
        (Some(_), _) => None,
        (None, Some(why)) => Some(format!("price unknown: {why}")),
        (None, None) => Some("price unknown".to_owned()),
    }
}

/// What all cost together in a month: `at least 216.40 EUR and 240.00 USD a month`.
pub fn sum(doc: &AuditDocument) -> String {
    let totals = &doc.totals;
    let at_least = if totals.leftovers_unpriced > 0 { "at least " } else { "" };
    match amounts(&totals.leftovers_per_month) {
        Some(sums) => format!("{at_least}{sums} a month"),
        None => "what they cost is not known".to_owned(),
    }
}

/// How many of which kind: `2 volumes, 1 address`.
pub fn kinds(doc: &AuditDocument) -> String {
    const KINDS: [AssetKind; 5] = [
        AssetKind::Volume,
        AssetKind::Ip,
        AssetKind::Snapshot,
        AssetKind::Image,
        AssetKind::Filesystem,
    ];
    let counted = KINDS.into_iter().filter_map(|kind| {
        let number = doc.leftovers.iter().filter(|leftover| leftover.kind == kind).count();
        (number > 0).then(|| match kind {
            AssetKind::Ip if number > 1 => format!("{} addresses", figures::number(number)),
            kind if number == 1 => count(number, noun(kind)),
            kind => format!("{} {}s", figures::number(number), noun(kind)),
        })
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// How many there are and what they cost, for the top of all formats; `None` without any.
pub(crate) fn headline(doc: &AuditDocument) -> Option<Vec<String>> {
    let number = doc.totals.leftovers;
    (number > 0).then(|| {
        let mut parts = vec![format!("{} left behind: {}", figures::number(number), kinds(doc))];
        parts.push(sum(doc));
        let unpriced = doc.totals.leftovers_unpriced;
        parts.extend(
            (unpriced > 0).then(|| format!("{} without a price", figures::number(unpriced))),
        );
        parts
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn fl_103_a_price_that_is_not_known_makes_the_sum_a_lower_bound_and_is_never_0() {
        let mut doc = fixture::mixed();
        assert_eq!(
            headline(&doc).expect("some").join(" · "),
            "5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system · \
             at least 221.65 EUR and 240.00 USD a month · 1 without a price"
        );
        let address = doc.leftovers.iter().find(|leftover| leftover.kind == AssetKind::Ip);
        let address = address.expect("an address");
        assert_eq!(per_month(address), "unknown");
        assert_eq!(
            price_gap(address).as_deref(),
            Some("price unknown: the price list has no addresses of this place")
        );
        doc.totals.leftovers_per_month.clear();
        assert_eq!(sum(&doc), "what they cost is not known");
        doc.totals.leftovers = 0;
        assert_eq!(headline(&doc), None);
    }

    #[test]
    fn an_age_says_what_it_counts_from() {
        let doc = fixture::mixed();
        let said: Vec<String> = doc.leftovers.iter().map(since).collect();
        assert_eq!(
            said,
            [
                "age 200d 0h (counted from its creation: since when nobody uses it is not told)",
                "unused for 41d 2h",
                "age 3d 0h (counted from its creation: since when nobody uses it is not told)",
                "age 12d 0h (counted from its creation: since when nobody uses it is not told)",
                "age unknown: the provider tells no time of addresses",
            ]
        );
        let counts: Vec<Option<String>> =
            doc.leftovers.iter().map(|leftover| counts_from(leftover, Zone::of(&doc))).collect();
        assert_eq!(counts[1].as_deref(), Some("unused since Tue 20 Oct 2026 08:00 CEST"));
        assert_eq!(
            counts[2].as_deref(),
            Some("counted from its creation: since when nobody uses it is not told")
        );
        assert_eq!(counts[4].as_deref(), Some(said[4].as_str()));
    }

    #[test]
    fn what_our_own_stops_left_is_told_apart() {
        let doc = fixture::mixed();
        let said: Vec<Option<String>> = doc.leftovers.iter().map(of).collect();
        assert_eq!(said[1].as_deref(), Some("belonged to i-0123456789abcdef0"));
        assert_eq!(
            said[2].as_deref(),
            Some("left by our stop of 6ba7b810-9dad-11d1-80b4-00c04fd430c8")
        );
        assert_eq!(said[0], None);
    }
}
