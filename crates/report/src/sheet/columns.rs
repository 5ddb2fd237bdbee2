//! The columns: name and value side by side, so that none can slip.

use chrono::{DateTime, FixedOffset};
use reaper_model::document::{
    Billing, CostView, IdleVerdict, MachineView, PlannedAction, UtilisationView, WantedAction,
};
use reaper_model::{Money, ProviderAccount, Totals};

use super::row::Row;
use crate::cell::Cell;
use crate::machine;
use crate::{action, advice, keep, utilisation};

/// A column: its name, and what it holds of a row.
type Column = (&'static str, fn(&Row<'_>) -> Cell);

/// All columns in the order of the file.
pub(super) const COLUMNS: [Column; 70] = [
    ("id", |row| Cell::foreign(&row.machine.id)),
    ("provider", |row| Cell::foreign(row.machine.provider.as_str())),
    ("account", |row| Cell::foreign(row.machine.account.as_str())),
    ("provider_account", |row| row.provider_account.map(ProviderAccount::as_str).into()),
    ("location", |row| Cell::foreign(row.machine.location.as_str())),
    ("native_id", |row| Cell::foreign(&row.machine.native_id)),
    ("name", |row| row.machine.name.as_ref().into()),
    ("verdict", |row| Cell::word(row.machine.verdict.name())),
    ("why", |row| Cell::foreign(&row.machine.why)),
    ("rules", |row| texts(row.machine.findings.iter().map(|finding| finding.rule.clone()))),
    ("reasons", |row| {
        texts(row.machine.findings.iter().map(|finding| finding.explanation.clone()))
    }),
    ("gaps", |row| texts(machine::gaps(row.machine))),
    ("stopped_but_billed", |row| Cell::word(yes_or_no(row.machine.stopped_but_billed))),
    ("state", |row| Cell::foreign(row.machine.state.to_string())),
    ("provider_state", |row| Cell::foreign(&row.machine.provider_state)),
    ("billing", |row| Cell::word(billing(row.machine))),
    ("machine_type", |row| (&row.machine.machine_type).into()),
    ("gpu_count", |row| {
        row.machine.gpu.as_ref().map_or(Cell::Null, |gpu| Cell::Own(gpu.count.to_string()))
    }),
    ("gpu_model", |row| row.machine.gpu.as_ref().map(|gpu| &gpu.model).into()),
    ("purchase", |row| Cell::word(machine::purchase(row.machine).unwrap_or("on demand"))),
    ("created_at", |row| time(row.machine.created_at)),
    ("running_since", |row| time(row.machine.running_since)),
    ("first_seen", |row| time(row.machine.first_seen)),
    ("age_hours", |row| row.machine.age_hours.as_ref().into()),
    ("owner", |row| row.machine.owner.id.as_ref().into()),
    ("owner_status", |row| Cell::word(row.machine.owner.status.name())),
    ("owner_email", |row| row.machine.owner.email.as_ref().into()),
    ("team", |row| row.machine.owner.team.as_ref().into()),
    ("managed_by", |row| row.machine.managed_by.as_ref().into()),
    ("protected_by", |row| row.machine.protected.as_ref().into()),
    ("hourly", |row| amount(hourly(row))),
    ("hourly_currency", |row| currency(hourly(row))),
    ("so_far", |row| amount(cost(row, |cost| cost.since_start))),
    ("so_far_currency", |row| currency(cost(row, |cost| cost.since_start))),
    ("month_to_date", |row| amount(cost(row, |cost| cost.month_to_date))),
    ("month_to_date_currency", |row| currency(cost(row, |cost| cost.month_to_date))),
    ("per_day", |row| amount(machine::per_day(row.machine))),
    ("per_day_currency", |row| currency(machine::per_day(row.machine))),
    ("per_month", |row| amount(cost(row, |cost| Some(cost.per_month_if_left)))),
    ("per_month_currency", |row| currency(cost(row, |cost| Some(cost.per_month_if_left)))),
    ("saves_per_month", |row| amount(row.machine.action.saves_per_month)),
    ("saves_per_month_currency", |row| currency(row.machine.action.saves_per_month)),
    ("still_charged", |row| texts(machine::still_charged(row.machine))),
    ("still_charged_per_month", |row| amount(charged(row))),
    ("still_charged_currency", |row| currency(charged(row))),
    ("loses", |row| texts(row.machine.action.loses.iter().cloned())),
    ("wanted", |row| row.machine.action.wanted.map(WantedAction::name).into()),
    ("planned", |row| Cell::word(planned(row.machine.action.planned))),
    ("call", |row| row.machine.action.call.as_ref().into()),
    ("action_why", |row| row.machine.action.why.as_ref().into()),
    ("case_state", |row| row.machine.case.as_ref().map(|case| case.state.name()).into()),
    ("notice_at", |row| time(row.machine.case.as_ref().and_then(|case| case.notice_at))),
    ("due_at", |row| time(row.machine.case.as_ref().and_then(|case| case.due_at))),
    ("outcome", |row| action::of(row.doc, row.machine).map(|action| action.outcome()).into()),
    ("result_why", |row| row.machine.action.result_why.as_ref().into()),
    ("to_keep_it", |row| Cell::foreign(keep::command(row.doc, row.machine))),
    ("data_as_of", |row| Cell::time(row.doc.now)),
    ("last_complete_run", |row| time(row.doc.last_complete_run)),
    ("run_id", |row| Cell::foreign(&row.doc.run_id)),
    ("use", |row| usage(row).map(|usage| verdict(usage.verdict)).into()),
    ("use_cause", |row| {
        usage(row).and_then(|usage| usage.cause).map(utilisation::cause_name).into()
    }),
    ("use_peak", |row| usage(row).and_then(|usage| usage.gpu_peak.as_ref()).into()),
    ("use_coverage", |row| usage(row).and_then(|usage| usage.coverage.as_ref()).into()),
    ("use_source", |row| usage(row).and_then(|usage| usage.source.as_ref()).into()),
    ("use_window", |row| usage(row).and_then(|usage| usage.window.as_ref()).into()),
    ("use_idle_gpus", |row| usage(row).and_then(|usage| usage.idle_gpus.as_ref()).into()),
    ("use_evidence", |row| utilisation::statement(row.machine).into()),
    ("advice", |row| texts(advised(row).iter().map(advice::Piece::line))),
    ("advice_saves_per_month", |row| amount(saving(row))),
    ("advice_saves_currency", |row| currency(saving(row))),
];

