//! `reaper demo`: what a newcomer sees first.

use crate::schema::validates;
use crate::support::Reaper;

#[test]
fn the_forgotten_a100_has_cost_2520_euro() {
    let ran = Reaper::new().run(&["demo"]).exits(0);
    assert!(ran.stdout.contains("2,520.00 EUR"), "{}", ran.stdout);
    assert!(ran.stdout.contains("notebook-test"), "{}", ran.stdout);
}

#[test]
fn the_demo_is_a_complete_document() {
    let document = Reaper::new().run(&["demo", "--format", "json", "-q"]).exits(0).json();
    validates("audit", &document);
    let machines = document["instances"].as_array().expect("a list");
    let forgotten = machines
        .iter()
        .find(|machine| machine["name"] == "notebook-test")
        .expect("the forgotten notebook");
    assert_eq!(forgotten["verdict"], "orphan");
    assert_eq!(forgotten["age_hours"], "720.0");
    assert_eq!(forgotten["cost"]["since_start"]["amount"], "2520.00");
    assert_eq!(forgotten["cost"]["since_start"]["currency"], "EUR");
}

#[test]
fn four_clouds_are_shown_and_what_looks_off_but_is_billed() {
    let document = Reaper::new().run(&["demo", "--format", "json", "-q"]).exits(0).json();
    let machines = document["instances"].as_array().expect("a list");
    for provider in ["aws", "scaleway", "ovhcloud", "lambda"] {
        let mut own = machines.iter().filter(|machine| machine["provider"] == provider);
        assert!(own.any(|machine| machine["verdict"] == "orphan"), "{provider}");
    }
    let mut off: Vec<&str> = machines
        .iter()
        .filter(|machine| machine["stopped_but_billed"] == true)
        .filter_map(|machine| machine["provider_state"].as_str())
        .collect();
    off.sort_unstable();
    assert_eq!(off, ["SHUTOFF", "stopped in place"]);
}

#[test]
fn the_same_demo_twice_gives_the_same_bytes() {
    let once = || {
        let mut document = Reaper::new().run(&["demo", "--format", "json"]).exits(0).json();
        // Wall time is the one thing that differs.
        for scope in document["scopes"].as_array_mut().expect("a list") {
            scope["seconds"] = 0.into();
        }
        document
    };
    assert_eq!(once(), once());
}
