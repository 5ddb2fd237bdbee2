//! Channels besides mail: what can be told to one, and the trait of whatever tells it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_model::AuditDocument;
use reaper_model::document::{BudgetView, StoppedView};

use crate::delivery::Delivery;
use crate::mail::Key;

/// One message to one channel. The same message has the same key however often it is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<'a> {
    /// Its stable name, by which receivers can drop doubles.
    pub key: Key,
    /// The clock of the run that sends it.
    pub at: DateTime<Utc>,
    /// What it tells.
    pub content: Content<'a>,
}

/// What a channel is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Content<'a> {
    /// The weekly report: a document whose `report` is there.
    Report(&'a AuditDocument),
    /// A budget of which a threshold is reached.
    Alert {
        /// The budget as it stands.
        budget: &'a BudgetView,
        /// The thresholds that it tells of, such as `80%`, the highest last; of a forecast with
        /// `forecast ` before them.
        covers: &'a [String],
        /// What the alert is, the same for all recipients: `budget/month/basis/threshold/limit`.
        id: &'a str,
    },
    /// Stops and terminations that were confirmed, and that this channel was not told of yet.
    Stops(&'a [StoppedView]),
}

/// Whatever delivers messages that are no mail.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Its name in the configuration, the state and the document: `slack`, `webhook`.
    fn name(&self) -> &'static str;

    /// Delivers one message. Tries again what may be tried again, within its own time limit, and
    /// always under the message's key.
    async fn send(&self, message: &Message<'_>) -> Delivery;
}
