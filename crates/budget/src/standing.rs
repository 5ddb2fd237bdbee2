//! How a budget stands: what is spent, what the month will come to, which thresholds are reached,
//! and what is missing in the sum. Where something is missing the sum is a lower bound, and never OK.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::{Basis, BudgetStatus};
use reaper_model::{
    AccountName, Bill, BudgetSpec, Currency, InstanceId, MachineType, Money, ProviderName, Totals,
};
use rust_decimal::Decimal;

use crate::amount::{ahead, amount};
use crate::bill::{AccountBill, is_of_month, reconcile};
use crate::exchange::Exchange;
use crate::month::Month;
use crate::percent::reached;
use crate::piece::{DoubtWhy, Piece};
use crate::scope::counts;

/// No forecast before so much of the month has passed: what was started in its first minutes is
/// most often gone again soon.
pub const FORECAST_AFTER: TimeDelta = TimeDelta::hours(6);

/// No run rate before so much of the month has passed.
pub const RUN_RATE_AFTER: TimeDelta = TimeDelta::days(3);

/// Digits behind the point of a sum: three thirds of an hour make a whole one again.
const DIGITS: u32 = 9;

/// Everything that the budgets of a run stand on.
#[derive(Debug, Clone)]
pub struct Books<'a> {
    /// Billed time, machine by machine.
    pub pieces: &'a [Piece<'a>],
    /// What the providers have billed.
    pub bills: &'a [AccountBill],
    /// What could not be read.
    pub unread: &'a [Unread],
    /// The accounts that are looked at.
    pub accounts: &'a [(ProviderName, AccountName)],
    /// Since when looks have been remembered.
    pub history: DateTime<Utc>,
    /// When machines will be stopped, as is proposed.
    pub stops: &'a BTreeMap<InstanceId, DateTime<Utc>>,
    /// The rates of the period.
    pub exchange: &'a Exchange,
    /// The rates of today.
    pub today: &'a Exchange,
    /// The period.
    pub month: Month,
    /// The clock.
    pub now: DateTime<Utc>,
}

/// A place that was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The cloud.
    pub provider: ProviderName,
    /// The account's name in the configuration.
    pub account: AccountName,
    /// The place and what happened, for people.
    pub what: String,
}

/// Why a sum is a lower bound. The order is the order in which it is told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// A place was not read.
    Unread(String),
    /// A type has no price; how many machines of it.
    Unpriced(MachineType, usize),
    /// Machines whose money is spent by a commitment that no list price tells.
    Committed(usize),
    /// No rate from this currency to the budget's.
    Unconverted(Currency),
    /// Machines that ended before looks were remembered.
    NoHistory(DateTime<Utc>),
    /// Machines whose start, end or stop nobody tells; how many.
    Untold(DoubtWhy, usize),
}

/// How a budget stands in the month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What is spent, exact, in the limit's currency.
    pub spent: Money,
    /// The part of it that comes from machines that were seen: list price times billed time.
    pub estimated: Money,
    /// What the sum stands on.
    pub basis: Basis,
    /// What is missing in it.
    pub missing: Vec<Missing>,
    /// What the month will come to; `None` before [`FORECAST_AFTER`].
    pub forecast: Option<Money>,
    /// The same with the proposed stops.
    pub forecast_if_stopped: Option<Money>,
    /// Spent so far, carried on evenly; `None` before [`RUN_RATE_AFTER`].
    pub run_rate: Option<Money>,
    /// Thresholds that the spending reaches.
    pub reached: Vec<Decimal>,
    /// Thresholds that the forecast reaches.
    pub forecast_reached: Vec<Decimal>,
    /// The sum at the rates of today, where they make another one.
    pub at_todays_rates: Option<Money>,
}

impl Standing {
    /// Whether something is missing in the sum.
    pub fn at_least(&self) -> bool {
        !self.missing.is_empty()
    }

    /// In one word.
    pub fn status(&self, limit: Money) -> BudgetStatus {
        if self.spent.amount > limit.amount {
            BudgetStatus::Over
        } else if !self.reached.is_empty() {
            BudgetStatus::Warn
        } else if !self.forecast_reached.is_empty() {
            BudgetStatus::ForecastOver
        } else if self.at_least() {
            BudgetStatus::Incomplete
        } else {
            BudgetStatus::Ok
        }
    }
}

/// How a budget stands.
pub fn stand(spec: &BudgetSpec, books: &Books<'_>) -> Standing {
    let count = Count::of(spec, books);
    let currency = spec.limit.currency;
    let excess = if spec.scope.asks_of_machines() { Totals::default() } else { books.excess(spec) };
    let sum = |totals: &Totals, exchange: &Exchange| {
        let converted = totals.iter().filter_map(|money| exchange.convert_to(money, currency));
        let sum = converted.fold(Decimal::ZERO, |sum, money| sum.saturating_add(money.amount));
        sum.round_dp(DIGITS)
    };
    let money = |amount| Money { amount, currency };
    let estimated = sum(&count.spent, books.exchange);
    let spent = estimated.saturating_add(sum(&excess, books.exchange));
    let today = sum(&count.spent, books.today).saturating_add(sum(&excess, books.today));
    let elapsed = books.now - books.month.start;
    let forecast = |ahead: &Totals| {
        let ahead = sum(ahead, books.exchange);
        (elapsed >= FORECAST_AFTER).then(|| money(spent.saturating_add(ahead)))
    };
    let (forecast, forecast_if_stopped) = (forecast(&count.ahead), forecast(&count.ahead_stopped));
    let run_rate = (elapsed >= RUN_RATE_AFTER)
        .then(|| {
            let (whole, elapsed) = (books.month.end - books.month.start, elapsed.num_seconds());
            let whole = Decimal::from(whole.num_seconds());
            spent.saturating_mul(whole).checked_div(Decimal::from(elapsed)).map(money)
        })
        .flatten();
    let mut missing = count.missing;
    for total in count.spent.iter().chain(count.ahead.iter()).chain(excess.iter()) {
        if books.exchange.convert_to(total, currency).is_none() {
            missing.insert(Missing::Unconverted(total.currency));
        }
    }
    Standing {
        spent: money(spent),
        estimated: money(estimated),
        basis: if excess.is_empty() { Basis::Estimate } else { Basis::Mixed },
        missing: missing.into_iter().collect(),
        reached: reached(spent, spec.limit.amount, &spec.thresholds),
        forecast_reached: forecast.map_or_else(Vec::new, |forecast| {
            reached(forecast.amount, spec.limit.amount, &spec.forecast)
        }),
        forecast,
        forecast_if_stopped,
        run_rate,
        at_todays_rates: (today != spent).then(|| money(today)),
    }
}

