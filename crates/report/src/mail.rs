//! Mails and what became of them, in words that all formats share. Plain text, neither cleaned nor
//! escaped.

use reaper_model::document::{AuditDocument, MailKind, MailStatus, MailView};

use crate::figures::count;

/// The word for a status; loud where the recipient may know nothing.
pub(crate) const fn status(mail: &MailView) -> &'static str {
    match mail.status {
        MailStatus::Accepted => "accepted",
        MailStatus::Due => "due",
        MailStatus::Rejected => "REJECTED",
        MailStatus::Deferred => "DEFERRED",
        MailStatus::PossiblySent => "POSSIBLY SENT",
    }
}

/// Whether it was due and the mail server is not known to have it.
pub(crate) const fn is_undelivered(mail: &MailView) -> bool {
    match mail.status {
        MailStatus::Accepted | MailStatus::Due => false,
        MailStatus::Rejected | MailStatus::Deferred | MailStatus::PossiblySent => true,
    }
}

/// What it is, and about how many machines if it is about any.
pub(crate) fn about(mail: &MailView) -> String {
    let kind = match mail.kind {
        MailKind::Report => "report",
        MailKind::Notice => "notice",
        MailKind::Alert => "alert",
        MailKind::Stops => "message",
    };
    match mail.machines.len() {
        // The subject names the budget.
        0 => kind.to_owned(),
        machines => format!("{kind} about {}", count(machines, "machine")),
    }
}

/// `2 mails accepted`, `1 mail NOT DELIVERED`.
pub(crate) fn headline(doc: &AuditDocument) -> Vec<String> {
    let number = |kind: fn(&MailView) -> bool| doc.mails.iter().filter(|mail| kind(mail)).count();
    [
        (number(|mail| mail.status == MailStatus::Accepted), "accepted"),
        (number(|mail| mail.status == MailStatus::Due), "due"),
        (number(is_undelivered), "NOT DELIVERED"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{} {word}", count(number, "mail")))
    .collect()
}
