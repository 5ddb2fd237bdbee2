//! `reaper check`: the configuration in force, and what every account's credentials may read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use reaper_config::{Config, ConfigError, Job, Schedule, Told};
use reaper_engine::sensors::probe::NAME as PROBE;
use reaper_engine::{Account, Inventory};
use reaper_model::document::{
    AccountView, BudgetRuleView, CHECK_SCHEMA, CheckDocument, RuleCountView, ScheduleView,
    ScopeStatus, ScopeView, SettingView, Warning,
};
use reaper_model::{
    AccountName, BudgetSpec, Class, Ignorance, InstanceId, Measured, OnLimit, Outcome,
};
use reaper_policy::{Policy, RuleSpec};
use reaper_provider::{ErrorKind, Identity, ProviderError, Sight};
use rust_decimal::Decimal;

use crate::args::{Format, Global};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::{self, Printer, written};
use crate::providers;
use crate::run::{self, Setting, VERSION};
use crate::{channels, open, signals};

/// So many of the times to come are shown.
const NEXT_TIMES: usize = 3;

pub(crate) async fn check(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    offline: bool,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    config.can_alert().map_err(|problems| ConfigError { problems })?;
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    // Whether their addresses and secrets can be used at all; nothing is sent.
    channels::channels(&config, environment)?;
    let clock = run::clock(global, environment)?;
    let setting =
        Setting::new(config, accounts, global, clock, signals::heed()).measured(environment)?;
    let mut out = printer.output()?;
    let document =
        if offline { offline_document(&setting) } else { online(&setting, printer).await? };
    if printer.format() == Format::Json {
        printer::json(&document, out)?;
    } else {
        let text = printer::preformatted(text(&document, offline), printer.format());
        written(out.write_all(text.as_bytes()).and_then(|()| out.finish()))?;
    }
    Ok(ExitCode::from(document.outcome.exit_code))
}

fn offline_document(setting: &Setting) -> CheckDocument {
    let settings = setting.config.effective().iter().map(|setting| SettingView {
        key: setting.key.clone(),
        value: setting.value.clone(),
        default: setting.is_default,
    });
    let accounts = setting.accounts.iter().map(|account| AccountView {
        name: account.name.clone(),
        provider: account.provider.name(),
        expect_account: account.expect_account.clone(),
        provider_account: None,
        login: None,
        missing_permissions: Vec::new(),
        unread: Vec::new(),
    });
    CheckDocument {
        schema: CHECK_SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        config: setting.config_view(),
        outcome: Outcome::new([], false),
        settings: settings.collect(),
        rules: setting.config.policy.rules.iter().map(rule).collect(),
        budgets: setting.config.budgets.iter().map(|spec| budget(&setting.config, spec)).collect(),
        schedules: setting.config.schedules.iter().map(|one| schedule(one, setting)).collect(),
        report_to: report_to(&setting.config),
        accounts: accounts.collect(),
        scopes: Vec::new(),
        obstacles: obstacles(setting),
        warnings: setting.warnings().into_iter().chain(unseen(setting)).collect(),
    }
}

/// Accounts of which no source that is configured here sees the accelerators by itself, where a rule
/// asks whether they idle.
fn unseen(setting: &Setting) -> Option<Warning> {
    let asks = setting.config.policy.rules.iter().any(|rule| {
        let except = rule.except.as_ref();
        rule.when.idle.is_some() || except.is_some_and(|except| except.idle.is_some())
    });
    let sees = |account: &&Account| {
        let mut sources = setting.sensors().of(account.provider.as_ref());
        sources.any(|source| source.sight() == Sight::Gpu && source.name() != PROBE)
    };
    let blind = setting.accounts.iter().filter(|account| !sees(account));
    let names: Vec<&str> = blind.map(|account| account.name.as_str()).collect();
    (asks && !names.is_empty()).then(|| {
        let probe = if setting.config.metrics.probe {
            "only machines on which `reaper probe` runs are measured there"
        } else {
            "nothing is measured there"
        };
        Warning {
            code: "idle-unmeasured".to_owned(),
            text: format!(
                "a rule asks whether GPUs idle, and no cloud or Prometheus tells that of {}: {probe}, \
                 of the others the rule can say nothing; [metrics.prometheus] names a server",
                names.join(", ")
            ),
            subject: Some("metrics".to_owned()),
        }
    })
}

