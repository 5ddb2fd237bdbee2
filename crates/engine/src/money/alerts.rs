//! Budget alerts on their way: composed, their intent recorded, sent, their answer recorded.

use std::collections::{BTreeMap, BTreeSet};

use reaper_budget::{
    Against, DueAlert, How, Past, Piece, Standing, ToldAlert, ahead, alert, amount, percent, scope,
};
use reaper_ledger::state::Step;
use reaper_ledger::{AlertIntent, AlertKey, Decision, Entry, Error, State};
use reaper_model::document::{
    AlertStatus, BillView, BudgetView, MailKind, MailStatus, MailView, Warning,
};
use reaper_model::{BudgetSpec, InstanceId, Money};
use reaper_notify::alert::{self as letter, Repeat, Row, Stop, Why};
use reaper_notify::{Alert, Content, Mail, Message};
use rust_decimal::Decimal;

use crate::assess::Assessed;
use crate::courier::{self, Courier, Outcome, Parcel, Unsent, address, key_text};
use crate::journal::Journal;
use crate::money::books::{Books, Proposed, period};
use crate::money::view::{self, Alerted};

/// What sending needs besides the budgets.
pub(crate) struct Desk<'a> {
    /// Carries the messages.
    pub(crate) courier: Courier<'a>,
    /// The channels that alerts go to besides mail.
    pub(crate) channels: &'a [String],
    pub(crate) books: &'a Books,
    /// The machines of the run.
    pub(crate) machines: &'a BTreeMap<InstanceId, &'a Assessed>,
    pub(crate) proposed: &'a BTreeMap<InstanceId, Proposed>,
    pub(crate) bills: &'a [BillView],
    pub(crate) fallback: Option<&'a str>,
    /// Whether no earlier run has left word of what was told.
    pub(crate) no_history: bool,
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
            due.retain(|alert| journal.lasts() && !tried.contains(&key(alert)));
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
    if !sent.mails.is_empty() {
        desk.courier.end().await;
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
        let now = self.courier.clock.now();
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
            channels: self.channels,
            zone: self.books.month.zone,
            now: self.courier.clock.now(),
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
        let key = key(due);
        let mail = self.compose(spec, &shown, due, journal.state());
        let is_channel = self.channels.contains(&due.to);
        let channel = self.courier.channel(&due.to);
        let subject = match &mail {
            Ok(mail) => mail.subject.clone(),
            Err(_) if !is_channel => String::new(),
            Err(_) => format!("budget {}: {} reached", due.budget, due.covers.join(", ")),
        };
        let (id, covers) = (id(&key), covers(due));
        let parcel = match (channel, self.courier.post) {
            (Some(channel), _) => Some(
                self.message(&key, &shown, &covers, &id)
                    .map(|message| Parcel::Channel(channel, message)),
            ),
            (None, Some(post)) if !is_channel => {
                Some(mail.map(|mail| Parcel::Mail(post, Box::new(mail))))
            }
            (None, _) => None,
        };
        let outcome = match parcel {
            _ if !journal.lasts() => Some(Outcome::due()),
            None => {
                // Channels are there whenever something is sent.
                let why = "not sent: no mail server is configured ([notify.email])";
                Some(Outcome::deferred(why))
            }
            Some(parcel) => {
                let intent = AlertIntent {
                    covers: due.covers.clone(),
                    percent: shown.percent.clone(),
                    spent: shown.spent.all_digits(),
                };
                let record = |step| vec![Entry::Alert { key: key.clone(), step }];
                self.courier.carry(journal, &record, intent, parcel).await?
            }
        };
        Ok(outcome.map(|Outcome { status, why }| MailView {
            to: due.to.clone(),
            kind: MailKind::Alert,
            subject,
            status,
            why,
            machines: Vec::new(),
            key: key_text("alert", &key.to_string()),
        }))
    }

    /// What a channel is told.
    fn message<'m>(
        &self,
        key: &AlertKey,
        shown: &'m BudgetView,
        covers: &'m [String],
        id: &'m str,
    ) -> Result<Message<'m>, Unsent> {
        Ok(Message {
            key: courier::key("alert", &key.to_string())?,
            at: self.courier.clock.now(),
            content: Content::Alert { budget: shown, covers, id },
        })
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
    ) -> Result<Mail, Unsent> {
        let key = key(due);
        let AlertKey { budget, period, .. } = &key;
        let id = id(&key);
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
            key: courier::key("alert", &key.to_string())?,
            thread: courier::key("budget", &format!("{budget}/{period}"))?,
            id: &id,
            to: address(&due.to)?,
            at: self.courier.clock.now(),
            zone: self.books.month.zone,
            contact: self.fallback,
            budget: shown,
            scope: Some(words.as_str()),
            covers: &due.covers,
            against: against(due),
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
        .map_err(|error| Unsent::Fault(error.to_string()))
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

/// What is alerted of, the same for all recipients and all tries.
fn id(key: &AlertKey) -> String {
    let AlertKey { budget, period, basis, threshold, limit, .. } = key;
    format!("{budget}/{period}/{basis}/{threshold}/{limit}")
}

/// The thresholds as a channel is told of them.
fn covers(due: &DueAlert) -> Vec<String> {
    let word = if due.against == Against::Forecast { "forecast " } else { "" };
    due.covers.iter().map(|threshold| format!("{word}{threshold}")).collect()
}

fn against(due: &DueAlert) -> letter::Against {
    match due.against {
        Against::Actual => letter::Against::Actual,
        Against::Forecast => letter::Against::Forecast,
    }
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
