//! One EC2 instance as the world knows it.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::Deserialize;

use crate::act::Act;
use crate::clock::{Clock, When};

/// An EC2 instance (`[[aws.instance]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The account's twelve digits.
    pub account: String,
    /// The region.
    pub region: String,
    /// `i-…`
    pub id: String,
    /// The type; it need not be in the type table, as a new one is not in anybody's.
    #[serde(rename = "type")]
    pub instance_type: String,
    /// The image that it was launched from; absent: one that is in no account of the world.
    pub image: Option<String>,
    /// EC2's word for the state at the start of the world.
    #[serde(default = "running")]
    pub state: String,
    /// Later states, in order of time.
    #[serde(default)]
    pub becomes: Vec<Becomes>,
    /// The last start (`launchTime`); left out of answers when absent.
    pub launched: Option<When>,
    /// The first start, seen as the attach time of the primary interface; else the last start.
    pub created: Option<When>,
    /// The tags, the name among them as `Name`.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// Listings come without the tags; `DescribeTags` shows them.
    #[serde(default)]
    pub tags_withheld: bool,
    /// `spot`, `capacity-block`, …; set by itself for spot machines and capacity blocks.
    pub lifecycle: Option<String>,
    /// The spot request behind it.
    pub spot: Option<Spot>,
    /// `cr-…`
    pub capacity_reservation: Option<String>,
    /// `cb-…`
    pub capacity_block: Option<String>,
    /// `default`, `dedicated` or `host`.
    #[serde(default = "default_tenancy")]
    pub tenancy: String,
    /// `h-…`
    pub host: Option<String>,
    /// The availability zone; else the region's `a`.
    pub zone: Option<String>,
    /// `ebs` or `instance-store`.
    #[serde(default = "ebs")]
    pub root_device: String,
    /// EBS volumes.
    #[serde(default)]
    pub volumes: Vec<Volume>,
    /// `stateReason`, code and message alike.
    pub state_reason: Option<String>,
    /// `reason`, as `User initiated (2026-10-01 08:00:00 GMT)`.
    #[serde(default)]
    pub transition_reason: String,
    /// The service that runs it for the account.
    pub operator: Option<Operator>,
    /// Stop protection.
    #[serde(default)]
    pub disable_api_stop: bool,
    /// Termination protection.
    #[serde(default)]
    pub disable_api_termination: bool,
    /// The public IPv4 address, lent until the machine is stopped.
    pub public_ip: Option<String>,
    /// `r-…`; machines of one reservation are listed together.
    pub reservation: Option<String>,
    /// Who launched it on the account's behalf.
    pub requester: Option<String>,
    /// How it takes being stopped or terminated.
    #[serde(default)]
    pub act: Act,
    /// Earlier times in which it ran and was charged, each from a start to its end.
    #[serde(default)]
    pub ran: Vec<Ran>,
}

/// A time in which a machine ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ran {
    /// The start.
    pub from: When,
    /// The end.
    pub until: When,
}

/// A later state.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Becomes {
    /// EC2's word.
    pub state: String,
    /// From when on.
    pub at: When,
}

/// The request behind a spot machine.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// `one-time` or `persistent`.
    pub kind: String,
    /// `active`, `cancelled`, `disabled`, …
    #[serde(default = "active")]
    pub state: String,
    /// `sir-…`
    pub request: String,
    /// The launch group; machines in one cannot be stopped singly.
    pub launch_group: Option<String>,
}

/// An EBS volume.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// `vol-…`
    pub id: String,
    /// The device name.
    #[serde(default = "root_name")]
    pub device: String,
    /// Whether it goes with the machine.
    #[serde(default)]
    pub delete_on_termination: bool,
    /// GiB.
    #[serde(default = "hundred")]
    pub size_gib: u32,
    /// `gp3`, `io2`, …
    #[serde(default = "gp3")]
    pub kind: String,
    /// Operations per second that were ordered.
    pub iops: Option<u32>,
    /// MiB per second that were ordered.
    pub throughput: Option<u32>,
    /// The tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

/// The service that runs a managed machine.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// `eks.amazonaws.com` and the like.
    pub principal: String,
    /// Not listed unless managed resources are asked for.
    #[serde(default = "yes")]
    pub hidden: bool,
}

fn running() -> String {
    RUNNING.to_owned()
}

fn default_tenancy() -> String {
    "default".to_owned()
}

fn ebs() -> String {
    "ebs".to_owned()
}

pub(super) const fn hundred() -> u32 {
    100
}

pub(super) fn gp3() -> String {
    "gp3".to_owned()
}

fn active() -> String {
    "active".to_owned()
}

