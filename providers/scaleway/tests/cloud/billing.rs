//! What an organisation has consumed, as the adapter reads it.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Bill, BillKind, Span};
use reaper_provider::{ErrorKind, ProviderError};
use reaper_simcloud::scaleway::{Consumption, Recording, Server};
use reaper_simcloud::{Effect, Fault};
use rust_decimal::Decimal;

use crate::common::{Cloud, ORGANIZATION, PROJECT, context, identity};

const CONSUMPTIONS: &str = "GET /billing/v2beta1/consumptions";
const PATH: &str = "/billing/v2beta1/consumptions";

/// Two weeks after the world began.
fn mid_january() -> DateTime<Utc> {
    "2026-01-15T12:00:00Z".parse().expect("a time")
}

async fn try_bill(cloud: &Cloud, now: DateTime<Utc>) -> Result<Bill, ProviderError> {
    cloud.sim.edit(|world| world.clock.set(now));
    let bill = cloud.provider().bill(&context(now), &identity()).await;
    bill.map(|bill| bill.expect("Scaleway has bills"))
}

async fn bill(cloud: &Cloud) -> Bill {
    try_bill(cloud, mid_january()).await.expect("a bill")
}

/// `kind type zone hours amount` of each line.
fn shown(bill: &Bill) -> Vec<String> {
    bill.lines
        .iter()
        .map(|line| {
            let machine_type = line.machine_type.as_ref().map_or("-", |kind| kind.as_str());
            let zone = line.location.as_ref().map_or("-", |zone| zone.as_str());
            let hours = line.hours.map_or("-".to_owned(), |hours| hours.normalize().to_string());
            let amount = line.amount.map_or("-".to_owned(), |amount| amount.to_string());
            format!("{:?} {machine_type} {zone} {hours} {amount}", line.kind)
        })
        .collect()
}

fn server(zone: &str, id: &str, kind: &str) -> Server {
    Server::new(ORGANIZATION, zone, id, kind)
}

fn consumption(number: usize, cents: i64) -> Consumption {
    Consumption {
        organization: ORGANIZATION.to_owned(),
        product: "Block Storage Volume".to_owned(),
        resource: format!("Block Storage {number}"),
        sku: format!("/storage/block/volume-{number}/fr-par-2"),
        category: "Storage".to_owned(),
        unit: "gigabyte_hour".to_owned(),
        quantity: "13280".to_owned(),
        amount: Some(Decimal::new(cents, 2)),
        ..Consumption::default()
    }
}

