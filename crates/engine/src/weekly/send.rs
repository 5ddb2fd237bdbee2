//! The report to each recipient, and confirmed stops to channels, each once by the log.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_ledger::state::Step;
use reaper_ledger::{Decision, Entry, Error, ReportIntent, ReportKey, State, StopKey, Stopped};
use reaper_model::AuditDocument;
use reaper_model::document::{MailKind, MailStatus, MailView, OwnerStatus, StoppedView};
use reaper_notify::weekly::{self, Owner, Reader, Weekly};
use reaper_notify::{Address, Content, Mail, Message};
use reaper_plan::Routing;
use reaper_policy::Policy;

use crate::courier::{self, Courier, Outcome, Parcel, Unsent, address, key_text};
use crate::journal::Journal;
use crate::orders::{ChannelTopics, Reports};
use crate::weekly::period::Period;

/// What sending needs besides the document.
pub(crate) struct Desk<'a> {
    pub(crate) courier: Courier<'a>,
    pub(crate) reports: &'a Reports,
    pub(crate) topics: &'a ChannelTopics,
    pub(crate) routing: &'a Routing,
    /// Whom names mean.
    pub(crate) policy: &'a Policy,
    /// What was known before the report.
    pub(crate) state: &'a State,
    /// The end of its period.
    pub(crate) until: DateTime<Utc>,
    /// The key of the tag that protects.
    pub(crate) keep_tag: &'a str,
    pub(crate) zone: Tz,
}

/// Who gets what.
#[derive(Debug, Clone)]
pub(crate) enum To {
    /// All of it, by mail.
    Digest(String),
    /// Their own rows, by mail, with what tags call them.
    Owner(Address, Vec<String>),
    /// All of it, to a channel.
    Channel(String),
}

impl To {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Digest(name) | Self::Channel(name) => name.clone(),
            Self::Owner(address, _) => address.to_string(),
        }
    }

    /// Whether it is all of it.
    pub(crate) const fn is_whole(&self) -> bool {
        !matches!(self, Self::Owner(..))
    }
}

/// Records that everybody was tried, unless somebody could not even be tried: that one is tried by
/// the next run.
///
/// # Errors
///
/// The state could not be written.
pub(crate) async fn close(
    desk: &Desk<'_>,
    period: &Period,
    recipients: &[To],
    journal: &mut Journal,
) -> Result<(), Error> {
    let state = journal.state();
    let all_tried = recipients.iter().all(|to| {
        let key = ReportKey { due: period.due, to: to.name() };
        state.report(&key).is_some()
    });
    if all_tried && !state.is_report_made(period.due) {
        let made = Entry::ReportMade { due: period.due };
        let now = desk.courier.clock.now();
        journal.append(now, |_| Decision::Write(vec![made.clone()], ())).await?;
    }
    Ok(())
}

