//! Which organisation a key belongs to, and that it is never guessed.

use reaper_provider::ErrorKind;
use reaper_simcloud::scaleway::Server;

use crate::common::{ACCESS_KEY, Cloud, ORGANIZATION, PROJECT, ZONE};
use crate::faults::deny;

#[tokio::test]
async fn iam_tells_the_organisation_and_who_holds_the_key() {
    let cloud = Cloud::start(|_| ()).await;
    let identity = cloud.identity().await.expect("known");
    assert_eq!(identity.account.as_str(), ORGANIZATION);
    assert_eq!(identity.login, format!("API key {ACCESS_KEY} of reaper"));
    assert_eq!(cloud.requests().len(), 2);
}

#[tokio::test]
async fn a_project_tells_it_where_iam_may_not_be_read() {
    let mut cloud = Cloud::start(|world| deny(world, "iam")).await;
    cloud.settings.options.insert("default_project_id".into(), PROJECT.into());
    let identity = cloud.identity().await.expect("known");
    assert_eq!(identity.account.as_str(), ORGANIZATION);
}

#[tokio::test]
async fn a_server_tells_it_where_nothing_else_may_be_read() {
    let mut cloud = Cloud::start(|world| {
        deny(world, "iam");
        deny(world, "account");
        world.zones.remove("fr-par-3");
        let server = Server::new(ORGANIZATION, "pl-waw-2", "a", "DEV1-S");
        world.add_server(server).expect("new");
    })
    .await;
    cloud.settings.options.insert("default_project_id".into(), PROJECT.into());
    let identity = cloud.identity().await.expect("known");
    assert_eq!(identity.account.as_str(), ORGANIZATION);
    cloud.settings.locations = vec![ZONE.into()];
    let error = cloud.identity().await.expect_err("no server there");
    assert_eq!(error.kind, ErrorKind::Denied { permission: "IAMReadOnly".into() });
}

#[tokio::test]
async fn fl_018_a_project_that_does_not_exist_is_an_error_and_no_empty_account() {
    let mut cloud = Cloud::start(|_| ()).await;
    let nobody = "33333333-3333-4333-8333-000000000009";
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.into(), nobody.into()]);
    assert_eq!(cloud.identity().await.expect_err("no such project").kind, ErrorKind::NotFound);
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.into()]);
    assert_eq!(cloud.identity().await.expect("known").account.as_str(), ORGANIZATION);
}

#[tokio::test]
async fn a_403_of_a_configured_project_may_mean_that_it_was_deleted() {
    let mut cloud = Cloud::start(|world| deny(world, "account")).await;
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.into()]);
    let error = cloud.identity().await.expect_err("not readable");
    assert_eq!(error.kind, ErrorKind::Denied { permission: "ProjectReadOnly".into() });
    assert!(error.detail.contains("it may not exist"), "{error}");
}

#[tokio::test]
async fn a_refused_key_is_not_looked_for_elsewhere() {
    let mut cloud = Cloud::start(|_| ()).await;
    cloud.settings.credentials.insert("secret_key".into(), "canary-other".into());
    let error = cloud.identity().await.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    assert_eq!(cloud.requests().len(), 1);
}
