//! The binary `reaper`: argv, environment, terminal and exit codes. What it does lives in the
//! crates below; what each command does, in `commands`.

mod args;
mod commands;
mod environment;
mod fail_on;
mod failure;
mod open;
mod printer;
mod progress;
mod providers;
mod run;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let environment = environment::Environment::read();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return printer::usage(&error),
    };
    let printer = printer::Printer::new(&args.global, &environment);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return printer.fail(&failure::Failure::internal(format!("cannot start: {error}")));
        }
    };
    match runtime.block_on(commands::dispatch(&args, &environment, &printer)) {
        Ok(code) => code,
        Err(failure) => printer.fail(&failure),
    }
}
