//! What a project has been billed, as the adapter reads it.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Bill, BillKind};
use reaper_provider::{
    AccountSettings, CallContext, ErrorKind, Provider, ProviderError, RequestCounter,
};
use reaper_simcloud::{Effect, Fault, SimCloud};

use crate::kit::{PROJECT, identity, machine, now, open, settings, start, world};

const USAGE: &str = "GET /cloud/project/{project}/usage/current";
const CATALOGUE: &str = "GET /order/catalog/public/cloud";

async fn bill_at(settings: &AccountSettings, now: DateTime<Utc>) -> Result<Bill, ProviderError> {
    let cx = CallContext { now, requests: RequestCounter::default() };
    open(settings).bill(&cx, &identity()).await.map(|bill| bill.expect("OVHcloud has bills"))
}

async fn bill(cloud: &SimCloud) -> Bill {
    bill_at(&settings(cloud), now()).await.expect("a bill")
}

/// `native kind type hours amount` of each line.
fn shown(bill: &Bill) -> Vec<String> {
    bill.lines
        .iter()
        .map(|line| {
            let native = line.native.as_deref().unwrap_or("-");
            let machine_type = line.machine_type.as_ref().map_or("-", |kind| kind.as_str());
            let hours = line.hours.map_or("-".to_owned(), |hours| hours.normalize().to_string());
            let amount = line.amount.map_or("-".to_owned(), |amount| amount.to_string());
            format!("{native} {:?} {machine_type} {hours} {amount}", line.kind)
        })
        .collect()
}

fn charge(part: &str, more: &str) -> String {
    format!("[[ovhcloud.charge]]\nproject = \"{PROJECT}\"\npart = \"{part}\"\n{more}\n")
}

fn denying(rights: &str, text: &str) -> reaper_simcloud::World {
    let mut world = world(text);
    let project = world.ovhcloud.project_mut(PROJECT).expect("the project");
    project.denied = rights.split(' ').map(str::to_owned).collect();
    world
}

