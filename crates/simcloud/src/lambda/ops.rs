//! The one operation that changes something: terminate. There is no stop.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::lambda::answer::{self, Problem};
use crate::lambda::world::LambdaWorld;

#[derive(Deserialize)]
struct Terminate {
    instance_ids: Vec<String>,
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
        let machine = world.machines(account, clock).find(|machine| machine.id == *id);
        match machine.ok_or(Problem::NO_OBJECT)?.status() {
            "terminating" | "terminated" => return Err(Problem::UNKNOWN),
            _ => {}
        }
    }
    for id in &instance_ids {
        if let Some(machine) = world.instance_mut(id) {
            machine.terminate(clock.now());
        }
    }
    let terminated: Vec<Value> = world
        .machines(account, clock)
        .filter(|machine| instance_ids.contains(&machine.id))
        .map(|machine| answer::instance(world, machine))
        .collect();
    Ok(json!({ "terminated_instances": terminated }))
}