/// What counts in one budget.
#[derive(Default)]
struct Count {
    spent: Totals,
    ahead: Totals,
    ahead_stopped: Totals,
    missing: BTreeSet<Missing>,
}

impl Count {
    fn of(spec: &BudgetSpec, books: &Books<'_>) -> Self {
        let mut count = Self::default();
        let (mut unpriced, mut committed) = (BTreeMap::new(), BTreeSet::new());
        let mut untold: BTreeMap<DoubtWhy, BTreeSet<&InstanceId>> = BTreeMap::new();
        let Month { start, end, zone } = books.month;
        let here = books
            .pieces
            .iter()
            .filter(|piece| counts(&spec.scope, &piece.id.provider, piece.reading));
        for piece in here {
            let so_far = amount(piece, start, books.now, zone);
            let rest = if piece.open { Some(ahead(piece, end, zone)) } else { None };
            for doubt in &piece.doubt {
                let told = |bill: &AccountBill| {
                    bill.bill.as_ref().is_ok_and(|bill| {
                        bill.provider == piece.id.provider && bill.account == piece.id.account
                    })
                };
                if doubt.touches(start, books.now) && !books.bill_tells(told, doubt.until) {
                    untold.entry(doubt.why).or_default().insert(piece.id);
                }
            }
            if so_far.is_nothing() && rest.is_none_or(|rest| rest.is_nothing()) {
                continue;
            }
            if piece.reading.committed {
                committed.insert(piece.id);
            } else if piece.reading.price.is_none() {
                let types: &mut BTreeSet<&InstanceId> =
                    unpriced.entry(&piece.reading.machine_type).or_default();
                types.insert(piece.id);
            }
            so_far.money.into_iter().for_each(|money| count.spent.add(money));
            if let Some(money) = rest.and_then(|rest| rest.money) {
                count.ahead.add(money);
                let stop = books.stops.get(piece.id).map_or(end, |stop| (*stop).min(end));
                ahead(piece, stop, zone)
                    .money
                    .into_iter()
                    .for_each(|money| count.ahead_stopped.add(money));
            }
        }
        let missing = &mut count.missing;
        missing.extend(books.unread(spec));
        missing.extend(
            unpriced
                .into_iter()
                .map(|(machine_type, of)| Missing::Unpriced(machine_type.clone(), of.len())),
        );
        missing.extend((!committed.is_empty()).then_some(Missing::Committed(committed.len())));
        missing.extend(untold.into_iter().map(|(why, of)| Missing::Untold(why, of.len())));
        count
    }
}

impl Books<'_> {
    /// What the bills of the month have more than was seen, of accounts that count.
    fn excess(&self, spec: &BudgetSpec) -> Totals {
        self.bills_of(spec)
            .flat_map(|bill| {
                let reconciled = reconcile(bill, self.pieces, self.month.zone);
                reconciled.excess().collect::<Vec<_>>()
            })
            .collect()
    }

    fn bills_of<'s>(&'s self, spec: &'s BudgetSpec) -> impl Iterator<Item = &'s Bill> {
        let here = self.bills.iter().filter(|bill| spec.scope.takes(&bill.provider, &bill.account));
        here.filter_map(|bill| bill.bill.as_ref().ok())
            .filter(|bill| is_of_month(bill, self.month.start, self.month.end))
    }

    /// Whether the bill of an account reaches from the start of the month up to a time, so that
    /// nothing is untold there.
    fn bill_tells(&self, of: impl Fn(&AccountBill) -> bool, until: DateTime<Utc>) -> bool {
        self.bills.iter().filter(|bill| of(bill)).any(|bill| {
            let reaches = |bill: &Bill| bill.from <= self.month.start && bill.until >= until;
            bill.bill.as_ref().is_ok_and(reaches)
        })
    }

    fn unread(&self, spec: &BudgetSpec) -> Vec<Missing> {
        let here =
            self.unread.iter().filter(|unread| spec.scope.takes(&unread.provider, &unread.account));
        let mut missing: Vec<Missing> =
            here.map(|unread| Missing::Unread(unread.what.clone())).collect();
        let mut accounts =
            self.accounts.iter().filter(|(provider, account)| spec.scope.takes(provider, account));
        if self.history > self.month.start
            && accounts
                .any(|(_, account)| !self.bill_tells(|bill| bill.account == *account, self.history))
        {
            missing.push(Missing::NoHistory(self.history));
        }
        missing
    }
}
