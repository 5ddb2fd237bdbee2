//! What the network and OVHcloud's gateways do to a listing.

use std::time::Duration;

use reaper_model::Ignorance;
use reaper_provider::{AccountSettings, ErrorKind};
use reaper_simcloud::{Effect, Fault, Requests, SimCloud};

use crate::kit::{PROJECT, list, machine, machines, open, settings, start, world};

const LIST: &str = "GET /cloud/project/{project}/instance";

async fn cloud(fault: Fault) -> SimCloud {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    cloud.add_fault(fault);
    cloud
}

fn html(status: u16) -> Effect {
    let body = "<html><body><h1>Bad gateway</h1></body></html>".to_owned();
    Effect::Answer { status, body, content_type: "text/html".to_owned() }
}

#[tokio::test]
async fn fl_071_a_page_of_a_gateway_is_read_over_again() {
    for status in [502, 503, 500, 408] {
        let cloud = cloud(Fault::always(html(status)).at(LIST).first(1)).await;
        assert_eq!(machines(&cloud).await.len(), 1, "{status}");
        assert_eq!(cloud.requests().of(LIST).len(), 2, "{status}");
    }
}

#[tokio::test]
async fn fl_071_a_gateway_that_stays_broken_is_said_without_its_page() {
    let cloud = cloud(Fault::always(html(503)).at(LIST)).await;
    let (found, ended) = list(&open(&settings(&cloud))).await;
    assert!(found.is_empty());
    let error = ended.expect_err("broken");
    assert_eq!(error.kind, ErrorKind::ServerFault);
    assert!(!error.to_string().contains('<'), "{error}");
}

#[tokio::test]
async fn a_hasty_client_waits_and_tries_again() {
    let throttle = Effect::Throttle { retry_after: Some(1) };
    let cloud = cloud(Fault::always(throttle).at(LIST).first(1)).await;
    assert_eq!(machines(&cloud).await.len(), 1);
}

#[tokio::test]
async fn a_cut_answer_is_asked_for_again() {
    let cloud = cloud(Fault::always(Effect::Cut).at(LIST).first(1)).await;
    assert_eq!(machines(&cloud).await.len(), 1);
}

#[tokio::test]
async fn a_silent_server_costs_the_time_limit_and_no_more() {
    let cloud = cloud(Fault::always(Effect::Silence).at(LIST)).await;
    let mut settings = settings(&cloud);
    settings.limits.call = Duration::from_millis(200);
    settings.limits.attempts = 1;
    let (_, ended) = list(&open(&settings)).await;
    assert_eq!(ended.expect_err("silence").kind, ErrorKind::Timeout);
}

#[tokio::test]
async fn what_was_listed_survives_clusters_that_never_answer() {
    let nodes = "GET /cloud/project/{project}/kube/{cluster}/node";
    let cloud = cloud(Fault::always(Effect::Silence).at(nodes)).await;
    let mut settings = settings(&cloud);
    settings.limits.attempts = 1;
    settings.limits.call = Duration::from_millis(200);
    let (found, ended) = list(&open(&settings)).await;
    assert_eq!((found.len(), ended), (1, Ok(())));
    assert_eq!(found[0].manager.gap().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
}

async fn with_forty_clusters(change: impl FnOnce(&mut AccountSettings)) -> Requests {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    {
        let mut world = cloud.world();
        world.latency_ms = 50;
        let project = world.ovhcloud.project_mut(PROJECT).expect("there");
        project.clusters = (0..40).map(|n| format!("kube-{n}")).collect();
    }
    let mut settings = settings(&cloud);
    change(&mut settings);
    let (_, ended) = list(&open(&settings)).await;
    assert_eq!(ended, Ok(()));
    cloud.requests()
}

#[tokio::test]
async fn fl_068_eight_requests_at_once_whatever_the_machine() {
    let requests = with_forty_clusters(|_| ()).await;
    assert_eq!(requests.max_in_flight(), 8);
}

#[tokio::test]
async fn fl_068_configured_bounds_hold() {
    let requests = with_forty_clusters(|settings| {
        settings.limits.in_flight = Some(3);
        settings.limits.per_second = Some(40);
    })
    .await;
    assert_eq!(requests.max_in_flight(), 3);
    let arrived: Vec<_> = requests.all().iter().map(|entry| entry.arrived).collect();
    // Starts are spaced exactly; what happens on the way to the server may close up a little.
    let (second, jitter) = (Duration::from_secs(1), Duration::from_millis(100));
    assert!(arrived.windows(41).all(|span| span[40] + jitter >= span[0] + second));
}
