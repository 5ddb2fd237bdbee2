//! What storage and addresses cost in a month: block storage by the zone's own list of volume types,
//! flexible addresses by Scaleway's documentation. What local volumes cost nothing here tells.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_http::Lenient;
use reaper_model::price::HOURS_PER_MONTH;
use reaper_model::{Currency, Fact, Ignorance, Money, Source, Unknown};
use rust_decimal::Decimal;

use crate::client::Shelf;
use crate::price::CURRENCY;
use crate::things::{Listed, VolumeType};
use crate::wire::Value;

/// EUR per hour of an IPv4 address, attached or not: the rate of the example in Scaleway's
/// documentation on how addresses are billed.
const IPV4_HOURLY: Decimal = Decimal::from_parts(4, 0, 0, false, 3);
const IPV4_SOURCE: &str = "Scaleway's documentation on IP billing (example rate)";
/// When that page was last revised: on 26 June 2025.
const IPV4_DAY: DateTime<Utc> = DateTime::from_timestamp_nanos(1_750_896_000_000_000_000);
const BYTES_PER_GB: u64 = 1_000_000_000;
const BILLIONTHS: u32 = 9;

/// The prices of a zone, per GB and hour.
#[derive(Debug)]
pub(crate) struct Rates {
    kinds: BTreeMap<String, Kind>,
    /// Why the list is not there.
    gap: Option<Unknown>,
    now: DateTime<Utc>,
}

/// The prices of one kind of block volumes.
#[derive(Debug)]
struct Kind {
    volume: Option<Money>,
    snapshot: Option<Money>,
}

impl Rates {
    /// The prices of a list.
    pub(crate) fn new(kinds: &[VolumeType], gap: Option<Unknown>, now: DateTime<Utc>) -> Self {
        let kinds = kinds.iter().filter_map(|kind| {
            let prices =
                Kind { volume: hourly(&kind.pricing), snapshot: hourly(&kind.snapshot_pricing) };
            Some((kind.id()?.clone(), prices))
        });
        Self { kinds: kinds.collect(), gap, now }
    }

    /// A block volume.
    pub(crate) fn volume(&self, kind: Option<&str>, bytes: Option<u64>) -> Fact<Money> {
        let price = kind.and_then(|kind| self.kinds.get(kind)?.volume);
        self.month(price, bytes, || format!("volumes of type {}", kind.unwrap_or("unknown")))
    }

    /// A snapshot of a block volume. When the volume is gone, so is its kind; then the price is
    /// known only if that of all kinds is the same.
    pub(crate) fn snapshot(&self, kind: Option<&str>, bytes: Option<u64>) -> Fact<Money> {
        let price = match kind {
            Some(kind) => self.kinds.get(kind).and_then(|kind| kind.snapshot),
            None => self.same_for_all(),
        };
        self.month(price, bytes, || {
            kind.map_or_else(
                || "snapshots of a volume that is gone".to_owned(),
                |kind| format!("snapshots of volumes of type {kind}"),
            )
        })
    }

    fn same_for_all(&self) -> Option<Money> {
        let mut prices = self.kinds.values().map(|kind| kind.snapshot);
        let first = prices.next()??;
        prices.all(|price| price == Some(first)).then_some(first)
    }

    fn month(
        &self,
        price: Option<Money>,
        bytes: Option<u64>,
        what: impl Fn() -> String,
    ) -> Fact<Money> {
        let Some(bytes) = bytes.filter(|bytes| *bytes > 0) else {
            return Fact::unknown(Ignorance::Unusable, "Scaleway does not say how big it is");
        };
        match (price, &self.gap) {
            (Some(price), _) => {
                let gb = Decimal::from(bytes) / Decimal::from(BYTES_PER_GB);
                let month = price.times(gb * Decimal::from(HOURS_PER_MONTH));
                Fact::known(month, &Source::new(Shelf::VolumeTypes.name()), self.now)
            }
            (None, Some(gap)) => Fact::Unknown(gap.clone()),
            (None, None) => {
                let why = format!("Scaleway's list of volume types has no price of {}", what());
                Fact::unknown(Ignorance::NotOffered, why)
            }
        }
    }
}

