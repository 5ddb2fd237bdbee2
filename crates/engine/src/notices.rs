//! Notices on their way: composed, their intent recorded, sent, their answer recorded.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;
use reaper_ledger::{Entry, Error, NoticeIntent, State};
use reaper_model::document::{MailKind, MailView, OwnerStatus, PurchaseView};
use reaper_model::{About, InstanceId, NoticeStep, Verb};
use reaper_notify::notice::{Fallback, Kind, Planned, Row, commands};
use reaper_notify::{Mail, Notice};
use reaper_plan::{DueNotice, Instead, Topic};

use crate::assess::Assessed;
use crate::courier::{Courier, Outcome, Parcel, Unsent, address};
use crate::journal::Journal;
use crate::machine_view::Layout;

/// How long the keep command in a mail suggests to keep a machine, in days.
const SUGGESTED_KEEP: u64 = 14;

/// What sending needs besides the notices.
pub struct Desk<'a> {
    /// Carries the mails; without a post nothing is sent, and what would be is shown.
    pub courier: Courier<'a>,
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
    desk.courier.end().await;
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
        let subject = composed.as_ref().map_or_else(|_| String::new(), |mail| mail.subject.clone());
        let outcome = match self.courier.post {
            None => Some(Outcome::due()),
            Some(post) => {
                let intent = NoticeIntent { to: notice.to.clone(), step: notice.step, about };
                let record = |step| vec![Entry::Notice { key: notice.key.clone(), step }];
                let parcel = composed.map(|mail| Parcel::Mail(post, Box::new(mail)));
                self.courier.carry(journal, &record, intent, parcel).await?
            }
        };
        Ok(outcome.map(|Outcome { status, why }| MailView {
            to: notice.to.clone(),
            kind: MailKind::Notice,
            subject,
            status,
            why,
            machines,
            key: notice.key.clone(),
        }))
    }

    /// The mail, or why there is none: an address from a tag that no mail can go to.
    fn compose(&self, notice: &DueNotice, again: bool) -> Result<Mail, Unsent> {
        let to = address(&notice.to)?;
        let key = notice.key.parse().map_err(|error| Unsent::Fault(format!("{error}")))?;
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
        .map_err(|error| Unsent::Fault(error.to_string()))?;
        Ok(Mail {
            key,
            to,
            at: self.courier.clock.now(),
            subject: rendered.subject,
            text: rendered.text,
            html: rendered.html,
            references: None,
            alert: None,
            list: None,
            images: Vec::new(),
            attachment: rendered.attachment,
            reduced: None,
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
                .map(|item| match item.per_month {
                    Some(price) => {
                        format!("{} {}: {price} a month", item.kind, item.id)
                    }
                    None => format!("{} {}", item.kind, item.id),
                })
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
        let from =
            due.unwrap_or_else(|| self.courier.clock.now()).with_timezone(&self.zone).date_naive();
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
