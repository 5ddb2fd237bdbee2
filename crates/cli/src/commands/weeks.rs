//! `reaper demo --weeks`: weeks of the simulated fleet under daily runs that enforce, up to a weekly
//! report. The state is in memory, and mail goes into a folder or nowhere.

use std::path::Path;
use std::process::ExitCode;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_config::Config;
use reaper_engine::{Clock, Journal, Orders, Ran, Tells};
use reaper_ledger::{Opening, Store};
use reaper_model::Span;
use reaper_model::document::Mode;
use reaper_notify::Outbox;
use reaper_provider::Surroundings;
use reaper_simcloud::SimCloud;
use tempfile::TempDir;

use crate::args::Global;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::run::{self, Outlets, Setting};
use crate::{open, signals, state};

/// The weeks.
pub(super) struct Weeks<'a> {
    pub(super) global: &'a Global,
    pub(super) config: &'a Config,
    pub(super) environment: &'a Environment,
    pub(super) cloud: &'a SimCloud,
    /// When they begin.
    pub(super) start: DateTime<Utc>,
    pub(super) count: u8,
}

/// What people do in the last week: days before its end, and to which machine.
const RESTARTED: [(i64, &str); 2] =
    [(6, "5b0c1d92-8e7f-4a36-b1c4-d7f2906e8a35"), (2, "i-0a100f0900770e57d")];
const DELETED: (i64, &str) = (5, "e2c94b06-7f31-4d5a-8c12-b90d5a6f3e47");

impl Weeks<'_> {
    /// Lives through it and shows the document of its last run.
    pub(super) async fn show(
        &self,
        printer: &Printer,
        mails: Option<&Path>,
    ) -> Result<ExitCode, Failure> {
        let out = printer.output()?;
        let nowhere: TempDir;
        let folder = if let Some(folder) = mails {
            folder
        } else {
            nowhere = tempfile::tempdir()
                .map_err(|error| Failure::internal(format!("no temporary folder: {error}")))?;
            nowhere.path()
        };
        let outbox = self.outbox(folder)?;
        let store = Store::memory();
        let interrupt = signals::heed();
        let progress = run::progress(printer);
        let mut last = None;
        let days = 7 * i64::from(self.count);
        for day in 0..=days {
            let now = self.start + TimeDelta::days(day);
            self.cloud.set_now(now);
            self.people(days - day);
            let mut config = self.config.clone();
            // What is stopped here is stopped at once: nobody has to wait for it.
            config.timeouts.poll = Span::from_secs(1);
            // Each day is a process of its own, which knows nothing but the state.
            let accounts =
                open::accounts(&config, self.global, self.environment, Surroundings::NONE)?;
            let clock = Clock::Fixed(now);
            let setting = Setting::new(config, accounts, self.global, clock, interrupt.clone())
                .measured(self.environment)?;
            last = Some(self.run(&setting, &store, &outbox, printer, &progress).await?);
            if interrupt.is_raised() {
                break;
            }
        }
        drop(progress);
        let Some(ran) = last else { return Err(Failure::internal("no day went by")) };
        printer.show(&ran.document, &ran.charges, out)?;
        if let Some(folder) = mails {
            printer.say(&format!("the mails of that time are in {}", folder.display()));
        }
        Ok(ExitCode::from(ran.document.outcome.exit_code))
    }

    /// What happens to the machines without us.
    fn people(&self, left: i64) {
        self.cloud.edit(|world| {
            for (_, id) in RESTARTED.iter().filter(|(day, _)| *day == left) {
                let started = world.restart(id);
                tracing::debug!(id, started, "somebody starts it again");
            }
            if DELETED.0 == left {
                let deleted = world.remove(DELETED.1);
                tracing::debug!(deleted, "somebody deletes it");
            }
        });
    }

    fn outbox(&self, folder: &Path) -> Result<Outbox, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::usage(
                format!("cannot make {}: {error}", folder.display()),
                "name a folder that can be made or written",
            )
        })?;
        let from = self.config.email.as_ref().map_or("reaper@localhost", |email| &email.from);
        let from = from
            .parse()
            .map_err(|error| Failure::internal(format!("the sender {from:?}: {error}")))?;
        Ok(Outbox::new(folder.to_path_buf(), from))
    }

    async fn run(
        &self,
        setting: &Setting,
        store: &Store,
        outbox: &Outbox,
        printer: &Printer,
        progress: &std::sync::Arc<dyn reaper_engine::Progress>,
    ) -> Result<Ran, Failure> {
        let orders = Orders {
            command: "run",
            mode: Mode::Run,
            run_id: setting.run_id(),
            enforces: true,
            acts: true,
            tells: Tells::EVERYTHING,
            expect: None,
            accept_drop: false,
            charges: printer.counts_charges(),
        };
        let ledger = state::ledger(store.clone(), setting.writer(), Opening::OrNew).await?;
        let outlets = Outlets { post: Some(outbox), channels: &[] };
        setting.run(orders, outlets, Journal::Kept(Box::new(ledger)), progress).await
    }
}
