//! The output for Prometheus: figures of one run, for the textfile collector. Only gauges, in base
//! units. No label holds a person or a machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use chrono::{DateTime, Utc};
use reaper_model::document::{
    AuditDocument, Billing, BudgetView, MachineView, ScopeStatus, Verdict,
};
use reaper_model::{ActionResult, Class, Currency, Money, State, Totals};
use rust_decimal::Decimal;

use crate::clean::clean;
use crate::summary;

/// What a document does not know of its own run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFigures {
    /// When it ended.
    pub finished_at: DateTime<Utc>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// When a run last succeeded, this one included; `None`: none is known to have.
    pub last_success: Option<DateTime<Utc>>,
}

const LAST_SUCCESS: &str = "reaper_run_last_success_timestamp_seconds";

const VERDICTS: [Verdict; 6] = [
    Verdict::Ok,
    Verdict::Orphan,
    Verdict::Exempt,
    Verdict::Protected,
    Verdict::Managed,
    Verdict::Unjudged,
];

const RESULTS: [ActionResult; 5] = [
    ActionResult::Confirmed,
    ActionResult::Unconfirmed,
    ActionResult::Refused,
    ActionResult::AlreadyGone,
    ActionResult::SkippedChanged,
];

/// Writes the figures in the text format of Prometheus.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn prometheus(
    doc: &AuditDocument,
    run: &RunFigures,
    out: &mut impl io::Write,
) -> io::Result<()> {
    for family in families(doc, run) {
        family.write(out)?;
    }
    Ok(())
}

/// When a run last succeeded, as an earlier file says: a run that fails keeps it.
pub fn last_success(earlier: &str) -> Option<DateTime<Utc>> {
    let value = earlier.lines().find_map(|line| line.strip_prefix(LAST_SUCCESS)?.strip_prefix(' '));
    let seconds = value?.trim().parse().ok()?;
    DateTime::from_timestamp(seconds, 0)
}

