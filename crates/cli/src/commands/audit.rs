//! `reaper audit`: list, judge, price, print. Reads only.

use std::process::ExitCode;

use reaper_model::document::ScopeStatus;
use reaper_model::{AuditDocument, Outcome};
use reaper_report::Format as Report;

use crate::args::{Format, Global};
use crate::environment::Environment;
use crate::fail_on::{FailOn, Match};
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, alert, written};
use crate::run::{self, Setting};

pub(crate) async fn audit(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    fail_on: &[FailOn],
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    if let Some(path) = &config.path {
        printer.say(&format!("configuration {} ({})", path.display(), config.digest));
    }
    let limits = run::limits(&config, global);
    let setting = Setting { config, accounts, limits, now: run::clock(global) };
    print(setting, printer, fail_on).await
}

/// Audits and prints; shared with `reaper demo`.
pub(crate) async fn print(
    setting: Setting,
    printer: &Printer,
    fail_on: &[FailOn],
) -> Result<ExitCode, Failure> {
    let mut out = printer.output()?;
    let progress = run::progress(printer);
    let mut document = setting.audit(&progress, |_| {}).await?;
    drop(progress);
    decide(&mut document, fail_on);
    let format = match printer.format() {
        Format::Table => Report::Table,
        Format::Json => Report::Json,
        Format::Markdown => Report::Markdown,
    };
    let result = reaper_report::write(&document, format, &printer.table_options(), &mut out)
        .and_then(|()| out.flush());
    written(result)?;
    say_what_failed(&document);
    Ok(ExitCode::from(document.outcome.exit_code))
}

/// Puts `--fail-on` into the outcome.
fn decide(document: &mut AuditDocument, fail_on: &[FailOn]) {
    let mut matched = false;
    for condition in fail_on {
        match condition.check(document) {
            Match::Yes => matched = true,
            Match::No => {}
            Match::Incomparable(currency) => {
                alert(&format!(
                    "warning: --fail-on counts as met: waste in {currency} cannot be compared \
                     without a rate (fx.{currency})"
                ));
                matched = true;
            }
        }
    }
    document.outcome = Outcome::new(document.outcome.classes.iter().copied(), matched);
}

/// A failing run ends with what failed, each once, and what that does to the exit code.
fn say_what_failed(document: &AuditDocument) {
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
    if document.totals.unjudged > 0 {
        let count = document.totals.unjudged;
        alert(&format!("  {count} machines could not be judged, the report says why"));
    }
}
