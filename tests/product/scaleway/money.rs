//! What Scaleway's servers cost, also those that look off.

use serde_json::json;

use super::server;
use crate::support::{OWNERLESS, SCALEWAY, found, warnings};

#[tokio::test(flavor = "multi_thread")]
async fn fl_050_standby_is_stopped_but_billed_and_stopped_is_not() {
    let world = [
        server("standby", "fr-par-2", "state = \"stopped in place\""),
        server("off", "fr-par-2", "state = \"stopped\"\naddresses = [\"ip-1\"]"),
    ]
    .concat();
    let sim = SCALEWAY.serve(&world).await;
    let document = SCALEWAY.audit(&sim, OWNERLESS).await.exits(0).json();
    let standby = found(&document, "standby");
    assert_eq!(standby["verdict"], "orphan");
    assert_eq!(
        (&standby["billing"], &standby["stopped_but_billed"]),
        (&json!("billed"), &json!(true))
    );
    assert_eq!(standby["cost"]["since_start"], json!({"amount": "189.00", "currency": "EUR"}));
    assert_eq!(standby["action"]["wanted"], "stop");
    let off = found(&document, "off");
    assert_eq!((&off["billing"], &off["verdict"]), (&json!("not-billed"), &json!("ok")));
    let kinds: Vec<&str> = off["action"]["still_charged"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["volume", "address"]);

    for format in ["table", "markdown"] {
        let ran = SCALEWAY.run(&sim, OWNERLESS, &["audit", "--format", format]).await.exits(0);
        assert!(ran.stdout.contains("1 stopped but billed"), "{}", ran.stdout);
        assert!(
            ran.stdout
                .contains("stopped but billed: \"stopped in place\" still costs the full price"),
            "{}",
            ran.stdout
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_053_what_a_power_off_would_erase_is_said() {
    let world = server("a", "fr-par-2", "type = \"L40S-1-48G\"\nscratch_gb = 1600");
    let sim = SCALEWAY.serve(&world).await;
    let ran = SCALEWAY.table(&sim, OWNERLESS).await.exits(0);
    assert!(ran.stdout.contains("loses data on 1600 GB of local disks"), "{}", ran.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_105_scaleways_own_price_wins_and_the_difference_is_pointed_out() {
    let dearer = "[scaleway.types.\"L4-1-24G\"]\nvcpus = 8\nram_gib = 48\nhourly = 0.99\n\
                  gpu = { name = \"L4\", count = 1, memory_gib = 24 }\n";
    let sim = SCALEWAY.serve(&format!("{dearer}{}", server("a", "fr-par-2", ""))).await;
    let document = SCALEWAY.audit(&sim, OWNERLESS).await.exits(0).json();
    let price = &found(&document, "a")["price"];
    assert_eq!(price["hourly"], json!({"amount": "0.99", "currency": "EUR"}));
    assert_eq!(price["source"], "provider-api");
    assert!(warnings(&document).contains(&"price-differs"), "{}", document["warnings"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_112_minutes_are_billed_as_minutes_and_the_old_line_by_started_hours() {
    let world = [
        server("minutes", "fr-par-2", "type = \"L40S-1-48G\"\ncreated = \"10m\""),
        server("hours", "fr-par-2", "type = \"RENDER-S\"\ncreated = \"10m\""),
    ]
    .concat();
    let sim = SCALEWAY.serve(&world).await;
    let document = SCALEWAY.audit(&sim, OWNERLESS).await.exits(0).json();
    let cost = |id| found(&document, id)["cost"]["since_start"]["amount"].clone();
    assert_eq!(cost("minutes"), "0.24", "a sixth of 1.469916");
    assert_eq!(cost("hours"), "1.22", "a full hour of 1.221");
}
