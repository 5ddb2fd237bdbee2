//! What disks, snapshots and addresses cost in a month: AWS's own price list, where it was asked; else
//! the dated list that ships with the program. What neither knows has no price.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use aws_sdk_ec2::types::{Address, Volume};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use reaper_model::price::HOURS_PER_MONTH;
use reaper_model::{Currency, Fact, Ignorance, Location, Money, Source, Unknown};
use reaper_provider::{CallContext, ProviderError};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::client::MoneyClient;
use crate::live::{self, PRODUCTS};
use crate::partition;

/// Prices by usage and region, each with its date and source.
const LIST: &str = include_str!("../../../config/prices/aws-storage.csv");
const LIST_NAME: &str = "config/prices/aws-storage.csv";
/// AWS's own addresses, as against those of other pools.
const AMAZON: &str = "amazon";
/// What the list calls them; each hour of one is charged, whoever uses it.
const ADDRESS: &str = "PublicIPv4:Address";
const SNAPSHOT: &str = "EBS:SnapshotUsage";
const ARCHIVE: &str = "EBS:SnapshotArchiveStorage";
/// Operations and MiB per second that a gp3 disk has without further charge.
const FREE_IOPS: i32 = 3_000;
const FREE_THROUGHPUT: i32 = 125;
/// MiB per second of a GiB per second, by which throughput is charged.
const MIB: i32 = 1_024;
/// Operations of an io2 disk up to which they have one price.
const FIRST_TIER: i32 = 32_000;

/// What one unit of something costs in a month (of an address: in an hour).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rate {
    money: Money,
    source: Source,
    as_of: DateTime<Utc>,
}

/// By the usage type, without the region that AWS writes before it.
type Rates = BTreeMap<String, Rate>;

/// What AWS answered, and when.
type Told = (DateTime<Utc>, Rates);

/// A part of AWS's price list, which is asked for as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    /// GiB of disks.
    Disks,
    /// Operations per second that were ordered.
    Operations,
    /// Throughput that was ordered.
    Throughput,
    /// Snapshots.
    Snapshots,
}

impl Family {
    /// What the price list calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::Disks => "Storage",
            Self::Operations => "System Operation",
            Self::Throughput => "Provisioned Throughput",
            Self::Snapshots => "Storage Snapshot",
        }
    }
}

/// All that is known of prices, over all regions.
#[derive(Debug)]
pub(crate) struct Storage {
    /// By region; the empty one holds everywhere.
    dated: BTreeMap<String, Rates>,
    /// By region and part.
    told: Mutex<BTreeMap<(Location, Family), Told>>,
}

/// The prices of one region.
#[derive(Debug)]
pub(crate) struct Sheet {
    region: Location,
    rates: Rates,
    /// Why a price that is missing is not known.
    gap: Unknown,
}

impl Storage {
    /// The dated list alone.
    pub(crate) fn new() -> Self {
        let mut dated: BTreeMap<String, Rates> = BTreeMap::new();
        for (region, usage, rate) in LIST.lines().filter_map(row) {
            dated.entry(region).or_default().insert(usage, rate);
        }
        Self { dated, told: Mutex::default() }
    }

    /// The prices of a region. With `money`, AWS is asked for those of the given families, each once
    /// a day; what it does not answer is taken from the dated list.
    pub(crate) async fn sheet(
        &self,
        money: Option<&MoneyClient>,
        cx: &CallContext,
        region: &Location,
        families: &BTreeSet<Family>,
    ) -> Sheet {
        let mut rates: Rates = BTreeMap::new();
        for place in ["", region.as_str()] {
            rates.extend(self.dated.get(place).into_iter().flatten().map(pair));
        }
        if partition::is_china(region.as_str()) {
            // What holds everywhere holds in dollars.
            rates.clear();
        }
        let why = match money {
            None => "live_prices = \"true\" asks AWS for it",
            Some(_) => "AWS's price list has none",
        };
        let mut gap = Unknown::new(Ignorance::NotOffered, why);
        if let Some(money) = money {
            for family in families {
                match self.told(money, cx, region, *family).await {
                    Ok(told) => rates.extend(told),
                    Err(error) => {
                        tracing::debug!(%region, %error, "prices of disks not read");
                        gap = Unknown::new(Ignorance::ReadFailed, error.to_string());
                        // It would be the same for the others.
                        break;
                    }
                }
            }
        }
        Sheet { region: region.clone(), rates, gap }
    }

