//! `reaper audit`: list, judge, price, print. Reads only.

use std::collections::BTreeMap;
use std::process::ExitCode;

use reaper_budget::Exchange;
use reaper_model::document::{ScopeStatus, Verdict, Warning};
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
    let setting = Setting::new(config, accounts, global, run::clock(global, environment)?);
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
    let exchange = Exchange::new(setting.config.currency, setting.config.rates.clone());
    let mut document = setting.audit(&progress, |_| {}).await?;
    drop(progress);
    decide(&mut document, fail_on, &exchange);
    let format = match printer.format() {
        Format::Table => Report::Table,
        Format::Json => Report::Json,
        Format::Markdown => Report::Markdown,
    };
    let result = reaper_report::write(&document, format, &printer.table_options(), &mut out)
        .and_then(|()| out.finish());
    written(result)?;
    say_what_failed(&document);
    Ok(ExitCode::from(document.outcome.exit_code))
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