/// Nothing of a machine of which nobody asked whether it works.
fn usage<'a>(row: &Row<'a>) -> Option<&'a UtilisationView> {
    utilisation::is_asked(row.machine).then_some(&row.machine.utilisation)
}

const fn verdict(verdict: IdleVerdict) -> &'static str {
    match verdict {
        IdleVerdict::Idle => "idle",
        IdleVerdict::Busy => "busy",
        IdleVerdict::Unknown => "unknown",
    }
}

fn advised<'a>(row: &Row<'a>) -> Vec<advice::Piece<'a>> {
    advice::pieces(row.doc, std::iter::once(row.machine))
}

/// Of the best piece alone: several often exclude each other.
fn saving(row: &Row<'_>) -> Option<Money> {
    advised(row).first().and_then(|piece| piece.advice.saves_per_month)
}

fn texts(texts: impl IntoIterator<Item = String>) -> Cell {
    Cell::foreign(texts.into_iter().collect::<Vec<_>>().join("; "))
}

pub(super) fn time(at: Option<DateTime<FixedOffset>>) -> Cell {
    at.map_or(Cell::Null, Cell::time)
}

/// A price keeps all its digits.
pub(super) fn amount(money: Option<Money>) -> Cell {
    money.map_or(Cell::Null, |money| Cell::Own(money.all_digits()))
}

pub(super) fn currency(money: Option<Money>) -> Cell {
    money.map_or(Cell::Null, |money| Cell::word(money.currency.as_str()))
}

fn hourly(row: &Row<'_>) -> Option<Money> {
    row.machine.price.as_ref().map(|price| price.hourly)
}

/// What compute that is not billed has cost is not 0: it is not asked.
fn cost(row: &Row<'_>, which: fn(&CostView) -> Option<Money>) -> Option<Money> {
    let billed = row.machine.billing != Billing::NotBilled;
    row.machine.cost.as_ref().filter(|_| billed).and_then(which)
}

/// The sum of what stays, where it is known whole and of one currency.
fn charged(row: &Row<'_>) -> Option<Money> {
    let charged = &row.machine.action.still_charged;
    let known: Option<Totals> = charged.iter().map(|item| item.per_month).collect::<Option<_>>();
    match known?.iter().collect::<Vec<_>>()[..] {
        [only] => Some(only),
        _ => None,
    }
}

const fn yes_or_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

const fn billing(machine: &MachineView) -> &'static str {
    match machine.billing {
        Billing::Billed => "billed",
        Billing::NotBilled => "not-billed",
        Billing::Unknown => "unknown",
    }
}

const fn planned(planned: PlannedAction) -> &'static str {
    match planned {
        PlannedAction::Stop => "stop",
        PlannedAction::Terminate => "terminate",
        PlannedAction::Report => "report",
        PlannedAction::None => "none",
    }
}
