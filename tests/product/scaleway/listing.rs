//! What is read of Scaleway, and what is said of what is not.

use serde_json::json;

use super::server;
use crate::support::{OWNERLESS, SCALEWAY, classes, found, scope, warnings};

/// 120 servers, of which number 118 alone has no owner.
fn fleet() -> String {
    (0..120)
        .map(|number| {
            let tags = if number == 118 { "" } else { "tags = [\"owner=alice\"]" };
            server(&format!("s-{number:03}"), "fr-par-2", tags)
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_013_the_orphan_on_the_second_page_is_found() {
    let sim = SCALEWAY.serve(&fleet()).await;
    let tail = format!("zones = [\"fr-par-2\"]\n{OWNERLESS}");
    let document = SCALEWAY.audit(&sim, &tail).await.exits(0).json();
    assert_eq!(document["totals"]["instances"], 120);
    assert_eq!(document["totals"]["orphans"], 1);
    assert_eq!(found(&document, "s-118")["verdict"], "orphan");
    assert!(sim.cloud.requests().changing().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_013_announced_and_not_shown_is_incomplete_with_both_numbers() {
    let quirk = "[[scaleway.quirk]]\nzone = \"fr-par-2\"\nannounces_more = 1\n";
    let sim = SCALEWAY.serve(&format!("{quirk}{}", fleet())).await;
    let tail = format!("zones = [\"fr-par-2\"]\n{OWNERLESS}");
    let ran = SCALEWAY.audit(&sim, &tail).await.exits(4);
    classes(&ran, &["incomplete", "findings"]);
    let document = ran.json();
    let zone = scope(&document, "fr-par-2");
    assert_eq!(zone["status"], "partial");
    let why = zone["why"].as_str().expect("words");
    assert!(why.contains("121") && why.contains("120"), "{why}");
    assert_eq!(found(&document, "s-118")["verdict"], "orphan", "what was read counts");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_092_a_server_on_two_pages_is_counted_and_priced_once() {
    let late = server("late", "fr-par-2", "created = \"3h\"\nappears_at_page = 2");
    let sim = SCALEWAY.serve(&format!("{}{late}", fleet())).await;
    let tail = format!("zones = [\"fr-par-2\"]\n{OWNERLESS}");
    let document = SCALEWAY.audit(&sim, &tail).await.exits(0).json();
    let machines = document["instances"].as_array().expect("a list");
    let mut ids: Vec<&str> = machines.iter().filter_map(|it| it["native_id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((machines.len(), ids.len()), (121, 121));
    assert_eq!(document["totals"]["orphans"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_016_a_new_zone_is_read_when_named_and_the_others_are_said() {
    let zones = "[scaleway]\nzones = [\"fr-par-2\", \"es-mad-1\"]\n";
    let sim = SCALEWAY.serve(&format!("{zones}{}", server("a", "es-mad-1", ""))).await;
    let tail = format!("zones = [\"es-mad-1\"]\n{OWNERLESS}");
    let ran = SCALEWAY.table(&sim, &tail).await.exits(0);
    assert!(ran.stdout.contains("complete scaleway/poc: es-mad-1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("not scanned: fr-par-1, fr-par-2"), "{}", ran.stdout);
    let document = SCALEWAY.audit(&sim, &tail).await.json();
    assert_eq!(found(&document, "a")["verdict"], "orphan");
    assert!(warnings(&document).contains(&"not-scanned"));
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_018_a_project_name_or_a_strange_project_is_never_an_empty_account() {
    let sim = SCALEWAY.serve(&server("a", "fr-par-2", "")).await;
    let named = format!("project_ids = [\"research\"]\n{OWNERLESS}");
    let ran = SCALEWAY.audit(&sim, &named).await.exits(2);
    assert!(
        ran.stderr.contains("project_ids") && ran.stderr.contains("research"),
        "{}",
        ran.stderr
    );
    assert!(sim.cloud.requests().is_empty());

    let strange = "project_ids = [\"99999999-9999-4999-8999-000000000009\"]\n";
    let ran = SCALEWAY.audit(&sim, &format!("{strange}{OWNERLESS}")).await.exits(4);
    assert!(ran.json()["scopes"].to_string().contains("99999999-9999"), "{}", ran.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_036_plain_words_and_pairs_are_read_alike() {
    let tags = "tags = [\"owner=a@example.org\", \"project:atlas\", \"reaper-keep\", \"owner=\", \
                \"note=a=b\"]";
    let sim = SCALEWAY.serve(&server("a", "fr-par-2", tags)).await;
    let rule = "[[rule]]\nname = \"old\"\nwhen = { older_than = \"2h\", owner = [\"conflicting\", \
                \"known\"] }\naction = \"stop\"\n";
    let document = SCALEWAY.audit(&sim, rule).await.exits(0).json();
    let machine = found(&document, "a");
    assert_eq!(machine["verdict"], "protected");
    assert!(machine["protected"].to_string().contains("reaper-keep"), "{machine}");
    assert_eq!(machine["owner"]["status"], "conflicting", "{machine}");
    assert_eq!(machine["tags"]["project"], "atlas");
    assert_eq!(machine["tags"]["note"], "a=b");
    assert_eq!(
        machine["raw_tags"],
        json!(["note=a=b", "owner=", "owner=a@example.org", "project:atlas", "reaper-keep"]),
        "as they came, in order"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_064_a_zone_without_the_product_is_incomplete_only_when_named() {
    let zones = "[scaleway]\nzones = [\"fr-par-2\"]\n";
    let sim = SCALEWAY.serve(&format!("{zones}{}", server("a", "fr-par-2", ""))).await;
    let ran = SCALEWAY.audit(&sim, OWNERLESS).await.exits(0);
    assert_eq!(ran.json()["totals"]["orphans"], 1);
    assert!(!ran.all().contains("EOF") && !ran.all().contains("expected value"), "{}", ran.all());

    let tail = format!("zones = [\"fr-par-2\", \"fr-par-3\"]\n{OWNERLESS}");
    let document = SCALEWAY.audit(&sim, &tail).await.exits(4).json();
    assert_eq!(scope(&document, "fr-par-3")["status"], "failed");
    assert_eq!(document["totals"]["orphans"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_069_a_wait_of_a_day_is_not_slept_but_said() {
    let fault =
        "[[fault]]\nlocation = \"fr-par-1\"\nthen = { throttle = { retry_after = 86400 } }\n";
    let world = format!("{fault}{}", server("a", "fr-par-2", ""));
    let sim = SCALEWAY.serve(&world).await;
    let tail = format!("zones = [\"fr-par-1\", \"fr-par-2\"]\n{OWNERLESS}");
    let document = SCALEWAY.audit(&sim, &tail).await.exits(4).json();
    assert_eq!(scope(&document, "fr-par-1")["status"], "failed");
    assert_eq!(document["totals"]["orphans"], 1, "the other zone is read");
    assert!(
        sim.cloud.requests().all().iter().filter(|it| it.call.location == "fr-par-1").count() <= 2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_071_a_gateways_page_costs_a_warning_and_is_never_shown() {
    let fault = "[[fault]]\nprovider = \"scaleway\"\nlocation = \"fr-par-2\"\nfirst = 1\n\
                 then = { answer = { status = 502, body = \"<html><h1>Bad Gateway</h1></html>\" } }\n";
    let sim = SCALEWAY.serve(&format!("{fault}{}", server("a", "fr-par-2", ""))).await;
    let tail = format!("zones = [\"fr-par-2\"]\n{OWNERLESS}");
    let ran = SCALEWAY.audit(&sim, &tail).await.exits(0);
    assert_eq!(ran.json()["totals"]["orphans"], 1);
    assert_eq!(ran.stderr.matches("trying again").count(), 1, "{}", ran.stderr);
    assert!(!ran.all().contains("<h1>"), "{}", ran.all());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_086_fl_090_state_words_are_shown_as_they_come_and_matched_without_case() {
    let world = [
        server("new", "fr-par-2", "state = \"hibernating deep\"\ntags = [\"owner=alice\"]"),
        server("standby", "fr-par-2", "state = \"stopped in place\"\ntags = [\"owner=alice\"]"),
        server("up", "fr-par-2", ""),
    ]
    .concat();
    let sim = SCALEWAY.serve(&world).await;
    let rule = "[[rule]]\nname = \"standby\"\nwhen = { state = \"Stopped In Place\" }\n\
                action = \"report\"\n";
    let ran = SCALEWAY.audit(&sim, &format!("{OWNERLESS}{rule}")).await.exits(0);
    let document = ran.json();
    assert_eq!(document["totals"]["orphans"], 2, "the others are judged as usual");
    assert_eq!(found(&document, "standby")["findings"][0]["rule"], "standby");
    assert_eq!(found(&document, "standby")["provider_state"], "stopped in place");
    let new = found(&document, "new");
    assert_eq!(
        (&new["provider_state"], &new["billing"]),
        (&json!("hibernating deep"), &json!("unknown"))
    );
    assert!(warnings(&document).contains(&"state-unknown"));
    let table = SCALEWAY.table(&sim, OWNERLESS).await;
    assert!(table.stdout.contains("hibernating deep"), "{}", table.stdout);
}
