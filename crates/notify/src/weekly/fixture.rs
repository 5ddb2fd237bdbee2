//! Documents with a weekly report for the tests: two owners with findings, two without, nobody's
//! machine, a place that was not read, two currencies.

// The tests over SMTP take this file in by its path.
#[path = "fixture/leftovers.rs"]
mod leftovers;
#[path = "fixture/machines.rs"]
mod machines;

use chrono::{DateTime, FixedOffset};
use reaper_model::document::{
    AlertStatus, AuditDocument, Basis, BudgetStatus, BudgetView, ChangeView, ConfigView, KeptView,
    Mode, PeriodView, PlanView, PlannedAction, ReportView, SCHEMA, ScopeStatus, ScopeView,
    SpendView, StoppedView, TotalsView, Warning, WeekView,
};
use reaper_model::{Class, Money, OnLimit, Outcome, Phase, Verb};

use super::{Address, Owner, Reader, Weekly, key, thread};

pub(crate) use leftovers::leftovers;
pub(crate) use machines::machines;

pub(crate) fn money(text: &str) -> Money {
    text.parse().expect("an amount")
}

pub(crate) fn time(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).expect("a time")
}

fn scope(place: &str, status: ScopeStatus, why: Option<&str>) -> ScopeView {
    let parts: Vec<&str> = place.split('/').collect();
    ScopeView {
        provider: parts[0].into(),
        account: parts[1].into(),
        provider_account: None,
        location: parts.get(2).map(|&at| at.into()),
        status,
        why: why.map(str::to_owned),
        instances: 2,
        requests: 3,
        seconds: 0.5,
    }
}

fn budget(name: &str, spent: &str, percent: &str, status: BudgetStatus) -> BudgetView {
    BudgetView {
        name: name.to_owned(),
        period: "2026-11".to_owned(),
        from: time("2026-11-01T00:00:00+01:00"),
        until: time("2026-12-01T00:00:00+01:00"),
        limit: money("5000 EUR"),
        spent: money(spent),
        basis: Basis::Estimate,
        at_least: false,
        why: Vec::new(),
        percent: percent.to_owned(),
        status,
        forecast: Some(money("5890 EUR")),
        forecast_if_stopped: None,
        run_rate: None,
        forecast_why: None,
        thresholds: vec!["50%".to_owned(), "80%".to_owned()],
        reached: match status {
            BudgetStatus::Ok => Vec::new(),
            _ => vec!["50%".to_owned(), "80%".to_owned()],
        },
        forecast_reached: Vec::new(),
        new: Vec::new(),
        alert: AlertStatus::None,
        at_todays_rates: None,
        on_limit: OnLimit::Report,
    }
}

fn change(id: &str, name: &str, owner: Option<&str>, at: &str, cost: Option<&str>) -> ChangeView {
    ChangeView {
        id: id.to_owned(),
        provider: id.split('/').next().unwrap_or_default().into(),
        account: Some("research".into()),
        name: Some(name.to_owned()),
        machine_type: Some("p4d.24xlarge".into()),
        owner: owner.map(str::to_owned),
        at: time(at),
        cost: cost.map(money),
    }
}

fn stopped(id: &str, name: &str, owner: &str, saved: Option<&str>) -> StoppedView {
    StoppedView {
        id: id.to_owned(),
        provider: id.split('/').next().unwrap_or_default().into(),
        account: Some("poc".into()),
        name: Some(name.to_owned()),
        machine_type: Some("H100-1-80G".into()),
        owner: Some(owner.to_owned()),
        verb: Verb::Stop,
        rule: Some("ownerless".to_owned()),
        at: time("2026-11-25T10:15:00+01:00"),
        running_again: None,
        saved: saved.map(money),
    }
}

/// Eight weeks, oldest first; of the first something is missing.
pub(crate) fn trend() -> Vec<WeekView> {
    let sums =
        ["612.40", "980.00", "1204.75", "1130.10", "1822.00", "2410.35", "2266.00", "1918.25"];
    let last = time("2026-11-30T08:00:00+01:00");
    let weeks = sums.iter().enumerate().map(|(index, sum)| {
        let until = last - chrono::TimeDelta::weeks(7 - i64::try_from(index).expect("small"));
        WeekView {
            from: until - chrono::TimeDelta::weeks(1),
            until,
            spent: vec![money(&format!("{sum} EUR")), money("55 USD")],
            at_least: index == 0,
            machines: 6 + index,
        }
    });
    weeks.collect()
}

