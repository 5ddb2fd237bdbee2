//! An EC2 instance into the model's nouns. A field that makes no sense spoils that field alone.

use aws_sdk_ec2::primitives::DateTime as RawTime;
use aws_sdk_ec2::types::{
    HibernationOptions, Instance as Raw, InstanceNetworkInterface, Tag as RawTag,
};
use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Utc};
use reaper_model::{
    Attachment, Fact, Ignorance, Instance, InstanceId, Location, MachineType, ProviderAccount,
    ProviderName, Source, State, StopKind, Tag, Tags,
};

use crate::classify;
use crate::stop::{self, Descent};
use crate::types::Hardware;

/// EC2 opened in this year: an older date is a filler.
const FIRST_YEAR: i32 = 2006;
/// How far ahead of us the provider's clock may be before a date counts as of the future.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(5);

/// Where and when a listing was made.
pub(crate) struct Place<'a> {
    /// The account that answered.
    pub(crate) account: &'a ProviderAccount,
    /// The region.
    pub(crate) location: &'a Location,
    /// The call.
    pub(crate) source: &'a Source,
    /// The run's clock (UTC).
    pub(crate) now: DateTime<Utc>,
}

/// Whether the listing brought no tag for a machine: left out, or left empty.
pub(crate) fn lacks_tags(raw: &Raw) -> bool {
    raw.tags().is_empty()
}

/// Whether the machine is gone, so that nothing further needs to be read of it.
pub(crate) fn is_ghost(raw: &Raw) -> bool {
    matches!(stop::state(state_word(raw), Descent::Plain).0, State::Ended)
}

/// Tags as they came.
pub(crate) fn tags(raw: &[RawTag]) -> Tags {
    Tags::new(
        raw.iter()
            .filter_map(|tag| Some(Tag::pair(tag.key()?, tag.value().unwrap_or_default())))
            .collect(),
    )
}

/// The machine, its tags and hardware having been read already.
pub(crate) fn instance(
    raw: &Raw,
    place: &Place<'_>,
    hardware: Hardware,
    tags: Fact<Tags>,
) -> Instance {
    let Place { source, now, .. } = *place;
    let mut unreadable = Vec::new();
    let word = state_word(raw);
    let descent = descent(raw, now);
    let (state, meter) = stop::state(word, descent);
    if state == State::Unknown {
        unreadable.push(format!("state `{word}`"));
    }
    let machine_type = raw.instance_type().map_or("", |kind| kind.as_str());
    if machine_type.is_empty() {
        unreadable.push("type".to_owned());
    }
    let running_since = time(raw.launch_time(), "launch time", place);
    if matches!(&running_since, Fact::Unknown(gap) if gap.kind == Ignorance::Unusable) {
        unreadable.push("launch time".to_owned());
    }
    let purchase = classify::purchase(raw);
    let manager = classify::manager(raw, &tags, source, now);
    let root_is_local =
        raw.root_device_type().is_some_and(|kind| kind.as_str() == "instance-store");
    let stop = stop::offer(&stop::Facts {
        state,
        descent,
        purchase: &purchase,
        manager: &manager,
        local: &hardware.local,
        root_is_local,
        borrowed_address: addresses(raw).any(|(_, own)| !own),
        scarce: scarce(machine_type),
    });
    Instance {
        id: InstanceId {
            provider: ProviderName::new("aws"),
            account: place.account.clone(),
            location: place.location.clone(),
            native: raw.instance_id().unwrap_or_default().to_owned(),
        },
        name: name(&tags),
        state,
        provider_state: word.to_owned(),
        meter,
        machine_type: MachineType::new(machine_type),
        gpu: hardware.gpu,
        purchase,
        created_at: created_at(raw, &running_since, place),
        running_since,
        stopped_at: stopped_at(raw, state, place),
        manager,
        guards: Fact::unknown(Ignorance::NotAsked, "its protection was not read"),
        local_storage: hardware.local,
        attached: attached(raw, stop.kind),
        stop,
        tags,
        unreadable,
    }
}

fn state_word(raw: &Raw) -> &str {
    raw.state().and_then(|state| state.name()).map_or("", |name| name.as_str())
}

/// The name that people gave it, which is a tag.
pub(crate) fn name(tags: &Fact<Tags>) -> Fact<String> {
    match tags {
        Fact::Known { value, source, as_of } => match value.exact("Name") {
            Some(name) if !name.is_empty() => Fact::known(name.to_owned(), source, *as_of),
            _ => Fact::absent(source),
        },
        Fact::Absent { source } => Fact::absent(source),
        Fact::Unknown(gap) => Fact::Unknown(gap.clone()),
    }
}

