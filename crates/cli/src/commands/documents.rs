//! `reaper schema`, `completions`, `man`: documents that are generated from the code itself.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use reaper_model::document::{CheckDocument, ErrorDocument, ExplainDocument, HistoryDocument};
use reaper_model::{AuditDocument, Plan};

use crate::args::{Args, Format, Schema, exit_codes};
use crate::environment::VARIABLES;
use crate::failure::Failure;
use crate::printer::{self, Printer, written};
use crate::providers;
use crate::reference::reference;

pub(crate) fn schema(of: Schema, printer: &Printer) -> Result<ExitCode, Failure> {
    let schema = match of {
        Schema::Config => reaper_config::schema(&providers::keys()),
        Schema::Audit => schemars::schema_for!(AuditDocument).to_value(),
        Schema::Plan => schemars::schema_for!(Plan).to_value(),
        Schema::History => schemars::schema_for!(HistoryDocument).to_value(),
        Schema::Check => schemars::schema_for!(CheckDocument).to_value(),
        Schema::Explain => schemars::schema_for!(ExplainDocument).to_value(),
        Schema::Error => schemars::schema_for!(ErrorDocument).to_value(),
    };
    let mut out = printer.plain_output()?;
    if matches!((of, printer.format()), (Schema::Config, Format::Markdown)) {
        let text = reference(&schema);
        written(out.write_all(text.as_bytes()).and_then(|()| out.finish()))?;
    } else {
        printer::json(&schema, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn completions(
    shell: clap_complete::Shell,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "reaper", &mut text);
    let mut out = printer.plain_output()?;
    written(out.write_all(&text).and_then(|()| out.finish()))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(printer: &Printer) -> Result<ExitCode, Failure> {
    let mut out = printer.plain_output()?;
    let page = clap_mangen::Man::new(Args::command());
    let result =
        page.render(&mut out).and_then(|()| environment(&mut out)).and_then(|()| out.finish());
    written(result)?;
    Ok(ExitCode::SUCCESS)
}

fn environment(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, ".SH ENVIRONMENT")?;
    for (names, meaning) in VARIABLES {
        writeln!(out, ".TP\n\\fB{names}\\fR\n{meaning}")?;
    }
    writeln!(out, ".SH EXIT STATUS\n.nf\n{}.fi", exit_codes())
}
