//! The answers' JSON, as far as it is needed. Fields are read one by one: OVHcloud's schema says
//! less than its answers do (null where it promises a value, old shapes beside new ones). Secrets
//! that answers carry (the rescue password) are not even decoded.

use std::collections::BTreeMap;

use reaper_http::{Amount, Lenient, lenient};
use reaper_model::Currency;
use serde::Deserialize;

/// A project with the tags that IAM keeps of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Project {
    #[serde(default, rename = "project_id")]
    pub(crate) id: Lenient<String>,
    #[serde(default)]
    pub(crate) description: Lenient<String>,
    #[serde(default)]
    pub(crate) status: Lenient<String>,
    #[serde(default)]
    pub(crate) iam: Lenient<Iam>,
}

/// What IAM knows of a resource.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Iam {
    #[serde(default)]
    pub(crate) tags: Lenient<BTreeMap<String, String>>,
}

/// The consumer key that asks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Credential {
    pub(crate) status: Lenient<String>,
    pub(crate) expiration: Lenient<String>,
}

/// An instance in a list, or by itself: then with its whole flavour.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Instance {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    pub(crate) status: Lenient<String>,
    pub(crate) created: Lenient<String>,
    pub(crate) region: Lenient<String>,
    pub(crate) flavor_id: Lenient<String>,
    pub(crate) flavor: Lenient<Flavor>,
    /// Null for machines that boot from a volume. Read to be named when it is odd, for nothing
    /// else.
    pub(crate) image: Lenient<Object>,
    /// What a machine in a list was made of.
    pub(crate) image_id: Lenient<String>,
    pub(crate) plan_code: Lenient<String>,
    /// There once a monthly plan is wanted or has begun.
    pub(crate) monthly_billing: Lenient<Object>,
}

/// A machine type. It has no field for accelerators.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Flavor {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    #[serde(rename = "type")]
    pub(crate) family: Lenient<String>,
    pub(crate) region: Lenient<String>,
    /// Whether it can be had there.
    pub(crate) available: Lenient<bool>,
}

/// An object of which it only matters whether it is there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Object {}

/// What volumes, snapshots and images have in common.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Thing {
    pub(crate) id: Lenient<String>,
    /// Empty for most.
    pub(crate) name: Lenient<String>,
    pub(crate) region: Lenient<String>,
    /// GiB.
    pub(crate) size: Lenient<Amount>,
    pub(crate) creation_date: Lenient<String>,
    /// The same in older answers.
    pub(crate) created: Lenient<String>,
    pub(crate) plan_code: Lenient<String>,
}

/// A volume.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Volume {
    #[serde(flatten)]
    pub(crate) thing: Thing,
    pub(crate) attached_to: Lenient<Vec<String>>,
    pub(crate) status: Lenient<String>,
    /// `classic`, `high-speed`, and whatever is new.
    #[serde(rename = "type")]
    pub(crate) kind: Lenient<String>,
}

/// A snapshot of a volume.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Snapshot {
    #[serde(flatten)]
    pub(crate) thing: Thing,
    pub(crate) volume_id: Lenient<String>,
}

/// An image: a backup of a machine, or what shelving made of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Image {
    #[serde(flatten)]
    pub(crate) thing: Thing,
}

/// A floating address.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FloatingIp {
    pub(crate) id: Lenient<String>,
    pub(crate) ip: Lenient<String>,
    pub(crate) region: Lenient<String>,
    pub(crate) status: Lenient<String>,
    /// Null for one that leads nowhere.
    pub(crate) associated_entity: Lenient<Entity>,
}

/// What a floating address leads to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Entity {
    /// `instance`, `loadbalancer`, …
    #[serde(rename = "type")]
    pub(crate) kind: Lenient<String>,
    pub(crate) id: Lenient<String>,
}

/// A node of a Kubernetes cluster.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    /// Null while there is no machine yet.
    pub(crate) instance_id: Lenient<String>,
    pub(crate) node_pool_id: Lenient<String>,
}

/// What was measured of a machine.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Monitoring {
    pub(crate) unit: Lenient<String>,
    #[serde(deserialize_with = "lenient::list")]
    pub(crate) values: Vec<Lenient<MonitoringPoint>>,
}

/// One point of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MonitoringPoint {
    /// Seconds since 1970.
    pub(crate) timestamp: Lenient<i64>,
    pub(crate) value: Lenient<f64>,
}

/// What a project has cost in its current month. Each part may be null, which says nothing of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Usage {
    #[serde(rename = "hourlyUsage")]
    pub(crate) hourly: Lenient<Part>,
    #[serde(rename = "monthlyUsage")]
    pub(crate) monthly: Lenient<Part>,
    #[serde(rename = "resourcesUsage")]
    pub(crate) resources: Lenient<Entries>,
    pub(crate) period: Lenient<Period>,
    pub(crate) last_update: Lenient<String>,
}

/// Lists by what they are of: `instance`, `volume`, `snapshot`, and whatever is new.
pub(crate) type Part = BTreeMap<String, Lenient<Entries>>;

/// A list of a part.
pub(crate) type Entries = Vec<Lenient<Entry>>;

/// The time that a usage covers.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Period {
    pub(crate) from: Lenient<String>,
    pub(crate) to: Lenient<String>,
}

/// What was used of one kind of thing in one region.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Entry {
    /// The plan, or the flavour alone.
    pub(crate) reference: Lenient<String>,
    pub(crate) region: Lenient<String>,
    pub(crate) quantity: Lenient<Quantity>,
    pub(crate) total_price: Lenient<Total>,
    pub(crate) details: Lenient<Vec<Lenient<Detail>>>,
}

/// What one machine used of it.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Detail {
    pub(crate) instance_id: Lenient<String>,
    pub(crate) quantity: Lenient<Quantity>,
    pub(crate) total_price: Lenient<Total>,
}

/// How much.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Quantity {
    pub(crate) unit: Lenient<String>,
    pub(crate) value: Lenient<Amount>,
}

/// An amount: a number of no currency, or, for some products, an object that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Total {
    Bare(Amount),
    #[serde(rename_all = "camelCase")]
    Named {
        value: Amount,
        currency_code: Option<Currency>,
    },
}

/// The account behind a login. It is full of personal data, of which nothing else is decoded.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Account {
    pub(crate) currency: Lenient<AccountCurrency>,
}

/// The currency in which an account is billed.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct AccountCurrency {
    pub(crate) code: Currency,
}

/// The answer to a login.
#[derive(Deserialize)]
pub(crate) struct Token {
    pub(crate) access_token: String,
    /// Seconds.
    #[serde(default)]
    pub(crate) expires_in: Lenient<u64>,
}

/// The bodies of refusals: of the gateway (`errorCode`), of the API (`class`, `details`), of the
/// login (`error`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Failure {
    #[serde(rename = "errorCode")]
    pub(crate) error_code: Lenient<String>,
    pub(crate) class: Lenient<String>,
    pub(crate) message: Lenient<String>,
    pub(crate) details: Lenient<BTreeMap<String, Lenient<String>>>,
    pub(crate) error: Lenient<String>,
    pub(crate) error_description: Lenient<String>,
}

impl Failure {
    /// Whether it holds any word of OVHcloud's; other people's JSON does not.
    pub(crate) fn says_something(&self) -> bool {
        let Self { error_code, class, message, error, error_description, details: _ } = self;
        [error_code, class, message, error, error_description]
            .into_iter()
            .any(|text| text.good().is_some_and(|text| !text.is_empty()))
    }
}
