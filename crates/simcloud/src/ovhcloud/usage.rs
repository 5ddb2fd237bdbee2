//! What a project has cost since the month began, in the shape of `usage/current`: machines by plan
//! and region with their details, gone ones included, and whatever else the world file bills.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::ovhcloud::instance::Instance;
use crate::ovhcloud::project::Project;
use crate::ovhcloud::world::OvhWorld;
use crate::usage::{Used, month_of};

/// Machines are billed in begun hours.
const STEP: TimeDelta = TimeDelta::hours(1);

/// Something that is billed besides the machines of the world (`[[ovhcloud.charge]]`), in every
/// month:
///
/// ```toml
/// [[ovhcloud.charge]]
/// project = "0123456789ab4cdef0123456789abcde"
/// part = "volume"                  # of `hourlyUsage`
/// region = "GRA11"
/// amount = "5.28"
///
/// [[ovhcloud.charge]]
/// project = "0123456789ab4cdef0123456789abcde"
/// part = "instance"                # a machine that is not in the world any more
/// region = "GRA11"
/// instance = "0a1b2c3d-0000-4000-8000-000000000099"
/// plan = "l4-90.consumption"
/// hours = "480"
/// amount = "360"
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Charge {
    /// The project.
    pub project: String,
    /// The list of `hourlyUsage` or `monthlyUsage` that it is in.
    pub part: String,
    /// Whether it is in `monthlyUsage`.
    pub monthly: bool,
    /// The region; absent: null.
    pub region: Option<String>,
    /// The machine that it is for; absent: the entry has no details.
    pub instance: Option<String>,
    /// Its plan.
    pub plan: Option<String>,
    /// Billed hours; absent: null.
    pub hours: Option<Decimal>,
    /// The amount without tax; absent: null.
    pub amount: Option<Decimal>,
}

/// One machine's part of the usage of its plan.
#[derive(Debug)]
struct Detail {
    id: String,
    /// `None` for a monthly plan.
    quantity: Option<Decimal>,
    /// Since when a monthly plan holds.
    activation: Option<DateTime<Utc>>,
    price: Option<Decimal>,
}

/// The entries of a list, by plan and region.
type Entries = BTreeMap<(String, Option<String>), Vec<Detail>>;

/// The usage of the current month.
pub(crate) fn current(ovh: &OvhWorld, project: &Project, clock: &Clock) -> Value {
    if let Some(recorded) = project.usage.as_deref().and_then(|it| serde_json::from_str(it).ok()) {
        return recorded;
    }
    let from = month_of(clock.now());
    let until = (clock.now() - ovh.bill_age.delta()).max(from);
    let (mut hourly, mut monthly) = (Entries::new(), Entries::new());
    for (id, used) in ovh.usage.machines() {
        if used.machine.project == project.id {
            add(ovh, clock, (id, used), (from, until), (&mut hourly, &mut monthly));
        }
    }
    let own = || ovh.charges.iter().filter(|charge| charge.project == project.id);
    for charge in own().filter(|charge| charge.part == "instance") {
        let Some(id) = charge.instance.clone() else { continue };
        let key = (charge.plan.clone().unwrap_or_default(), charge.region.clone());
        let detail = Detail {
            id,
            quantity: charge.hours,
            activation: charge.monthly.then_some(from),
            price: charge.amount,
        };
        let entries = if charge.monthly { &mut monthly } else { &mut hourly };
        entries.entry(key).or_default().push(detail);
    }
    let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Secs, true);
    let mut usage = json!({
        "hourlyUsage": part(hourly, &HOURLY, own().filter(|charge| !charge.monthly)),
        "monthlyUsage": part(monthly, &MONTHLY, own().filter(|charge| charge.monthly)),
        "resourcesUsage": [],
        "period": { "from": time(from), "to": time(until) },
        "lastUpdate": time(until),
    });
    for path in &project.usage_null {
        let found = path.split('.').try_fold(&mut usage, |within, name| within.get_mut(name));
        if let Some(found) = found {
            *found = Value::Null;
        }
    }
    usage
}

