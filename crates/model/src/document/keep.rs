//! What `reaper keep` and `reaper unkeep` say in JSON.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;

/// Name and version of the format.
pub const KEEP_SCHEMA: &str = "reaper.keep/1";

/// A machine that is kept from now on, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeepDocument {
    /// Always `reaper.keep/1`.
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// `provider/account/location/id`.
    pub id: String,
    /// Until when it is kept; `null` when it no longer is.
    pub kept_until: Option<DateTime<FixedOffset>>,
    /// Why.
    pub reason: Option<String>,
    /// Who said so.
    pub by: String,
    /// What became of the machine's own tag.
    pub tag: TagResult,
    /// Why the tag was not changed; `null` when it was.
    pub tag_why: Option<String>,
    /// How the command ended.
    pub outcome: Outcome,
}

/// What became of a machine's own tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TagResult {
    /// Set.
    Set,
    /// Removed, or it was not there.
    Removed,
    /// The provider's machines take no tags.
    NotOffered,
    /// The account is not pinned, so that nothing is changed in it.
    NotAllowed,
    /// The provider did not do it. The state counts all the same.
    Failed,
}
