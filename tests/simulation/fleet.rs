//! The machines as the people who made them know them, and the truth about each: whether its bill
//! may be ended now, by which rule. Written without any code of the product's, from the rules of
//! this simulation alone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use reaper_simcloud::Act;

/// Who is told where nobody else can be.
pub(crate) const FALLBACK: &str = "gpu-team@example.org";
/// Who is alerted of the budget.
pub(crate) const FINANCE: &str = "finance@example.org";
/// A mailbox that is gone.
pub(crate) const BOUNCES: &str = "dave@example.org";

/// Rules by name.
pub(crate) const OWNERLESS: &str = "ownerless";
pub(crate) const EXPIRED: &str = "expired";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cloud {
    Aws,
    Ovhcloud,
    Scaleway,
    Lambda,
}

impl Cloud {
    pub(crate) const ALL: [Self; 4] = [Self::Aws, Self::Ovhcloud, Self::Scaleway, Self::Lambda];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Ovhcloud => "ovhcloud",
            Self::Scaleway => "scaleway",
            Self::Lambda => "lambda",
        }
    }

    /// Types with what an hour costs, in cents.
    pub(crate) const fn types(self) -> [(&'static str, i64); 2] {
        match self {
            Self::Aws => [("p3.2xlarge", 330), ("p4d.24xlarge", 2_900)],
            Self::Ovhcloud => [("l4-90", 100), ("a100-180", 300)],
            Self::Scaleway => [("L4-1-24G", 80), ("L40S-1-48G", 280)],
            Self::Lambda => [("gpu_1x_a10", 70), ("gpu_1x_h100_pcie", 250)],
        }
    }

    /// Whether it shows that a machine was started again.
    pub(crate) const fn shows_starts(self) -> bool {
        matches!(self, Self::Aws | Self::Scaleway)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Nobody,
    /// Work here.
    Alice,
    Bob,
    /// Works here, and every mail to him comes back.
    Dave,
    /// Has left.
    Carol,
    /// Is not in the directory.
    Zoe,
}

impl Owner {
    pub(crate) const ALL: [Self; 6] =
        [Self::Nobody, Self::Alice, Self::Bob, Self::Dave, Self::Carol, Self::Zoe];

    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Nobody => None,
            Self::Alice => Some("alice"),
            Self::Bob => Some("bob"),
            Self::Dave => Some("dave"),
            Self::Carol => Some("carol"),
            Self::Zoe => Some("zoe"),
        }
    }

    /// Where mails about their machines end up.
    pub(crate) const fn mailbox(self) -> &'static str {
        match self {
            Self::Alice => "alice@example.org",
            Self::Bob => "bob@example.org",
            Self::Nobody | Self::Dave | Self::Carol | Self::Zoe => FALLBACK,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    No,
    Forever,
    /// Through that day, wherever on earth it is.
    Until(NaiveDate),
}

/// One machine.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a machine")]
pub(crate) struct Machine {
    pub(crate) cloud: Cloud,
    pub(crate) native: String,
    pub(crate) job: String,
    pub(crate) kind: &'static str,
    pub(crate) owner: Owner,
    pub(crate) keep: Keep,
    pub(crate) expires: Option<DateTime<Utc>>,
    pub(crate) project: bool,
    /// A node of somebody's pool.
    pub(crate) managed: bool,
    /// Protected at the provider.
    pub(crate) guarded: bool,
    /// Its tags cannot be read.
    pub(crate) blind: bool,
    pub(crate) act: Act,
    /// Kept by `reaper keep` until then.
    pub(crate) exempt: Option<DateTime<Utc>>,
    /// When a controller started it in place of one that was stopped, and with which tags.
    pub(crate) twin: Option<(DateTime<Utc>, BTreeMap<String, String>)>,
    /// The last start that the provider shows.
    pub(crate) started: DateTime<Utc>,
    /// Goes up with whatever people do to it.
    pub(crate) edits: u64,
}

