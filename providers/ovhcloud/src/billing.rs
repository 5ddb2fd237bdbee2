//! What OVHcloud has billed for the project since its month began: every machine by itself, deleted
//! ones included, and all else list by list. Without tax.
//!
//! Whatever is null says nothing and is named in the notes. The currency stands nowhere in a usage:
//! it is that of the account, else that of the price book that the settings name, and never guessed.

use chrono::{DateTime, Datelike, NaiveTime, Utc};
use reaper_http::{Amount, Lenient};
use reaper_model::{
    Bill, BillKind, BillLine, Currency, Location, MachineType, Money, ProviderAccount, ProviderName,
};
use reaper_provider::{CallContext, ErrorKind, ProviderError};
use rust_decimal::Decimal;

use crate::book::Book;
use crate::client::{ACCOUNT, Api, USAGE};
use crate::flavor::{self, Kind};
use crate::notes::Notes;
use crate::plan;
use crate::price::Prices;
use crate::wire::{Detail, Entries, Entry, Part, Quantity, Total, Usage};

/// The list of machines in both halves of a usage.
const MACHINES: &str = "instance";
/// Totals are floats: digits behind this many are noise.
const DIGITS: u32 = 6;
/// So many names of unsaid fields are written out.
const MOST_NAMES: usize = 8;

/// What reading a bill needs.
pub(crate) struct Billing<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) account: &'a ProviderAccount,
    pub(crate) prices: &'a Prices,
    pub(crate) notes: &'a Notes,
}

/// One line before its currency is known.
#[derive(Debug, PartialEq, Eq)]
struct Draft {
    kind: Gear,
    native: Option<String>,
    machine_type: Option<String>,
    region: Option<String>,
    hours: Option<Decimal>,
    amount: Option<Decimal>,
}

/// What a line is for, as far as the flavour's name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gear {
    Machine(Kind),
    Other,
}

/// The lines of a usage, and what it did not say.
#[derive(Debug, Default)]
struct Drafts {
    lines: Vec<Draft>,
    unsaid: Vec<String>,
    /// Entries whose details do not make up their total.
    uneven: usize,
    /// Currencies that amounts name themselves.
    named: Vec<Currency>,
}

/// The time that a usage covers.
#[derive(Debug, PartialEq, Eq)]
enum Span {
    /// From when, and until when at most.
    This(DateTime<Utc>, DateTime<Utc>),
    /// It is still about another month.
    Another(DateTime<Utc>),
}

impl Billing<'_> {
    /// Reads the bill of the month that holds the run's clock.
    pub(crate) async fn read(&self) -> Result<Bill, ProviderError> {
        let month = month_of(self.cx.now);
        let usage = match self.api.usage(self.cx).await {
            Ok(usage) => usage,
            // The project is there, or the login had failed: nothing of it has been used yet.
            Err(error) if error.kind == ErrorKind::NotFound => {
                let note = format!("OVHcloud shows no usage yet: {}", error.detail);
                return Ok(self.bill(month, month, Vec::new(), vec![note]));
            }
            Err(error) => return Err(error),
        };
        let (from, until) = match span(&usage, self.cx.now)? {
            Span::This(from, until) => (from, until),
            Span::Another(from) => {
                let note = format!(
                    "OVHcloud still shows the usage of {}: nothing of this month is known yet",
                    from.format("%Y-%m")
                );
                return Ok(self.bill(month, month, Vec::new(), vec![note]));
            }
        };
        let drafts = Drafts::of(&usage);
        let notes = drafts.notes();
        let currency = self.currency(&drafts).await?;
        let book = self.book(&drafts).await;
        let lines = drafts.lines.into_iter().map(|draft| draft.line(currency, book)).collect();
        Ok(self.bill(from, until, lines, notes))
    }

    fn bill(
        &self,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
        lines: Vec<BillLine>,
        notes: Vec<String>,
    ) -> Bill {
        let provider = ProviderName::new("ovhcloud");
        Bill { provider, account: self.account.clone(), from, until, lines, notes }
    }

    /// The currency of all amounts; `None` where there are none.
    async fn currency(&self, drafts: &Drafts) -> Result<Option<Currency>, ProviderError> {
        if drafts.lines.iter().all(|line| line.amount.is_none()) {
            return Ok(None);
        }
        match drafts.named.as_slice() {
            [] => {}
            [one] => return Ok(Some(*one)),
            several => {
                let words = format!("amounts in several currencies: {several:?}");
                return Err(ProviderError::answered(ErrorKind::Inconsistent, USAGE, words));
            }
        }
        let failure = match self.api.account(self.cx).await {
            Ok(account) => match account.currency.good() {
                Some(currency) => return Ok(Some(currency.code)),
                None => ProviderError::answered(
                    ErrorKind::Protocol,
                    ACCOUNT,
                    "the account names no currency",
                ),
            },
            Err(error) => error,
        };
        if !self.api.subsidiary_is_guessed()
            && let Some(book) = self.prices.book(self.api, self.cx, self.notes).await
        {
            return Ok(Some(book.currency()));
        }
        let detail = format!(
            "the currency of the usage is not known: allow GET /me, or set `subsidiary`: {}",
            failure.detail
        );
        Err(ProviderError { detail, ..failure })
    }

    /// The price catalogue, where only it can tell what a flavour is.
    async fn book(&self, drafts: &Drafts) -> Option<&Book> {
        let unfamiliar = |line: &Draft| line.kind == Gear::Machine(Kind::Unfamiliar);
        if drafts.lines.iter().any(unfamiliar) {
            self.prices.book(self.api, self.cx, self.notes).await
        } else {
            None
        }
    }
}

