//! The report to each recipient, and confirmed stops to channels, each once by the log.

use chrono::TimeDelta;
use chrono_tz::Tz;
use reaper_ledger::{Decision, Entry, Error, ReportIntent, ReportKey, StopKey, Stopped};
use reaper_model::AuditDocument;
use reaper_model::document::{MailKind, MailStatus, MailView, StoppedView};
use reaper_notify::weekly::{self, Owner, Reader, Weekly};
use reaper_notify::{Address, Content, Mail, Message};
use reaper_plan::Routing;

use crate::courier::{self, Courier, Outcome, Parcel, Unsent, address, key_text};
use crate::journal::Journal;
use crate::orders::{ChannelTopics, Reports};
use crate::weekly::period::{Period, is_due_to};

/// Stops that are older are told by the weekly report alone.
const STOPS_TOLD_FOR: TimeDelta = TimeDelta::days(3);

/// What sending needs besides the document.
pub(crate) struct Desk<'a> {
    pub(crate) courier: Courier<'a>,
    pub(crate) reports: &'a Reports,
    pub(crate) topics: &'a ChannelTopics,
    pub(crate) routing: &'a Routing,
    /// The key of the tag that protects.
    pub(crate) keep_tag: &'a str,
    pub(crate) zone: Tz,
}

/// Who gets what.
enum To {
    /// All of it, by mail.
    Digest(String),
    /// Their own rows, by mail.
    Owner(Address),
    /// All of it, to a channel.
    Channel(String),
}

impl To {
    fn name(&self) -> String {
        match self {
            Self::Digest(name) | Self::Channel(name) => name.clone(),
            Self::Owner(address) => address.to_string(),
        }
    }
}

/// Sends the report to everybody who gets one and has not got it. In a dry run: what would be sent.
///
/// # Errors
///
/// The state could not be written: nothing without a recorded intent is sent.
pub(crate) async fn report(
    desk: &Desk<'_>,
    period: &Period,
    document: &AuditDocument,
    journal: &mut Journal,
) -> Result<Vec<MailView>, Error> {
    let mut views = Vec::new();
    let recipients = desk.recipients(document);
    for to in &recipients {
        if is_due_to(journal.state(), period.due, &to.name()) {
            views.extend(desk.send(to, period, document, journal).await?);
        }
    }
    // Whoever could not even be tried is tried by the next run.
    let all_tried = recipients.iter().all(|to| {
        let key = ReportKey { due: period.due, to: to.name() };
        journal.state().report(&key).is_some()
    });
    if all_tried && journal.state().report_made() < Some(period.due) {
        let made = Entry::ReportMade { due: period.due };
        let now = desk.courier.clock.now();
        journal.append(now, |_| Decision::Write(vec![made.clone()], ())).await?;
    }
    if !views.is_empty() {
        desk.courier.end().await;
    }
    Ok(views)
}

impl Desk<'_> {
    /// Everybody who gets a report, none twice. An owner to whom this run has sent a notice has
    /// read the same there: one mail a run.
    fn recipients(&self, document: &AuditDocument) -> Vec<To> {
        let digests = self.reports.to.iter().cloned().map(To::Digest);
        let channels = self.topics.reports.iter().cloned().map(To::Channel);
        let noticed = |to: &str| {
            document.mails.iter().any(|mail| {
                let told = matches!(mail.status, MailStatus::Accepted | MailStatus::Due);
                mail.kind == MailKind::Notice && told && mail.to.eq_ignore_ascii_case(to)
            })
        };
        let gets_all = |to: &str| self.reports.to.iter().any(|all| all.eq_ignore_ascii_case(to));
        let owners = weekly::owners(document).into_iter().filter(|owner| {
            let to = owner.to_string();
            self.courier_can_mail() && self.routing.permits(&to) && !noticed(&to) && !gets_all(&to)
        });
        digests.chain(channels).chain(owners.map(To::Owner)).collect()
    }

    fn courier_can_mail(&self) -> bool {
        self.routing.can_mail
    }

    /// `None` if another run sends it, or has sent it, just now.
    async fn send(
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
            To::Digest(_) | To::Owner(_) => {
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
                let intent = ReportIntent {
                    from: period.from,
                    until: period.until,
                    whole: !matches!(to, To::Owner(_)),
                };
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
            To::Owner(owner) => owner.clone(),
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
                To::Owner(_) => Reader::Owner(Owner { address: &to_address, names: &[] }),
            },
        }
        .mail()
        .map_err(|error| fault(&error))
    }
}

/// Tells channels of confirmed stops that they were not told of yet, all in one message.
///
/// # Errors
///
/// The state could not be written.
pub(crate) async fn stops(
    courier: &Courier<'_>,
    channels: &[String],
    view: impl Fn(&Stopped) -> StoppedView,
    journal: &mut Journal,
) -> Result<Vec<MailView>, Error> {
    let mut views = Vec::new();
    for name in channels {
        let told = |stop: &Stopped| StopKey { id: stop.id.clone(), at: stop.at, to: name.clone() };
        let now = courier.clock.now();
        let stops: Vec<Stopped> = journal
            .state()
            .stops()
            .iter()
            .filter(|stop| now - stop.at <= STOPS_TOLD_FOR)
            .filter(|stop| is_untold(journal, &told(stop)))
            .cloned()
            .collect();
        if stops.is_empty() {
            continue;
        }
        let keys: Vec<StopKey> = stops.iter().map(told).collect();
        let text = keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let shown: Vec<StoppedView> = stops.iter().map(&view).collect();
        let parcel = courier.channel(name).map(|channel| {
            let key = courier::key("stops", &text)?;
            let message = Message { key, at: now, content: Content::Stops(&shown) };
            Ok(Parcel::Channel(channel, message))
        });
        let record = |step: reaper_ledger::Sending<()>| {
            let entry = |key: &StopKey| Entry::StopTold { key: key.clone(), step: step.clone() };
            keys.iter().map(entry).collect()
        };
        let outcome = match parcel {
            Some(parcel) if journal.lasts() => courier.carry(journal, &record, (), parcel).await?,
            _ => Some(Outcome::due()),
        };
        views.extend(outcome.map(|Outcome { status, why }| MailView {
            to: name.clone(),
            kind: MailKind::Stops,
            subject: match stops.len() {
                1 => "1 machine was stopped".to_owned(),
                count => format!("{count} machines were stopped"),
            },
            status,
            why,
            machines: stops.iter().map(|stop| stop.id.to_string()).collect(),
            key: key_text("stops", &text),
        }));
    }
    Ok(views)
}

fn is_untold(journal: &Journal, key: &StopKey) -> bool {
    use reaper_ledger::state::Step;
    journal.state().stop_told(key).is_none_or(|told| {
        matches!(told.step, Step::Intended | Step::Rejected { permanent: false })
    })
}
