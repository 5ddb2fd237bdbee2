//! What a weekly mail is made from. The document holds all of it; nothing here decides what is due.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_model::AuditDocument;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::reader::Reader;
use crate::address::Address;
use crate::mail::{Key, KeyError};

/// The weekly mail to one reader. Of a document without a `report` it tells the present state.
#[derive(Debug, Clone)]
pub struct Weekly<'a> {
    /// Its stable name, the same for every try: the Message-ID. See [`key`].
    pub key: Key,
    /// The stable name of its month, which all weekly mails of the month to this reader refer to.
    /// See [`thread`].
    pub thread: Key,
    /// Its only recipient.
    pub to: Address,
    /// When it is sent: its date. What it says is judged by the document's own time.
    pub at: DateTime<Utc>,
    /// The zone in which times are written.
    pub zone: Tz,
    /// Whom to ask, as shown: a team, an address.
    pub contact: Option<&'a str>,
    /// Where the run can be looked up: the job of a CI system.
    pub link: Option<&'a Url>,
    /// The key of the tag that protects.
    pub keep_tag: &'a str,
    /// All that is known.
    pub doc: &'a AuditDocument,
    /// Who reads it.
    pub reader: Reader<'a>,
}

/// The stable name of the weekly mail of a document to one recipient: the due time that it answers
/// and the mailbox, however it is spelt. Without a report, the run.
///
/// # Errors
///
/// None that can happen: digits and letters are a key.
pub fn key(doc: &AuditDocument, to: &Address) -> Result<Key, KeyError> {
    match &doc.report {
        Some(report) => {
            let due = report.due_at.to_utc().format("%Y%m%dT%H%MZ");
            format!("report-{due}.{}", mailbox(to)).parse()
        }
        None => format!("report-{}.{}", digest(&doc.run_id), mailbox(to)).parse(),
    }
}

/// The stable name of the month whose weekly mails to one recipient belong together.
///
/// # Errors
///
/// None that can happen: digits and letters are a key.
pub fn thread(doc: &AuditDocument, to: &Address) -> Result<Key, KeyError> {
    let month = doc.report.as_ref().map_or(doc.now, |report| report.due_at);
    format!("reports-{}.{}", month.format("%Y-%m"), mailbox(to)).parse()
}

fn mailbox(to: &Address) -> String {
    digest(&to.folded())
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text);
    let mut head = [0; 8];
    head.copy_from_slice(&hash[..8]);
    format!("{:016x}", u64::from_be_bytes(head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    #[test]
    fn fl_135_a_mailbox_has_one_key_however_it_is_spelt_and_others_have_others() {
        let doc = fixture::weekly();
        let key = |to: &str| key(&doc, &to.parse().expect("an address")).expect("a key");
        assert_eq!(key("Alice@Example.org"), key("alice@example.org"));
        assert_ne!(key("alice@example.org"), key("bob@example.org"));
        assert_eq!(&key("alice@example.org").to_string()[..22], "report-20261130T0700Z.");
    }

    #[test]
    fn all_weekly_mails_of_a_month_to_one_reader_are_one_thread() {
        let to = "alice@example.org".parse().expect("an address");
        let mut doc = fixture::weekly();
        let mut thread = |due: &str| {
            doc.report.as_mut().expect("a report").due_at = due.parse().expect("a time");
            thread(&doc, &to).expect("a key").to_string()
        };
        let first = thread("2026-11-02T08:00:00+01:00");
        assert!(first.starts_with("reports-2026-11."), "{first}");
        assert_eq!(first, thread("2026-11-30T08:00:00+01:00"));
        assert_ne!(first, thread("2026-12-07T08:00:00+01:00"));
    }
}
