//! The post office: takes mails over, turns them away, or breaks off, as the seed says, and keeps
//! every letter that was handed in.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_notify::delivery::Refused;
use reaper_notify::{Delivery, Mail, Post};

use crate::diary::{Diary, Event};
use crate::dice::Dice;
use crate::fleet::BOUNCES;

/// A mail that was handed in.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub(crate) at: DateTime<Utc>,
    pub(crate) key: String,
    pub(crate) to: String,
    pub(crate) text: String,
    /// Of which threshold it alerts, if it does.
    pub(crate) alert: Option<String>,
    /// Whether the office said that it has taken it over.
    pub(crate) accepted: bool,
    /// Whether the office said that there is no such recipient.
    pub(crate) bounced: bool,
}

impl Letter {
    /// Whether it promises an action.
    pub(crate) fn promises(&self) -> bool {
        self.key.starts_with("stop-")
    }
}

/// All that a mail says, with the list of what does not fit into it.
fn text(mail: &Mail) -> String {
    let list = mail.attachment.as_ref().map_or("", |attachment| attachment.csv.as_str());
    format!("{}{list}", mail.text)
}

/// The office as one run meets it.
pub(crate) struct Office {
    pub(crate) seed: u64,
    /// Whether everything is accepted but what bounces.
    pub(crate) calm: bool,
    pub(crate) diary: Arc<Diary>,
}

impl Office {
    fn answer(&self, mail: &Mail) -> Delivery {
        let to = mail.to.to_string();
        let letters = format!("{}{to}", mail.key);
        let salt = letters
            .bytes()
            .fold(self.seed, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let refused = |what, permanent, why: &str| Delivery::Rejected {
            what,
            permanent,
            why: why.to_owned(),
        };
        let throw = Dice::new(salt).below(100);
        match throw {
            _ if to == BOUNCES => refused(Refused::Recipient, true, "550 no such mailbox"),
            0..=7 if !self.calm => refused(Refused::Recipient, false, "451 try again later"),
            8..=11 if !self.calm => refused(Refused::Server, false, "421 closing"),
            12..=15 if !self.calm => Delivery::PossiblySent { why: "no answer to DATA".to_owned() },
            _ => Delivery::Accepted { reply: "250 queued".to_owned() },
        }
    }
}

#[async_trait]
impl Post for Office {
    async fn post(&self, mail: &Mail) -> Delivery {
        self.diary
            .during(async {
                let answer = self.answer(mail);
                self.diary.note(Event::Posted(Letter {
                    at: mail.at,
                    key: mail.key.to_string(),
                    to: mail.to.to_string(),
                    text: text(mail),
                    alert: mail.alert.clone(),
                    accepted: matches!(answer, Delivery::Accepted { .. }),
                    bounced: answer.recipient_is_unreachable(),
                }));
                answer
            })
            .await
    }

    async fn end(&self) {}
}
