//! One run of the real engine, as the command line would start it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_budget::Exchange;
use reaper_engine::{
    Account, ActLimits, Clock, Interrupt, Journal, Limits, Orders, Ran, RunError, Runner, Settings,
    Silent, Tells, Watch,
};
use reaper_ledger::{Error, Ledger, Opening, View, Writer};
use reaper_model::document::{ConfigView, Mode, OwnerStatus, WantedAction};
use reaper_model::{
    BudgetScope, BudgetSpec, Currency, Money, OnLimit, Plan, PriceOverride, Span, Unit,
};
use reaper_policy::directory::{Directory, Employment, Person};
use reaper_policy::{Conditions, OwnerSpec, PolicySpec, RuleSpec};
use rust_decimal::Decimal;

use crate::diary::Diary;
use crate::disk::Disk;
use crate::fleet::{BOUNCES, Cloud, EXPIRED, FALLBACK, FINANCE, OWNERLESS};
use crate::office::Office;

/// How long a run may hold the accounts.
pub(crate) const LEASE: TimeDelta = TimeDelta::hours(6);
/// The brake.
pub(crate) const MAX_ACTIONS: usize = 3;
pub(crate) const MAX_SHARE: usize = 40;
/// In cents.
pub(crate) const MAX_HOURLY: i64 = 4_000;

/// The configuration, as far as it changes over the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The notice of the ownerless, in days.
    pub(crate) days: u64,
    /// What machines cost, in percent of the usual.
    pub(crate) dearness: i64,
    pub(crate) lambda_may_terminate: bool,
}

impl Rules {
    /// The notice that a rule promises.
    pub(crate) fn notice(&self, rule: &str) -> Span {
        match rule {
            EXPIRED => Span::from_secs(24 * 3600),
            _ => Span::from_secs(self.days * 24 * 3600),
        }
    }

    /// What an hour of a type costs, in cents.
    pub(crate) fn hourly(&self, kind: &str) -> i64 {
        let types = Cloud::ALL.into_iter().flat_map(Cloud::types);
        let cents = types.filter(|(name, _)| *name == kind).map(|(_, cents)| cents).sum::<i64>();
        cents * self.dearness / 100
    }
}

/// What a run is told to do.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Enforce { expect: Option<u64> },
    Report,
    Plan { expect: Option<u64> },
    Apply(Box<Plan>),
}

impl Kind {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Enforce { .. } => "run --enforce",
            Self::Report => "run",
            Self::Plan { .. } => "plan",
            Self::Apply(_) => "apply",
        }
    }

    pub(crate) const fn acts(&self) -> bool {
        matches!(self, Self::Enforce { .. } | Self::Apply(_))
    }

    pub(crate) const fn expect(&self) -> Option<u64> {
        match self {
            Self::Enforce { expect } | Self::Plan { expect } => *expect,
            Self::Report | Self::Apply(_) => None,
        }
    }

    fn orders(&self, run_id: &str) -> Orders {
        let (command, mode) = match self {
            Self::Enforce { .. } | Self::Report => ("run", Mode::Run),
            Self::Plan { .. } => ("plan", Mode::Plan),
            Self::Apply(_) => ("apply", Mode::Apply),
        };
        Orders {
            command,
            mode,
            run_id: run_id.to_owned(),
            enforces: !matches!(self, Self::Report),
            acts: self.acts(),
            tells: match self {
                Self::Apply(_) => Tells::NOTHING,
                _ => Tells::EVERYTHING,
            },
            expect: self.expect(),
            accept_drop: false,
            charges: true,
        }
    }
}

/// A run that is about to begin.
pub(crate) struct Start<'a> {
    pub(crate) accounts: &'a [Account],
    pub(crate) diary: &'a Arc<Diary>,
    pub(crate) folder: &'a Path,
    pub(crate) office: &'a Office,
    pub(crate) rules: Rules,
    pub(crate) now: DateTime<Utc>,
    pub(crate) id: String,
    pub(crate) interrupt: Interrupt,
}

/// How it ended, if it was not cut off.
#[derive(Debug)]
pub(crate) enum End {
    Done(Box<Ran>),
    Locked,
    Failed(String),
}

impl End {
    /// What the run says of each machine.
    pub(crate) fn says(&self) -> Vec<String> {
        let Self::Done(ran) = self else { return Vec::new() };
        let said = ran.document.instances.iter().map(|machine| {
            let (verdict, action) = (machine.verdict, &machine.action);
            format!("{} {verdict:?}: {action:?}", machine.native_id)
        });
        said.collect()
    }
}

