//! What is decided about: the machines of this run with their judgement, the settings, the time.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_budget::Exchange;
use reaper_model::document::{StillCharged, WantedAction};
use reaper_model::{AccountName, Currency, Instance, InstanceId, Money, Span, Verb};
use reaper_policy::{Judgement, RuleSpec};
use rust_decimal::Decimal;

use crate::memory::Memory;

/// All that a decision rests on.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The run's time.
    pub now: DateTime<Utc>,
    /// Whether this run may act. It decides which notices are due, not what the plan holds.
    pub enforces: bool,
    /// Every machine of this run, whatever its verdict. Of two with one id the first counts.
    pub candidates: &'a [Candidate<'a>],
    /// What earlier runs have left behind.
    pub memory: &'a Memory,
    /// The configured rules.
    pub rules: &'a [RuleSpec],
    /// Rates to the report's currency.
    pub exchange: &'a Exchange,
    /// The brake's bounds.
    pub limits: &'a Limits,
    /// How many actions somebody has looked at and allowed.
    pub expect: Option<u64>,
    /// Whom notices may go to.
    pub routing: &'a Routing,
    /// What a plan says about its origin.
    pub frame: &'a Frame,
    /// Machines whose notice period ends early once a budget is used up, with the budgets as their
    /// notices name them.
    pub may_hasten: &'a BTreeMap<InstanceId, Vec<String>>,
    /// Of them those for which some are, with these.
    pub hastened: &'a BTreeMap<InstanceId, Vec<String>>,
}

/// One machine with its judgement and what could be done.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The machine as listed.
    pub instance: &'a Instance,
    /// The configured account through which it is reached.
    pub account: &'a AccountName,
    /// Its judgement at [`Question::now`].
    pub judgement: &'a Judgement,
    /// Whether its place was read to the end and did not
    /// [fall sharply](crate::shrink::fell_sharply). If not, nothing is concluded.
    pub whole: bool,
    /// What an hour of it costs.
    pub hourly: Option<Money>,
    /// What an hour of it costs at most, where the exact price is not known (a spot machine's
    /// on-demand price).
    pub hourly_bound: Option<Money>,
    /// What an action saves in a month: compute only.
    pub saves_per_month: Option<Money>,
    /// What goes on being charged after an action.
    pub still_charged: Vec<StillCharged>,
    /// What the rules' actions would come to.
    pub ways: Ways,
}

impl Candidate<'_> {
    /// What an hour of it costs, or the most it can.
    pub fn value(&self) -> Option<Money> {
        self.hourly.or(self.hourly_bound)
    }
}

/// What the two actions that a rule can ask for come to at one machine, by the provider's stop
/// table, the account's consents and its pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ways {
    /// For rules that ask for a stop; where a provider can only terminate, and that was consented
    /// to, its verb is [`Verb::Terminate`].
    pub stop: Result<Way, String>,
    /// For rules that ask for a termination.
    pub terminate: Result<Way, String>,
}

impl Ways {
    /// What a rule's action comes to, or why not, for people; `None` for a report.
    pub const fn of(&self, action: WantedAction) -> Option<&Result<Way, String>> {
        match action {
            WantedAction::Report => None,
            WantedAction::Stop => Some(&self.stop),
            WantedAction::Terminate => Some(&self.terminate),
        }
    }
}

/// One way to end a bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// What is done.
    pub verb: Verb,
    /// The provider's call, such as `ec2:StopInstances`.
    pub call: &'static str,
    /// What it destroys or risks, for people.
    pub loses: Vec<String>,
    /// Whether data on the machine's own disks is among that. Counts only for those who were told.
    pub erases_disks: bool,
}

/// The brake's bounds: over any of them, nothing at all is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Machines acted upon in one run.
    pub max_actions: u64,
    /// Their share of all machines, in percent.
    pub max_share: Decimal,
    /// What they cost in an hour, after conversion to the report's currency. Where there is no rate
    /// each currency uses up its share of the number, and the shares together may not pass the
    /// whole.
    pub max_hourly_value: Money,
}

impl Limits {
    /// No bounds at all: for decisions whose brake is held elsewhere.
    pub const fn unbounded(currency: Currency) -> Self {
        Self {
            max_actions: u64::MAX,
            max_share: Decimal::ONE_HUNDRED,
            max_hourly_value: Money { amount: Decimal::MAX, currency },
        }
    }

    /// Whether there is a bound that a value could pass.
    pub(crate) fn bounds_value(&self) -> bool {
        self.max_hourly_value.amount < Decimal::MAX
    }
}

/// Whom notices may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    /// Who is told when nobody else can be.
    pub fallback: Option<String>,
    /// Domains of owners who may be written to, without their subdomains. None listed: none may.
    pub allowed_domains: Vec<String>,
    /// How long after an accepted notice about a finding the next one may follow.
    pub remind_every: Span,
    /// Whether a channel is configured at all.
    pub can_mail: bool,
}

/// What a plan says about its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Version of the program.
    pub version: String,
    /// Digest of the configuration's bytes, `sha256:…`.
    pub config: String,
    /// The last record of the ledger that was read.
    pub ledger: Option<u64>,
    /// How long a plan may be applied.
    pub lifetime: Span,
}
