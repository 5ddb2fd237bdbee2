//! The Billing API: what an organisation has consumed in a month, summed by product, zone and
//! project, without tax and before discounts. Of single servers it tells nothing.
//!
//! Units are as the real API writes them: `minute` for GPU types, whose minutes are counted, and
//! `minute` for all other types, too, whose begun hours are counted, each at a price in whole cents.

use std::collections::BTreeMap;

use chrono::{DateTime, Months, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, Utc};
use http::StatusCode;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::scaleway::problem::Problem;
use crate::scaleway::recording::page_of;
use crate::scaleway::route::query;
use crate::scaleway::server::Server;
use crate::scaleway::types::InstanceType;
use crate::scaleway::world::{Action, Organization, ScalewayWorld};
use crate::usage::{Run, month_of};
use crate::wire::{Reply, Request};

const DEFAULT_PAGE: usize = 20;
const LARGEST_PAGE: usize = 100;
const MINUTE: TimeDelta = TimeDelta::minutes(1);
const HOUR: TimeDelta = TimeDelta::hours(1);
/// The one type with GPUs that is billed by the hour.
const BY_THE_HOUR: &str = "RENDER-S";

/// Something that is consumed besides the servers of the world (`[[scaleway.consumption]]`), in
/// every month:
///
/// ```toml
/// [[scaleway.consumption]]
/// organization = "11111111-1111-4111-8111-000000000001"
/// product = "Block Storage Volume"
/// resource = "Block Storage Low Latency 5k IOPS - PAR2"
/// sku = "/storage/block/volume-low-latency-5k/fr-par-2"
/// category = "Storage"
/// unit = "gigabyte_hour"
/// quantity = "13280"
/// amount = "6.63"
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consumption {
    /// The organisation.
    pub organization: String,
    /// Its project; else the default one.
    pub project: Option<String>,
    /// The name of the product.
    pub product: String,
    /// The name of the resource, a product with its place.
    pub resource: String,
    /// The product's id.
    pub sku: String,
    /// Its category on the invoice.
    pub category: String,
    /// What the quantity is of.
    pub unit: String,
    /// The quantity, which the API writes as a text.
    pub quantity: String,
    /// The currency.
    pub currency: String,
    /// The amount, below zero for what is given back; absent: null.
    pub amount: Option<Decimal>,
}

impl Default for Consumption {
    fn default() -> Self {
        Self {
            organization: String::new(),
            project: None,
            product: String::new(),
            resource: String::new(),
            sku: String::new(),
            category: "Compute".to_owned(),
            unit: "minute".to_owned(),
            quantity: "0".to_owned(),
            currency: "EUR".to_owned(),
            amount: None,
        }
    }
}

/// When a server was billed before anybody looked, as the actions on record tell.
pub(crate) fn past(server: &Server, actions: &[Action], clock: &Clock) -> Vec<Run> {
    let mut done: Vec<(DateTime<Utc>, &str)> = actions
        .iter()
        .filter(|action| action.server == server.id && action.status < 400)
        .map(|action| (clock.resolve(action.at), action.action.as_str()))
        .collect();
    done.sort_unstable();
    let mut runs = vec![Run { from: clock.resolve(server.made()), until: None }];
    for (at, action) in done {
        let Some(run) = runs.last_mut() else { continue };
        match (action, run.until) {
            ("poweroff", None) => run.until = Some(at.max(run.from)),
            ("poweron", Some(_)) => runs.push(Run { from: at, until: None }),
            _ => {}
        }
    }
    runs
}

/// A page of what was consumed.
pub(crate) fn consumptions(
    world: &ScalewayWorld,
    clock: &Clock,
    organization: &Organization,
    request: &Request,
) -> Result<Reply, Problem> {
    let project = match (query(request, "organization_id"), query(request, "project_id")) {
        (Some(id), None) if id == organization.id => None,
        (None, Some(id)) if organization.owns(&id) => Some(id),
        (Some(_), None) | (None, Some(_)) => return Err(Problem::denied("read", "consumption")),
        _ => return Err(Problem::invalid("organization_id", "constraint", "one of the two")),
    };
    let size = match query(request, "page_size") {
        None => DEFAULT_PAGE,
        Some(text) => text
            .parse()
            .ok()
            .filter(|size| (1..=LARGEST_PAGE).contains(size))
            .ok_or_else(|| Problem::invalid("page_size", "constraint", "1 to 100"))?,
    };
    let from = match query(request, "billing_period") {
        None => month_of(clock.now()),
        Some(text) => NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d")
            .map(|day| day.and_time(NaiveTime::MIN).and_utc())
            .map_err(|_| Problem::invalid("billing_period", "format", "YYYY-MM"))?,
    };
    let updated_at = clock.now() - world.bill_age.delta();
    let until = updated_at.min(from + Months::new(1)).max(from);
    let mut all = of_servers(world, organization, from, until);
    all.extend(world.consumptions.iter().filter(|it| it.organization == organization.id).cloned());
    let category = query(request, "category_name");
    all.retain(|line| {
        project.as_deref().is_none_or(|wanted| line.project(organization) == wanted)
            && category.as_deref().is_none_or(|wanted| line.category == wanted)
    });
    let total = all.len();
    let skip = (page_of(request) as usize - 1).saturating_mul(size);
    let page: Vec<Value> =
        all.iter().skip(skip).take(size).map(|line| line.json(organization)).collect();
    Ok(Reply::json(
        StatusCode::OK,
        &json!({
            "consumptions": page,
            "total_count": total,
            "total_discount_untaxed_value": 0.0,
            "updated_at": updated_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        }),
    ))
}

