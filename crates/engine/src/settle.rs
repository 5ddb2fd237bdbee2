//! What earlier runs have left open: intents without a result, calls that were not seen to work.
//! Settled by what the provider shows now, never by calling again.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_ledger::{ActionStep, Decision, Entry, Error, State};
use reaper_model::{ActionResult, Instance, InstanceId, Meter, State as MachineState, Verb};
use reaper_provider::{CallContext, ErrorKind, Identity, Provider, RequestCounter};

use crate::collect::{Account, Inventory};
use crate::journal::Journal;
use crate::watch::Watch;

/// An action of an earlier run whose end is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    /// The machine.
    pub id: InstanceId,
    /// On which ground.
    pub rule: String,
    /// What was to be done.
    pub verb: Verb,
    /// When it was intended (UTC): nothing was called before.
    pub called: DateTime<Utc>,
    /// The rules under which the machine has an open case.
    pub cases: Vec<String>,
}

/// All of them, in the order of the machines.
pub fn loose_ends(state: &State) -> Vec<Loose> {
    let of = |(id, machine): (&InstanceId, &reaper_ledger::state::Machine)| {
        let (rule, verb, called) = match (&machine.open_action, machine.unconfirmed()) {
            (Some(open), _) => (&open.rule, open.verb, open.intent.at),
            (None, Some(last)) => (&last.rule, last.verb, last.intent.as_ref()?.at),
            (None, None) => return None,
        };
        let cases = machine.cases.keys().cloned().collect();
        Some(Loose { id: id.clone(), rule: rule.clone(), verb, called, cases })
    };
    state.machines().filter_map(of).collect()
}

/// What the provider shows of a machine with a loose end.
#[derive(Debug)]
pub enum Shown<'a> {
    /// It was in a listing.
    Listed(&'a Instance),
    /// It is gone, as the provider says of it alone.
    Gone,
    /// Nothing that could be relied upon.
    Nothing,
}

/// What settles a loose end; empty when nothing does yet.
pub fn settled(loose: &Loose, shown: &Shown<'_>) -> Vec<Entry> {
    let ended = |result, why: &str| Entry::Action {
        id: loose.id.clone(),
        rule: loose.rule.clone(),
        verb: loose.verb,
        step: ActionStep::Ended { result, why: why.to_owned() },
    };
    match shown {
        Shown::Nothing => Vec::new(),
        Shown::Gone => vec![
            ended(ActionResult::Confirmed, "a later run found it gone"),
            Entry::NotFound { id: loose.id.clone() },
        ],
        Shown::Listed(machine) => match (machine.state, machine.meter) {
            (MachineState::Ended, Meter::Ended) => {
                vec![ended(ActionResult::Confirmed, "a later run found it ended")]
            }
            (MachineState::Stopped, Meter::StoppedFree) if loose.verb == Verb::Stop => {
                vec![ended(ActionResult::Confirmed, "a later run found it stopped")]
            }
            // On its way down: the bill may still run, and another call would not help.
            (MachineState::Stopping | MachineState::Ending | MachineState::Unknown, _) => {
                Vec::new()
            }
            // Up: what was called is not booked later on as if it had worked.
            _ => {
                // A start after the call shows that it was down in between: who appeared then has
                // taken its place.
                let started = machine.running_since.value();
                let again = started.is_some_and(|start| *start > loose.called);
                let mut entries = vec![if again {
                    ended(ActionResult::Confirmed, "a later run found it started again since")
                } else {
                    let why = format!("a later run found it {:?}", machine.provider_state);
                    ended(ActionResult::Refused, &why)
                }];
                // Perhaps it did work, and somebody has started the machine again. Unless the
                // provider shows that it was up all the time, whoever did so gets a new notice.
                let up_all_the_time = started.is_some_and(|start| *start <= loose.called);
                if !up_all_the_time {
                    entries.extend(loose.cases.iter().map(|rule| Entry::CaseChanged {
                        id: loose.id.clone(),
                        rule: rule.clone(),
                        case: None,
                    }));
                }
                entries
            }
        },
    }
}

/// Reads those machines with a loose end that no listing showed, each alone.
pub async fn read_missing(
    loose: &[Loose],
    listed: impl Fn(&InstanceId) -> bool,
    accounts: &[(&dyn Provider, &Identity)],
    watch: &Watch,
    now: DateTime<Utc>,
) -> BTreeMap<InstanceId, Option<Instance>> {
    let mut read = BTreeMap::new();
    for end in loose.iter().filter(|end| !listed(&end.id)) {
        let account = accounts.iter().find(|(provider, identity)| {
            provider.name() == end.id.provider && identity.account == end.id.account
        });
        let Some((provider, identity)) = account else { continue };
        let cx = CallContext { now, requests: RequestCounter::default() };
        let reading = provider.read(&cx, identity, &end.id);
        match watch.within("reading it again", reading).await.unwrap_or_else(Err) {
            Ok(machine) => {
                read.insert(end.id.clone(), Some(machine));
            }
            Err(error) if error.kind == ErrorKind::NotFound => {
                read.insert(end.id.clone(), None);
            }
            Err(error) => tracing::debug!(id = %end.id, %error, "not read again"),
        }
    }
    read
}

/// Ends what earlier runs have left open, by what the provider shows now.
///
/// # Errors
///
/// The state could not be written.
pub async fn settle(
    inventory: &Inventory,
    known: &[(Account, Identity)],
    watch: &Watch,
    now: DateTime<Utc>,
    journal: &mut Journal,
) -> Result<(), Error> {
    let loose = loose_ends(journal.state());
    if loose.is_empty() {
        return Ok(());
    }
    let listed: BTreeMap<&InstanceId, &Instance> = inventory
        .scopes
        .iter()
        .flat_map(|read| read.listing.got())
        .map(|machine| (&machine.id, machine))
        .collect();
    let accounts: Vec<(&dyn Provider, &Identity)> =
        known.iter().map(|(account, identity)| (account.provider.as_ref(), identity)).collect();
    let alone = read_missing(&loose, |id| listed.contains_key(id), &accounts, watch, now).await;
    for end in &loose {
        let shown = match (listed.get(&end.id), alone.get(&end.id)) {
            (Some(machine), _) => Shown::Listed(machine),
            (None, Some(Some(machine))) => Shown::Listed(machine),
            (None, Some(None)) => Shown::Gone,
            (None, None) => Shown::Nothing,
        };
        let entries = settled(end, &shown);
        journal.append(now, |_| Decision::Write(entries.clone(), ())).await?;
    }
    Ok(())
}
