//! What a run is told: the settings that the configuration makes, and the orders of the command
//! line.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use chrono_tz::Tz;
use reaper_advice::Adviser;
use reaper_budget::Exchange;
use reaper_model::document::{ConfigView, Mode, Warning};
use reaper_model::{AccountName, BudgetSpec, PriceOverride, ProviderName, Span};
use reaper_plan::{Limits, Routing};
use reaper_policy::PolicySpec;
use reaper_timetable::Timetable;
use url::Url;

use crate::act::{ActLimits, Hook};

/// What the configuration says, as a run needs it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Version of the program.
    pub version: String,
    /// The configuration in use.
    pub config: ConfigView,
    /// Warnings that arose from it.
    pub warnings: Vec<Warning>,
    /// Rules, owners, protection, exemptions.
    pub policy: PolicySpec,
    /// Budgets.
    pub budgets: Vec<BudgetSpec>,
    /// Price overrides.
    pub prices: Vec<PriceOverride>,
    /// The zone of months, and of all times shown.
    pub zone: Tz,
    /// Currency and rates of the report.
    pub exchange: Exchange,
    /// The brake.
    pub limits: Limits,
    /// Whom notices may go to.
    pub routing: Routing,
    /// The weekly report, where anybody gets one.
    pub reports: Option<Reports>,
    /// What channels are told, by their names.
    pub channels: ChannelTopics,
    /// Names of the clouds for people.
    pub titles: BTreeMap<String, String>,
    /// Time limits of acting.
    pub act: ActLimits,
    /// The team's command before a stop.
    pub hook: Option<Hook>,
    /// How long a run may hold an account.
    pub lease: TimeDelta,
    /// How long a plan may be applied.
    pub plan_lifetime: Span,
    /// Who knows what would do for less; `None`: no advice.
    pub adviser: Option<Adviser>,
    /// Whether what costs money beside machines is read.
    pub leftovers: bool,
    /// Whether all configured accounts are asked.
    pub all_accounts: bool,
    /// All configured accounts, asked or not.
    pub configured: Vec<(ProviderName, AccountName)>,
}

/// When and to whom the weekly report goes.
#[derive(Debug, Clone)]
pub struct Reports {
    /// When it is due: it goes out with the first run at or after that.
    pub timetable: Timetable,
    /// Addresses that get all of it, none twice.
    pub to: Vec<String>,
    /// Where the run can be looked up: the job of a CI system.
    pub link: Option<Url>,
}

/// What channels are told.
#[derive(Debug, Clone, Default)]
pub struct ChannelTopics {
    /// Channels that get the weekly report.
    pub reports: Vec<String>,
    /// Channels that get budget alerts.
    pub alerts: Vec<String>,
    /// Channels that are told of confirmed stops.
    pub stops: Vec<String>,
}

/// What people are told of by a run. A dry run shows it and sends nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent kinds of message")]
pub struct Tells {
    /// Owners of what was found, and of what will be stopped.
    pub notices: bool,
    /// Recipients of budgets, of thresholds.
    pub alerts: bool,
    /// Everybody who gets one, by the weekly report.
    pub reports: bool,
    /// Channels, of confirmed stops.
    pub stops: bool,
}

impl Tells {
    /// Nothing: an audit.
    pub const NOTHING: Self = Self { notices: false, alerts: false, reports: false, stops: false };
    /// Everything: `reaper run`.
    pub const EVERYTHING: Self = Self { notices: true, alerts: true, reports: true, stops: true };
    /// Of what was stopped alone: `reaper apply`.
    pub const STOPS: Self = Self { stops: true, ..Self::NOTHING };

    /// Whether nothing.
    pub fn is_nothing(self) -> bool {
        self == Self::NOTHING
    }
}

/// What a run may do.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes of one command line")]
pub struct Orders {
    /// The command, as recorded.
    pub command: &'static str,
    /// The command, as the document says it.
    pub mode: Mode,
    /// Names the run.
    pub run_id: String,
    /// Whether its notices promise an action: what an enforcing run decides.
    pub enforces: bool,
    /// Whether it acts. Never without [`Orders::enforces`].
    pub acts: bool,
    /// What people are told of: an audit tells nobody anything.
    pub tells: Tells,
    /// The number of actions that somebody has looked at.
    pub expect: Option<u64>,
    /// Whether a listing is believed however much is missing in it.
    pub accept_drop: bool,
    /// Whether what each machine has cost on each day is wanted.
    pub charges: bool,
}
