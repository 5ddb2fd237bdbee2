//! `DescribeTags`: tags of machines, those that listings withhold included.

use std::ops::Bound;

use crate::aws::error::AwsError;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn tags(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let filters = ask.form.filters(|name| {
        matches!(name, "key" | "resource-id" | "resource-type" | "value")
            || name.starts_with("tag:")
    })?;
    let paging = ask.paging(5..=1_000, None)?;
    let after = paging.after();
    let from = after.map_or(Bound::Unbounded, |(id, _)| Bound::Included(id));
    let machines = ask.aws.machines(&ask.caller.account.id, &ask.caller.region);
    let tags = machines
        .into_iter()
        .flat_map(|machines| machines.range::<str, _>((from, Bound::Unbounded)))
        .flat_map(|(id, machine)| machine.tags.iter().map(move |(key, value)| (id, key, value)))
        .filter(|(id, key, _)| after.is_none_or(|after| (id.as_str(), key.as_str()) > after))
        .filter(|(id, key, value)| {
            filters.iter().all(|filter| match filter.name.as_str() {
                "resource-id" => filter.fits(id),
                "resource-type" => filter.fits("instance"),
                "key" => filter.fits(key),
                "value" => filter.fits(value),
                name => name.strip_prefix("tag:") == Some(key.as_str()) && filter.fits(value),
            })
        });
    let page = paging.take(tags.map(|tag| ((tag.0.as_str(), tag.1.as_str()), tag)));
    Ok(ask.answer(|xml| {
        xml.set("tagSet", page.items, |xml, (id, key, value)| {
            xml.leaf("resourceId", id);
            xml.leaf("resourceType", "instance");
            xml.leaf("key", key);
            xml.leaf("value", value);
        });
        xml.maybe("nextToken", page.next.as_deref());
    }))
}