/// Samples of one name.
struct Family {
    name: &'static str,
    help: &'static str,
    samples: Vec<(Vec<(&'static str, String)>, Decimal)>,
}

impl Family {
    fn new(name: &'static str, help: &'static str) -> Self {
        Self { name, help, samples: Vec::new() }
    }

    fn one(name: &'static str, help: &'static str, value: impl Into<Decimal>) -> Self {
        let mut family = Self::new(name, help);
        family.samples.push((Vec::new(), value.into()));
        family
    }

    fn add<const N: usize>(
        &mut self,
        labels: [(&'static str, &str); N],
        value: impl Into<Decimal>,
    ) {
        let labels = labels.into_iter().map(|(name, value)| (name, escaped(value))).collect();
        self.samples.push((labels, value.into()));
    }

    /// Nothing of a family without samples: a name without a value would say that it is known.
    fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        if self.samples.is_empty() {
            return Ok(());
        }
        writeln!(out, "# HELP {} {}", self.name, self.help)?;
        writeln!(out, "# TYPE {} gauge", self.name)?;
        // Two samples with the same labels would make the whole file invalid.
        let mut there = BTreeSet::new();
        for (labels, value) in &self.samples {
            let labels: Vec<String> =
                labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
            let labels =
                if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let value = value.normalize();
            if there.insert(labels.clone()) {
                writeln!(out, "{}{labels} {value}", self.name)?;
            }
        }
        Ok(())
    }
}

/// A label's value: cleaned, and what would end it escaped.
fn escaped(text: &str) -> String {
    clean(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn families(doc: &AuditDocument, run: &RunFigures) -> Vec<Family> {
    let mut all = of_the_run(doc, run);
    all.extend([scopes(doc), instances(doc)]);
    all.push(costs(
        doc,
        Family::new(
            "reaper_fleet_cost_per_hour",
            "List price of an hour of all billed machines with a known price.",
        ),
        |_| true,
    ));
    all.push(costs(
        doc,
        Family::new(
            "reaper_orphan_cost_per_hour",
            "List price of an hour of the billed machines that look forgotten.",
        ),
        |machine| machine.verdict == Verdict::Orphan,
    ));
    all.extend(left_and_unmeasured(doc));
    all.extend(budgets(doc));
    all.push(stops(doc));
    let mut build = Family::new("reaper_build_info", "The version that ran; always 1.");
    build.add([("version", &doc.version)], 1);
    all.push(build);
    all
}

fn of_the_run(doc: &AuditDocument, run: &RunFigures) -> Vec<Family> {
    let complete = summary::unread(doc).is_none()
        && !doc.interrupted
        && !doc.outcome.classes.contains(&Class::Incomplete);
    let mut success = Family::new(
        LAST_SUCCESS,
        "When a run last did its work: exit code 0 or 10, or held by the brake.",
    );
    if let Some(at) = run.last_success {
        success.add([], at.timestamp());
    }
    vec![
        success,
        Family::one(
            "reaper_run_last_completion_timestamp_seconds",
            "When the run ended that these figures are of, however it ended.",
            run.finished_at.timestamp(),
        ),
        Family::one(
            "reaper_run_duration_seconds",
            "How long that run took.",
            Decimal::from(run.duration_ms) / Decimal::ONE_THOUSAND,
        ),
        Family::one(
            "reaper_run_complete",
            "1 if every place was read in full; else all sums are lower bounds.",
            u8::from(complete),
        ),
    ]
}

/// An account is up when all of it that was asked for was read in full.
fn scopes(doc: &AuditDocument) -> Family {
    let mut up: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for scope in doc.scopes.iter().filter(|scope| scope.status != ScopeStatus::Skipped) {
        let account = (scope.provider.as_str(), scope.account.as_str());
        *up.entry(account).or_insert(true) &= !summary::is_unread(scope.status);
    }
    let mut family = Family::new(
        "reaper_scope_up",
        "1 if all places of the account that were asked for were read in full.",
    );
    for ((provider, account), up) in up {
        family.add([("provider", provider), ("account", account)], u8::from(up));
    }
    family
}

/// Every provider with every verdict, so that no series goes away when its last machine does.
fn instances(doc: &AuditDocument) -> Family {
    let mut family = Family::new("reaper_instances", "Machines that were seen, by verdict.");
    for provider in providers(doc) {
        for verdict in VERDICTS {
            let number = doc
                .instances
                .iter()
                .filter(|machine| !matches!(machine.state, State::Ended | State::Ending))
                .filter(|machine| machine.provider.as_str() == provider)
                .filter(|machine| machine.verdict == verdict)
                .count();
            family.add([("provider", provider), ("verdict", verdict.name())], number);
        }
    }
    family
}

fn providers(doc: &AuditDocument) -> BTreeSet<&str> {
    let scopes = doc.scopes.iter().map(|scope| scope.provider.as_str());
    scopes.chain(doc.instances.iter().map(|machine| machine.provider.as_str())).collect()
}

/// Sums of list prices, each provider and currency for itself; 0 where a provider has no machine.
fn costs(doc: &AuditDocument, mut family: Family, counts: fn(&MachineView) -> bool) -> Family {
    for provider in providers(doc) {
        let billed = || {
            doc.instances.iter().filter(|machine| {
                machine.provider.as_str() == provider && machine.billing != Billing::NotBilled
            })
        };
        let price = |machine: &MachineView| machine.price.as_ref().map(|price| price.hourly);
        let currencies: BTreeSet<Currency> =
            billed().filter_map(price).map(|price| price.currency).collect();
        let sums: Totals = billed().filter(|machine| counts(machine)).filter_map(price).collect();
        for currency in currencies {
            let sum = sums.iter().find(|sum| sum.currency == currency);
            let sum = sum.map_or(Decimal::ZERO, |sum| sum.amount);
            family.add([("provider", provider), ("currency", currency.as_str())], sum);
        }
    }
    family
}

/// What costs money beside machines, and of how many machines it is not known whether they idle.
fn left_and_unmeasured(doc: &AuditDocument) -> [Family; 3] {
    let totals = &doc.totals;
    let mut cost = Family::new(
        "reaper_leftovers_per_month",
        "What a month of all leftovers with a known price costs.",
    );
    for sum in &totals.leftovers_per_month {
        cost.add([("currency", sum.currency.as_str())], sum.amount);
    }
    [
        Family::one(
            "reaper_leftovers",
            "Volumes, addresses, snapshots, images and file systems that nobody uses.",
            totals.leftovers,
        ),
        cost,
        Family::one(
            "reaper_machines_unmeasured",
            "Machines of which it was to be measured whether they idle, and is not known.",
            totals.unmeasured,
        ),
    ]
}

fn budgets(doc: &AuditDocument) -> [Family; 4] {
    let mut limit = Family::new("reaper_budget_limit", "The limit of the calendar month.");
    let mut spend = Family::new(
        "reaper_budget_spend",
        "Spent since the start of the month, in the limit's currency.",
    );
    let mut forecast = Family::new(
        "reaper_budget_forecast",
        "What the month will have cost, in the limit's currency.",
    );
    let mut ratio = Family::new("reaper_budget_used_ratio", "Spent, as a share of the limit.");
    for budget in &doc.budgets {
        let name = budget.name.as_str();
        let currency = budget.limit.currency;
        limit.add([("budget", name), ("currency", currency.as_str())], budget.limit.amount);
        let basis = [("budget", name), ("basis", budget.basis.name())];
        let methods = [
            ("fleet", budget.forecast),
            ("if-stopped", budget.forecast_if_stopped),
            ("run-rate", budget.run_rate),
        ];
        if budget.spent.currency == currency {
            spend.add(basis, budget.spent.amount);
        }
        for (method, sum) in methods {
            if let Some(Money { amount, .. }) = sum.filter(|sum| sum.currency == currency) {
                forecast.add([("budget", name), ("method", method)], amount);
            }
        }
        if let Some(used) = used(budget) {
            ratio.add(basis, used);
        }
    }
    [limit, spend, forecast, ratio]
}

/// Cut off, never rounded up, like all percentages: 0.8 is said when 80 % are reached.
fn used(budget: &BudgetView) -> Option<Decimal> {
    if budget.spent.currency != budget.limit.currency {
        return None;
    }
    let used = budget.spent.amount.checked_div(budget.limit.amount)?;
    Some(used.trunc_with_scale(6))
}

fn stops(doc: &AuditDocument) -> Family {
    let mut family =
        Family::new("reaper_stops", "Stops and terminations of that run, by how they ended.");
    for result in RESULTS {
        let ended =
            doc.instances.iter().filter(|machine| machine.action.result == Some(result)).count();
        family.add([("result", result.name())], ended);
    }
    family
}

#[cfg(test)]
mod tests;