#[tokio::test]
async fn fl_109_every_machine_is_a_line_by_the_hour_or_by_the_month() {
    let text = [
        machine("a", "h100-380", ""),
        machine("b", "l4-90", "status = \"SHUTOFF\""),
        machine("c", "a100-180", "monthly_since = \"720h\""),
        machine("d", "l4-90", "status = \"SHELVED_OFFLOADED\""),
        machine("e", "b2-7", ""),
        charge("volume", "region = \"GRA11\"\namount = \"5.28\""),
        charge(
            "instance",
            "region = \"SBG5\"\ninstance = \"gone\"\nplan = \"l4-90.consumption\"\n\
             hours = \"480\"\namount = \"360\"",
        ),
    ];
    let cloud = start(world(&text.concat())).await;
    let bill = bill(&cloud).await;
    assert_eq!((bill.provider.as_str(), bill.account.as_str()), ("ovhcloud", PROJECT));
    assert_eq!(bill.from.to_rfc3339(), "2026-11-01T00:00:00+00:00");
    assert_eq!(bill.until, now());
    assert_eq!(
        shown(&bill),
        [
            "e Other b2-7 657 44.74 EUR",
            "a Compute h100-380 657 1,839.60 EUR",
            "b Compute l4-90 657 492.75 EUR",
            "gone Compute l4-90 480 360.00 EUR",
            "- Other - - 5.28 EUR",
            "c Compute a100-180 - 1,100.00 EUR",
        ]
    );
    assert_eq!(bill.notes, [""; 0]);
    assert_eq!(cloud.requests().of(USAGE).len(), 1, "one call for all regions");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn a_machine_that_is_gone_stays_on_the_bill_and_a_shelved_one_costs_until_then() {
    let text = [machine("a", "h100-380", ""), machine("b", "l4-90", "")];
    let cloud = start(world(&text.concat())).await;
    bill(&cloud).await;
    let later = now() + TimeDelta::minutes(90);
    cloud.edit(|world| {
        world.clock.set(later);
        assert!(world.remove("a"));
        world.ovhcloud.instance_mut("b").expect("there").status = "SHELVED".to_owned();
    });
    let evening = now() + TimeDelta::hours(12);
    bill_at(&settings(&cloud), later).await.expect("a bill");
    cloud.edit(|world| world.clock.set(evening));
    let bill = bill_at(&settings(&cloud), evening).await.expect("a bill");
    let expected = ["a Compute h100-380 659 1,845.20 EUR", "b Compute l4-90 659 494.25 EUR"];
    assert_eq!(shown(&bill), expected);
}

#[tokio::test]
async fn fl_120_the_age_of_the_data_is_told() {
    let text = format!("bill_age = \"26h\"\n{}", machine("a", "l4-90", ""));
    let cloud = start(world(&text)).await;
    let bill = bill(&cloud).await;
    assert_eq!(bill.until, now() - TimeDelta::hours(26));
    assert_eq!(shown(&bill), ["a Compute l4-90 631 473.25 EUR"]);
}

#[tokio::test]
async fn fl_088_null_parts_are_named_and_are_no_zeros() {
    let text = [machine("a", "l4-90", ""), charge("storage", "")];
    let mut world = world(&text.concat());
    let project = world.ovhcloud.project_mut(PROJECT).expect("the project");
    project.usage_null = ["monthlyUsage", "resourcesUsage", "period", "hourlyUsage.volume"]
        .map(str::to_owned)
        .into();
    let cloud = start(world).await;
    let bill = bill(&cloud).await;
    assert_eq!(shown(&bill), ["a Compute l4-90 657 492.75 EUR", "- Other - - -"]);
    let words = "OVHcloud's usage leaves out hourlyUsage.storage.totalPrice, hourlyUsage.volume, \
                 monthlyUsage, resourcesUsage";
    assert_eq!(bill.notes, [words]);
    assert_eq!(bill.until, now(), "the last update tells it, too");
}

#[tokio::test]
async fn the_currency_is_the_accounts_or_the_named_books_and_never_guessed() {
    let pounds = || {
        let mut world = world(&machine("a", "l4-90", ""));
        world.ovhcloud.project_mut(PROJECT).expect("the project").currency = "GBP".to_owned();
        world
    };
    let cloud = start(pounds()).await;
    assert_eq!(shown(&bill(&cloud).await), ["a Compute l4-90 657 492.75 GBP"]);
    assert!(cloud.requests().of(CATALOGUE).is_empty(), "8 MB for three letters");

    // The login may not read the account, and the French book would be a guess.
    let cloud = start(denying("me/get", &machine("a", "l4-90", ""))).await;
    let guessed = bill_at(&settings(&cloud), now()).await.expect_err("no currency");
    let permission = "account:apiovh:me/get".to_owned();
    assert_eq!(guessed.kind, ErrorKind::Denied { permission });
    assert!(guessed.detail.contains("or set `subsidiary`"), "{guessed}");
    let mut told = settings(&cloud);
    told.options.insert("subsidiary".to_owned(), "GB".to_owned());
    let told = bill_at(&told, now()).await.expect("a bill");
    assert_eq!(shown(&told), ["a Compute l4-90 657 492.75 GBP"]);

    // What costs nothing needs no currency.
    let cloud = start(denying("me/get", "")).await;
    assert_eq!(shown(&bill(&cloud).await), [""; 0]);
}

#[tokio::test]
async fn a_missing_right_is_named_and_the_machines_are_listed_all_the_same() {
    let cloud = start(denying("usage/current/get", &machine("a", "l4-90", ""))).await;
    let error = bill_at(&settings(&cloud), now()).await.expect_err("denied");
    let permission = "publicCloudProject:apiovh:usage/current/get".to_owned();
    assert_eq!(error.kind, ErrorKind::Denied { permission });
    assert_eq!(crate::kit::machines(&cloud).await.len(), 1);
}

#[tokio::test]
async fn a_project_without_usage_or_in_a_month_just_begun_has_an_empty_bill() {
    let cloud = start(world(&machine("a", "l4-90", ""))).await;
    cloud.add_fault(
        Fault::always(Effect::Answer {
            status: 404,
            body: r#"{"class":"Client::NotFound","message":"No usages found"}"#.to_owned(),
            content_type: "application/json".to_owned(),
        })
        .at(USAGE),
    );
    let bill = bill(&cloud).await;
    assert_eq!((bill.until, bill.lines.len()), (bill.from, 0));
    assert_eq!(bill.notes.len(), 1, "{:?}", bill.notes);

    // OVHcloud has not turned the page yet.
    let cloud = start(world(&machine("a", "l4-90", ""))).await;
    let next = "2026-12-01T00:00:30Z".parse().expect("a time");
    let bill = bill_at(&settings(&cloud), next).await.expect("a bill");
    assert_eq!(bill.from.to_rfc3339(), "2026-12-01T00:00:00+00:00");
    assert_eq!((bill.until, bill.lines.len()), (bill.from, 0), "November is no part of December");
    assert!(bill.notes[0].contains("of 2026-11"), "{:?}", bill.notes);
}

#[tokio::test]
async fn faults_are_errors_and_no_bill_of_nothing() {
    let cloud = start(world(&machine("a", "l4-90", ""))).await;
    cloud.add_fault(
        Fault::always(Effect::Answer {
            status: 503,
            body: "<html><body>down</body></html>".to_owned(),
            content_type: "text/html".to_owned(),
        })
        .at(USAGE),
    );
    let error = bill_at(&settings(&cloud), now()).await.expect_err("down");
    assert_eq!(error.kind, ErrorKind::ServerFault);
    assert_eq!(cloud.requests().of(USAGE).len(), 2, "tried again");
}

/// The recorded answer, served letter for letter by the simulated OVHcloud.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test that needs a folder outside of the crate")]
async fn the_recorded_usage_is_read_whole() {
    let Some(root) = std::env::var_os("REAPER_RECORDED") else { return };
    let file = std::path::Path::new(&root).join("ovhcloud/derived__GET_usage_current_200.json");
    let mut world = world("");
    let project = world.ovhcloud.project_mut(PROJECT).expect("the project");
    project.usage = Some(std::fs::read_to_string(file).expect("there"));
    let cloud = start(world).await;
    let now = "2026-08-21T09:00:00Z".parse().expect("a time");
    let bill = bill_at(&settings(&cloud), now).await.expect("a bill");
    assert_eq!(bill.until.to_rfc3339(), "2026-08-20T23:10:00+00:00");
    let compute = bill.lines.iter().filter(|line| line.kind == BillKind::Compute);
    let natives: Vec<_> = compute.filter_map(|line| line.native.as_deref()).collect();
    let ends =
        ["01", "02", "99", "04"].map(|end| format!("0a1b2c3d-0000-4000-8000-0000000000{end}"));
    assert_eq!(natives, ends, "the deleted one too");
}