/// What of the measurements could not be read, by account.
fn unmeasured(
    inventory: &Inventory,
    measured: &BTreeMap<InstanceId, Measured>,
) -> BTreeMap<AccountName, BTreeSet<String>> {
    let mut gaps: BTreeMap<AccountName, BTreeSet<String>> = BTreeMap::new();
    for read in &inventory.scopes {
        let told = read.listing.got().iter().filter_map(|machine| measured.get(&machine.id));
        let unread = told.flat_map(|measured| &measured.gaps);
        let unread = unread.filter(|gap| gap.kind == Ignorance::ReadFailed);
        let account = gaps.entry(read.scope.account.clone()).or_default();
        account.extend(unread.map(|gap| gap.why.clone()));
    }
    gaps
}

/// What stands against acting, as far as the configuration says.
fn obstacles(setting: &Setting) -> Vec<String> {
    let config = setting.config.can_enforce().err().unwrap_or_default();
    let unpinned =
        setting.accounts.iter().filter(|account| account.expect_account.is_none()).map(|account| {
            format!(
                "account `{}` is not pinned: it is report-only until it has an expect_account",
                account.name
            )
        });
    config.iter().map(ToString::to_string).chain(unpinned).collect()
}

fn rule(rule: &RuleSpec) -> RuleCountView {
    RuleCountView {
        rule: rule.name.clone(),
        when: rule.when.to_string(),
        except: rule.except.as_ref().map(ToString::to_string),
        action: rule.action,
        yes: None,
        unknown: None,
        of: None,
    }
}

fn budget(config: &Config, spec: &BudgetSpec) -> BudgetRuleView {
    let percents = |points: &[Decimal]| points.iter().map(|point| format!("{point}%")).collect();
    BudgetRuleView {
        budget: spec.name.clone(),
        limit: spec.limit,
        scope: spec.scope.to_string(),
        accounts: config.accounts_of(spec).map(|account| account.name.clone()).collect(),
        thresholds: percents(&spec.thresholds),
        forecast: percents(&spec.forecast),
        recipients: config.recipients_of(spec),
        on_limit: spec.on_limit,
    }
}

/// With the times that come after the clock of the command.
fn schedule(schedule: &Schedule, setting: &Setting) -> ScheduleView {
    let timetable = &schedule.timetable;
    let next = timetable.after(setting.now()).take(NEXT_TIMES);
    ScheduleView {
        job: schedule.job.name().to_owned(),
        cron: timetable.expression().to_owned(),
        timezone: timetable.zone().name().to_owned(),
        jitter: schedule.jitter.to_string(),
        default: schedule.is_default,
        next: next.map(|at| at.with_timezone(&timetable.zone()).fixed_offset()).collect(),
    }
}

fn report_to(config: &Config) -> Vec<String> {
    let addresses = config.email.iter().flat_map(|email| email.report_to.iter().cloned());
    addresses.chain(config.channels.told(Told::Report)).collect()
}

/// Lists everything as an audit does, and reads the details of one machine in each scope.
async fn online(setting: &Setting, printer: &Printer) -> Result<CheckDocument, Failure> {
    let progress = run::progress(printer);
    let mut inventory = setting.collect(&progress).await?;
    let gaps =
        reaper_engine::probe(&mut inventory, &setting.accounts, &setting.watch, setting.now())
            .await;
    let policy = Policy::new(setting.config.policy.clone());
    let means = (setting.sensors(), &setting.watch);
    let measured =
        reaper_engine::measured(&inventory, &setting.accounts, &policy, means, setting.now()).await;
    drop(progress);
    let mut document = offline_document(setting);
    let unmeasured = unmeasured(&inventory, &measured);
    let identities = identities(&inventory);
    let missing = missing_permissions(&inventory);
    for account in &mut document.accounts {
        if let Some(identity) = identities.get(&account.name) {
            account.provider_account = Some(identity.account.clone());
            account.login = Some(identity.login.clone());
        }
        account.missing_permissions = missing.get(&account.name).cloned().unwrap_or_default();
        let gaps = [gaps.get(&account.name), unmeasured.get(&account.name)];
        account.unread = gaps.into_iter().flatten().flatten().cloned().collect();
    }
    let counts = reaper_engine::rule_counts(&inventory, &policy, &measured, setting.now());
    for (view, count) in document.rules.iter_mut().zip(counts) {
        view.yes = Some(count.yes);
        view.unknown = Some(count.unknown);
        view.of = Some(count.of);
    }
    document.scopes = reaper_engine::scopes(&inventory);
    document.warnings.extend(reaper_engine::inventory_warnings(&inventory));
    let unread =
        |scope: &ScopeView| matches!(scope.status, ScopeStatus::Partial | ScopeStatus::Failed);
    let mut classes = Vec::new();
    if !inventory.wrong_accounts.is_empty() {
        classes.push(Class::Refused);
    }
    let gap = document.accounts.iter().any(|account| !account.unread.is_empty());
    if gap || document.scopes.iter().any(unread) {
        classes.push(Class::Incomplete);
    }
    document.outcome = Outcome::new(classes, false);
    Ok(document)
}

