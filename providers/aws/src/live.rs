//! AWS's own price list: what a machine type costs on demand in a region at present. Asked only with
//! `live_prices`, because it takes a right and a request for each type.

use std::collections::BTreeSet;

use aws_sdk_pricing::types::{Filter, FilterType};
use reaper_model::{Currency, Location, MachineType, Money};
use reaper_provider::{CallContext, Delivery, ErrorKind, ProviderError};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::client::MoneyClient;
use crate::price::{Answers, Live};
use crate::wire::{Tokens, send};

/// The call, as AWS's policy language spells it.
pub(crate) const PRODUCTS: &str = "pricing:GetProducts";
/// What the price list calls EC2.
const SERVICE: &str = "AmazonEC2";
/// Entries per page that AWS allows.
const LARGEST_PAGE: i32 = 100;

/// Asks what each type costs in a region, unless that was asked on the same day. Stops at the first
/// error: it would be the same for the others.
pub(crate) async fn ask(
    money: &MoneyClient,
    cx: &CallContext,
    answers: &Answers,
    region: &Location,
    kinds: &BTreeSet<MachineType>,
) -> Result<(), ProviderError> {
    for kind in kinds {
        let known = answers.live(region, kind);
        if known.is_some_and(|known| known.as_of.date_naive() == cx.now.date_naive()) {
            continue;
        }
        let hourly = hourly(money, cx, region, kind).await?;
        answers.take_live(region, kind, Live { hourly, as_of: cx.now });
    }
    Ok(())
}

/// The price of one type. `None`: the list does not have it.
async fn hourly(
    money: &MoneyClient,
    cx: &CallContext,
    region: &Location,
    kind: &MachineType,
) -> Result<Option<Money>, ProviderError> {
    let wanted = wanted(region, kind);
    let prices: Vec<Money> = products(money, cx, &wanted)
        .await?
        .iter()
        .flat_map(|product| price(product, &wanted))
        .collect();
    if prices.iter().any(|price| Some(price.currency) != prices.first().map(|one| one.currency)) {
        let words = format!("{kind} in {region} has prices in several currencies");
        return Err(ProviderError::answered(ErrorKind::Inconsistent, PRODUCTS, words));
    }
    // Of several, the highest counts, as of two rows of the dated list.
    Ok(prices.into_iter().max_by_key(|price| price.amount))
}

/// All products with these attributes. Whoever answers may overlook some of them.
pub(crate) async fn products(
    money: &MoneyClient,
    cx: &CallContext,
    wanted: &[(&str, &str)],
) -> Result<Vec<Value>, ProviderError> {
    let filters = filters(wanted)?;
    let (mut products, mut unreadable) = (Vec::new(), 0_usize);
    let (mut tokens, mut token) = (Tokens::default(), None);
    loop {
        let request = money
            .prices
            .get_products()
            .service_code(SERVICE)
            .set_filters(Some(filters.clone()))
            .max_results(LARGEST_PAGE)
            .set_next_token(token);
        let begin = |trace| request.customize().interceptor(trace).send();
        let answer = send(&money.limiter, cx, PRODUCTS, begin).await?;
        for product in answer.price_list() {
            match serde_json::from_str::<Value>(product) {
                Ok(product) => products.push(product),
                Err(_) => unreadable += 1,
            }
        }
        token = tokens.next(PRODUCTS, answer.next_token)?;
        if token.is_none() {
            break;
        }
    }
    if products.is_empty() && unreadable > 0 {
        let asked: Vec<&str> = wanted.iter().map(|(_, value)| *value).collect();
        let asked = asked.join(", ");
        let words = format!("{unreadable} products of {asked} are no readable JSON");
        return Err(ProviderError::answered(ErrorKind::Protocol, PRODUCTS, words));
    }
    Ok(products)
}

/// The attributes of the product that is meant. A whole machine without a hypervisor stands in the
/// list as a dedicated one.
fn wanted<'a>(region: &'a Location, kind: &'a MachineType) -> [(&'static str, &'a str); 8] {
    let metal = kind.as_str().split('.').nth(1).is_some_and(|size| size.starts_with("metal"));
    let (tenancy, family) = if metal {
        ("Dedicated", "Compute Instance (bare metal)")
    } else {
        ("Shared", "Compute Instance")
    };
    [
        ("instanceType", kind.as_str()),
        ("regionCode", region.as_str()),
        ("operatingSystem", "Linux"),
        ("preInstalledSw", "NA"),
        ("capacitystatus", "Used"),
        ("marketoption", "OnDemand"),
        ("tenancy", tenancy),
        ("productFamily", family),
    ]
}

