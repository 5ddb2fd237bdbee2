//! `DescribeSpotPriceHistory`: the prices of spot capacity that hold at a time, and those since.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::aws::error::AwsError;
use crate::aws::prices::SpotPrice;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

/// How far back EC2 remembers.
const MEMORY: TimeDelta = TimeDelta::days(90);

/// A price, and since when it holds.
type Dated<'a> = (DateTime<Utc>, &'a SpotPrice);

pub(crate) fn spot_price_history(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let kinds = ask.form.list("InstanceType");
    let products = ask.form.list("ProductDescription");
    let zone = ask.form.get("AvailabilityZone");
    let filters = ask.form.filters(|name| {
        matches!(name, "availability-zone" | "instance-type" | "product-description" | "spot-price")
    })?;
    let oldest = ask.clock.now() - MEMORY;
    let from = time(ask, "StartTime")?.unwrap_or(oldest).max(oldest);
    let until = time(ask, "EndTime")?.unwrap_or(ask.clock.now()).min(ask.clock.now());
    let region = ask.caller.region.as_str();
    let asked = |price: &&SpotPrice| {
        price.zone.strip_prefix(region).is_some_and(|letter| letter.len() == 1)
            && (kinds.is_empty() || kinds.contains(&price.instance_type.as_str()))
            && (products.is_empty() || products.contains(&price.product.as_str()))
            && zone.is_none_or(|zone| zone == price.zone)
            && filters.iter().all(|filter| match filter.name.as_str() {
                "availability-zone" => filter.fits(&price.zone),
                "instance-type" => filter.fits(&price.instance_type),
                "spot-price" => filter.fits(&price.hourly.to_string()),
                _ => filter.fits(&price.product),
            })
    };
    let mut offers: BTreeMap<_, Vec<Dated<'_>>> = BTreeMap::new();
    for price in ask.aws.prices.spot().iter().filter(asked) {
        let since = ask.clock.resolve(price.since);
        if since <= until {
            let offer = (&price.instance_type, &price.zone, &price.product);
            offers.entry(offer).or_default().push((since, price));
        }
    }
    let mut found: Vec<Dated<'_>> = Vec::new();
    for mut prices in offers.into_values() {
        prices.sort_by_key(|(since, _)| Reverse(*since));
        // The one that holds at the start is among them, however old it is.
        let later = prices.iter().take_while(|(since, _)| *since > from).count();
        found.extend(prices.into_iter().take(later + 1));
    }
    found.sort_by_key(|(since, price)| (Reverse(*since), &*price.instance_type, &*price.zone));
    answer(ask, &found)
}

fn answer(ask: &Ask<'_>, found: &[Dated<'_>]) -> Result<Xml, AwsError> {
    let paging = ask.paging(5..=1_000, None)?;
    let numbers: Vec<String> = (0..found.len()).map(|number| format!("{number:08}")).collect();
    let after = paging.after().map(|(number, _)| number.to_owned());
    let rest = numbers
        .iter()
        .zip(found)
        .filter(|(number, _)| after.as_ref().is_none_or(|after| *number > after));
    let page = paging.take(rest.map(|(number, price)| ((number.as_str(), ""), price)));
    Ok(ask.answer(|xml| {
        xml.set("spotPriceHistorySet", page.items, |xml, (since, price)| {
            xml.leaf("instanceType", &price.instance_type);
            xml.leaf("productDescription", &price.product);
            xml.leaf("spotPrice", &format!("{:.6}", price.hourly));
            xml.time("timestamp", *since);
            xml.leaf("availabilityZone", &price.zone);
        });
        // Here EC2 says by an empty token that there is no more.
        xml.leaf("nextToken", page.next.as_deref().unwrap_or_default());
    }))
}

fn time(ask: &Ask<'_>, name: &str) -> Result<Option<DateTime<Utc>>, AwsError> {
    let Some(text) = ask.form.get(name) else { return Ok(None) };
    let time = DateTime::parse_from_rfc3339(text).map_err(|_| {
        let message = format!("Value ({text}) for parameter {name} is invalid.");
        AwsError::bad("InvalidParameterValue", message)
    })?;
    Ok(Some(time.to_utc()))
}
