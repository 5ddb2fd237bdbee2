//! What spot capacity costs at present, by machine type and availability zone. What is not known
//! stays unknown: neither the price of another zone nor that on demand stands in for it.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{Instance as Raw, Placement, PlatformValues, SpotPrice};
use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, Money, Price, PriceSource, Purchase, Source, Unit};
use rust_decimal::Decimal;

use crate::classify;
use crate::convert;
use crate::partition;
use crate::wire::{SPOT_PRICES, Wire};

/// The operating system whose prices are asked for, as EC2 begins its name.
const LINUX: &str = "Linux";

/// A spot machine whose price is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpotMachine {
    id: String,
    kind: String,
    zone: Option<String>,
    /// The operating system, where EC2 names it and it is not Linux.
    other_system: Option<String>,
}

impl SpotMachine {
    /// The machine, if it runs on spot capacity and is not gone.
    pub(crate) fn of(raw: &Raw) -> Option<Self> {
        let is_spot = matches!(classify::purchase(raw), Purchase::Spot { .. });
        if !is_spot || convert::is_ghost(raw) {
            return None;
        }
        let zone = raw.placement().and_then(Placement::availability_zone);
        let system = raw
            .platform_details()
            .or_else(|| raw.platform().map(PlatformValues::as_str))
            .filter(|name| !name.is_empty());
        Some(Self {
            id: raw.instance_id()?.to_owned(),
            kind: raw.instance_type()?.as_str().to_owned(),
            zone: zone.filter(|zone| !zone.is_empty()).map(str::to_owned),
            other_system: system.filter(|name| !name.starts_with(LINUX)).map(str::to_owned),
        })
    }
}

/// The price of each machine by its id. What cannot be read is unknown, and why.
pub(crate) async fn prices(
    wire: &Wire<'_>,
    machines: &[SpotMachine],
) -> BTreeMap<String, Fact<Price>> {
    let kinds: BTreeSet<&String> = machines
        .iter()
        .filter(|machine| machine.zone.is_some() && machine.other_system.is_none())
        .map(|machine| &machine.kind)
        .collect();
    let kinds: Vec<String> = kinds.into_iter().cloned().collect();
    let answer = if kinds.is_empty() {
        Ok(BTreeMap::new())
    } else {
        wire.spot_prices(&kinds).await.map(|prices| newest(&prices, wire.cx.now))
    };
    machines
        .iter()
        .map(|machine| {
            let price = match &answer {
                Ok(prices) => of(machine, prices),
                Err(error) => Err((Ignorance::ReadFailed, error.to_string())),
            };
            let price = match price {
                Ok((price, as_of)) => Fact::known(price, &Source::new(SPOT_PRICES), as_of),
                Err((kind, why)) => {
                    let why = format!("the present price of its spot capacity: {why}");
                    Fact::unknown(kind, why)
                }
            };
            (machine.id.clone(), price)
        })
        .collect()
}

/// Type and zone.
type Offer = (String, String);
/// An amount per hour, and since when it holds.
type Dated = (Decimal, DateTime<Utc>);

fn of(
    machine: &SpotMachine,
    prices: &BTreeMap<Offer, Dated>,
) -> Result<(Price, DateTime<Utc>), (Ignorance, String)> {
    let not_offered = |why: String| (Ignorance::NotOffered, why);
    if let Some(system) = &machine.other_system {
        return Err(not_offered(format!("it runs {system}, and only prices of Linux are asked")));
    }
    let Some(zone) = &machine.zone else {
        return Err((Ignorance::Unusable, "EC2 names no availability zone".to_owned()));
    };
    match prices.get(&(machine.kind.clone(), zone.clone())) {
        None => Err(not_offered(format!("EC2 gives none for {} in {zone}", machine.kind))),
        Some((amount, _)) if *amount <= Decimal::ZERO => {
            let why = format!("EC2 gives {amount} for {} in {zone}", machine.kind);
            Err((Ignorance::Unusable, why))
        }
        Some((amount, since)) => {
            let price = Price {
                // The answer names no currency.
                money: Money::new(*amount, partition::currency(zone)),
                unit: Unit::Hour,
                source: PriceSource::ProviderApi,
                as_of: since.date_naive(),
            };
            Ok((price, *since))
        }
    }
}

