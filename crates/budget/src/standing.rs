//! How a budget stands: what is spent, what the month will come to, which thresholds are reached,
//! and what is missing in the sum. Where something is missing the sum is a lower bound, and never OK,
//! unless all that can be missing is known and would change nothing: then it is a note.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_model::document::{Basis, BudgetStatus};
use reaper_model::{
    AccountName, Bill, BillKind, BillLine, BudgetSpec, Currency, InstanceId, MachineType, Money,
    ProviderName, Totals,
};
use rust_decimal::Decimal;

use crate::amount::{ahead, amount};
use crate::bill::{AccountBill, is_of_month, reconcile};
use crate::exchange::Exchange;
use crate::month::Month;
use crate::percent::reached;
use crate::piece::{Doubt, DoubtWhy, Piece};
use crate::scope::counts;

/// No forecast before so much of the month has passed: what was started in its first minutes is
/// most often gone again soon.
pub const FORECAST_AFTER: TimeDelta = TimeDelta::hours(6);

/// No run rate before so much of the month has passed.
pub const RUN_RATE_AFTER: TimeDelta = TimeDelta::days(3);

/// For so long into a month a bill may say nothing yet.
const SILENT_FOR: TimeDelta = TimeDelta::days(4);

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
    /// Whether the month was counted in another currency before.
    pub recounted: bool,
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
    /// A bill that may hold more than was seen could not be read, or in part, or is of another month.
    Unbilled(String),
    /// The report has changed its currency within the month.
    Recounted,
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
    /// Machines of which tags or owner could not be read, so that nobody knows whether they count.
    Blind(usize),
    /// Machines in a state of which nobody knows whether it is billed, counted as if it were.
    Uncertain(usize),
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
    /// What is missing and so little that the budget would stand the same with all of it.
    pub notes: Vec<Missing>,
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
    let over = books.now >= books.month.end;
    let forecast = |ahead: &Totals| {
        let ahead = sum(ahead, books.exchange);
        (elapsed >= FORECAST_AFTER && !over).then(|| money(spent.saturating_add(ahead)))
    };
    let (forecast, forecast_if_stopped) = (forecast(&count.ahead), forecast(&count.ahead_stopped));
    let run_rate = (elapsed >= RUN_RATE_AFTER && !over)
        .then(|| {
            let (whole, elapsed) = (books.month.end - books.month.start, elapsed.num_seconds());
            let whole = Decimal::from(whole.num_seconds());
            spent.saturating_mul(whole).checked_div(Decimal::from(elapsed)).map(money)
        })
        .flatten();
    let mut missing = count.missing;
    missing.extend(books.incomparable(spec).into_iter().map(Missing::Unconverted));
    let totals = [&count.spent, &count.ahead, &count.untold_at_most, &excess];
    for total in totals.into_iter().flat_map(Totals::iter) {
        if books.exchange.convert_to(total, currency).is_none() {
            missing.insert(Missing::Unconverted(total.currency));
        }
    }
    // With all that it can be at most, would anything be different?
    let at_most = spent.saturating_add(sum(&count.untold_at_most, books.exchange));
    let reaches = |amount| reached(amount, spec.limit.amount, &spec.thresholds);
    let little = reaches(at_most) == reaches(spent)
        && (at_most > spec.limit.amount) == (spent > spec.limit.amount);
    let mut notes = BTreeSet::new();
    if little {
        notes = count.bounded;
    } else {
        missing.extend(count.bounded);
    }
    Standing {
        spent: money(spent),
        estimated: money(estimated),
        basis: if excess.is_empty() { Basis::Estimate } else { Basis::Mixed },
        missing: missing.into_iter().collect(),
        notes: notes.into_iter().collect(),
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
    /// What is missing and can be at most so much: `untold_at_most`.
    bounded: BTreeSet<Missing>,
    untold_at_most: Totals,
}

