//! Where prices come from.

use reaper_model::{Instance, Price, PriceSource, Unit};
use reaper_ovhcloud::OvhProvider;
use reaper_provider::{AccountSettings, Provider};
use reaper_simcloud::{Effect, Fault, SimCloud};

use crate::kit::{list, machine, open, settings, start, world};

const CATALOGUE: &str = "GET /order/catalog/public/cloud";

async fn priced(settings: &AccountSettings) -> Vec<Option<Price>> {
    let provider = open(settings);
    let (found, ended) = list(&provider).await;
    ended.expect("a whole listing");
    found.iter().map(|machine| price(&provider, machine)).collect()
}

fn price(provider: &OvhProvider, machine: &Instance) -> Option<Price> {
    provider.price(machine).value().cloned()
}

fn shown(price: Option<&Price>) -> Option<String> {
    price.map(|price| format!("{:?} per {:?}, {:?}", price.money, price.unit, price.source))
}

async fn hourly_and_monthly() -> SimCloud {
    let text = [
        machine("a", "h100-380", ""),
        machine("b", "a100-180", "monthly_since = \"720h\""),
        machine("c", "h100-760", "monthly_since = \"720h\""),
    ];
    start(world(&text.concat())).await
}

#[tokio::test]
async fn fl_109_hourly_and_monthly_plans_have_their_own_prices() {
    let cloud = hourly_and_monthly().await;
    let prices = priced(&settings(&cloud)).await;
    assert_eq!(shown(prices[0].as_ref()).as_deref(), Some("2.8 EUR per Hour, ProviderApi"));
    assert_eq!(shown(prices[1].as_ref()).as_deref(), Some("1100 EUR per Month, ProviderApi"));
    assert_eq!(prices[2], None, "its monthly price is not known, and the hourly one is another");
    assert_eq!(
        prices[1].as_ref().map(|price| price.per_month().to_string()).as_deref(),
        Some("1,100.00 EUR")
    );
    assert_eq!(cloud.requests().of(CATALOGUE).len(), 1);
}

#[tokio::test]
async fn without_the_catalogue_the_dated_list_has_to_do() {
    let cloud = hourly_and_monthly().await;
    let broken =
        Effect::Answer { status: 503, body: String::new(), content_type: "text/html".to_owned() };
    cloud.add_fault(Fault::always(broken).at(CATALOGUE));
    let prices = priced(&settings(&cloud)).await;
    assert_eq!(shown(prices[0].as_ref()).as_deref(), Some("2.80 EUR per Hour, Catalogue"));
    assert_eq!(shown(prices[1].as_ref()).as_deref(), Some("1100 EUR per Month, Catalogue"));

    let mut us = settings(&cloud);
    us.options.insert("endpoint".to_owned(), "ovh-us".to_owned());
    assert!(priced(&us).await.iter().all(Option::is_none), "euros are no price in the US");
}

#[tokio::test]
async fn the_us_book_is_in_dollars_and_leaves_the_unit_to_the_plan() {
    let cloud = hourly_and_monthly().await;
    let mut us = settings(&cloud);
    us.options.insert("endpoint".to_owned(), "ovh-us".to_owned());
    let prices = priced(&us).await;
    assert_eq!(shown(prices[0].as_ref()).as_deref(), Some("2.8 USD per Hour, ProviderApi"));
    assert_eq!(prices[1].as_ref().map(|price| price.unit), Some(Unit::Month));
    assert!(prices.iter().flatten().all(|price| price.source == PriceSource::ProviderApi));
}

#[tokio::test]
async fn nothing_billed_needs_no_catalogue() {
    let text = machine("a", "l4-90", "status = \"SHELVED_OFFLOADED\"");
    let cloud = start(world(&text)).await;
    priced(&settings(&cloud)).await;
    assert!(cloud.requests().of(CATALOGUE).is_empty());
}

#[tokio::test]
async fn a_catalogue_of_real_size_is_read() {
    let text = format!("catalogue_fillers = 20000\n{}", machine("a", "l4-90", ""));
    let cloud = start(world(&text)).await;
    let prices = priced(&settings(&cloud)).await;
    assert_eq!(shown(prices[0].as_ref()).as_deref(), Some("0.75 EUR per Hour, ProviderApi"));
}