fn identities(inventory: &Inventory) -> BTreeMap<AccountName, Identity> {
    let wrong = inventory.wrong_accounts.iter().map(|wrong| (&wrong.account, &wrong.found));
    let failed = inventory
        .failures
        .iter()
        .filter_map(|failure| Some((&failure.account, failure.identity.as_ref()?)));
    let listed = inventory.identities.iter();
    wrong.chain(failed).chain(listed).map(|(name, id)| (name.clone(), id.clone())).collect()
}

fn missing_permissions(inventory: &Inventory) -> BTreeMap<AccountName, Vec<String>> {
    let failures = inventory.failures.iter().map(|failure| (&failure.account, &failure.error));
    let broken = inventory
        .scopes
        .iter()
        .filter_map(|read| Some((&read.scope.account, read.listing.error()?)));
    let mut missing: BTreeMap<AccountName, Vec<String>> = BTreeMap::new();
    for (account, error) in failures.chain(broken) {
        let ProviderError { kind: ErrorKind::Denied { permission }, .. } = error else { continue };
        let known = missing.entry(account.clone()).or_default();
        if !known.contains(permission) {
            known.push(permission.clone());
        }
    }
    missing
}

fn text(document: &CheckDocument, offline: bool) -> String {
    let mut text = String::new();
    let path = document.config.path.as_deref().unwrap_or("(embedded)");
    line(&mut text, format_args!("configuration {path} ({})", document.config.digest));
    line(&mut text, format_args!("\nSETTINGS IN FORCE"));
    let width = document.settings.iter().map(|setting| setting.key.len()).max().unwrap_or(0);
    for SettingView { key, value, default } in &document.settings {
        let mark = if *default { "  (default)" } else { "" };
        line(&mut text, format_args!("  {key:width$}  {value}{mark}"));
    }
    line(&mut text, format_args!("\nRULES"));
    for rule in &document.rules {
        rule_lines(&mut text, rule);
    }
    if !document.budgets.is_empty() {
        line(&mut text, format_args!("\nBUDGETS"));
    }
    for budget in &document.budgets {
        budget_lines(&mut text, budget);
    }
    line(&mut text, format_args!("\nSCHEDULE"));
    for schedule in &document.schedules {
        schedule_lines(&mut text, schedule, &document.report_to);
    }
    line(&mut text, format_args!("\nACCOUNTS"));
    for account in &document.accounts {
        account_lines(&mut text, account, document, offline);
    }
    line(&mut text, format_args!("\nENFORCING"));
    if document.obstacles.is_empty() {
        line(&mut text, format_args!("  nothing stands against `reaper run --enforce`"));
    }
    for obstacle in &document.obstacles {
        line(&mut text, format_args!("  {obstacle}"));
    }
    if !document.warnings.is_empty() {
        line(&mut text, format_args!("\nWARNINGS"));
        for warning in &document.warnings {
            warning_line(&mut text, warning);
        }
    }
    let verdict = match (document.outcome.class, offline) {
        (Class::Clean, true) => "the configuration is valid; no provider was asked (--offline)",
        (Class::Clean, false) => "the configuration is valid and everything could be read",
        (Class::Refused, _) => "REFUSED: an account is not the one that the configuration names",
        _ => "INCOMPLETE: not everything could be read",
    };
    line(&mut text, format_args!("\n{verdict}"));
    text
}

fn rule_lines(text: &mut String, view: &RuleCountView) {
    let RuleCountView { rule, when, except, action, yes, unknown, of } = view;
    let except = except.as_ref().map_or(String::new(), |except| format!(", except {except}"));
    line(text, format_args!("  {rule}: {} what is {when}{except}", action.name()));
    if let (Some(yes), Some(unknown), Some(of)) = (yes, unknown, of) {
        let open = if *unknown > 0 { format!(", cannot tell of {unknown}") } else { String::new() };
        let mark = match (*yes, *of) {
            (0, _) => "  (matches nothing)",
            (yes, of) if yes == of && of > 1 => "  (matches everything)",
            _ => "",
        };
        line(text, format_args!("    matches {yes} of {of} machines{open}{mark}"));
    }
}

