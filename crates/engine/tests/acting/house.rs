//! A house: one account at the scripted cloud, a real ledger, a mail server, settings, and a clock
//! that the test moves from run to run. Inside a run time is tokio's.

use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_budget::Exchange;
use reaper_engine::{
    Account, ActLimits, ChannelTopics, Clock, Journal, Limits, Orders, Ran, RunError, Runner,
    Sensors, Settings, Silent, Tells, Watch, interrupt,
};
use reaper_ledger::{Decision, Entry, Ledger, Opening, State, Store, View, Writer};
use reaper_model::document::{ConfigView, MachineView, Mode};
use reaper_model::{ActionResult, Class, Currency, Instance, Plan};
use reaper_notify::Channel;
use reaper_plan::Routing;
use reaper_provider::{Consents, Provider};

use crate::build::{forgotten, id, monday, money, span};
use crate::cloud::Cloud;
use crate::disk::Disk;
use crate::letters::Letters;

pub(crate) const FALLBACK: &str = "gpu-team@example.org";
pub(crate) const ALICE: &str = "alice@example.org";

pub(crate) struct House {
    pub(crate) cloud: Arc<Cloud>,
    pub(crate) disk: Arc<Disk>,
    pub(crate) letters: Letters,
    pub(crate) channels: Vec<Box<dyn Channel>>,
    pub(crate) sensors: Arc<Sensors>,
    pub(crate) settings: Settings,
    pub(crate) orders: Orders,
    pub(crate) limits: Limits,
    pub(crate) pin: Option<String>,
    pub(crate) consents: Consents,
    pub(crate) now: DateTime<Utc>,
    runs: AtomicU32,
}

impl House {
    /// Pinned and enforcing, Monday 09:00, limits wide open, with these machines.
    pub(crate) fn new(machines: Vec<Instance>) -> Self {
        let disk = Disk::new();
        Self {
            cloud: Arc::new(Cloud::new(machines, disk.store())),
            letters: Letters::new(disk.store()),
            channels: Vec::new(),
            sensors: Arc::default(),
            disk,
            settings: settings(),
            orders: Orders {
                command: "run",
                mode: Mode::Run,
                run_id: String::new(),
                enforces: true,
                acts: true,
                tells: Tells::EVERYTHING,
                expect: None,
                accept_drop: false,
                charges: true,
            },
            limits: Limits::default(),
            pin: Some("111122223333".to_owned()),
            consents: Consents::default(),
            now: monday(),
            runs: AtomicU32::new(0),
        }
    }

    /// The same after all that is needed to act: told, and the period over.
    pub(crate) async fn due(machines: Vec<Instance>) -> Self {
        let mut house = Self::new(machines);
        house.become_due().await;
        house
    }

    pub(crate) async fn become_due(&mut self) {
        let told = self.run().await;
        assert!(self.cloud.acts().is_empty(), "acted before any notice: {:?}", told.plan.steps);
        self.wait("73h");
        self.cloud.forget_calls();
    }

    /// Time between two runs.
    pub(crate) fn wait(&mut self, time: &str) {
        self.now += span(time).delta();
        self.cloud.time_passes();
    }

    fn accounts(&self) -> [Account; 1] {
        let provider: Arc<dyn Provider> = Arc::<Cloud>::clone(&self.cloud);
        let (expect_account, consents) = (self.pin.clone(), self.consents);
        [Account { name: "research".into(), provider, expect_account, consents }]
    }

    pub(crate) fn store(&self) -> Store {
        self.disk.store()
    }

    pub(crate) async fn ledger(&self) -> Ledger {
        let number = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        let writer = Writer::new(format!("run-{number}"));
        Ledger::open(self.store(), writer, Opening::OrNew).await.expect("opens")
    }

    /// What is in the ledger.
    pub(crate) async fn state(&self) -> State {
        View::read(&self.store()).await.expect("a ledger").state().clone()
    }

    /// Somebody else writes into the ledger.
    pub(crate) async fn record(&self, entries: Vec<Entry>) {
        let mut ledger = self.ledger().await;
        let write = |_: &State| Decision::Write(entries.clone(), ());
        ledger.append(self.now, write).await.expect("follows");
    }

    pub(crate) async fn attempt(&self) -> Result<Ran, RunError> {
        self.attempt_with(None).await
    }

    async fn attempt_with(&self, plan: Option<Plan>) -> Result<Ran, RunError> {
        let ledger = self.ledger().await;
        let run_id = ledger.writer().to_string();
        self.go(Journal::Kept(Box::new(ledger)), run_id, self.orders.clone(), plan).await
    }

