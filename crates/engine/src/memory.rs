//! The ledger's state as decisions remember it.

use reaper_ledger::State;
use reaper_ledger::state::{Machine, Step};
use reaper_plan::{How, Memory, PastAct, RecentStop, Remembered, Told};

/// Everything that decisions rest on of what earlier runs have recorded.
pub fn memory(state: &State) -> Memory {
    let machines = state.machines().map(|(id, machine)| (id.clone(), remembered(machine)));
    let notices = state.notices().map(|(key, message)| Told {
        key: key.to_owned(),
        to: message.intent.to.clone(),
        step: message.intent.step,
        about: message.intent.about.clone(),
        how: match message.step {
            Step::Intended => How::Intended,
            Step::Accepted => How::Accepted(message.at),
            Step::Rejected { permanent } => How::Rejected { permanent, at: message.at },
            Step::PossiblySent => How::PossiblySent(message.at),
        },
    });
    let stops = state.stops().iter().map(|stop| RecentStop {
        id: stop.id.clone(),
        at: stop.called,
        looks: stop.looks.clone(),
    });
    Memory { machines: machines.collect(), notices: notices.collect(), stops: stops.collect() }
}

fn remembered(machine: &Machine) -> Remembered {
    let acts = machine.actions.iter().map(|action| PastAct {
        verb: action.verb,
        rule: action.rule.clone(),
        at: action.at,
        result: action.result,
        ground: action.ground().unwrap_or_default().to_owned(),
    });
    Remembered {
        first_seen: machine.first_seen,
        cases: machine.cases.clone(),
        acts: acts.collect(),
        open_action: machine.open_action.as_ref().map(|action| action.intent.at),
    }
}
