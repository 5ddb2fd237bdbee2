//! Mails in the document: what was due, to whom, and what became of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MailKind {
    /// The weekly report.
    Report,
    /// A notice to an owner.
    Notice,
    /// A budget alert.
    Alert,
    /// What was stopped or terminated, told to a channel.
    Stops,
}

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MailStatus {
    /// The mail server took it.
    Accepted,
    /// The mail server refused it, and would do so again.
    Rejected,
    /// It could not be sent now; the next run tries again.
    Deferred,
    /// The connection broke when it could have been taken already; the next run sends it again
    /// under the same Message-ID.
    PossiblySent,
    /// It would be sent by a run that is no dry one.
    Due,
}

impl MailStatus {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Deferred => "deferred",
            Self::PossiblySent => "possibly-sent",
            Self::Due => "due",
        }
    }
}

/// One mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MailView {
    /// The recipient: a mail address, or the name of a channel (`slack`, `webhook`).
    pub to: String,
    /// What it is.
    pub kind: MailKind,
    /// Its subject line.
    pub subject: String,
    /// What became of it.
    pub status: MailStatus,
    /// Why it was not accepted; `null` when it was.
    pub why: Option<String>,
    /// The machines that it tells of, by full id.
    pub machines: Vec<String>,
    /// Its stable key: the local part of the Message-ID.
    pub key: String,
}
