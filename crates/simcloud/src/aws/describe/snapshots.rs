//! `DescribeSnapshots`: the caller's own and, unless only those are asked for, what others have
//! made public.

use crate::aws::assets::Snapshot;
use crate::aws::describe::named;
use crate::aws::error::AwsError;
use crate::aws::form::Filter;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn snapshots(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let (names, owners) = (ask.form.list("SnapshotId"), ask.form.list("Owner"));
    let filters = ask.form.filters(|name| {
        matches!(name, "owner-id" | "snapshot-id" | "status" | "storage-tier" | "volume-id")
            || named::is_of_tags(name)
    })?;
    let caller = ask.caller;
    let own = &caller.account.id;
    let visible = || {
        let all = ask.aws.assets.snapshots.of(&caller.region);
        all.filter(|(_, snapshot)| snapshot.public || snapshot.account == *own)
    };
    let kind = ("InvalidSnapshot.NotFound", "snapshot");
    named::all_there(&names, kind, |name| visible().any(|(id, _)| id == name))?;
    let is_asked = |snapshot: &Snapshot| {
        let is = |owner: &&str| {
            **owner == snapshot.account || (*owner == "self" && snapshot.account == *own)
        };
        owners.is_empty() || owners.iter().any(is)
    };
    let kept = visible()
        .filter(|(_, snapshot)| is_asked(snapshot))
        .filter(|(_, snapshot)| filters.iter().all(|filter| passes(filter, snapshot)));
    let page = named::page(ask, &names, kept)?;
    Ok(ask.answer(|xml| {
        xml.set("snapshotSet", page.items, |xml, snapshot| describe(xml, snapshot, ask));
        xml.maybe("nextToken", page.next.as_deref());
    }))
}

fn passes(filter: &Filter, snapshot: &Snapshot) -> bool {
    match filter.name.as_str() {
        "owner-id" => filter.fits(&snapshot.account),
        "snapshot-id" => filter.fits(&snapshot.id),
        "status" => filter.fits(&snapshot.state),
        "storage-tier" => filter.fits(&snapshot.tier),
        "volume-id" => filter.fits(&snapshot.volume),
        _ => named::passes(filter, &snapshot.tags),
    }
}

fn describe(xml: &mut Xml, snapshot: &Snapshot, ask: &Ask<'_>) {
    xml.leaf("snapshotId", &snapshot.id);
    xml.leaf("volumeId", &snapshot.volume);
    xml.leaf("status", &snapshot.state);
    if let Some(started) = snapshot.started {
        xml.time("startTime", ask.clock.resolve(started));
    }
    xml.fixed("<progress>100%</progress>");
    xml.leaf("ownerId", &snapshot.account);
    xml.value("volumeSize", snapshot.size_gib);
    xml.leaf("description", &snapshot.description);
    xml.fixed("<encrypted>false</encrypted>");
    named::write_tags(xml, &snapshot.tags);
    xml.leaf("storageTier", &snapshot.tier);
    if let Some(bytes) = snapshot.full_bytes {
        xml.value("fullSnapshotSizeInBytes", bytes);
    }
}
