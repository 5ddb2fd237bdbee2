//! `DescribeVolumes`: those of machines and those that hang on none.

use crate::aws::assets::Shown;
use crate::aws::describe::named;
use crate::aws::error::AwsError;
use crate::aws::form::Filter;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn volumes(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let names = ask.form.list("VolumeId");
    let filters = ask.form.filters(|name| {
        matches!(name, "attachment.instance-id" | "status" | "volume-id" | "volume-type")
            || named::is_of_tags(name)
    })?;
    let caller = ask.caller;
    let volumes = ask.aws.volumes(ask.clock, &caller.account.id, &caller.region);
    let kind = ("InvalidVolume.NotFound", "volume");
    named::all_there(&names, kind, |name| volumes.contains_key(name))?;
    let kept = volumes
        .iter()
        .filter(|(_, volume)| filters.iter().all(|filter| passes(filter, volume)))
        .map(|(id, volume)| (*id, volume));
    let page = named::page(ask, &names, kept)?;
    Ok(ask.answer(|xml| {
        xml.set("volumeSet", page.items, |xml, volume| describe(xml, volume, ask));
        xml.maybe("nextToken", page.next.as_deref());
    }))
}

fn passes(filter: &Filter, volume: &Shown<'_>) -> bool {
    match filter.name.as_str() {
        "attachment.instance-id" => {
            volume.attached.is_some_and(|(machine, ..)| filter.fits(machine))
        }
        "status" => filter.fits(volume.state),
        "volume-id" => filter.fits(volume.id),
        "volume-type" => filter.fits(volume.kind),
        _ => named::passes(filter, volume.tags),
    }
}

fn describe(xml: &mut Xml, volume: &Shown<'_>, ask: &Ask<'_>) {
    xml.leaf("volumeId", volume.id);
    xml.value("size", volume.size_gib);
    xml.fixed("<snapshotId/>");
    xml.leaf("availabilityZone", &volume.zone);
    xml.leaf("status", volume.state);
    if let Some(created) = volume.created {
        xml.time("createTime", ask.clock.resolve(created));
    }
    xml.set("attachmentSet", volume.attached, |xml, (machine, since, attached)| {
        xml.leaf("volumeId", volume.id);
        xml.leaf("instanceId", machine);
        xml.leaf("device", &attached.device);
        xml.fixed("<status>attached</status>");
        if let Some(since) = since {
            xml.time("attachTime", ask.clock.resolve(since));
        }
        xml.value("deleteOnTermination", attached.delete_on_termination);
    });
    named::write_tags(xml, volume.tags);
    xml.leaf("volumeType", volume.kind);
    let (iops, throughput) = match volume.kind {
        "gp3" => (volume.iops.or(Some(3_000)), volume.throughput.or(Some(125))),
        "gp2" => (Some((volume.size_gib * 3).clamp(100, 16_000)), None),
        _ => (volume.iops, volume.throughput),
    };
    if let Some(iops) = iops {
        xml.value("iops", iops);
    }
    if let Some(throughput) = throughput {
        xml.value("throughput", throughput);
    }
    xml.fixed("<encrypted>false</encrypted><multiAttachEnabled>false</multiAttachEnabled>");
}