impl Desk<'_> {
    /// Everybody who gets a report, none twice.
    pub(crate) fn recipients(&self, document: &AuditDocument) -> Vec<To> {
        let digests = self.reports.to.iter().cloned().map(To::Digest);
        let channels = self.topics.reports.iter().cloned().map(To::Channel);
        let gets_all = |to: &str| self.reports.to.iter().any(|all| all.eq_ignore_ascii_case(to));
        let owners = self.owners(document).into_iter().filter(|(owner, names)| {
            let to = owner.to_string();
            self.routing.can_mail
                && self.routing.permits(&to)
                && !gets_all(&to)
                && !self.has_read_it(document, Owner { address: owner, names })
        });
        let owners = owners.map(|(owner, names)| To::Owner(owner, names));
        digests.chain(channels).chain(owners).collect()
    }

    /// Whether notices since the report's period ended have told an owner of all that it would: one
    /// mail about the same.
    fn has_read_it(&self, document: &AuditDocument, owner: Owner<'_>) -> bool {
        let is_theirs =
            |to: &str| to.parse::<Address>().is_ok_and(|to| to.folded() == owner.address.folded());
        let mut noticed: BTreeSet<String> = BTreeSet::new();
        for mail in &document.mails {
            let told = matches!(mail.status, MailStatus::Accepted | MailStatus::Due);
            if mail.kind == MailKind::Notice && told && is_theirs(&mail.to) {
                noticed.extend(mail.machines.iter().cloned());
            }
        }
        for (_, notice) in self.state.notices() {
            let late = notice.accepted_at().is_some_and(|at| at >= self.until);
            if late && is_theirs(&notice.intent.to) {
                noticed.extend(notice.intent.about.iter().map(|about| about.id.to_string()));
            }
        }
        let told_of = weekly::told_of(document, owner);
        !noticed.is_empty() && told_of.iter().all(|id| noticed.contains(*id))
    }

    /// The owners that have anything to read: of machines that are there, and of machines that were
    /// stopped and may be gone.
    fn owners(&self, document: &AuditDocument) -> Vec<(Address, Vec<String>)> {
        let mut all: BTreeMap<String, (Address, Vec<String>)> = BTreeMap::new();
        for owner in weekly::owners(document) {
            all.insert(owner.folded(), (owner, Vec::new()));
        }
        let stopped = document.report.iter().flat_map(|report| &report.stopped);
        for name in stopped.filter_map(|stopped| stopped.owner.as_deref()) {
            let owner = self.policy.owner_named(name);
            if owner.status != OwnerStatus::Known {
                continue;
            }
            for email in owner.emails.iter().filter_map(|email| address(email).ok()) {
                let (_, names) =
                    all.entry(email.folded()).or_insert_with(|| (email.clone(), Vec::new()));
                names.extend(owner.names.iter().cloned());
            }
        }
        all.into_values()
            .filter(|(address, names)| weekly::concerns(document, Owner { address, names }))
            .collect()
    }

    /// Sends it to one who has not got it; in a dry run: what would be sent. `None` if another run
    /// sends it, or has sent it, just now.
    ///
    /// # Errors
    ///
    /// The state could not be written: nothing without a recorded intent is sent.
    pub(crate) async fn send(
        &self,
        to: &To,
        period: &Period,
        document: &AuditDocument,
        journal: &mut Journal,
    ) -> Result<Option<MailView>, Error> {
        let key = ReportKey { due: period.due, to: to.name() };
        let (parcel, subject, short) = match to {
            To::Channel(name) => {
                let parcel = self.courier.channel(name).map(|channel| {
                    let message = self.message(&key, Content::Report(document));
                    message.map(|message| Parcel::Channel(channel, message))
                });
                (parcel, "the weekly report".to_owned(), key_text("report", &key.to_string()))
            }
            To::Digest(_) | To::Owner(..) => {
                let mail = self.mail(to, document);
                let (subject, short) = match &mail {
                    Ok(mail) => (mail.subject.clone(), mail.key.to_string()),
                    Err(_) => (String::new(), key_text("report", &key.to_string())),
                };
                let parcel = |post| mail.map(|mail| Parcel::Mail(post, Box::new(mail)));
                (self.courier.post.map(parcel), subject, short)
            }
        };
        let outcome = match parcel {
            Some(parcel) if journal.lasts() => {
                let intent =
                    ReportIntent { from: period.from, until: period.until, whole: to.is_whole() };
                let record = |step| vec![Entry::Report { key: key.clone(), step }];
                self.courier.carry(journal, &record, intent, parcel).await?
            }
            _ => Some(Outcome::due()),
        };
        Ok(outcome.map(|Outcome { status, why }| MailView {
            to: to.name(),
            kind: MailKind::Report,
            subject,
            status,
            why,
            machines: Vec::new(),
            key: short,
        }))
    }

    fn message<'m>(&self, key: &ReportKey, content: Content<'m>) -> Result<Message<'m>, Unsent> {
        let key = courier::key("report", &key.to_string())?;
        Ok(Message { key, at: self.courier.clock.now(), content })
    }

    fn mail(&self, to: &To, document: &AuditDocument) -> Result<Mail, Unsent> {
        let fault = |error: &dyn std::fmt::Display| Unsent::Fault(error.to_string());
        let to_address = match to {
            To::Owner(owner, _) => owner.clone(),
            To::Digest(text) | To::Channel(text) => address(text)?,
        };
        Weekly {
            key: weekly::key(document, &to_address).map_err(|error| fault(&error))?,
            thread: weekly::thread(document, &to_address).map_err(|error| fault(&error))?,
            to: to_address.clone(),
            at: self.courier.clock.now(),
            zone: self.zone,
            contact: self.routing.fallback.as_deref(),
            link: self.reports.link.as_ref(),
            keep_tag: self.keep_tag,
            doc: document,
            reader: match to {
                To::Digest(_) | To::Channel(_) => Reader::Digest,
                To::Owner(_, names) => Reader::Owner(Owner { address: &to_address, names }),
            },
        }
        .mail()
        .map_err(|error| fault(&error))
    }
}

/// Tells a channel of one confirmed stop, if it was not told yet.
///
/// # Errors
///
/// The state could not be written.
pub(crate) async fn stop(
    courier: &Courier<'_>,
    name: &str,
    stop: &Stopped,
    shown: &StoppedView,
    journal: &mut Journal,
) -> Result<Option<MailView>, Error> {
    let key = StopKey { id: stop.id.clone(), at: stop.at, to: name.to_owned() };
    let told = journal.state().stop_told(&key);
    if told.is_some_and(|told| {
        !matches!(told.step, Step::Intended | Step::Rejected { permanent: false })
    }) {
        return Ok(None);
    }
    let text = key.to_string();
    let shown = std::slice::from_ref(shown);
    let parcel = courier.channel(name).map(|channel| {
        let key = courier::key("stops", &text)?;
        let message = Message { key, at: courier.clock.now(), content: Content::Stops(shown) };
        Ok(Parcel::Channel(channel, message))
    });
    let outcome = match parcel {
        Some(parcel) if journal.lasts() => {
            let record = |step| vec![Entry::StopTold { key: key.clone(), step }];
            courier.carry(journal, &record, (), parcel).await?
        }
        _ => Some(Outcome::due()),
    };
    Ok(outcome.map(|Outcome { status, why }| MailView {
        to: name.to_owned(),
        kind: MailKind::Stops,
        subject: format!("1 machine was {}", stop.verb.done()),
        status,
        why,
        machines: vec![stop.id.to_string()],
        key: key_text("stops", &text),
    }))
}
