//! Which command does what.

use std::process::ExitCode;

use crate::args::{Args, Command, Format};
use crate::commands::keep::{self, Wish as KeepWish};
use crate::commands::report::{self, Wish};
use crate::commands::run::{self, Asked};
use crate::commands::{audit, check, demo, documents, explain, history, init, probe, schedule};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;

pub(crate) async fn dispatch(
    args: &Args,
    environment: &Environment,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let global = &args.global;
    shown_by(global.format, &args.command)?;
    match &args.command {
        Command::Audit { fail_on } => audit::audit(global, environment, printer, fail_on).await,
        Command::Check { offline } => check::check(global, environment, printer, *offline).await,
        Command::Demo { weeks, mails } => {
            let wish = demo::Wish { weeks: *weeks, mails: mails.as_deref() };
            demo::demo(global, environment, printer, wish).await
        }
        Command::Explain { id } => explain::explain(global, environment, printer, id).await,
        Command::History { id, verify } => {
            history::history(global, environment, printer, id.as_deref(), *verify).await
        }
        Command::Keep { id, until, reason } => {
            keep::keep(global, environment, printer, id, KeepWish::Keep { until, reason }).await
        }
        Command::Unkeep { id } => {
            keep::keep(global, environment, printer, id, KeepWish::Unkeep).await
        }
        Command::Plan { out, expect } => {
            run::plan(global, environment, printer, out.as_ref(), *expect).await
        }
        Command::Apply { plan, expect } => {
            run::apply(global, environment, printer, plan, *expect).await
        }
        &Command::Run { enforce, dry_run, expect, accept_drop } => {
            let asked = Asked { enforce, dry_run, expect, accept_drop };
            run::run(global, environment, printer, asked).await
        }
        Command::Report { from, send, to } => {
            let wish = Wish { from: from.as_deref(), send: *send, to };
            report::report(global, environment, printer, &wish).await
        }
        Command::Schedule { enforce, health } => {
            let health = health.as_deref();
            schedule::schedule(global, environment, printer, *enforce, health).await
        }
        Command::Probe(asked) => probe::probe(global, environment, printer, asked).await,
        Command::Init { ci: Some(kit) } => init::ci(global, printer, *kit),
        Command::Init { ci: None } => init::init(global, environment, printer),
        Command::Schema { of } => documents::schema(*of, printer),
        Command::Completions { shell } => documents::completions(*shell, printer),
        Command::Man => documents::man(printer),
    }
}

/// Refuses formats that the command cannot print, before anything is read.
fn shown_by(format: Format, command: &Command) -> Result<(), Failure> {
    let counts_money = matches!(
        command,
        Command::Audit { .. }
            | Command::Demo { .. }
            | Command::Plan { .. }
            | Command::Run { .. }
            | Command::Schedule { .. }
    );
    let shows_a_run =
        counts_money || matches!(command, Command::Apply { .. } | Command::Report { .. });
    let word = match format {
        Format::Table | Format::Json | Format::Markdown => return Ok(()),
        Format::FocusCsv if counts_money => return Ok(()),
        Format::FocusCsv => {
            return Err(Failure::usage(
                "--format focus-csv is what machines have cost, which this command does not show",
                "it goes with audit, demo, plan and run",
            ));
        }
        Format::Html | Format::Csv | Format::LeftoversCsv | Format::Junit if shows_a_run => {
            return Ok(());
        }
        Format::Html => "html",
        Format::Csv => "csv",
        Format::LeftoversCsv => "leftovers-csv",
        Format::Junit => "junit",
    };
    Err(Failure::usage(
        format!("--format {word} shows what a run has found, which this command does not print"),
        "it goes with audit, demo, plan, run, apply and report; this one prints table, json and markdown",
    ))
}