/// The first moment of the month (UTC) that holds this time.
fn month_of(time: DateTime<Utc>) -> DateTime<Utc> {
    let day = time.date_naive();
    day.with_day(1).unwrap_or(day).and_time(NaiveTime::MIN).and_utc()
}

/// The time that a usage covers: its period, as far as it had been filled at the last update. One
/// that says neither covers nobody knows what.
fn span(usage: &Usage, now: DateTime<Utc>) -> Result<Span, ProviderError> {
    let time = |field: &Lenient<String>| {
        let time = DateTime::parse_from_rfc3339(field.good()?).ok()?;
        Some(time.to_utc())
    };
    let period = usage.period.good();
    let month = month_of(now);
    let from = period.and_then(|period| time(&period.from)).unwrap_or(month);
    let ends = [period.and_then(|period| time(&period.to)), time(&usage.last_update)];
    let Some(until) = ends.into_iter().flatten().min() else {
        let words = "the usage does not say until when it reaches";
        return Err(ProviderError::answered(ErrorKind::Protocol, USAGE, words));
    };
    if month_of(from) != month {
        return Ok(Span::Another(from));
    }
    Ok(Span::This(from, until.min(now).max(from)))
}

impl Drafts {
    fn of(usage: &Usage) -> Self {
        let mut drafts = Self::default();
        drafts.part("hourlyUsage", &usage.hourly, true);
        drafts.part("monthlyUsage", &usage.monthly, false);
        drafts.list("resourcesUsage", &usage.resources, false, false);
        drafts
    }

    fn part(&mut self, name: &str, part: &Lenient<Part>, hourly: bool) {
        let Some(lists) = part.good() else { return self.unsaid.push(name.to_owned()) };
        if !lists.contains_key(MACHINES) {
            self.unsaid.push(format!("{name}.{MACHINES}"));
        }
        for (list, entries) in lists {
            self.list(&format!("{name}.{list}"), entries, list == MACHINES, hourly);
        }
    }

    fn list(&mut self, path: &str, entries: &Lenient<Entries>, machines: bool, hourly: bool) {
        let Some(entries) = entries.good() else { return self.unsaid.push(path.to_owned()) };
        for entry in entries {
            match entry.good() {
                Some(entry) if machines => self.machines(path, entry, hourly),
                Some(entry) => {
                    let amount = self.amount(&entry.total_price, path);
                    self.lines.push(Draft { amount, ..Draft::other(entry) });
                }
                None => self.unsaid.push(format!("an entry of {path}")),
            }
        }
    }