/// A date of EC2, if it can be one.
pub(crate) fn time(raw: Option<&RawTime>, what: &str, place: &Place<'_>) -> Fact<DateTime<Utc>> {
    let Some(raw) = raw else {
        return Fact::unknown(Ignorance::Unusable, format!("EC2 gave no {what}"));
    };
    let time = raw.to_millis().ok().and_then(DateTime::from_timestamp_millis);
    match time {
        Some(time) if sensible(time, place.now) => Fact::known(time, place.source, place.now),
        Some(time) => Fact::unknown(
            Ignorance::Unusable,
            format!("EC2 gave {} as {what}", time.format("%Y-%m-%d %H:%M UTC")),
        ),
        None => Fact::unknown(Ignorance::Unusable, format!("EC2 gave an impossible {what}")),
    }
}

/// Whether a date of EC2 can be one: neither a filler nor of the future.
pub(crate) fn sensible(time: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    time.year() >= FIRST_YEAR && time <= now + CLOCK_TOLERANCE
}

/// The first launch. EC2's launch time is that of the last start; the primary network interface is
/// attached at the first one and stays. Where the launch time makes no sense, neither is believed.
fn created_at(raw: &Raw, started: &Fact<DateTime<Utc>>, place: &Place<'_>) -> Fact<DateTime<Utc>> {
    let started = match started {
        Fact::Known { value, .. } => *value,
        other => return other.clone(),
    };
    let primary = raw
        .network_interfaces()
        .iter()
        .filter_map(InstanceNetworkInterface::attachment)
        .find(|attachment| attachment.device_index().unwrap_or(0) == 0);
    let Some(attached) = primary.and_then(|attachment| attachment.attach_time()) else {
        return Fact::unknown(
            Ignorance::NotOffered,
            "EC2 shows the last start only, and no network interface tells the first",
        );
    };
    match time(Some(attached), "attach time", place) {
        Fact::Known { value, source, as_of } => {
            Fact::Known { value: value.min(started), source, as_of }
        }
        other => other,
    }
}

/// The time of the last stop, which EC2 writes into the reason of the last transition, and not
/// always: a stop by an AWS service carries no date.
fn stopped_at(raw: &Raw, state: State, place: &Place<'_>) -> Fact<DateTime<Utc>> {
    if matches!(state, State::Pending | State::Running) {
        return Fact::unknown(
            Ignorance::NotOffered,
            "EC2 forgets the last stop when a machine starts",
        );
    }
    let reason = raw.state_transition_reason().unwrap_or_default();
    match dated(reason) {
        Some(time) if sensible(time, place.now) => Fact::known(time, place.source, place.now),
        Some(_) => Fact::unknown(Ignorance::Unusable, "EC2 dates the stop impossibly"),
        None => Fact::unknown(Ignorance::NotOffered, "EC2 gives no date of the stop"),
    }
}

/// How the machine goes down, should that be what it does. A transition without a date is taken for
/// one that goes well.
fn descent(raw: &Raw, now: DateTime<Utc>) -> Descent {
    let since = dated(raw.state_transition_reason().unwrap_or_default());
    let hibernates = raw.hibernation_options().and_then(HibernationOptions::configured);
    match since.filter(|since| since.year() >= FIRST_YEAR) {
        Some(since) if now - since > stop::LONGEST_STOP => Descent::Stuck(since),
        _ if hibernates == Some(true) => Descent::Hibernating,
        _ => Descent::Plain,
    }
}

/// The date in `User initiated (2021-10-04 14:13:33 GMT)`.
fn dated(reason: &str) -> Option<DateTime<Utc>> {
    let (_, rest) = reason.rsplit_once('(')?;
    let (time, _) = rest.split_once(')')?;
    let (time, zone) = time.rsplit_once(' ')?;
    let time = NaiveDateTime::parse_from_str(time, "%Y-%m-%d %H:%M:%S").ok()?;
    matches!(zone, "GMT" | "UTC").then(|| time.and_utc())
}

/// Public addresses, and whether each is an elastic one that belongs to an account.
fn addresses(raw: &Raw) -> impl Iterator<Item = (&str, bool)> {
    raw.network_interfaces().iter().filter_map(|interface| {
        let association = interface.association()?;
        let own = association.ip_owner_id().is_some_and(|owner| owner != "amazon");
        Some((association.public_ip()?, own))
    })
}

/// What stays charged: volumes and elastic addresses, and after a termination only those that do
/// not go down with the machine.
fn attached(raw: &Raw, kind: StopKind) -> Vec<Attachment> {
    let volumes = raw.block_device_mappings().iter().filter_map(|mapping| {
        let ebs = mapping.ebs()?;
        let stays = kind == StopKind::Deallocate || ebs.delete_on_termination() != Some(true);
        let id = ebs.volume_id().filter(|_| stays)?;
        Some(Attachment { kind: "volume", id: id.to_owned() })
    });
    let addresses = addresses(raw)
        .filter(|(_, own)| *own)
        .map(|(address, _)| Attachment { kind: "address", id: address.to_owned() });
    volumes.chain(addresses).collect()
}

/// Families for which EC2 often has no room: a stopped machine may not come back for long.
fn scarce(machine_type: &str) -> bool {
    ["p3dn", "p4", "p5", "p6", "trn", "dl"].iter().any(|family| machine_type.starts_with(family))
}

#[cfg(test)]
mod tests;
