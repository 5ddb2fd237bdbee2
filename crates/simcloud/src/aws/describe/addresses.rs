//! `DescribeAddresses`: the elastic ones, all at once, as EC2 knows no pages of them.

use crate::aws::assets::Address;
use crate::aws::describe::named;
use crate::aws::error::AwsError;
use crate::aws::form::Filter;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn addresses(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let names = ask.form.list("PublicIp");
    let filters = ask.form.filters(|name| {
        matches!(name, "allocation-id" | "domain" | "instance-id" | "public-ip")
            || named::is_of_tags(name)
    })?;
    let caller = ask.caller;
    let own: Vec<&Address> = ask
        .aws
        .assets
        .addresses
        .of(&caller.region)
        .map(|(_, address)| address)
        .filter(|address| address.account == caller.account.id)
        .collect();
    let kind = ("InvalidAddress.NotFound", "address");
    named::all_there(&names, kind, |name| own.iter().any(|address| address.ip == name))?;
    let shown = own
        .into_iter()
        .filter(|address| names.is_empty() || names.contains(&address.ip.as_str()))
        .filter(|address| filters.iter().all(|filter| passes(filter, address)));
    Ok(ask.answer(|xml| xml.set("addressesSet", shown, describe)))
}

fn passes(filter: &Filter, address: &Address) -> bool {
    match filter.name.as_str() {
        "allocation-id" => filter.fits(&allocation(address)),
        "domain" => filter.fits("vpc"),
        "instance-id" => address.machine.as_ref().is_some_and(|machine| filter.fits(machine)),
        "public-ip" => filter.fits(&address.ip),
        _ => named::passes(filter, &address.tags),
    }
}

/// `eipalloc-…`, made of the address.
fn allocation(address: &Address) -> String {
    let digits: String = address.ip.chars().filter(char::is_ascii_hexdigit).collect();
    format!("eipalloc-{digits:0>17}")
}

fn describe(xml: &mut Xml, address: &Address) {
    let interface = address.interface.clone().or_else(|| {
        let machine = address.machine.as_deref()?;
        Some(format!("eni-{}", machine.strip_prefix("i-").unwrap_or(machine)))
    });
    xml.leaf("publicIp", &address.ip);
    xml.leaf("allocationId", &allocation(address));
    xml.fixed("<domain>vpc</domain>");
    xml.maybe("instanceId", address.machine.as_deref());
    if let Some(interface) = &interface {
        xml.leaf("associationId", &allocation(address).replace("alloc", "assoc"));
        xml.leaf("networkInterfaceId", interface);
        xml.leaf("networkInterfaceOwnerId", &address.account);
        xml.fixed("<privateIpAddress>10.0.0.7</privateIpAddress>");
    }
    named::write_tags(xml, &address.tags);
    xml.leaf("publicIpv4Pool", &address.pool);
    xml.leaf("networkBorderGroup", &address.region);
    xml.maybe("serviceManaged", address.service.as_deref());
}
