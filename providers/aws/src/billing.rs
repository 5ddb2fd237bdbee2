//! What AWS has billed, by Cost Explorer: one query a run for the whole account, in all its pages,
//! and only with `cost_explorer`, because AWS charges for each page.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_costexplorer::types::{
    DateInterval, Dimension, DimensionValues, Expression, Granularity, Group, GroupDefinition,
    GroupDefinitionType, MetricValue, ResultByTime,
};
use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use reaper_model::{
    Bill, BillKind, BillLine, Currency, Location, MachineType, Money, ProviderAccount,
    ProviderName, Totals,
};
use reaper_provider::{CallContext, Delivery, ErrorKind, ProviderError};
use rust_decimal::Decimal;

use crate::client::MoneyClient;
use crate::usage::MachineTime;
use crate::wire::{Tokens, send};

/// The call, as AWS's policy language spells it.
pub(crate) const COSTS: &str = "ce:GetCostAndUsage";
/// What a line costs before credits, booked on the day on which it is charged.
const COST: &str = "UnblendedCost";
const QUANTITY: &str = "UsageQuantity";
/// What is no use of anything.
const NOT_USAGE: [&str; 3] = ["Tax", "Credit", "Refund"];
/// How late AWS may be with a day's amounts.
const LATE: TimeDelta = TimeDelta::hours(24);

/// The days that are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Period {
    /// The first of the UTC month.
    from: NaiveDate,
    /// Until when is asked, exclusive: tomorrow, so that it is never before the first.
    until: NaiveDate,
    /// Until when, exclusive, the days are old enough to be whole.
    whole: NaiveDate,
}

impl Period {
    fn at(now: DateTime<Utc>) -> Self {
        let today = now.date_naive();
        let from = today.with_day(1).unwrap_or(today);
        let until = today.checked_add_days(Days::new(1)).unwrap_or(today);
        Self { from, until, whole: (now - LATE).date_naive().max(from) }
    }
}

/// What belongs together on the bill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    service: String,
    usage_type: String,
    /// `None`: the amount came without a currency or not at all.
    currency: Option<Currency>,
}

/// The sums of one entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    amount: Decimal,
    /// `None` as soon as one quantity is not hours.
    hours: Option<Decimal>,
}

/// What Cost Explorer answered, day by day added up.
#[derive(Debug)]
pub(crate) struct Costs {
    period: Period,
    /// Of the days that are whole.
    entries: BTreeMap<Entry, Sums>,
    /// Of the days that are not: their sums, and since when.
    open: (Totals, Option<NaiveDate>),
    /// The last day on which anything was used.
    last: Option<NaiveDate>,
    estimated: bool,
}

/// Asks for the account's costs of the UTC month that holds the run's clock. The account alone is
/// asked for: one that pays for others sees theirs too.
pub(crate) async fn ask(
    money: &MoneyClient,
    cx: &CallContext,
    account: &ProviderAccount,
) -> Result<Costs, ProviderError> {
    let period = Period::at(cx.now);
    let mut costs = Costs::new(period);
    let (mut tokens, mut token) = (Tokens::default(), None);
    loop {
        let request = money
            .costs
            .get_cost_and_usage()
            .time_period(interval(period)?)
            .granularity(Granularity::Daily)
            .filter(usage_of(account))
            .metrics(COST)
            .metrics(QUANTITY)
            .group_by(by(&Dimension::Service))
            .group_by(by(&Dimension::UsageType))
            .set_next_page_token(token);
        let begin = |trace| request.customize().interceptor(trace).send();
        let answer = send(&money.limiter, cx, COSTS, begin).await?;
        for day in answer.results_by_time() {
            costs.take(day)?;
        }
        token = tokens.next(COSTS, answer.next_page_token)?;
        if token.is_none() {
            return Ok(costs);
        }
    }
}

fn interval(period: Period) -> Result<DateInterval, ProviderError> {
    let interval = DateInterval::builder()
        .start(period.from.to_string())
        .end(period.until.to_string())
        .build();
    interval.map_err(|error| {
        let words = error.to_string();
        ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, COSTS, words)
    })
}

/// The use that the account itself has made, without taxes, credits and refunds.
fn usage_of(account: &ProviderAccount) -> Expression {
    let own = [account.as_str().to_owned()];
    let own = one_of(Dimension::LinkedAccount, &own);
    let others = one_of(Dimension::RecordType, &NOT_USAGE.map(str::to_owned));
    Expression::builder().and(own).and(Expression::builder().not(others).build()).build()
}

fn one_of(key: Dimension, values: &[String]) -> Expression {
    let values = DimensionValues::builder().key(key).set_values(Some(values.to_vec()));
    Expression::builder().dimensions(values.build()).build()
}

fn by(dimension: &Dimension) -> GroupDefinition {
    GroupDefinition::builder()
        .r#type(GroupDefinitionType::Dimension)
        .key(dimension.as_str())
        .build()
}

fn unreadable(words: impl AsRef<str>) -> ProviderError {
    ProviderError::answered(ErrorKind::Protocol, COSTS, words)
}

impl Costs {
    fn new(period: Period) -> Self {
        Self {
            period,
            entries: BTreeMap::new(),
            open: (Totals::default(), None),
            last: None,
            estimated: false,
        }
    }

