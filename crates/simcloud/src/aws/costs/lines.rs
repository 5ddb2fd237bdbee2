//! The lines of the bill: one for each machine, day and account, and the charges of the world file.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::aws::instance::Instance;
use crate::aws::world::AwsWorld;
use crate::clock::Clock;

const COMPUTE: &str = "Amazon Elastic Compute Cloud - Compute";

/// Something that is charged besides the time of the world's machines (`[[aws.charge]]`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// The account that has used it.
    pub account: String,
    /// The day (UTC).
    pub day: NaiveDate,
    /// On how many days from there on.
    #[serde(default = "one")]
    pub days: u32,
    /// The service as the bill names it.
    #[serde(default = "compute")]
    pub service: String,
    /// The usage type, such as `EUW3-BoxUsage:g6.xlarge`.
    pub usage_type: String,
    /// The amount of each day; absent: null.
    pub amount: Option<Decimal>,
    /// The currency.
    #[serde(default = "usd")]
    pub currency: String,
    /// The quantity of each day.
    #[serde(default)]
    pub quantity: Decimal,
    /// What the quantity is counted in.
    #[serde(default = "hours")]
    pub unit: String,
    /// The kind of record: `Usage`, `Tax`, `Credit`, …
    #[serde(default = "usage")]
    pub record: String,
    /// The region.
    #[serde(default)]
    pub region: String,
}

const fn one() -> u32 {
    1
}

fn compute() -> String {
    COMPUTE.to_owned()
}

fn usd() -> String {
    "USD".to_owned()
}

fn hours() -> String {
    "Hrs".to_owned()
}

fn usage() -> String {
    "Usage".to_owned()
}

impl Charge {
    /// Use of the machine service on one day, in USD and hours.
    pub fn new(account: &str, day: NaiveDate, usage_type: &str, amount: Decimal) -> Self {
        Self {
            account: account.to_owned(),
            day,
            days: one(),
            service: compute(),
            usage_type: usage_type.to_owned(),
            amount: Some(amount),
            currency: usd(),
            quantity: Decimal::ZERO,
            unit: hours(),
            record: usage(),
            region: String::new(),
        }
    }
}

/// All lines of an account for days from `from` on and before `until`, as far as they are shown by
/// now. Machines whose price the world does not know, prepaid ones and those on hosts have none.
pub(super) fn lines(
    aws: &AwsWorld,
    clock: &Clock,
    account: &str,
    (from, until): (NaiveDate, NaiveDate),
) -> Vec<Charge> {
    let shown = clock.now() - aws.bill_age.delta();
    let mut lines = Vec::new();
    for machine in aws.instances().filter(|machine| machine.account == account) {
        let Some(usage) = usage_type(machine) else { continue };
        for (start, end) in machine.charged(clock) {
            let end = end.min(shown);
            let mut day = start.date_naive().max(from);
            while day < until && midnight(day) < end {
                let next = day.checked_add_days(Days::new(1)).unwrap_or(until);
                let (a, b) = (start.max(midnight(day)), end.min(midnight(next)));
                lines.extend(line(aws, clock, machine, &usage, day, (a, b)));
                day = next;
            }
        }
    }
    for charge in aws.charges().iter().filter(|charge| charge.account == account) {
        let days = charge.day.iter_days().take(charge.days as usize);
        let asked = days.filter(|day| *day >= from && *day < until && midnight(*day) <= shown);
        lines.extend(asked.map(|day| Charge { day, days: 1, ..charge.clone() }));
    }
    lines
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

fn usage_type(machine: &Instance) -> Option<String> {
    if machine.capacity_block.is_some() || machine.tenancy == "host" {
        return None;
    }
    let time = match (machine.lifecycle(), machine.tenancy.as_str()) {
        (Some("spot"), _) => "SpotUsage",
        (_, "dedicated") => "DedicatedUsage",
        _ => "BoxUsage",
    };
    let prefix = prefix(&machine.region);
    let dash = if prefix.is_empty() { "" } else { "-" };
    Some(format!("{prefix}{dash}{time}:{}", machine.instance_type))
}

fn line(
    aws: &AwsWorld,
    clock: &Clock,
    machine: &Instance,
    usage_type: &str,
    day: NaiveDate,
    (from, until): (DateTime<Utc>, DateTime<Utc>),
) -> Option<Charge> {
    let kind = machine.instance_type.as_str();
    let hourly = if machine.lifecycle() == Some("spot") {
        aws.prices.spot_at(kind, &machine.zone(), until, clock)?
    } else {
        aws.prices.on_demand(kind, &machine.region)?
    };
    let seconds = (until - from).num_seconds();
    let quantity = Decimal::from(seconds) / Decimal::from(3_600);
    let charge = Charge::new(&machine.account, day, usage_type, quantity * hourly);
    Some(Charge { quantity, region: machine.region.clone(), ..charge })
}

/// What usage types of a region begin with. Those of a region that is not here name it as it is.
pub(crate) fn prefix(region: &str) -> &str {
    match region {
        "us-east-1" => "",
        "us-east-2" => "USE2",
        "us-west-1" => "USW1",
        "us-west-2" => "USW2",
        "ca-central-1" => "CAN1",
        "sa-east-1" => "SAE1",
        "eu-west-1" => "EU",
        "eu-west-2" => "EUW2",
        "eu-west-3" => "EUW3",
        "eu-central-1" => "EUC1",
        "eu-north-1" => "EUN1",
        "ap-northeast-1" => "APN1",
        "ap-northeast-2" => "APN2",
        "ap-northeast-3" => "APN3",
        "ap-southeast-1" => "APS1",
        "ap-southeast-2" => "APS2",
        "ap-south-1" => "APS3",
        "me-south-1" => "MES1",
        other => other,
    }
}
