//! What Scaleway has counted for the organisation since its month began, by product, zone and
//! project: before tax and before discounts, which it keeps apart. Of single servers it tells
//! nothing.
//!
//! A unit `minute` cannot be taken at its word. In the one recording of a real account, products of
//! this unit that are priced by the hour have hours for a quantity, and one that is priced by the
//! minute has minutes. Which of the two it is the amount tells, held against the list price.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, NaiveTime, Utc};
use reaper_http::Lenient;
use reaper_model::{
    Bill, BillKind, BillLine, Currency, Location, MachineType, Money, ProviderAccount,
    ProviderName, Unit,
};
use reaper_provider::{CallContext, Catalogue, ErrorKind, ProviderError};
use rust_decimal::Decimal;

use crate::client::{Api, CONSUMPTIONS};
use crate::products::{ProductBook, Products};
use crate::wire::{Consumption, Consumptions, Quantity, Value};

/// Digits behind the point of `nanos`.
const NANO: u32 = 9;
/// How far an amount may be from the list price and still tell minutes from hours, which are
/// sixty times apart: prices move, and every server is rounded by itself.
const TOLERANCE: u32 = 4;

/// What reading a bill needs.
#[derive(Debug)]
pub(crate) struct Billing<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) organisation: &'a ProviderAccount,
    /// Only these projects; empty for the whole organisation.
    pub(crate) projects: &'a [String],
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) book: &'a ProductBook,
}

/// All pages of one list, read one after the other.
#[derive(Debug, Default)]
struct Pass {
    entries: Vec<Lenient<Consumption>>,
    /// Entries as last announced.
    announced: Option<u64>,
    /// Until when they were counted, as each page says.
    updated: BTreeSet<Option<DateTime<Utc>>>,
    /// A page without a list.
    unsaid: bool,
}

/// What a reader should know of the lines.
#[derive(Debug, Default)]
struct Gaps {
    unreadable: usize,
    without_amount: usize,
    without_hours: BTreeSet<String>,
    without_list: bool,
}

impl Billing<'_> {
    /// Reads the bill of the month that holds the run's clock.
    pub(crate) async fn read(&self) -> Result<Bill, ProviderError> {
        let now = self.cx.now;
        let day = now.date_naive();
        let from = day.with_day(1).unwrap_or(day).and_time(NaiveTime::MIN).and_utc();
        let month = from.format("%Y-%m").to_string();
        let wanted: Vec<Option<&str>> = match self.projects {
            [] => vec![None],
            projects => projects.iter().map(|project| Some(project.as_str())).collect(),
        };
        let unread = Products::new(Vec::new(), now);
        let mut gaps = Gaps::default();
        let mut lines = Vec::new();
        let mut reaches = BTreeSet::new();
        for project in wanted {
            let pass = self.whole(project, &month).await?;
            gaps.without_list |= pass.unsaid;
            reaches.extend(pass.reach(from)?);
            for entry in &pass.entries {
                match entry.good() {
                    Some(entry) => {
                        lines.push(line(entry, self.catalogue, self.book, &unread, &mut gaps));
                    }
                    None => gaps.unreadable += 1,
                }
            }
        }
        Ok(Bill {
            provider: ProviderName::new("scaleway"),
            account: self.organisation.clone(),
            from,
            until: reaches.first().map_or(from, |until| (*until).min(now).max(from)),
            lines,
            notes: gaps.notes(),
        })
    }

    /// A list that adds up. One that changed while it was read is read a second time.
    async fn whole(&self, project: Option<&str>, month: &str) -> Result<Pass, ProviderError> {
        for _ in 0..2 {
            let pass = self.pass(project, month).await?;
            if pass.adds_up() {
                return Ok(pass);
            }
        }
        let words = "the pages of the list do not belong together, also at the second try";
        Err(ProviderError::answered(ErrorKind::Inconsistent, CONSUMPTIONS, words))
    }

    async fn pass(&self, project: Option<&str>, month: &str) -> Result<Pass, ProviderError> {
        let mut pages = self.api.consumptions(self.organisation, project, month);
        let mut pass = Pass::default();
        while let Some(page) = pages.next::<Consumptions>(self.cx).await? {
            // Beyond the end nothing is said, also not of the time.
            if pass.updated.is_empty() || page.entries_are_there() {
                pass.updated.insert(page.updated_at.good().and_then(|time| utc(time)));
            }
            match page.lines {
                Lenient::Good(entries) => pass.entries.extend(entries),
                Lenient::Missing => pass.unsaid = true,
                Lenient::Bad(kind) => {
                    let words = format!("`consumptions`: {kind}");
                    return Err(ProviderError::answered(ErrorKind::Protocol, CONSUMPTIONS, words));
                }
            }
        }
        pass.announced = pages.announced();
        Ok(pass)
    }
}