fn filters(wanted: &[(&str, &str)]) -> Result<Vec<Filter>, ProviderError> {
    let filter = |(field, value): &(&str, &str)| {
        Filter::builder().r#type(FilterType::TermMatch).field(*field).value(*value).build()
    };
    let filters: Result<Vec<Filter>, _> = wanted.iter().map(filter).collect();
    filters.map_err(|error| {
        let words = error.to_string();
        ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, PRODUCTS, words)
    })
}

/// The hourly prices of a product, if it is the one that is meant: whoever answers may have
/// overlooked a filter.
fn price(product: &Value, wanted: &[(&str, &str)]) -> Vec<Money> {
    let attributes = &product["product"]["attributes"];
    let meant = wanted.iter().all(|(field, value)| {
        let said = attributes.get(*field).or_else(|| product["product"].get(*field));
        said.is_none_or(|said| said.as_str() == Some(value))
    });
    let names_itself = attributes["instanceType"].is_string();
    if !(meant && names_itself) {
        return Vec::new();
    }
    dimensions(product, |unit| matches!(unit, "Hrs" | "Hours"))
}

/// The prices on demand of a product that are per such a unit.
pub(crate) fn dimensions(product: &Value, is_unit: impl Fn(&str) -> bool) -> Vec<Money> {
    let terms = product["terms"]["OnDemand"].as_object();
    let dimensions = terms
        .into_iter()
        .flat_map(serde_json::Map::values)
        .filter_map(|term| term["priceDimensions"].as_object())
        .flat_map(serde_json::Map::values);
    dimensions
        .filter(|dimension| dimension["unit"].as_str().is_some_and(&is_unit))
        .filter_map(|dimension| dimension["pricePerUnit"].as_object())
        .flatten()
        .filter_map(|(currency, amount)| {
            let currency: Currency = currency.parse().ok()?;
            let amount: Decimal = amount.as_str()?.parse().ok()?;
            // What is free of charge there is an entry for reservations.
            (amount > Decimal::ZERO).then(|| Money::new(amount.normalize(), currency))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn product(kind: &str, change: &[(&str, &str)], amounts: &Value) -> Value {
        let mut attributes = json!({"instanceType": kind, "regionCode": "eu-west-1",
            "operatingSystem": "Linux", "preInstalledSw": "NA", "capacitystatus": "Used",
            "tenancy": "Shared"});
        for (field, value) in change {
            attributes[field] = json!(value);
        }
        json!({"product": {"productFamily": "Compute Instance", "attributes": attributes},
            "terms": {"OnDemand": {"A.B": {"priceDimensions":
                {"A.B.C": {"unit": "Hrs", "pricePerUnit": amounts}}}}}})
    }

    fn read(product: &Value) -> Vec<String> {
        let (region, kind) = (Location::new("eu-west-1"), MachineType::new("g5.xlarge"));
        let prices = price(product, &wanted(&region, &kind));
        prices.into_iter().map(|price| format!("{price:?}")).collect()
    }

    #[test]
    fn the_price_is_that_of_the_product_that_is_meant() {
        let usd = json!({"USD": "1.1230000000"});
        assert_eq!(read(&product("g5.xlarge", &[], &usd)), ["1.123 USD"]);
        for change in [
            ("operatingSystem", "Windows"),
            ("tenancy", "Dedicated"),
            ("capacitystatus", "UnusedCapacityReservation"),
            ("preInstalledSw", "SQL Std"),
            ("regionCode", "eu-west-2"),
        ] {
            assert_eq!(read(&product("g5.xlarge", &[change], &usd)), [""; 0], "{change:?}");
        }
        assert_eq!(read(&product("g5.2xlarge", &[], &usd)), [""; 0]);
    }

    #[test]
    fn fl_103_a_price_of_zero_or_without_a_number_is_no_price() {
        for amounts in
            [json!({"USD": "0.0000000000"}), json!({"USD": null}), json!({}), json!(null)]
        {
            assert_eq!(read(&product("g5.xlarge", &[], &amounts)), [""; 0], "{amounts}");
        }
        assert_eq!(read(&json!({})), [""; 0]);
    }

    #[test]
    fn a_machine_without_a_hypervisor_is_looked_for_where_it_stands() {
        let region = Location::new("eu-west-1");
        let tenancy = |kind: &str| wanted(&region, &MachineType::new(kind))[6].1.to_owned();
        assert_eq!(tenancy("g4dn.metal"), "Dedicated");
        assert_eq!(tenancy("g4dn.12xlarge"), "Shared");
    }
}
