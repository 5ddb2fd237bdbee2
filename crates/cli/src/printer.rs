//! The one place that prints: data to standard output or a file, talk to standard error.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use reaper_model::{AuditDocument, Charge};
use reaper_report::TableOptions;
use serde::Serialize;
use tracing_subscriber::filter::LevelFilter;

use crate::args::{ColorChoice, Format, Global};
use crate::ci::{Channel, Fence, Runner};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::Output;

/// Where and how to print.
#[derive(Debug)]
pub(crate) struct Printer {
    format: Format,
    output: Option<PathBuf>,
    color_data: bool,
    color_talk: bool,
    width: usize,
    talk: Talk,
    runner: Runner,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    /// What must be heard.
    Quiet,
    /// Besides, what was read and where it went.
    Normal,
    /// Besides, a progress bar while it lasts.
    Progress,
}

/// Width of tables where no terminal says one.
const DEFAULT_WIDTH: usize = 120;

impl Printer {
    pub(crate) fn new(global: &Global, environment: &Environment) -> Self {
        let choose = |choice: anstream::ColorChoice| match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => choice != anstream::ColorChoice::Never,
        };
        let color_data =
            global.output.is_none() && choose(anstream::AutoStream::choice(&io::stdout()));
        let color_talk = choose(anstream::AutoStream::choice(&io::stderr()));
        let terminal = || {
            let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
            Some(usize::from(width.0))
        };
        let width = if global.output.is_some() { None } else { terminal() };
        // A bar would drown in a log.
        let bar = !global.no_progress && global.verbose == 0 && io::stderr().is_terminal();
        let talk = match (global.quiet, bar) {
            (true, _) => Talk::Quiet,
            (false, false) => Talk::Normal,
            (false, true) => Talk::Progress,
        };
        let level = match (global.quiet, global.verbose) {
            (true, _) => LevelFilter::OFF,
            (false, 0) => LevelFilter::WARN,
            (false, 1) => LevelFilter::INFO,
            (false, _) => LevelFilter::DEBUG,
        };
        install_log(level, talk == Talk::Progress);
        Self {
            format: global.format,
            output: global.output.clone(),
            color_data,
            color_talk,
            width: width.or(environment.columns).unwrap_or(DEFAULT_WIDTH),
            talk,
            runner: Runner::new(&environment.ci, global.quiet),
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Whether what each machine has cost on each day is to be printed.
    pub(crate) fn counts_charges(&self) -> bool {
        self.format == Format::FocusCsv
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.talk == Talk::Progress
    }

    pub(crate) fn table_options(&self) -> TableOptions {
        TableOptions { width: self.width, color: self.color_data }
    }

    /// Opens the output before any work is done, so that a wrong path costs nothing.
    pub(crate) fn output(&self) -> Result<Output, Failure> {
        match &self.output {
            // Other formats begin no line with what others have named.
            None if self.format == Format::Table && self.runner.needs_fence() => {
                Ok(Output::Fenced(Fence::new()))
            }
            _ => self.plain_output(),
        }
    }

    /// The same for what holds nobody's names.
    pub(crate) fn plain_output(&self) -> Result<Output, Failure> {
        match &self.output {
            None => Ok(Output::standard()),
            Some(path) => Output::file(path).map_err(|error| {
                Failure::usage(
                    format!("cannot write {}: {error}", path.display()),
                    "name a file in a folder that exists and can be written",
                )
            }),
        }
    }

    /// Prints what a run came to, in the format that was asked for, and tells the CI runner.
    pub(crate) fn show(
        &self,
        document: &AuditDocument,
        charges: &[Charge],
        out: Output,
    ) -> Result<(), Failure> {
        let channel =
            if matches!(out, Output::Fenced(_)) { Channel::Stdout } else { Channel::Stderr };
        let result = self.print(document, charges, out);
        let report = self.output.as_deref().filter(|_| result.is_ok());
        self.runner.tell(document, report, channel);
        result
    }

    fn print(
        &self,
        document: &AuditDocument,
        charges: &[Charge],
        mut out: Output,
    ) -> Result<(), Failure> {
        let format = match self.format {
            Format::Table => reaper_report::Format::Table,
            Format::Json => reaper_report::Format::Json,
            Format::Markdown => reaper_report::Format::Markdown,
            Format::Html => reaper_report::Format::Html,
            Format::Csv => reaper_report::Format::Csv,
            Format::Junit => reaper_report::Format::Junit,
            Format::FocusCsv => {
                let left_out = match reaper_report::focus_csv(document, charges, &mut out) {
                    Ok(left_out) => left_out.sentence(),
                    Err(error) => return written(Err(error)),
                };
                if let Some(left_out) = left_out {
                    alert(&format!("warning: {left_out}"));
                }
                return written(out.finish());
            }
            Format::LeftoversCsv => {
                let result = reaper_report::leftovers_csv(document, &mut out);
                return written(result.and_then(|()| out.finish()));
            }
        };
        let options = self.table_options();
        let result = reaper_report::write(document, format, &options, &mut out);
        written(result.and_then(|()| out.finish()))
    }

    /// Says something, unless quiet.
    pub(crate) fn say(&self, text: &str) {
        if self.talk != Talk::Quiet {
            alert(text);
        }
    }

    /// Ends a command that has nothing to show.
    pub(crate) fn fail(&self, failure: &Failure) -> ExitCode {
        alert(&failure.text(self.color_talk));
        self.runner.fail(failure);
        if self.format == Format::Json {
            // Never into the file: what is there may be what the failure is about.
            print_document(failure);
        }
        ExitCode::from(failure.class().exit_code())
    }
}

/// Data that was written in full, or why not. That nobody reads any more is no failure, and what
/// was found keeps its exit code.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::internal(format!("cannot write the output: {error}"))),
    }
}

