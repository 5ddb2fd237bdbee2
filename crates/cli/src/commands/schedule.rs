//! `reaper schedule`: stays up and does the jobs of `[[schedule]]` at their times, one at a time,
//! each as `reaper run` would.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::process::ExitCode;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_config::{Config, Job, Schedule};
use reaper_engine::schedule::{Scheduled, Status, Work, keep};
use reaper_engine::{Clock, Interrupt};
use reaper_model::Class;
use reaper_timetable::{Due, jitter};
use serde::Serialize;

use crate::args::Global;
use crate::commands::run::{self as one, Asked};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::printer::{self, Printer, alert};
use crate::{open, run, signals, state};

/// Name and version of the health file.
const HEALTH_SCHEMA: &str = "reaper.health/1";

/// Runs until a signal asks for an end. The exit code is the worst of the last runs of each job.
pub(crate) async fn schedule(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    enforce: bool,
    health: Option<&Path>,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let clock = run::clock(global, environment)?;
    if matches!(clock, Clock::Fixed(_)) {
        return Err(Failure::usage(
            "a schedule goes by the wall clock: --now and REAPER_NOW stand still",
            "leave them out, or use `reaper run`, which takes them",
        ));
    }
    if config.schedules.iter().all(|schedule| schedule.is_default) {
        return Err(Failure::usage(
            "there is no [[schedule]] in the configuration: nothing would run but the weekly report",
            "write for example [[schedule]] with job = \"run\" and cron = \"17 * * * *\"",
        ));
    }
    if enforce {
        one::may_act(&config, clock, "schedule --enforce")?;
    }
    if let Some(path) = health {
        open::not_the_same("--health", path, config.path.as_deref(), "the configuration file")?;
        open::not_the_same("--health", path, global.output.as_deref(), "the --output")?;
    }
    let view = state::view(&state::store(&config, environment)?).await?;
    // A run has done what the smaller jobs do; one that may not act has not done what one that may
    // is for. What runs of some accounts alone have done does not count, also not for a schedule of
    // those: it does it again.
    let last = |job: Job| {
        let acts = enforce && job == Job::Run;
        let of = |job: Job| view.as_ref()?.state().runs().done(job.name(), acts);
        of(job).max(of(Job::Run))
    };
    let jobs: Vec<Scheduled> = config
        .schedules
        .iter()
        .map(|schedule| Scheduled {
            timetable: schedule.timetable.clone(),
            delay: delay(schedule, &config),
            last: last(schedule.job),
        })
        .collect();
    // What nothing would ever carry out is not promised either.
    let acts = config.schedules.iter().any(|schedule| schedule.job == Job::Run);
    let heard = signals::heed();
    let daemon = Daemon {
        global,
        environment,
        printer,
        asked: Asked { enforce: enforce && acts, dry_run: false, expect: None, accept_drop: false },
        interrupt: heard.clone(),
        codes: RefCell::new(vec![0; config.schedules.len()]),
        schedules: config.schedules,
        health: health.map(|path| Health {
            path,
            last: RefCell::default(),
            failed: Cell::new(false),
        }),
        said: Cell::new(None),
    };
    Box::pin(keep(jobs, &daemon, &heard)).await;
    printer.say("the schedule has ended");
    Ok(ExitCode::from(worst(&daemon.codes.borrow())))
}

/// By how much a job begins later: differently for different teams, and always the same.
fn delay(schedule: &Schedule, config: &Config) -> TimeDelta {
    let accounts = config.accounts.iter().map(|account| {
        let pin = account.expect_account.as_deref().unwrap_or_default();
        format!("{}/{}/{pin}", account.provider, account.name)
    });
    let accounts: Vec<String> = accounts.collect();
    let name = format!(
        "{} {} {} {}",
        schedule.job.name(),
        schedule.timetable,
        config.state.url,
        accounts.join(" ")
    );
    jitter(&name, schedule.jitter)
}

/// The code that counts of several.
fn worst(codes: &[u8]) -> u8 {
    let classes = Class::BY_PRECEDENCE.iter().map(|class| class.exit_code());
    classes.filter(|code| *code != 0).find(|code| codes.contains(code)).unwrap_or(0)
}

/// What the schedule works with.
struct Daemon<'a> {
    global: &'a Global,
    environment: &'a Environment,
    printer: &'a Printer,
    asked: Asked,
    interrupt: Interrupt,
    schedules: Vec<Schedule>,
    /// How the last run of each job ended.
    codes: RefCell<Vec<u8>>,
    health: Option<Health<'a>>,
    /// What was last said of what comes next.
    said: Cell<Option<(usize, DateTime<Utc>)>>,
}