/// One line. A machine counts as one with GPUs wherever the listing would count it so, too.
fn line(
    entry: &Consumption,
    catalogue: &Catalogue,
    book: &ProductBook,
    unread: &Products,
    gaps: &mut Gaps,
) -> BillLine {
    let amount = entry.value.good().and_then(money);
    if amount.is_none() {
        gaps.without_amount += 1;
    }
    let Some((kind, zone)) = machine(entry) else {
        let kind = BillKind::Other;
        let (native, machine_type, location, hours) = (None, None, None, None);
        return BillLine { kind, native, machine_type, location, hours, amount };
    };
    let location = Location::new(zone);
    let read = book.of(&location);
    let products = read.as_deref().unwrap_or(unread);
    let is_gpu = products.accelerator(&kind, catalogue).is_some();
    let listed = catalogue.price(&kind, location.as_str(), Unit::Hour);
    let hourly = products.get(&kind).and_then(|product| product.hourly);
    let hours = hours(entry, amount, hourly.or(listed.map(|price| price.money.amount)));
    if is_gpu && hours.is_none() {
        gaps.without_hours.insert(kind.clone());
    }
    BillLine {
        kind: if is_gpu { BillKind::Compute } else { BillKind::Other },
        native: None,
        machine_type: Some(MachineType::new(kind)),
        location: Some(location),
        hours,
        amount,
    }
}

impl Consumptions {
    fn entries_are_there(&self) -> bool {
        self.lines.good().is_some_and(|entries| !entries.is_empty())
    }
}

impl Pass {
    /// Whether the pages belong together: all counted until the same time, as many as announced,
    /// and none twice.
    fn adds_up(&self) -> bool {
        let count = self.entries.len() as u64;
        let readable = || self.entries.iter().filter_map(Lenient::good);
        let names: BTreeSet<_> = readable()
            .map(|entry| {
                let names =
                    [&entry.project_id, &entry.sku, &entry.product_name, &entry.resource_name];
                names.map(Lenient::good)
            })
            .collect();
        self.announced.is_none_or(|announced| announced == count)
            && self.updated.len() <= 1
            && names.len() == readable().count()
    }

    /// Until when all was counted: not beyond the start of the month where there is no list, and
    /// `None` where there is nothing to say it of.
    fn reach(&self, from: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, ProviderError> {
        if self.unsaid {
            return Ok(Some(from));
        }
        match self.updated.first().copied().flatten() {
            None if !self.entries.is_empty() => {
                let words = "Scaleway does not say until when it has counted";
                Err(ProviderError::answered(ErrorKind::Protocol, CONSUMPTIONS, words))
            }
            time => Ok(time),
        }
    }
}

impl Gaps {
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.without_list {
            notes
                .push("Scaleway gave no list of consumptions: nothing is known of them".to_owned());
        }
        if self.unreadable > 0 {
            notes.push(format!("{} of Scaleway's lines cannot be read", self.unreadable));
        }
        if self.without_amount > 0 {
            notes.push(format!("{} of Scaleway's lines have no amount", self.without_amount));
        }
        if !self.without_hours.is_empty() {
            let kinds: Vec<&str> = self.without_hours.iter().map(String::as_str).collect();
            notes.push(format!(
                "the hours of {} are not known: Scaleway's quantity is neither its hours nor its \
                 minutes at the list price",
                kinds.join(", ")
            ));
        }
        notes
    }
}

fn utc(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
}

/// The type and zone of a server's line, which its product id names:
/// `/compute/h100_sxm_8_80g/run_fr-par-2`. `None` for any other product.
fn machine(entry: &Consumption) -> Option<(String, String)> {
    let sku = entry.sku.good()?;
    let (kind, place) = sku.strip_prefix("/compute/")?.split_once("/run_")?;
    if kind.is_empty() || kind.contains('/') || place.contains('/') {
        return None;
    }
    let zone = match place {
        // As the oldest zones are called there.
        "par1" => "fr-par-1",
        "par2" => "fr-par-2",
        "ams1" => "nl-ams-1",
        other => other,
    };
    Some((kind.to_uppercase().replace('_', "-"), zone.to_owned()))
}

/// An amount with its currency; without one it is no amount.
fn money(value: &Value) -> Option<Money> {
    let currency: Currency = value.currency_code.good()?.parse().ok()?;
    let (units, nanos) = (value.units.good(), value.nanos.good());
    if units.is_none() && nanos.is_none() {
        return None;
    }
    let of = |part: Option<&i64>, digits| Decimal::new(part.copied().unwrap_or(0), digits);
    Some(Money::new((of(units, 0) + of(nanos, NANO)).normalize(), currency))
}

/// The hours of a line. Those of `minute` are whichever of quantity and sixtieth of it fits the
/// amount; where neither does, or there is nothing to hold it against, they are not known.
fn hours(entry: &Consumption, amount: Option<Money>, hourly: Option<Decimal>) -> Option<Decimal> {
    let Quantity(quantity) = *entry.billed_quantity.good()?;
    match entry.unit.good()?.as_str() {
        "hour" => Some(quantity),
        "minute" => {
            let (amount, hourly) = (amount?.amount, hourly?);
            let tolerance = Decimal::from(TOLERANCE);
            let fits = |hours: &Decimal| {
                let expected = *hours * hourly;
                amount > Decimal::ZERO
                    && amount <= expected * tolerance
                    && expected <= amount * tolerance
            };
            [quantity / Decimal::from(60), quantity].into_iter().find(fits)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "billing_tests.rs"]
mod tests;