impl Count {
    fn of(spec: &BudgetSpec, books: &Books<'_>) -> Self {
        let mut count = Self::default();
        let (mut unpriced, mut committed) = (BTreeMap::new(), BTreeSet::new());
        let (mut blind, mut uncertain) = (BTreeSet::new(), BTreeSet::new());
        let mut untold: BTreeMap<(bool, DoubtWhy), BTreeSet<&InstanceId>> = BTreeMap::new();
        let Month { start, end, zone } = books.month;
        let until = books.now.min(end);
        for piece in books.pieces {
            let so_far = amount(piece, start, until, zone);
            if piece.reading.blind && spec.scope.asks_of_machines() && !so_far.is_nothing() {
                blind.insert(piece.id);
            }
            if !counts(&spec.scope, &piece.id.provider, piece.reading) {
                continue;
            }
            for doubt in piece.doubt.iter().filter(|doubt| doubt.touches(start, until)) {
                if books.bill_tells_of(spec, piece, doubt.until) {
                    continue;
                }
                let at_most = doubted(piece, doubt, start, until, zone);
                untold.entry((at_most.is_some(), doubt.why)).or_default().insert(piece.id);
                if let Some(money) = at_most {
                    count.untold_at_most.add(money);
                }
            }
            let rest = if piece.open { Some(ahead(piece, end, zone)) } else { None };
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
            if piece.reading.uncertain {
                uncertain.insert(piece.id);
            }
            if let Some(money) = so_far.money {
                count.spent.add(money);
            }
            if let Some(money) = rest.and_then(|rest| rest.money) {
                count.ahead.add(money);
                let stop = books.stops.get(piece.id).map_or(end, |stop| (*stop).min(end));
                if let Some(money) = ahead(piece, stop, zone).money {
                    count.ahead_stopped.add(money);
                }
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
        missing.extend((!blind.is_empty()).then_some(Missing::Blind(blind.len())));
        missing.extend((!uncertain.is_empty()).then_some(Missing::Uncertain(uncertain.len())));
        for ((bounded, why), of) in untold {
            let untold = Missing::Untold(why, of.len());
            if bounded {
                count.bounded.insert(untold)
            } else {
                count.missing.insert(untold)
            };
        }
        count
    }
}

/// What doubted time can have cost at most within a span; `None` where nobody can say.
fn doubted(
    piece: &Piece<'_>,
    doubt: &Doubt,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    zone: Tz,
) -> Option<Money> {
    if doubt.from < piece.run_start {
        return None;
    }
    let longer = Piece { from: doubt.from, until: doubt.until, ..piece.clone() };
    amount(&longer, from, until, zone).money
}

impl Books<'_> {
    /// What the bills of the month have more than was seen, of accounts that count.
    fn excess(&self, spec: &BudgetSpec) -> Totals {
        self.bills_of(spec)
            .flat_map(|bill| {
                let reconciled = reconcile(bill, self.pieces, self.exchange);
                reconciled.excess().collect::<Vec<_>>()
            })
            .collect()
    }

    /// Currencies of bills that no rate makes comparable with what was seen.
    fn incomparable(&self, spec: &BudgetSpec) -> BTreeSet<Currency> {
        if spec.scope.asks_of_machines() {
            return BTreeSet::new();
        }
        let billed = self.bills_of(spec).flat_map(|bill| {
            let reconciled = reconcile(bill, self.pieces, self.exchange);
            reconciled.billed.iter().map(|money| money.currency).collect::<Vec<_>>()
        });
        billed
            .filter(|currency| {
                let one = Money { amount: Decimal::ONE, currency: *currency };
                self.exchange.convert_to(one, spec.limit.currency).is_none()
            })
            .collect()
    }

    fn bills_of<'s>(&'s self, spec: &'s BudgetSpec) -> impl Iterator<Item = &'s Bill> {
        let here = self
            .bills
            .iter()
            .filter(|bill| !bill.shared && spec.scope.takes(&bill.provider, &bill.account));
        here.filter_map(|bill| bill.bill.as_ref().ok())
            .filter(|bill| is_of_month(bill, self.month.start))
    }

    /// Whether the bill of an account reaches from the start of the month up to a time, so that
    /// nothing is untold there. Of spending by owner or tag a bill tells nothing.
    fn bill_tells(
        &self,
        spec: &BudgetSpec,
        of: impl Fn(&AccountBill) -> bool,
        until: DateTime<Utc>,
    ) -> bool {
        let reaches = |bill: &Bill| bill.from <= self.month.start && bill.until >= until;
        !spec.scope.asks_of_machines()
            && self
                .bills
                .iter()
                .filter(|bill| !bill.shared && of(bill))
                .any(|bill| bill.bill.as_ref().is_ok_and(reaches))
    }

    fn bill_tells_of(&self, spec: &BudgetSpec, piece: &Piece<'_>, until: DateTime<Utc>) -> bool {
        let of = |bill: &AccountBill| {
            bill.bill.as_ref().is_ok_and(|bill| {
                bill.provider == piece.id.provider && bill.account == piece.id.account
            })
        };
        self.bill_tells(spec, of, until)
    }

    /// Bills of the budget's accounts that do not say what they should. A key that may not read them
    /// has never told anything.
    fn unbilled(&self, spec: &BudgetSpec) -> Vec<Missing> {
        if spec.scope.asks_of_machines() {
            return Vec::new();
        }
        let here = self
            .bills
            .iter()
            .filter(|bill| !bill.shared && spec.scope.takes(&bill.provider, &bill.account));
        let why = here.filter_map(|account| match &account.bill {
            Err(unbilled) if unbilled.denied => None,
            Err(unbilled) => Some(format!("{}: {}", account.account, unbilled.why)),
            Ok(bill) if !is_of_month(bill, self.month.start) => {
                // Nothing is billed yet in a month's first hours.
                (bill.until > bill.from && bill.from != self.month.start).then(|| {
                    format!("{}: the provider's bill is of another month by now", account.account)
                })
            }
            Ok(bill) if bill.until <= bill.from && self.now - bill.from > SILENT_FOR => {
                Some(format!("{}: the provider's bill says nothing of this month", account.account))
            }
            Ok(bill) => {
                let open =
                    |line: &&BillLine| line.kind == BillKind::Compute && line.amount.is_none();
                let count = bill.lines.iter().filter(open).count();
                (count > 0).then(|| {
                    format!("{}: lines of the bill without an amount: {count}", account.account)
                })
            }
        });
        why.map(Missing::Unbilled).collect()
    }

    fn unread(&self, spec: &BudgetSpec) -> Vec<Missing> {
        let here =
            self.unread.iter().filter(|unread| spec.scope.takes(&unread.provider, &unread.account));
        let mut missing: Vec<Missing> = self.unbilled(spec);
        if self.recounted {
            missing.push(Missing::Recounted);
        }
        missing.extend(here.map(|unread| Missing::Unread(unread.what.clone())));
        let mut accounts =
            self.accounts.iter().filter(|(provider, account)| spec.scope.takes(provider, account));
        if self.history > self.month.start
            && accounts.any(|(_, account)| {
                !self.bill_tells(spec, |bill| bill.account == *account, self.history)
            })
        {
            missing.push(Missing::NoHistory(self.history));
        }
        missing
    }
}
