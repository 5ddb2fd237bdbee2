//! A server into the model's nouns. A field that makes no sense spoils that field alone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use reaper_http::Lenient;
use reaper_model::{
    Attachment, Fact, Gpu, Guard, Ignorance, Instance, InstanceId, LocalStorage, Location,
    MachineType, ProviderAccount, ProviderName, Purchase, Source, State,
};

use crate::groups;
use crate::stop;
use crate::tags;
use crate::wire::{PublicIp, Server, Volume};

/// Scaleway's cloud opened in this year: an older date is a filler.
pub(crate) const FIRST_YEAR: i32 = 2014;
/// How far ahead of us the provider's clock may be before a date counts as of the future.
pub(crate) const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// The kind of volume that lives inside the machine and dies with a power-off.
const SCRATCH: &str = "scratch";

/// Where and when a listing was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The organisation.
    pub(crate) organisation: &'a ProviderAccount,
    /// The zone.
    pub(crate) zone: &'a Location,
    /// The call.
    pub(crate) source: &'a Source,
    /// The run's clock (UTC).
    pub(crate) now: DateTime<Utc>,
}

/// The server, its id and accelerators having been read already.
pub(crate) fn instance(server: Server, id: String, gpu: Fact<Gpu>, place: Place<'_>) -> Instance {
    let Place { source, now, .. } = place;
    let mut unreadable = Vec::new();
    let word = required(server.state, "state", &mut unreadable);
    let detail = server.state_detail.take("state_detail", &mut unreadable).unwrap_or_default();
    let (state, meter) = stop::state(&word, &detail);
    let machine_type = required(server.commercial_type, "commercial_type", &mut unreadable);
    let tags = tags::read(server.tags, source, now, &mut unreadable);
    let manager = match tags::manager(&tags, source, now) {
        Fact::Absent { .. } if meter.may_be_billed() => groups::not_read(),
        manager => manager,
    };
    let guards = guards(server.protected, place, &mut unreadable);
    let volumes = volumes(server.volumes, &mut unreadable);
    let local_storage = local_storage(volumes.as_deref(), place);
    let addresses = addresses(server.public_ip, server.public_ips, &mut unreadable);
    let allowed = server.allowed_actions.take("allowed_actions", &mut unreadable);
    let boot = server.boot_type.take("boot_type", &mut unreadable);
    let stop = stop::offer(&stop::Facts {
        state,
        meter,
        manager: &manager,
        guards: &guards,
        local: &local_storage,
        borrowed_address: addresses.iter().any(is_dynamic),
        in_rescue: boot.is_some_and(|boot| boot == "rescue"),
        allowed: allowed.as_deref(),
    });
    Instance {
        id: InstanceId {
            provider: ProviderName::new("scaleway"),
            account: place.organisation.clone(),
            location: place.zone.clone(),
            native: id,
        },
        name: name(server.name, place, &mut unreadable),
        state,
        provider_state: word,
        meter,
        machine_type: MachineType::new(machine_type),
        gpu,
        purchase: Purchase::OnDemand,
        created_at: created_at(server.creation_date, place, &mut unreadable),
        running_since: Fact::unknown(
            Ignorance::NotOffered,
            "Scaleway shows when a server was made, not when it was last started",
        ),
        stopped_at: stopped_at(state),
        tags,
        manager,
        guards,
        attached: attached(volumes.as_deref().unwrap_or_default(), &addresses),
        local_storage,
        stop,
        unreadable,
    }
}

/// A text that every server has; what is missing is noted.
fn required(field: Lenient<String>, name: &str, unreadable: &mut Vec<String>) -> String {
    let missing = matches!(field, Lenient::Missing);
    let text = field.take(name, unreadable).unwrap_or_default();
    if missing {
        unreadable.push(format!("{name} is missing"));
    }
    text
}

fn name(name: Lenient<String>, place: Place<'_>, unreadable: &mut Vec<String>) -> Fact<String> {
    if name.is_bad() {
        name.take("name", unreadable);
        return Fact::unknown(Ignorance::Unusable, "its name cannot be read");
    }
    match name.take("name", unreadable).filter(|name| !name.is_empty()) {
        Some(name) => Fact::known(name, place.source, place.now),
        None => Fact::absent(place.source),
    }
}

