//! What is read of OVHcloud, whose machines have no tags.

use serde_json::json;

use super::instance;
use crate::support::{OVHCLOUD, OWNERLESS, found, warnings};

#[tokio::test(flavor = "multi_thread")]
async fn fl_035_ten_machines_without_tags_are_no_orphans_and_are_said_once() {
    let world: String = (0..10).map(|number| instance(&format!("m-{number}"), "")).collect();
    let sim = OVHCLOUD.serve(&world).await;
    let missing = "[[rule]]\nname = \"missing-tags\"\nwhen = { missing_tags = [\"project\"] }\n\
                   action = \"stop\"\n";
    let ran = OVHCLOUD.audit(&sim, &format!("{OWNERLESS}{missing}")).await.exits(0);
    let document = ran.json();
    assert_eq!(
        (&document["totals"]["instances"], &document["totals"]["orphans"]),
        (&json!(10), &json!(0))
    );
    let machine = found(&document, "m-3");
    assert_eq!(machine["owner"]["status"], "unreadable");
    assert!(machine["why"].as_str().expect("words").contains("gives no tags"), "{machine}");
    let unknown = warnings(&document).into_iter().filter(|code| *code == "owner-unknown");
    assert_eq!(unknown.count(), 1, "once, not per machine: {}", document["warnings"]);
    assert!(sim.cloud.requests().changing().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_035_names_and_a_map_tell_owners() {
    let world = [
        instance("named", "name = \"carol--train\""),
        instance("mapped", "name = \"box\""),
        instance("nobody", "name = \"box\""),
    ]
    .concat();
    let sim = OVHCLOUD.serve(&world).await;
    let owners = "[owners]\nname_pattern = \"^(?P<owner>[a-z.]+)--\"\n\
                  map = { \"ovhcloud/lab/GRA11/mapped\" = \"alice\" }\n";
    let document = OVHCLOUD.audit(&sim, &format!("{owners}{OWNERLESS}")).await.exits(0).json();
    assert_eq!(found(&document, "named")["owner"]["id"], "carol");
    assert_eq!(found(&document, "mapped")["owner"]["id"], "alice");
    assert_eq!(found(&document, "nobody")["verdict"], "unjudged");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_086_fl_087_one_odd_machine_leaves_nine_alone() {
    let mut world: String = (0..7).map(|number| instance(&format!("m-{number}"), "")).collect();
    world.push_str(&instance("deep", "status = \"HIBERNATING_DEEP\""));
    world.push_str(&instance("volume", "odd = { image = \"\" }"));
    world.push_str(&instance("null", "null = [\"created\"]"));
    world.push_str(&instance("number", "odd = { region = 7 }"));
    let sim = OVHCLOUD.serve(&world).await;
    let rule = "[[rule]]\nname = \"old\"\nwhen = { older_than = \"2h\" }\naction = \"report\"\n";
    let document = OVHCLOUD.audit(&sim, rule).await.exits(0).json();
    assert_eq!(document["totals"]["instances"], 11);
    for number in 0..7 {
        assert_eq!(found(&document, &format!("m-{number}"))["verdict"], "orphan");
    }
    let deep = found(&document, "deep");
    assert_eq!(
        (&deep["provider_state"], &deep["billing"]),
        (&json!("HIBERNATING_DEEP"), &json!("unknown"))
    );
    assert_eq!(found(&document, "volume")["verdict"], "orphan");
    assert_eq!(found(&document, "null")["verdict"], "unjudged", "no date is no age");
    let said = document["warnings"].to_string();
    for word in ["state-unknown", "unreadable-field", "/number"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_071_a_page_of_html_is_read_over_again_and_never_shown() {
    let fault = "[[fault]]\nprovider = \"ovhcloud\"\nfirst = 2\n\
                 then = { answer = { status = 503, body = \"<html><h1>Oops</h1></html>\" } }\n";
    let sim = OVHCLOUD.serve(&format!("{fault}{}", instance("m-1", ""))).await;
    let ran = OVHCLOUD.audit(&sim, OWNERLESS).await.exits(0);
    assert_eq!(ran.json()["totals"]["instances"], 1);
    assert!(ran.stderr.contains("trying again"), "{}", ran.stderr);
    assert!(!ran.all().contains("<h1>"), "{}", ran.all());
}
