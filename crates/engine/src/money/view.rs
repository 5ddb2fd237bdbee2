//! Budgets, spending and bills in the document.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_budget::{
    AccountBill, DoubtWhy, FORECAST_AFTER, Missing, OwnerSpend, Piece, Standing, alert, percent,
    reconcile,
};
use reaper_model::document::{AlertStatus, BillStatus, BillView, BudgetView, SpendView};
use reaper_model::{BudgetSpec, Money, Rate, Totals};
use rust_decimal::{Decimal, RoundingStrategy};

use crate::machine_view::local;
use crate::money::books::{Books, period};

/// What became of a budget's alerts, and which of its thresholds were new.
#[derive(Debug, Clone)]
pub(crate) struct Alerted {
    pub(crate) new: Vec<String>,
    pub(crate) status: AlertStatus,
}

/// One budget.
pub(crate) fn budget(
    books: &Books,
    spec: &BudgetSpec,
    standing: &Standing,
    alerted: &Alerted,
) -> BudgetView {
    let zone = books.month.zone;
    let written =
        |thresholds: &[Decimal]| thresholds.iter().map(|one| percent::written(*one)).collect();
    let money = |money: Option<Money>| money.map(Money::rounded);
    BudgetView {
        name: spec.name.clone(),
        period: period(&books.month),
        from: local(books.month.start, zone),
        until: local(books.month.end, zone),
        limit: spec.limit,
        spent: shown(spec, standing),
        basis: standing.basis,
        at_least: standing.at_least(),
        why: why(books, standing),
        percent: percent::shown(standing.spent.amount, spec.limit.amount),
        status: standing.status(spec.limit),
        forecast: money(standing.forecast),
        forecast_if_stopped: money(standing.forecast_if_stopped),
        run_rate: money(standing.run_rate),
        forecast_why: standing.forecast.is_none().then(|| {
            let hours = FORECAST_AFTER.num_hours();
            if books.now >= books.month.end {
                "the month is over".to_owned()
            } else {
                format!("no forecast in the first {hours} hours of a month")
            }
        }),
        thresholds: written(&spec.thresholds),
        reached: written(&standing.reached),
        forecast_reached: written(&standing.forecast_reached),
        new: alerted.new.clone(),
        alert: alerted.status,
        at_todays_rates: money(standing.at_todays_rates),
        on_limit: spec.on_limit,
    }
}

/// Rounded as everywhere, unless that would show a threshold as reached, or the limit as passed,
/// that is not.
fn shown(spec: &BudgetSpec, standing: &Standing) -> Money {
    let (exact, limit) = (standing.spent, spec.limit.amount);
    let reached = |amount| percent::reached(amount, limit, &spec.thresholds);
    let rounded = exact.rounded();
    let honest = reached(rounded.amount) == standing.reached
        && (rounded.amount >= limit) == (exact.amount >= limit);
    let mut cut = exact.amount.round_dp_with_strategy(2, RoundingStrategy::ToZero);
    cut.rescale(2);
    if honest { rounded } else { Money { amount: cut, ..exact } }
}

/// What is missing, and what should be known besides.
fn why(books: &Books, standing: &Standing) -> Vec<String> {
    let zone = books.month.zone;
    let little = standing.notes.iter().map(|note| {
        format!("{}; with all of it no other threshold would be reached", words(note, zone))
    });
    // Whoever looks at other rates today should know which ones count.
    let rates = books.exchange.rates().filter(|_| standing.at_todays_rates.is_some());
    let rates = rates.map(|rate| {
        let Rate { from, to, rate, as_of } = rate;
        format!("counted at 1 {from} = {rate} {to} of {as_of}, the month's first rate")
    });
    let missing = standing.missing.iter().map(|missing| words(missing, zone));
    missing.chain(little).chain(rates).collect()
}