    /// The machines of one plan in one region, each a line of its own. What their total holds
    /// besides becomes a line, too, so that the lines make up the total.
    fn machines(&mut self, path: &str, entry: &Entry, hourly: bool) {
        let total = self.amount(&entry.total_price, path);
        let hours = |quantity: &Lenient<Quantity>| {
            if hourly { quantity.good().and_then(self::hours) } else { None }
        };
        let whole = Draft { hours: hours(&entry.quantity), amount: total, ..Draft::machine(entry) };
        let details: Vec<&Detail> = match entry.details.good() {
            Some(details) => details.iter().filter_map(Lenient::good).collect(),
            None => Vec::new(),
        };
        if details.is_empty() {
            self.unsaid.push(format!("{path}.details"));
            return self.lines.push(whole);
        }
        let mut sum = Decimal::ZERO;
        for detail in details {
            let native = detail.instance_id.good().cloned();
            if native.is_none() {
                self.unsaid.push(format!("{path}.details.instanceId"));
            }
            let quantity = hours(&detail.quantity);
            if hourly && quantity.is_none() {
                self.unsaid.push(format!("{path}.details.quantity"));
            }
            let amount = self.amount(&detail.total_price, &format!("{path}.details"));
            sum += amount.unwrap_or_default();
            self.lines.push(Draft { native, hours: quantity, amount, ..Draft::machine(entry) });
        }
        let rest = total.map(|total| (total - sum).round_dp(DIGITS)).filter(|rest| !rest.is_zero());
        if let Some(rest) = rest {
            self.uneven += 1;
            self.lines.push(Draft { hours: None, amount: Some(rest), ..whole });
        }
    }

    fn amount(&mut self, total: &Lenient<Total>, path: &str) -> Option<Decimal> {
        let Some(total) = total.good() else {
            self.unsaid.push(format!("{path}.totalPrice"));
            return None;
        };
        let (Amount(amount), currency) = match *total {
            Total::Bare(amount) => (amount, None),
            Total::Named { value, currency_code } => (value, currency_code),
        };
        if let Some(currency) = currency.filter(|currency| !self.named.contains(currency)) {
            self.named.push(currency);
        }
        Some(amount)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut names = self.unsaid.clone();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            let more = match names.len().saturating_sub(MOST_NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            names.truncate(MOST_NAMES);
            notes.push(format!("OVHcloud's usage leaves out {}{more}", names.join(", ")));
        }
        if self.uneven > 0 {
            notes.push(format!(
                "{} of OVHcloud's totals are not what their machines add up to; the difference is \
                 a line of its own",
                self.uneven
            ));
        }
        notes
    }
}

/// Hours, if the unit is one of time.
fn hours(quantity: &Quantity) -> Option<Decimal> {
    let Amount(value) = *quantity.value.good()?;
    let per_hour = match quantity.unit.good()?.as_str() {
        "Hour" => Decimal::ONE,
        "Minute" => Decimal::from(60),
        "Second" => Decimal::from(3600),
        _ => return None,
    };
    Some(value / per_hour)
}

impl Draft {
    fn other(entry: &Entry) -> Self {
        Self {
            kind: Gear::Other,
            native: None,
            machine_type: None,
            region: entry.region.good().filter(|region| !region.is_empty()).cloned(),
            hours: None,
            amount: None,
        }
    }

    /// A machine's line; its flavour is named by its plan or by itself.
    fn machine(entry: &Entry) -> Self {
        let reference = entry.reference.good().filter(|reference| !reference.is_empty());
        let flavor = reference.map(|code| plan::read(code).map_or(code.as_str(), |read| read.0));
        let kind = flavor.map_or(Kind::Unfamiliar, |flavor| flavor::kind(flavor, ""));
        let machine_type = flavor.map(str::to_owned);
        Self { kind: Gear::Machine(kind), machine_type, ..Self::other(entry) }
    }

    fn line(self, currency: Option<Currency>, book: Option<&Book>) -> BillLine {
        let sold_without = || {
            let told = self.machine_type.as_deref().zip(book);
            told.is_some_and(|(flavor, book)| book.is_ordinary(flavor))
        };
        let kind = match self.kind {
            Gear::Machine(Kind::Accelerated) => BillKind::Compute,
            Gear::Machine(Kind::Unfamiliar) if !sold_without() => BillKind::Compute,
            Gear::Machine(_) | Gear::Other => BillKind::Other,
        };
        BillLine {
            kind,
            native: self.native,
            machine_type: self.machine_type.map(MachineType::new),
            location: self.region.map(Location::new),
            hours: self.hours,
            amount: self
                .amount
                .zip(currency)
                .map(|(amount, currency)| Money::new(amount, currency)),
        }
    }
}

#[cfg(test)]
#[path = "billing_tests.rs"]
mod tests;