fn root_name() -> String {
    "/dev/xvda".to_owned()
}

const fn yes() -> bool {
    true
}

impl Volume {
    /// A volume of 100 GiB of the common kind that stays when its machine goes.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            device: root_name(),
            delete_on_termination: false,
            size_gib: hundred(),
            kind: gp3(),
            iops: None,
            throughput: None,
            tags: BTreeMap::new(),
        }
    }
}

impl Instance {
    /// A running on-demand machine without tags.
    pub fn new(account: &str, region: &str, id: &str, instance_type: &str) -> Self {
        Self {
            account: account.to_owned(),
            region: region.to_owned(),
            id: id.to_owned(),
            instance_type: instance_type.to_owned(),
            image: None,
            state: running(),
            becomes: Vec::new(),
            launched: None,
            created: None,
            tags: BTreeMap::new(),
            tags_withheld: false,
            lifecycle: None,
            spot: None,
            capacity_reservation: None,
            capacity_block: None,
            tenancy: default_tenancy(),
            host: None,
            zone: None,
            root_device: ebs(),
            volumes: Vec::new(),
            state_reason: None,
            transition_reason: String::new(),
            operator: None,
            disable_api_stop: false,
            disable_api_termination: false,
            public_ip: None,
            reservation: None,
            requester: None,
            act: Act::default(),
            ran: Vec::new(),
        }
    }

    /// The same, last started then.
    #[must_use]
    pub const fn launched(mut self, when: When) -> Self {
        self.launched = Some(when);
        self
    }

    /// The same, taking it like this when it is acted upon.
    #[must_use]
    pub const fn act(mut self, act: Act) -> Self {
        self.act = act;
        self
    }

    /// The same with one more tag.
    #[must_use]
    pub fn tag(mut self, key: &str, value: &str) -> Self {
        self.tags.insert(key.to_owned(), value.to_owned());
        self
    }

    /// EC2's word for the state now.
    pub(crate) fn state_at(&self, clock: &Clock) -> &str {
        self.becomes
            .iter()
            .rfind(|later| clock.resolve(later.at) <= clock.now())
            .map_or(&self.state, |later| &later.state)
    }

    /// The times in which it was charged, which are those in which it ran, as far as the world
    /// remembers them: of a machine that is off and says nowhere since when, it does not.
    pub(crate) fn charged(&self, clock: &Clock) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
        let mut times: Vec<_> = self
            .ran
            .iter()
            .map(|ran| (clock.resolve(ran.from), clock.resolve(ran.until)))
            .collect();
        let Some(mut since) = self.launched.map(|when| clock.resolve(when)) else { return times };
        let mut state = self.state.as_str();
        if state != RUNNING
            && let Some(stopped) = dated(&self.transition_reason)
        {
            times.push((since, stopped));
        }
        let later = self.becomes.iter().map(|later| (clock.resolve(later.at), &later.state));
        for (at, next) in later.filter(|(at, _)| *at <= clock.now()) {
            if state == RUNNING {
                times.push((since, at));
            }
            (since, state) = (at, next);
        }
        if state == RUNNING {
            times.push((since, clock.now()));
        }
        times.retain(|(from, until)| from < until);
        times
    }

    pub(crate) fn created_at(&self, clock: &Clock) -> Option<DateTime<Utc>> {
        self.created.or(self.launched).map(|when| clock.resolve(when))
    }

    pub(crate) fn lifecycle(&self) -> Option<&str> {
        let implied = if self.spot.is_some() {
            Some("spot")
        } else if self.capacity_block.is_some() {
            Some("capacity-block")
        } else {
            None
        };
        self.lifecycle.as_deref().or(implied)
    }

    pub(crate) fn zone(&self) -> String {
        self.zone.clone().unwrap_or_else(|| format!("{}a", self.region))
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.operator.as_ref().is_some_and(|operator| operator.hidden)
    }
}

/// The one state in which a machine is charged.
const RUNNING: &str = "running";

/// The date in `User initiated (2026-10-01 08:00:00 GMT)`.
fn dated(reason: &str) -> Option<DateTime<Utc>> {
    let (_, date) = reason.rsplit_once('(')?;
    let date = date.strip_suffix(" GMT)")?;
    NaiveDateTime::parse_from_str(date, "%Y-%m-%d %H:%M:%S").ok().map(|time| time.and_utc())
}

/// EC2's number for a state. A word that is not known gets one that is not known either.
pub(crate) fn state_code(state: &str) -> u16 {
    match state {
        "pending" => 0,
        "running" => 16,
        "shutting-down" => 32,
        "terminated" => 48,
        "stopping" => 64,
        "stopped" => 80,
        _ => 96,
    }
}