#[tokio::test]
async fn fl_112_servers_are_summed_by_type_and_their_hours_are_told_by_the_amount() {
    let cloud = Cloud::start(|world| {
        let servers = [
            server("fr-par-2", "a", "L4-1-24G"),
            server("fr-par-2", "b", "L4-1-24G"),
            server("fr-par-1", "c", "RENDER-S"),
            server("fr-par-2", "d", "PRO2-XXS"),
            server("fr-par-2", "e", "H100-SXM-8-80G").state("stopped", ""),
            Server {
                project: Some(PROJECT.to_owned()),
                ..server("pl-waw-2", "f", "L40S-1-48G").state("stopped in place", "")
            },
        ];
        for server in servers {
            world.add_server(server).expect("a new server");
        }
        world.consumptions = vec![consumption(1, 663), consumption(2, -250)];
    })
    .await;
    let bill = bill(&cloud).await;
    assert_eq!((bill.provider.as_str(), bill.account.as_str()), ("scaleway", ORGANIZATION));
    assert_eq!(bill.from.to_rfc3339(), "2026-01-01T00:00:00+00:00");
    assert_eq!(bill.until, mid_january());
    // Fourteen days and a half: 348 hours, of two L4 696.
    assert_eq!(
        shown(&bill),
        [
            "Compute L4-1-24G fr-par-2 696 548.10 EUR",
            "Compute L40S-1-48G pl-waw-2 348 511.53 EUR",
            "Other PRO2-XXS fr-par-2 - 20.88 EUR",
            "Compute RENDER-S fr-par-1 348 424.91 EUR",
            "Other - - - 6.63 EUR",
            "Other - - - -2.50 EUR",
        ]
    );
    assert!(bill.lines.iter().all(|line| line.native.is_none()), "Scaleway does not say");
    assert_eq!(bill.notes, [""; 0]);
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn a_server_that_is_gone_stays_on_the_bill() {
    let cloud = Cloud::start(|world| {
        world.add_server(server("fr-par-2", "a", "L4-1-24G")).expect("a new server");
    })
    .await;
    let noon = mid_january();
    cloud.sim.edit(|world| {
        world.clock.set(noon - TimeDelta::hours(48));
        assert!(world.remove("a"));
    });
    let bill = try_bill(&cloud, noon).await.expect("a bill");
    assert_eq!(shown(&bill), ["Compute L4-1-24G fr-par-2 300 236.25 EUR"]);
    let february = try_bill(&cloud, "2026-02-02T00:00:00Z".parse().expect("a time")).await;
    assert_eq!(shown(&february.expect("a bill")), [""; 0]);
}

#[tokio::test]
async fn fl_110_one_question_for_all_zones_and_one_for_each_configured_project() {
    let build = || {
        Cloud::start(|world| {
            let other =
                Server { project: Some(PROJECT.to_owned()), ..server("fr-par-2", "b", "L4-1-24G") };
            for server in [server("fr-par-1", "a", "L4-1-24G"), other] {
                world.add_server(server).expect("a new server");
            }
        })
    };
    let cloud = build().await;
    assert_eq!(bill(&cloud).await.lines.len(), 2);
    assert_eq!(cloud.requests().of(CONSUMPTIONS).len(), 1);

    let mut cloud = build().await;
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.to_owned()]);
    assert_eq!(shown(&bill(&cloud).await), ["Compute L4-1-24G fr-par-2 348 274.05 EUR"]);
    let both = vec![PROJECT.to_owned(), ORGANIZATION.to_owned()];
    cloud.settings.lists.insert("project_ids".into(), both);
    assert_eq!(bill(&cloud).await.lines.len(), 2);
    assert_eq!(cloud.requests().of(CONSUMPTIONS).len(), 3);
}

#[tokio::test]
async fn pages_are_read_to_the_last_and_counted() {
    let mut cloud = Cloud::start(|world| {
        world.consumptions = (0..250).map(|number| consumption(number, 1)).collect();
    })
    .await;
    let cents = |bill: &Bill| {
        bill.lines.iter().filter_map(|line| line.amount).map(|it| it.amount).sum::<Decimal>()
    };
    let whole = bill(&cloud).await;
    assert_eq!((whole.lines.len(), cents(&whole).to_string()), (250, "2.50".to_owned()));
    assert_eq!(cloud.requests().of(CONSUMPTIONS).len(), 3, "a hundred a page");
    cloud.settings.limits.page_size = Some(40);
    assert_eq!(bill(&cloud).await.lines.len(), 250);
}