/// What servers have consumed, by product and project.
fn of_servers(
    world: &ScalewayWorld,
    organization: &Organization,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Vec<Consumption> {
    let mut sums: BTreeMap<(String, String, String), i64> = BTreeMap::new();
    for (_, used) in world.usage.machines() {
        let Server { machine_type, zone, organization: owner, .. } = &used.machine;
        if *owner != organization.id {
            continue;
        }
        let gpu = world.types().get(machine_type).is_none_or(|kind| kind.gpu.is_some());
        let step = if gpu && machine_type != BY_THE_HOUR { MINUTE } else { HOUR };
        let steps = used.steps(from, until, step);
        if steps > 0 {
            let project = used.machine.project().to_owned();
            *sums.entry((machine_type.clone(), zone.clone(), project)).or_default() += steps;
        }
    }
    let line = |((kind, zone, project), steps): ((String, String, String), i64)| {
        let described = world.types().get(&kind);
        let by_the_hour = kind == BY_THE_HOUR;
        Consumption {
            organization: organization.id.clone(),
            project: Some(project),
            resource: format!("{kind} - {}", zone.to_uppercase()),
            sku: sku(&kind, &zone),
            unit: if by_the_hour { "hour" } else { "minute" }.to_owned(),
            quantity: steps.to_string(),
            amount: described.and_then(|described| cost(described, by_the_hour, steps)),
            product: kind,
            ..Consumption::default()
        }
    };
    sums.into_iter().map(line).collect()
}

/// The price of so many steps of a type, in whole cents.
fn cost(kind: &InstanceType, by_the_hour: bool, steps: i64) -> Option<Decimal> {
    let hourly: Decimal = kind.hourly.to_string().parse().ok()?;
    let steps = Decimal::from(steps);
    let cost = match &kind.gpu {
        Some(_) if by_the_hour => hourly * steps,
        Some(_) => hourly * steps / Decimal::from(60),
        None => cents(hourly).max(Decimal::new(1, 2)) * steps,
    };
    Some(cents(cost))
}

fn cents(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

/// The id of a type in a zone; the first zones of Paris and Amsterdam have their old names there.
fn sku(kind: &str, zone: &str) -> String {
    let place = match zone {
        "fr-par-1" => "par1",
        "nl-ams-1" => "ams1",
        other => other,
    };
    format!("/compute/{}/run_{place}", kind.to_lowercase().replace('-', "_"))
}

impl Consumption {
    fn project<'a>(&'a self, organization: &'a Organization) -> &'a str {
        self.project.as_deref().unwrap_or(&organization.id)
    }

    fn json(&self, organization: &Organization) -> Value {
        let value = self.amount.map(|amount| {
            let whole = amount.trunc();
            let nanos = (amount - whole) * Decimal::from(1_000_000_000);
            json!({
                "currency_code": self.currency,
                "units": i64::try_from(whole).unwrap_or_default(),
                "nanos": i64::try_from(nanos.trunc()).unwrap_or_default(),
            })
        });
        let project = self.project(organization);
        json!({
            "value": value,
            "product_name": self.product,
            "resource_name": self.resource,
            "sku": self.sku,
            "project_id": project,
            "project_name": if project == organization.id { "default" } else { project },
            "consumer_id": organization.id,
            "organization_name": "Example",
            "category_name": self.category,
            "unit": self.unit,
            "billed_quantity": self.quantity,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_zones_keep_their_old_names() {
        assert_eq!(sku("H100-SXM-8-80G", "fr-par-2"), "/compute/h100_sxm_8_80g/run_fr-par-2");
        assert_eq!(sku("L4-1-24G", "fr-par-1"), "/compute/l4_1_24g/run_par1");
    }

    #[test]
    fn the_past_of_a_server_is_what_was_done_to_it() {
        let clock = Clock::default();
        let at = |text: &str| clock.resolve(text.parse().expect("a time"));
        let action = |action: &str, when: &str| Action {
            server: "a".into(),
            action: action.into(),
            at: when.parse().expect("a time"),
            status: 202,
        };
        let server =
            Server::new("o", "fr-par-2", "a", "L4-1-24G").created("9h".parse().expect("a time"));
        let actions = [action("poweron", "2h"), action("poweroff", "5h"), action("reboot", "7h")];
        let expected =
            [Run { from: at("9h"), until: Some(at("5h")) }, Run { from: at("2h"), until: None }];
        assert_eq!(past(&server, &actions, &clock), expected);
        assert_eq!(past(&server, &[], &clock), [Run { from: at("9h"), until: None }]);
    }

    #[test]
    fn gpu_types_cost_by_the_minute_and_others_whole_cents_by_the_hour() {
        let types = InstanceType::built_in();
        let cost = |kind: &str, steps| {
            cost(&types[kind], kind == BY_THE_HOUR, steps).map(|amount| amount.to_string())
        };
        assert_eq!(cost("L4-1-24G", 1440).as_deref(), Some("18.90"));
        assert_eq!(cost("RENDER-S", 2).as_deref(), Some("2.44"));
        assert_eq!(cost("PRO2-XXS", 22).as_deref(), Some("1.32"));
    }
}
