//! What `reaper history` prints in JSON mode: the ledger in sentences, oldest first.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the format.
pub const HISTORY_SCHEMA: &str = "reaper.history/1";

/// What is recorded of all machines or of one, or how the check of the whole ledger ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryDocument {
    /// Always `reaper.history/1`.
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// The address of the state.
    pub place: String,
    /// The records, oldest first.
    pub records: Vec<RecordView>,
    /// What was checked; `null` when nobody asked for it.
    pub verified: Option<VerifiedView>,
}

/// One thing that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordView {
    /// When, in the report's time zone.
    pub at: DateTime<FixedOffset>,
    /// The run that wrote it.
    pub run: String,
    /// Stable word for programs, such as `run`, `seen`, `case`, `mail` or `action`.
    pub kind: String,
    /// The machine's full id; `null` where it is about none.
    pub machine: Option<String>,
    /// The rule; `null` where it is about none.
    pub rule: Option<String>,
    /// Sentence for people.
    pub text: String,
    /// The number of the commit that holds it.
    pub commit: u64,
}

/// A ledger in which every commit and snapshot was found in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifiedView {
    /// Commits that were read.
    pub commits: u64,
    /// Snapshots that were compared with them.
    pub snapshots: u64,
    /// Digest of the last commit, `sha256:…`: what a copy of the ledger can be held against.
    pub head: String,
}
