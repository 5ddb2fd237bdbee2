//! Channels besides mail: what can be told to one, and the trait of whatever tells it.

use std::sync::OnceLock;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_model::AuditDocument;
use reaper_model::document::{BudgetView, StoppedView};

use crate::delivery::{Delivery, Refused};
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

/// A channel that is given up for the rest of a run once it cannot be reached: many messages to a host
/// that is silent would hold back what is due.
pub struct GivenUp<C> {
    channel: C,
    why: OnceLock<String>,
}

impl<C> GivenUp<C> {
    /// The same channel, for one run.
    pub const fn once_silent(channel: C) -> Self {
        Self { channel, why: OnceLock::new() }
    }
}

#[async_trait]
impl<C: Channel> Channel for GivenUp<C> {
    fn name(&self) -> &'static str {
        self.channel.name()
    }

    async fn send(&self, message: &Message<'_>) -> Delivery {
        if let Some(why) = self.why.get() {
            let why = format!("not tried again in this run: {why}");
            return Delivery::Rejected { what: Refused::Server, permanent: false, why };
        }
        let delivery = self.channel.send(message).await;
        if let Delivery::Rejected { what: Refused::Server, why, .. }
        | Delivery::PossiblySent { why } = &delivery
        {
            // Somebody else may have been first: one reason is as good as the other.
            let _ = self.why.set(why.clone());
        }
        delivery
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Silent(AtomicUsize);

    #[async_trait]
    impl Channel for &Silent {
        fn name(&self) -> &'static str {
            "slack"
        }

        async fn send(&self, _: &Message<'_>) -> Delivery {
            self.0.fetch_add(1, Ordering::Relaxed);
            let why = "no answer".to_owned();
            Delivery::Rejected { what: Refused::Server, permanent: false, why }
        }
    }

    #[tokio::test]
    async fn a_channel_that_is_silent_is_waited_for_once_a_run() {
        let silent = Silent(AtomicUsize::new(0));
        let channel = GivenUp::once_silent(&silent);
        let key = "stops-1".parse().expect("a key");
        let message = Message { key, at: DateTime::UNIX_EPOCH, content: Content::Stops(&[]) };
        for _ in 0..20 {
            let delivery = channel.send(&message).await;
            assert!(matches!(delivery, Delivery::Rejected { permanent: false, .. }));
        }
        assert_eq!(silent.0.load(Ordering::Relaxed), 1);
    }
}
