//! One run, from opened accounts to the document: the settings of the engine from those of the
//! configuration.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_advice::Adviser;
use reaper_budget::Exchange;
use reaper_config::{Config, Job, Told};
use reaper_engine::{
    Account, ActLimits, Assessed, ChannelTopics, Clock, Hook, Interrupt, Inventory, Journal,
    Limits, Orders, Progress, Ran, Reports, RunError, Runner, Sensors, Settings, Silent, Tells,
    Watch,
};
use reaper_ledger::Writer;
use reaper_model::document::{ConfigView, Mode, Warning};
use reaper_model::{Plan, Span};
use reaper_notify::{Channel, Post};
use sha2::{Digest, Sha256};
use url::Url;

use crate::args::{self, Global};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Bar;
use crate::providers;
use crate::{sensors, state};

/// Version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Mails about one finding are this far apart where no channel says otherwise.
const REMIND_EVERY: Span = Span::from_secs(7 * 24 * 3600);

/// The clock of the run: `--now`, else `REAPER_NOW`, else the wall clock.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
pub(crate) fn clock(global: &Global, environment: &Environment) -> Result<Clock, Failure> {
    match (global.now, &environment.now) {
        (Some(now), _) => Ok(Clock::Fixed(now)),
        (None, None) => Ok(Clock::running(Utc::now())),
        (None, Some(text)) => args::time(text)
            .map(Clock::Fixed)
            .map_err(|help| Failure::usage(format!("REAPER_NOW: {text:?} is not a time"), help)),
    }
}

/// Progress on a terminal, silence elsewhere.
pub(crate) fn progress(printer: &Printer) -> Arc<dyn Progress> {
    if printer.shows_progress() { Arc::new(Bar::new()) } else { Arc::new(Silent) }
}

/// Where a run's messages go; nowhere in a dry run.
#[derive(Clone, Copy)]
pub(crate) struct Outlets<'a> {
    pub(crate) post: Option<&'a dyn Post>,
    pub(crate) channels: &'a [Box<dyn Channel>],
}

impl Outlets<'_> {
    /// Nobody is told anything.
    pub(crate) const NONE: Outlets<'static> = Outlets { post: None, channels: &[] };
}

/// What a run knows before it reads anything.
pub(crate) struct Setting {
    pub(crate) config: Config,
    pub(crate) accounts: Vec<Account>,
    pub(crate) watch: Watch,
    pub(crate) clock: Clock,
    /// The wish to end early.
    pub(crate) interrupt: Interrupt,
    /// Whether all configured accounts are asked.
    pub(crate) all_accounts: bool,
    /// Who is asked what was measured.
    sensors: Arc<Sensors>,
    /// Who knows what would do for less; nobody where no advice is wanted.
    adviser: Option<Adviser>,
    /// A source that could not be opened.
    unopened: Option<Warning>,
    /// Where the run can be looked up: the job of a CI system.
    link: Option<Url>,
}

impl Setting {
    /// The run starts now: its time limits, tightened by `--timeout`, count from here.
    pub(crate) fn new(
        config: Config,
        accounts: Vec<Account>,
        global: &Global,
        clock: Clock,
        interrupt: Interrupt,
    ) -> Self {
        let asked = global.timeout.map_or(Duration::MAX, Span::std);
        let limits = Limits {
            scope: config.timeouts.scope.std(),
            run: config.timeouts.run.std().min(asked),
            ..Limits::default()
        };
        let all_accounts = accounts.len() == config.accounts.len();
        let watch = Watch::start(limits, interrupt.clone());
        let sensors = Arc::default();
        Self {
            config,
            accounts,
            watch,
            clock,
            interrupt,
            all_accounts,
            sensors,
            adviser: None,
            unopened: None,
            link: None,
        }
    }

    /// The same with the sources of measurements that the configuration names, and with advice.
    pub(crate) fn measured(self, environment: &Environment) -> Result<Self, Failure> {
        let (sensors, unopened) = sensors::sensors(&self.config, environment)?;
        let adviser = Adviser::new()
            .map_err(|error| Failure::internal(format!("the table of GPU models: {error}")))?;
        Ok(Self { sensors: Arc::new(sensors), adviser: Some(adviser), unopened, ..self })
    }

    /// The same with the place where the run can be looked up.
    pub(crate) fn linked(self, link: Option<Url>) -> Self {
        Self { link, ..self }
    }