/// A week with something of everything; sent by a run that enforces.
pub(crate) fn weekly() -> AuditDocument {
    let mut doc = nothing();
    doc.instances = machines();
    doc.leftovers = leftovers();
    doc.mode = Mode::Run;
    doc.enforces = true;
    doc.scopes.push(scope("aws/research/eu-west-3", ScopeStatus::Failed, Some("HTTP 503")));
    doc.outcome = Outcome::new([Class::Findings, Class::Incomplete], false);
    doc.totals = TotalsView {
        instances: doc.instances.len(),
        gpus: 21,
        stopped_but_billed: 1,
        orphans: 4,
        hourly: vec![money("21.40 EUR"), money("3.29 USD")],
        waste_to_date: vec![money("4060 EUR"), money("78.96 USD")],
        waste_per_month: vec![money("5475 EUR"), money("2401.70 USD")],
        unpriced: 1,
        unjudged: 1,
        ended: 0,
        unmeasured: 1,
        leftovers: 3,
        leftovers_per_month: vec![money("216 EUR")],
        leftovers_unpriced: 1,
    };
    doc.budgets = vec![
        budget("all-gpu", "4212 EUR", "84.2", BudgetStatus::Warn),
        budget("atlas", "900 EUR", "18", BudgetStatus::Ok),
    ];
    doc.spend = vec![
        spend(Some("alice"), "2436 EUR", 2, 0),
        spend(None, "1210 EUR", 2, 1),
        spend(Some("bob"), "420.50 EUR", 1, 0),
    ];
    doc.warnings = vec![Warning {
        code: "price-unknown".to_owned(),
        text: "no price for this type: add a [[price]] entry".to_owned(),
        subject: Some("p9x.192xlarge".to_owned()),
    }];
    if let Some(report) = &mut doc.report {
        report.new = vec![change(
            "aws/111122223333/eu-west-1/i-0alice1",
            "notebook-test",
            Some("alice"),
            "2026-11-24T11:00:00+01:00",
            Some("504 EUR"),
        )];
        report.gone = vec![change(
            "aws/111122223333/eu-west-1/i-0gone",
            "eval-3",
            Some("bob"),
            "2026-11-26T02:00:00+01:00",
            None,
        )];
        report.kept = vec![KeptView {
            id: "aws/111122223333/eu-west-1/i-0carol1".to_owned(),
            name: Some("demo-box".to_owned()),
            owner: Some("carol".to_owned()),
            until: Some(time("2026-12-24T00:00:00+01:00")),
            why: "exempt: customer demo".to_owned(),
            new: true,
            per_month: Some(money("720 EUR")),
        }];
        let mut again =
            stopped("scaleway/org-1/fr-par-2/77aa", "tuning-2", "bob", Some("12.50 EUR"));
        again.running_again = Some(time("2026-11-25T15:00:00+01:00"));
        report.stopped =
            vec![stopped("scaleway/org-1/fr-par-2/66bb", "sweep-1", "bob", Some("310 EUR")), again];
        report.saved = vec![money("322.50 EUR")];
    }
    doc
}

fn spend(owner: Option<&str>, spent: &str, machines: usize, unpriced: usize) -> SpendView {
    SpendView { owner: owner.map(str::to_owned), spent: vec![money(spent)], machines, unpriced }
}

