//! `GetCostAndUsage`: lines filtered, grouped by up to two dimensions, and added up by day or month.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, Days, Months, NaiveDate};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::aws::account::Account;
use crate::aws::costs::lines::{Charge, lines};
use crate::aws::error::AwsError;
use crate::aws::json;
use crate::aws::paging::{Paging, Quirk};
use crate::aws::world::AwsWorld;
use crate::clock::Clock;

/// Groups on a page, unless a quirk makes it smaller.
const MOST_ON_A_PAGE: usize = 2_000;
/// Between the keys of a group where they stand for its place.
const JOINT: &str = "\u{1f}";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Query {
    time_period: Interval,
    granularity: String,
    metrics: Vec<String>,
    filter: Option<Expression>,
    #[serde(default)]
    group_by: Vec<GroupBy>,
    next_page_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Interval {
    start: NaiveDate,
    end: NaiveDate,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GroupBy {
    r#type: String,
    key: String,
}

/// Exactly one of them.
#[derive(Debug, Deserialize)]
enum Expression {
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
    Dimensions(Dimensions),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Dimensions {
    key: String,
    values: Vec<String>,
}

/// What a group comes to.
#[derive(Debug, Default)]
struct Sums {
    /// `None` as soon as one line has no amount.
    amount: Option<Decimal>,
    quantity: Decimal,
    currencies: BTreeSet<String>,
    units: BTreeSet<String>,
}

pub(crate) fn cost_and_usage(
    aws: &AwsWorld,
    clock: &Clock,
    account: &Account,
    body: &[u8],
    quirk: Quirk,
) -> Result<Value, AwsError> {
    let query: Query = json::read(body)?;
    query.check(clock)?;
    let paging = Paging::of(Some(MOST_ON_A_PAGE), query.next_page_token.as_deref(), quirk)
        .ok_or_else(|| AwsError::bad("InvalidNextTokenException", "Invalid token"))?;
    let Interval { start, end } = query.time_period;
    let accounts = [&account.id].into_iter().chain(&account.pays_for);
    let mut periods = query.periods();
    for line in accounts.flat_map(|account| lines(aws, clock, account, (start, end))) {
        if query.filter.as_ref().is_none_or(|filter| filter.passes(&line)) {
            let begin = query.begin(line.day).to_string();
            let groups = periods.entry(begin).or_default();
            let keys: Vec<&str> = query.group_by.iter().map(|by| said(&line, &by.key)).collect();
            groups.entry(keys.join(JOINT)).or_default().add(&line);
        }
    }
    if query.group_by.is_empty() {
        for groups in periods.values_mut() {
            groups.entry(String::new()).or_default();
        }
    }
    // A period without groups stands on its page too.
    let places = periods.iter().flat_map(|(begin, groups)| {
        let empty = groups.is_empty().then_some((begin.as_str(), "", None));
        let groups = groups.iter().map(|(keys, sums)| (begin.as_str(), keys.as_str(), Some(sums)));
        empty.into_iter().chain(groups)
    });
    let rest = places
        .filter(|(begin, keys, _)| paging.after().is_none_or(|after| (*begin, *keys) > after))
        .map(|place| ((place.0, place.1), place));
    let page = paging.take(rest);
    let results: Vec<Value> = page
        .items
        .chunk_by(|one, other| one.0 == other.0)
        .map(|groups| query.result(clock, groups))
        .collect();
    let mut answer = json!({"ResultsByTime": results, "DimensionValueAttributes": []});
    if !query.group_by.is_empty() {
        let by = query.group_by.iter();
        answer["GroupDefinitions"] =
            by.map(|by| json!({"Type": by.r#type, "Key": by.key})).collect();
    }
    if let Some(next) = page.next {
        answer["NextPageToken"] = next.into();
    }
    Ok(answer)
}

type Periods = BTreeMap<String, BTreeMap<String, Sums>>;
type Group<'a> = (&'a str, &'a str, Option<&'a Sums>);

impl Query {
    fn check(&self, clock: &Clock) -> Result<(), AwsError> {
        let Interval { start, end } = self.time_period;
        if start >= end {
            return Err(AwsError::invalid(
                "Start date (and hour) should be before end date (and hour)",
            ));
        }
        if start > clock.now().date_naive() {
            return Err(AwsError::invalid("Start date is in the future"));
        }
        if !matches!(self.granularity.as_str(), "DAILY" | "MONTHLY") {
            let message = format!("Granularity {} is not simulated", self.granularity);
            return Err(AwsError::invalid(message));
        }
        let known = |metric: &String| {
            matches!(
                metric.as_str(),
                "UnblendedCost"
                    | "BlendedCost"
                    | "AmortizedCost"
                    | "NetUnblendedCost"
                    | "NetAmortizedCost"
                    | "UsageQuantity"
            )
        };
        if self.metrics.is_empty() || !self.metrics.iter().all(known) {
            return Err(AwsError::invalid("Invalid metrics"));
        }
        if self.group_by.len() > 2 {
            return Err(AwsError::invalid("No more than 2 groups"));
        }
        if let Some(by) = self.group_by.iter().find(|by| by.r#type != "DIMENSION") {
            return Err(AwsError::invalid(format!("Groups by {} are not simulated", by.r#type)));
        }
        let mut keys: Vec<&str> = self.group_by.iter().map(|by| by.key.as_str()).collect();
        self.filter.iter().for_each(|filter| filter.keys(&mut keys));
        match keys.into_iter().find(|key| !is_known(key)) {
            Some(key) => Err(AwsError::invalid(format!("Dimension {key} is not simulated"))),
            None => Ok(()),
        }
    }

    /// The first day of the period that holds the day.
    fn begin(&self, day: NaiveDate) -> NaiveDate {
        let month = if self.granularity == "MONTHLY" { day.with_day(1) } else { None };
        month.unwrap_or(day).max(self.time_period.start)
    }

    /// The first day after the period that begins on the day.
    fn end(&self, begin: NaiveDate) -> NaiveDate {
        let next = if self.granularity == "MONTHLY" {
            begin.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)))
        } else {
            begin.checked_add_days(Days::new(1))
        };
        next.unwrap_or(NaiveDate::MAX).min(self.time_period.end)
    }

    fn periods(&self) -> Periods {
        let mut periods = Periods::new();
        let mut begin = self.time_period.start;
        while begin < self.time_period.end {
            periods.insert(begin.to_string(), BTreeMap::new());
            begin = self.end(begin);
        }
        periods
    }

    fn result(&self, clock: &Clock, groups: &[Group<'_>]) -> Value {
        let begin = groups.first().map_or("", |(begin, ..)| begin);
        let day: NaiveDate = begin.parse().unwrap_or_default();
        let today = clock.now().date_naive();
        let grouped = !self.group_by.is_empty();
        let metrics = |sums: &Sums| -> Map<String, Value> {
            self.metrics.iter().map(|metric| (metric.clone(), sums.metric(metric))).collect()
        };
        let found = groups.iter().filter_map(|(_, keys, sums)| Some((keys, (*sums)?)));
        let listed: Vec<Value> = found
            .clone()
            .filter(|_| grouped)
            .map(|(keys, sums)| {
                let keys: Vec<&str> = keys.split(JOINT).collect();
                json!({"Keys": keys, "Metrics": metrics(sums)})
            })
            .collect();
        let total = found.filter(|_| !grouped).map(|(_, sums)| metrics(sums)).next();
        json!({
            "TimePeriod": {"Start": begin, "End": self.end(day).to_string()},
            "Total": total.unwrap_or_default(),
            "Groups": listed,
            "Estimated": (day.year(), day.month()) == (today.year(), today.month()),
        })
    }
}

impl Sums {
    fn add(&mut self, line: &Charge) {
        let before = if self.units.is_empty() { Some(Decimal::ZERO) } else { self.amount };
        self.amount = before.zip(line.amount).map(|(sum, amount)| sum + amount);
        self.quantity += line.quantity;
        self.currencies.insert(line.currency.clone());
        self.units.insert(line.unit.clone());
    }

    fn metric(&self, metric: &str) -> Value {
        let (amount, units, none) = match metric {
            "UsageQuantity" => (Some(self.quantity), &self.units, "N/A"),
            _ if self.units.is_empty() => (Some(Decimal::ZERO), &self.currencies, "USD"),
            _ => (self.amount, &self.currencies, "USD"),
        };
        let mut units = units.iter();
        let unit = match (units.next(), units.next()) {
            (Some(only), None) => only.as_str(),
            _ => none,
        };
        let amount = amount.map(|amount| amount.round_dp(10).normalize().to_string());
        json!({"Amount": amount, "Unit": unit})
    }
}

impl Expression {
    fn passes(&self, line: &Charge) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.passes(line)),
            Self::Or(any) => any.iter().any(|one| one.passes(line)),
            Self::Not(one) => !one.passes(line),
            Self::Dimensions(Dimensions { key, values }) => {
                values.iter().any(|value| value == said(line, key))
            }
        }
    }

    fn keys<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::And(several) | Self::Or(several) => {
                for one in several {
                    one.keys(found);
                }
            }
            Self::Not(one) => one.keys(found),
            Self::Dimensions(Dimensions { key, .. }) => found.push(key),
        }
    }
}

fn is_known(dimension: &str) -> bool {
    matches!(
        dimension,
        "SERVICE" | "USAGE_TYPE" | "LINKED_ACCOUNT" | "RECORD_TYPE" | "REGION" | "INSTANCE_TYPE"
    )
}

/// What a line has in a dimension.
fn said<'a>(line: &'a Charge, dimension: &str) -> &'a str {
    let or = |text: &'a str, none: &'static str| if text.is_empty() { none } else { text };
    match dimension {
        "SERVICE" => &line.service,
        "USAGE_TYPE" => &line.usage_type,
        "LINKED_ACCOUNT" => &line.account,
        "RECORD_TYPE" => &line.record,
        "REGION" => or(&line.region, "NoRegion"),
        _ => {
            let kind = line.usage_type.split_once(':').map(|(_, kind)| kind);
            kind.filter(|kind| kind.contains('.')).unwrap_or("NoInstanceType")
        }
    }
}
