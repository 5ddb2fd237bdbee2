//! Machines, and the oddities that single answers have.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::clock::When;

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
            odd: BTreeMap::new(),
            null: Vec::new(),
            without: Vec::new(),
        }
    }

    /// The same in another state.
    #[must_use]
    pub fn status(mut self, word: &str) -> Self {
        word.clone_into(&mut self.status);
        self
    }

    /// The same with a field of its JSON that is other than it should be.
    #[must_use]
    pub fn odd(mut self, field: &str, value: Value) -> Self {
        self.odd.insert(field.to_owned(), value);
        self
    }
}
