//! `reaper probe`: looks at the GPUs of the machine that it runs on, once or as long as it is let, and
//! writes what it sees into a textfile for Prometheus, into the state store, or both.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_engine::Clock;
use reaper_engine::error::chain;
use reaper_ledger::Store;
use reaper_model::samples::{LEAST_LOOKS, LONGEST_PAUSE};
use reaper_model::{Class, Samples, samples_key};
use reaper_probe::{Host, Library, Look, Memory, Probe, Said, Smi, Ways, identify, textfile};
use reaper_report::clean;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::args::{Format, Global, ProbeArgs};
use crate::commands::probe_view::lines;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::printer::{self, Printer, alert, preformatted, written};
use crate::run::{self, VERSION};
use crate::{open, signals, state};

/// One answer of the driver or its tool.
const LOOK: Duration = Duration::from_secs(10);

/// One writing into the state store.
const WRITE: Duration = Duration::from_secs(30);

/// The last one, after a signal.
const LAST_WRITE: Duration = Duration::from_secs(7);

/// Where history is kept where systemd names no folder.
const HISTORY: &str = "/var/lib/reaper-probe";

pub(crate) async fn probe(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    asked: &ProbeArgs,
) -> Result<ExitCode, Failure> {
    let clock = run::clock(global, environment)?;
    let store = match asked.state.as_ref().or(environment.state.as_ref()) {
        Some(url) => Some(state::store_at(url, environment)?),
        None => None,
    };
    if !asked.once {
        stays_up(asked, clock, store.is_some())?;
    }
    if let Some(path) = &asked.textfile {
        open::not_the_same("--textfile", path, global.output.as_deref(), "the --output")?;
        open::not_the_same("--textfile", path, asked.history.as_deref(), "the --history")?;
    }
    let machine = machine(asked, printer)?;
    let history = asked.history.clone().unwrap_or_else(|| default_history(environment));
    let memory = Memory::at(&history);
    let (remembered, said) = memory.recall(&machine);
    if let Some(said) = said {
        warn(&said);
    }
    let ways = match &asked.nvidia_smi {
        Some(path) => Ways::tool(Smi::new(path, LOOK)),
        None => Ways::new(Library::load, Smi::new(Path::new("nvidia-smi"), LOOK), LOOK),
    };
    let probe = Probe::new(ways, Host::below(Path::new("/")), &machine, VERSION, remembered);
    let mut watch = Watch {
        probe,
        machine,
        textfile: asked.textfile.clone(),
        store,
        memory,
        said: Said::default(),
    };
    if asked.once {
        once(&mut watch, clock.now(), printer).await
    } else {
        on_and_on(&mut watch, asked, printer).await
    }
}

/// Refuses what makes no sense for one that stays up.
fn stays_up(asked: &ProbeArgs, clock: Clock, has_store: bool) -> Result<(), Failure> {
    if matches!(clock, Clock::Fixed(_)) {
        return Err(Failure::usage(
            "a probe that stays up goes by the wall clock: --now and REAPER_NOW stand still",
            "leave them out, or add --once",
        ));
    }
    if !has_store && asked.textfile.is_none() {
        return Err(Failure::usage(
            "nothing would be written: neither --state nor --textfile is given",
            "name one of them, or look once with --once",
        ));
    }
    if asked.every > LONGEST_PAUSE {
        return Err(Failure::usage(
            format!("--every {}: a look every {LONGEST_PAUSE} is the least", asked.every),
            format!(
                "five minutes with less than {LEAST_LOOKS} looks prove nothing; write for example \
                 --every 10s"
            ),
        ));
    }
    if asked.write_every < asked.every {
        return Err(Failure::usage(
            format!("--write-every {} is shorter than --every {}", asked.write_every, asked.every),
            "there is nothing to write before the next look",
        ));
    }
    Ok(())
}

fn machine(asked: &ProbeArgs, printer: &Printer) -> Result<String, Failure> {
    const HELP: &str = "name it as the cloud does: --machine ID";
    let (machine, source) = if let Some(id) = &asked.machine {
        (id.trim().to_owned(), None)
    } else {
        let found = identify(Path::new("/"))
            .ok_or_else(|| Failure::usage("this machine tells no id of its own", HELP))?;
        let hint = if found.by_the_cloud {
            ""
        } else {
            "; if the cloud lists this machine under another id, name that with --machine"
        };
        (found.id, Some(format!("from {}{hint}", found.source)))
    };
    samples_key(&machine).map_err(|error| Failure::usage(error.to_string(), HELP))?;
    if let Some(source) = source {
        printer.say(&clean(&format!("machine {machine}, {source}")));
    }
    Ok(machine)
}

fn default_history(environment: &Environment) -> PathBuf {
    let folder = environment.state_directory.clone().unwrap_or_else(|| PathBuf::from(HISTORY));
    folder.join("history.json")
}

/// A machine under observation, and where what is seen goes.
struct Watch {
    probe: Probe<Library>,
    machine: String,
    textfile: Option<PathBuf>,
    store: Option<Store>,
    memory: Memory,
    said: Said,
}

