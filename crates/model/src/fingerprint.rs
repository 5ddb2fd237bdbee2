//! What of a machine must not have changed between a plan and its action.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fact::{Fact, Ignorance};
use crate::instance::{Instance, Purchase};
use crate::tags::Tags;

/// The properties of one machine that an action rests on, as text, so that a plan can carry them
/// through a file. Two reads of an unchanged machine give equal fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The name that people gave it.
    pub name: String,
    /// State as delivered.
    pub state: String,
    /// Type as delivered.
    pub machine_type: String,
    /// All tags, in one text; what could not be read says so.
    pub tags: String,
    /// The owners that the policy found, joined.
    pub owner: String,
    /// The provider's own protections.
    pub guards: String,
    /// The controller.
    pub manager: String,
    /// How it is paid for.
    pub purchase: String,
    /// Last start (UTC), where the provider shows it.
    pub running_since: Option<DateTime<Utc>>,
}

impl Fingerprint {
    /// Of a machine whose owners are `owner`.
    pub fn of(instance: &Instance, owner: &str) -> Self {
        Self {
            name: text(&instance.name, String::clone),
            state: instance.provider_state.clone(),
            machine_type: instance.machine_type.to_string(),
            tags: tags(&instance.tags),
            owner: owner.to_owned(),
            guards: text(&instance.guards, |guards| {
                let mut names: Vec<String> = guards.iter().map(ToString::to_string).collect();
                names.sort();
                names.join(", ")
            }),
            manager: text(&instance.manager, ToString::to_string),
            purchase: purchase(&instance.purchase),
            running_since: instance.running_since.value().copied(),
        }
    }

    /// What differs in `fresh`, each in a few words; empty when nothing does. A start time that
    /// was not known before is no change.
    pub fn changes(&self, fresh: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let mut compare = |what: &str, before: &str, after: &str| {
            if before != after {
                changes.push(format!("its {what} changed from {before:?} to {after:?}"));
            }
        };
        compare("name", &self.name, &fresh.name);
        compare("state", &self.state, &fresh.state);
        compare("type", &self.machine_type, &fresh.machine_type);
        compare("tags", &self.tags, &fresh.tags);
        compare("owner", &self.owner, &fresh.owner);
        compare("protection", &self.guards, &fresh.guards);
        compare("controller", &self.manager, &fresh.manager);
        compare("purchase option", &self.purchase, &fresh.purchase);
        match (self.running_since, fresh.running_since) {
            (Some(before), Some(after)) if before != after => {
                changes.push(format!("it was started again at {}", after.to_rfc3339()));
            }
            (Some(_), None) => changes.push("its last start can no longer be read".to_owned()),
            (Some(_) | None, _) => {}
        }
        changes
    }
}

/// Tags as one text in which order does not count.
pub fn tags(fact: &Fact<Tags>) -> String {
    text(fact, |tags| {
        let mut raw = tags.raw();
        raw.sort();
        serde_json::Value::from(raw).to_string()
    })
}

fn purchase(purchase: &Purchase) -> String {
    match purchase {
        Purchase::Spot { persistent } => {
            let kind = text(persistent, |&persistent| {
                if persistent { "persistent" } else { "one-time" }.to_owned()
            });
            format!("spot, {kind}")
        }
        Purchase::Reserved(what) => format!("reserved, {what}"),
        Purchase::Other(word) => word.clone(),
        Purchase::OnDemand | Purchase::Monthly => purchase.name().to_owned(),
    }
}

/// A fact as text. Why something could not be read is left out: two failures may word it apart.
fn text<T>(fact: &Fact<T>, known: impl Fn(&T) -> String) -> String {
    match fact {
        Fact::Known { value, .. } => known(value),
        Fact::Absent { .. } => "none".to_owned(),
        Fact::Unknown(gap) => match gap.kind {
            Ignorance::NotOffered => "not offered by the provider",
            Ignorance::ReadFailed => "could not be read",
            Ignorance::Unusable => "makes no sense",
            Ignorance::NotAsked => "not asked for",
        }
        .to_owned(),
    }
}
