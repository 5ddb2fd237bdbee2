//! `reaper audit`: list, judge, price, print. Reads only.

use std::collections::BTreeMap;
use std::process::ExitCode;

use reaper_budget::Exchange;
use reaper_config::Config;
use reaper_engine::{Journal, Orders};
use reaper_model::document::{MailKind, MailStatus, ScopeStatus, Verdict, Warning};
use reaper_model::{ActionResult, AuditDocument, Class, Outcome};

use crate::args::Global;
use crate::environment::Environment;
use crate::fail_on::{FailOn, Match};
use crate::failure::Failure;
use crate::printer::{Printer, alert};
use crate::run::{self, Outlets, Setting};
use crate::{open, signals, state};

pub(crate) async fn audit(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    fail_on: &[FailOn],
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    known_budgets(fail_on, &config)?;
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    if let Some(path) = &config.path {
        printer.say(&format!("configuration {} ({})", path.display(), config.digest));
    }
    let clock = run::clock(global, environment)?;
    let setting =
        Setting::new(config, accounts, global, clock, signals::heed()).measured(environment)?;
    let history = history(&setting, environment).await;
    print(&setting, history, printer, fail_on).await
}

/// What earlier runs have recorded, for first sights and open cases. An audit does without where
/// it cannot be read, and says so.
pub(crate) async fn history(
    setting: &Setting,
    environment: &Environment,
) -> (Journal, Option<Warning>) {
    let read = async {
        let store = state::store(&setting.config, environment)?;
        state::view(&store).await
    };
    match read.await {
        Ok(view) => (Journal::dry(view.as_ref()), None),
        Err(failure) => {
            let text = format!("without history: {}", failure.text(false));
            let code = "state-unread".to_owned();
            (Journal::dry(None), Some(Warning { code, text, subject: None }))
        }
    }
}

/// Audits and prints; shared with `reaper demo`.
pub(crate) async fn print(
    setting: &Setting,
    (journal, unread): (Journal, Option<Warning>),
    printer: &Printer,
    fail_on: &[FailOn],
) -> Result<ExitCode, Failure> {
    let out = printer.output()?;
    let progress = run::progress(printer);
    let exchange = Exchange::new(setting.config.currency, setting.config.rates.clone());
    let orders = Orders { charges: printer.counts_charges(), ..setting.audit_orders() };
    let ran = setting.run(orders, Outlets::NONE, journal, &progress).await?;
    let (mut document, charges) = (ran.document, ran.charges);
    drop(progress);
    note_unread(&mut document, unread);
    decide(&mut document, fail_on, &exchange);
    printer.show(&document, &charges, out)?;
    say_what_failed(&document);
    Ok(ExitCode::from(document.outcome.exit_code))
}

/// A name that no budget has is a slip of the pen, said before anything is read.
fn known_budgets(fail_on: &[FailOn], config: &Config) -> Result<(), Failure> {
    for condition in fail_on {
        let FailOn::Budget(name) = condition else { continue };
        if config.budgets.iter().all(|budget| budget.name != *name) {
            let names: Vec<&str> =
                config.budgets.iter().map(|budget| budget.name.as_str()).collect();
            let help = if names.is_empty() {
                "the configuration has no [[budget]]".to_owned()
            } else {
                format!("the configuration has these: {}", names.join(", "))
            };
            return Err(Failure::usage(format!("--fail-on: there is no budget {name:?}"), help));
        }
    }
    Ok(())
}

/// A history that could not be read makes the run incomplete.
pub(crate) fn note_unread(document: &mut AuditDocument, unread: Option<Warning>) {
    if let Some(warning) = unread {
        document.warnings.push(warning);
        let classes = document.outcome.classes.iter().copied().chain([Class::Incomplete]);
        let classes = classes.filter(|class| *class != Class::Clean);
        document.outcome = Outcome::new(classes, false);
    }
}

/// Puts `--fail-on` into the outcome.
fn decide(document: &mut AuditDocument, fail_on: &[FailOn], exchange: &Exchange) {
    let mut matched = false;
    for condition in fail_on {
        match condition.check(document, exchange) {
            Match::Yes => matched = true,
            Match::No => {}
            Match::Undecidable(why) => {
                let text = format!("--fail-on counts as met: {why}");
                alert(&format!("warning: {text}"));
                let code = "fail-on-undecidable".to_owned();
                document.warnings.push(Warning { code, text, subject: None });
                matched = true;
            }
        }
    }
    document.outcome = Outcome::new(document.outcome.classes.iter().copied(), matched);
}

/// Causes of machines that could not be judged, as many as a reader takes in.
const CAUSES_SHOWN: usize = 5;

/// A failing run ends with what failed, each once, and what that does to the exit code.
pub(crate) fn say_what_failed(document: &AuditDocument) {
    let code = document.outcome.exit_code;
    if matches!(code, 0 | reaper_model::outcome::EXIT_FINDINGS) {
        return;
    }
    let classes: Vec<&str> = document.outcome.classes.iter().map(|class| class.name()).collect();
    alert(&format!("{} (exit {code}):", classes.join(", ")));
    for scope in &document.scopes {
        if !matches!(scope.status, ScopeStatus::Partial | ScopeStatus::Failed) {
            continue;
        }
        let place = scope.location.as_ref().map_or(String::new(), |place| format!(" {place}"));
        let word = if scope.status == ScopeStatus::Partial { "read in part" } else { "not read" };
        let why = scope.why.as_deref().unwrap_or("no reason given");
        let line = format!("  {} ({}){place} {word}: {why}", scope.account, scope.provider);
        alert(&reaper_report::clean(&line));
    }
    for warning in document.warnings.iter().filter(|warning| warning.code == "state-unread") {
        alert(&reaper_report::clean(&format!("  {}", warning.text.replace('\n', " "))));
    }
    if let Some(plan) = document.plan.as_ref().filter(|plan| !plan.held.is_empty()) {
        alert(&reaper_report::clean(&format!("  held by the brake: {}", plan.held.join("; "))));
    }
    for machine in &document.instances {
        let action = &machine.action;
        let failed =
            matches!(action.result, Some(ActionResult::Unconfirmed | ActionResult::Refused))
                || (action.result.is_none() && action.result_why.is_some());
        if let (true, Some(why)) = (failed, &action.result_why) {
            alert(&reaper_report::clean(&format!("  {}: {why}", machine.id)));
        }
    }
    for mail in &document.mails {
        if !matches!(mail.status, MailStatus::Accepted | MailStatus::Due) {
            let why = mail.why.as_deref().unwrap_or("no reason given");
            // What is not told by mail is told here.
            let about = match mail.kind {
                MailKind::Alert => format!(" ({})", mail.subject),
                MailKind::Notice | MailKind::Report | MailKind::Stops => String::new(),
            };
            let line = format!("  mail to {} {}: {why}{about}", mail.to, mail.status.name());
            alert(&reaper_report::clean(&line));
        }
    }
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for machine in document.instances.iter().filter(|machine| machine.verdict == Verdict::Unjudged)
    {
        *causes.entry(&machine.why).or_default() += 1;
    }
    for (why, count) in causes.iter().take(CAUSES_SHOWN) {
        alert(&reaper_report::clean(&format!("  not judged ({count}): {why}")));
    }
    if causes.len() > CAUSES_SHOWN {
        alert(&format!("  and {} further causes, see the report", causes.len() - CAUSES_SHOWN));
    }
}
