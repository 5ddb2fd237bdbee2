//! Projects, and the logins that may read them: one set of keys and one service account each.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::clock::When;

/// One Public Cloud project.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Its name for people.
    #[serde(default)]
    pub description: String,
    /// `ok`, `suspended`, …
    #[serde(default = "ok")]
    pub status: String,
    /// What IAM keeps of it.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// The public half of the application that may read it.
    pub application_key: String,
    /// The secret half.
    pub application_secret: String,
    /// What was granted to the application.
    pub consumer_key: String,
    /// When that grant ends; absent: never.
    pub expires: Option<When>,
    /// The service account that may read it.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<String>,
    /// The currency of the account that it belongs to.
    #[serde(default = "euro")]
    pub currency: String,
    /// A recorded answer, served letter for letter in place of its usage.
    pub usage: Option<String>,
    /// Parts of its usage that are null: `monthlyUsage`, `hourlyUsage.instance`.
    #[serde(default)]
    pub usage_null: Vec<String>,
    /// Rights that the logins lack: `instance/get`, and `me/get` of the account.
    #[serde(default)]
    pub denied: Vec<String>,
    /// Its Kubernetes clusters, with or without nodes.
    #[serde(default)]
    pub clusters: Vec<String>,
}

fn ok() -> String {
    "ok".to_owned()
}

fn euro() -> String {
    "EUR".to_owned()
}

impl Project {
    /// A project that its three keys may read in full: `ID-app`, `ID-secret` and `ID-consumer`, `ID`
    /// being the first eight digits.
    pub fn new(id: &str) -> Self {
        let short = id.get(..8).unwrap_or(id);
        Self {
            id: id.to_owned(),
            description: String::new(),
            status: ok(),
            tags: BTreeMap::new(),
            application_key: format!("{short}-app"),
            application_secret: format!("{short}-secret"),
            consumer_key: format!("{short}-consumer"),
            expires: None,
            client_id: None,
            client_secret: None,
            currency: euro(),
            usage: None,
            usage_null: Vec::new(),
            denied: Vec::new(),
            clusters: Vec::new(),
        }
    }

    pub(crate) fn denies(&self, right: &str) -> bool {
        self.denied.iter().any(|denied| denied == right)
    }
}