/// Power-off, standby, reboot and termination of a protected server are refused.
fn guards(
    protected: Lenient<bool>,
    place: Place<'_>,
    unreadable: &mut Vec<String>,
) -> Fact<Vec<Guard>> {
    match protected.take("protected", unreadable) {
        Some(true) => Fact::known(vec![Guard::Stop, Guard::Terminate], place.source, place.now),
        Some(false) => Fact::absent(place.source),
        None => Fact::unknown(
            Ignorance::Unusable,
            "Scaleway does not say whether the server is protected",
        ),
    }
}

fn created_at(
    date: Lenient<String>,
    place: Place<'_>,
    unreadable: &mut Vec<String>,
) -> Fact<DateTime<Utc>> {
    let Some(text) = date.take("creation_date", unreadable) else {
        return Fact::unknown(Ignorance::Unusable, "Scaleway gave no readable creation date");
    };
    let sensible =
        |time: &DateTime<Utc>| time.year() >= FIRST_YEAR && *time <= place.now + CLOCK_TOLERANCE;
    if let Some(time) = time(&text).filter(sensible) {
        return Fact::known(time, place.source, place.now);
    }
    unreadable.push("creation_date makes no sense".to_owned());
    Fact::unknown(Ignorance::Unusable, "Scaleway gave an impossible creation date")
}

/// A time as Scaleway writes it: RFC 3339, with `Z` or `+00:00`.
pub(crate) fn time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
}

fn stopped_at(state: State) -> Fact<DateTime<Utc>> {
    let why = match state {
        State::Stopped => "Scaleway gives no date of the stop",
        _ => "Scaleway keeps no date of an earlier stop",
    };
    Fact::unknown(Ignorance::NotOffered, why)
}

/// The volumes; `None` when one of them cannot be read, for it may be a scratch volume.
fn volumes(
    volumes: Lenient<BTreeMap<String, Lenient<Volume>>>,
    unreadable: &mut Vec<String>,
) -> Option<Vec<Volume>> {
    let volumes = volumes.take("volumes", unreadable)?;
    volumes.into_values().map(|volume| volume.take("volumes", unreadable)).collect()
}

fn local_storage(volumes: Option<&[Volume]>, place: Place<'_>) -> Fact<LocalStorage> {
    const GB: u64 = 1_000_000_000;
    let unread = || Fact::unknown(Ignorance::Unusable, "its volumes cannot be read");
    let Some(volumes) = volumes else { return unread() };
    if volumes.iter().any(|volume| volume.kind.good().is_none()) {
        return unread();
    }
    let kind = |volume: &&Volume| volume.kind.good().is_some_and(|kind| kind == SCRATCH);
    let sizes: Vec<Option<u64>> =
        volumes.iter().filter(kind).map(|volume| volume.size.good().copied()).collect();
    if sizes.is_empty() {
        return Fact::absent(place.source);
    }
    let gb = sizes.into_iter().sum::<Option<u64>>().map(|bytes| bytes / GB);
    Fact::known(LocalStorage { gb }, place.source, place.now)
}

/// Every public address once; older servers show one of them a second time on its own.
fn addresses(
    single: Lenient<PublicIp>,
    all: Lenient<Vec<Lenient<PublicIp>>>,
    unreadable: &mut Vec<String>,
) -> Vec<PublicIp> {
    let all = all.take("public_ips", unreadable).unwrap_or_default();
    let mut seen = BTreeSet::new();
    all.into_iter()
        .chain([single])
        .filter_map(|address| address.take("public_ip", unreadable))
        .filter(|address| seen.insert(address.id.good().cloned()))
        .collect()
}

/// Whether an address was lent for as long as the server is on.
fn is_dynamic(address: &PublicIp) -> bool {
    address.dynamic.good() == Some(&true)
}

/// What stays charged after a power-off: volumes that are not erased, and flexible addresses. IPv6
/// is free.
fn attached(volumes: &[Volume], addresses: &[PublicIp]) -> Vec<Attachment> {
    let stays = |volume: &&Volume| volume.kind.good().is_none_or(|kind| kind != SCRATCH);
    let volumes = volumes
        .iter()
        .filter(stays)
        .filter_map(|volume| Some(Attachment { kind: "volume", id: volume.id.good()?.clone() }));
    let charged = |address: &&PublicIp| {
        !is_dynamic(address) && address.family.good().is_none_or(|family| family != "inet6")
    };
    let addresses = addresses
        .iter()
        .filter(charged)
        .filter_map(|address| Some(Attachment { kind: "address", id: address.id.good()?.clone() }));
    volumes.chain(addresses).collect()
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
