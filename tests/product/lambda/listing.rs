//! What is read of Lambda, at its pace, and what is left alone.

use tokio::time::Instant;

use serde_json::json;

use super::{HURRY, PATIENT, instance};
use crate::support::{LAMBDA, OWNERLESS, found, warnings};

#[tokio::test(flavor = "multi_thread")]
async fn fl_067_thirty_machines_are_read_at_one_request_a_second_without_a_ban() {
    let world: String = (0..30).map(|number| instance(&format!("m-{number}"), "")).collect();
    let sim = LAMBDA.serve(&world).await;
    let document = LAMBDA.audit(&sim, OWNERLESS).await.exits(0).json();
    assert_eq!(document["totals"]["orphans"], 30);
    let requests = sim.cloud.requests();
    let banned = requests.all().iter().filter(|it| it.status.is_some_and(|it| it == 429));
    assert_eq!(banned.count(), 0);
    assert!(requests.len() <= 4, "no call per machine: {}", requests.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_051_a_stop_rule_never_terminates_and_says_that_nothing_else_is_there() {
    let sim = LAMBDA.serve(&format!("{PATIENT}{}", instance("m-1", ""))).await;
    let tail = format!("{HURRY}{OWNERLESS}");
    let document = LAMBDA.audit(&sim, &tail).await.exits(0).json();
    let machine = found(&document, "m-1");
    assert_eq!(
        (&machine["verdict"], &machine["action"]["wanted"]),
        (&json!("orphan"), &json!("stop"))
    );
    assert_eq!(machine["action"]["planned"], "report");
    let table = LAMBDA.table(&sim, &tail).await.exits(0).stdout;
    assert!(table.contains("cannot be stopped, only terminated"), "{table}");
    assert!(table.contains("loses data on"), "{table}");
    assert!(sim.cloud.requests().changing().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_086_fl_088_odd_machines_are_listed_and_the_others_judged() {
    let world = [
        instance("m-1", ""),
        instance(
            "booting",
            "status = \"booting\"\npatch = '{\"name\": null, \"tags\": null, \"new_field\": [1]}'",
        ),
        instance("deep", "status = \"hibernating_deep\""),
        instance("sick", "status = \"unhealthy\""),
    ]
    .concat();
    let sim = LAMBDA.serve(&format!("{PATIENT}{world}")).await;
    let tail = format!("{HURRY}{OWNERLESS}");
    let document = LAMBDA.audit(&sim, &tail).await.exits(0).json();
    assert_eq!(found(&document, "m-1")["verdict"], "orphan");
    let booting = found(&document, "booting");
    assert_eq!((&booting["state"], &booting["name"]), (&json!("pending"), &json!(null)));
    let deep = found(&document, "deep");
    assert_eq!(
        (&deep["provider_state"], &deep["billing"]),
        (&json!("hibernating_deep"), &json!("unknown"))
    );
    assert!(warnings(&document).contains(&"state-unknown"));
    assert_eq!(found(&document, "sick")["billing"], "billed");
    let table = LAMBDA.table(&sim, &tail).await.exits(0).stdout;
    assert!(table.contains("failed (unhealthy), still billed"), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_069_a_ban_for_a_day_ends_the_scope_and_not_the_patience() {
    let fault = "[[fault]]\noperation = \"GET /api/v1/instances\"\nthen = { throttle = { retry_after = 86400 } }\n";
    let sim = LAMBDA.serve(&format!("{PATIENT}{fault}{}", instance("m-1", ""))).await;
    let started = Instant::now();
    let ran = LAMBDA.audit(&sim, &format!("{HURRY}{OWNERLESS}")).await.exits(4);
    assert!(started.elapsed().as_secs() < 30);
    assert!(!ran.all().contains("<html"), "{}", ran.all());
}
