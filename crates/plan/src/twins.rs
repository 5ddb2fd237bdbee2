//! Machines that appear after a stop: a twin that a controller started, or just the same name.

use chrono::{DateTime, Utc};
use reaper_model::{Instance, Looks, Meter, Span, fingerprint};

use crate::memory::RecentStop;
use crate::time::{after, stamp};

pub use reaper_policy::spec::APPEARED_AFTER_STOP;

/// A controller replaces what it lost within this time.
const REPLACED_WITHIN: Span = Span::from_secs(15 * 60);

/// What a machine looks like: what is recorded with its stop, and compared with later ones.
pub fn looks(instance: &Instance) -> Looks {
    Looks {
        name: instance.name.value().filter(|name| !name.trim().is_empty()).cloned(),
        machine_type: instance.machine_type.to_string(),
        tags: fingerprint::tags(&instance.tags),
    }
}

/// The last stop in the machine's account after which it appeared under the stopped one's name.
/// Where its creation is not known, the first sight counts.
pub(crate) fn appeared_after<'a>(
    stops: &'a [RecentStop],
    instance: &Instance,
    first_seen: DateTime<Utc>,
) -> Option<&'a RecentStop> {
    let name = looks(instance).name?;
    followed(stops, instance, first_seen)
        .filter(|stop| stop.looks.name.as_ref() == Some(&name))
        .max_by_key(|stop| stop.at)
}

/// Why a machine counts as a controller's replacement of one that was stopped: same name or none,
/// same type, same tags, and there within 15 minutes.
pub(crate) fn replaces(
    stops: &[RecentStop],
    instance: &Instance,
    first_seen: DateTime<Utc>,
) -> Option<String> {
    let looks = looks(instance);
    let born = born(instance, first_seen);
    followed(stops, instance, first_seen)
        .filter(|stop| stop.looks == looks && born <= after(stop.at, REPLACED_WITHIN))
        .max_by_key(|stop| stop.at)
        .map(|stop| {
            format!(
                "replaced by a controller: it looks like {}, which was stopped at {}, and appeared \
                 at {}; change what starts it instead",
                stop.id.native,
                stamp(stop.at),
                stamp(born),
            )
        })
}

/// The stops of other machines in its account that it came after.
fn followed<'a>(
    stops: &'a [RecentStop],
    instance: &Instance,
    first_seen: DateTime<Utc>,
) -> impl Iterator<Item = &'a RecentStop> {
    let id = instance.id.clone();
    let born = born(instance, first_seen);
    let there = instance.meter != Meter::Ended;
    stops.iter().filter(move |stop| {
        there
            && stop.id != id
            && (&stop.id.provider, &stop.id.account) == (&id.provider, &id.account)
            && born >= stop.at
    })
}

fn born(instance: &Instance, first_seen: DateTime<Utc>) -> DateTime<Utc> {
    instance.created_at.value().copied().unwrap_or(first_seen)
}
