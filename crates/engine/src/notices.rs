//! Notices on their way: composed, their intent recorded, sent, their answer recorded.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;
use reaper_ledger::{Contradiction, Decision, Entry, Error, NoticeIntent, Sending, State};
use reaper_model::document::{MailKind, MailStatus, MailView, OwnerStatus, PurchaseView};
use reaper_model::{About, InstanceId, NoticeStep, Verb};
use reaper_notify::notice::{Fallback, Kind, Planned, Row, commands};
use reaper_notify::{Address, Delivery, Mail, Notice, Post};
use reaper_plan::{DueNotice, Instead, Topic};
use tokio::time::Instant;

use crate::assess::Assessed;
use crate::clock::Clock;
use crate::interrupt::Interrupt;
use crate::journal::Journal;
use crate::machine_view::Layout;

/// How long the keep command in a mail suggests to keep a machine, in days.
const SUGGESTED_KEEP: u64 = 14;

/// What sending needs besides the notices.
pub struct Desk<'a> {
    /// Delivers; `None` in a dry run, which shows what would be sent.
    pub post: Option<&'a dyn Post>,
    /// The machines of the run.
    pub machines: &'a BTreeMap<InstanceId, &'a Assessed>,
    /// What the rules' actions come to, where one could be done: for notices that announce nothing.
    pub ways: &'a BTreeMap<InstanceId, Result<Verb, String>>,
    /// Names of the clouds for people, by their name in the configuration.
    pub titles: &'a BTreeMap<String, String>,
    /// How machines are laid out.
    pub(crate) layout: Layout<'a>,
    /// Whom to ask.
    pub contact: Option<&'a str>,
    /// The key of the tag that protects.
    pub keep_tag: &'a str,
    /// The zone in which times are written.
    pub zone: Tz,
    /// The clock of the run.
    pub clock: Clock,
    /// Heeded before each mail.
    pub interrupt: &'a Interrupt,
    /// How long after that a mail on its way is waited for.
    pub grace: Duration,
    /// From then on no mail is begun: the rest of the run's time is for acting.
    pub until: Instant,
}

/// Sends the notices, one after the other.
///
/// # Errors
///
/// The state could not be written: a mail without a recorded intent is not sent.
pub async fn send(
    desk: &Desk<'_>,
    due: &[DueNotice],
    journal: &mut Journal,
) -> Result<Vec<MailView>, Error> {
    let mut views = Vec::new();
    for notice in due {
        views.extend(desk.send(notice, journal).await?);
    }
    if let Some(post) = desk.post {
        let ended = desk.interrupt.bear(desk.grace, post.end()).await;
        tracing::debug!(in_time = ended.is_some(), "the mail server was left");
    }
    Ok(views)
}

