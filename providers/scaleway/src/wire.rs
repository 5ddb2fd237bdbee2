//! Scaleway's answers as they come. Every field is read on its own, so that one that is null, odd or
//! new spoils nothing but itself. Fields that nothing needs are not decoded.

use std::collections::BTreeMap;

use reaper_http::lenient;
use reaper_http::paging::{CursorPage, NumberedPage};
use reaper_http::{Amount, Lenient};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer};

/// A page of `ListServers`. The list itself must be there: an object of another shape is no empty
/// zone.
#[derive(Debug, Deserialize)]
pub(crate) struct Servers {
    #[serde(deserialize_with = "lenient::list")]
    pub(crate) servers: Vec<Lenient<Server>>,
}

impl NumberedPage for Servers {
    fn entries(&self) -> usize {
        self.servers.len()
    }
}

/// The answer to `GetServer` and `UpdateServer`. The server itself must be there.
#[derive(Debug, Deserialize)]
pub(crate) struct OneServer {
    pub(crate) server: Server,
}

/// The answer to `ServerAction`: a task, which never moves on and proves nothing.
#[derive(Debug, Deserialize)]
pub(crate) struct Accepted {
    #[serde(rename = "task")]
    _task: Task,
}

/// That there is an object is all that is asked of it.
#[derive(Debug, Deserialize)]
struct Task {}

/// One server.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Server {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    pub(crate) organization: Lenient<String>,
    pub(crate) project: Lenient<String>,
    pub(crate) commercial_type: Lenient<String>,
    pub(crate) state: Lenient<String>,
    pub(crate) state_detail: Lenient<String>,
    pub(crate) boot_type: Lenient<String>,
    /// What it was made of.
    pub(crate) image: Lenient<Origin>,
    pub(crate) protected: Lenient<bool>,
    pub(crate) allowed_actions: Lenient<Vec<String>>,
    pub(crate) creation_date: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    pub(crate) volumes: Lenient<BTreeMap<String, Lenient<Volume>>>,
    pub(crate) public_ip: Lenient<PublicIp>,
    pub(crate) public_ips: Lenient<Vec<Lenient<PublicIp>>>,
}

/// The image that a server was made of.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Origin {
    pub(crate) id: Lenient<String>,
}

/// A volume as a server shows it. Block volumes come without a size.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Volume {
    pub(crate) id: Lenient<String>,
    #[serde(rename = "volume_type")]
    pub(crate) kind: Lenient<String>,
    pub(crate) size: Lenient<u64>,
}

/// A public address as a server shows it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PublicIp {
    pub(crate) id: Lenient<String>,
    pub(crate) dynamic: Lenient<bool>,
    pub(crate) family: Lenient<String>,
}

/// A page of `ListServersTypes`.
#[derive(Debug, Deserialize)]
pub(crate) struct Products {
    pub(crate) servers: BTreeMap<String, Lenient<Product>>,
}

impl NumberedPage for Products {
    fn entries(&self) -> usize {
        self.servers.len()
    }
}

/// What a type is made of. The monthly price is the hourly one times 730 and is not read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Product {
    pub(crate) gpu: Lenient<u32>,
    pub(crate) gpu_info: Lenient<GpuInfo>,
    pub(crate) hourly_price: Lenient<Amount>,
    pub(crate) end_of_service: Lenient<bool>,
}

/// The GPUs of a type; the memory is that of one of them, in bytes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GpuInfo {
    pub(crate) gpu_name: Lenient<String>,
    pub(crate) gpu_memory: Lenient<u64>,
}

/// An API key as IAM shows it; it belongs to a user or to an application.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ApiKey {
    pub(crate) user_id: Lenient<String>,
    pub(crate) application_id: Lenient<String>,
}

/// What owns an API key: a user or an application.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Bearer {
    pub(crate) organization_id: Lenient<String>,
    pub(crate) email: Lenient<String>,
    pub(crate) name: Lenient<String>,
}

/// A project.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Project {
    pub(crate) organization_id: Lenient<String>,
}

/// A page of projects.
#[derive(Debug, Deserialize)]
pub(crate) struct Projects {
    #[serde(deserialize_with = "lenient::list")]
    pub(crate) projects: Vec<Lenient<ListedProject>>,
    #[serde(default)]
    total_count: Lenient<u64>,
}