    async fn told(
        &self,
        money: &MoneyClient,
        cx: &CallContext,
        region: &Location,
        family: Family,
    ) -> Result<Rates, ProviderError> {
        let key = (region.clone(), family);
        let known = self.told.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some((as_of, rates)) = known
            && as_of.date_naive() == cx.now.date_naive()
        {
            return Ok(rates);
        }
        let wanted = [("regionCode", region.as_str()), ("productFamily", family.name())];
        let mut rates = BTreeMap::new();
        for product in live::products(money, cx, &wanted).await? {
            for (usage, money) in priced(&product) {
                let rate = Rate { money, source: Source::new(PRODUCTS), as_of: cx.now };
                let known = rates.entry(usage).or_insert_with(|| rate.clone());
                // Of several, the highest counts, as with machines.
                if rate.money.amount > known.money.amount {
                    *known = rate;
                }
            }
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(key, (cx.now, rates.clone()));
        Ok(rates)
    }
}

impl Sheet {
    /// The families that the price of these things needs.
    pub(crate) fn needed(volumes: &[Volume], snapshots: bool) -> BTreeSet<Family> {
        let mut families = BTreeSet::new();
        let parts = volumes.iter().filter_map(|volume| parts(volume).ok());
        for (usage, _) in parts.flatten() {
            families.insert(match usage.as_str() {
                usage if usage.starts_with("EBS:VolumeP-IOPS") => Family::Operations,
                usage if usage.starts_with("EBS:VolumeP-Throughput") => Family::Throughput,
                _ => Family::Disks,
            });
        }
        if snapshots {
            families.insert(Family::Snapshots);
        }
        families
    }

    /// What a month of a disk costs: its size, and what was ordered of operations and throughput
    /// beyond that which comes with it. Requests to a magnetic disk come on top.
    pub(crate) fn volume(&self, volume: &Volume) -> Fact<Money> {
        let zone = volume.availability_zone().unwrap_or_default();
        let here = zone.strip_prefix(self.region.as_str()).is_some_and(|letter| letter.len() <= 1);
        if volume.outpost_arn().is_some() {
            return none("it lies on an Outpost, whose disks are paid for as a whole");
        }
        if !zone.is_empty() && !here {
            return none(&format!("no price of disks in {zone} is known"));
        }
        match parts(volume) {
            Ok(parts) => self.sum(&parts),
            Err(unknown) => Fact::Unknown(unknown),
        }
    }

    /// What a month of so many GiB of snapshot costs.
    pub(crate) fn snapshot(&self, gib: Decimal, archived: bool) -> Fact<Money> {
        self.sum(&[((if archived { ARCHIVE } else { SNAPSHOT }).to_owned(), gib)])
    }

    /// What a month of an address costs, whoever uses it.
    pub(crate) fn address(&self, address: &Address) -> Fact<Money> {
        match address.public_ipv4_pool().filter(|pool| !pool.is_empty()) {
            Some(pool) if pool != AMAZON => none(&format!(
                "it is of the pool {pool}: one's own addresses are free and leased ones are not, \
                 and EC2 does not tell which they are"
            )),
            _ if address.public_ip().is_none() => none("it is no public address of AWS"),
            _ => self.sum(&[(ADDRESS.to_owned(), Decimal::from(HOURS_PER_MONTH))]),
        }
    }

