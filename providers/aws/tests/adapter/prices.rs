//! Prices that AWS is asked for: spot capacity, and its own price list.

use std::collections::BTreeSet;

use reaper_model::PriceSource;
use reaper_provider::Provider;
use reaper_simcloud::SimCloud;

use crate::open;
use crate::stage::{account, cloud, found, list, machine, price};
use crate::support::{Answer, OWNED, Server, at, context, page};

const SPOT: &str = "spot = { kind = \"one-time\", request = \"sir-1\" }";
const LIVE: [(&str, &str); 1] = [("live_prices", "true")];

/// A spot machine in a zone of Ireland.
fn spot(id: &str, kind: &str, zone: &str) -> String {
    machine(
        id,
        kind,
        &format!("zone = \"{zone}\"\n{}", SPOT.replace("sir-1", &format!("sir-{id}"))),
    )
}

fn offer(kind: &str, zone: &str, hourly: &str, since: &str) -> String {
    format!(
        "[[aws.spot_price]]\ntype = \"{kind}\"\nzone = \"{zone}\"\nhourly = \"{hourly}\"\n\
         since = \"{since}\"\n"
    )
}

fn listed_price(kind: &str, hourly: &str) -> String {
    format!("[[aws.price]]\ntype = \"{kind}\"\nregion = \"eu-west-1\"\nhourly = \"{hourly}\"\n")
}

fn asked(cloud: &SimCloud, operation: &str) -> usize {
    cloud.requests().of(operation).len()
}

#[tokio::test]
async fn a_spot_machine_costs_what_its_zone_asks_at_present() {
    let cloud = cloud(
        &[
            spot("i-1", "g5.xlarge", "eu-west-1a"),
            spot("i-2", "g5.xlarge", "eu-west-1b"),
            machine("i-3", "g5.xlarge", ""),
            offer("g5.xlarge", "eu-west-1a", "0.30", "900h"),
            offer("g5.xlarge", "eu-west-1a", "0.4512", "30h"),
            offer("g5.xlarge", "eu-west-1a", "0.99", "+2h"),
            offer("g5.xlarge", "eu-west-1b", "0.61", "2h"),
        ]
        .concat(),
    )
    .await;
    let (provider, cx) = (account(&cloud, &[]), context());
    let listed = list(&provider, &cx).await;
    assert_eq!((&listed.ended, listed.requests), (&Ok(()), 2), "the listing and one for prices");
    let at = |id: &str| found(&provider, listed.machine(id)).expect("a price");
    assert_eq!(at("i-1").money.all_digits(), "0.4512");
    assert_eq!(at("i-1").as_of.to_string(), "2026-11-29");
    assert_eq!(at("i-2").money.all_digits(), "0.61");
    assert_eq!(at("i-1").source, PriceSource::ProviderApi);
    assert_eq!(at("i-3").source, PriceSource::Catalogue);
}

#[tokio::test]
async fn fl_103_a_zone_without_a_price_is_unknown_and_not_that_of_another() {
    let cloud = cloud(
        &[
            spot("i-1", "g5.xlarge", "eu-west-1c"),
            spot("i-2", "p9x.192xlarge", "eu-west-1a"),
            offer("g5.xlarge", "eu-west-1a", "0.4512", "30h"),
        ]
        .concat(),
    )
    .await;
    let provider = account(&cloud, &[]);
    let listed = list(&provider, &context()).await;
    let why = price(&provider, listed.machine("i-1")).expect_err("unknown");
    assert!(why.ends_with("EC2 gives none for g5.xlarge in eu-west-1c"), "{why}");
    assert!(price(&provider, listed.machine("i-2")).is_err());
}

#[tokio::test]
async fn without_the_permission_spot_prices_are_unknown_and_nothing_else_fails() {
    let denied = "denied = [\"ec2:DescribeSpotPriceHistory\"]\n";
    let world = [denied.to_owned(), spot("i-1", "g5.xlarge", "eu-west-1a")].concat();
    let cloud = cloud(&world).await;
    let provider = account(&cloud, &[]);
    let listed = list(&provider, &context()).await;
    assert_eq!((&listed.ended, listed.machines.len()), (&Ok(()), 1));
    assert!(listed.warnings.is_empty(), "{:?}", listed.warnings);
    let why = price(&provider, listed.machine("i-1")).expect_err("unknown");
    assert!(why.contains("permission ec2:DescribeSpotPriceHistory is missing"), "{why}");
}

