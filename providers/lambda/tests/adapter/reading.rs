//! One machine read alone: the same as in a listing, and never from memory.

use reaper_model::{Fingerprint, Ignorance, Instance};
use reaper_provider::ErrorKind;

use crate::support::{answer, cloud, list_with, machine, open, read, settings};

const ONE: &str = "GET /api/v1/instances/{id}";
const EVENTS: &str = "GET /api/v1/audit-events";

fn fleet() -> String {
    [
        machine("aa", "name = \"notebook\"\ntags = { owner = \"alice\" }\nlaunched = \"720h\""),
        machine("bb", "status = \"unhealthy\"\nname = \"job--2026-11-01-00-00-00Z\""),
        machine("cc", "cluster = \"c1\""),
        machine("dd", "reserved = true"),
        machine("ee", "name = \"lab-1cc-node-3\"\nlaunched = \"3h\""),
        machine("ff", "status = \"HIBERNATING_DEEP\""),
        machine("gg", r#"patch = '{"tags": 7, "name": null, "actions": 1}'"#),
    ]
    .concat()
}

/// All that is said of a machine, but for the call that said it.
fn told(machine: &Instance) -> String {
    format!("{machine:#?}").replace("lambda:GetInstance", "lambda:ListInstances")
}

#[tokio::test]
async fn a_machine_that_did_not_change_is_read_as_it_was_listed() {
    let cloud = cloud(&fleet()).await;
    let mut settings = settings(&cloud);
    settings.lists.insert("cluster_ids".into(), vec!["c1".into()]);
    let listed = list_with(settings.clone()).await;
    assert_eq!(listed.machines.len(), 7);
    // Also by an adapter that has listed nothing.
    let fresh = open(settings);
    for before in &listed.machines {
        for provider in [&listed.provider, &fresh] {
            let alone = read(provider.as_ref(), &before.id.native).await.expect("there");
            assert_eq!(told(&alone), told(before));
            let changes = Fingerprint::of(before, "").changes(&Fingerprint::of(&alone, ""));
            assert_eq!(changes, [""; 0]);
        }
        assert_eq!(fresh.price(before), listed.provider.price(before));
    }
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn whatever_changed_since_the_listing_is_seen() {
    let cloud = cloud(&fleet()).await;
    let mut settings = settings(&cloud);
    settings.lists.insert("cluster_ids".into(), vec!["c1".into()]);
    let listed = list_with(settings).await;
    cloud.edit(|world| {
        let lambda = &mut world.lambda;
        lambda.instance_mut("aa").expect("there").tags.insert("reaper-keep".into(), String::new());
        lambda.instance_mut("bb").expect("there").status = Some("active".into());
        lambda.instance_mut("dd").expect("there").reserved = false;
        lambda.instance_mut("ee").expect("there").name = Some("lab".into());
        lambda.instance_mut("ff").expect("there").cluster = Some("c1".into());
        lambda.remove_instance("gg").expect("there");
    });
    for (id, what) in [
        ("aa", "its tags changed"),
        ("bb", "its state changed"),
        ("dd", "its purchase option changed"),
        // The name says which cluster it belongs to.
        ("ee", "its name changed"),
        ("ee", "its controller changed"),
        ("ff", "its controller changed"),
    ] {
        let alone = read(listed.provider.as_ref(), id).await.expect("there");
        let before = Fingerprint::of(listed.machine(id), "");
        let changes = before.changes(&Fingerprint::of(&alone, "")).join("; ");
        assert!(changes.contains(what), "{id}: {changes}");
    }
    let gone = read(listed.provider.as_ref(), "gg").await.expect_err("gone");
    assert_eq!(gone.kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn fl_067_the_audit_log_is_read_once_and_the_machine_each_time() {
    let cloud = cloud(&fleet()).await;
    let listed = list_with(settings(&cloud)).await;
    let pages = cloud.requests().of(EVENTS).len();
    for _ in 0..3 {
        read(listed.provider.as_ref(), "aa").await.expect("there");
    }
    assert_eq!(cloud.requests().of(EVENTS).len(), pages);
    assert_eq!(cloud.requests().of(ONE).len(), 3);
    // Whoever was renamed has no launch in its name any more.
    cloud.edit(|world| world.lambda.instance_mut("bb").expect("there").name = None);
    let renamed = read(listed.provider.as_ref(), "bb").await.expect("there");
    let gap = renamed.created_at.gap().map(|gap| gap.kind);
    assert_eq!(gap, Some(Ignorance::NotOffered));
}

#[tokio::test]
async fn only_lambdas_own_word_says_that_a_machine_is_gone() {
    let absent = r#"{"error": {"code": "global/object-does-not-exist", "message": "x"}}"#;
    for (body, kind) in [
        (absent, ErrorKind::NotFound),
        (r#"{"error": {"code": "global/not-found"}}"#, ErrorKind::Protocol),
        ("<html>404</html>", ErrorKind::Protocol),
    ] {
        let cloud = cloud(&machine("aa", "")).await;
        answer(&cloud, ONE, 404, body);
        let error = read(open(settings(&cloud)).as_ref(), "aa").await.expect_err("404");
        assert_eq!(error.kind, kind, "{body}");
    }
}

#[tokio::test]
async fn what_is_not_the_machine_that_was_asked_for_is_none() {
    for body in [
        r#"{"data": {"id": "bb", "status": "active"}}"#,
        r#"{"data": {"status": "terminated"}}"#,
        r#"{"data": null}"#,
        r#"{"data": {"id": "aa", "instance_type": {"name": "cpu", "specs": {"gpus": 0}}}}"#,
    ] {
        let cloud = cloud(&machine("aa", "")).await;
        answer(&cloud, ONE, 200, body);
        let error = read(open(settings(&cloud)).as_ref(), "aa").await.expect_err("another");
        assert_eq!(error.kind, ErrorKind::Inconsistent, "{body}");
    }
}

#[tokio::test]
async fn a_cluster_that_cannot_be_read_again_spoils_the_reading() {
    let cloud = cloud(&fleet()).await;
    let mut settings = settings(&cloud);
    settings.lists.insert("cluster_ids".into(), vec!["c1".into()]);
    answer(&cloud, "GET /api/v1/instances", 500, "");
    let error = read(open(settings).as_ref(), "aa").await.expect_err("unread");
    assert_eq!(error.kind, ErrorKind::ServerFault);
}
