//! What became of a mail, and the trait of whatever delivers mail.

use async_trait::async_trait;

use crate::mail::Mail;

/// What became of one mail to one recipient.
///
/// All texts are one line, short, free of control characters and of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The server took the mail over.
    Accepted {
        /// Its own words.
        reply: String,
    },
    /// The server does not have the mail.
    Rejected {
        /// What was refused.
        what: Refused,
        /// Whether a later attempt with the same mail is pointless.
        permanent: bool,
        /// Why.
        why: String,
    },
    /// The whole mail was sent, and no answer came. It is not to be sent again on its own.
    PossiblySent {
        /// What went wrong.
        why: String,
    },
}

/// What a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// This recipient. Others may well get their mail.
    Recipient,
    /// This mail: its size or its content.
    Mail,
    /// Us: the server could not be reached, trusted or logged into, broke off, or does not take
    /// mail from our sender. Says nothing about any recipient.
    Server,
}

impl Delivery {
    /// Whether the recipient can never be reached through this server: time for the fallback.
    pub const fn recipient_is_unreachable(&self) -> bool {
        matches!(self, Self::Rejected { what: Refused::Recipient, permanent: true, .. })
    }
}

/// Whatever delivers mail.
#[async_trait]
pub trait Post: Send + Sync {
    /// Delivers one mail; never sends it twice. Returns within the deliverer's own time limit, or
    /// twice that where the mail is too large and has a reduced form.
    async fn post(&self, mail: &Mail) -> Delivery;

    /// Ends what was kept open between mails. A later mail opens it anew.
    async fn end(&self);
}
