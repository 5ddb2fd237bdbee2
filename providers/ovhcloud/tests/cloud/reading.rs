//! One machine read again by itself.

use reaper_model::{Fact, Fingerprint, Ignorance, Instance, Meter};
use reaper_ovhcloud::OvhProvider;
use reaper_provider::{Delivery, ErrorKind, Provider};
use reaper_simcloud::{Effect, Fault, SimCloud};
use secrecy::SecretString;

use crate::kit::{
    PROJECT, context, identity, list, machine, machines, open, read, settings, start, world,
};

const ONE: &str = "GET /cloud/project/{project}/instance/{instance}";
const TIME: &str = "GET /auth/time";

/// A machine without the names of the calls that its facts came from.
fn sourceless(machine: Instance) -> Instance {
    let source = reaper_model::Source::new("any");
    let text = |fact: Fact<String>| match fact {
        Fact::Known { value, as_of, .. } => Fact::known(value, &source, as_of),
        Fact::Absent { .. } => Fact::absent(&source),
        unknown @ Fact::Unknown(_) => unknown,
    };
    let created_at = match machine.created_at {
        Fact::Known { value, as_of, .. } => Fact::known(value, &source, as_of),
        other => other,
    };
    Instance { name: text(machine.name), created_at, ..machine }
}

async fn one(cloud: &SimCloud) -> (OvhProvider, Instance) {
    let provider = open(&settings(cloud));
    let (mut found, ended) = list(&provider).await;
    ended.expect("a whole listing");
    (provider, found.remove(0))
}

#[tokio::test]
async fn whatever_is_listed_reads_the_same_by_itself() {
    let text = [
        "[ovhcloud.flavor.b300-512]\ntype = \"ovh.ssd.new\"\nhourly = \"9\"\n\
         gpu = { model = \"B300\", count = 1, memory = 288 }\n"
            .to_owned(),
        machine("plain", "h100-380", ""),
        machine("off", "l4-90", "status = \"SHUTOFF\""),
        machine("shelved", "l4-90", "status = \"SHELVED_OFFLOADED\""),
        machine("monthly", "a100-180", "monthly_since = \"720h\""),
        machine("node", "l40s-90", "cluster = \"kube-1\""),
        machine("rescue", "l4-90", "status = \"RESCUE\""),
        machine("windows", "win-t1-45", "").replace("GRA11", "BHS5"),
        machine("zone", "l4-90", "plan_code = \"l4-90.consumption.LZ\""),
        machine("new", "b300-512", ""),
        machine("unheard-of", "q7-1", ""),
        machine("odd", "l4-90", "status = \"HIBERNATING_DEEP\""),
        machine("nameless", "l4-90", "null = [\"name\", \"region\"]"),
    ];
    let cloud = start(world(&text.concat())).await;
    let mut settings = settings(&cloud);
    settings.options.insert("project_tags".to_owned(), "true".to_owned());
    let provider = open(&settings);
    provider.identity(&context()).await.expect("granted");
    let (listed, ended) = list(&provider).await;
    ended.expect("a whole listing");
    assert_eq!(listed.len(), 12);
    // As a run of its own would, which has listed nothing.
    let fresh = open(&settings);
    for machine in listed {
        let price = provider.price(&machine);
        for provider in [&provider, &fresh] {
            let again = read(provider, &machine).await.expect("there");
            assert_eq!(Fingerprint::of(&again, ""), Fingerprint::of(&machine, ""));
            assert_eq!(provider.price(&again), price, "{}", machine.id);
            assert_eq!(sourceless(again), sourceless(machine.clone()));
        }
    }
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn a_change_is_seen_and_nothing_is_remembered() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let mut settings = settings(&cloud);
    settings.options.insert("project_tags".to_owned(), "true".to_owned());
    let provider = open(&settings);
    provider.identity(&context()).await.expect("granted");
    let before = list(&provider).await.0.remove(0);
    cloud.edit(|world| {
        let machine = world.ovhcloud.instance_mut("i").expect("there");
        machine.status = "SHUTOFF".to_owned();
        machine.flavor = "l40s-90".to_owned();
        machine.cluster = Some("kube-1".to_owned());
        let project = world.ovhcloud.project_mut(PROJECT).expect("there");
        project.tags.insert("reaper-keep".to_owned(), "true".to_owned());
    });
    let after = read(&provider, &before).await.expect("there");
    assert_eq!(after.meter, Meter::StoppedBilled);
    assert!(!after.stop.objections.is_empty(), "a node is left alone");
    let changes = Fingerprint::of(&before, "").changes(&Fingerprint::of(&after, ""));
    let whats: Vec<_> = changes.iter().filter_map(|change| change.split(' ').nth(1)).collect();
    assert_eq!(whats, ["state", "type", "tags", "controller"], "{changes:?}");
}

