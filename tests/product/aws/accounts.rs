//! Accounts, identities, credentials (field cases of kinds F and H).

use crate::aws::{classes, machine as find, warnings};
use crate::support::{ACCOUNT, NOW, OWNERLESS, Sim, machine};

/// Four accounts, each with an orphan; the second denies the role.
async fn four_accounts() -> (Sim, String) {
    let mut world = format!("clock = {{ start = \"{NOW}\" }}\n");
    let mut accounts = String::new();
    for number in 1..=4 {
        let id = format!("{number}").repeat(12);
        let role = if number == 2 { "other" } else { "reaper" };
        let key = if number == 1 { "access_keys = [\"AKIARESEARCH\"]\n" } else { "" };
        world.push_str(&format!(
            "[[aws.account]]\nid = \"{id}\"\n{key}roles = [{{ name = \"{role}\" }}]\n"
        ));
        world.push_str(&machine(&format!("i-{number}"), "eu-west-1", "").replace(ACCOUNT, &id));
        accounts.push_str(&format!(
            "[[account]]\nname = \"team-{number}\"\nprovider = \"aws\"\nregions = [\"eu-west-1\"]\n\
             expect_account = \"{id}\"\nassume_role = \"arn:aws:iam::{id}:role/reaper\"\nLOGIN\n"
        ));
    }
    let sim = Sim::world(&world).await;
    let accounts = accounts.replace("LOGIN", &sim.login("AKIARESEARCH"));
    (sim, format!("version = 1\n{accounts}{OWNERLESS}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_060_one_role_that_cannot_be_assumed_stops_no_other_account() {
    let (sim, config) = four_accounts().await;
    let ran = sim.run(&config, &["audit", "--format", "json"]).await.exits(4);
    let document = ran.json();
    assert_eq!(document["totals"]["orphans"], 3);
    for id in ["i-1", "i-3", "i-4"] {
        assert_eq!(find(&document, id)["verdict"], "orphan");
    }
    let scopes = document["scopes"].as_array().expect("a list");
    let denied = scopes.iter().find(|scope| scope["account"] == "team-2").expect("said");
    assert_eq!(denied["status"], "failed");
    assert!(denied["why"].as_str().expect("words").contains("sts:AssumeRole"), "{denied}");
    let roles = sim.cloud.requests().of("AssumeRole").len();
    assert!(roles <= 4 + 1, "one role session an account, not one a call: {roles}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_accounts_asked_for_are_read() {
    let (sim, config) = four_accounts().await;
    let arguments = ["audit", "--format", "json", "--account", "team-1", "--account", "team-3"];
    let ran = sim.run(&config, &arguments).await.exits(0);
    assert_eq!(ran.json()["totals"]["orphans"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_078_a_wrong_account_refuses_the_run_before_any_listing() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let config = sim.config(&["eu-west-1"], OWNERLESS).replace(ACCOUNT, "444455556666");
    let ran = sim.run(&config, &["audit", "--format", "json"]).await.exits(3);
    classes(&ran, &["refused", "incomplete"]);
    for number in [ACCOUNT, "444455556666"] {
        assert!(ran.stderr.contains(number), "{}", ran.stderr);
    }
    assert!(sim.cloud.requests().of("DescribeInstances").is_empty());
    sim.run(&config, &["check"]).await.exits(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_079_two_logins_of_one_account_count_every_machine_once() {
    let world = format!(
        "clock = {{ start = \"{NOW}\" }}\n[[aws.account]]\nid = \"{ACCOUNT}\"\n\
         access_keys = [\"AKIARESEARCH\", \"AKIAOTHER\"]\n{}",
        machine("i-1", "eu-west-1", ""),
    );
    let sim = Sim::world(&world).await;
    let one = sim.config(&["eu-west-1"], "");
    let two = one.replace("version = 1\n", "").replace("\"research\"", "\"again\"");
    let two = two.replace("env = \"AKIARESEARCH\"", "env = \"AKIAOTHER\"");
    let config = format!("{one}{two}{OWNERLESS}");
    let document = sim.run(&config, &["audit", "--format", "json"]).await.exits(0).json();
    assert_eq!(document["totals"]["instances"], 1);
    assert!(warnings(&document).contains(&"listed-twice"), "{}", document["warnings"]);
    let said = document["warnings"].to_string();
    assert!(said.contains("research") && said.contains("again"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_credentials_stop_at_once_and_are_called_that() {
    let sim = Sim::aws("expired_keys = [\"AKIAOTHER\"]\n").await;
    let config = sim
        .config(&["eu-west-1", "eu-west-2"], OWNERLESS)
        .replace("env = \"AKIARESEARCH\"", "env = \"AKIAOTHER\"");
    let ran = sim.run(&config, &["audit", "--format", "json"]).await.exits(4);
    let why = ran.json()["scopes"][0]["why"].as_str().expect("words").to_owned();
    assert!(why.contains("expired"), "{why}");
    assert!(sim.cloud.requests().len() <= 2, "not tried over and over");
}

#[tokio::test(flavor = "multi_thread")]
async fn check_tells_who_the_credentials_are() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let config = sim.config(&["eu-west-1"], OWNERLESS);
    let ran = sim.run(&config, &["check"]).await.exits(0);
    assert!(ran.stdout.contains(&format!("pinned to {ACCOUNT}")), "{}", ran.stdout);
    let json = sim.run(&config, &["check", "--format", "json"]).await.exits(0).json();
    crate::schema::validates("check", &json);
    assert_eq!(json["accounts"][0]["provider_account"], ACCOUNT);
}
