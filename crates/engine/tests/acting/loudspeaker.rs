//! A channel that answers as the test says, and keeps what it was told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use reaper_notify::{Channel, Content, Delivery, Message, Refused};

/// What a channel was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Heard {
    Report,
    Alert(String),
    Stops(Vec<String>),
}

#[derive(Default)]
struct Inner {
    down: usize,
    closed: bool,
    heard: VecDeque<(String, Heard)>,
}

/// Its clones are one channel.
#[derive(Clone, Default)]
pub(crate) struct Loudspeaker(Arc<Mutex<Inner>>);

impl Loudspeaker {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("no test thread has panicked")
    }

    /// The next messages are refused.
    pub(crate) fn is_down_for(&self, messages: usize) {
        self.inner().down = messages;
    }

    /// From now on everything is refused, for good.
    pub(crate) fn is_closed(&self) {
        self.inner().closed = true;
    }

    /// What it has taken so far, each with its key.
    pub(crate) fn heard(&self) -> Vec<(String, Heard)> {
        self.inner().heard.iter().cloned().collect()
    }
}

#[async_trait]
impl Channel for Loudspeaker {
    fn name(&self) -> &'static str {
        "slack"
    }

    async fn send(&self, message: &Message<'_>) -> Delivery {
        tokio::task::yield_now().await;
        let mut inner = self.inner();
        if inner.closed {
            let why = "410".to_owned();
            return Delivery::Rejected { what: Refused::Recipient, permanent: true, why };
        }
        if inner.down > 0 {
            inner.down -= 1;
            let why = "503".to_owned();
            return Delivery::Rejected { what: Refused::Server, permanent: false, why };
        }
        let heard = match &message.content {
            Content::Report(document) => {
                assert!(document.report.is_some(), "a report without its weekly part");
                Heard::Report
            }
            Content::Alert { id, .. } => Heard::Alert((*id).to_owned()),
            Content::Stops(stops) => {
                Heard::Stops(stops.iter().map(|stop| stop.id.clone()).collect())
            }
        };
        inner.heard.push_back((message.key.to_string(), heard));
        Delivery::Accepted { reply: "ok".to_owned() }
    }
}