/// A week in which nothing was found and everything was read.
pub(crate) fn nothing() -> AuditDocument {
    let mut instances: Vec<_> = machines()
        .into_iter()
        .filter(|machine| machine.verdict == reaper_model::document::Verdict::Ok)
        .collect();
    for machine in &mut instances {
        machine.utilisation.verdict = reaper_model::document::IdleVerdict::Busy;
        machine.advice.clear();
    }
    AuditDocument {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        run_id: "r-1".to_owned(),
        mode: Mode::Run,
        now: time("2026-11-30T08:06:00+01:00"),
        period: PeriodView {
            from: time("2026-11-01T00:00:00+01:00"),
            to: time("2026-11-30T08:06:00+01:00"),
            timezone: "Europe/Amsterdam".to_owned(),
        },
        config: ConfigView {
            path: Some("reaper.toml".to_owned()),
            digest: "sha256:0123456789abcdef0123456789abcdef".to_owned(),
        },
        outcome: Outcome::new([Class::Clean], false),
        scopes: vec![
            scope("aws/research/eu-west-1", ScopeStatus::Complete, None),
            scope("aws/research/ap-east-1", ScopeStatus::Skipped, Some("not enabled")),
            scope("ovhcloud/lab/GRA11", ScopeStatus::Complete, None),
            scope("scaleway/poc/fr-par-2", ScopeStatus::Complete, None),
            scope("lambda/burst/us-west-1", ScopeStatus::Complete, None),
        ],
        budgets: vec![budget("all-gpu", "900 EUR", "18", BudgetStatus::Ok)],
        spend: Vec::new(),
        bills: Vec::new(),
        report: Some(ReportView {
            due_at: time("2026-11-30T08:00:00+01:00"),
            from: time("2026-11-23T08:00:00+01:00"),
            until: time("2026-11-30T08:00:00+01:00"),
            covers: 1,
            first: false,
            new: Vec::new(),
            gone: Vec::new(),
            kept: Vec::new(),
            stopped: Vec::new(),
            saved: Vec::new(),
            trend: trend(),
        }),
        totals: TotalsView {
            instances: instances.len(),
            gpus: 9,
            hourly: vec![money("7 EUR")],
            ..TotalsView::default()
        },
        instances,
        leftovers: Vec::new(),
        plan: None,
        mails: Vec::new(),
        enforces: true,
        interrupted: false,
        last_complete_run: Some(time("2026-11-29T08:05:00+01:00")),
        rates: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The mail to whoever gets everything.
pub(crate) fn digest(doc: &AuditDocument) -> Weekly<'_> {
    let to = "gpu-team@example.org".parse().expect("an address");
    mail(doc, to, Reader::Digest)
}

/// The mail to an owner.
pub(crate) fn to_owner<'a>(doc: &'a AuditDocument, address: &'a Address) -> Weekly<'a> {
    mail(doc, address.clone(), Reader::Owner(Owner { address, names: &[] }))
}

fn mail<'a>(doc: &'a AuditDocument, to: Address, reader: Reader<'a>) -> Weekly<'a> {
    Weekly {
        key: key(doc, &to).expect("a key"),
        thread: thread(doc, &to).expect("a key"),
        to,
        at: doc.now.to_utc(),
        zone: chrono_tz::Europe::Amsterdam,
        contact: Some("gpu-team@example.org"),
        link: None,
        keep_tag: "reaper-keep",
        doc,
        reader,
    }
}

/// The week with so many things left behind, and so many pieces of advice.
#[cfg(test)]
pub(crate) fn littered(number: usize) -> AuditDocument {
    let mut doc = weekly();
    let volume = doc.leftovers.swap_remove(0);
    doc.leftovers = (0..number)
        .map(|index| {
            let mut leftover = volume.clone();
            leftover.native_id = format!("vol-{index:017}");
            leftover.id = format!("aws/111122223333/eu-west-1/{}", leftover.native_id);
            leftover
        })
        .collect();
    let advice = doc.instances.iter().find_map(|machine| machine.advice.first().cloned());
    doc.instances[0].advice = advice.into_iter().cycle().take(number).collect();
    doc.totals.leftovers = number;
    doc.totals.leftovers_unpriced = 0;
    doc
}

/// The document as one of a run that the brake held: two are due, one is not yet.
pub(crate) fn braked() -> AuditDocument {
    let mut doc = weekly();
    doc.plan = Some(PlanView {
        digest: "sha256:fedcba9876543210fedcba9876543210".to_owned(),
        made_at: doc.now,
        expires_at: time("2026-12-01T08:06:00+01:00"),
        actions: 2,
        machines: 7,
        hourly: vec![money("6.30 EUR")],
        held: vec!["2 of 7 machines are to be acted upon, limits.max_share is 15 %".to_owned()],
    });
    for machine in &mut doc.instances[..2] {
        machine.action.planned = PlannedAction::Stop;
        if let Some(case) = &mut machine.case {
            (case.state, case.due_at) = (Phase::Due, Some(time("2026-11-30T08:00:00+01:00")));
        }
    }
    doc
}

/// The document as one whose period joins two weeks, in a run that came late.
pub(crate) fn joined() -> AuditDocument {
    let mut doc = weekly();
    doc.now = time("2026-11-30T14:54:00+01:00");
    doc.last_complete_run = Some(time("2026-11-18T08:05:00+01:00"));
    if let Some(report) = &mut doc.report {
        report.from = time("2026-11-16T08:00:00+01:00");
        report.covers = 2;
    }
    doc
}
