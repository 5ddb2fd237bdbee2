//! `DescribeInstances`: machines in pages that count machines, not reservations.

use std::ops::Bound;

use crate::aws::error::AwsError;
use crate::aws::find;
use crate::aws::form::Filter;
use crate::aws::instance::{Instance, state_code};
use crate::aws::wire::Ask;
use crate::aws::xml::{Xml, timestamp};
use crate::clock::Clock;

/// About what the description of a machine takes; only for making room beforehand.
const BYTES_PER_MACHINE: usize = 2_400;
/// The image of machines of which the world says none.
const FOREIGN_IMAGE: &str = "ami-0123456789abcdef0";

pub(crate) fn instances(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let ids = ask.form.list("InstanceId");
    if !ids.is_empty() && ask.form.get("MaxResults").is_some() {
        return Err(AwsError::bad(
            "InvalidParameterCombination",
            "The parameter instancesSet cannot be used with the parameter maxResults",
        ));
    }
    let filters = ask.form.filters(is_known)?;
    let keep = |machine: &Instance| filters.iter().all(|filter| passes(filter, machine, ask.clock));
    if !ids.is_empty() {
        let mut found = find(ask, &ids)?;
        found.retain(|machine| keep(machine));
        return Ok(answer(ask, &found, None));
    }
    let paging = ask.paging(5..=1_000, None)?;
    let from = paging.after().map_or(Bound::Unbounded, |(id, _)| Bound::Excluded(id));
    let machines = ask.aws.machines(&ask.caller.account.id, &ask.caller.region);
    let listed = machines
        .into_iter()
        .flat_map(|machines| machines.range::<str, _>((from, Bound::Unbounded)))
        .filter(|(_, machine)| is_shown(ask, machine) && keep(machine));
    let page = paging.take(listed.map(|(id, machine)| ((id.as_str(), ""), machine)));
    Ok(answer(ask, &page.items, page.next.as_deref()))
}

/// The machines of these ids; one that is not there fails them all.
pub(super) fn find<'a>(ask: &Ask<'a>, ids: &[&str]) -> Result<Vec<&'a Instance>, AwsError> {
    let machines = ask.aws.machines(&ask.caller.account.id, &ask.caller.region);
    find::find(machines, ids, |machine| is_shown(ask, machine))
}

/// Machines of a service are shown to those who ask for them: in listings by a parameter, and
/// attributes of a single one always.
fn is_shown(ask: &Ask<'_>, machine: &Instance) -> bool {
    !machine.is_hidden()
        || ask.operation != "DescribeInstances"
        || ask.form.is_true("IncludeManagedResources")
}

fn is_known(filter: &str) -> bool {
    matches!(
        filter,
        "availability-zone"
            | "image-id"
            | "instance-id"
            | "instance-lifecycle"
            | "instance-state-code"
            | "instance-state-name"
            | "instance-type"
            | "operator.managed"
            | "operator.principal"
            | "tag-key"
            | "tenancy"
    ) || filter.starts_with("tag:")
}

fn passes(filter: &Filter, machine: &Instance, clock: &Clock) -> bool {
    match filter.name.as_str() {
        "availability-zone" => filter.fits(&machine.zone()),
        "image-id" => filter.fits(machine.image.as_deref().unwrap_or(FOREIGN_IMAGE)),
        "instance-id" => filter.fits(&machine.id),
        "instance-lifecycle" => machine.lifecycle().is_some_and(|word| filter.fits(word)),
        "instance-state-code" => filter.fits(&state_code(machine.state_at(clock)).to_string()),
        "instance-state-name" => filter.fits(machine.state_at(clock)),
        "instance-type" => filter.fits(&machine.instance_type),
        "operator.managed" => {
            filter.fits(if machine.operator.is_some() { "true" } else { "false" })
        }
        "operator.principal" => {
            machine.operator.as_ref().is_some_and(|operator| filter.fits(&operator.principal))
        }
        "tag-key" => machine.tags.keys().any(|key| filter.fits(key)),
        "tenancy" => filter.fits(&machine.tenancy),
        name => name
            .strip_prefix("tag:")
            .and_then(|key| machine.tags.get(key))
            .is_some_and(|value| filter.fits(value)),
    }
}

fn answer(ask: &Ask<'_>, machines: &[&Instance], next: Option<&str>) -> Xml {
    let same =
        |a: &&Instance, b: &&Instance| a.reservation.is_some() && a.reservation == b.reservation;
    ask.answer(|xml| {
        xml.reserve(machines.len() * BYTES_PER_MACHINE);
        xml.set("reservationSet", machines.chunk_by(same), |xml, members| {
            let [first, ..] = members else { return };
            match &first.reservation {
                Some(reservation) => xml.leaf("reservationId", reservation),
                None => xml.leaf("reservationId", &format!("r-{}", suffix(first))),
            }
            xml.leaf("ownerId", &first.account);
            xml.maybe("requesterId", first.requester.as_deref());
            xml.fixed("<groupSet/>");
            xml.set("instancesSet", members, |xml, machine| describe(xml, machine, ask));
        });
        xml.maybe("nextToken", next);
    })
}

