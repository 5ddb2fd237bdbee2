//! What is listed: pages, tags, types, regions (field cases of kinds A and B).

use crate::aws::{classes, machine as find, scope, warnings};
use crate::support::{OWNERLESS, Sim, machine};

#[tokio::test(flavor = "multi_thread")]
async fn fl_001_withheld_tags_are_read_before_anybody_is_judged() {
    let world = machine(
        "i-1",
        "eu-west-1",
        "tags_withheld = true\ntags = { Name = \"train\", owner = \"alice\" }",
    );
    let sim = Sim::aws(&world).await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(0);
    let document = ran.json();
    assert_eq!(find(&document, "i-1")["verdict"], "ok");
    assert_eq!(find(&document, "i-1")["owner"]["id"], "alice");
    classes(&ran, &["clean"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_001_tags_that_cannot_be_read_are_not_absent() {
    let world = format!(
        "denied = [\"ec2:DescribeTags\"]\n{}",
        machine("i-1", "eu-west-1", "tags_withheld = true\ntags = { owner = \"alice\" }")
    );
    let sim = Sim::aws(&world).await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(4);
    let document = ran.json();
    let machine = find(&document, "i-1");
    assert_eq!(machine["verdict"], "unjudged");
    assert_eq!(machine["tags_read"], false);
    assert_eq!(machine["owner"]["status"], "unreadable");
    assert!(machine["why"].as_str().expect("words").contains("ec2:DescribeTags"), "{machine}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_014_empty_pages_with_a_token_are_read_on() {
    let mut world = String::from(
        "[[aws.quirk]]\noperation = \"DescribeInstances\"\nempty_pages = 1\npage_limit = 2\n",
    );
    for id in ["i-1", "i-2", "i-3"] {
        world.push_str(&machine(id, "eu-west-1", ""));
    }
    let sim = Sim::aws(&world).await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(0);
    assert_eq!(ran.json()["totals"]["orphans"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_014_a_token_that_is_repeated_for_ever_ends_as_incomplete() {
    let world = format!(
        "[[aws.quirk]]\noperation = \"DescribeInstances\"\nrepeats_token = true\npage_limit = 1\n{}{}",
        machine("i-1", "eu-west-1", ""),
        machine("i-2", "eu-west-1", ""),
    );
    let sim = Sim::aws(&world).await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(4);
    let document = ran.json();
    assert_eq!(scope(&document, "eu-west-1")["status"], "partial");
    assert_eq!(document["totals"]["orphans"], 1, "what was read is counted once");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_017_every_enabled_region_is_walked() {
    let world = machine("i-far", "sa-east-1", "");
    let sim = Sim::aws(&world).await;
    let config = sim.config(&["eu-west-1"], OWNERLESS).replace("regions = [\"eu-west-1\"]\n", "");
    let ran = sim.run(&config, &["audit", "--format", "json"]).await.exits(0);
    let document = ran.json();
    assert_eq!(find(&document, "i-far")["verdict"], "orphan");
    assert!(document["scopes"].as_array().expect("a list").len() >= 17, "all of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_017_regions_that_a_fixed_list_leaves_out_are_named() {
    let sim = Sim::aws(&machine("i-far", "sa-east-1", "")).await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(0);
    let document = ran.json();
    let said = document["warnings"].to_string();
    assert!(said.contains("regions not scanned") && said.contains("sa-east-1"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_022_an_unknown_family_is_asked_for_and_never_left_out() {
    let world = format!(
        "[aws.types.\"g98x.xlarge\"]\nvcpus = 4\nmemory_mib = 16384\n\
         gpus = [{{ name = \"Z100\", count = 2, memory_mib = 81920 }}]\n{}{}",
        machine("i-described", "eu-west-1", "type = \"g98x.xlarge\""),
        machine("i-unknown", "eu-west-1", "type = \"g99x.48xlarge\""),
    );
    let sim = Sim::aws(&world).await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await;
    let document = ran.json();
    let described = find(&document, "i-described");
    assert_eq!(described["gpu"]["model"], "Z100");
    assert_eq!(described["gpu"]["count"], 2);
    let unknown = find(&document, "i-unknown");
    assert_eq!(unknown["machine_type"], "g99x.48xlarge");
    assert_eq!(unknown["gpu"], serde_json::Value::Null);
    assert_eq!(unknown["age_hours"], "240.0");
    assert_eq!(unknown["verdict"], "orphan", "counted as a billable GPU");
    assert!(warnings(&document).contains(&"type-unknown"));
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_058_a_detail_that_fails_for_one_machine_spoils_no_other() {
    let mut world = String::from(
        "[[fault]]\noperation = \"DescribeInstanceAttribute\"\nfirst = 1\n\
         then = { answer = { status = 403, content_type = \"text/xml\", body = \"<Response><Errors>\
         <Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors>\
         <RequestID>r</RequestID></Response>\" } }\n",
    );
    for id in ["i-1", "i-2", "i-3"] {
        world.push_str(&machine(id, "eu-west-1", ""));
    }
    let sim = Sim::world(&format!(
        "clock = {{ start = \"{}\" }}\n{world}[[aws.account]]\nid = \"{}\"\n\
         access_keys = [\"AKIARESEARCH\"]\n",
        crate::support::NOW,
        crate::support::ACCOUNT,
    ))
    .await;
    let ran = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(4);
    let document = ran.json();
    assert_eq!(document["totals"]["orphans"], 2);
    assert_eq!(document["totals"]["unjudged"], 1);
    assert!(ran.stderr.contains("ec2:DescribeInstanceAttribute"), "{}", ran.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn managed_machines_are_named_with_their_controller() {
    let world = [
        machine("i-asg", "eu-west-1", "tags = { \"aws:autoscaling:groupName\" = \"trainers\" }"),
        machine("i-auto", "eu-west-1", "operator = { principal = \"eks.amazonaws.com\" }"),
    ]
    .concat();
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(0).json();
    for (id, name) in [("i-asg", "trainers"), ("i-auto", "eks")] {
        let machine = find(&document, id);
        assert_eq!(machine["verdict"], "managed", "{id}");
        assert!(machine["managed_by"].as_str().expect("a name").contains(name), "{machine}");
    }
    assert_eq!(document["totals"]["orphans"], 0);
}
