//! Which command does what.

use std::process::ExitCode;

use crate::args::{Args, Command};
use crate::commands::{audit, check, demo, documents, explain, init};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;

pub(crate) async fn dispatch(
    args: &Args,
    environment: &Environment,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let global = &args.global;
    match &args.command {
        Command::Audit { fail_on } => audit::audit(global, environment, printer, fail_on).await,
        Command::Check { offline } => check::check(global, environment, printer, *offline).await,
        Command::Demo => demo::demo(global, environment, printer).await,
        Command::Explain { id } => explain::explain(global, environment, printer, id).await,
        Command::Init => init::init(global, environment, printer),
        Command::Schema { of } => documents::schema(*of, printer),
        Command::Completions { shell } => documents::completions(*shell, printer),
        Command::Man => documents::man(printer),
    }
}