#[tokio::test]
async fn a_read_asks_for_one_machine_and_its_clusters_and_never_for_all() {
    let text = [machine("a", "l4-90", ""), machine("b", "l4-90", "")];
    let cloud = start(world(&text.concat())).await;
    let (provider, first) = one(&cloud).await;
    let before = cloud.requests().len();
    read(&provider, &first).await.expect("there");
    let requests = cloud.requests();
    let asked: Vec<_> =
        requests.all()[before..].iter().map(|entry| entry.call.operation.as_str()).collect();
    let clusters = "GET /cloud/project/{project}/kube";
    let nodes = "GET /cloud/project/{project}/kube/{cluster}/node";
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!([ONE, clusters, nodes].iter().all(|call| asked.contains(call)), "{asked:?}");
}

#[tokio::test]
async fn a_catalogue_that_cannot_be_read_is_asked_for_once() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let catalogue = "GET /order/catalog/public/cloud";
    let body = String::new();
    let content_type = "text/html".to_owned();
    let broken = Effect::Answer { status: 404, body, content_type };
    cloud.add_fault(Fault::always(broken).at(catalogue));
    let (provider, machine) = one(&cloud).await;
    for _ in 0..3 {
        read(&provider, &machine).await.expect("there");
    }
    assert_eq!(cloud.requests().of(catalogue).len(), 1);
}

#[tokio::test]
async fn fl_045_a_machine_that_is_gone_is_not_found() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let (provider, machine) = one(&cloud).await;
    cloud.edit(|world| world.ovhcloud.remove_instance("i"));
    let error = read(&provider, &machine).await.expect_err("gone");
    assert_eq!((error.kind, error.delivery), (ErrorKind::NotFound, Delivery::Answered));
}

#[tokio::test]
async fn unknown_never_acts_only_ovhclouds_own_word_makes_a_machine_gone() {
    let page = |body: &str| Effect::Answer {
        status: 404,
        body: body.to_owned(),
        content_type: "text/html".to_owned(),
    };
    let html = "<html><body>no such page</body></html>";
    let own = r#"{"class":"Client::NotFound","message":"no"}"#;
    for (operation, body) in [(ONE, html), (ONE, ""), (TIME, html), (TIME, own)] {
        let cloud = start(world(&machine("i", "l4-90", ""))).await;
        let (_, machine) = one(&cloud).await;
        cloud.add_fault(Fault::always(page(body)).at(operation));
        let error = read(&open(&settings(&cloud)), &machine).await.expect_err("no answer");
        assert_eq!(error.kind, ErrorKind::Protocol, "{operation} {body:?}: {error}");
    }
}

#[tokio::test]
async fn an_answer_about_another_machine_is_none() {
    let text = machine("i", "l4-90", "odd = { id = \"another\" }");
    let cloud = start(world(&text)).await;
    let (provider, mut machine) = one(&cloud).await;
    machine.id.native = "i".to_owned();
    let error = read(&provider, &machine).await.expect_err("another");
    assert_eq!(error.kind, ErrorKind::Inconsistent);
}

#[tokio::test]
async fn a_machine_of_another_project_is_not_asked_for() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let (provider, mut machine) = one(&cloud).await;
    let before = cloud.requests().len();
    machine.id.account = "ffffffffffff4fffffffffffffffffff".into();
    let error = read(&provider, &machine).await.expect_err("another's");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Invalid, Delivery::NotSent));
    assert_eq!(cloud.requests().len(), before);
}

#[tokio::test]
async fn where_clusters_or_tags_cannot_be_read_again_that_is_said() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let mut settings = settings(&cloud);
    settings.options.insert("project_tags".to_owned(), "true".to_owned());
    let provider = open(&settings);
    provider.identity(&context()).await.expect("granted");
    let machine = list(&provider).await.0.remove(0);
    cloud.edit(|world| {
        let project = world.ovhcloud.project_mut(PROJECT).expect("there");
        project.denied = vec!["get".to_owned(), "kube/get".to_owned()];
    });
    let again = read(&provider, &machine).await.expect("there");
    for gap in [again.tags.gap(), again.manager.gap()] {
        assert_eq!(gap.map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    }
    assert!(!again.stop.objections.is_empty());
    assert!(!Fingerprint::of(&machine, "").changes(&Fingerprint::of(&again, "")).is_empty());
}

#[tokio::test]
async fn fl_079_two_logins_of_one_project_name_its_machines_alike() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let mut other = settings(&cloud);
    other.credentials.clear();
    for (key, value) in [("client_id", "canary-client"), ("client_secret", "canary-client-secret")]
    {
        other.credentials.insert(key.to_owned(), SecretString::from(value));
    }
    other.options.insert("project".to_owned(), PROJECT.to_uppercase());
    let (keys, account) = (open(&settings(&cloud)), open(&other));
    let accounts = [keys.identity(&context()).await, account.identity(&context()).await]
        .map(|identity| identity.expect("granted").account);
    assert_eq!(accounts, [identity().account, identity().account]);
    let ids = [machines(&cloud).await, list(&account).await.0].map(|mut all| all.remove(0).id);
    assert_eq!(ids[0], ids[1]);
}
