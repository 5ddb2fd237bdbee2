//! The audit document of an assessed inventory: order, sums, outcome.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_budget::{Exchange, Month};
use reaper_model::document::{
    AuditDocument, Billing, ConfigView, LeftoverView, MachineView, Mode, PeriodView, PurchaseView,
    RateView, SCHEMA, ScopeStatus, TotalsView, Verdict, Warning,
};
use reaper_model::{Class, Currency, Money, Outcome, State, Totals};
use reaper_policy::{Policy, Suspects};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use crate::assess::Assessed;
use crate::belongings::Belongings;
use crate::collect::Inventory;
use crate::leftover_view::{self, Ground};
use crate::machine_view::{Layout, local};
use crate::measurements;
use crate::scope_view;
use crate::warnings;

/// What a document says of its run.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Version of the program.
    pub version: String,
    /// Names the run.
    pub run_id: String,
    /// The configuration in use.
    pub config: ConfigView,
    /// The zone of months and of all times shown.
    pub zone: Tz,
    /// The clock of the run.
    pub now: DateTime<Utc>,
    /// Currency and rates of the report.
    pub exchange: Exchange,
    /// Whether `owners.fallback` is set.
    pub fallback: bool,
    /// Whether all configured accounts were asked, so that what is not there is nowhere.
    pub all_accounts: bool,
    /// Warnings that arose before the run, from the configuration.
    pub warnings: Vec<Warning>,
    /// Native ids of machines that this tool has lately stopped or ended.
    pub stopped: BTreeSet<String>,
}

/// What a run has seen.
#[derive(Debug)]
pub struct Found<'a> {
    /// What was read.
    pub inventory: &'a Inventory,
    /// The machines, judged.
    pub machines: Vec<Assessed>,
    /// What costs money beside them.
    pub belongings: &'a Belongings,
    /// Sources of measurements that were not believed.
    pub suspects: &'a Suspects,
}

/// Makes the document. The outcome counts no `--fail-on`: that is the command line's.
pub fn document(frame: Frame, found: Found<'_>, policy: &Policy) -> AuditDocument {
    let Frame { zone, now, exchange, .. } = frame;
    let Found { inventory, machines, belongings, suspects } = found;
    let mut said = frame.warnings;
    let whole = frame.all_accounts && inventory.is_whole();
    let run = warnings::Run { policy, fallback: frame.fallback, whole, now };
    said.extend(warnings::warnings(inventory, &machines, &run));
    said.extend(measurements::warnings(&machines, suspects));
    said.extend(belongings.warnings());
    let evidence_unread = machines.iter().any(|machine| {
        machine.judgement.evidence_unread || measurements::unread(machine).is_some()
    });
    let unmeasured = machines.iter().filter(|machine| measurements::lacks(machine)).count();
    let scopes = scope_view::scopes(inventory);
    let layout = Layout { zone, exchange: &exchange, now };
    let ground = Ground { policy, stopped: &frame.stopped };
    let unused = belongings.leftovers(machines.iter().map(|machine| &machine.instance));
    let mut leftovers: Vec<LeftoverView> =
        unused.map(|leftover| layout.leftover(leftover, &ground)).collect();
    leftover_view::sort(&mut leftovers, &exchange);
    let mut instances: Vec<MachineView> =
        machines.into_iter().map(|machine| layout.machine(machine)).collect();
    instances.sort_by(|a, b| by_waste(a, b, exchange.currency()));
    let totals = TotalsView { unmeasured, ..totals(&instances, &leftovers, &exchange) };
    let unread = scopes
        .iter()
        .any(|scope| matches!(scope.status, ScopeStatus::Partial | ScopeStatus::Failed));
    let mut classes = Vec::new();
    if !inventory.wrong_accounts.is_empty() {
        classes.push(Class::Refused);
    }
    if unread || evidence_unread {
        classes.push(Class::Incomplete);
    }
    if totals.orphans > 0 {
        classes.push(Class::Findings);
    }
    let month = Month::holding(now, zone);
    AuditDocument {
        schema: SCHEMA.to_owned(),
        version: frame.version,
        run_id: frame.run_id,
        mode: Mode::Audit,
        now: local(now, zone),
        period: PeriodView {
            from: local(month.start, zone),
            to: local(now, zone),
            timezone: zone.name().to_owned(),
        },
        config: frame.config,
        outcome: Outcome::new(classes, false),
        rates: rates(&instances, &exchange),
        scopes,
        instances,
        leftovers,
        plan: None,
        mails: Vec::new(),
        enforces: false,
        interrupted: false,
        last_complete_run: None,
        budgets: Vec::new(),
        spend: Vec::new(),
        bills: Vec::new(),
        report: None,
        totals,
        warnings: said,
    }
}

