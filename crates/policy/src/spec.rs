//! What the configuration asks for, typed and checked, before it is compiled into a policy.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_model::Span;
use reaper_model::document::{OwnerStatus, WantedAction};

use crate::directory::Directory;
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
/// Keys that name an owner unless configured otherwise, in order.
pub const DEFAULT_OWNER_TAGS: [&str; 1] = ["owner"];

/// One rule.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone, Default)]
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
}

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