#[tokio::test]
async fn without_spot_machines_that_are_there_no_spot_price_is_asked() {
    let gone = spot("i-1", "g5.xlarge", "eu-west-1a") + "state = \"terminated\"\n";
    let cloud = cloud(&[gone, machine("i-2", "g5.xlarge", "")].concat()).await;
    let provider = account(&cloud, &[]);
    let listed = list(&provider, &context()).await;
    assert_eq!((listed.machines.len(), listed.requests), (2, 1));
    let why = price(&provider, listed.machine("i-1")).expect_err("unknown");
    assert!(why.contains("was not asked"), "{why}");
}

#[tokio::test]
async fn fl_014_spot_prices_come_in_pages_and_a_circle_is_no_price() {
    let kinds = ["xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"];
    let world: String = kinds
        .iter()
        .map(|size| {
            let kind = format!("g5.{size}");
            spot(&format!("i-{size}"), &kind, "eu-west-1a")
                + &offer(&kind, "eu-west-1a", "0.5", "5h")
        })
        .collect();
    let paged = cloud(&world).await;
    let provider = account(&paged, &[]);
    let listed = list(&provider, &context()).await;
    assert!(listed.machines.iter().all(|one| price(&provider, one).as_deref() == Ok("0.50")));
    assert_eq!(asked(&paged, "DescribeSpotPriceHistory"), 2);

    let quirk = "[[aws.quirk]]\noperation = \"DescribeSpotPriceHistory\"\nrepeats_token = true\n";
    let circle = cloud(&format!("{world}{quirk}")).await;
    let provider = account(&circle, &[]);
    let listed = list(&provider, &context()).await;
    assert_eq!(listed.ended, Ok(()));
    let why = price(&provider, &listed.machines[0]).expect_err("unknown");
    assert!(why.contains("runs in a circle"), "{why}");
}

#[tokio::test]
async fn a_later_listing_forgets_the_spot_prices_of_the_one_before() {
    let world =
        spot("i-1", "g5.xlarge", "eu-west-1a") + &offer("g5.xlarge", "eu-west-1a", "0.4512", "30h");
    let cloud = cloud(&world).await;
    let provider = account(&cloud, &[]);
    let listed = list(&provider, &context()).await;
    assert_eq!(price(&provider, listed.machine("i-1")).as_deref(), Ok("0.4512"));
    cloud.edit(|world| {
        let account = world.aws.account_mut("111122223333").expect("the account");
        account.denied = vec!["ec2:DescribeSpotPriceHistory".to_owned()];
    });
    let listed = list(&provider, &context()).await;
    assert!(price(&provider, listed.machine("i-1")).is_err());
}

#[tokio::test]
async fn the_price_list_is_asked_with_consent_only() {
    let cloud = cloud(&machine("i-1", "g5.xlarge", "")).await;
    let provider = account(&cloud, &[]);
    let listed = list(&provider, &context()).await;
    assert_eq!((listed.requests, asked(&cloud, "GetProducts")), (1, 0));
    assert_eq!(
        found(&provider, &listed.machines[0]).map(|it| it.source),
        Ok(PriceSource::Catalogue)
    );
}

#[tokio::test]
async fn fl_105_a_price_that_moved_wins_and_is_pointed_out() {
    let cloud = cloud(
        &[
            machine("i-1", "p4d.24xlarge", ""),
            machine("i-2", "g5.xlarge", ""),
            machine("i-3", "p9x.192xlarge", ""),
            machine("i-4", "g4dn.metal", ""),
            listed_price("p4d.24xlarge", "32.7726"),
            listed_price("p9x.192xlarge", "80"),
            listed_price("g4dn.metal", "8.736"),
        ]
        .concat(),
    )
    .await;
    let (provider, cx) = (account(&cloud, &LIVE), context());
    let listed = list(&provider, &cx).await;
    assert_eq!(listed.ended, Ok(()));
    let text = "AWS asks 32.7726 USD per hour for p4d.24xlarge in eu-west-1, the list of \
                2025-07-01 says 23.71569 USD: its own is used";
    let differs = ("price-differs".to_owned(), text.to_owned(), "aws/p4d.24xlarge".to_owned());
    assert_eq!(listed.warnings, [differs]);
    let at = |id: &str| found(&provider, listed.machine(id)).expect("a price");
    assert_eq!(at("i-1").money.all_digits(), "32.7726");
    assert_eq!(at("i-1").as_of, cx.now.date_naive());
    assert_eq!(at("i-2").source, PriceSource::ProviderApi);
    assert_eq!(at("i-3").money.all_digits(), "80.00", "a hole of the dated list is filled");
    assert_eq!(at("i-4").money.all_digits(), "8.736", "no hypervisor, and found all the same");
}