    fn sum(&self, parts: &[(String, Decimal)]) -> Fact<Money> {
        let mut sum: Option<Rate> = None;
        for (usage, count) in parts {
            let Some(rate) = self.rates.get(usage) else {
                let Self { region, gap, .. } = self;
                let why = format!("no price of {usage} in {region} is known: {}", gap.why);
                return Fact::unknown(gap.kind, why);
            };
            let cost = rate.money.times(*count);
            sum = Some(match sum {
                None => Rate { money: cost, ..rate.clone() },
                Some(before) if before.money.currency == cost.currency => Rate {
                    money: Money { amount: before.money.amount + cost.amount, ..cost },
                    as_of: before.as_of.min(rate.as_of),
                    ..before
                },
                Some(_) => return none("its parts have prices in several currencies"),
            });
        }
        match sum {
            Some(Rate { money, source, as_of }) => Fact::known(money, &source, as_of),
            None => none("nothing of it is charged by size"),
        }
    }
}

/// What a disk is charged for: usage types, and how much of each.
fn parts(volume: &Volume) -> Result<Vec<(String, Decimal)>, Unknown> {
    let unusable = |why: &str| Unknown::new(Ignorance::Unusable, why);
    let kind = volume.volume_type().map_or("", |kind| kind.as_str());
    let size = volume.size().ok_or_else(|| unusable("EC2 gives no size of it"))?;
    // The price list keeps the names of old.
    let (storage, operations) = match kind {
        "" => return Err(unusable("EC2 gives no kind of disk")),
        "standard" => ("EBS:VolumeUsage".to_owned(), String::new()),
        "io1" => ("EBS:VolumeUsage.piops".to_owned(), "EBS:VolumeP-IOPS.piops".to_owned()),
        kind => (format!("EBS:VolumeUsage.{kind}"), format!("EBS:VolumeP-IOPS.{kind}")),
    };
    let mut parts = vec![(storage, Decimal::from(size))];
    match kind {
        "io1" | "io2" => {
            let iops = volume.iops().ok_or_else(|| unusable("EC2 gives no count of operations"))?;
            if kind == "io2" && iops > FIRST_TIER {
                let why = format!("its {iops} operations a second are charged in steps");
                return Err(Unknown::new(Ignorance::NotOffered, why));
            }
            parts.push((operations, Decimal::from(iops)));
        }
        "gp3" => {
            let beyond = |ordered: Option<i32>, free: i32| ordered.map_or(0, |it| it - free).max(0);
            let iops = beyond(volume.iops(), FREE_IOPS);
            let throughput = beyond(volume.throughput(), FREE_THROUGHPUT);
            if iops > 0 {
                parts.push((operations, Decimal::from(iops)));
            }
            if throughput > 0 {
                let gib = Decimal::from(throughput) / Decimal::from(MIB);
                parts.push(("EBS:VolumeP-Throughput.gp3".to_owned(), gib));
            }
        }
        _ => {}
    }
    Ok(parts)
}

fn none(why: &str) -> Fact<Money> {
    Fact::unknown(Ignorance::NotOffered, why)
}

fn pair((usage, rate): (&String, &Rate)) -> (String, Rate) {
    (usage.clone(), rate.clone())
}

/// Region, usage and rate of a line of the list.
fn row(line: &str) -> Option<(String, String, Rate)> {
    let mut fields = line.split(',');
    let (usage, region) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let amount: Decimal = fields.next()?.parse().ok()?;
    let currency: Currency = fields.nth(1)?.parse().ok()?;
    let day: NaiveDate = fields.next()?.parse().ok()?;
    let as_of = day.and_time(NaiveTime::MIN).and_utc();
    let rate = Rate { money: Money::new(amount, currency), source: Source::new(LIST_NAME), as_of };
    Some((region, usage, rate))
}

/// Usage type and price of a product, where the price is per what such things are counted in.
fn priced(product: &Value) -> Vec<(String, Money)> {
    let usage = product["product"]["attributes"]["usagetype"].as_str().unwrap_or_default();
    // What stands before names the region: `EUW3-EBS:VolumeUsage.gp3`.
    let Some(at) = usage.find("EBS:") else { return Vec::new() };
    let (before, usage) = usage.split_at(at);
    if !before.is_empty() && !before.ends_with('-') {
        return Vec::new();
    }
    let unit = match usage {
        usage if usage.starts_with("EBS:VolumeP-IOPS") => "IOPS-Mo",
        usage if usage.starts_with("EBS:VolumeP-Throughput") => "GiBps-mo",
        _ => "GB-Mo",
    };
    let is_unit = |said: &str| {
        said.eq_ignore_ascii_case(unit)
            || (unit == "GB-Mo" && said.eq_ignore_ascii_case("GB-month"))
    };
    let prices = live::dimensions(product, is_unit).into_iter();
    prices.map(|money| (usage.to_owned(), money)).collect()
}

#[cfg(test)]
mod tests;
