//! What the configuration asks for, typed and checked, before it is compiled into a policy.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_model::Span;
use reaper_model::document::{Cause, OwnerStatus, WantedAction};
use rust_decimal::Decimal;

use crate::directory::Directory;
use crate::hours::WorkingHours;
use crate::pattern::{NamePattern, Pattern};

/// All that a policy is made of.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// The rules, in the order of the file; the order does not change a verdict.
    pub rules: Vec<RuleSpec>,
    /// How owners are found.
    pub owners: OwnerSpec,
    /// What is never stopped.
    pub protect: ProtectSpec,
    /// Dated exemptions.
    pub exemptions: Vec<Exemption>,
    /// Machines younger than this are left alone by rules that do not say an `older_than`, and by
    /// rules that ask for more than a report whatever they say.
    pub launch_grace: Span,
    /// Tag values that count as missing (`none`, `tbd`, …), compared trimmed and without case.
    pub placeholders: Vec<String>,
    /// The tag that carries an expiry.
    pub expiry_tag: String,
    /// The tag by which an owner has a machine stopped once it idles.
    pub idle_stop_tag: String,
    /// The tag by which an owner has an idle machine stopped outside these hours.
    pub working_hours_tag: String,
    /// The zone of working hours that name none.
    pub timezone: Tz,
}

impl Default for PolicySpec {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            owners: OwnerSpec::default(),
            protect: ProtectSpec::default(),
            exemptions: Vec::new(),
            launch_grace: DEFAULT_LAUNCH_GRACE,
            placeholders: Vec::new(),
            expiry_tag: DEFAULT_EXPIRY_TAG.to_owned(),
            idle_stop_tag: IDLE_STOP.to_owned(),
            working_hours_tag: WORKING_HOURS.to_owned(),
            timezone: Tz::UTC,
        }
    }
}

/// Machines younger than this are left alone by rules without an `older_than` of their own:
/// providers show fresh tags late.
pub const DEFAULT_LAUNCH_GRACE: Span = Span::from_secs(15 * 60);
/// The tag key that carries an expiry unless configured otherwise.
pub const DEFAULT_EXPIRY_TAG: &str = "expires";
/// The tag key that protects unless configured otherwise.
pub const DEFAULT_KEEP_TAG: &str = "reaper-keep";
/// Time between an accepted notice and the action unless a rule says otherwise.
pub const DEFAULT_NOTICE: Span = Span::from_secs(3 * 24 * 3600);
/// The name under which a machine is reported that appeared after a stop. No rule may have it.
pub const APPEARED_AFTER_STOP: &str = "appeared-after-stop";
/// The name of the rule that an owner's idle tag makes, and the key of that tag unless configured
/// otherwise. No rule of the configuration may have it.
pub const IDLE_STOP: &str = "idle-stop";
/// The name of the rule that an owner's working hours make, and the key of that tag unless
/// configured otherwise. No rule of the configuration may have it.
pub const WORKING_HOURS: &str = "working-hours";
/// Keys that name an owner unless configured otherwise, in order.
pub const DEFAULT_OWNER_TAGS: [&str; 1] = ["owner"];

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSpec {
    /// Its name, unique.
    pub name: String,
    /// All of these must hold.
    pub when: Conditions,
    /// If all of these hold, the rule says no.
    pub except: Option<Conditions>,
    /// What it asks for.
    pub action: WantedAction,
    /// Time between an accepted notice and the action.
    pub notice: Span,
}

/// Conditions, all of which must hold; a list holds if one of its entries does. At least one is
/// set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The owner's status is one of these. `absent` includes `empty`.
    pub owner: Vec<OwnerStatus>,
    /// Longer than this since the last start.
    pub older_than: Option<Span>,
    /// At least one of these keys is absent, empty or a placeholder.
    pub missing_tags: Vec<String>,
    /// The expiry has passed (true) or has not (false).
    pub expired: Option<bool>,
    /// Name of the account in the configuration.
    pub account: Vec<Pattern>,
    /// Name of the provider.
    pub provider: Vec<Pattern>,
    /// Region or zone.
    pub location: Vec<Pattern>,
    /// Full id or the provider's id.
    pub id: Vec<Pattern>,
    /// Name of the machine.
    pub name: Vec<Pattern>,
    /// Machine type.
    pub machine_type: Vec<Pattern>,
    /// GPU model.
    pub gpu: Vec<Pattern>,
    /// Our or the provider's word for the state, without regard to case.
    pub state: Vec<Pattern>,
    /// Tag key to values; the key is folded.
    pub tag: BTreeMap<String, Vec<Pattern>>,
    /// Its accelerators have done next to nothing for some time.
    pub idle: Option<IdleSpec>,
    /// It is outside these hours now.
    pub outside_hours: Option<WorkingHours>,
}

