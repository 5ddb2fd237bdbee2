//! What a report tells of its period: what came, what went, what was stopped and what that saved,
//! what the weeks have cost. All of it from the log, so that a report can be made late.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_budget::{Exchange, Piece, amount};
use reaper_ledger::{Meter, State, Stopped};
use reaper_model::document::{ChangeView, KeptView, ReportView, StoppedView, WeekView};
use reaper_model::{ActionResult, Billed, InstanceId, Money, Reading, Totals, Unit, Verb};
use rust_decimal::Decimal;

use crate::machine_view::local;
use crate::weekly::period::Period;

/// Weeks in the trend.
const WEEKS: i32 = 8;

/// What a report is made from.
pub(crate) struct Sources<'a> {
    pub(crate) state: &'a State,
    /// The time that is known to have been billed.
    pub(crate) pieces: &'a [Piece<'a>],
    /// The rates of the report.
    pub(crate) exchange: &'a Exchange,
    pub(crate) zone: Tz,
}

impl Sources<'_> {
    /// The weekly part of the document.
    pub(crate) fn report(&self, period: &Period, kept: Vec<KeptView>) -> ReportView {
        let stopped = self.stopped(period.from, period.until);
        let saved: Totals = stopped.iter().filter_map(|view| view.saved).collect();
        ReportView {
            due_at: local(period.due, self.zone),
            from: local(period.from, self.zone),
            until: local(period.until, self.zone),
            covers: period.covers,
            first: period.first,
            new: self.came(period),
            gone: self.went(period),
            kept,
            stopped,
            saved: saved.iter().map(Money::rounded).collect(),
            trend: self.trend(period.until),
        }
    }

    /// The confirmed stops of a span of time, dearest first.
    pub(crate) fn stopped(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> Vec<StoppedView> {
        let stops = self.state.stops().iter();
        let mut views: Vec<StoppedView> = stops
            .filter(|stop| from < stop.at && stop.at <= until)
            .map(|stop| self.stop(stop, until))
            .collect();
        views.sort_by_key(|view| std::cmp::Reverse(view.saved.map(|money| money.amount)));
        views
    }

    /// One confirmed stop, with what it has saved up to a time.
    pub(crate) fn stop(&self, stop: &Stopped, until: DateTime<Utc>) -> StoppedView {
        let meter = self.state.meter(&stop.id);
        let again = meter.and_then(|meter| running_again(meter, stop.at));
        let before = meter.and_then(|meter| reading_before(meter, stop.called));
        let saved = before.and_then(|reading| {
            let end = again.unwrap_or(until).min(until).max(stop.at);
            let price =
                reading.price.filter(|price| price.unit == Unit::Hour && !reading.committed)?;
            let seconds = (end - stop.at).num_seconds();
            let amount = price.money.times(Decimal::from(seconds)).amount / Decimal::from(3600);
            Some(self.exchange.convert(Money { amount, ..price.money }).rounded())
        });
        let rule = self.state.machine(&stop.id).and_then(|machine| {
            let acts = machine.actions.iter();
            let act = acts.filter(|act| act.at == stop.at && act.result == ActionResult::Confirmed);
            act.map(|act| act.rule.clone()).next_back()
        });
        StoppedView {
            id: stop.id.to_string(),
            provider: stop.id.provider.clone(),
            account: before.map(|reading| reading.account.clone()),
            name: before.and_then(|reading| reading.name.clone()),
            machine_type: before.map(|reading| reading.machine_type.clone()),
            owner: before.and_then(owner),
            verb: stop.verb,
            rule,
            at: local(stop.at, self.zone),
            running_again: again.map(|time| local(time, self.zone)),
            saved,
        }
    }

    /// Machines that were first seen in the period. What the first look of all showed was there
    /// before anybody looked.
    fn came(&self, period: &Period) -> Vec<ChangeView> {
        let Some(first_look) = self.state.metered_since() else { return Vec::new() };
        let machines = self.state.machines().filter(|(_, machine)| {
            let seen = machine.first_seen;
            period.from < seen && seen <= period.until && seen > first_look
        });
        self.changes(machines.map(|(id, machine)| (id, machine.first_seen)), period)
    }

    /// Machines that went away in the period, and did so by themselves.
    fn went(&self, period: &Period) -> Vec<ChangeView> {
        let ended: BTreeSet<&InstanceId> = self
            .state
            .stops()
            .iter()
            .filter(|stop| stop.verb == Verb::Terminate)
            .map(|stop| &stop.id)
            .collect();
        let gone = self.state.meters().filter_map(|(id, meter)| {
            let at = meter.absent?;
            let counts = period.from < at && at <= period.until && !ended.contains(id);
            counts.then_some((id, at))
        });
        self.changes(gone, period)
    }

    fn changes<'b>(
        &self,
        of: impl Iterator<Item = (&'b InstanceId, DateTime<Utc>)>,
        period: &Period,
    ) -> Vec<ChangeView> {
        let costs = self.costs(period.from, period.until);
        let mut views: Vec<ChangeView> = of
            .map(|(id, at)| {
                let reading = self.state.meter(id).and_then(Meter::last).map(|last| &last.reading);
                ChangeView {
                    id: id.to_string(),
                    provider: id.provider.clone(),
                    account: reading.map(|reading| reading.account.clone()),
                    name: reading.and_then(|reading| reading.name.clone()),
                    machine_type: reading.map(|reading| reading.machine_type.clone()),
                    owner: reading.and_then(owner),
                    at: local(at, self.zone),
                    cost: costs.get(id).copied().flatten().map(Money::rounded),
                }
            })
            .collect();
        views.sort_by_key(|view| std::cmp::Reverse(view.cost.map(|money| money.amount)));
        views
    }

    /// What each machine has cost in a span of time; `None` where a price is missing.
    fn costs(
        &self,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> BTreeMap<&InstanceId, Option<Money>> {
        let mut costs: BTreeMap<&InstanceId, Option<Money>> = BTreeMap::new();
        for piece in self.pieces {
            let amount = amount(piece, from, until, self.zone);
            if amount.is_nothing() {
                continue;
            }
            let cost = amount.money.map(|money| self.exchange.convert(money));
            let sum = costs.entry(piece.id);
            let sum = sum.or_insert(cost.map(|money| Money { amount: Decimal::ZERO, ..money }));
            *sum = match (*sum, cost) {
                (Some(sum), Some(cost)) if sum.currency == cost.currency => {
                    Some(Money { amount: sum.amount.saturating_add(cost.amount), ..sum })
                }
                _ => None,
            };
        }
        costs
    }

    /// What everything has cost in each of the last weeks that the log reaches back to.
    fn trend(&self, until: DateTime<Utc>) -> Vec<WeekView> {
        let Some(history) = self.state.metered_since() else { return Vec::new() };
        let week = TimeDelta::weeks(1);
        let starts = (1..=WEEKS).rev().filter_map(|back| until.checked_sub_signed(week * back));
        let weeks = starts.map(|from| (from, from + week));
        weeks
            .filter(|(_, end)| *end > history)
            .map(|(from, end)| {
                let mut spent = Totals::default();
                let mut machines: BTreeSet<&InstanceId> = BTreeSet::new();
                let mut at_least = from < history;
                for piece in self.pieces {
                    let amount = amount(piece, from, end, self.zone);
                    at_least |= piece.doubt.iter().any(|doubt| doubt.touches(from, end));
                    if amount.is_nothing() {
                        continue;
                    }
                    machines.insert(piece.id);
                    match amount.money {
                        Some(money) => spent.add(self.exchange.convert(money)),
                        // A commitment is paid whether or not the machine runs.
                        None => at_least |= !piece.reading.committed,
                    }
                }
                WeekView {
                    from: local(from, self.zone),
                    until: local(end, self.zone),
                    spent: spent.iter().map(Money::rounded).collect(),
                    at_least,
                    machines: machines.len(),
                }
            })
            .collect()
    }
}

fn owner(reading: &Reading) -> Option<String> {
    (!reading.owners.is_empty()).then(|| reading.owners.join(", "))
}

/// The last reading before a time that showed the machine billed.
fn reading_before(meter: &Meter, time: DateTime<Utc>) -> Option<&Reading> {
    let mut billed = meter
        .readings
        .iter()
        .filter(|metered| metered.at <= time && matches!(metered.reading.billed, Billed::Since(_)));
    billed.next_back().map(|metered| &metered.reading)
}

/// When the machine was billed again after a time: as its provider says, else as it was seen.
fn running_again(meter: &Meter, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let newest = meter.last()?;
    let seen_on = meter.seen > time && meter.absent.is_none() && newest.at <= time;
    if seen_on && matches!(newest.reading.billed, Billed::Since(_)) {
        // It reads as before the stop, and no look in between showed it off: since when it runs
        // nobody knows, so nothing was saved.
        return Some(time);
    }
    let again = meter
        .readings
        .iter()
        .find(|metered| metered.at > time && matches!(metered.reading.billed, Billed::Since(_)))?;
    match again.reading.billed {
        Billed::Since(Some(since)) if since > time => Some(since.min(again.at)),
        Billed::Since(_) | Billed::NotSince(_) => Some(again.at),
    }
}
