//! Calls that act on a machine: `shelve`, which ends its bill, and `stop`, which does not. Both
//! answer nothing; the machine's status tells how far it is.

use chrono::{DateTime, Utc};
use http::StatusCode;
use serde_json::Value;

use crate::act::{self, End as _, Outcome, Stage, sibling};
use crate::clock::{Clock, When};
use crate::ovhcloud::answer::{Problem, denied, gone, refusal};
use crate::ovhcloud::instance::Instance;
use crate::ovhcloud::world::OvhWorld;

/// Where a machine can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Shelved,
    Off,
}

impl act::End for End {
    type Word = &'static str;

    fn way(self) -> &'static [&'static str] {
        match self {
            Self::Shelved => &["SHELVING", "SHELVED"],
            Self::Off => &["ACTIVE"],
        }
    }
}

impl End {
    /// Where the call of this name leads.
    pub(crate) fn of(call: &str) -> Option<Self> {
        match call {
            "shelve" => Some(Self::Shelved),
            "stop" => Some(Self::Off),
            _ => None,
        }
    }

    const fn call(self) -> &'static str {
        match self {
            Self::Shelved => "shelve",
            Self::Off => "stop",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Shelved => "SHELVED_OFFLOADED",
            Self::Off => "SHUTOFF",
        }
    }

    fn leaves_from(self, status: &str) -> bool {
        match self {
            Self::Shelved => {
                matches!(status, "ACTIVE" | "SHUTOFF" | "STOPPED" | "PAUSED" | "SUSPENDED")
            }
            Self::Off => status == "ACTIVE",
        }
    }
}

/// Sends a machine of a project that the caller may see on its way.
pub(crate) fn send(
    ovh: &mut OvhWorld,
    clock: &Clock,
    project: &str,
    id: &str,
    end: End,
) -> Result<Value, Problem> {
    let right = format!("instance/{}", end.call());
    if ovh.project(project).is_some_and(|project| project.denies(&right)) {
        return Err(denied(&right));
    }
    let machine =
        ovh.instance_mut(id).filter(|machine| machine.project == project).ok_or_else(gone)?;
    let act = machine.act;
    if act.outcome == Outcome::Gone {
        ovh.usage.ended(id, clock.now());
        ovh.remove_instance(id);
        return Err(gone());
    }
    if machine.locked {
        return Err(conflict(&format!("Instance {id} is locked")));
    }
    if !end.leaves_from(&machine.status) {
        let state = machine.status.to_lowercase();
        let call = end.call();
        return Err(conflict(&format!(
            "Cannot '{call}' instance {id} while it is in vm_state {state}"
        )));
    }
    if act.outcome != Outcome::Lie {
        if let Some(word) = end.way().first() {
            (*word).clone_into(&mut machine.status);
        }
        ovh.passages.begin(id.to_owned(), end, act, clock.now());
    }
    Ok(Value::Null)
}

fn conflict(words: &str) -> Problem {
    refusal(StatusCode::CONFLICT, "Client::Conflict", words)
}

impl OvhWorld {
    /// Machines that are under way come as far as the clock says.
    pub(crate) fn settle(&mut self, clock: &Clock) {
        // What was changed by hand since the last request.
        self.meter(clock);
        for step in self.passages.advance(clock.now()) {
            let Some(machine) = self.instance_mut(&step.key) else { continue };
            match step.stage {
                Stage::UnderWay(word) => (*word).clone_into(&mut machine.status),
                Stage::Over { at, twin } => {
                    step.end.word().clone_into(&mut machine.status);
                    let machine = machine.clone();
                    if !machine.is_billed() {
                        self.usage.ended(&machine.id, at);
                    }
                    if twin {
                        self.add_twin(machine, at);
                    }
                }
            }
        }
        self.meter(clock);
    }

    /// Somebody starts the machine of this id. Whether there is one. OVHcloud shows no start, so
    /// it is as old as before.
    pub(crate) fn restart(&mut self, id: &str) -> bool {
        self.passages.forget(id);
        let machine = self.instance_mut(id);
        machine.map(|machine| "ACTIVE".clone_into(&mut machine.status)).is_some()
    }

    /// A controller orders another machine like this one.
    fn add_twin(&mut self, machine: Instance, at: DateTime<Utc>) {
        let id = sibling(&machine.id, |id| self.has_instance(id));
        let twin = Instance { id, created: When::At(at), ..machine }.status("ACTIVE");
        self.push(twin);
    }
}
