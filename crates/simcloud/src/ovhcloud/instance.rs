//! Machines, and the oddities that single answers have.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::act::Act;
use crate::clock::When;
use crate::ovhcloud::flavor::Flavor;

/// One machine.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The project.
    pub project: String,
    /// The region.
    pub region: String,
    /// Its id.
    pub id: String,
    /// The name that people gave it.
    #[serde(default)]
    pub name: String,
    /// Its flavour, known to the world or not.
    pub flavor: String,
    /// OVHcloud's word.
    #[serde(default = "active")]
    pub status: String,
    /// When it was ordered.
    pub created: When,
    /// Since when it has a monthly plan.
    pub monthly_since: Option<When>,
    /// Its plan; absent: that of its flavour in ordinary regions.
    pub plan_code: Option<String>,
    /// The Kubernetes cluster whose node it is.
    pub cluster: Option<String>,
    /// Whether it is locked, which this version of the API does not show.
    #[serde(default)]
    pub locked: bool,
    /// How it takes being acted upon.
    #[serde(default)]
    pub act: Act,
    /// Fields of its JSON that are other than they should be.
    #[serde(default)]
    pub odd: BTreeMap<String, Value>,
    /// Fields of its JSON that are null.
    #[serde(default)]
    pub null: Vec<String>,
    /// Fields that its JSON lacks.
    #[serde(default)]
    pub without: Vec<String>,
}

fn active() -> String {
    "ACTIVE".to_owned()
}

impl Instance {
    /// A machine that has been running for a month.
    pub fn new(project: &str, region: &str, id: &str, flavor: &str) -> Self {
        Self {
            project: project.to_owned(),
            region: region.to_owned(),
            id: id.to_owned(),
            name: format!("machine-{id}"),
            flavor: flavor.to_owned(),
            status: active(),
            created: When::ago(reaper_model::Span::from_secs(720 * 3_600)),
            monthly_since: None,
            plan_code: None,
            cluster: None,
            locked: false,
            act: Act::default(),
            odd: BTreeMap::new(),
            null: Vec::new(),
            without: Vec::new(),
        }
    }

    /// Whether its time is billed: not before it is there, and not while it is shelved.
    pub(crate) fn is_billed(&self) -> bool {
        !matches!(
            self.status.as_str(),
            "BUILD" | "BUILDING" | "SHELVED" | "SHELVED_OFFLOADED" | "DELETED"
        )
    }

    /// Its plan.
    pub(crate) fn plan(&self, flavors: &BTreeMap<String, Flavor>) -> String {
        match (&self.plan_code, self.monthly_since) {
            (Some(plan_code), _) => plan_code.clone(),
            (None, Some(_)) => flavors
                .get(&self.flavor)
                .and_then(|flavor| flavor.monthly_plan(&self.flavor))
                .unwrap_or_else(|| format!("{}.monthly.postpaid", self.flavor)),
            (None, None) => format!("{}.consumption", self.flavor),
        }
    }

    /// The same in another state.
    #[must_use]
    pub fn status(mut self, word: &str) -> Self {
        word.clone_into(&mut self.status);
        self
    }

    /// The same, taking it like this when it is acted upon.
    #[must_use]
    pub const fn act(mut self, act: Act) -> Self {
        self.act = act;
        self
    }

    /// The same with a field of its JSON that is other than it should be.
    #[must_use]
    pub fn odd(mut self, field: &str, value: Value) -> Self {
        self.odd.insert(field.to_owned(), value);
        self
    }
}
