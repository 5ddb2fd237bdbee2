//! What people do to their machines, and what the weather does to the wires.

use chrono::{DateTime, TimeDelta, Timelike as _, Utc};
use reaper_simcloud::{Act, Effect, Fault, Outcome, World};

use crate::clouds;
use crate::dice::Dice;
use crate::fleet::{Cloud, Fleet, Keep, Machine, Owner, Stand};

/// Where people launch: seldom at AWS, whose machines need the most requests a run.
const CROWD: [Cloud; 7] = [
    Cloud::Aws,
    Cloud::Ovhcloud,
    Cloud::Scaleway,
    Cloud::Lambda,
    Cloud::Ovhcloud,
    Cloud::Scaleway,
    Cloud::Lambda,
];

/// A new machine, found by nobody yet.
pub(crate) fn launched(dice: &mut Dice, number: usize, now: DateTime<Utc>) -> Machine {
    let cloud = *dice.pick(&CROWD);
    let native = match cloud {
        Cloud::Aws => format!("i-{number:08x}00000000{}", number % 10),
        Cloud::Ovhcloud => format!("44444444-0000-4000-8000-{number:012x}"),
        Cloud::Scaleway => format!("33333333-0000-4000-8000-{number:012x}"),
        Cloud::Lambda => format!("{number:032x}"),
    };
    let (kind, _) = cloud.types()[usize::from(dice.chance(15))];
    let owner = *dice.pick(&Owner::ALL);
    let tagless = cloud == Cloud::Ovhcloud;
    Machine {
        cloud,
        native,
        job: format!("job-{number}"),
        kind,
        owner,
        keep: if dice.chance(8) && !tagless { Keep::Forever } else { Keep::No },
        expires: (dice.chance(25) && !tagless)
            .then(|| now + TimeDelta::days(1 + i64::try_from(dice.below(40)).unwrap_or(0))),
        project: dice.chance(60),
        managed: dice.chance(8) && cloud != Cloud::Lambda,
        guarded: false,
        blind: false,
        act: manners(dice, cloud),
        exempt: None,
        twin: None,
        started: now,
        edits: 0,
    }
}

/// How a machine takes being acted upon.
fn manners(dice: &mut Dice, cloud: Cloud) -> Act {
    match dice.below(100) {
        0..=54 => Act::default(),
        55..=79 => Act::reads(1 + u32::from(dice.chance(50))),
        80..=84 => Act::outcome(Outcome::Lie),
        85..=88 => Act::outcome(Outcome::Stuck),
        89..=92 => Act::outcome(Outcome::Gone),
        _ if cloud == Cloud::Aws => Act::outcome(Outcome::Twin),
        _ => Act::default(),
    }
}

/// Somebody starts a machine again.
pub(crate) fn restart(world: &mut World, machine: &mut Machine) -> bool {
    let restarted = world.restart(&machine.native);
    if restarted {
        machine.edits += 1;
        if machine.cloud.shows_starts() {
            machine.started = world.clock.now();
        }
    }
    restarted
}

/// Somebody does something to a machine that runs. In words.
pub(crate) fn edit(world: &mut World, fleet: &mut Fleet, native: &str, dice: &mut Dice) -> String {
    let now = world.clock.now();
    let Some(machine) = fleet.get_mut(native) else { return "nothing".to_owned() };
    let tagless = machine.cloud == Cloud::Ovhcloud;
    let done = match dice.below(if tagless { 4 } else { 12 }) {
        0 | 8 => {
            machine.owner = *dice.pick(&Owner::ALL);
            format!("now of {:?}", machine.owner)
        }
        1 => {
            clouds::switch_off(world, machine);
            "switched off from inside".to_owned()
        }
        2 => {
            machine.act = manners(dice, machine.cloud);
            format!("will take a stop as {:?}", machine.act)
        }
        3 if dice.chance(30) => {
            world.remove(&machine.native);
            "ended by its owner".to_owned()
        }
        4 | 9 => {
            let days = TimeDelta::days(i64::try_from(dice.below(12)).unwrap_or(0));
            machine.keep = match dice.below(3) {
                0 => Keep::Forever,
                1 => Keep::Until((now + days).date_naive()),
                _ => Keep::No,
            };
            format!("keep {:?}", machine.keep)
        }
        5 | 10 => {
            let hours = TimeDelta::hours(i64::try_from(dice.below(200)).unwrap_or(0));
            let at = (now + hours).with_nanosecond(0);
            machine.expires = at.filter(|_| dice.chance(75));
            format!("expires {:?}", machine.expires)
        }
        6 if machine.cloud != Cloud::Lambda => {
            machine.guarded = !machine.guarded && dice.chance(60);
            format!("guarded {}", machine.guarded)
        }
        7 => {
            machine.blind = !machine.blind && dice.chance(60);
            format!("blind {}", machine.blind)
        }
        _ => {
            machine.project = !machine.project;
            format!("project {}", machine.project)
        }
    };
    machine.edits += 1;
    clouds::write(world, machine);
    forbid(world, fleet, false);
    format!("{native} {done}")
}

/// Whether our keys may not stop machines today. Where AWS withholds tags, they cannot be asked for
/// either.
pub(crate) fn forbid(world: &mut World, fleet: &Fleet, stops: bool) {
    let blind = fleet.values().any(|machine| machine.blind && machine.cloud == Cloud::Aws);
    clouds::forbid(world, stops, blind);
}

/// The machines that stand like this.
pub(crate) fn standing(world: &mut World, fleet: &Fleet, stand: Stand) -> Vec<String> {
    fleet
        .values()
        .filter(|machine| clouds::stand(world, machine) == stand)
        .map(|machine| machine.native.clone())
        .collect()
}

/// Something goes wrong at one provider.
pub(crate) fn weather(dice: &mut Dice) -> Fault {
    let cloud = *dice.pick(&Cloud::ALL);
    let effect = match dice.below(7) {
        0 => Effect::Throttle { retry_after: Some(1) },
        1 => Effect::Answer {
            status: 503,
            body: "<html>busy</html>".to_owned(),
            content_type: "text/html".to_owned(),
        },
        2 => Effect::Masked {
            status: 502,
            body: "<html>bad gateway</html>".to_owned(),
            content_type: "text/html".to_owned(),
        },
        3 => Effect::Hangup,
        4 => Effect::Dropped,
        5 => Effect::Cut,
        _ => Effect::ContentType("text/html".to_owned()),
    };
    let fault = Fault::always(effect).of_provider(cloud.name());
    if dice.chance(50) {
        let call = match cloud {
            Cloud::Aws => "StopInstances",
            Cloud::Ovhcloud => "shelve",
            Cloud::Scaleway => "poweroff",
            Cloud::Lambda => "terminate",
        };
        return fault.at(call).first(1 + u64::from(dice.chance(30)));
    }
    fault.nth(1 + dice.below(12) as u64)
}
