//! Which command does what.

use std::process::ExitCode;

use crate::args::{Args, Command, Format};
use crate::commands::keep::{self, Wish};
use crate::commands::run::{self, Asked};
use crate::commands::{audit, check, demo, documents, explain, history, init};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;

pub(crate) async fn dispatch(
    args: &Args,
    environment: &Environment,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let global = &args.global;
    let counts_money = matches!(
        args.command,
        Command::Audit { .. } | Command::Demo | Command::Plan { .. } | Command::Run { .. }
    );
    if global.format == Format::FocusCsv && !counts_money {
        return Err(Failure::usage(
            "--format focus-csv is what machines have cost, which this command does not show",
            "it goes with audit, demo, plan and run",
        ));
    }
    match &args.command {
        Command::Audit { fail_on } => audit::audit(global, environment, printer, fail_on).await,
        Command::Check { offline } => check::check(global, environment, printer, *offline).await,
        Command::Demo => demo::demo(global, environment, printer).await,
        Command::Explain { id } => explain::explain(global, environment, printer, id).await,
        Command::History { id, verify } => {
            history::history(global, environment, printer, id.as_deref(), *verify).await
        }
        Command::Keep { id, until, reason } => {
            keep::keep(global, environment, printer, id, Wish::Keep { until, reason }).await
        }
        Command::Unkeep { id } => keep::keep(global, environment, printer, id, Wish::Unkeep).await,
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
        Command::Init { ci: Some(kit) } => init::ci(global, printer, *kit),
        Command::Init { ci: None } => init::init(global, environment, printer),
        Command::Schema { of } => documents::schema(*of, printer),
        Command::Completions { shell } => documents::completions(*shell, printer),
        Command::Man => documents::man(printer),
    }
}
