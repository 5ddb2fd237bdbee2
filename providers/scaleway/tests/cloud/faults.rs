//! What goes wrong on the way: throttles, gateways, silence, refusals, zones without the product.

use std::time::Duration;

use reaper_model::Fact;
use reaper_provider::ErrorKind;
use reaper_simcloud::scaleway::{Recording, ScalewayWorld};
use reaper_simcloud::{Effect, Fault};

use crate::common::{Cloud, Listed, ORGANIZATION, SECRET_KEY, SERVERS, ZONE, now};

/// Takes a right away from the only organisation.
pub(crate) fn deny(world: &mut ScalewayWorld, product: &str) {
    world.organization_mut(ORGANIZATION).expect("there").denied.push(product.to_owned());
}

async fn with_three(faults: impl IntoIterator<Item = Fault>) -> Cloud {
    let cloud = Cloud::start(|world| {
        world.fleet(ORGANIZATION, ZONE, 3, |_, server| server).expect("a new fleet");
    })
    .await;
    faults.into_iter().for_each(|fault| cloud.sim.add_fault(fault));
    cloud
}

fn html(status: u16) -> Effect {
    let body = "<html><body>Bad gateway</body></html>".to_owned();
    Effect::Answer { status, body, content_type: "text/html".to_owned() }
}

fn assert_no_secret(listed: &Listed) {
    let text = format!("{listed:?} {}", listed.error());
    assert!(!text.contains(SECRET_KEY) && !text.contains("<html"), "{text}");
}

#[tokio::test]
async fn fl_067_the_empty_429_is_waited_out() {
    let cloud = with_three([Fault::always(Effect::Throttle { retry_after: None }).first(1)]).await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(cloud.requests().of(SERVERS).len(), 2);
    assert_eq!(listed.complete().len(), 3);
}

#[tokio::test]
async fn fl_069_a_wait_of_a_day_is_not_begun() {
    let throttle = Effect::Throttle { retry_after: Some(86_400) };
    let cloud = with_three([Fault::always(throttle)]).await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.error().kind, ErrorKind::Throttled);
    assert_eq!(listed.requests, 1);
}

#[tokio::test]
async fn fl_071_a_gateways_page_is_tried_again_and_never_shown() {
    let cloud = with_three([Fault::always(html(502)).at(SERVERS).first(1)]).await;
    assert_eq!(cloud.list(ZONE).await.complete().len(), 3);

    let mut cloud = with_three([Fault::always(html(502))]).await;
    cloud.settings.limits.attempts = 1;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.error().kind, ErrorKind::ServerFault);
    assert!(listed.error().request_id.is_none() || listed.error().to_string().contains("request"));
    assert_no_secret(&listed);
}

#[tokio::test]
async fn a_page_that_fails_keeps_the_pages_before() {
    let mut cloud = with_three([Fault::always(html(500)).at(SERVERS).nth(2)]).await;
    cloud.settings.limits.attempts = 1;
    cloud.settings.limits.page_size = Some(2);
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.error().kind, ErrorKind::ServerFault);
    assert_eq!(listed.machines.len(), 2);
    // What was read is as well known as in a whole listing.
    assert!(listed.machines.iter().all(|it| matches!(it.manager, Fact::Absent { .. })));
}

#[tokio::test]
async fn silence_ends_with_the_limit_of_the_call() {
    for effect in [Effect::Silence, Effect::Trickle { bytes: 1, every_ms: 20 }] {
        let mut cloud = with_three([Fault::always(effect)]).await;
        cloud.settings.limits.attempts = 1;
        cloud.settings.limits.call = Duration::from_millis(100);
        let listed = cloud.list(ZONE).await;
        assert_eq!(listed.error().kind, ErrorKind::Timeout);
    }
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_asked_for_again() {
    let cloud = with_three([Fault::always(Effect::Cut).at(SERVERS).first(1)]).await;
    assert_eq!(cloud.list(ZONE).await.complete().len(), 3);
}

#[tokio::test]
async fn fl_064_a_zone_without_the_product_is_no_error_unless_it_was_asked_for() {
    let path = format!("/instance/v1/zones/{ZONE}/servers");
    let gone = |body: &str| Recording { status: 404, ..Recording::new(path.clone(), body) };
    for body in ["", r#"{"message":"Not Found"}"#, r#"{"type":"not_found","resource":"zone"}"#] {
        let mut cloud = Cloud::start(|world| world.record(gone(body))).await;
        let listed = cloud.list(ZONE).await;
        assert_eq!(listed.error().kind, ErrorKind::NotEnabled);
        assert_eq!(listed.error().detail, format!("product not available in zone {ZONE}"));
        cloud.settings.locations = vec![ZONE.into()];
        assert_eq!(cloud.list(ZONE).await.error().kind, ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn refused_and_expired_keys_concern_the_whole_account() {
    let mut cloud = with_three([]).await;
    cloud.sim.world().scaleway.organization_mut(ORGANIZATION).expect("there").expired = true;
    assert_eq!(cloud.list(ZONE).await.error().kind, ErrorKind::CredentialsExpired);
    cloud.settings.credentials.insert("secret_key".into(), "canary-other".into());
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.error().kind, ErrorKind::CredentialsRejected);
    assert!(listed.error().request_id.is_some());
    assert!(!format!("{listed:?}").contains("canary"));
}

#[tokio::test]
async fn a_missing_right_is_named() {
    let cloud = Cloud::start(|world| deny(world, "instance")).await;
    let listed = cloud.list(ZONE).await;
    let permission = "InstancesReadOnly".to_owned();
    assert_eq!(listed.error().kind, ErrorKind::Denied { permission });
}

#[tokio::test]
async fn fl_022_without_the_product_list_types_and_prices_are_those_of_the_dated_one() {
    let mut cloud =
        with_three([Fault::always(html(500)).at("GET /instance/v1/zones/{zone}/products/servers")])
            .await;
    cloud.settings.limits.attempts = 1;
    let provider = cloud.provider();
    let listed = cloud.list_with(provider.as_ref(), ZONE, now()).await;
    assert_eq!(listed.warnings, ["types-unread"]);
    let machines = listed.complete();
    assert_eq!(machines.len(), 3);
    let price = provider.price(&machines[0]);
    assert_eq!(price.value().map(|it| it.money.all_digits()).as_deref(), Some("0.7875"));
    assert_eq!(
        price.source().map(ToString::to_string).as_deref(),
        Some("config/prices/scaleway.csv")
    );
}