fn budget_lines(text: &mut String, view: &BudgetRuleView) {
    let BudgetRuleView { budget, limit, scope, accounts, thresholds, .. } = view;
    line(text, format_args!("  {budget}: {limit} a calendar month, counting {scope}"));
    if accounts.is_empty() {
        line(text, format_args!("    COUNTS NOTHING: no configured account is in its scope"));
    } else {
        let names: Vec<&str> = accounts.iter().map(AccountName::as_str).collect();
        line(text, format_args!("    of {}", names.join(", ")));
    }
    let forecast = match &view.forecast[..] {
        [] => "; of no forecast".to_owned(),
        forecast => format!(", and when the forecast reaches {}", forecast.join(", ")),
    };
    let (thresholds, to) = (thresholds.join(", "), view.recipients.join(", "));
    line(text, format_args!("    alerts {to} at {thresholds}{forecast}"));
    if view.on_limit == OnLimit::StopOrphans {
        line(text, format_args!("    at 100% the notice periods of orphans in it end"));
    }
}

fn schedule_lines(text: &mut String, view: &ScheduleView, report_to: &[String]) {
    let ScheduleView { job, cron, timezone, jitter, default, next } = view;
    let later = if jitter == "0s" { String::new() } else { format!(", up to {jitter} later") };
    let mark = if *default { "  (default)" } else { "" };
    line(text, format_args!("  {job}: {cron} in {timezone}{later}{mark}"));
    let next: Vec<String> =
        next.iter().map(|at| at.format("%a %-d %b %Y %H:%M %:z").to_string()).collect();
    line(text, format_args!("    next {}", next.join(", ")));
    if job == Job::Report.name() {
        let to = if report_to.is_empty() {
            "to NOBODY: there is neither `report_to` nor `owners.fallback`, nor a channel"
                .to_owned()
        } else {
            format!("to {}", report_to.join(", "))
        };
        line(text, format_args!("    the weekly report goes {to}"));
    }
}

/// What to look at, and at what, where the text does not say so itself.
fn warning_line(text: &mut String, warning: &Warning) {
    let subject = warning.subject.as_deref().filter(|subject| !warning.text.contains(subject));
    let subject = subject.map_or_else(String::new, |subject| format!("{subject}: "));
    line(text, format_args!("  {subject}{}", warning.text));
}

fn account_lines(
    text: &mut String,
    account: &AccountView,
    document: &CheckDocument,
    offline: bool,
) {
    let pin = match (&account.expect_account, &account.provider_account) {
        (Some(pin), Some(found)) if pin == found.as_str() => format!("pinned to {pin}"),
        (Some(pin), Some(found)) => format!("WRONG ACCOUNT: expected {pin}, found {found}"),
        (Some(pin), None) => format!("pinned to {pin}"),
        (None, Some(found)) => {
            format!("not pinned: add expect_account = \"{found}\" to be able to enforce")
        }
        (None, None) => "not pinned".to_owned(),
    };
    line(text, format_args!("  {} ({}): {pin}", account.name, account.provider));
    if let Some(login) = &account.login {
        line(text, format_args!("    logged in as {login}"));
    }
    for permission in &account.missing_permissions {
        line(text, format_args!("    MISSING for an audit: {permission}"));
    }
    for gap in &account.unread {
        line(text, format_args!("    NOT READ of its machines: {gap}"));
    }
    if !account.missing_permissions.is_empty() || !account.unread.is_empty() {
        let descriptor = providers::find(account.provider.as_str());
        let policy = descriptor.map_or("", |descriptor| descriptor.audit_policy);
        line(text, format_args!("    the least that an audit needs:"));
        for part in policy.lines() {
            line(text, format_args!("      {part}"));
        }
    }
    if offline {
        return;
    }
    for scope in document.scopes.iter().filter(|scope| scope.account == account.name) {
        let place = scope.location.as_ref().map_or("login", |location| location.as_str());
        let word = match scope.status {
            ScopeStatus::Complete => format!("read, {} accelerated machines", scope.instances),
            ScopeStatus::Partial => "READ IN PART".to_owned(),
            ScopeStatus::Failed => "NOT READ".to_owned(),
            ScopeStatus::Skipped => "skipped".to_owned(),
        };
        let why = scope.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
        line(text, format_args!("    {place:16} {word}{why}"));
    }
}

/// One line, safe for a terminal.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    for part in arguments.to_string().split('\n') {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{}", reaper_report::clean(part));
    }
}
