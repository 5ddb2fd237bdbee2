//! Machines on their way to an end, and back: what a stop leaves of them, who takes their place,
//! and what a start makes of them.

use chrono::{DateTime, Utc};

use crate::act::{self, Stage, sibling};
use crate::aws::instance::{Instance, Ran};
use crate::aws::world::AwsWorld;
use crate::clock::{Clock, When};

/// Account, region and id.
pub(crate) type Key = (String, String, String);

/// Where a machine can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Stopped,
    Terminated,
}

impl act::End for End {
    type Word = &'static str;

    fn way(self) -> &'static [&'static str] {
        match self {
            Self::Stopped => &["stopping"],
            Self::Terminated => &["shutting-down"],
        }
    }
}

impl End {
    /// Whether a machine in this state is there already, or on its way.
    pub(crate) fn includes(self, state: &str) -> bool {
        match self {
            Self::Stopped => matches!(state, "stopping" | "stopped"),
            Self::Terminated => matches!(state, "shutting-down" | "terminated"),
        }
    }
}

impl AwsWorld {
    /// Machines that are under way come as far as the clock says.
    pub(crate) fn settle(&mut self, clock: &Clock) {
        for step in self.passages.advance(clock.now()) {
            let (account, region, id) = &step.key;
            let Some(machine) = self.instance_mut(account, region, id) else { continue };
            match step.stage {
                Stage::UnderWay(word) => (*word).clone_into(&mut machine.state),
                Stage::Over { at, twin } => {
                    let again = twin || machine.is_replaced_after(step.end);
                    machine.arrive(step.end);
                    let machine = machine.clone();
                    if again {
                        self.add_twin(machine, at);
                    }
                }
            }
        }
    }

    /// Somebody starts the machine of this id. Whether there is one that can be started.
    pub(crate) fn restart(&mut self, id: &str, clock: &Clock) -> bool {
        let Some((account, region, id)) = self.place_of(id) else { return false };
        self.passages.forget(&(account.clone(), region.clone(), id.clone()));
        let now = clock.now();
        let Some(machine) = self.instance_mut(&account, &region, &id) else { return false };
        if End::Terminated.includes(machine.state_at(clock)) {
            return false;
        }
        machine.created = machine.created.or(machine.launched);
        let charged = machine.charged(clock).into_iter();
        machine.ran = charged
            .map(|(from, until)| Ran { from: When::At(from), until: When::At(until) })
            .collect();
        machine.start(now);
        true
    }

    /// The machine of this id goes without a trace. Whether there was one.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let Some((account, region, id)) = self.place_of(id) else { return false };
        let Some(gone) = self.remove_instance(&account, &region, &id) else { return false };
        self.leave_volumes(&gone);
        true
    }

    fn place_of(&self, id: &str) -> Option<Key> {
        let machine = self.instances().find(|machine| machine.id == id)?;
        Some((machine.account.clone(), machine.region.clone(), machine.id.clone()))
    }

    /// A controller starts another machine like this one.
    fn add_twin(&mut self, mut machine: Instance, at: DateTime<Utc>) {
        let Some(machines) = self.machines_mut(&machine.account, &machine.region) else { return };
        machine.id = sibling(&machine.id, |id| machines.contains_key(id));
        for volume in &mut machine.volumes {
            volume.id = sibling(&volume.id, |_| false);
        }
        machine.created = Some(When::At(at));
        machine.ran.clear();
        machine.start(at);
        machines.insert(machine.id.clone(), machine);
    }
}

impl Instance {
    /// A persistent spot request that is still active launches again what was terminated under it.
    fn is_replaced_after(&self, end: End) -> bool {
        let persists =
            |spot: &crate::aws::Spot| spot.kind == "persistent" && spot.state == "active";
        end == End::Terminated && self.spot.as_ref().is_some_and(persists)
    }

    fn arrive(&mut self, end: End) {
        match end {
            End::Stopped => {
                "stopped".clone_into(&mut self.state);
                // It was lent by EC2 for the time it runs.
                self.public_ip = None;
                if let Some(spot) = &mut self.spot {
                    "disabled".clone_into(&mut spot.state);
                }
            }
            End::Terminated => {
                "terminated".clone_into(&mut self.state);
                self.volumes.retain(|volume| !volume.delete_on_termination);
            }
        }
    }

    fn start(&mut self, now: DateTime<Utc>) {
        "running".clone_into(&mut self.state);
        self.becomes.clear();
        self.launched = Some(When::At(now));
        self.transition_reason.clear();
        self.state_reason = None;
        if let Some(spot) = &mut self.spot {
            "active".clone_into(&mut spot.state);
        }
    }
}
