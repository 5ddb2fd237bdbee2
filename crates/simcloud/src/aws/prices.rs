//! What machines and disks cost: built-in lists of prices on demand, to which worlds add theirs, and
//! the prices of spot capacity, which are in the world alone.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::clock::{Clock, When};

/// The dated list of prices that is in the repository: type, region, price.
const BUILT_IN: &str = include_str!("../../../../config/prices/aws.csv");

/// The same for disks: usage, region, price, unit.
const STORAGE: &str = include_str!("../../../../config/prices/aws-storage.csv");

/// A price on demand (`[[aws.price]]`): Linux, shared tenancy, USD per hour.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The machine type.
    #[serde(rename = "type")]
    pub instance_type: String,
    /// The region.
    pub region: String,
    /// USD per hour.
    pub hourly: Decimal,
}

/// A price of spot capacity (`[[aws.spot_price]]`) from some time on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpotPrice {
    /// The machine type.
    #[serde(rename = "type")]
    pub instance_type: String,
    /// The availability zone, such as `eu-west-1a`.
    pub zone: String,
    /// USD per hour.
    pub hourly: Decimal,
    /// From when on.
    pub since: When,
    /// The operating system as EC2 names it.
    #[serde(default = "linux")]
    pub product: String,
}

/// A price of disks or snapshots (`[[aws.storage_price]]`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoragePrice {
    /// The usage type without the region before it, such as `EBS:VolumeUsage.gp3`.
    pub usage: String,
    /// The region.
    pub region: String,
    /// USD per unit.
    pub price: Decimal,
    /// What it is counted in.
    #[serde(default = "gib_months")]
    pub unit: String,
}

fn gib_months() -> String {
    "GB-Mo".to_owned()
}

fn linux() -> String {
    "Linux/UNIX".to_owned()
}

impl SpotPrice {
    /// A price of Linux capacity.
    pub fn new(instance_type: &str, zone: &str, hourly: Decimal, since: When) -> Self {
        let (instance_type, zone) = (instance_type.to_owned(), zone.to_owned());
        Self { instance_type, zone, hourly, since, product: linux() }
    }
}

/// All prices.
#[derive(Debug)]
pub(crate) struct PriceList {
    /// By type and region.
    on_demand: BTreeMap<(String, String), Decimal>,
    spot: Vec<SpotPrice>,
    /// By usage and region.
    storage: BTreeMap<(String, String), StoragePrice>,
}

impl PriceList {
    pub(crate) fn built_in() -> Self {
        let row = |line: &str| {
            let mut fields = line.split(',');
            let (kind, region) = (fields.next()?.to_owned(), fields.next()?.to_owned());
            Some(((kind, region), fields.next()?.parse().ok()?))
        };
        let disk = |line: &str| {
            let mut fields = line.split(',').map(str::to_owned);
            let (usage, region) = (fields.next()?, fields.next()?);
            let price = fields.next()?.parse().ok()?;
            let unit = fields.next()?;
            // What holds everywhere is no product of this service.
            (!region.is_empty()).then_some(StoragePrice { usage, region, price, unit })
        };
        let mut list = Self {
            on_demand: BUILT_IN.lines().filter_map(row).collect(),
            spot: Vec::new(),
            storage: BTreeMap::new(),
        };
        STORAGE.lines().filter_map(disk).for_each(|price| list.add_storage(price));
        list
    }

    pub(crate) fn add_storage(&mut self, price: StoragePrice) {
        self.storage.insert((price.usage.clone(), price.region.clone()), price);
    }

    /// Every price of disks and snapshots.
    pub(crate) fn storage(&self) -> impl Iterator<Item = &StoragePrice> {
        self.storage.values()
    }

    pub(crate) fn add(&mut self, price: Price) {
        self.on_demand.insert((price.instance_type, price.region), price.hourly);
    }

    pub(crate) fn add_spot(&mut self, price: SpotPrice) {
        self.spot.push(price);
    }

    pub(crate) fn on_demand(&self, kind: &str, region: &str) -> Option<Decimal> {
        self.on_demand.get(&(kind.to_owned(), region.to_owned())).copied()
    }

    /// Every price on demand: type, region, USD per hour.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str, Decimal)> {
        let all = self.on_demand.iter();
        all.map(|((kind, region), hourly)| (kind.as_str(), region.as_str(), *hourly))
    }

    /// Every price of spot capacity.
    pub(crate) fn spot(&self) -> &[SpotPrice] {
        &self.spot
    }

    /// What Linux spot capacity cost in a zone at a time.
    pub(crate) fn spot_at(
        &self,
        kind: &str,
        zone: &str,
        at: DateTime<Utc>,
        clock: &Clock,
    ) -> Option<Decimal> {
        let here = |price: &&SpotPrice| {
            price.instance_type == kind && price.zone == zone && price.product == linux()
        };
        let since = |price: &SpotPrice| clock.resolve(price.since);
        let known = self.spot.iter().filter(here).filter(|price| since(price) <= at);
        known.max_by_key(|price| since(price)).map(|price| price.hourly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_has_prices_by_region_and_no_line_is_misread() {
        let list = PriceList::built_in();
        let price = |kind, region| list.on_demand(kind, region).map(|price| price.to_string());
        assert_eq!(price("p4d.24xlarge", "us-east-1").as_deref(), Some("21.957642"));
        assert_eq!(price("p4d.24xlarge", "eu-west-1").as_deref(), Some("23.71569"));
        assert_eq!(price("dl2q.24xlarge", ""), None);
        assert!(![BUILT_IN, STORAGE].concat().contains('"'), "a quoted field is to be read as one");
        assert_eq!(list.storage().count(), STORAGE.lines().count() - 2, "head, and one everywhere");
        assert!(list.all().all(|(_, region, hourly)| !region.is_empty() && hourly > Decimal::ZERO));
    }
}
