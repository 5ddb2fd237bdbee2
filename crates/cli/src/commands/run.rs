//! `reaper run`, `reaper plan`, `reaper apply`: what is due, shown or done.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use reaper_config::{Config, Job};
use reaper_engine::{Clock, Interrupt, Journal, Orders, Progress, Ran, Tells};
use reaper_ledger::Opening;
use reaper_model::document::Mode;
use reaper_model::{AuditDocument, Class, Plan};
use reaper_notify::Post;

use crate::args::Global;
use crate::commands::audit::say_what_failed;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::printer::{self, Printer, alert, written};
use crate::pulse::Pulse;
use crate::run::{self, Outlets, Setting};
use crate::{channels, ci, loopback, mailer, open, signals, state};

/// What the command line asks of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) enforce: bool,
    pub(crate) dry_run: bool,
    pub(crate) expect: Option<u64>,
    pub(crate) accept_drop: bool,
}

/// What the jobs tell.
const fn tells(job: Job) -> Tells {
    match job {
        Job::Run => Tells::EVERYTHING,
        Job::Report => Tells { notices: false, ..Tells::EVERYTHING },
        Job::Budget => Tells { alerts: true, ..Tells::NOTHING },
    }
}

pub(crate) async fn run(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    asked: Asked,
) -> Result<ExitCode, Failure> {
    let interrupt = signals::heed();
    once(global, environment, printer, asked, Job::Run, interrupt).await.map(ExitCode::from)
}

/// One run to its end and its exit code; it does as much as the job says, and acts only in
/// [`Job::Run`].
pub(super) async fn once(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    asked: Asked,
    job: Job,
    interrupt: Interrupt,
) -> Result<u8, Failure> {
    let config = open::config(global, environment)?;
    let clock = run::clock(global, environment)?;
    let acts = asked.enforce && !asked.dry_run && job == Job::Run;
    if acts {
        may_act(&config, clock, "run --enforce")?;
    } else if !asked.dry_run && matches!(clock, Clock::Fixed(_)) {
        // It records and mails: what another clock would say must not reach anybody.
        loopback::required(&config, "run")?;
        loopback::required_of_receivers(&config, "run")?;
    }
    let setting = prepare(config, global, environment, printer, clock, interrupt)?;
    let out = printer.output()?;
    let orders = Orders {
        command: command(job, &setting),
        mode: if asked.dry_run { Mode::Plan } else { Mode::Run },
        run_id: setting.run_id(),
        enforces: asked.enforce,
        acts,
        tells: tells(job),
        expect: asked.expect,
        accept_drop: asked.accept_drop,
        charges: printer.counts_charges(),
    };
    let progress = run::progress(printer);
    if asked.dry_run {
        let store = state::store(&setting.config, environment)?;
        let view = state::view(&store).await?;
        let journal = Journal::dry(view.as_ref());
        let ran = setting.run(orders, Outlets::NONE, journal, &progress).await?;
        drop(progress);
        return show(&ran, printer, out);
    }
    let pulse = Pulse::begin(&setting, environment).await;
    let ran = real(&setting, orders, environment, printer, &progress).await;
    drop(progress);
    finish(pulse, &setting, ran, printer, out).await
}

/// The command as it is recorded. A run that looks at some accounts alone has not done the job.
fn command(job: Job, setting: &Setting) -> &'static str {
    if setting.all_accounts { job.name() } else { "run --account" }
}

/// Shows what a run came to, and only then tells whoever watches it: nobody who is silent may keep
/// the report back.
async fn finish(
    pulse: Pulse,
    setting: &Setting,
    ran: Result<Ran, Failure>,
    printer: &Printer,
    out: Output,
) -> Result<u8, Failure> {
    let (document, code) = match ran {
        Ok(ran) => {
            let code = show(&ran, printer, out);
            (Some(ran.document), code)
        }
        Err(failure) => (None, Err(failure)),
    };
    pulse.end(setting, document.as_ref(), code.as_ref().err()).await;
    code
}

/// A run that records and tells.
async fn real(
    setting: &Setting,
    orders: Orders,
    environment: &Environment,
    printer: &Printer,
    progress: &Arc<dyn Progress>,
) -> Result<Ran, Failure> {
    let mailer = mailer::mailer(&setting.config, environment)?;
    let channels = channels::channels(&setting.config, environment)?;
    let store = state::store(&setting.config, environment)?;
    let ledger = state::ledger(store, setting.writer(), Opening::OrNew).await?;
    if ledger.is_new() {
        printer.say("no history: this is the first run with this state");
    }
    let post = mailer.as_ref().map(|mailer| mailer as &dyn Post);
    let outlets = Outlets { post, channels: &channels };
    setting.run(orders, outlets, Journal::Kept(Box::new(ledger)), progress).await
}

