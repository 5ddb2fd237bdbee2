//! One audit over four clouds, with and without one that is broken.

use super::{ALL, four, reaper};
use crate::schema::validates;
use crate::support::{classes, found};

const IDS: [(&str, &str); 4] =
    [("aws", "i-1"), ("scaleway", "s-1"), ("ovhcloud", "o-1"), ("lambda", "b-1")];

#[tokio::test(flavor = "multi_thread")]
async fn four_clouds_are_one_report() {
    let sim = four("").await;
    let ran = reaper(&sim, "").beside(&["audit", "--format", "json"]).await.exits(0);
    let document = ran.json();
    validates("audit", &document);
    for (provider, id) in IDS {
        let machine = found(&document, id);
        assert_eq!(
            (&machine["provider"], &machine["verdict"]),
            (&provider.into(), &"orphan".into())
        );
    }
    assert!(sim.cloud.requests().changing().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_056_one_broken_cloud_is_incomplete_and_hides_no_other() {
    for (broken, _) in IDS {
        let fault = format!(
            "[[fault]]\nprovider = \"{broken}\"\n\
             then = {{ answer = {{ status = 500, body = \"<html><h1>Oops</h1></html>\" }} }}\n"
        );
        let sim = four(&fault).await;
        let tail = "[retries]\nattempts = 1\n";
        let ran = reaper(&sim, tail).beside(&["audit", "--format", "json"]).await.exits(4);
        classes(&ran, &["incomplete", "findings"]);
        let document = ran.json();
        for (_, id) in IDS.iter().filter(|(provider, _)| *provider != broken) {
            assert_eq!(found(&document, id)["verdict"], "orphan", "{broken} is broken");
        }
        let scopes = document["scopes"].as_array().expect("a list");
        let failed: Vec<&str> = scopes
            .iter()
            .filter(|scope| scope["status"] == "failed")
            .filter_map(|scope| scope["provider"].as_str())
            .collect();
        assert!(!failed.is_empty() && failed.iter().all(|it| *it == broken), "{failed:?}");
        assert!(!ran.all().contains("<h1>"), "{}", ran.all());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_tells_who_each_login_is() {
    let sim = four("").await;
    let ran = reaper(&sim, "").beside(&["check"]).await.exits(0);
    for cloud in ALL {
        let name = cloud.account.split('"').nth(1).expect("a name");
        let line = format!("{name} ({}): pinned to ", cloud.provider);
        let unpinned = format!("{name} ({}): not pinned", cloud.provider);
        assert!(ran.stdout.contains(&line) || ran.stdout.contains(&unpinned), "{}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches("logged in as").count(), 4, "{}", ran.stdout);
}