impl NumberedPage for Projects {
    fn entries(&self) -> usize {
        self.projects.len()
    }

    fn total(&self) -> Option<u64> {
        self.total_count.good().copied()
    }
}

/// One of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListedProject {
    pub(crate) id: Lenient<String>,
}

/// Where the metrics of a project are.
#[derive(Debug, Deserialize)]
pub(crate) struct DataSources {
    #[serde(deserialize_with = "lenient::list")]
    pub(crate) data_sources: Vec<Lenient<DataSource>>,
}

/// One of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DataSource {
    pub(crate) url: Lenient<String>,
}

/// A page of autoscaling groups. A cursor that cannot be read spoils the page, here and below: what
/// follows would be missed without a word.
#[derive(Debug, Deserialize)]
pub(crate) struct Groups {
    #[serde(rename = "group_summaries", deserialize_with = "lenient::list")]
    pub(crate) groups: Vec<Lenient<Group>>,
    #[serde(default)]
    next_page_token: Option<String>,
}

impl CursorPage for Groups {
    fn next_cursor(&self) -> Option<&str> {
        self.next_page_token.as_deref()
    }
}

/// An autoscaling group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Group {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
}

/// A page of the servers of a group.
#[derive(Debug, Deserialize)]
pub(crate) struct GroupServers {
    #[serde(deserialize_with = "lenient::list")]
    pub(crate) servers: Vec<Lenient<GroupServer>>,
    #[serde(default)]
    next_page_token: Option<String>,
}

impl CursorPage for GroupServers {
    fn next_cursor(&self) -> Option<&str> {
        self.next_page_token.as_deref()
    }
}

/// A server of a group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GroupServer {
    pub(crate) server_id: Lenient<String>,
}

/// A page of the Audit Trail.
#[derive(Debug, Deserialize)]
pub(crate) struct Events {
    #[serde(default, deserialize_with = "lenient::list")]
    pub(crate) events: Vec<Lenient<Event>>,
    #[serde(default)]
    next_page_token: Option<String>,
}

impl CursorPage for Events {
    fn next_cursor(&self) -> Option<&str> {
        self.next_page_token.as_deref()
    }
}

/// Something that was done.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event {
    pub(crate) recorded_at: Lenient<String>,
    pub(crate) status_code: Lenient<u16>,
    pub(crate) request_body: Lenient<ServerAction>,
    #[serde(deserialize_with = "lenient::list")]
    pub(crate) resources: Vec<Lenient<Resource>>,
}

/// What was asked of a server.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ServerAction {
    pub(crate) action: Lenient<String>,
}

/// What it was done to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Resource {
    pub(crate) id: Lenient<String>,
}

/// A page of `ListConsumptions`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Consumptions {
    #[serde(rename = "consumptions")]
    pub(crate) lines: Lenient<Vec<Lenient<Consumption>>>,
    pub(crate) total_count: Lenient<u64>,
    /// Until when all this was counted.
    pub(crate) updated_at: Lenient<String>,
}

impl NumberedPage for Consumptions {
    fn entries(&self) -> usize {
        self.lines.good().map_or(0, Vec::len)
    }

    fn total(&self) -> Option<u64> {
        self.total_count.good().copied()
    }
}

/// What a project has consumed of one product.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Consumption {
    pub(crate) sku: Lenient<String>,
    pub(crate) product_name: Lenient<String>,
    pub(crate) resource_name: Lenient<String>,
    pub(crate) project_id: Lenient<String>,
    pub(crate) unit: Lenient<String>,
    pub(crate) billed_quantity: Lenient<Quantity>,
    pub(crate) value: Lenient<Value>,
}

/// An amount without tax: whole units, and billionths of one, both below zero for what is given
/// back.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Value {
    pub(crate) currency_code: Lenient<String>,
    pub(crate) units: Lenient<i64>,
    pub(crate) nanos: Lenient<i64>,
}

/// A quantity, which is written as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quantity(pub(crate) Decimal);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Number(Amount),
        }
        match Written::deserialize(deserializer)? {
            Written::Text(text) => text.trim().parse().map(Self).map_err(serde::de::Error::custom),
            Written::Number(Amount(number)) => Ok(Self(number)),
        }
    }
}