/// What counts as idle, and the strongest action for each cause of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleSpec {
    /// Every value lies below this, percent.
    pub below: Decimal,
    /// The time that is looked at; it ends at the clock of the run.
    pub window: Span,
    /// So much of it must hold a valid sample of each accelerator, percent.
    pub coverage: Decimal,
    /// The strongest action where nothing holds the accelerators.
    pub empty: WantedAction,
    /// The strongest action where memory is held and nothing is computed.
    pub held: WantedAction,
    /// The strongest action where CPUs, network or disks work and the accelerators wait.
    pub starved: WantedAction,
    /// The strongest action where nothing tells empty from held.
    pub unclear: WantedAction,
}

impl IdleSpec {
    /// Below 5 %, with 80 % of the samples, over this time; what is empty may be stopped.
    pub const fn over(window: Span) -> Self {
        Self {
            below: Decimal::from_parts(5, 0, 0, false, 0),
            window,
            coverage: Decimal::from_parts(80, 0, 0, false, 0),
            empty: WantedAction::Stop,
            held: WantedAction::Report,
            starved: WantedAction::Report,
            unclear: WantedAction::Report,
        }
    }

    /// The strongest action for a cause.
    pub const fn strongest(&self, cause: Option<Cause>) -> WantedAction {
        match cause {
            Some(Cause::Empty) => self.empty,
            Some(Cause::Held) => self.held,
            Some(Cause::Starved) => self.starved,
            None => self.unclear,
        }
    }
}

impl Default for IdleSpec {
    fn default() -> Self {
        Self::over(DEFAULT_IDLE_WINDOW)
    }
}

/// How long a machine must have been idle unless a rule says otherwise.
pub const DEFAULT_IDLE_WINDOW: Span = Span::from_secs(6 * 3600);
/// No rule and no tag looks back further.
pub const LONGEST_IDLE_WINDOW: Span = Span::from_secs(7 * 24 * 3600);

/// How owners are found.
#[derive(Debug, Clone)]
pub struct OwnerSpec {
    /// Tag keys, in order; the first that names somebody counts.
    pub tags: Vec<String>,
    /// Completes bare names: `alice` becomes `alice@DOMAIN`.
    pub domain: Option<String>,
    /// People that are known.
    pub directory: Option<Directory>,
    /// Who is told when nobody else can be.
    pub fallback: Option<String>,
    /// Finds an owner in a machine's name, for providers without tags.
    pub name_pattern: Option<NamePattern>,
    /// Instance id (with the configured account's name or the provider's account) to owner.
    pub map: BTreeMap<String, String>,
}

impl Default for OwnerSpec {
    fn default() -> Self {
        Self {
            tags: DEFAULT_OWNER_TAGS.map(str::to_owned).to_vec(),
            domain: None,
            directory: None,
            fallback: None,
            name_pattern: None,
            map: BTreeMap::new(),
        }
    }
}

/// What is never stopped.
#[derive(Debug, Clone)]
pub struct ProtectSpec {
    /// The tag key. Empty, `true`, a date to come or anything unreadable protects; only an
    /// explicit `false`, or a date that has passed, does not.
    pub tag: String,
    /// Machine types.
    pub types: Vec<Pattern>,
}

impl Default for ProtectSpec {
    fn default() -> Self {
        Self { tag: DEFAULT_KEEP_TAG.to_owned(), types: Vec::new() }
    }
}

/// A dated exemption.
#[derive(Debug, Clone)]
pub struct Exemption {
    /// Which machines.
    pub matches: Conditions,
    /// Who answers for it.
    pub owner: Option<String>,
    /// Why.
    pub reason: String,
    /// Until when, exclusive (a date is read as its end in the configured time zone).
    pub until: DateTime<Utc>,
    /// As written, for the report.
    pub until_text: String,
}