/// Orphans first, of them those that look off and are billed, then by what they have cost; amounts
/// without a rate come after those in the report's currency.
fn by_waste(a: &MachineView, b: &MachineView, currency: Currency) -> Ordering {
    let rank = |verdict| match verdict {
        Verdict::Orphan => 0,
        Verdict::Unjudged => 1,
        Verdict::Managed => 2,
        Verdict::Protected => 3,
        Verdict::Exempt => 4,
        Verdict::Ok => 5,
    };
    let cost = |machine: &MachineView| {
        machine.cost.as_ref().map(|cost| {
            let dearest = cost.since_start.unwrap_or(cost.per_month_if_left);
            (dearest.currency == currency, dearest.amount)
        })
    };
    rank(a.verdict)
        .cmp(&rank(b.verdict))
        .then_with(|| b.stopped_but_billed.cmp(&a.stopped_but_billed))
        .then_with(|| cost(b).cmp(&cost(a)))
        .then_with(|| a.id.cmp(&b.id))
}

fn totals(
    instances: &[MachineView],
    leftovers: &[LeftoverView],
    exchange: &Exchange,
) -> TotalsView {
    let sum = |amounts: &mut dyn Iterator<Item = Money>| {
        let totals: Totals = amounts.collect();
        let sums: Vec<Money> = totals.iter().map(Money::rounded).collect();
        sums
    };
    let orphans = || instances.iter().filter(|machine| machine.verdict == Verdict::Orphan);
    let billed = || instances.iter().filter(|machine| machine.billing != Billing::NotBilled);
    let hourly = billed().filter_map(|machine| machine.price.as_ref()).map(|price| price.hourly);
    // Prepaid machines cost the same whether they are forgotten or not.
    let wasteful = |machine: &&MachineView| {
        !matches!(machine.purchase, PurchaseView::Reserved | PurchaseView::Monthly)
    };
    let costs = || orphans().filter(wasteful).filter_map(|machine| machine.cost.as_ref());
    TotalsView {
        instances: instances.iter().filter(|machine| !is_ended(machine)).count(),
        gpus: gpus(instances),
        stopped_but_billed: instances.iter().filter(|machine| machine.stopped_but_billed).count(),
        orphans: orphans().count(),
        hourly: sum(&mut hourly.map(|price| exchange.convert(price))),
        waste_to_date: sum(&mut costs().filter_map(|cost| cost.since_start)),
        waste_per_month: sum(&mut orphans().filter_map(|machine| machine.action.saves_per_month)),
        unpriced: billed().filter(|machine| machine.price.is_none()).count(),
        unjudged: instances.iter().filter(|machine| machine.verdict == Verdict::Unjudged).count(),
        ended: instances.iter().filter(|machine| is_ended(machine)).count(),
        unmeasured: 0,
        leftovers: leftovers.len(),
        leftovers_per_month: sum(&mut leftovers.iter().filter_map(|leftover| leftover.per_month)),
        leftovers_unpriced: leftovers.iter().filter(|one| one.per_month.is_none()).count(),
    }
}

fn is_ended(machine: &MachineView) -> bool {
    matches!(machine.state, State::Ended | State::Ending)
}

fn gpus(instances: &[MachineView]) -> u64 {
    let all: Decimal = instances
        .iter()
        .filter(|machine| !is_ended(machine))
        .filter_map(|machine| machine.gpu.as_ref())
        .filter_map(|gpu| Decimal::from_str_exact(&gpu.count.to_string()).ok())
        .sum();
    all.ceil().to_u64().unwrap_or(u64::MAX)
}

fn rates(instances: &[MachineView], exchange: &Exchange) -> Vec<RateView> {
    let currencies: BTreeSet<Currency> = instances
        .iter()
        .filter_map(|machine| machine.price.as_ref())
        .map(|price| price.hourly.currency)
        .collect();
    currencies
        .into_iter()
        .filter_map(|currency| exchange.rate(currency))
        .map(|rate| RateView {
            from: rate.from,
            to: rate.to,
            rate: rate.rate.to_string(),
            as_of: rate.as_of,
        })
        .collect()
}
