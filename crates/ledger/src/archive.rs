//! Documents of weekly reports, kept beside the log so that a report can be shown or sent again.
//! They are copies: no decision rests on them, and one that is lost or edited changes nothing.

use std::io::{Read as _, Write as _};

use chrono::{DateTime, Utc};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::error::Error;
use crate::frame::unreadable;
use crate::ledger::Ledger;
use crate::store::Store;

/// Where they lie.
const FOLDER: &str = "reports";
const SUFFIX: &str = ".json.gz";

/// How many are kept: a year of weeks.
const KEPT: usize = 53;

impl Ledger {
    /// Keeps a document under a time, that of its week (UTC, in whole seconds), and removes those
    /// that are too many. One that is kept for that time already stays.
    ///
    /// # Errors
    ///
    /// The store failed. The log is not touched.
    pub async fn archive(&self, at: DateTime<Utc>, json: &[u8]) -> Result<(), Error> {
        self.store.archive(at, json).await
    }
}

impl Store {
    async fn archive(&self, at: DateTime<Utc>, json: &[u8]) -> Result<(), Error> {
        let object = name(u64::try_from(at.timestamp()).unwrap_or(0));
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        let bytes = gzip
            .write_all(json)
            .and_then(|()| gzip.finish())
            .map_err(|error| unreadable(&object, &error))?;
        self.create(&object, bytes).await?;
        let numbers = self.numbers(FOLDER, SUFFIX, 0).await?;
        for number in &numbers[..numbers.len().saturating_sub(KEPT)] {
            self.delete(&name(*number)).await?;
        }
        Ok(())
    }

    /// The newest document that is kept, with its object's name; `None` where there is none.
    ///
    /// # Errors
    ///
    /// The store failed, or the object is torn.
    pub async fn newest_archived(&self) -> Result<Option<(String, Vec<u8>)>, Error> {
        let numbers = self.numbers(FOLDER, SUFFIX, 0).await?;
        let Some(object) = numbers.last().map(|number| name(*number)) else { return Ok(None) };
        let Some(bytes) = self.get(&object).await? else { return Ok(None) };
        let mut json = Vec::new();
        GzDecoder::new(bytes.as_ref())
            .read_to_end(&mut json)
            .map_err(|error| unreadable(&object, &format!("torn or edited: {error}")))?;
        Ok(Some((object, json)))
    }
}

fn name(number: u64) -> String {
    format!("{FOLDER}/{number:020}{SUFFIX}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(day: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + chrono::TimeDelta::days(day)
    }

    #[tokio::test]
    async fn the_newest_is_read_back_and_old_ones_go() {
        let store = Store::memory();
        assert_eq!(store.newest_archived().await.expect("readable"), None);
        for day in 0..60 {
            let json = format!("{{\"day\":{day}}}");
            store.archive(time(day), json.as_bytes()).await.expect("kept");
        }
        let numbers = store.numbers(FOLDER, SUFFIX, 0).await.expect("listed");
        assert_eq!(numbers.len(), KEPT);
        let (object, json) = store.newest_archived().await.expect("readable").expect("there");
        assert_eq!(
            (object.as_str(), json.as_slice()),
            (name(59 * 86_400).as_str(), &b"{\"day\":59}"[..])
        );
    }

    #[tokio::test]
    async fn what_is_kept_is_not_written_over() {
        let store = Store::memory();
        store.archive(time(1), b"first").await.expect("kept");
        store.archive(time(1), b"second").await.expect("no error");
        let (_, json) = store.newest_archived().await.expect("readable").expect("there");
        assert_eq!(json, b"first");
    }
}