/// A local volume or a snapshot of one.
pub(crate) fn local() -> Fact<Money> {
    let why = "Scaleway's API does not tell what local storage costs";
    Fact::unknown(Ignorance::NotOffered, why)
}

/// An IPv4 address.
pub(crate) fn address() -> Fact<Money> {
    let month = Money::new(IPV4_HOURLY, CURRENCY).times(Decimal::from(HOURS_PER_MONTH));
    Fact::known(month, &Source::new(IPV4_SOURCE), IPV4_DAY)
}

/// An amount in the currency that it names; nothing at all is no price.
fn hourly(value: &Lenient<Value>) -> Option<Money> {
    let value = value.good()?;
    let currency: Currency = value.currency_code.good()?.parse().ok()?;
    let units = Decimal::from(value.units.good().copied().unwrap_or_default());
    let nanos = Decimal::new(value.nanos.good().copied().unwrap_or_default(), BILLIONTHS);
    let amount = units + nanos;
    (amount > Decimal::ZERO).then(|| Money::new(amount, currency))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(kinds: &str) -> Rates {
        let kinds: Vec<VolumeType> = serde_json::from_str(kinds).expect("kinds");
        Rates::new(&kinds, None, DateTime::UNIX_EPOCH)
    }

    fn text(fact: &Fact<Money>) -> String {
        fact.value().map_or_else(|| fact.gap().expect("a gap").to_string(), ToString::to_string)
    }

    const ONE: &str = r#"{"type":"sbs_5k","pricing":{"currency_code":"EUR","units":0,"nanos":118000},
        "snapshot_pricing":{"currency_code":"EUR","units":0,"nanos":40000}}"#;

    #[test]
    fn a_month_is_730_hours_of_every_gigabyte() {
        let rates = rates(&format!("[{ONE}]"));
        let gb = 1_000_000_000;
        assert_eq!(text(&rates.volume(Some("sbs_5k"), Some(100 * gb))), "8.61 EUR");
        assert_eq!(text(&rates.snapshot(Some("sbs_5k"), Some(100 * gb))), "2.92 EUR");
        assert_eq!(text(&rates.snapshot(None, Some(100 * gb))), "2.92 EUR");
        assert_eq!(
            text(&rates.volume(Some("sbs_50k"), Some(gb))),
            "Scaleway's list of volume types has no price of volumes of type sbs_50k"
        );
        assert_eq!(
            text(&rates.volume(Some("sbs_5k"), None)),
            "Scaleway does not say how big it is"
        );
        assert_eq!(text(&address()), "2.92 EUR");
        assert!(local().gap().is_some());
    }

    #[test]
    fn prices_of_nothing_and_of_no_currency_are_unknown() {
        for odd in [
            r#"{"currency_code":"EUR","units":0,"nanos":0}"#,
            r#"{"currency_code":"","units":1,"nanos":0}"#,
            r#"{"units":1}"#,
            "null",
            "7",
        ] {
            let rates = rates(&format!(r#"[{{"type":"sbs_5k","pricing":{odd}}}]"#));
            assert!(rates.volume(Some("sbs_5k"), Some(1)).gap().is_some(), "{odd}");
        }
    }

    #[test]
    fn a_snapshot_of_a_volume_that_is_gone_has_a_price_only_if_all_agree() {
        let other = ONE.replace("sbs_5k", "sbs_15k");
        let agree = rates(&format!("[{ONE},{other}]"));
        assert!(agree.snapshot(None, Some(1)).value().is_some());
        let differ = rates(&format!("[{ONE},{}]", other.replace("40000", "50000")));
        assert!(differ.snapshot(None, Some(1)).gap().is_some());
        assert!(rates("[]").snapshot(None, Some(1)).gap().is_some());
    }
}