pub(crate) async fn plan(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    file: Option<&PathBuf>,
    expect: Option<u64>,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let clock = run::clock(global, environment)?;
    let setting = prepare(config, global, environment, printer, clock, signals::heed())?;
    let out = printer.output()?;
    // Opened before any work is done, so that a wrong path costs nothing.
    let plan_out = file.map(|path| plan_file(path, global, &setting.config)).transpose()?;
    let store = state::store(&setting.config, environment)?;
    let view = state::view(&store).await?;
    let orders = Orders {
        command: "plan",
        mode: Mode::Plan,
        run_id: setting.run_id(),
        enforces: true,
        acts: false,
        tells: Tells::EVERYTHING,
        expect,
        accept_drop: false,
        charges: printer.counts_charges(),
    };
    let progress = run::progress(printer);
    let journal = Journal::dry(view.as_ref());
    let ran = setting.run(orders, Outlets::NONE, journal, &progress).await?;
    drop(progress);
    if let Some(mut out) = plan_out {
        let text = serde_json::to_string_pretty(&ran.plan)
            .map_err(|error| Failure::internal(format!("the plan cannot be written: {error}")))?;
        written(writeln!(out, "{text}").and_then(|()| out.finish()))?;
    }
    show(&ran, printer, out).map(ExitCode::from)
}

pub(crate) async fn apply(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    file: &Path,
    expect: Option<u64>,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let clock = run::clock(global, environment)?;
    may_act(&config, clock, "apply")?;
    let plan = read_plan(file)?;
    let setting = prepare(config, global, environment, printer, clock, signals::heed())?;
    let flaws = reaper_plan::lint(&plan, Some(setting.now()));
    if !flaws.is_empty() {
        let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        return Err(Failure::refused(
            format!("{}: {}", file.display(), flaws.join("; ")),
            "make a new plan with `reaper plan --out`",
        ));
    }
    let out = printer.output()?;
    let orders = Orders {
        command: "apply",
        mode: Mode::Apply,
        run_id: setting.run_id(),
        enforces: true,
        acts: true,
        tells: Tells::STOPS,
        expect,
        accept_drop: false,
        charges: printer.counts_charges(),
    };
    let progress = run::progress(printer);
    let pulse = Pulse::begin(&setting, environment).await;
    let ran = carried_out(&setting, plan, orders, environment, &progress).await;
    drop(progress);
    finish(pulse, &setting, ran, printer, out).await.map(ExitCode::from)
}

/// A plan, carried out on the state in which it was made.
async fn carried_out(
    setting: &Setting,
    plan: Plan,
    orders: Orders,
    environment: &Environment,
    progress: &Arc<dyn Progress>,
) -> Result<Ran, Failure> {
    // No mail: its notices were sent before, and a plan is no report.
    let channels = channels::channels(&setting.config, environment)?;
    let store = state::store(&setting.config, environment)?;
    let ledger = state::ledger(store, setting.writer(), Opening::Existing).await?;
    let outlets = Outlets { post: None, channels: &channels };
    setting.apply(plan, orders, outlets, Journal::Kept(Box::new(ledger)), progress).await
}

/// Whoever wishes the safer thing wins, before anything is asked of anybody.
pub(super) fn may_act(config: &Config, clock: Clock, what: &str) -> Result<(), Failure> {
    if matches!(clock, Clock::Fixed(_)) {
        loopback::required(config, what)?;
        loopback::required_of_receivers(config, what)?;
    }
    config.can_enforce().map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Failure::Refused(format!("{what}: {}", problems.join("; ")), None)
    })
}

fn prepare(
    config: Config,
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    clock: Clock,
    interrupt: Interrupt,
) -> Result<Setting, Failure> {
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    if let Some(path) = &config.path {
        printer.say(&format!("configuration {} ({})", path.display(), config.digest));
    }
    let setting = Setting::new(config, accounts, global, clock, interrupt).measured(environment)?;
    Ok(setting.linked(ci::run_link(environment)))
}

fn plan_file(path: &Path, global: &Global, config: &Config) -> Result<Output, Failure> {
    open::not_the_same("--out", path, config.path.as_deref(), "the configuration file")?;
    open::not_the_same("--out", path, global.output.as_deref(), "the --output")?;
    if path == Path::new("-") {
        return Err(Failure::usage("--out is a file: `-` is none", "name a file"));
    }
    Output::file(path).map_err(|error| {
        Failure::usage(
            format!("cannot write {}: {error}", path.display()),
            "name a file in a folder that exists and can be written",
        )
    })
}

fn read_plan(path: &Path) -> Result<Plan, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(
            format!("cannot read {}: {error}", path.display()),
            "`reaper plan --out FILE` writes a plan",
        )
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::refused(
            format!("{} is not a plan that this version understands: {error}", path.display()),
            "make a new plan with `reaper plan --out`",
        )
    })
}

/// Prints what a run came to; what is undelivered or cut short is also on disk. Gives its exit code.
fn show(ran: &Ran, printer: &Printer, out: Output) -> Result<u8, Failure> {
    let document = &ran.document;
    let result = printer.show(document, &ran.charges, out);
    let undelivered = document.outcome.classes.contains(&Class::Undelivered);
    if result.is_err() || document.interrupted || undelivered {
        keep_a_copy(document);
    }
    result?;
    say_what_failed(document);
    Ok(document.outcome.exit_code)
}

/// The whole report in a file, for a run whose mails did not go out or that was cut short. Beside
/// the caller, or where temporary files go.
fn keep_a_copy(document: &AuditDocument) {
    let name = PathBuf::from(format!("reaper-report-{}.json", document.run_id));
    for path in [name.clone(), std::env::temp_dir().join(name)] {
        if let Ok(out) = Output::file(&path)
            && printer::json(document, out).is_ok()
        {
            alert(&format!("the full report is in {}", path.display()));
            return;
        }
    }
    alert("the full report could not be written to a file either");
}
