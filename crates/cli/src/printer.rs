//! The one place that prints: data to standard output or a file, talk to standard error.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use reaper_report::TableOptions;

use crate::args::{ColorChoice, Format, Global};
use crate::environment::Environment;
use crate::failure::Failure;

/// Where and how to print.
#[derive(Debug)]
pub(crate) struct Printer {
    format: Format,
    output: Option<PathBuf>,
    color_data: bool,
    color_talk: bool,
    width: usize,
    talk: Talk,
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
        // A bar and a log would overwrite each other.
        let bar = !global.no_progress && global.verbose == 0 && io::stderr().is_terminal();
        let talk = match (global.quiet, bar) {
            (true, _) => Talk::Quiet,
            (false, false) => Talk::Normal,
            (false, true) => Talk::Progress,
        };
        install_log(global.verbose);
        Self {
            format: global.format,
            output: global.output.clone(),
            color_data,
            color_talk,
            width: width.or(environment.columns).unwrap_or(DEFAULT_WIDTH),
            talk,
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.talk == Talk::Progress
    }

    pub(crate) fn table_options(&self) -> TableOptions {
        TableOptions { width: self.width, color: self.color_data }
    }

    /// Opens the output before any work is done, so that a wrong path costs nothing.
    pub(crate) fn output(&self) -> Result<Box<dyn Write>, Failure> {
        match &self.output {
            None => Ok(Box::new(BufWriter::new(io::stdout()))),
            Some(path) => match File::create(path) {
                Ok(file) => Ok(Box::new(BufWriter::new(file))),
                Err(error) => Err(Failure::usage(
                    format!("cannot write {}: {error}", path.display()),
                    "name a file in a folder that exists and can be written",
                )),
            },
        }
    }

    /// Says something, unless quiet.
    pub(crate) fn say(&self, text: &str) {
        if self.talk != Talk::Quiet {
            alert(text);
        }
    }

    /// Ends a command that has nothing to show.
    pub(crate) fn fail(&self, failure: &Failure) -> ExitCode {
        if matches!(failure, Failure::PipeClosed) {
            return ExitCode::SUCCESS;
        }
        alert(&failure.text(self.color_talk));
        if self.format == Format::Json {
            print_document(failure);
        }
        ExitCode::from(failure.class().exit_code())
    }
}

/// Data that was written in full, or why not. A closed pipe ends quietly.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::PipeClosed),
        Err(error) => Err(Failure::internal(format!("cannot write the output: {error}"))),
    }
}

/// What clap has to say: help and version to standard output, errors to standard error, and in JSON
/// mode a document as well.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let code = if error.use_stderr() { 2 } else { 0 };
    // With nobody reading there is nobody to tell.
    let _ = error.print();
    let mut words = std::env::args().skip(1);
    let mut json = false;
    while let Some(word) = words.next() {
        json |= word == "--format=json";
        json |= word == "--format" && words.next().as_deref() == Some("json");
    }
    if code != 0 && json {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        print_document(&Failure::Usage(first.to_owned(), None));
    }
    ExitCode::from(code)
}

fn print_document(failure: &Failure) {
    let document = failure.document();
    // The exit code tells the rest when standard output is closed.
    if let Ok(text) = serde_json::to_string_pretty(&document) {
        let _ = writeln!(io::stdout(), "{text}");
    }
}

/// Says something that must be heard.
pub(crate) fn alert(text: &str) {
    // With standard error closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The log goes to standard error and holds our own events only: a cloud's SDK logs requests with
/// what is secret in them.
fn install_log(verbosity: u8) {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    let level = match verbosity {
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
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
    let layer =
        tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).without_time();
    tracing_subscriber::registry().with(layer).with(filter).init();
}
