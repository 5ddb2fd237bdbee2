//! The binary `reaper`: argv, environment, terminal and exit codes. What it does lives in the
//! crates below; what each command does, in `commands`.

mod args;
mod channels;
mod ci;
mod commands;
mod environment;
mod fail_on;
mod failure;
mod loopback;
mod mailer;
mod open;
mod output;
mod printer;
mod progress;
mod providers;
mod pulse;
mod reference;
mod run;
mod sensors;
mod signals;
mod state;
mod textfile;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let environment = environment::Environment::read();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return printer::usage(&error),
    };
    let printer = printer::Printer::new(&args.global, &environment);
    // A probe shares its machine with those who pay for it: one thread, however many cores there are.
    let mut builder = match args.command {
        args::Command::Probe(_) => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = match builder.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return printer.fail(&failure::Failure::internal(format!("cannot start: {error}")));
        }
    };
    let command = || runtime.block_on(commands::dispatch(&args, &environment, &printer));
    match std::panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => printer.fail(&failure),
        // The panic itself has been printed; programs get a document and the promised exit code.
        Err(_panic) => printer.fail(&failure::Failure::internal("a bug of ours: please report it")),
    }
}
