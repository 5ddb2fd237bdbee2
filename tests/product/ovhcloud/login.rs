//! Logins at OVHcloud: clocks, keys that ended, projects that are none of theirs.

use super::instance;
use crate::support::{LAMBDA, OVHCLOUD, OWNERLESS, PROJECT, found};

#[tokio::test(flavor = "multi_thread")]
async fn fl_080_a_server_eight_minutes_ahead_is_read_and_ages_do_not_shift() {
    let world = format!("[ovhcloud]\nclock_ahead_s = 480\n{}", instance("m-1", ""));
    let sim = OVHCLOUD.serve(&world).await;
    let document = OVHCLOUD.audit(&sim, OWNERLESS).await.exits(0).json();
    assert_eq!(found(&document, "m-1")["age_hours"], "240.0");
}

/// OVHcloud beside a Lambda that works.
#[tokio::test(flavor = "multi_thread")]
async fn fl_081_a_refused_key_is_said_once_and_stops_no_other_provider() {
    let machine = "[[lambda.instance]]\naccount = \"burst\"\nid = \"b1\"\nregion = \"us-east-1\"\n\
                   type = \"gpu_1x_a10\"\nlaunched = \"9h\"\n";
    let world = format!("{}[lambda]\nmin_interval_ms = 0\n{machine}", LAMBDA.world);
    let sim = OVHCLOUD.serve(&world).await;
    let tail = format!("{}[pace]\nlambda = {{ per_second = 50 }}\n{OWNERLESS}", LAMBDA.at(&sim));
    let reaper = OVHCLOUD
        .reaper(&OVHCLOUD.config(&sim, &tail))
        .env("OVH_CONSUMER_KEY", "canaryconsumerthatended")
        .env(LAMBDA.keys[0].0, LAMBDA.keys[0].1);
    let ran = reaper.beside(&["audit", "--format", "json"]).await.exits(4);
    let document = ran.json();
    assert_eq!(found(&document, "b1")["verdict"], "orphan");
    let scopes = document["scopes"].as_array().expect("a list");
    let lab = scopes.iter().find(|scope| scope["account"] == "lab").expect("said");
    let why = lab["why"].as_str().expect("words");
    assert_eq!(lab["status"], "failed");
    assert!(why.contains("credentials") && why.contains("This credential"), "{why}");
    let asked = sim.cloud.requests();
    let asked = asked.all().iter().filter(|it| it.target.contains(PROJECT)).count();
    assert_eq!(asked, 1, "a refused key is not tried again");
    assert!(!ran.all().contains("canary"), "{}", ran.all());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_081_an_end_within_two_weeks_is_told_ahead() {
    let world = OVHCLOUD.world.replace("client_id", "expires = \"+240h\"\nclient_id");
    let head = format!("clock = {{ start = \"{}\" }}\n{world}", crate::support::NOW);
    let sim = crate::support::Sim::world(&format!("{head}{}", instance("m-1", ""))).await;
    let ran = OVHCLOUD.audit(&sim, OWNERLESS).await.exits(0);
    let said = ran.json()["warnings"].to_string();
    assert!(said.contains("key-expires") && said.contains("expires on 2026-12-10"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_018_a_project_name_is_refused_and_a_strange_project_is_incomplete() {
    let sim = OVHCLOUD.serve(&instance("m-1", "")).await;
    let config = OVHCLOUD.config(&sim, OWNERLESS);
    let name = config.replace(PROJECT, "research");
    let ran = OVHCLOUD.reaper(&name).beside(&["audit"]).await.exits(2);
    assert!(ran.stderr.contains("project") && ran.stderr.contains("32"), "{}", ran.stderr);
    assert!(sim.cloud.requests().is_empty());

    let strange = config.replace(PROJECT, "ffffffffffffffffffffffffffffffff");
    let ran = OVHCLOUD.reaper(&strange).beside(&["audit", "--format", "json"]).await.exits(4);
    assert_eq!(ran.json()["totals"]["instances"], 0);
    assert!(ran.json()["scopes"].to_string().contains("ffffffff"), "{}", ran.stdout);
}