#[tokio::test]
async fn each_type_and_region_is_asked_once_a_day() {
    let world = ["i-1", "i-2", "i-3"].map(|id| machine(id, "g5.xlarge", ""));
    let cloud = cloud(&world.concat()).await;
    let provider = account(&cloud, &LIVE);
    for _ in 0..2 {
        list(&provider, &context()).await;
    }
    assert_eq!(asked(&cloud, "GetProducts"), 1);
    list(&provider, &at("2026-12-01T00:00:00Z")).await;
    assert_eq!(asked(&cloud, "GetProducts"), 2);
}

#[tokio::test]
async fn without_the_permission_the_dated_list_holds_and_it_is_said() {
    let denied = "denied = [\"pricing:GetProducts\"]\n";
    let world =
        [denied.to_owned(), machine("i-1", "p4d.24xlarge", ""), machine("i-2", "g5.xlarge", "")]
            .concat();
    let cloud = cloud(&world).await;
    let provider = account(&cloud, &LIVE);
    let listed = list(&provider, &context()).await;
    assert_eq!(listed.ended, Ok(()));
    let requests = cloud.requests();
    let bodies: BTreeSet<_> = requests.of("GetProducts").iter().map(|one| &one.body).collect();
    assert_eq!(bodies.len(), 1, "the second type would be refused like the first");
    let [(code, text, subject)] = listed.warnings.as_slice() else { panic!("one warning") };
    assert_eq!((code.as_str(), subject.as_str()), ("prices-unread", "eu-west-1"));
    assert!(text.contains("permission pricing:GetProducts is missing"), "{text}");
    let price = found(&provider, listed.machine("i-1")).expect("a price");
    assert_eq!(price.source, PriceSource::Catalogue);
}

#[tokio::test]
async fn fl_103_a_type_that_the_price_list_does_not_have_stays_unknown() {
    let cloud = cloud(&machine("i-1", "p9x.192xlarge", "")).await;
    let provider = account(&cloud, &LIVE);
    let listed = list(&provider, &context()).await;
    let why = price(&provider, &listed.machines[0]).expect_err("unknown");
    assert!(why.contains("no price of p9x.192xlarge in eu-west-1 is known"), "{why}");
    assert!(provider.price(&listed.machines[0]).value().is_none());
}

/// A product of the price list as a text of JSON, quoted.
fn product(currency: &str, amount: &str) -> String {
    let text = format!(
        r#"{{"product":{{"attributes":{{"instanceType":"g5.xlarge"}}}},"terms":{{"OnDemand":{{"a":
        {{"priceDimensions":{{"b":{{"unit":"Hrs","pricePerUnit":{{"{currency}":"{amount}"}}}}}}}}}}}}}}"#
    );
    format!("\"{}\"", text.replace('\n', "").replace('"', "\\\""))
}

#[tokio::test]
async fn fl_113_of_several_prices_the_highest_counts_and_two_currencies_are_not_compared() {
    let (low, high) = (product("USD", "1.10"), product("USD", "1.20"));
    for (products, expected, warned) in [
        (format!("[{low},{high}]"), "1.20", false),
        (format!("[{high},{}]", product("CNY", "7.00")), "1.123", true),
        ("[\"{\"]".to_owned(), "1.123", true),
        (format!("[\"{{\",{low}]"), "1.10", false),
        ("[]".to_owned(), "1.123", false),
        ("null".to_owned(), "1.123", false),
    ] {
        let body = format!(r#"{{"FormatVersion":"aws_v1","PriceList":{products}}}"#);
        let server = Server::start(move |request| match request.action() {
            "GetProducts" => Answer(200, String::new(), body.clone()),
            _ => page(&[crate::support::machine("i-1", "g5.xlarge", OWNED)], ""),
        })
        .await;
        let mut settings = server.settings();
        settings.options.insert("live_prices".to_owned(), "true".to_owned());
        let provider = open(settings);
        let listed = list(&provider, &context()).await;
        assert_eq!(price(&provider, &listed.machines[0]).as_deref(), Ok(expected), "{products}");
        assert_eq!(
            listed.warnings.iter().any(|one| one.0 == "prices-unread"),
            warned,
            "{products}"
        );
    }
}
