//! Budget alerts on their way: composed, their intent recorded, sent, their answer recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reaper_budget::{
    Against, DueAlert, How, Past, Piece, Standing, ToldAlert, ahead, alert, amount, percent, scope,
};
use reaper_ledger::state::Step;
use reaper_ledger::{AlertIntent, AlertKey, Contradiction, Decision, Entry, Error, Sending, State};
use reaper_model::document::{
    AlertStatus, BillView, BudgetView, MailKind, MailStatus, MailView, Warning,
};
use reaper_model::{BudgetSpec, InstanceId, Money};
use reaper_notify::alert::{self as letter, Repeat, Row, Stop, Why};
use reaper_notify::{Alert, Delivery, Key, Mail, Post};
use rust_decimal::Decimal;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::assess::Assessed;
use crate::clock::Clock;
use crate::interrupt::Interrupt;
use crate::journal::Journal;
use crate::money::books::{Books, Proposed, period};
use crate::money::view::{self, Alerted};

/// What sending needs besides the budgets.
pub(crate) struct Desk<'a> {
    /// Delivers; `None` in a dry run, which shows what would be sent, and without a channel.
    pub(crate) post: Option<&'a dyn Post>,
    pub(crate) books: &'a Books,
    /// The machines of the run.
    pub(crate) machines: &'a BTreeMap<InstanceId, &'a Assessed>,
    pub(crate) proposed: &'a BTreeMap<InstanceId, Proposed>,
    pub(crate) bills: &'a [BillView],
    pub(crate) fallback: Option<&'a str>,
    /// Whether no earlier run has left word of what was told.
    pub(crate) no_history: bool,
    pub(crate) clock: Clock,
    /// Heeded before each mail.
    pub(crate) interrupt: &'a Interrupt,
    /// How long after that a mail on its way is waited for.
    pub(crate) grace: Duration,
    /// From then on no mail is begun.
    pub(crate) until: Instant,
}

/// What came of the alerts.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    pub(crate) mails: Vec<MailView>,
    /// One entry a budget, in their order.
    pub(crate) budgets: Vec<Alerted>,
    pub(crate) warnings: Vec<Warning>,
}

/// Sends what is due of every budget, until nothing new is: a recipient who is refused for good is
/// replaced by the fallback in the same run.
///
/// # Errors
///
/// The state could not be written: a mail without a recorded intent is not sent.
pub(crate) async fn send(
    desk: &Desk<'_>,
    standings: &[Standing],
    journal: &mut Journal,
) -> Result<Sent, Error> {
    let mut sent = Sent::default();
    for (spec, standing) in desk.books.budgets.iter().zip(standings) {
        if !desk.books.is_over() {
            desk.rearm(spec, standing, journal).await?;
        }
        let first = desk.due(spec, standing, journal.state());
        let mut alerted = Alerted { new: view::new(&first), status: AlertStatus::None };
        let mut tried = BTreeSet::new();
        let mut due = first;
        while !due.is_empty() {
            for alert in &due {
                let mail = desk.send(spec, standing, (alert, &alerted), journal).await?;
                if let Some(mail) = mail {
                    alerted.status = worse(alerted.status, mail.status);
                    sent.mails.push(mail);
                }
                tried.insert(key(alert));
            }
            due = desk.due(spec, standing, journal.state());
            due.retain(|alert| desk.post.is_some() && !tried.contains(&key(alert)));
        }
        sent.budgets.push(alerted);
    }
    if desk.no_history && !sent.mails.is_empty() {
        sent.warnings.push(Warning {
            code: "no-alert-history".to_owned(),
            text: "there is no history of alerts: what is alerted now may have been alerted before"
                .to_owned(),
            subject: None,
        });
    }
    if let Some(post) = desk.post.filter(|_| !sent.mails.is_empty()) {
        let ended = desk.interrupt.bear(desk.grace, post.end()).await;
        tracing::debug!(in_time = ended.is_some(), "the mail server was left");
    }
    Ok(sent)
}