/// Of each type and zone the newest price; of two of the same time the higher one.
fn newest(prices: &[SpotPrice], now: DateTime<Utc>) -> BTreeMap<Offer, Dated> {
    let mut found: BTreeMap<Offer, Dated> = BTreeMap::new();
    for price in prices {
        let Some((offer, dated)) = read(price, now) else { continue };
        let known = found.entry(offer).or_insert(dated);
        if (dated.1, dated.0) > (known.1, known.0) {
            *known = dated;
        }
    }
    found
}

/// `None` where a field is missing or makes no sense: then the answer holds no price of that offer.
fn read(price: &SpotPrice, now: DateTime<Utc>) -> Option<(Offer, Dated)> {
    let kind = price.instance_type()?.as_str().to_owned();
    let zone = price.availability_zone()?.to_owned();
    let amount: Decimal = price.spot_price()?.parse().ok()?;
    let since = price.timestamp()?.to_millis().ok().and_then(DateTime::from_timestamp_millis)?;
    convert::sensible(since, now).then_some(((kind, zone), (amount, since)))
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::primitives::DateTime as RawTime;
    use aws_sdk_ec2::types::{InstanceLifecycleType, InstanceType};

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-30T12:00:00Z".parse().expect("a time")
    }

    fn offer(zone: &str, amount: &str, hours_ago: i64) -> SpotPrice {
        SpotPrice::builder()
            .instance_type(InstanceType::from("g5.xlarge"))
            .availability_zone(zone)
            .spot_price(amount)
            .timestamp(RawTime::from_secs(now().timestamp() - hours_ago * 3600))
            .build()
    }

    fn machine(zone: &str, system: &str) -> SpotMachine {
        let raw = Raw::builder()
            .instance_id("i-1")
            .instance_type(InstanceType::from("g5.xlarge"))
            .instance_lifecycle(InstanceLifecycleType::Spot)
            .placement(Placement::builder().availability_zone(zone).build())
            .platform_details(system)
            .build();
        SpotMachine::of(&raw).expect("a spot machine")
    }

    fn price(machine: &SpotMachine, prices: &[SpotPrice]) -> Result<String, Ignorance> {
        let found = of(machine, &newest(prices, now()));
        found.map(|(price, _)| price.money.all_digits()).map_err(|(kind, _)| kind)
    }

    #[test]
    fn the_newest_price_of_the_zone_counts_in_any_order() {
        let mut prices = vec![
            offer("eu-west-1a", "0.45", 30),
            offer("eu-west-1a", "0.61", 2),
            offer("eu-west-1a", "0.60", 2),
            offer("eu-west-1b", "0.90", 1),
        ];
        let one = machine("eu-west-1a", "Linux/UNIX");
        assert_eq!(price(&one, &prices).as_deref(), Ok("0.61"));
        prices.reverse();
        assert_eq!(price(&one, &prices).as_deref(), Ok("0.61"));
        let found = of(&one, &newest(&prices, now())).expect("a price").0;
        assert_eq!(found.as_of.to_string(), "2026-11-30");
        assert_eq!(found.source, PriceSource::ProviderApi);
    }

    #[test]
    fn fl_103_what_the_answer_does_not_hold_is_unknown_and_never_zero() {
        let prices = [offer("eu-west-1a", "0.45", 30), offer("eu-west-1c", "0.0000", 1)];
        let at = |zone: &str| price(&machine(zone, "Linux/UNIX"), &prices);
        assert_eq!(at("eu-west-1b"), Err(Ignorance::NotOffered));
        assert_eq!(at("eu-west-1c"), Err(Ignorance::Unusable));
        assert_eq!(at(""), Err(Ignorance::Unusable));
        let windows = machine("eu-west-1a", "Windows");
        assert_eq!(price(&windows, &prices), Err(Ignorance::NotOffered));
        let future = [offer("eu-west-1a", "0.45", -24)];
        let one = machine("eu-west-1a", "Linux/UNIX");
        assert_eq!(price(&one, &future), Err(Ignorance::NotOffered));
        assert_eq!(price(&one, &[SpotPrice::builder().build()]), Err(Ignorance::NotOffered));
    }

    #[test]
    fn what_is_not_on_spot_capacity_is_not_asked_about() {
        let raw = Raw::builder().instance_id("i-1").instance_type(InstanceType::from("g5.xlarge"));
        assert_eq!(SpotMachine::of(&raw.build()), None);
    }
}
