//! The one operation that changes something: terminate. There is no stop.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::act::{self, End as _, Outcome, Stage, sibling};
use crate::clock::{Clock, When};
use crate::lambda::answer::{self, Problem};
use crate::lambda::world::{Instance, LambdaWorld};

#[derive(Deserialize)]
struct Terminate {
    instance_ids: Vec<String>,
}

/// Where a machine can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terminated;

impl act::End for Terminated {
    type Word = &'static str;

    fn way(self) -> &'static [&'static str] {
        &["terminating"]
    }
}

/// The machines that a body names; none if it cannot be read.
pub(crate) fn named(body: &[u8]) -> Vec<String> {
    serde_json::from_slice(body).map_or_else(|_| Vec::new(), |it: Terminate| it.instance_ids)
}

/// Terminates all machines of the body or none.
pub(crate) fn terminate(
    world: &mut LambdaWorld,
    clock: &Clock,
    account: &str,
    body: &[u8],
) -> Result<Value, Problem> {
    let Terminate { instance_ids } = serde_json::from_slice(body).map_err(|_| Problem::INVALID)?;
    for id in &instance_ids {
        let own = |machine: &&mut Instance| machine.account == account;
        let machine = world.instance_mut(id).filter(own).ok_or(Problem::NO_OBJECT)?;
        if machine.act.outcome == Outcome::Gone {
            world.remove_instance(id);
            return Err(Problem::NO_OBJECT);
        }
        match machine.status() {
            "terminating" | "terminated" => return Err(Problem::UNKNOWN),
            _ if machine.reserved || machine.unavailable().is_some() => {
                return Err(Problem::CONFLICT);
            }
            _ => {}
        }
    }
    let mut shown = Vec::new();
    for id in &instance_ids {
        let Some(machine) = world.instance_mut(id) else { continue };
        let (act, before) = (machine.act, machine.status.clone());
        machine.status = Terminated.way().first().map(|word| (*word).to_owned());
        let terminating = machine.clone();
        if act.outcome == Outcome::Lie {
            machine.status = before;
        } else {
            world.passages.begin(id.clone(), Terminated, act, clock.now());
        }
        shown.push(answer::instance(world, &terminating));
    }
    Ok(json!({ "terminated_instances": shown }))
}

impl LambdaWorld {
    /// Machines that are under way come as far as the clock says.
    pub(crate) fn settle(&mut self, clock: &Clock) {
        for step in self.passages.advance(clock.now()) {
            let Stage::Over { at, twin } = step.stage else { continue };
            let Some(machine) = self.instance_mut(&step.key) else { continue };
            machine.status = Some("terminated".to_owned());
            let machine = machine.clone();
            if !machine.lingers {
                self.remove_instance(&step.key);
            }
            if twin {
                self.add_twin(machine, at);
            }
        }
    }

    /// Somebody restarts the machine of this id. Whether there is one; what is terminating or
    /// terminated cannot be.
    pub(crate) fn restart(&mut self, id: &str) -> bool {
        let Some(machine) = self.instance_mut(id) else { return false };
        if matches!(machine.status(), "terminating" | "terminated") {
            return false;
        }
        machine.status = None;
        true
    }

    /// A controller launches another machine like this one.
    fn add_twin(&mut self, machine: Instance, at: DateTime<Utc>) {
        let id = sibling(&machine.id, |id| self.has_instance(id));
        self.push(Instance { id, status: None, launched: Some(When::At(at)), ..machine });
    }
}