impl Daemon<'_> {
    fn job(&self, number: usize) -> Job {
        self.schedules[number].job
    }

    fn shown(&self, number: usize, at: DateTime<Utc>) -> String {
        let zone = self.schedules[number].timetable.zone();
        at.with_timezone(&zone).format("%a %-d %b %Y %H:%M %:z").to_string()
    }
}

impl Work for Daemon<'_> {
    #[expect(clippy::disallowed_methods, reason = "a schedule goes by the wall clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn work(&self, number: usize, due: Due) {
        let job = self.job(number);
        let missed = match due.missed {
            0 => String::new(),
            1 => "; one time before it was missed".to_owned(),
            missed => format!("; {missed} times before it were missed"),
        };
        self.printer.say(&format!(
            "schedule: {} of {} begins{missed}",
            job.name(),
            self.shown(number, due.at)
        ));
        let begun = self.now();
        let interrupt = self.interrupt.clone();
        let run =
            one::once(self.global, self.environment, self.printer, self.asked, job, interrupt);
        let code = Box::pin(run).await.unwrap_or_else(|failure| {
            self.printer.fail(&failure);
            failure.class().exit_code()
        });
        self.printer.say(&format!("schedule: {} ended with exit code {code}", job.name()));
        if let Some(slot) = self.codes.borrow_mut().get_mut(number) {
            *slot = code;
        }
        if let Some(health) = &self.health {
            let (due_at, ended_at) = (due.at, self.now());
            let last =
                LastRun { job: job.name(), due_at, begun_at: begun, ended_at, exit_code: code };
            *health.last.borrow_mut() = Some(last);
        }
    }

    fn watch(&self, status: &Status) {
        if let Some((number, at)) = status.next.filter(|_| status.running.is_none())
            && self.said.replace(status.next) != status.next
        {
            self.printer.say(&format!(
                "schedule: next is {} at {}",
                self.job(number).name(),
                self.shown(number, at)
            ));
        }
        if let Some(health) = &self.health {
            let named =
                |(number, at): (usize, DateTime<Utc>)| Named { job: self.job(number).name(), at };
            health.write(status.now, status.running.map(named), status.next.map(named));
        }
    }
}

/// The file by which others see that the schedule is alive.
struct Health<'a> {
    path: &'a Path,
    last: RefCell<Option<LastRun>>,
    /// Whether the last attempt to write it failed.
    failed: Cell<bool>,
}

/// What is in it. Times are UTC.
#[derive(Serialize)]
struct HealthDocument<'a> {
    schema: &'static str,
    version: &'static str,
    /// When it was written: not much more than a minute ago, or the schedule is not alive.
    now: DateTime<Utc>,
    running: Option<Named>,
    next: Option<Named>,
    last: Option<&'a LastRun>,
}

/// A job and a time.
#[derive(Serialize)]
struct Named {
    job: &'static str,
    at: DateTime<Utc>,
}

/// The end of a run.
#[derive(Serialize)]
struct LastRun {
    job: &'static str,
    due_at: DateTime<Utc>,
    begun_at: DateTime<Utc>,
    ended_at: DateTime<Utc>,
    exit_code: u8,
}

impl Health<'_> {
    /// Replaces the file. A schedule whose file cannot be written goes on and says so once.
    fn write(&self, now: DateTime<Utc>, running: Option<Named>, next: Option<Named>) {
        let last = self.last.borrow();
        let version = run::VERSION;
        let document = HealthDocument {
            schema: HEALTH_SCHEMA,
            version,
            now,
            running,
            next,
            last: last.as_ref(),
        };
        let written = Output::file(self.path)
            .map_err(|error| error.to_string())
            .and_then(|out| printer::json(&document, out).map_err(|failure| failure.text(false)));
        let failed_before = self.failed.replace(written.is_err());
        if let Err(why) = written
            && !failed_before
        {
            alert(&format!("warning: cannot write {}: {why}", self.path.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several_ends_is_the_first_by_precedence() {
        assert_eq!(worst(&[0, 0]), 0);
        assert_eq!(worst(&[0, 6, 4]), 4);
        assert_eq!(worst(&[4, 5, 3]), 3);
        assert_eq!(worst(&[7, 1]), 1);
        assert_eq!(worst(&[]), 0);
    }
}
