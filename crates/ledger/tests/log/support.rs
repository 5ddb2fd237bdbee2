//! What the tests stand on: names, a clock that is set, short ways to entries.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_ledger::{
    About, ActionResult, ActionStep, Decision, Entry, Error, Ledger, Looks, NoticeIntent,
    NoticeStep, Opening, Place, Sending, State, Store, Verb, Writer,
};
use reaper_model::outcome::Class;
use reaper_model::{Billed, InstanceId, Noted, Reading, Unit};

/// Hour zero of all tests.
pub(crate) fn hour(hours: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::hours(hours)
}

pub(crate) fn day(days: i64) -> DateTime<Utc> {
    hour(24 * days)
}

pub(crate) fn place(account: &str) -> Place {
    Place { provider: "aws".into(), account: account.into(), location: "eu-west-1".into() }
}

pub(crate) fn machine(native: &str) -> InstanceId {
    place("111122223333").machine(native)
}

pub(crate) async fn open(store: &Store, run: &str) -> Ledger {
    Ledger::open(store.clone(), Writer::new(run), Opening::OrNew).await.expect("opens")
}

/// Records entries that do not depend on the state.
pub(crate) async fn record(
    ledger: &mut Ledger,
    at: DateTime<Utc>,
    entries: Vec<Entry>,
) -> Result<(), Error> {
    ledger.append(at, |_| Decision::Write(entries.clone(), ())).await
}

/// Records a complete listing of the first account.
pub(crate) async fn list(ledger: &mut Ledger, at: DateTime<Utc>, seen: &[&str]) {
    list_at(ledger, at, &place("111122223333"), true, seen).await;
}

pub(crate) async fn list_at(
    ledger: &mut Ledger,
    at: DateTime<Utc>,
    place: &Place,
    complete: bool,
    seen: &[&str],
) {
    let sight = |state: &reaper_ledger::State| {
        Decision::Write(vec![state.sight(place, complete, seen.iter().copied())], ())
    };
    ledger.append(at, sight).await.expect("recorded");
}

/// Records a look at the first account: its listing, and what the machines read.
pub(crate) async fn look(
    ledger: &mut Ledger,
    at: DateTime<Utc>,
    complete: bool,
    seen: &[(&str, &Reading)],
) {
    let look = |state: &State| {
        let natives = seen.iter().map(|(native, _)| *native);
        let listing = state.sight(&place("111122223333"), complete, natives);
        let read: Vec<_> =
            seen.iter().map(|&(native, reading)| (machine(native), reading.clone())).collect();
        let readings = state.meter_entries(at, &read);
        Decision::Write(std::iter::once(listing).chain(readings).collect(), ())
    };
    ledger.append(at, look).await.expect("recorded");
}

/// A machine that runs since hour zero at a price per hour.
pub(crate) fn reading(price: &str) -> Reading {
    Reading {
        billed: Billed::Since(Some(hour(0))),
        price: Some(Noted { money: price.parse().expect("money"), unit: Unit::Hour }),
        committed: false,
        uncertain: false,
        blind: false,
        account: "research".into(),
        machine_type: "p4d.24xlarge".into(),
        name: Some("notebook".to_owned()),
        owners: vec!["alice".to_owned()],
        team: None,
        tags: [("project".to_owned(), "atlas".to_owned())].into(),
    }
}

pub(crate) fn notice(key: &str, step: Sending<NoticeIntent>) -> Entry {
    Entry::Notice { key: key.to_owned(), step }
}

pub(crate) fn to_owner(native: &str) -> Sending<NoticeIntent> {
    let (id, rule) = (machine(native), "ownerless".to_owned());
    let (due_at, verb) = (Some(day(3)), Some(Verb::Stop));
    let about =
        vec![About { id, rule, since: day(0), due_at, verb, data_loss: false, hasten: Vec::new() }];
    let to = "alice@example.org".to_owned();
    Sending::Intended(NoticeIntent { to, step: NoticeStep::Stop, about })
}

pub(crate) fn intend(native: &str) -> Entry {
    let (plan, ground) = ("sha256:plan".to_owned(), "sha256:ground".to_owned());
    action(native, ActionStep::Intended { plan, ground, looks: looks() })
}

pub(crate) fn looks() -> Looks {
    Looks {
        name: Some("notebook".to_owned()),
        machine_type: "p4d.24xlarge".to_owned(),
        tags: "[]".to_owned(),
    }
}

pub(crate) fn ended(native: &str, result: ActionResult) -> Entry {
    action(native, ActionStep::Ended { result, why: "as tested".to_owned() })
}

fn action(native: &str, step: ActionStep) -> Entry {
    let rule = "ownerless".to_owned();
    Entry::Action { id: machine(native), rule, verb: Verb::Stop, step }
}

/// An entry that tells itself apart from all others.
pub(crate) fn mark(text: impl Into<String>) -> Entry {
    notice(
        &text.into(),
        Sending::Intended(NoticeIntent {
            to: "ops@example.org".to_owned(),
            step: NoticeStep::Found,
            about: Vec::new(),
        }),
    )
}

pub(crate) fn run_ended() -> Entry {
    Entry::RunEnded { classes: vec![Class::Clean], complete: true, interrupted: false }
}