impl Watch {
    /// Looks, says what is new of what went wrong, and writes the textfile.
    async fn look(&mut self, now: DateTime<Utc>) -> (Look, Result<(), String>) {
        let look = self.probe.look(now).await;
        let written = self.textfile.as_ref().map_or(Ok(()), |path| {
            let text = textfile(&self.machine, now, &look.gpus, look.host);
            Output::file(path)
                .and_then(|mut out| {
                    std::io::Write::write_all(&mut out, text.as_bytes())?;
                    out.finish()
                })
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))
        });
        for trouble in self.said.news(look.gpus.troubles.iter().chain(written.as_ref().err()), now)
        {
            warn(&trouble);
        }
        (look, written)
    }

    /// Takes the textfile away: its exporter would serve what was written last for ever.
    fn retire(&mut self, now: DateTime<Utc>) {
        let Some(path) = &self.textfile else { return };
        let removed = match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("{} cannot be removed: {error}", path.display()))
            }
            _ => Ok(()),
        };
        self.told(&removed, now);
    }

    /// Remembers, for the next start.
    fn remember(&mut self, now: DateTime<Utc>) {
        let kept = self.memory.keep(&self.probe.history(now));
        for trouble in self.said.news(kept.as_ref().err(), now) {
            warn(&format!("{trouble}; after a restart it begins anew"));
        }
    }

    /// Begins to write into the state store what was seen so far.
    fn put(&self, now: DateTime<Utc>, limit: Duration) -> Option<JoinHandle<Result<(), String>>> {
        let store = self.store.clone()?;
        let samples = self.probe.samples(now);
        Some(tokio::spawn(put(store, samples, limit)))
    }

    fn told(&mut self, result: &Result<(), String>, now: DateTime<Utc>) {
        for trouble in self.said.news(result.as_ref().err(), now) {
            warn(&trouble);
        }
    }
}

async fn put(store: Store, samples: Samples, limit: Duration) -> Result<(), String> {
    match timeout(limit, store.put_samples(&samples)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("the samples were not written: {}", chain(&error))),
        Err(_late) => {
            let seconds = limit.as_secs();
            Err(format!("{store}: the samples were not written within {seconds} s"))
        }
    }
}

/// What became of a writing; a panic in it is a bug of ours.
async fn ended(writing: Option<JoinHandle<Result<(), String>>>) -> Result<(), String> {
    match writing {
        None => Ok(()),
        Some(writing) => match writing.await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_cancelled) => Err("the samples were not written: broken off".to_owned()),
        },
    }
}

/// One look, for cron: written, shown, and gone.
async fn once(
    watch: &mut Watch,
    now: DateTime<Utc>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let mut out = printer.output()?;
    let (look, textfile) = watch.look(now).await;
    watch.remember(now);
    let stored = ended(watch.put(now, WRITE)).await;
    watch.told(&stored, now);
    if printer.format() == Format::Json {
        printer::json(&watch.probe.samples(now), out)?;
    } else {
        let text = preformatted(lines(&look), printer.format());
        written(std::io::Write::write_all(&mut out, text.as_bytes()).and_then(|()| out.finish()))?;
    }
    if textfile.is_err() || stored.is_err() {
        return Ok(ExitCode::from(Class::Internal.exit_code()));
    }
    if look.gpus.gpus.is_empty() {
        // A tool that lists none says no word of trouble.
        if look.gpus.troubles.is_empty() {
            warn("no GPU can be read: none is listed");
        }
        return Ok(ExitCode::from(Class::Incomplete.exit_code()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Looks until a signal asks for an end, and writes what it has.
async fn on_and_on(
    watch: &mut Watch,
    asked: &ProbeArgs,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let out = printer.output()?;
    let heard = signals::heed();
    let mut looks = interval(asked.every.std());
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut writing: Option<JoinHandle<Result<(), String>>> = None;
    let mut due = Instant::now();
    loop {
        tokio::select! {
            biased;
            _ = heard.raised() => break,
            _ = looks.tick() => {}
        }
        let now = wall();
        if heard.bear(Duration::ZERO, watch.look(now)).await.is_none() {
            break;
        }
        // What one bucket gathers is written; the one before has its own time limit.
        if writing.as_ref().is_some_and(JoinHandle::is_finished) {
            let result = ended(writing.take()).await;
            watch.told(&result, now);
        }
        if writing.is_none() && due <= Instant::now() {
            due += asked.write_every.std();
            due = due.max(Instant::now());
            watch.remember(now);
            writing = watch.put(now, WRITE);
        }
    }
    if let Some(writing) = writing {
        writing.abort();
    }
    let now = wall();
    watch.retire(now);
    watch.remember(now);
    let last = ended(watch.put(now, LAST_WRITE)).await;
    watch.told(&last, now);
    if printer.format() == Format::Json {
        printer::json(&watch.probe.samples(now), out)?;
    }
    printer.say("the probe has ended");
    Ok(if last.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(Class::Internal.exit_code()) })
}

/// Samples are of the time that they are taken at, whatever a clock was set to meanwhile.
#[expect(clippy::disallowed_methods, reason = "a probe goes by the wall clock")]
fn wall() -> DateTime<Utc> {
    Utc::now()
}

fn warn(text: &str) {
    alert(&clean(&format!("warning: {text}")));
}
