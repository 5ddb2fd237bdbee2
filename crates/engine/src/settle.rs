//! What earlier runs have left open: intents without a result, calls that were not seen to work.
//! Settled by what the provider shows now, never by calling again.

use std::collections::BTreeMap;

use reaper_ledger::{ActionStep, Entry, State};
use reaper_model::{ActionResult, Instance, InstanceId, Meter, State as MachineState, Verb};
use reaper_provider::{CallContext, ErrorKind, Identity, Provider, RequestCounter};

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
    /// Whether it is an intent without a result; else a result that was not seen to work.
    pub intent: bool,
}

/// All of them, in the order of the machines.
pub fn loose_ends(state: &State) -> Vec<Loose> {
    let of = |(id, machine): (&InstanceId, &reaper_ledger::state::Machine)| {
        if let Some(open) = &machine.open_action {
            let (rule, verb) = (open.rule.clone(), open.verb);
            return Some(Loose { id: id.clone(), rule, verb, intent: true });
        }
        let last = machine.unconfirmed()?;
        Some(Loose { id: id.clone(), rule: last.rule.clone(), verb: last.verb, intent: false })
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
            _ if loose.intent => vec![ended(
                ActionResult::Unconfirmed,
                "the run ended before the result was known; a later one found it up",
            )],
            _ => Vec::new(),
        },
    }
}

/// Reads those machines with a loose end that no listing showed, each alone.
pub async fn read_missing(
    loose: &[Loose],
    listed: impl Fn(&InstanceId) -> bool,
    accounts: &[(&dyn Provider, &Identity)],
    watch: &Watch,
    now: chrono::DateTime<chrono::Utc>,
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
