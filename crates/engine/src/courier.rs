//! One message on its way, whatever it says and wherever it goes: held back, or intended, sent,
//! answered, each step in the log before the next. The one place that knows this order.

use std::time::Duration;

use reaper_ledger::{Contradiction, Decision, Entry, Error, Sending};
use reaper_model::document::MailStatus;
use reaper_notify::{Address, Channel, Delivery, Key, Mail, Message, Post};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::clock::Clock;
use crate::interrupt::Interrupt;
use crate::journal::Journal;

/// What every message of a run is carried by.
#[derive(Clone, Copy)]
pub struct Courier<'a> {
    /// Delivers mail; `None` in a dry run, which shows what would be sent, and where no mail server
    /// is configured.
    pub post: Option<&'a dyn Post>,
    /// Channels besides mail; none in a dry run.
    pub channels: &'a [Box<dyn Channel>],
    /// The clock of the run.
    pub clock: Clock,
    /// Heeded before each message.
    pub interrupt: &'a Interrupt,
    /// How long after that a message on its way is waited for.
    pub grace: Duration,
    /// From then on nothing is begun: the rest of the run's time is for acting.
    pub until: Instant,
}

/// A message with its way out.
pub(crate) enum Parcel<'a> {
    Mail(&'a dyn Post, Box<Mail>),
    Channel(&'a dyn Channel, Message<'a>),
}

/// Why there is nothing to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unsent {
    /// No mail can go to that address, now or ever.
    Address(String),
    /// A fault of ours, which says nothing of the recipient.
    Fault(String),
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: MailStatus,
    pub(crate) why: Option<String>,
}

impl Outcome {
    /// What would be sent by a run that is no dry one.
    pub(crate) const fn due() -> Self {
        Self { status: MailStatus::Due, why: None }
    }

    pub(crate) fn deferred(why: &str) -> Self {
        Self { status: MailStatus::Deferred, why: Some(why.to_owned()) }
    }
}

/// Records the steps of one message: every entry that the step means.
pub(crate) trait Recorded<I> {
    fn entries(&self, step: Sending<I>) -> Vec<Entry>;
}

impl<I, F: Fn(Sending<I>) -> Vec<Entry>> Recorded<I> for F {
    fn entries(&self, step: Sending<I>) -> Vec<Entry> {
        self(step)
    }
}

impl<'a> Courier<'a> {
    /// The channel of that name, if there is one.
    pub(crate) fn channel(&self, name: &str) -> Option<&'a dyn Channel> {
        self.channels.iter().find(|channel| channel.name() == name).map(AsRef::as_ref)
    }

    /// Why nothing is begun any more.
    fn held(&self) -> Option<&'static str> {
        if self.interrupt.is_raised() {
            Some("not sent: the run was interrupted before it")
        } else if Instant::now() >= self.until {
            Some("not sent: the run's time for messages was over")
        } else {
            None
        }
    }

    /// Carries one message: nothing leaves without its intent in the log, and the answer follows
    /// it. `None` if another run sends it, or has sent it, just now.
    ///
    /// # Errors
    ///
    /// The state could not be written.
    pub(crate) async fn carry<I: Clone>(
        &self,
        journal: &mut Journal,
        record: &impl Recorded<I>,
        intent: I,
        parcel: Result<Parcel<'_>, Unsent>,
    ) -> Result<Option<Outcome>, Error> {
        if let Some(why) = self.held() {
            return Ok(Some(Outcome::deferred(why)));
        }
        let intended = self.write(journal, record.entries(Sending::Intended(intent))).await;
        if is_elsewhere(&intended) {
            return Ok(None);
        }
        intended?;
        let (outcome, step) = match parcel {
            Err(Unsent::Address(why)) => rejected(MailStatus::Rejected, true, why),
            Err(Unsent::Fault(why)) => rejected(MailStatus::Deferred, false, why),
            Ok(parcel) => {
                let sent = self.interrupt.bear(self.grace, parcel.send()).await;
                let delivery = sent.unwrap_or_else(|| Delivery::PossiblySent {
                    why: "the run was interrupted before the answer".to_owned(),
                });
                parcel.answer(delivery)
            }
        };
        let answered = self.write(journal, record.entries(step)).await;
        // Another run, which took this one for dead, has sent it too and was answered first.
        if !is_elsewhere(&answered) {
            answered?;
        }
        Ok(Some(outcome))
    }

    async fn write(&self, journal: &mut Journal, entries: Vec<Entry>) -> Result<(), Error> {
        journal.append(self.clock.now(), |_| Decision::Write(entries.clone(), ())).await
    }

    /// Leaves the mail server, where one was met.
    pub(crate) async fn end(&self) {
        let Some(post) = self.post else { return };
        let ended = self.interrupt.bear(self.grace, post.end()).await;
        tracing::debug!(in_time = ended.is_some(), "the mail server was left");
    }
}

impl Parcel<'_> {
    async fn send(&self) -> Delivery {
        match self {
            Self::Mail(post, mail) => post.post(mail).await,
            Self::Channel(channel, message) => channel.send(message).await,
        }
    }

    /// What a delivery comes to in the report and in the log. Of a mail server only the refusal of
    /// the recipient is final: one that cannot be used today says nothing about anybody. A channel
    /// says itself whether it would refuse the same message again.
    fn answer<I>(&self, delivery: Delivery) -> (Outcome, Sending<I>) {
        let is_final = match self {
            Self::Mail(..) => delivery.recipient_is_unreachable(),
            Self::Channel(..) => matches!(delivery, Delivery::Rejected { permanent: true, .. }),
        };
        match delivery {
            Delivery::Accepted { .. } => {
                (Outcome { status: MailStatus::Accepted, why: None }, Sending::Accepted)
            }
            Delivery::PossiblySent { why } => (
                Outcome { status: MailStatus::PossiblySent, why: Some(why.clone()) },
                Sending::PossiblySent { why },
            ),
            Delivery::Rejected { why, .. } if is_final => rejected(MailStatus::Rejected, true, why),
            Delivery::Rejected { why, .. } => rejected(MailStatus::Deferred, false, why),
        }
    }
}

fn rejected<I>(status: MailStatus, permanent: bool, why: String) -> (Outcome, Sending<I>) {
    (Outcome { status, why: Some(why.clone()) }, Sending::Rejected { permanent, why })
}

/// Whether the log refused a step because another run has the message.
fn is_elsewhere(recorded: &Result<(), Error>) -> bool {
    matches!(
        recorded,
        Err(Error::Contradiction {
            source: Contradiction::InFlight { .. }
                | Contradiction::AlreadyAccepted(_)
                | Contradiction::NotIntended(_),
            ..
        })
    )
}

/// An address, or why no mail can go there: a tag can hold anything.
pub(crate) fn address(text: &str) -> Result<Address, Unsent> {
    text.parse().map_err(|error| Unsent::Address(format!("no mail address: {error}")))
}

/// `alert-0123456789abcdef`: a short name that is the same in every run.
///
/// # Errors
///
/// The word is no part of a key.
pub(crate) fn key(word: &str, text: &str) -> Result<Key, Unsent> {
    key_text(word, text).parse().map_err(|error| Unsent::Fault(format!("{error}")))
}

/// The same as text.
pub(crate) fn key_text(word: &str, text: &str) -> String {
    let mut head = [0_u8; 8];
    head.copy_from_slice(&Sha256::digest(text)[..8]);
    format!("{word}-{:016x}", u64::from_be_bytes(head))
}