impl Start<'_> {
    /// Runs; `None` where the process died on the way.
    pub(crate) async fn run(self, kind: Kind) -> Option<End> {
        let diary = Arc::clone(self.diary);
        diary.follow(Box::pin(self.through(kind))).await
    }

    async fn through(self, kind: Kind) -> End {
        let store = Disk::store(self.folder, self.diary);
        let journal = match &kind {
            Kind::Plan { .. } => match View::read(&store).await {
                Ok(view) => Journal::dry(Some(&view)),
                Err(Error::Missing(_)) => Journal::dry(None),
                Err(error) => return End::Failed(error.to_string()),
            },
            _ => match Ledger::open(store, Writer::new(self.id.as_str()), Opening::OrNew).await {
                Ok(ledger) => Journal::Kept(Box::new(ledger)),
                Err(error) => return End::Failed(error.to_string()),
            },
        };
        let runner = Runner {
            accounts: self.accounts,
            settings: settings(self.rules),
            orders: kind.orders(&self.id),
            post: (!matches!(kind, Kind::Plan { .. })).then_some(self.office),
            channels: &[],
            sensors: Arc::default(),
            clock: Clock::Fixed(self.now),
            watch: Watch::start(Limits::default(), self.interrupt),
            progress: Arc::new(Silent),
            look: &|_| {},
        };
        let ran = match kind {
            Kind::Apply(plan) => Box::pin(runner.apply(*plan, journal)).await,
            _ => Box::pin(runner.run(journal)).await,
        };
        match ran {
            Ok(ran) => End::Done(Box::new(ran)),
            Err(RunError::Locked(_)) => End::Locked,
            Err(error) => End::Failed(error.to_string()),
        }
    }
}

fn settings(rules: Rules) -> Settings {
    let digest = format!("sha256:{}-{}", rules.days, rules.dearness);
    let cents = |cents: i64| Money::new(Decimal::new(cents, 2), Currency::EUR);
    let prices = Cloud::ALL.into_iter().flat_map(|cloud| {
        cloud.types().map(|(kind, _)| PriceOverride {
            provider: cloud.name().into(),
            machine_type: kind.into(),
            location: None,
            money: cents(rules.hourly(kind)),
            unit: Unit::Hour,
        })
    });
    Settings {
        version: "simulated".to_owned(),
        config: ConfigView { path: None, digest },
        warnings: Vec::new(),
        policy: policy(rules),
        budgets: vec![BudgetSpec {
            name: "all-gpu".to_owned(),
            limit: cents(300_000),
            scope: BudgetScope::default(),
            thresholds: [50, 80].map(Decimal::from).to_vec(),
            forecast: vec![Decimal::ONE_HUNDRED],
            recipients: vec![FINANCE.to_owned()],
            on_limit: OnLimit::Report,
        }],
        prices: prices.collect(),
        zone: chrono_tz::UTC,
        exchange: Exchange::new(Currency::EUR, []),
        limits: reaper_plan::Limits {
            max_actions: MAX_ACTIONS as u64,
            max_share: Decimal::from(MAX_SHARE),
            max_hourly_value: cents(MAX_HOURLY),
        },
        routing: reaper_plan::Routing {
            fallback: Some(FALLBACK.to_owned()),
            allowed_domains: vec!["example.org".to_owned()],
            remind_every: Span::from_secs(7 * 24 * 3600),
            can_mail: true,
        },
        reports: None,
        channels: reaper_engine::ChannelTopics::default(),
        titles: BTreeMap::new(),
        act: ActLimits {
            confirm: Duration::from_secs(5),
            poll: Duration::from_secs(1),
            attempts: 2,
            grace: Duration::from_secs(7),
        },
        hook: None,
        lease: LEASE,
        plan_lifetime: Span::from_secs(24 * 3600),
        adviser: None,
        // What is left behind decides nothing; reading it would make a year half as long again.
        leftovers: false,
        all_accounts: true,
        configured: Vec::new(),
    }
}

fn policy(rules: Rules) -> PolicySpec {
    let nobody = [OwnerStatus::Absent, OwnerStatus::Unknown, OwnerStatus::Departed];
    let rule = |name: &str, action, when| RuleSpec {
        name: name.to_owned(),
        when,
        except: None,
        action,
        notice: rules.notice(name),
    };
    let ownerless = Conditions {
        owner: nobody.to_vec(),
        older_than: Some(Span::from_secs(2 * 3600)),
        ..Conditions::default()
    };
    let missing = Conditions { missing_tags: vec!["project".to_owned()], ..Conditions::default() };
    let expired = Conditions { expired: Some(true), ..Conditions::default() };
    let person = |name: &str, email: &str, status| Person {
        owner: name.to_owned(),
        email: Some(email.to_owned()),
        team: None,
        status,
    };
    let (directory, _) = Directory::new(vec![
        person("alice", "alice@example.org", Employment::Active),
        person("bob", "bob@example.org", Employment::Active),
        person("dave", BOUNCES, Employment::Active),
        person("carol", "carol@example.org", Employment::Departed),
    ]);
    PolicySpec {
        rules: vec![
            rule(OWNERLESS, WantedAction::Stop, ownerless),
            rule(EXPIRED, WantedAction::Stop, expired),
            rule("missing-tags", WantedAction::Report, missing),
        ],
        owners: OwnerSpec {
            domain: Some("example.org".to_owned()),
            directory: Some(directory),
            fallback: Some(FALLBACK.to_owned()),
            name_pattern: Some("^(?P<owner>[a-z]+)--".parse().expect("a pattern")),
            ..OwnerSpec::default()
        },
        ..PolicySpec::default()
    }
}