/// How a machine stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Its bill runs.
    Billed,
    /// On its way up or down.
    Between,
    /// Its bill has ended.
    Ended,
    /// There is no such machine.
    Gone,
}

/// Whether a machine's bill may be ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Truth {
    /// The rules that hold, or what forbids any action.
    pub(crate) may: Result<BTreeSet<&'static str>, &'static str>,
    /// Which edit of the machine this is the truth of.
    pub(crate) edits: u64,
}

impl Machine {
    pub(crate) fn name(&self) -> String {
        match (self.cloud, self.owner.name()) {
            (Cloud::Ovhcloud, Some(owner)) => format!("{owner}--{}", self.job),
            _ => self.job.clone(),
        }
    }

    pub(crate) fn tags(&self) -> BTreeMap<String, String> {
        let mut tags = BTreeMap::new();
        let mut tag = |key: &str, value: String| tags.insert(key.to_owned(), value);
        if let Some(owner) = self.owner.name() {
            tag("owner", owner.to_owned());
        }
        if self.project {
            tag("project", "atlas".to_owned());
        }
        match self.keep {
            Keep::No => {}
            Keep::Forever => drop(tag("reaper-keep", String::new())),
            Keep::Until(day) => drop(tag("reaper-keep", day.to_string())),
        }
        if let Some(expires) = self.expires {
            tag("expires", expires.to_rfc3339());
        }
        if self.managed && self.cloud == Cloud::Aws {
            tag("aws:autoscaling:groupName", "pool".to_owned());
        }
        if self.managed && self.cloud == Cloud::Scaleway {
            tag("kapsule", "cluster-1".to_owned());
        }
        tags
    }

    /// The truth at a time, for a machine that stands like this.
    pub(crate) fn truth(&self, stand: Stand, now: DateTime<Utc>) -> Truth {
        Truth { may: self.may(stand, now), edits: self.edits }
    }

    fn may(
        &self,
        stand: Stand,
        now: DateTime<Utc>,
    ) -> Result<BTreeSet<&'static str>, &'static str> {
        match stand {
            Stand::Billed => {}
            Stand::Between => return Err("under way"),
            Stand::Ended => return Err("its bill has ended"),
            Stand::Gone => return Err("gone"),
        }
        if self.blind {
            return Err("its tags cannot be read");
        }
        if self.managed {
            return Err("managed");
        }
        if let Some((born, tags)) = &self.twin
            && *tags == self.tags()
            && now < *born + Days::new(30)
        {
            return Err("a controller's twin");
        }
        if self.kind == "p4d.24xlarge" {
            return Err("a stop would erase its local disks");
        }
        if self.guarded {
            return Err("protected at the provider");
        }
        if self.exempt.is_some_and(|until| now < until) {
            return Err("kept in the state");
        }
        match self.keep {
            Keep::Forever => return Err("kept"),
            // The end of the day at the last place where it is that day.
            Keep::Until(day) => {
                let end = day.and_hms_opt(0, 0, 0).expect("midnight").and_utc();
                if now < end + Days::new(1) + TimeDelta::hours(12) {
                    return Err("kept");
                }
            }
            Keep::No => {}
        }
        let rules = self.rules(now);
        if rules.is_empty() { Err("no rule holds") } else { Ok(rules) }
    }

    /// The rules that ask for a stop and hold, whatever forbids it.
    pub(crate) fn rules(&self, now: DateTime<Utc>) -> BTreeSet<&'static str> {
        let mut rules = BTreeSet::new();
        let old = now - self.started;
        let absent = self.owner == Owner::Nobody && self.cloud != Cloud::Ovhcloud;
        let nobody = absent || matches!(self.owner, Owner::Carol | Owner::Zoe);
        if nobody && old > TimeDelta::hours(2) {
            rules.insert(OWNERLESS);
        }
        if self.expires.is_some_and(|end| end <= now) && old > TimeDelta::minutes(15) {
            rules.insert(EXPIRED);
        }
        rules
    }
}

/// All machines that ever were, by the provider's id.
pub(crate) type Fleet = BTreeMap<String, Machine>;
