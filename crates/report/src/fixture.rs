//! Documents for the tests: every verdict, every gap, two currencies, hostile names.

mod acting;
mod budgets;
mod leftovers;
mod machines;
mod weekly;

use chrono::{DateTime, FixedOffset, NaiveDate};
use proptest::prelude::*;
use reaper_model::document::{
    AuditDocument, ConfigView, MachineView, Mode, PeriodView, SCHEMA, ScopeStatus, ScopeView,
    TotalsView, Warning,
};
use reaper_model::{Class, Money, Outcome};

pub(crate) use acting::{acted, braked, interrupted, planned, recorded};
pub(crate) use budgets::{budget, budgeted, unalerted};
pub(crate) use leftovers::littered;
pub(crate) use weekly::weekly;

pub(crate) fn money(text: &str) -> Money {
    text.parse().expect("a valid amount")
}

pub(crate) fn time(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).expect("a valid time")
}

pub(crate) fn day(text: &str) -> NaiveDate {
    text.parse().expect("a valid day")
}

fn scope(place: &str, account: Option<&str>, status: ScopeStatus, why: Option<&str>) -> ScopeView {
    let mut parts = place.split('/');
    let mut next = || parts.next().unwrap_or_default();
    let (provider, name) = (next().into(), next().into());
    ScopeView {
        provider,
        account: name,
        provider_account: account.map(Into::into),
        location: Some(next()).filter(|at| !at.is_empty()).map(Into::into),
        status,
        why: why.map(str::to_owned),
        instances: 2,
        requests: 3,
        seconds: 0.5,
    }
}