    /// Who is asked what was measured.
    pub(crate) fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// The run's time (UTC).
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
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
        warnings.chain(self.unopened.clone()).collect()
    }

    /// Equal inputs at an equal time give an equal id, so that a replay can be recognised.
    pub(crate) fn run_id(&self) -> String {
        let hash = Sha256::digest(format!("{} {}", self.config.digest, self.now().to_rfc3339()));
        let mut head = [0_u8; 8];
        head.copy_from_slice(&hash[..8]);
        format!("{:016x}", u64::from_be_bytes(head))
    }

    /// Names this very process in the state: no two runs ever share one.
    pub(crate) fn writer(&self) -> Writer {
        let random = RandomState::new().build_hasher().finish();
        Writer::new(format!("{}.{random:016x}", self.run_id()))
    }

    /// An audit's orders: read, and say.
    pub(crate) fn audit_orders(&self) -> Orders {
        Orders {
            command: "audit",
            mode: Mode::Audit,
            run_id: self.run_id(),
            enforces: false,
            acts: false,
            tells: Tells::NOTHING,
            expect: None,
            accept_drop: false,
            charges: false,
        }
    }

    /// Reads all accounts and judges nothing. An account without credentials is a mistake of the
    /// configuration.
    pub(crate) async fn collect(&self, progress: &Arc<dyn Progress>) -> Result<Inventory, Failure> {
        let inventory =
            reaper_engine::collect(&self.accounts, &self.watch, self.now(), progress).await;
        let bare: Vec<String> = inventory
            .without_credentials()
            .map(|failure| format!("account {:?}: {}", failure.account.as_str(), failure.error))
            .collect();
        if bare.is_empty() { Ok(inventory) } else { Err(Failure::Usage(bare.join("\n"), None)) }
    }

    /// Runs to the document.
    pub(crate) async fn run(
        &self,
        orders: Orders,
        outlets: Outlets<'_>,
        journal: Journal,
        progress: &Arc<dyn Progress>,
    ) -> Result<Ran, Failure> {
        let runner = self.runner(orders, outlets, progress, &|_| {});
        Box::pin(runner.run(journal)).await.map_err(failure)
    }

    /// An audit of which `look` sees every machine with its judgement.
    pub(crate) async fn look(
        &self,
        journal: Journal,
        progress: &Arc<dyn Progress>,
        look: &(dyn Fn(&[Assessed]) + Sync),
    ) -> Result<Ran, Failure> {
        let runner = self.runner(self.audit_orders(), Outlets::NONE, progress, look);
        Box::pin(runner.run(journal)).await.map_err(failure)
    }

    /// Carries out a plan.
    pub(crate) async fn apply(
        &self,
        plan: Plan,
        orders: Orders,
        outlets: Outlets<'_>,
        journal: Journal,
        progress: &Arc<dyn Progress>,
    ) -> Result<Ran, Failure> {
        let runner = self.runner(orders, outlets, progress, &|_| {});
        Box::pin(runner.apply(plan, journal)).await.map_err(failure)
    }

    fn runner<'a>(
        &'a self,
        orders: Orders,
        outlets: Outlets<'a>,
        progress: &Arc<dyn Progress>,
        look: &'a (dyn Fn(&[Assessed]) + Sync),
    ) -> Runner<'a> {
        Runner {
            accounts: &self.accounts,
            settings: self.settings(),
            orders,
            post: outlets.post,
            channels: outlets.channels,
            sensors: Arc::clone(&self.sensors),
            clock: self.clock,
            watch: self.watch.clone(),
            progress: Arc::clone(progress),
            look,
        }
    }

    /// When the weekly report goes to whom; `None` where nobody gets one.
    fn reports(&self) -> Option<Reports> {
        let config = &self.config;
        let to = config.email.as_ref().map(|email| email.report_to.clone()).unwrap_or_default();
        if to.is_empty() && config.channels.told(Told::Report).is_empty() {
            return None;
        }
        let schedule = config.schedules.iter().find(|schedule| schedule.job == Job::Report)?;
        Some(Reports { timetable: schedule.timetable.clone(), to, link: self.link.clone() })
    }

    fn settings(&self) -> Settings {
        let config = &self.config;
        let email = config.email.as_ref();
        let titles = providers::PROVIDERS
            .iter()
            .map(|descriptor| (descriptor.name.to_owned(), descriptor.title.to_owned()));
        Settings {
            version: VERSION.to_owned(),
            config: self.config_view(),
            warnings: self.warnings(),
            policy: config.policy.clone(),
            budgets: config.budgets.clone(),
            prices: config.prices.clone(),
            zone: config.timezone,
            exchange: Exchange::new(config.currency, config.rates.clone()),
            limits: reaper_plan::Limits {
                max_actions: u64::from(config.limits.max_actions),
                max_share: config.limits.max_share.points(),
                max_hourly_value: config.limits.max_hourly_value,
            },
            routing: reaper_plan::Routing {
                fallback: config.policy.owners.fallback.clone(),
                allowed_domains: email
                    .map(|email| email.allowed_domains.clone())
                    .unwrap_or_default(),
                remind_every: email.map_or(REMIND_EVERY, |email| email.remind_every),
                can_mail: email.is_some(),
            },
            reports: self.reports(),
            channels: ChannelTopics {
                reports: config.channels.told(Told::Report),
                alerts: config.channels.told(Told::Alerts),
                stops: config.channels.told(Told::Stops),
            },
            adviser: self.adviser.clone(),
            leftovers: config.leftovers,
            titles: titles.collect(),
            act: ActLimits {
                confirm: config.timeouts.confirm.std(),
                poll: config.timeouts.poll.std(),
                attempts: config.attempts,
                grace: config.timeouts.stop_grace.std(),
            },
            hook: config.hooks.before_stop.as_ref().map(|hook| Hook {
                program: hook.program.clone(),
                arguments: hook.arguments.clone(),
                folder: hook.folder.clone(),
                timeout: hook.timeout.std(),
            }),
            lease: TimeDelta::from_std(config.timeouts.lease.std()).unwrap_or(TimeDelta::MAX),
            plan_lifetime: config.timeouts.plan,
            all_accounts: self.all_accounts,
            configured: config
                .accounts
                .iter()
                .map(|account| (account.provider.clone(), account.name.clone()))
                .collect(),
        }
    }
}

fn failure(error: RunError) -> Failure {
    match error {
        RunError::NoCredentials(bare) => Failure::Usage(bare.join("\n"), None),
        RunError::Locked(_) => Failure::Locked(error.to_string()),
        RunError::State(error) => state::untrusted(&error),
    }
}
