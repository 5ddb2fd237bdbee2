//! `DescribeSpotInstanceRequests`: the requests behind spot machines.

use std::ops::Bound;

use crate::aws::error::AwsError;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn spot_instance_requests(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let ids = ask.form.list("SpotInstanceRequestId");
    let filters = ask.form.filters(|name| {
        matches!(
            name,
            "instance-id" | "launch-group" | "spot-instance-request-id" | "state" | "type"
        )
    })?;
    let machines = ask.aws.machines(&ask.caller.account.id, &ask.caller.region);
    let paging = ask.paging(5..=1_000, None)?;
    let from = paging.after().map_or(Bound::Unbounded, |(id, _)| Bound::Excluded(id));
    let all = || machines.into_iter().flatten().filter_map(|(_, machine)| machine.spot.as_ref());
    if let Some(unknown) = ids.iter().find(|id| !all().any(|spot| spot.request == **id)) {
        return Err(AwsError::bad(
            "InvalidSpotInstanceRequestID.NotFound",
            format!("The spot instance request ID '{unknown}' does not exist"),
        ));
    }
    let requests = machines
        .into_iter()
        .flat_map(|machines| machines.range::<str, _>((from, Bound::Unbounded)))
        .filter_map(|(id, machine)| Some((id, machine, machine.spot.as_ref()?)))
        .filter(|(id, _, spot)| {
            (ids.is_empty() || ids.contains(&spot.request.as_str()))
                && filters.iter().all(|filter| match filter.name.as_str() {
                    "instance-id" => filter.fits(id),
                    "launch-group" => {
                        spot.launch_group.as_deref().is_some_and(|group| filter.fits(group))
                    }
                    "state" => filter.fits(&spot.state),
                    "type" => filter.fits(&spot.kind),
                    _ => filter.fits(&spot.request),
                })
        });
    let page = paging.take(requests.map(|request| ((request.0.as_str(), ""), request)));
    Ok(ask.answer(|xml| {
        xml.set("spotInstanceRequestSet", page.items, |xml, (id, machine, spot)| {
            xml.leaf("spotInstanceRequestId", &spot.request);
            xml.leaf("type", &spot.kind);
            xml.leaf("state", &spot.state);
            xml.node("status", |xml| {
                xml.leaf("code", if spot.state == "active" { "fulfilled" } else { &spot.state });
            });
            xml.maybe("launchGroup", spot.launch_group.as_deref());
            xml.leaf("instanceId", id);
            if let Some(created) = machine.created_at(ask.clock) {
                xml.time("createTime", created);
            }
            xml.leaf("productDescription", "Linux/UNIX");
            xml.leaf("instanceInterruptionBehavior", "terminate");
        });
        xml.maybe("nextToken", page.next.as_deref());
    }))
}
