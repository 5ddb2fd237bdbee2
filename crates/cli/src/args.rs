//! The command line: commands and options, as clap reads and explains them.

use std::fmt::Write as _;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use reaper_model::duration::ParseSpanError;
use reaper_model::{Class, Span, outcome::EXIT_FINDINGS};

use crate::ci::Kit;
use crate::fail_on::FailOn;

/// Finds forgotten GPU machines, says whose they are and what they burn.
#[derive(Debug, Parser)]
#[command(name = "reaper", version, max_term_width = 100, after_long_help = exit_codes())]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Configuration file [default: `REAPER_CONFIG`, ./reaper.toml, the user's configuration folder].
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How to print.
    #[arg(long, global = true, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Print to a file instead of standard output.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only this account; may be given several times.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) account: Vec<String>,
    /// Time limit of the whole run, such as 10m.
    #[arg(long, global = true, value_name = "DURATION", value_parser = limit)]
    pub(crate) timeout: Option<Span>,
    /// Clock of the run instead of the wall clock, RFC 3339 [default: `REAPER_NOW`].
    #[arg(long, global = true, value_name = "RFC3339", value_parser = time)]
    pub(crate) now: Option<DateTime<Utc>>,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// No progress bar.
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,
    /// Say more on standard error; -vv even more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Only errors on standard error.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Audit a simulated fleet: no credentials, no configuration, no network.
    Demo {
        /// Let so many weeks go by first, with a run a day that enforces; show the last weekly report.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
        weeks: Option<u8>,
        /// Write the mails of that time into this folder, as .eml files.
        #[arg(long, value_name = "DIR", requires = "weeks")]
        mails: Option<PathBuf>,
    },
    /// Write a commented reaper.toml for the providers whose credentials are found, or the job that
    /// runs it in CI. Never overwrites.
    Init {
        /// Write the job for this instead, below the folder that --output names or this one.
        #[arg(long, value_enum, value_name = "KIND")]
        ci: Option<Kit>,
    },
    /// Validate the configuration and log in to every account.
    Check {
        /// Validate the file only; ask no provider.
        #[arg(long)]
        offline: bool,
    },
    /// List machines, judge them and say what they cost. Reads only.
    Audit {
        /// Exit with 10 if something is found: `findings`; an amount such as `waste>=100EUR` (what
        /// all orphans have cost since their last start); or `budget:NAME` (its spending has reached
        /// one of its thresholds).
        #[arg(long, value_name = "CONDITION")]
        fail_on: Vec<FailOn>,
    },
    /// Show what `run --enforce` would do now, machine by machine, with reasons. Changes nothing.
    Plan {
        /// Write the plan to a file that `reaper apply` carries out.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Let exactly this number of actions pass the brake.
        #[arg(long, value_name = "N")]
        expect: Option<u64>,
    },
    /// Carry out a plan and nothing else. What changed, was exempted or expired since is skipped.
    Apply {
        /// The plan, as `reaper plan --out` wrote it.
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        /// Let exactly this number of actions pass the brake.
        #[arg(long, value_name = "N")]
        expect: Option<u64>,
    },
    /// The scheduled job, once: audit, record, send notices and, with --enforce, stop what is due.
    Run {
        /// Stop, or terminate where that is allowed, what has had its notice.
        #[arg(long)]
        enforce: bool,
        /// Show all of it and do none of it; beats --enforce.
        #[arg(long)]
        dry_run: bool,
        /// Let exactly this number of actions pass the brake.
        #[arg(long, value_name = "N")]
        expect: Option<u64>,
        /// Believe a listing that has lost more than half of its machines since the last run.
        #[arg(long)]
        accept_drop: bool,
    },
    /// Show a report again, in any format, or send it: that of the last week, or any document that
    /// `--format json` has written. Asks no provider.
    Report {
        /// The document; `-` is standard input [default: the newest report in the state].
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Send all of it by mail too: to `report_to`, or to --to. Says what became of each mail.
        #[arg(long)]
        send: bool,
        /// Send to this address instead; may be given several times.
        #[arg(long, value_name = "ADDRESS", requires = "send")]
        to: Vec<String>,
    },
    /// Stay up and do the jobs of `[[schedule]]` at their times, one at a time, each as `run` does.
    ///
    /// What was missed while it was down is done once at its start. SIGTERM and SIGINT end it: a run
    /// that is going on ends as `reaper run` does. Its exit code is the worst of the last runs of
    /// each job. Each run reads the configuration anew, but for the schedules themselves.
    Schedule {
        /// Stop, or terminate where that is allowed, what has had its notice: in jobs `run`.
        #[arg(long)]
        enforce: bool,
        /// A file that is written at least once a minute: what runs, what comes next, how the last
        /// run ended.
        #[arg(long, value_name = "FILE")]
        health: Option<PathBuf>,
    },
    /// Exempt a machine until a date: by its tag where tags can be set, and in the state.
    Keep {
        /// Full id (provider/account/location/id) or the provider's id.
        #[arg(value_name = "ID")]
        id: String,
        /// The last day, or a time: 2026-12-18, 2026-12-18T17:00:00Z.
        #[arg(long, value_name = "DATE")]
        until: String,
        /// Why, for the history and the report.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// End the exemption that `reaper keep` made.
    Unkeep {
        /// Full id (provider/account/location/id) or the provider's id.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// The audit log: notices, actions, exemptions, runs; who and when.
    History {
        /// Only this machine: full id or the provider's id.
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// Read the whole log again and check that nothing was edited, moved or removed from its
        /// middle. A cut end cannot be seen: keep the head that it prints to compare.
        #[arg(long, conflicts_with = "id")]
        verify: bool,
    },
    /// Show every fact known of one machine, and how each rule judged it.
    Explain {
        /// Full id (provider/account/location/id) or the provider's id.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// On a GPU machine: measure its GPUs, through NVML or nvidia-smi, and its CPU, network and disks,
    /// for machines that no cloud measures. Needs no reaper.toml and opens no port.
    ///
    /// Stays up until SIGTERM or SIGINT, and then writes what it has; --once looks once, for cron.
    /// Whoever may write a machine's samples can call it idle: its credentials should be able to
    /// write below samples/ of the state and nothing else, best only its own object.
    Probe(ProbeArgs),
    /// Print the JSON schema of the configuration or of an output; of the configuration with
    /// `--format markdown` the reference of its keys.
    Schema {
        /// Of what.
        #[arg(value_enum)]
        of: Schema,
    },
    /// Print shell completions.
    Completions {
        /// For which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the man page (roff).
    Man,
}

/// Options of `probe`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ProbeArgs {
    /// Look once, write and end, for cron each minute: five minutes with less than 4 looks prove no
    /// rest. With 4 if no GPU could be read.
    #[arg(long)]
    pub(crate) once: bool,
    /// Time between two looks, at most 1m.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = limit, conflicts_with = "once")]
    pub(crate) every: Span,
    /// Time between two writings into the state.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = limit, conflicts_with = "once")]
    pub(crate) write_every: Span,
    /// Write the figures of the last look into this file, for Prometheus' textfile collector. One that
    /// stays up removes it at its end.
    #[arg(long, value_name = "FILE")]
    pub(crate) textfile: Option<PathBuf>,
    /// Write samples into this state: file:…, s3://…, gs://… or az://… [default: `REAPER_STATE`].
    #[arg(long, value_name = "URL")]
    pub(crate) state: Option<String>,
    /// The machine's id at its cloud [default: what cloud-init was told, else the host's name].
    #[arg(long, value_name = "ID")]
    pub(crate) machine: Option<String>,
    /// Read GPUs with this tool alone [default: NVML; without it, the nvidia-smi that is found].
    #[arg(long, value_name = "PATH")]
    pub(crate) nvidia_smi: Option<PathBuf>,
    /// Keep the samples of the last day here over restarts [default: history.json in
    /// `STATE_DIRECTORY` or /var/lib/reaper-probe].
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people at a terminal.
    Table,
    /// For programs: exactly one document on standard output.
    Json,
    /// GitHub flavoured, for job summaries.
    Markdown,
    /// One page for a browser, on a phone and in print as well; it loads nothing.
    Html,
    /// The machines, one a row, for spreadsheets.
    Csv,
    /// What costs money and is used by nobody, one a row.
    LeftoversCsv,
    /// Machines, scopes and budgets as test cases, for CI systems.
    Junit,
    /// What the month has cost so far, machine by machine and day by day, as FOCUS 1.4; of `audit`,
    /// `demo`, `plan` and `run`.
    FocusCsv,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Schemas that can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Schema {
    /// reaper.toml.
    Config,
    /// `audit`, `plan` and `run` with `--format json`.
    Audit,
    /// The file that `plan --out` writes.
    Plan,
    /// `history --format json`.
    History,
    /// `check --format json`.
    Check,
    /// `explain --format json`.
    Explain,
    /// What JSON mode prints when a command could not begin.
    Error,
}

fn limit(text: &str) -> Result<Span, String> {
    let limit: Span = text.parse().map_err(|error: ParseSpanError| error.to_string())?;
    if limit == Span::ZERO { Err("nothing can be done in no time".to_owned()) } else { Ok(limit) }
}

pub(crate) fn time(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.to_utc())
        .map_err(|_| "write for example 2026-11-30T09:00:00Z".to_owned())
}

/// The exit codes as `--help` and the man page show them, from the one table.
pub(crate) fn exit_codes() -> String {
    let mut rows: Vec<(u8, &str, &str)> = Class::BY_PRECEDENCE
        .iter()
        .map(|class| (class.exit_code(), class.name(), class.meaning()))
        .collect();
    rows.push((EXIT_FINDINGS, "findings", "--fail-on matched and nothing worse happened"));
    rows.sort_unstable();
    let mut text = String::from("Exit codes:\n");
    for (code, name, meaning) in rows {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  {code:>2}  {name:<14} {meaning}");
    }
    text
}
