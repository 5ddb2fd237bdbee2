//! Accounts: keys, roles, what they may not do, and which regions they have enabled.

use serde::Deserialize;

/// One AWS account.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The twelve digits.
    pub id: String,
    /// Access key ids of its user. Any secret goes with them.
    #[serde(default)]
    pub access_keys: Vec<String>,
    /// Access key ids that have expired.
    #[serde(default)]
    pub expired_keys: Vec<String>,
    /// The user's name.
    #[serde(default = "default_user")]
    pub user: String,
    /// Roles that may be assumed.
    #[serde(default)]
    pub roles: Vec<Role>,
    /// Opt-in regions that the account has enabled.
    #[serde(default)]
    pub opted_in: Vec<String>,
    /// Actions that nobody in this account may do: `ec2:DescribeTags`, or only in one region
    /// `ec2:DescribeTags@eu-west-1`.
    #[serde(default)]
    pub denied: Vec<String>,
    /// Accounts whose costs it sees besides its own, as the one that pays for an organisation does.
    #[serde(default)]
    pub pays_for: Vec<String>,
}

/// A role.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// Its name, without path.
    pub name: String,
    /// The external id it asks for.
    pub external_id: Option<String>,
    /// Accounts that may assume it; empty means every account.
    #[serde(default)]
    pub trusts: Vec<String>,
}

fn default_user() -> String {
    "reaper".to_owned()
}

impl Account {
    /// An account with one access key and nothing special.
    pub fn new(id: &str, access_key: &str) -> Self {
        Self {
            id: id.to_owned(),
            access_keys: vec![access_key.to_owned()],
            expired_keys: Vec::new(),
            user: default_user(),
            roles: Vec::new(),
            opted_in: Vec::new(),
            denied: Vec::new(),
            pays_for: Vec::new(),
        }
    }

    /// The same with a role that everybody may assume.
    #[must_use]
    pub fn with_role(mut self, name: &str) -> Self {
        self.roles.push(Role { name: name.to_owned(), external_id: None, trusts: Vec::new() });
        self
    }

    pub(crate) fn denies(&self, action: &str, region: &str) -> bool {
        self.denied.iter().any(|denied| match denied.split_once('@') {
            Some((denied, place)) => denied == action && place == region,
            None => denied == action,
        })
    }
}