/// Why a sum is a lower bound, for people.
fn words(missing: &Missing, zone: Tz) -> String {
    let machines = |count: usize| match count {
        1 => "1 machine".to_owned(),
        count => format!("{count} machines"),
    };
    match missing {
        Missing::Unread(what) => format!("not counted: {what}"),
        Missing::Unbilled(what) => format!("a bill may hold more: {what}"),
        Missing::Recounted => {
            "the report's currency was changed in this month: earlier rates do not count".to_owned()
        }
        Missing::Blind(count) => format!(
            "{} of which tags or owner could not be read: nobody knows whether they count",
            machines(*count)
        ),
        Missing::Uncertain(count) => format!(
            "{} in a state that this version does not know, counted as billed",
            machines(*count)
        ),
        Missing::Unpriced(machine_type, count) => {
            format!("no price is known for {machine_type} ({}): add a [[price]]", machines(*count))
        }
        Missing::Committed(count) => {
            format!("{} paid by a commitment of which no list price tells", machines(*count))
        }
        Missing::Unconverted(currency) => {
            format!("amounts in {currency} are not counted: there is no rate for them in [fx]")
        }
        Missing::NoHistory(since) => format!(
            "machines that ended before the first recorded run ({}) are not counted",
            local(*since, zone).format("%Y-%m-%d %H:%M %:z")
        ),
        Missing::Untold(DoubtWhy::Start, count) => format!(
            "{} of which the provider does not tell since when it ran: counted from when it was seen",
            machines(*count)
        ),
        Missing::Untold(DoubtWhy::End, count) => format!(
            "{} counted until last seen running: the provider does not tell the end",
            machines(*count)
        ),
        Missing::Untold(DoubtWhy::Unseen, count) => {
            format!("{} counted until last seen, and not seen since", machines(*count))
        }
    }
}

/// One owner's row.
pub(crate) fn spend(row: OwnerSpend) -> SpendView {
    SpendView {
        owner: row.owner,
        spent: row.spent.into_iter().map(Money::rounded).collect(),
        machines: row.machines,
        unpriced: row.unpriced,
    }
}

/// One bill beside the estimate.
pub(crate) fn bill(
    account: &AccountBill,
    pieces: &[Piece<'_>],
    history: DateTime<Utc>,
    books: &Books,
) -> BillView {
    let (now, zone) = (books.now, books.month.zone);
    let blank = BillView {
        account: account.account.clone(),
        provider: account.provider.clone(),
        status: BillStatus::Failed,
        why: None,
        from: None,
        until: None,
        age_hours: None,
        billed: Vec::new(),
        other: Vec::new(),
        estimated: Vec::new(),
        difference: Vec::new(),
        difference_percent: None,
    };
    let bill = match &account.bill {
        Err(unbilled) => return BillView { why: Some(unbilled.why.clone()), ..blank },
        Ok(bill) => bill,
    };
    let reconciled = reconcile(bill, pieces, &books.exchange);
    let sums = |totals: &Totals| totals.iter().map(Money::rounded).collect();
    let mut notes: BTreeSet<String> = bill.notes.iter().cloned().collect();
    if reconciled.without_amount > 0 && bill.notes.is_empty() {
        notes.insert(format!("lines without an amount: {}", reconciled.without_amount));
    }
    if account.shared {
        notes.insert(
            "several configured accounts lead to this one: held against no budget".to_owned(),
        );
    }
    if history > bill.from {
        notes.insert(format!(
            "machines that ended before {} were not seen",
            local(history, zone).format("%Y-%m-%d %H:%M %:z")
        ));
    }
    let notes: Vec<String> = notes.into_iter().collect();
    BillView {
        status: BillStatus::Read,
        why: (!notes.is_empty()).then(|| notes.join("; ")),
        from: Some(local(bill.from, zone)),
        until: Some(local(bill.until, zone)),
        age_hours: Some(hours(now - bill.until)),
        billed: sums(&reconciled.billed),
        other: sums(&reconciled.other),
        estimated: sums(&reconciled.estimated),
        difference: sums(&reconciled.difference),
        difference_percent: reconciled.percent().map(|percent| {
            let mut percent = percent.round_dp(1);
            percent.rescale(1);
            percent.to_string()
        }),
        ..blank
    }
}

fn hours(elapsed: TimeDelta) -> String {
    let mut hours = (Decimal::from(elapsed.num_minutes().max(0)) / Decimal::from(60)).round_dp(1);
    hours.rescale(1);
    hours.to_string()
}

/// The thresholds of a budget's due alerts as the document names them: those of the forecast with
/// that word before them.
pub(crate) fn new(due: &[alert::DueAlert]) -> Vec<String> {
    let mut new = BTreeSet::new();
    for alert in due {
        for threshold in &alert.covers {
            let number: Decimal = threshold.trim_end_matches('%').parse().unwrap_or(Decimal::ZERO);
            let word = match alert.against {
                alert::Against::Actual => "",
                alert::Against::Forecast => "forecast ",
            };
            new.insert((alert.against, number, format!("{word}{threshold}")));
        }
    }
    new.into_iter().map(|(.., text)| text).collect()
}