impl Desk<'_> {
    /// `None` if another run sends it, or has sent it, just now.
    async fn send(
        &self,
        notice: &DueNotice,
        journal: &mut Journal,
    ) -> Result<Option<MailView>, Error> {
        let about = notice.about();
        let mut machines: Vec<String> = about.iter().map(|about| about.id.to_string()).collect();
        machines.dedup();
        let composed = self.compose(notice, told_before(journal.state(), notice));
        let mut view = MailView {
            to: notice.to.clone(),
            kind: MailKind::Notice,
            subject: composed.as_ref().map_or_else(|_| String::new(), |mail| mail.subject.clone()),
            status: MailStatus::Due,
            why: None,
            machines,
            key: notice.key.clone(),
        };
        let Some(post) = self.post else { return Ok(Some(view)) };
        if self.interrupt.is_raised() {
            view.status = MailStatus::Deferred;
            view.why = Some("not sent: the run was interrupted before it".to_owned());
            return Ok(Some(view));
        }
        if Instant::now() >= self.until {
            view.status = MailStatus::Deferred;
            view.why = Some("not sent: the run's time for mails was over".to_owned());
            return Ok(Some(view));
        }
        let intent = NoticeIntent { to: notice.to.clone(), step: notice.step, about };
        match self.record(notice, Sending::Intended(intent), journal).await {
            Err(Error::Contradiction {
                source: Contradiction::InFlight { .. } | Contradiction::AlreadyAccepted(_),
                ..
            }) => return Ok(None),
            recorded => recorded?,
        }
        let (status, why, sending) = match composed {
            Err(why) => {
                let sending = Sending::Rejected { permanent: true, why: why.clone() };
                (MailStatus::Rejected, Some(why), sending)
            }
            Ok(mail) => {
                let posted = self.interrupt.bear(self.grace, post.post(&mail)).await;
                answer(posted.unwrap_or_else(|| Delivery::PossiblySent {
                    why: "the run was interrupted before the server's answer".to_owned(),
                }))
            }
        };
        match self.record(notice, sending, journal).await {
            // Another run, which took this one for dead, has sent it too and was answered first.
            Err(Error::Contradiction {
                source: Contradiction::AlreadyAccepted(_) | Contradiction::NotIntended(_),
                ..
            }) => {}
            recorded => recorded?,
        }
        view.status = status;
        view.why = why;
        Ok(Some(view))
    }

    async fn record(
        &self,
        notice: &DueNotice,
        step: Sending<NoticeIntent>,
        journal: &mut Journal,
    ) -> Result<(), Error> {
        let entry = Entry::Notice { key: notice.key.clone(), step };
        journal.append(self.clock.now(), |_| Decision::Write(vec![entry.clone()], ())).await
    }

    /// The mail, or why there is none: an address from a tag that no mail can go to.
    fn compose(&self, notice: &DueNotice, again: bool) -> Result<Mail, String> {
        let to: Address = notice.to.parse().map_err(|error| format!("no mail address: {error}"))?;
        let key = notice.key.parse().map_err(|error| format!("{error}"))?;
        let rendered = Notice {
            kind: match notice.step {
                NoticeStep::Contested => Kind::Contested,
                NoticeStep::Found | NoticeStep::Stop if again => Kind::Reminder,
                NoticeStep::Found => Kind::Found,
                NoticeStep::Stop => Kind::Stop,
            },
            zone: self.zone,
            contact: self.contact.map(str::to_owned),
            rows: self.rows(notice),
        }
        .render()
        .map_err(|error| error.to_string())?;
        Ok(Mail {
            key,
            to,
            at: self.clock.now(),
            subject: rendered.subject,
            text: rendered.text,
            html: rendered.html,
            references: None,
            alert: None,
            attachment: rendered.attachment,
        })
    }

    /// One row a machine, however many of its findings the notice tells of.
    fn rows(&self, notice: &DueNotice) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut topics: BTreeMap<&InstanceId, Vec<&Topic>> = BTreeMap::new();
        for topic in &notice.topics {
            topics.entry(&topic.about.id).or_default().push(topic);
        }
        for (id, topics) in topics {
            if let Some(machine) = self.machines.get(id) {
                rows.push(self.row(machine, &topics, notice.step));
            }
        }
        // Dearest first, as everywhere.
        rows.sort_by_key(|row| std::cmp::Reverse(row.per_month.map(|money| money.amount)));
        rows
    }

    fn row(&self, machine: &Assessed, topics: &[&Topic], step: NoticeStep) -> Row {
        let id = &machine.instance.id;
        let view = self.layout.machine(machine.clone());
        let due = topics.iter().filter_map(|topic| topic.about.due_at).min();
        // Of several announcements the gravest, from the first time on: less and later may follow.
        let verb = match step {
            NoticeStep::Stop => topics.iter().filter_map(|topic| topic.about.verb).max(),
            NoticeStep::Found | NoticeStep::Contested => {
                self.ways.get(id).and_then(|way| way.as_ref().ok()).copied()
            }
        };
        let mut reasons: Vec<String> =
            topics.iter().map(|topic| Self::reason(machine, &topic.about.rule)).collect();
        if let Some(Err(why)) = self.ways.get(id) {
            reasons.push(format!("only reported: {why}"));
        }
        let until = self.keep_until(due);
        Row {
            id: id.clone(),
            provider: self
                .titles
                .get(id.provider.as_str())
                .cloned()
                .unwrap_or_else(|| id.provider.to_string()),
            account: machine.account.clone(),
            name: view.name,
            machine_type: view.machine_type,
            gpu: view.gpu.map(|gpu| format!("{} × {}", gpu.count, gpu.model)),
            age: view.age_hours.map(|hours| in_days(&hours)),
            cost_so_far: view.cost.as_ref().and_then(|cost| cost.since_start),
            per_month: view.cost.as_ref().map(|cost| cost.per_month_if_left),
            reasons,
            planned: match (step, verb, due) {
                (NoticeStep::Stop, Some(Verb::Terminate), Some(due)) => Planned::Terminate { due },
                (NoticeStep::Stop, Some(Verb::Stop), Some(due)) => Planned::Stop { due },
                (NoticeStep::Found, Some(Verb::Terminate), _) => Planned::WouldTerminate,
                (NoticeStep::Found, Some(Verb::Stop), _) => Planned::WouldStop,
                _ => Planned::Report,
            },
            still_charged: view
                .action
                .still_charged
                .iter()
                .map(|item| format!("{} {}", item.kind, item.id))
                .collect(),
            losses: view.action.loses,
            hastened_by: hastened_by(topics),
            keep: commands::keep(id, self.keep_tag, until),
            // What is not stopped need not be started again.
            restart: verb.filter(|verb| *verb == Verb::Stop).and_then(|_| commands::restart(id)),
            scarce: view.purchase != PurchaseView::Monthly,
            owner: view.owner.id,
            fallback: topics.iter().find_map(|topic| topic.instead.as_ref()).and_then(because),
        }
    }

    fn reason(machine: &Assessed, rule: &str) -> String {
        let answer = machine.judgement.rules.iter().find(|answer| answer.rule == rule);
        match answer {
            Some(answer) => format!("{} (rule {rule})", answer.explanation),
            None if rule == reaper_plan::APPEARED_AFTER_STOP => {
                "it appeared under the same name after a machine was stopped".to_owned()
            }
            None => format!("rule {rule}"),
        }
    }

    /// A day that is surely after the action.
    fn keep_until(&self, due: Option<DateTime<Utc>>) -> chrono::NaiveDate {
        let from = due.unwrap_or_else(|| self.clock.now()).with_timezone(&self.zone).date_naive();
        from.checked_add_days(Days::new(SUGGESTED_KEEP)).unwrap_or(from)
    }
}

