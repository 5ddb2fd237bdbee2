//! One audit, from opened accounts to the document.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_budget::{Exchange, Month};
use reaper_config::Config;
use reaper_engine::{
    Account, Assessed, Frame, Inventory, Limits, PriceBook, Progress, Silent, Watch, Yardstick,
};
use reaper_model::document::{ConfigView, Warning};
use reaper_model::{AuditDocument, Span};
use reaper_policy::Policy;
use sha2::{Digest, Sha256};

use crate::args::{self, Global};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Bar;

/// Version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The clock of the run: `--now`, else `REAPER_NOW`, else the wall clock.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
pub(crate) fn clock(global: &Global, environment: &Environment) -> Result<DateTime<Utc>, Failure> {
    match (global.now, &environment.now) {
        (Some(now), _) => Ok(now),
        (None, None) => Ok(Utc::now()),
        (None, Some(text)) => args::time(text)
            .map_err(|help| Failure::usage(format!("REAPER_NOW: {text:?} is not a time"), help)),
    }
}

/// Progress on a terminal, silence elsewhere.
pub(crate) fn progress(printer: &Printer) -> Arc<dyn Progress> {
    if printer.shows_progress() { Arc::new(Bar::new()) } else { Arc::new(Silent) }
}

/// What a run knows before it reads anything.
pub(crate) struct Setting {
    pub(crate) config: Config,
    pub(crate) accounts: Vec<Account>,
    pub(crate) watch: Watch,
    pub(crate) now: DateTime<Utc>,
    /// Whether all configured accounts are asked.
    pub(crate) all_accounts: bool,
}

impl Setting {
    /// The run starts now: its time limits, tightened by `--timeout`, count from here.
    pub(crate) fn new(
        config: Config,
        accounts: Vec<Account>,
        global: &Global,
        now: DateTime<Utc>,
    ) -> Self {
        let asked = global.timeout.map_or(Duration::MAX, Span::std);
        let limits = Limits {
            scope: config.timeouts.scope.std(),
            run: config.timeouts.run.std().min(asked),
            ..Limits::default()
        };
        let all_accounts = accounts.len() == config.accounts.len();
        Self { config, accounts, watch: Watch::start(limits), now, all_accounts }
    }

    /// The configuration as documents name it.
    pub(crate) fn config_view(&self) -> ConfigView {
        ConfigView {
            path: self.config.path.as_ref().map(|path| path.display().to_string()),
            digest: self.config.digest.clone(),
        }
    }

    /// What the configuration wants looked at.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let warnings = self.config.warnings.iter().map(|warning| Warning {
            code: warning.code.to_owned(),
            text: warning.text.clone(),
            subject: Some(warning.subject.clone()),
        });
        warnings.collect()
    }

    /// Reads all accounts. An account without credentials is a mistake of the configuration.
    pub(crate) async fn collect(&self, progress: &Arc<dyn Progress>) -> Result<Inventory, Failure> {
        let accounts = &self.accounts;
        let inventory = reaper_engine::collect(accounts, self.watch, self.now, progress).await;
        let bare: Vec<String> = inventory
            .without_credentials()
            .map(|failure| format!("account {:?}: {}", failure.account.as_str(), failure.error))
            .collect();
        if bare.is_empty() { Ok(inventory) } else { Err(Failure::Usage(bare.join("\n"), None)) }
    }

    /// Reads, judges and lays out. `look` sees every machine before it becomes a view.
    pub(crate) async fn audit(
        self,
        progress: &Arc<dyn Progress>,
        look: impl FnOnce(&[Assessed]),
    ) -> Result<AuditDocument, Failure> {
        let mut inventory = self.collect(progress).await?;
        let (view, warnings) = (self.config_view(), self.warnings());
        let Self { config, accounts, watch, now, all_accounts } = self;
        let fallback = config.policy.owners.fallback.is_some();
        let policy = Arc::new(Policy::new(config.policy));
        let yardstick = Yardstick {
            policy: Arc::clone(&policy),
            prices: Arc::new(PriceBook::new(config.prices, now.date_naive())),
            month: Month::holding(now, config.timezone),
            watch,
            now,
        };
        let machines = reaper_engine::assess(&mut inventory, &accounts, &yardstick).await;
        look(&machines);
        let frame = Frame {
            version: VERSION.to_owned(),
            run_id: run_id(&view.digest, now),
            config: view,
            zone: config.timezone,
            now,
            exchange: Exchange::new(config.currency, config.rates),
            fallback,
            all_accounts,
            warnings,
        };
        Ok(reaper_engine::document(frame, &inventory, machines, &policy))
    }
}

/// Equal inputs at an equal time give an equal id, so that a replay can be recognised.
fn run_id(digest: &str, now: DateTime<Utc>) -> String {
    let hash = Sha256::digest(format!("{digest} {}", now.to_rfc3339()));
    let mut head = [0_u8; 8];
    head.copy_from_slice(&hash[..8]);
    format!("{:016x}", u64::from_be_bytes(head))
}