/// The lists that are always there, beside that of the machines.
const HOURLY: [&str; 5] = ["instanceBandwidth", "instanceOption", "snapshot", "storage", "volume"];
const MONTHLY: [&str; 1] = ["instanceOption"];

/// Adds what a machine has cost to the list of its plan: begun hours until it had a monthly plan,
/// and each month of such a plan that has begun in full.
fn add(
    ovh: &OvhWorld,
    clock: &Clock,
    (id, used): (&str, &Used<Instance>),
    (from, until): (DateTime<Utc>, DateTime<Utc>),
    (hourly, monthly): (&mut Entries, &mut Entries),
) {
    let machine = &used.machine;
    let flavor = ovh.flavors().get(&machine.flavor);
    let since = machine.monthly_since.map(|since| clock.resolve(since)).filter(|it| *it < until);
    let key = |plan: String| (plan, Some(machine.region.clone()));
    if let Some(since) = since.filter(|_| used.steps(from, until, STEP) > 0) {
        let detail = Detail {
            id: id.to_owned(),
            quantity: None,
            activation: Some(since.max(from)),
            price: flavor.and_then(|flavor| flavor.monthly).map(cents),
        };
        monthly.entry(key(machine.plan(ovh.flavors()))).or_default().push(detail);
    }
    let hours = Decimal::from(used.steps(from, since.unwrap_or(until), STEP));
    if hours.is_zero() {
        return;
    }
    let plan = match machine.monthly_since {
        Some(_) => format!("{}.consumption", machine.flavor),
        None => machine.plan(ovh.flavors()),
    };
    let of_zone = plan.contains(".LZ");
    let price = flavor.and_then(|it| if of_zone { it.local_zone_hourly } else { it.hourly });
    let detail = Detail {
        id: id.to_owned(),
        quantity: Some(hours),
        activation: None,
        price: price.map(|price| cents(price * hours)),
    };
    hourly.entry(key(plan)).or_default().push(detail);
}

/// One half of the usage: its machines, and the other lists.
fn part<'a>(machines: Entries, lists: &[&str], charges: impl Iterator<Item = &'a Charge>) -> Value {
    let mut part: Map<String, Value> =
        lists.iter().map(|list| ((*list).to_owned(), json!([]))).collect();
    let entries = machines.into_iter().map(|((plan, region), details)| {
        let total: Option<Decimal> = details.iter().map(|detail| detail.price).sum();
        let monthly = details.iter().any(|detail| detail.activation.is_some());
        let quantity: Option<Decimal> = details.iter().map(|detail| detail.quantity).sum();
        let mut entry = json!({
            "reference": plan,
            "region": region,
            "totalPrice": total.map(number),
            "details": details.iter().map(Detail::json).collect::<Vec<_>>(),
        });
        if !monthly {
            entry["quantity"] = hours(quantity);
        }
        entry
    });
    part.insert("instance".to_owned(), entries.collect());
    for charge in charges.filter(|charge| charge.part != "instance" || charge.instance.is_none()) {
        let mut entry = json!({ "region": charge.region, "totalPrice": charge.amount.map(number) });
        if let Some(plan) = &charge.plan {
            entry["reference"] = json!(plan);
        }
        if charge.hours.is_some() {
            entry["quantity"] = hours(charge.hours);
        }
        let list = part.entry(charge.part.clone()).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(entry);
        }
    }
    Value::Object(part)
}

impl Detail {
    fn json(&self) -> Value {
        let mut detail = json!({ "instanceId": self.id, "totalPrice": self.price.map(number) });
        match self.activation {
            Some(since) => {
                detail["activation"] = json!(since.to_rfc3339_opts(SecondsFormat::Secs, true));
            }
            None => detail["quantity"] = hours(self.quantity),
        }
        detail
    }
}

fn hours(quantity: Option<Decimal>) -> Value {
    json!({ "unit": "Hour", "value": quantity.map(number) })
}

fn cents(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

/// As a JSON number, which is a float.
fn number(amount: Decimal) -> Value {
    json!(amount.to_string().parse::<f64>().ok())
}