fn suffix(machine: &Instance) -> &str {
    machine.id.strip_prefix("i-").unwrap_or(&machine.id)
}

fn describe(xml: &mut Xml, machine: &Instance, ask: &Ask<'_>) {
    let clock = ask.clock;
    let elastic = ask.aws.assets.addresses.of(&machine.region).find(|(_, address)| {
        address.account == machine.account && address.machine.as_ref() == Some(&machine.id)
    });
    let state = machine.state_at(clock);
    let gone = state == "terminated";
    let created = machine.created_at(clock).map(timestamp);
    xml.leaf("instanceId", &machine.id);
    xml.leaf("imageId", machine.image.as_deref().unwrap_or(FOREIGN_IMAGE));
    xml.node("instanceState", |xml| {
        xml.value("code", state_code(state));
        xml.leaf("name", state);
    });
    xml.fixed("<privateDnsName/><dnsName/>");
    xml.leaf("reason", &machine.transition_reason);
    xml.fixed("<amiLaunchIndex>0</amiLaunchIndex><productCodes/>");
    xml.leaf("instanceType", &machine.instance_type);
    if let Some(launched) = machine.launched {
        xml.time("launchTime", clock.resolve(launched));
    }
    xml.node("placement", |xml| {
        xml.leaf("availabilityZone", &machine.zone());
        xml.fixed("<groupName/>");
        xml.leaf("tenancy", &machine.tenancy);
        xml.maybe("hostId", machine.host.as_deref());
    });
    xml.fixed("<monitoring><state>disabled</state></monitoring>");
    if !gone {
        xml.fixed("<subnetId>subnet-0123456789abcdef0</subnetId>");
        xml.fixed("<vpcId>vpc-0123456789abcdef0</vpcId>");
        let ip = elastic.map(|(ip, _)| ip).or(machine.public_ip.as_deref());
        xml.maybe("ipAddress", ip);
    }
    xml.fixed("<groupSet/>");
    if let Some(reason) = &machine.state_reason {
        xml.node("stateReason", |xml| {
            xml.leaf("code", reason);
            xml.leaf("message", reason);
        });
    }
    xml.fixed("<architecture>x86_64</architecture>");
    xml.leaf("rootDeviceType", &machine.root_device);
    xml.fixed("<rootDeviceName>/dev/xvda</rootDeviceName>");
    xml.set("blockDeviceMapping", machine.volumes.iter().filter(|_| !gone), |xml, volume| {
        xml.leaf("deviceName", &volume.device);
        xml.node("ebs", |xml| {
            xml.leaf("volumeId", &volume.id);
            xml.fixed("<status>attached</status>");
            xml.maybe("attachTime", created.as_deref());
            xml.value("deleteOnTermination", volume.delete_on_termination);
        });
    });
    xml.fixed("<virtualizationType>hvm</virtualizationType>");
    xml.maybe("instanceLifecycle", machine.lifecycle());
    xml.maybe("spotInstanceRequestId", machine.spot.as_ref().map(|spot| spot.request.as_str()));
    xml.fixed("<clientToken/>");
    if !(machine.tags.is_empty() || machine.tags_withheld) {
        xml.set("tagSet", &machine.tags, |xml, (key, value)| {
            xml.leaf("key", key);
            xml.leaf("value", value);
        });
    }
    xml.fixed("<hypervisor>xen</hypervisor>");
    xml.set("networkInterfaceSet", (!gone).then_some(()), |xml, ()| {
        xml.leaf("networkInterfaceId", &format!("eni-{}", suffix(machine)));
        xml.leaf("ownerId", &machine.account);
        xml.fixed("<status>in-use</status>");
        xml.node("attachment", |xml| {
            xml.leaf("attachmentId", &format!("eni-attach-{}", suffix(machine)));
            xml.fixed("<deviceIndex>0</deviceIndex><status>attached</status>");
            xml.maybe("attachTime", created.as_deref());
            xml.fixed("<deleteOnTermination>true</deleteOnTermination>");
            xml.fixed("<networkCardIndex>0</networkCardIndex>");
        });
        let lent = machine.public_ip.as_deref().map(|ip| (ip, "amazon"));
        let own = elastic.map(|(ip, address)| (ip, address.account.as_str()));
        if let Some((ip, owner)) = own.or(lent) {
            xml.node("association", |xml| {
                xml.leaf("publicIp", ip);
                xml.leaf("ipOwnerId", owner);
            });
        }
    });
    xml.fixed("<ebsOptimized>false</ebsOptimized>");
    xml.maybe("capacityReservationId", machine.capacity_reservation.as_deref());
    xml.maybe("capacityBlockId", machine.capacity_block.as_deref());
    xml.fixed("<hibernationOptions><configured>false</configured></hibernationOptions>");
    xml.fixed("<platformDetails>Linux/UNIX</platformDetails>");
    xml.fixed("<usageOperation>RunInstances</usageOperation>");
    xml.node("operator", |xml| {
        xml.value("managed", machine.operator.is_some());
        if let Some(operator) = &machine.operator {
            xml.leaf("principal", &operator.principal);
            xml.value("hiddenByDefault", operator.hidden);
        }
    });
}