/// The recounting happens between the pages: nobody knows which lines are of which count.
#[tokio::test]
async fn a_list_that_changes_while_it_is_read_is_read_again() {
    let page = |from: usize, updated: &str| {
        let lines: Vec<String> =
            (from..from + 2).map(|number| format!(r#"{{"sku": "/{number}"}}"#)).collect();
        format!(
            r#"{{"consumptions": [{}], "total_count": 4, "updated_at": "2026-01-15T{updated}Z"}}"#,
            lines.join(",")
        )
    };
    let serve = |second: &'static str| {
        Cloud::start(move |world| {
            world.record(Recording::new(PATH, page(0, "03:00:00")));
            world.record(Recording { page: 2, ..Recording::new(PATH, page(2, second)) });
        })
    };
    assert_eq!(bill(&serve("03:00:00").await).await.lines.len(), 4);
    let torn = serve("09:00:00").await;
    let error = try_bill(&torn, mid_january()).await.expect_err("torn");
    assert_eq!(error.kind, ErrorKind::Inconsistent);
    assert_eq!(torn.requests().of(CONSUMPTIONS).len(), 4, "twice two pages");
}

#[tokio::test]
async fn fl_120_the_age_of_the_data_is_told_and_a_month_just_begun_is_empty() {
    let cloud = Cloud::start(|world| {
        world.bill_age = Span::from_secs(26 * 3600);
        world.add_server(server("fr-par-2", "a", "L4-1-24G")).expect("a new server");
    })
    .await;
    let bill = bill(&cloud).await;
    assert_eq!(bill.until, mid_january() - TimeDelta::hours(26));
    assert_eq!(shown(&bill), ["Compute L4-1-24G fr-par-2 322 253.58 EUR"]);
    let first = "2026-02-01T00:00:30Z".parse().expect("a time");
    let bill = try_bill(&cloud, first).await.expect("a bill");
    assert_eq!(bill.from.to_rfc3339(), "2026-02-01T00:00:00+00:00");
    assert_eq!((bill.until, bill.lines.len()), (bill.from, 0));
}

#[tokio::test]
async fn a_missing_right_is_named_and_the_servers_are_listed_all_the_same() {
    let cloud = Cloud::start(|world| {
        world.organization_mut(ORGANIZATION).expect("there").denied.push("billing".to_owned());
        world.add_server(server("fr-par-2", "a", "L4-1-24G")).expect("a new server");
    })
    .await;
    let error = try_bill(&cloud, mid_january()).await.expect_err("denied");
    assert_eq!(error.kind, ErrorKind::Denied { permission: "BillingReadOnly".to_owned() });
    assert_eq!(cloud.list("fr-par-2").await.complete().len(), 1);
}

#[tokio::test]
async fn fl_069_a_throttle_is_waited_out_and_a_fault_is_no_bill_of_nothing() {
    let cloud = Cloud::start(|world| world.consumptions = vec![consumption(1, 663)]).await;
    let throttle = Effect::Throttle { retry_after: None };
    cloud.sim.add_fault(Fault::always(throttle).first(1).at(CONSUMPTIONS));
    assert_eq!(bill(&cloud).await.lines.len(), 1);

    let cloud = Cloud::start(|world| world.consumptions = vec![consumption(1, 663)]).await;
    let html = "<html><body>Bad gateway</body></html>".to_owned();
    let down = Effect::Answer { status: 502, body: html, content_type: "text/html".to_owned() };
    cloud.sim.add_fault(Fault::always(down).at(CONSUMPTIONS));
    let error = try_bill(&cloud, mid_january()).await.expect_err("down");
    assert_eq!(error.kind, ErrorKind::ServerFault);
}

#[tokio::test]
async fn fl_088_an_answer_without_a_list_is_no_list_of_nothing() {
    let serve = |body: &str| {
        let body = body.to_owned();
        Cloud::start(move |world| world.record(Recording::new(PATH, body)))
    };
    let null = serve(r#"{"consumptions": null, "updated_at": "2026-01-15T03:00:00Z"}"#).await;
    let bill = bill(&null).await;
    assert_eq!((bill.until, bill.lines.len()), (bill.from, 0));
    assert!(bill.notes[0].contains("no list"), "{:?}", bill.notes);
    let odd = serve(r#"{"consumptions": {"a": 1}}"#).await;
    let error = try_bill(&odd, mid_january()).await.expect_err("another shape");
    assert_eq!(error.kind, ErrorKind::Protocol);
}

/// A real month of an organisation without GPUs, served letter for letter.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test's own switch, read nowhere else")]
async fn the_recorded_month_is_read_whole_from_one_page() {
    let Some(root) = std::env::var_os("REAPER_RECORDED") else { return };
    let file =
        std::path::Path::new(&root).join("scaleway/recorded__GET_billing_consumptions_200.json");
    let body = std::fs::read_to_string(file).expect("there");
    let cloud = Cloud::start(|world| world.record(Recording::new(PATH, body))).await;
    let now = "2025-01-22T13:12:35Z".parse().expect("a time");
    let bill = try_bill(&cloud, now).await.expect("a bill");
    assert_eq!(bill.until.to_rfc3339(), "2025-01-22T13:03:32.749715+00:00");
    assert_eq!(bill.lines.len(), 333);
    assert!(bill.lines.iter().all(|line| line.kind == BillKind::Other));
    assert_eq!(cloud.requests().of(CONSUMPTIONS).len(), 1);
}