impl Desk<'_> {
    /// Records that a forecast has fallen so far that reaching its threshold again is new.
    async fn rearm(
        &self,
        spec: &BudgetSpec,
        standing: &Standing,
        journal: &mut Journal,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        journal
            .append(now, |state| {
                let fallen = self.past(spec, state, |past| alert::fallen(spec, standing, past));
                let period = period(&self.books.month);
                let entries = fallen.into_iter().map(|threshold| Entry::Rearmed {
                    budget: spec.name.clone(),
                    period: period.clone(),
                    threshold,
                });
                let entries: Vec<Entry> = entries.collect();
                if entries.is_empty() { Decision::Leave(()) } else { Decision::Write(entries, ()) }
            })
            .await
    }

    fn due(&self, spec: &BudgetSpec, standing: &Standing, state: &State) -> Vec<DueAlert> {
        self.past(spec, state, |past| {
            if self.books.is_over() {
                alert::due_late(spec, standing, past)
            } else {
                alert::due(spec, standing, past)
            }
        })
    }

    fn past<T>(&self, spec: &BudgetSpec, state: &State, ask: impl FnOnce(&Past<'_>) -> T) -> T {
        let period = period(&self.books.month);
        let told: Vec<ToldAlert> = state.alerts().map(told).collect();
        let rearmed = spec.forecast.iter().filter_map(|threshold| {
            let threshold = percent::written(*threshold);
            let at = state.rearmed(&spec.name, &period, &threshold)?;
            Some((spec.name.clone(), threshold, at))
        });
        ask(&Past {
            period: &period,
            told: &told,
            rearmed: &rearmed.collect::<Vec<_>>(),
            fallback: self.fallback,
            zone: self.books.month.zone,
            now: self.clock.now(),
        })
    }

    /// `None` if another run sends it, or has sent it, just now.
    async fn send(
        &self,
        spec: &BudgetSpec,
        standing: &Standing,
        (due, alerted): (&DueAlert, &Alerted),
        journal: &mut Journal,
    ) -> Result<Option<MailView>, Error> {
        let shown = self.shown(spec, standing, (due, alerted), journal.state());
        let composed = self.compose(spec, &shown, due, journal.state());
        let mut view = MailView {
            to: due.to.clone(),
            kind: MailKind::Alert,
            subject: composed.as_ref().map_or_else(|_| String::new(), |mail| mail.subject.clone()),
            status: MailStatus::Due,
            why: None,
            machines: Vec::new(),
            key: message_key("alert", &key(due).to_string()),
        };
        let held = if self.post.is_none() && journal.lasts() {
            Some("not sent: no mail server is configured ([notify.email])")
        } else if self.interrupt.is_raised() {
            Some("not sent: the run was interrupted before it")
        } else if Instant::now() >= self.until {
            Some("not sent: the run's time for mails was over")
        } else {
            None
        };
        let Some(post) = self.post.filter(|_| held.is_none()) else {
            if let Some(why) = held.filter(|_| journal.lasts()) {
                view.status = MailStatus::Deferred;
                view.why = Some(why.to_owned());
            }
            return Ok(Some(view));
        };
        let intent = AlertIntent {
            covers: due.covers.clone(),
            percent: shown.percent,
            spent: shown.spent.all_digits(),
        };
        match self.record(due, Sending::Intended(intent), journal).await {
            Err(Error::Contradiction {
                source: Contradiction::InFlight { .. } | Contradiction::AlreadyAccepted(_),
                ..
            }) => return Ok(None),
            recorded => recorded?,
        }
        let delivery = match composed {
            Err(why) => {
                // A fault of ours says nothing of the recipient.
                let sending = Sending::Rejected { permanent: false, why: why.clone() };
                (MailStatus::Deferred, Some(why), sending)
            }
            Ok(mail) => {
                let posted = self.interrupt.bear(self.grace, post.post(&mail)).await;
                answer(posted.unwrap_or_else(|| Delivery::PossiblySent {
                    why: "the run was interrupted before the server's answer".to_owned(),
                }))
            }
        };
        let (status, why, sending) = delivery;
        match self.record(due, sending, journal).await {
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
        due: &DueAlert,
        step: Sending<AlertIntent>,
        journal: &mut Journal,
    ) -> Result<(), Error> {
        let entry = Entry::Alert { key: key(due), step };
        journal.append(self.clock.now(), |_| Decision::Write(vec![entry.clone()], ())).await
    }

    /// The budget as its alert shows it. Of a month that is over a bill may have told more than is
    /// known now: what was about to be told then stands, however often it is tried.
    fn shown(
        &self,
        spec: &BudgetSpec,
        standing: &Standing,
        (due, alerted): (&DueAlert, &Alerted),
        state: &State,
    ) -> BudgetView {
        let mut shown = view::budget(self.books, spec, standing, alerted);
        if let Some(intent) = state.alert(&key(due)).map(|message| &message.intent)
            && let Ok(amount) = intent.spent.parse::<Decimal>()
            && self.books.is_over()
            && amount > shown.spent.amount
        {
            shown.spent = Money { amount, ..shown.spent };
            shown.percent.clone_from(&intent.percent);
        }
        shown
    }

    /// The mail, or why there is none.
    fn compose(
        &self,
        spec: &BudgetSpec,
        shown: &BudgetView,
        due: &DueAlert,
        state: &State,
    ) -> Result<Mail, String> {
        let key = key(due);
        let AlertKey { budget, period, basis, threshold, limit, .. } = &key;
        let id = format!("{budget}/{period}/{basis}/{threshold}/{limit}");
        let pieces = self.books.pieces(state);
        let pieces: Vec<&Piece<'_>> = pieces
            .iter()
            .filter(|piece| scope::counts(&spec.scope, &piece.id.provider, piece.reading))
            .collect();
        let earlier = state.alert(&key).map(|message| &message.step);
        let words = spec.scope.to_string();
        let bills: Vec<BillView> = self
            .bills
            .iter()
            .filter(|bill| spec.scope.takes(&bill.provider, &bill.account))
            .cloned()
            .collect();
        Alert {
            key: parsed(&message_key("alert", &key.to_string()))?,
            thread: parsed(&message_key("budget", &format!("{budget}/{period}")))?,
            id: &id,
            to: due.to.parse().map_err(|error| format!("no mail address: {error}"))?,
            at: self.clock.now(),
            zone: self.books.month.zone,
            contact: self.fallback,
            budget: shown,
            scope: Some(words.as_str()),
            covers: &due.covers,
            against: match due.against {
                Against::Actual => letter::Against::Actual,
                Against::Forecast => letter::Against::Forecast,
            },
            why: match &due.instead_of {
                Some(refused) => Why::InsteadOf(refused),
                None if spec.recipients.is_empty() => Why::Fallback,
                None => Why::Recipient,
            },
            repeat: match earlier {
                Some(Step::Intended | Step::PossiblySent) => Some(Repeat::BrokenOff),
                _ if self.no_history => Some(Repeat::NoHistory),
                _ => None,
            },
            machines: &self.rows(spec, &pieces),
            stops: &self.stops(spec, &pieces),
            bills: &bills,
        }
        .mail()
        .map_err(|error| error.to_string())
    }

    /// The machines that count, dearest first.
    fn rows(&self, spec: &BudgetSpec, pieces: &[&Piece<'_>]) -> Vec<Row> {
        let month = &self.books.month;
        let now = self.books.now.min(month.end);
        let mut rows: BTreeMap<&InstanceId, Row> = BTreeMap::new();
        for piece in pieces {
            let amount = amount(piece, month.start, now, month.zone);
            if amount.is_nothing() {
                continue;
            }
            let reading = piece.reading;
            let row = rows.entry(piece.id).or_insert_with(|| Row {
                id: piece.id.clone(),
                account: reading.account.clone(),
                name: None,
                machine_type: reading.machine_type.clone(),
                owner: None,
                month_to_date: Some(Money { amount: Decimal::ZERO, ..spec.limit }),
                hourly: None,
                verdict: self.machines.get(piece.id).map(|machine| machine.judgement.verdict),
            });
            row.name.clone_from(&reading.name);
            row.owner = (!reading.owners.is_empty()).then(|| reading.owners.join(", "));
            let cost = amount.money.and_then(|money| self.convert(money, spec));
            row.month_to_date = match (row.month_to_date, cost) {
                (Some(sum), Some(cost)) => {
                    Some(Money { amount: sum.amount.saturating_add(cost.amount), ..sum })
                }
                _ => None,
            };
            let running = self.machines.get(piece.id).filter(|_| piece.open);
            row.hourly = running
                .and_then(|machine| machine.price.value())
                .and_then(|price| self.convert(price.hourly(), spec));
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.month_to_date.map(|money| money.amount)));
        rows
    }

    /// Stops that would lower the forecast, the largest saving first.
    fn stops(&self, spec: &BudgetSpec, pieces: &[&Piece<'_>]) -> Vec<Stop> {
        let month = &self.books.month;
        let open = pieces.iter().filter(|piece| piece.open);
        let mut stops: Vec<Stop> = open
            .filter_map(|piece| {
                let proposed = self.proposed.get(piece.id).filter(|stop| stop.at < month.end)?;
                let left = ahead(piece, month.end, month.zone).money;
                let still = ahead(piece, proposed.at, month.zone).money;
                let saves = left.zip(still).and_then(|(left, still)| {
                    let saved = Money { amount: left.amount - still.amount, ..left };
                    self.convert(saved, spec)
                });
                Some(Stop {
                    id: piece.id.clone(),
                    name: piece.reading.name.clone(),
                    verb: proposed.verb,
                    due: proposed.due,
                    saves,
                })
            })
            .collect();
        stops.sort_by_key(|stop| std::cmp::Reverse(stop.saves.map(|money| money.amount)));
        stops
    }

    fn convert(&self, money: Money, spec: &BudgetSpec) -> Option<Money> {
        self.books.exchange.convert_to(money, spec.limit.currency)
    }
}

fn key(due: &DueAlert) -> AlertKey {
    AlertKey {
        budget: due.budget.clone(),
        period: due.period.clone(),
        basis: due.against.name().to_owned(),
        threshold: due.threshold.clone(),
        limit: due.limit.clone(),
        to: due.to.clone(),
    }
}

/// `alert-0123456789abcdef`: the same in every run.
fn message_key(word: &str, text: &str) -> String {
    let mut head = [0_u8; 8];
    head.copy_from_slice(&Sha256::digest(text)[..8]);
    format!("{word}-{:016x}", u64::from_be_bytes(head))
}

fn parsed(key: &str) -> Result<Key, String> {
    key.parse().map_err(|error| format!("{error}"))
}

fn told((key, message): (&AlertKey, &reaper_ledger::Message<AlertIntent>)) -> ToldAlert {
    ToldAlert {
        budget: key.budget.clone(),
        period: key.period.clone(),
        against: key.basis.clone(),
        limit: key.limit.clone(),
        to: key.to.clone(),
        covers: message.intent.covers.clone(),
        how: match message.step {
            Step::Intended => How::Intended,
            Step::Accepted => How::Accepted(message.at),
            Step::Rejected { permanent } => How::Rejected { permanent },
            Step::PossiblySent => How::PossiblySent(message.at),
        },
    }
}

/// What a delivery comes to. Only a refusal of the recipient is final.
fn answer(delivery: Delivery) -> (MailStatus, Option<String>, Sending<AlertIntent>) {
    let permanent = delivery.recipient_is_unreachable();
    match delivery {
        Delivery::Accepted { .. } => (MailStatus::Accepted, None, Sending::Accepted),
        Delivery::PossiblySent { why } => {
            (MailStatus::PossiblySent, Some(why.clone()), Sending::PossiblySent { why })
        }
        Delivery::Rejected { why, .. } => {
            let status = if permanent { MailStatus::Rejected } else { MailStatus::Deferred };
            (status, Some(why.clone()), Sending::Rejected { permanent, why })
        }
    }
}

/// Of several mails the one that is furthest from having arrived tells.
fn worse(before: AlertStatus, mail: MailStatus) -> AlertStatus {
    let now = match mail {
        MailStatus::Accepted => AlertStatus::Sent,
        MailStatus::PossiblySent => AlertStatus::PossiblySent,
        MailStatus::Due | MailStatus::Deferred | MailStatus::Rejected => AlertStatus::Due,
    };
    let rank = |status| match status {
        AlertStatus::None => 0,
        AlertStatus::Sent => 1,
        AlertStatus::PossiblySent => 2,
        AlertStatus::Due => 3,
    };
    if rank(now) > rank(before) { now } else { before }
}
