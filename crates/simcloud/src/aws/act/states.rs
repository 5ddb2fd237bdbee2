//! `StopInstances` and `TerminateInstances`: all machines of a call or, after the first that
//! refuses, none.

use std::collections::BTreeSet;

use http::StatusCode;

use crate::act::{End as _, Outcome};
use crate::aws::act::order::Order;
use crate::aws::act::passage::End;
use crate::aws::error::AwsError;
use crate::aws::instance::{Instance, state_code};
use crate::aws::xml::Xml;

/// A machine's state before the call and after it.
struct Change {
    id: String,
    before: String,
    after: String,
}

/// Stops machines. Those that are stopping or stopped already are no error.
pub(crate) fn stop(order: &mut Order<'_>) -> Result<Xml, AwsError> {
    let ids = targets(order)?;
    for machine in order.machines(&ids)? {
        let state = machine.state_at(order.clock);
        stoppable(machine, state)?;
    }
    let changes = ids.into_iter().map(|id| send(order, id, End::Stopped)).collect();
    Ok(answer(order, changes))
}

/// Terminates machines. A protected one saves those in its own zone; the others go, and the call
/// fails all the same.
pub(crate) fn terminate(order: &mut Order<'_>) -> Result<Xml, AwsError> {
    let ids = targets(order)?;
    let machines = order.machines(&ids)?;
    let protected: BTreeSet<String> = machines
        .iter()
        .filter(|machine| machine.disable_api_termination || machine.disable_api_stop)
        .map(|machine| machine.zone())
        .collect();
    let refusal = machines.iter().find_map(|machine| {
        (machine.disable_api_termination || machine.disable_api_stop)
            .then(|| protection(machine, "terminated", "disableApiTermination"))
    });
    let going: Vec<String> = machines
        .iter()
        .filter(|machine| !protected.contains(&machine.zone()))
        .map(|machine| machine.id.clone())
        .collect();
    let changes = going.into_iter().map(|id| send(order, id, End::Terminated)).collect();
    match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(answer(order, changes)),
    }
}

/// The ids of machines that are there and that no service manages.
fn targets(order: &mut Order<'_>) -> Result<Vec<String>, AwsError> {
    let ids = order.ids("InstanceId")?;
    for id in &ids {
        let gone = order
            .aws
            .instance_mut(&order.account, &order.region, id)
            .is_some_and(|machine| machine.act.outcome == Outcome::Gone);
        if gone {
            order.aws.remove_instance(&order.account, &order.region, id);
        }
    }
    let machines = order.machines(&ids)?;
    if let Some(managed) = machines.iter().find(|machine| machine.operator.is_some()) {
        return Err(AwsError::new(
            StatusCode::FORBIDDEN,
            "UnauthorizedOperation",
            format!(
                "You are not authorized to perform this operation on {} with an explicit deny in a resource-based policy",
                managed.id
            ),
        ));
    }
    Ok(ids)
}

fn stoppable(machine: &Instance, state: &str) -> Result<(), AwsError> {
    let id = &machine.id;
    match state {
        "pending" => {
            return Err(AwsError::bad(
                "IncorrectInstanceState",
                format!(
                    "The instance '{id}' cannot be stopped as it has never reached the 'running' state"
                ),
            ));
        }
        "shutting-down" | "terminated" => {
            return Err(AwsError::bad(
                "IncorrectInstanceState",
                format!("This instance '{id}' is not in a state from which it can be stopped."),
            ));
        }
        _ => {}
    }
    if machine.disable_api_stop {
        return Err(protection(machine, "stopped", "disableApiStop"));
    }
    if machine.root_device != "ebs" {
        return Err(unsupported(format!(
            "The instance '{id}' does not have an 'ebs' root device type and cannot be stopped"
        )));
    }
    match &machine.spot {
        Some(spot) if spot.kind != "persistent" => Err(unsupported(format!(
            "You can't stop the Spot Instance '{id}' because it is associated with a one-time Spot Instance request. You can only stop Spot Instances associated with persistent Spot Instance requests."
        ))),
        Some(spot) if spot.launch_group.is_some() || spot.state == "cancelled" => {
            Err(unsupported(format!(
                "You can't stop the Spot Instance '{id}' because its Spot Instance request is part of a group or was cancelled."
            )))
        }
        _ => Ok(()),
    }
}

fn protection(machine: &Instance, done: &str, attribute: &str) -> AwsError {
    AwsError::bad(
        "OperationNotPermitted",
        format!(
            "The instance '{}' may not be {done}. Modify its '{attribute}' instance attribute and try again.",
            machine.id
        ),
    )
}

fn unsupported(message: String) -> AwsError {
    AwsError::bad("UnsupportedOperation", message)
}

/// Sends a machine on its way, unless it is there already or lies.
fn send(order: &mut Order<'_>, id: String, end: End) -> Change {
    let (clock, key) = (order.clock, order.key(&id));
    let Some(machine) = order.aws.instance_mut(&order.account, &order.region, &id) else {
        return Change { id, before: String::new(), after: String::new() };
    };
    let before = machine.state_at(clock).to_owned();
    if end.includes(&before) {
        return Change { id, after: before.clone(), before };
    }
    let after = end.way().first().copied().unwrap_or_default().to_owned();
    let act = machine.act;
    if act.outcome != Outcome::Lie {
        machine.state.clone_from(&after);
        machine.becomes.clear();
        let when = clock.now().format("%Y-%m-%d %H:%M:%S GMT");
        machine.transition_reason = format!("User initiated ({when})");
        machine.state_reason = Some("Client.UserInitiatedShutdown".to_owned());
        order.aws.passages.begin(key, end, act, clock.now());
    }
    Change { id, before, after }
}

fn answer(order: &Order<'_>, changes: Vec<Change>) -> Xml {
    order.answer(|xml| {
        xml.set("instancesSet", changes, |xml, change| {
            xml.leaf("instanceId", &change.id);
            for (name, word) in [("currentState", &change.after), ("previousState", &change.before)]
            {
                xml.node(name, |xml| {
                    xml.value("code", state_code(word));
                    xml.leaf("name", word);
                });
            }
        });
    })
}
