//! Lambda's JSON, as far as it is needed. Fields are lenient: what is null, missing or odd spoils
//! its machine only. Jupyter tokens and addresses have no field here, so they are never decoded.

use reaper_http::lenient::list;
use reaper_http::paging::CursorPage;
use reaper_http::{Amount, Lenient};
use serde::Deserialize;

/// The envelope of every success. A missing or null `data` is no empty list but an error.
#[derive(Debug, Deserialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

/// One instance. Ids are 32 hex digits; treated as opaque.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Instance {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    pub(crate) status: Lenient<String>,
    pub(crate) region: Lenient<Region>,
    #[serde(rename = "instance_type")]
    pub(crate) kind: Lenient<InstanceType>,
    pub(crate) file_system_names: Lenient<Vec<String>>,
    pub(crate) file_system_mounts: Lenient<Vec<Mount>>,
    /// Not in the present description of the API, yet in its examples.
    pub(crate) is_reserved: Lenient<bool>,
    pub(crate) actions: Lenient<Actions>,
    pub(crate) tags: Lenient<Vec<Tag>>,
}

/// The instances that a terminate took.
#[derive(Debug, Deserialize)]
pub(crate) struct Terminated {
    #[serde(deserialize_with = "list")]
    pub(crate) terminated_instances: Vec<Lenient<Instance>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Region {
    pub(crate) name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct InstanceType {
    pub(crate) name: Lenient<String>,
    /// `H100 (80 GB SXM5)`; `N/A` for machines without accelerators.
    pub(crate) gpu_description: Lenient<String>,
    /// US cents per hour for the whole machine.
    pub(crate) price_cents_per_hour: Lenient<Amount>,
    pub(crate) specs: Lenient<Specs>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Specs {
    pub(crate) gpus: Lenient<u32>,
    pub(crate) storage_gib: Lenient<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Mount {
    pub(crate) file_system_id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Actions {
    pub(crate) terminate: Lenient<Action>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Action {
    pub(crate) available: bool,
    pub(crate) reason_code: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Tag {
    pub(crate) key: String,
    pub(crate) value: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SshKey {
    pub(crate) name: String,
}

/// A network file system, which is charged as long as it exists.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FileSystem {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    /// RFC 3339.
    pub(crate) created: Lenient<String>,
    pub(crate) created_by: Lenient<Creator>,
    pub(crate) is_in_use: Lenient<bool>,
    pub(crate) region: Lenient<Region>,
    /// What is stored, renewed every few hours.
    pub(crate) bytes_used: Lenient<u64>,
}

/// Who made a file system.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Creator {
    pub(crate) email: Lenient<String>,
}

/// One page of the audit log.
#[derive(Debug, Deserialize)]
pub(crate) struct AuditPage {
    #[serde(deserialize_with = "list")]
    pub(crate) data: Vec<Lenient<AuditEvent>>,
    #[serde(default)]
    pub(crate) page_token: Lenient<String>,
}

impl CursorPage for AuditPage {
    fn next_cursor(&self) -> Option<&str> {
        self.page_token.good().map(String::as_str)
    }
}

/// Something that happened to something.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AuditEvent {
    /// RFC 3339, UTC.
    pub(crate) event_time: Lenient<String>,
    /// `lrn:cloud:instance:ID` and the like.
    pub(crate) resource_lrns: Lenient<Vec<String>>,
    pub(crate) additional_details: Lenient<AuditDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AuditDetails {
    pub(crate) instance_lrn: Lenient<String>,
}

/// The envelope of every error.
#[derive(Debug, Deserialize)]
pub(crate) struct Failure {
    pub(crate) error: Problem,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Problem {
    pub(crate) code: Lenient<String>,
    pub(crate) message: Lenient<String>,
    pub(crate) request_id: Lenient<String>,
}