/// Text that is laid out for a terminal; in Markdown, as a block that keeps its lines. The fence is
/// longer than any that the text may hold.
pub(crate) fn preformatted(text: String, format: Format) -> String {
    if format == Format::Markdown { format!("````text\n{text}````\n") } else { text }
}

/// Writes a document as JSON to its end.
pub(crate) fn json(document: &impl Serialize, mut out: Output) -> Result<(), Failure> {
    written(reaper_report::json(document, &mut out).and_then(|()| out.finish()))
}

/// What clap has to say: help and version to standard output, errors to standard error, and in JSON
/// mode a document as well.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let code = if error.use_stderr() { 2 } else { 0 };
    // With nobody reading there is nobody to tell.
    let _ = error.print();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let json = words.iter().any(|word| word == "--format=json")
        || words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    if code != 0 && json {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        print_document(&Failure::Usage(first.to_owned(), None));
    }
    ExitCode::from(code)
}

fn print_document(failure: &Failure) {
    let mut out = Output::standard();
    // The exit code and standard error tell the rest when nobody reads this.
    let _ = reaper_report::json(&failure.document(), &mut out).and_then(|()| out.finish());
}

/// Says something that must be heard.
pub(crate) fn alert(text: &str) {
    // With standard error closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The log goes to standard error and holds our own events only: a cloud's SDK logs requests with
/// what is secret in them. With a progress bar each event first clears the line that it stands on.
fn install_log(level: LevelFilter, bar: bool) {
    use tracing_subscriber::filter::Targets;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    let ours = [
        "reaper",
        "reaper_engine",
        "reaper_aws",
        "reaper_http",
        "reaper_scaleway",
        "reaper_ovhcloud",
        "reaper_lambda",
    ];
    let filter =
        ours.into_iter().fold(Targets::new(), |filter, name| filter.with_target(name, level));
    let writer = move || {
        let mut stderr = io::stderr();
        if bar {
            // With standard error closed there is nobody to tell.
            let _ = stderr.write_all(b"\r\x1b[2K");
        }
        stderr
    };
    let layer =
        tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false).without_time();
    tracing_subscriber::registry().with(layer).with(filter).init();
}
