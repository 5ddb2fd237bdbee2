//! Snapshots: the state after one commit, compressed. They save reading and hold nothing that the
//! commits do not.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::commit::Head;
use crate::error::Error;
use crate::frame::{self, unreadable};
use crate::state::State;

/// Where the snapshots lie.
pub(crate) const FOLDER: &str = "snapshots";

/// The state after `head`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Snapshot {
    pub(crate) head: Head,
    pub(crate) state: State,
}

impl Snapshot {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        let object = name(self.head.number);
        let (bytes, _) = frame::encode(&object, self)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&bytes)
            .and_then(|()| gzip.finish())
            .map_err(|error| unreadable(&object, &error))
    }

    pub(crate) fn decode(number: u64, bytes: &[u8]) -> Result<Self, Error> {
        let object = name(number);
        let mut plain = Vec::new();
        GzDecoder::new(bytes)
            .read_to_end(&mut plain)
            .map_err(|error| unreadable(&object, &format!("torn or edited: {error}")))?;
        let (snapshot, _): (Self, _) = frame::decode(&object, &plain)?;
        if snapshot.head.number == number {
            Ok(snapshot)
        } else {
            Err(unreadable(&object, &format!("calls itself {}", snapshot.head.number)))
        }
    }
}

/// The object of a snapshot.
pub(crate) fn name(number: u64) -> String {
    format!("{FOLDER}/{number:020}.json.gz")
}
