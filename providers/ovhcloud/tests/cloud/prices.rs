//! Where prices come from.

use reaper_model::{Instance, Location, Price, PriceSource, Unit};
use reaper_ovhcloud::OvhProvider;
use reaper_provider::{AccountSettings, Identity, Provider, Sink};
use reaper_simcloud::{Effect, Fault, SimCloud};

use crate::kit::{PROJECT, context, list, machine, open, settings, start, world};

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

fn unavailable() -> Effect {
    Effect::Answer { status: 503, body: String::new(), content_type: "text/html".to_owned() }
}

/// What a listing says besides.
async fn warnings(settings: &AccountSettings) -> Vec<String> {
    let tell = |_| ();
    let mut sink = Sink::new(&tell);
    let identity = Identity { account: PROJECT.into(), login: String::new() };
    let listed = open(settings).list(&context(), &identity, &Location::new("all"), &mut sink).await;
    listed.expect("a whole listing");
    sink.take_warnings().iter().map(|said| format!("{}: {}", said.code, said.text)).collect()
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
    cloud.add_fault(Fault::always(unavailable()).at(CATALOGUE));
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

#[tokio::test]
async fn a_plan_of_a_local_zone_has_its_own_price_or_none() {
    let text = [
        machine("sold", "l4-90", "plan_code = \"l4-90.consumption.LZ\""),
        machine("elsewhere", "l4-90", "plan_code = \"l4-90.consumption.LZ.EU\""),
        machine("zones", "h100-380", "plan_code = \"h100-380.consumption.3AZ\""),
        machine(
            "wanted",
            "a100-180",
            "plan_code = \"a100-180.consumption.LZ\"\nmonthly_since = \"1h\"",
        ),
    ];
    let cloud = start(world(&text.concat())).await;
    let prices = priced(&settings(&cloud)).await;
    assert_eq!(shown(prices[0].as_ref()).as_deref(), Some("0.9 EUR per Hour, ProviderApi"));
    assert_eq!(prices[1..], [None, None, None], "no row is no ordinary price");

    cloud.add_fault(Fault::always(unavailable()).at(CATALOGUE));
    let provider = open(&settings(&cloud));
    let (found, _) = list(&provider).await;
    let why = provider.price(&found[0]).gap().map(|gap| gap.why.clone());
    let words = "no price of l4-90.consumption.LZ is known; set [[price]]";
    assert_eq!(why.as_deref(), Some(words), "the list is of ordinary regions");
    assert!(found.iter().all(|machine| provider.price(machine).gap().is_some()));
}

#[tokio::test]
async fn whose_book_was_guessed_is_said_where_it_matters() {
    let billed = start(world(&machine("a", "l4-90", ""))).await;
    let guessed = warnings(&settings(&billed)).await;
    let text = "prices are those of OVHcloud's FR book; set `subsidiary` to the one that bills you";
    assert_eq!(guessed, [format!("subsidiary: {text}")]);
    for (key, value) in [("subsidiary", "DE"), ("endpoint", "ovh-ca"), ("endpoint", "ovh-us")] {
        let mut settings = settings(&billed);
        settings.options.insert(key.to_owned(), value.to_owned());
        assert_eq!(warnings(&settings).await, [""; 0], "{value}");
    }
    let free = machine("a", "l4-90", "status = \"SHELVED_OFFLOADED\"");
    let free = start(world(&free)).await;
    assert_eq!(warnings(&settings(&free)).await, [""; 0]);
}
