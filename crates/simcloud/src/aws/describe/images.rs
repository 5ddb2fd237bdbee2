//! `DescribeImages`: the caller's own and, unless only those are asked for, what others have made
//! public.

use crate::aws::assets::Image;
use crate::aws::describe::named;
use crate::aws::error::AwsError;
use crate::aws::form::Filter;
use crate::aws::wire::Ask;
use crate::aws::xml::{Xml, timestamp};

pub(crate) fn images(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let (names, owners) = (ask.form.list("ImageId"), ask.form.list("Owner"));
    let filters = ask.form.filters(|name| {
        matches!(name, "image-id" | "is-public" | "name" | "owner-id" | "state")
            || named::is_of_tags(name)
    })?;
    let caller = ask.caller;
    let own = &caller.account.id;
    let disabled = ask.form.is_true("IncludeDisabled");
    let visible = || {
        let all = ask.aws.assets.images.of(&caller.region);
        all.filter(|(_, image)| image.public || image.account == *own)
            .filter(|(_, image)| disabled || image.state != "disabled")
    };
    let kind = ("InvalidAMIID.NotFound", "image id");
    named::all_there(&names, kind, |name| visible().any(|(id, _)| id == name))?;
    let is_asked = |image: &Image| {
        let is =
            |owner: &&str| **owner == image.account || (*owner == "self" && image.account == *own);
        owners.is_empty() || owners.iter().any(is)
    };
    let kept = visible()
        .filter(|(_, image)| is_asked(image))
        .filter(|(_, image)| filters.iter().all(|filter| passes(filter, image)));
    let page = named::page(ask, &names, kept)?;
    Ok(ask.answer(|xml| {
        xml.set("imagesSet", page.items, |xml, image| describe(xml, image, ask));
        xml.maybe("nextToken", page.next.as_deref());
    }))
}

fn passes(filter: &Filter, image: &Image) -> bool {
    match filter.name.as_str() {
        "image-id" => filter.fits(&image.id),
        "is-public" => filter.fits(if image.public { "true" } else { "false" }),
        "name" => filter.fits(&image.name),
        "owner-id" => filter.fits(&image.account),
        "state" => filter.fits(&image.state),
        _ => named::passes(filter, &image.tags),
    }
}

fn describe(xml: &mut Xml, image: &Image, ask: &Ask<'_>) {
    let time = |when| timestamp(ask.clock.resolve(when));
    xml.leaf("imageId", &image.id);
    xml.leaf("imageLocation", &format!("{}/{}", image.account, image.name));
    xml.leaf("imageState", &image.state);
    xml.leaf("imageOwnerId", &image.account);
    xml.maybe("creationDate", image.created.map(time).as_deref());
    xml.value("isPublic", image.public);
    xml.fixed("<architecture>x86_64</architecture><imageType>machine</imageType>");
    xml.leaf("name", &image.name);
    xml.fixed("<rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/sda1</rootDeviceName>");
    let devices = image.snapshots.iter().zip(b'a'..=b'z');
    xml.set("blockDeviceMapping", devices, |xml, (snapshot, letter)| {
        let size = ask.aws.assets.snapshots.of(&image.region).find(|(id, _)| id == snapshot);
        xml.leaf("deviceName", &format!("/dev/sd{}1", char::from(letter)));
        xml.node("ebs", |xml| {
            xml.leaf("snapshotId", snapshot);
            if let Some((_, snapshot)) = size {
                xml.value("volumeSize", snapshot.size_gib);
            }
            xml.fixed("<deleteOnTermination>true</deleteOnTermination>");
            xml.fixed("<volumeType>gp3</volumeType><encrypted>false</encrypted>");
        });
    });
    xml.fixed("<virtualizationType>hvm</virtualizationType><hypervisor>xen</hypervisor>");
    named::write_tags(xml, &image.tags);
    xml.maybe("sourceInstanceId", image.source_machine.as_deref());
    xml.maybe("lastLaunchedTime", image.last_launched.map(time).as_deref());
}