    async fn go(
        &self,
        journal: Journal,
        run_id: String,
        orders: Orders,
        plan: Option<Plan>,
    ) -> Result<Ran, RunError> {
        let accounts = self.accounts();
        let (interrupter, interrupt) = interrupt();
        self.cloud.hand_over(interrupter);
        let dry = !journal.lasts();
        let runner = Runner {
            accounts: &accounts,
            settings: self.settings.clone(),
            orders: Orders { run_id, ..orders },
            post: if dry { None } else { Some(&self.letters) },
            channels: if dry { &[] } else { &self.channels },
            sensors: Arc::clone(&self.sensors),
            clock: Clock::running(self.now),
            watch: Watch::start(self.limits, interrupt),
            progress: Arc::new(Silent),
            look: &|_| {},
        };
        match plan {
            None => Box::pin(runner.run(journal)).await,
            Some(plan) => Box::pin(runner.apply(plan, journal)).await,
        }
    }

    pub(crate) async fn run(&self) -> Ran {
        self.attempt().await.expect("the run comes to its document")
    }

    pub(crate) async fn apply(&self, plan: Plan) -> Ran {
        self.attempt_with(Some(plan)).await.expect("the plan comes to its document")
    }

    /// What `run` would do, without doing any of it.
    pub(crate) async fn dry(&self) -> Ran {
        let view = View::read(&self.store()).await.ok();
        let orders =
            Orders { command: "plan", mode: Mode::Plan, acts: false, ..self.orders.clone() };
        let journal = Journal::dry(view.as_ref());
        self.go(journal, "dry".to_owned(), orders, None).await.expect("comes to its document")
    }
}

fn settings() -> Settings {
    Settings {
        version: "0.1.0".to_owned(),
        config: ConfigView { path: None, digest: "sha256:00".to_owned() },
        warnings: Vec::new(),
        policy: forgotten(),
        budgets: Vec::new(),
        prices: Vec::new(),
        zone: chrono_tz::UTC,
        exchange: Exchange::new(Currency::EUR, []),
        limits: reaper_plan::Limits {
            max_actions: 100,
            max_share: 100.into(),
            max_hourly_value: money("10000 EUR"),
        },
        routing: Routing {
            fallback: Some(FALLBACK.to_owned()),
            allowed_domains: vec!["example.org".to_owned()],
            remind_every: span("7d"),
            can_mail: true,
        },
        reports: None,
        channels: ChannelTopics::default(),
        titles: BTreeMap::new(),
        act: ActLimits {
            confirm: Duration::from_mins(10),
            poll: Duration::from_secs(5),
            attempts: 4,
            grace: Duration::from_secs(7),
        },
        hook: None,
        lease: TimeDelta::hours(1),
        plan_lifetime: span("24h"),
        adviser: None,
        leftovers: true,
        all_accounts: true,
        configured: Vec::new(),
    }
}

/// What a document says of one machine.
pub(crate) trait Says {
    fn machine(&self, native: &str) -> &MachineView;
    fn result(&self, native: &str) -> Option<ActionResult>;
    fn why(&self, native: &str) -> &str;
    fn has(&self, class: Class) -> bool;
    fn warnings(&self, code: &str) -> Vec<&str>;
    /// Machines with a step, sorted.
    fn planned(&self) -> Vec<&str>;
}

impl Says for Ran {
    fn machine(&self, native: &str) -> &MachineView {
        let machines = &self.document.instances;
        machines.iter().find(|machine| machine.native_id == native).expect("is in the document")
    }

    fn result(&self, native: &str) -> Option<ActionResult> {
        self.machine(native).action.result
    }

    fn why(&self, native: &str) -> &str {
        self.machine(native).action.result_why.as_deref().unwrap_or_default()
    }

    fn has(&self, class: Class) -> bool {
        self.document.outcome.classes.contains(&class)
    }

    fn warnings(&self, code: &str) -> Vec<&str> {
        let warnings = self.document.warnings.iter().filter(|warning| warning.code == code);
        warnings.map(|warning| warning.text.as_str()).collect()
    }

    fn planned(&self) -> Vec<&str> {
        let mut natives: Vec<&str> =
            self.plan.steps.iter().map(|step| step.id.native.as_str()).collect();
        natives.sort_unstable();
        natives
    }
}

/// The results of the ledger's actions on a machine of region `r-1`, oldest first.
pub(crate) fn results(state: &State, native: &str) -> Vec<ActionResult> {
    let machine = state.machine(&id(native)).expect("is remembered");
    machine.actions.iter().map(|action| action.result).collect()
}

/// Goes on with some work until something has happened; the work must not end before.
pub(crate) async fn until<F: Future>(mut work: Pin<&mut F>, happened: impl Fn() -> bool) {
    std::future::poll_fn(|cx| {
        assert!(work.as_mut().poll(cx).is_pending(), "ended before that happened");
        if happened() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Goes on with some work for at most so many polls and then drops it, as a killed process would.
/// `true`: it came to its end.
pub(crate) async fn killed_after<F: Future>(work: F, polls: usize) -> bool {
    let mut work = pin!(work);
    let mut left = polls;
    std::future::poll_fn(move |cx| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        work.as_mut().poll(cx).map(|_| true)
    })
    .await
}