/// The budgets that end the period early when they are used up.
fn hastened_by(topics: &[&Topic]) -> Vec<String> {
    let names = topics.iter().flat_map(|topic| topic.about.hasten.iter().cloned());
    names.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// Whether the recipient was told all of it before, by a mail that was accepted and announced no
/// less.
fn told_before(state: &State, notice: &DueNotice) -> bool {
    let earlier = || {
        state.notices().map(|(_, message)| message).filter(|message| {
            message.accepted_at().is_some() && message.intent.to.eq_ignore_ascii_case(&notice.to)
        })
    };
    notice.topics.iter().all(|topic| {
        earlier().any(|message| {
            // What was merely found may have been told in a mail of another kind.
            let fits = message.intent.step == notice.step || topic.about.verb.is_none();
            fits && message.intent.about.iter().any(|earlier| {
                let About { id, rule, since, verb, data_loss, .. } = &topic.about;
                (&earlier.id, &earlier.rule, &earlier.since) == (id, rule, since)
                    && verb.is_none_or(|verb| earlier.announces(verb, *data_loss))
            })
        })
    })
}

/// What a delivery comes to in the report and in the log. Only a refusal of the recipient is final:
/// a server that cannot be used today says nothing about anybody.
fn answer(delivery: Delivery) -> (MailStatus, Option<String>, Sending<NoticeIntent>) {
    let final_for_recipient = delivery.recipient_is_unreachable();
    match delivery {
        Delivery::Accepted { .. } => (MailStatus::Accepted, None, Sending::Accepted),
        Delivery::PossiblySent { why } => {
            (MailStatus::PossiblySent, Some(why.clone()), Sending::PossiblySent { why })
        }
        Delivery::Rejected { why, .. } => {
            let status =
                if final_for_recipient { MailStatus::Rejected } else { MailStatus::Deferred };
            let sending = Sending::Rejected { permanent: final_for_recipient, why: why.clone() };
            (status, Some(why), sending)
        }
    }
}

fn because(instead: &Instead) -> Option<Fallback> {
    Some(match instead {
        Instead::Owner(OwnerStatus::Absent | OwnerStatus::Empty) => Fallback::Absent,
        Instead::Owner(OwnerStatus::Unreadable) => Fallback::Unreadable,
        Instead::Owner(OwnerStatus::Departed) => Fallback::Departed,
        Instead::Owner(OwnerStatus::Conflicting) => Fallback::Several,
        Instead::Owner(OwnerStatus::Unknown | OwnerStatus::Known) | Instead::NoAddress => {
            Fallback::NoAddress
        }
        Instead::OutsideDomains => Fallback::ForeignDomain,
        Instead::Rejected => Fallback::Refused,
        Instead::Contested => return None,
    })
}

/// `720.0` hours as `30d 0h`.
fn in_days(hours: &str) -> String {
    let whole: u64 = hours.split('.').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    if whole < 24 { format!("{hours} h") } else { format!("{}d {}h", whole / 24, whole % 24) }
}