fn document(instances: Vec<MachineView>, scopes: Vec<ScopeView>) -> AuditDocument {
    AuditDocument {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        run_id: "r-1".to_owned(),
        mode: Mode::Audit,
        now: time("2026-11-30T09:00:00+01:00"),
        period: PeriodView {
            from: time("2026-11-01T00:00:00+01:00"),
            to: time("2026-11-30T09:00:00+01:00"),
            timezone: "Europe/Amsterdam".to_owned(),
        },
        config: ConfigView {
            path: Some("reaper.toml".to_owned()),
            digest: "sha256:0123456789abcdef0123456789abcdef".to_owned(),
        },
        outcome: Outcome::new([Class::Clean], false),
        scopes,
        budgets: Vec::new(),
        spend: Vec::new(),
        bills: Vec::new(),
        report: None,
        totals: TotalsView { instances: instances.len(), ..TotalsView::default() },
        instances,
        leftovers: Vec::new(),
        plan: None,
        mails: Vec::new(),
        enforces: false,
        interrupted: false,
        last_complete_run: None,
        rates: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Every verdict, stopped but billed, two currencies, gaps, unread scopes, an idle, a held, a busy
/// and a silent machine, things left behind, advice.
pub(crate) fn mixed() -> AuditDocument {
    use ScopeStatus::{Complete, Failed, Partial, Skipped};
    let aws = Some("111122223333");
    let mut doc = document(
        vec![
            machines::notebook(),
            machines::shut_off(),
            machines::stopped_in_place(),
            machines::foreign_currency(),
            machines::off_with_disks(),
            machines::all_gaps(),
            machines::exempt(),
            machines::protected(),
            machines::managed(),
            machines::busy(),
            machines::ended(),
        ],
        vec![
            scope("aws/research/eu-west-1", aws, Complete, None),
            scope("aws/research/us-east-1", aws, Complete, None),
            scope("aws/research/eu-west-3", aws, Failed, Some("connection refused")),
            scope("aws/research/af-south-1", aws, Skipped, Some("not enabled in this account")),
            scope("aws/research/ap-east-1", aws, Skipped, Some("not enabled in this account")),
            scope("ovhcloud/lab/GRA11", Some("0123456789abcdef0123456789abcdef"), Complete, None),
            scope("scaleway/poc/fr-par-2", Some("org-1"), Partial, Some("page 2 of 3: HTTP 503")),
            scope("lambda/burst", None, Failed, Some("credentials refused: HTTP 401")),
        ],
    );
    doc.outcome = Outcome::new([Class::Findings, Class::Incomplete], false);
    doc.totals = TotalsView {
        instances: 10,
        gpus: 44,
        stopped_but_billed: 2,
        orphans: 5,
        hourly: vec![money("58.36 EUR"), money("3.29 USD")],
        waste_to_date: vec![money("4060 EUR"), money("78.96 USD")],
        waste_per_month: vec![money("5475 EUR"), money("2401.70 USD")],
        unpriced: 1,
        unjudged: 1,
        ended: 1,
        unmeasured: 1,
        leftovers: 5,
        leftovers_per_month: vec![money("221.65 EUR"), money("240 USD")],
        leftovers_unpriced: 1,
    };
    doc.leftovers = leftovers::leftovers();
    leftovers::advise(&mut doc);
    doc.rates = vec![reaper_model::document::RateView {
        from: "GBP".parse().expect("valid"),
        to: reaper_model::Currency::EUR,
        rate: "1.14".to_owned(),
        as_of: day("2026-11-28"),
    }];
    doc.warnings = vec![Warning {
        code: "price-unknown".to_owned(),
        text: "no price for this type: add a [[price]] entry".to_owned(),
        subject: Some("p9x.192xlarge".to_owned()),
    }];
    doc
}

/// Complete, clean, EUR alone.
pub(crate) fn nothing_found() -> AuditDocument {
    let aws = Some("111122223333");
    let mut doc = document(
        vec![machines::busy(), machines::protected()],
        vec![
            scope("aws/research/eu-west-1", aws, ScopeStatus::Complete, None),
            scope("scaleway/poc/fr-par-2", Some("org-1"), ScopeStatus::Complete, None),
        ],
    );
    doc.totals.gpus = 9;
    doc.totals.hourly = vec![money("7 EUR")];
    doc
}

/// Text as an attacker would choose it, in every field that comes from outside.
pub(crate) fn nasty() -> AuditDocument {
    with_text("\u{1b}[31m\u{7}\r::error::x\n<img src=x onerror=\"1\">|&\u{202e}`*_\u{200b}\u{9b}2J")
}

/// Any text, control characters and other troublemakers more often than chance would have them.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    let trouble = prop::sample::select(vec![
        "\u{1b}[2K",
        "\r",
        "\n",
        "\t",
        "::",
        "##[",
        " ",
        "|",
        "<",
        "`",
        "\\",
        "&",
        "\u{9b}",
        "\u{202e}",
        "\u{200d}",
        "\u{fe0f}",
        "\u{301}",
        "日",
        "👩\u{1f3fd}",
        "لا",
        "\u{0}",
        "\u{7f}",
    ]);
    let piece = prop_oneof![
        3 => any::<char>().prop_map(String::from),
        2 => "[a-z]{1,12}",
        2 => trouble.prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// The mixed document with one text in every field that comes from outside.
pub(crate) fn with_text(text: &str) -> AuditDocument {
    poisoned(mixed(), text)
}

/// An interrupted, braked run with one text in every field that comes from outside.
pub(crate) fn acted_with_text(text: &str) -> AuditDocument {
    let mut doc = interrupted();
    if let Some(plan) = &mut doc.plan {
        plan.held = vec![text.to_owned()];
    }
    poisoned(doc, text)
}

/// Budgets, spending and bills with one text in every field that comes from outside.
pub(crate) fn budgeted_with_text(text: &str) -> AuditDocument {
    poisoned(unalerted(), text)
}

/// The weekly report with one text in every field that comes from outside.
pub(crate) fn weekly_with_text(text: &str) -> AuditDocument {
    poisoned(weekly(), text)
}

/// So many orphans of equal make with ids of their own, as a run that is to stop them all.
pub(crate) fn fleet(size: usize) -> AuditDocument {
    let mut doc = weekly();
    let waiting = doc.instances.swap_remove(1);
    let name = |number: usize| format!("notebook-{number:05}");
    doc.instances = (0..size)
        .map(|number| {
            let mut machine = waiting.clone();
            machine.name = Some(name(number));
            machine.native_id = format!("6ba7b810-9dad-11d1-80b4-{number:012}");
            machine.id =
                format!("ovhcloud/0123456789abcdef0123456789abcdef/GRA11/{}", machine.native_id);
            machine.action.result = None;
            machine.action.result_why = None;
            machine.stopped_but_billed = number % 7 == 0;
            if let Some(cost) = &mut machine.cost {
                cost.per_month_if_left.amount += rust_decimal::Decimal::from(number * 37 % 1_000);
            }
            machine
        })
        .collect();
    (doc.totals.instances, doc.totals.orphans) = (size, size);
    doc
}

fn poisoned(mut doc: AuditDocument, text: &str) -> AuditDocument {
    for machine in &mut doc.instances {
        machine.name = Some(text.to_owned());
        machine.native_id = text.to_owned();
        machine.id = text.to_owned();
        machine.provider_state = text.to_owned();
        machine.machine_type = text.into();
        machine.location = text.into();
        machine.raw_tags = vec![text.to_owned()];
        machine.owner.id = Some(text.to_owned());
        machine.why = text.to_owned();
        machine.action.why = Some(text.to_owned());
        machine.gpu_why = Some(text.to_owned());
        machine.price_why = Some(text.to_owned());
        machine.action.call = Some(text.to_owned());
        machine.action.result_why = Some(text.to_owned());
        machine.action.loses = vec![text.to_owned()];
        if let Some(case) = &mut machine.case {
            text.clone_into(&mut case.rule);
        }
        let usage = &mut machine.utilisation;
        for said in [
            &mut usage.gpu_peak,
            &mut usage.coverage,
            &mut usage.source,
            &mut usage.why,
            &mut usage.summary,
            &mut usage.window,
            &mut usage.idle_gpus,
        ] {
            *said = said.as_ref().map(|_| text.to_owned());
        }
        for advice in &mut machine.advice {
            text.clone_into(&mut advice.text);
        }
        for finding in &mut machine.findings {
            finding.explanation = text.to_owned();
        }
        for charged in &mut machine.action.still_charged {
            charged.kind = text.to_owned();
            charged.id = text.to_owned();
        }
    }
    for leftover in &mut doc.leftovers {
        text.clone_into(&mut leftover.id);
        text.clone_into(&mut leftover.native_id);
        leftover.name = Some(text.to_owned());
        leftover.account = text.into();
        leftover.location = text.into();
        leftover.owner.id = Some(text.to_owned());
        leftover.of = Some(text.to_owned());
        leftover.age_why = Some(text.to_owned());
        leftover.price_why = Some(text.to_owned());
    }
    for mail in &mut doc.mails {
        text.clone_into(&mut mail.to);
        text.clone_into(&mut mail.subject);
        mail.why = Some(text.to_owned());
    }
    for scope in &mut doc.scopes {
        scope.location = Some(text.into());
        scope.why = Some(text.to_owned());
    }
    for budget in &mut doc.budgets {
        text.clone_into(&mut budget.name);
        text.clone_into(&mut budget.percent);
        budget.why = vec![text.to_owned()];
        budget.forecast_why = Some(text.to_owned());
        for texts in [&mut budget.thresholds, &mut budget.reached, &mut budget.new] {
            texts.push(text.to_owned());
        }
    }
    if let Some(report) = &mut doc.report {
        for change in report.new.iter_mut().chain(&mut report.gone) {
            text.clone_into(&mut change.id);
            (change.name, change.owner) = (Some(text.to_owned()), Some(text.to_owned()));
            change.machine_type = Some(text.into());
        }
        for kept in &mut report.kept {
            (kept.id, kept.why) = (text.to_owned(), text.to_owned());
            (kept.name, kept.owner) = (Some(text.to_owned()), Some(text.to_owned()));
        }
        for stopped in &mut report.stopped {
            text.clone_into(&mut stopped.id);
            (stopped.name, stopped.owner) = (Some(text.to_owned()), Some(text.to_owned()));
            (stopped.rule, stopped.account) = (Some(text.to_owned()), Some(text.into()));
        }
    }
    for row in &mut doc.spend {
        row.owner = Some(text.to_owned());
    }
    for bill in &mut doc.bills {
        bill.account = text.into();
        bill.why = Some(text.to_owned());
        bill.difference_percent = Some(text.to_owned());
    }
    doc.warnings[0].text = text.to_owned();
    doc.warnings[0].subject = Some(text.to_owned());
    doc.config.path = Some(text.to_owned());
    doc
}
