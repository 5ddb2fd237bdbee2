//! The links of the chain: a commit says who wrote it, when, and after which one.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::error::Error;
use crate::frame::{self, Digest};

/// Who writes: the id of one run. No two runs may ever share one: leases, and the recognition of a
/// commit whose acknowledgement was lost, hang on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Writer(String);

impl Writer {
    /// A writer by its run id.
    pub fn new(run_id: impl Into<String>) -> Self {
        Self(run_id.into())
    }

    /// The run id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What a commit says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Its number, from 1.
    pub number: u64,
    /// The digest of the commit before; [`Digest::NONE`] for the first.
    pub previous: Digest,
    /// The writer's time.
    pub at: DateTime<Utc>,
    /// The run that wrote it.
    pub writer: Writer,
}

/// One commit: everything in it holds, or none of it was ever written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// Number, link, time, writer.
    pub header: Header,
    /// What is recorded, in order.
    pub entries: Vec<Entry>,
}

impl Commit {
    pub(crate) fn encode(&self) -> Result<(Vec<u8>, Digest), Error> {
        frame::encode(&name(self.header.number), self)
    }

    pub(crate) fn decode(number: u64, bytes: &[u8]) -> Result<(Self, Digest), Error> {
        let (commit, digest): (Self, _) = frame::decode(&name(number), bytes)?;
        if commit.header.number == number {
            Ok((commit, digest))
        } else {
            Err(Error::Misplaced { number, says: commit.header.number })
        }
    }
}

/// The end of the log as far as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The last commit; 0 when there is none.
    pub number: u64,
    /// Its digest.
    pub digest: Digest,
}

impl Head {
    /// Before the first commit.
    pub const START: Self = Self { number: 0, digest: Digest::NONE };
}

/// Where the commits lie.
pub(crate) const FOLDER: &str = "commits";

/// The object of a commit. Twenty digits, so that names sort as numbers do.
pub(crate) fn name(number: u64) -> String {
    format!("{FOLDER}/{number:020}.json")
}