    /// Takes one day, or a part of it: a day may be spread over pages.
    fn take(&mut self, result: &ResultByTime) -> Result<(), ProviderError> {
        let start = result.time_period().map(DateInterval::start).unwrap_or_default();
        let day: NaiveDate = start
            .get(..10)
            .and_then(|day| day.parse().ok())
            .ok_or_else(|| unreadable(format!("a result of the day \"{start}\"")))?;
        self.estimated |= result.estimated();
        for group in result.groups() {
            self.add(day, group);
        }
        Ok(())
    }

    fn add(&mut self, day: NaiveDate, group: &Group) {
        let metric = |name: &str| group.metrics().and_then(|metrics| metrics.get(name));
        let money = metric(COST).and_then(money);
        let said = |name: &str| metric(name).and_then(MetricValue::amount).and_then(number);
        if [COST, QUANTITY].into_iter().filter_map(said).any(|number| !number.is_zero()) {
            self.last = self.last.max(Some(day));
        }
        if day >= self.period.whole {
            let (sum, since) = &mut self.open;
            if let Some(money) = money {
                sum.add(money);
            }
            *since = Some(since.map_or(day, |since| since.min(day)));
            return;
        }
        let key = |at: usize| group.keys().get(at).cloned().unwrap_or_default();
        let entry = Entry {
            service: key(0),
            usage_type: key(1),
            currency: money.map(|money| money.currency),
        };
        let hours = metric(QUANTITY).and_then(hours);
        let zero = Sums { amount: Decimal::ZERO, hours: Some(Decimal::ZERO) };
        let sums = self.entries.entry(entry).or_insert(zero);
        if let Some(money) = money {
            sums.amount = sums.amount.saturating_add(money.amount);
        }
        sums.hours = sums.hours.zip(hours).map(|(sum, hours)| sum.saturating_add(hours));
    }

    /// The machine types that were billed, each with the regions it was billed in.
    pub(crate) fn kinds(&self) -> BTreeMap<String, BTreeSet<Option<Location>>> {
        let mut kinds: BTreeMap<String, BTreeSet<Option<Location>>> = BTreeMap::new();
        for time in self.entries.keys().filter_map(Entry::machine_time) {
            kinds.entry(time.kind).or_default().insert(time.region);
        }
        kinds
    }

    /// The bill. `accelerated` tells of each machine type whether it has accelerators; one of which
    /// nobody knows has, as in a listing.
    pub(crate) fn bill(
        self,
        account: &ProviderAccount,
        accelerated: impl Fn(&str) -> bool,
    ) -> Bill {
        let notes = self.notes();
        let mut lines = Vec::new();
        let mut other: BTreeMap<Option<Currency>, Decimal> = BTreeMap::new();
        for (entry, sums) in &self.entries {
            match entry.machine_time().filter(|time| accelerated(&time.kind)) {
                Some(time) => lines.push(BillLine {
                    kind: BillKind::Compute,
                    native: None,
                    machine_type: Some(MachineType::new(&time.kind)),
                    location: time.region,
                    hours: sums.hours.filter(|_| time.counts_hours),
                    amount: entry.currency.map(|currency| Money::new(sums.amount, currency)),
                }),
                None => *other.entry(entry.currency).or_default() += sums.amount,
            }
        }
        lines.extend(other.into_iter().map(|(currency, amount)| BillLine {
            kind: BillKind::Other,
            native: None,
            machine_type: None,
            location: None,
            hours: None,
            amount: currency.map(|currency| Money::new(amount, currency)),
        }));
        let midnight = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
        Bill {
            provider: ProviderName::new("aws"),
            account: account.clone(),
            from: midnight(self.period.from),
            until: midnight(self.until()),
            lines,
            notes,
        }
    }

    /// Until when the days are whole, and there: a day without any amount may be yet to come.
    fn until(&self) -> NaiveDate {
        let Period { from, whole, .. } = self.period;
        let after_last = self.last.and_then(|last| last.checked_add_days(Days::new(1)));
        after_last.unwrap_or(from).clamp(from, whole)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.last.is_none() {
            notes.push("Cost Explorer has no amount of this month yet".to_owned());
        }
        if self.estimated {
            notes.push("AWS calls its amounts estimated until it has closed the month".to_owned());
        }
        if let (sum, Some(since)) = &self.open {
            let sums: Vec<String> = sum.iter().map(|money| money.to_string()).collect();
            let sums = if sums.is_empty() { "no amount".to_owned() } else { sums.join(" and ") };
            notes.push(format!(
                "days from {since} on are not counted, because AWS may still be adding to them: \
                 {sums} so far"
            ));
        }
        let missing = self.entries.keys().filter(|entry| entry.currency.is_none()).count();
        if missing > 0 {
            notes.push(format!("amounts or currencies are missing in {missing} lines"));
        }
        notes
    }
}

impl Entry {
    fn machine_time(&self) -> Option<MachineTime> {
        MachineTime::of(&self.service, &self.usage_type)
    }
}

/// An amount with its currency. Very small ones are written with an exponent.
fn money(metric: &MetricValue) -> Option<Money> {
    Some(Money::new(number(metric.amount()?)?, metric.unit()?.parse().ok()?))
}

fn hours(metric: &MetricValue) -> Option<Decimal> {
    matches!(metric.unit(), Some("Hrs" | "Hours")).then(|| number(metric.amount()?)).flatten()
}

fn number(text: &str) -> Option<Decimal> {
    text.parse().or_else(|_| Decimal::from_scientific(text)).ok()
}

#[cfg(test)]
mod tests;
