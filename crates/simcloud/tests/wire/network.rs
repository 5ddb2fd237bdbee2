//! What the server does to a request on its way, and what it writes down.

use std::time::Duration;

use reaper_simcloud::aws::Account;
use reaper_simcloud::{Effect, Fault, SimCloud, World};

use crate::client::{ACCOUNT, EC2, KEY, Signer, call, exchange, parse, request};

const LIST: &str = "Action=DescribeInstances&Version=2016-11-15";

async fn start(faults: impl IntoIterator<Item = Fault>) -> SimCloud {
    let mut world = World::default();
    world.aws.add_account(Account::new(ACCOUNT, KEY)).expect("a new account");
    world.aws.fleet(ACCOUNT, "eu-west-1", 3, |_, machine| machine).expect("a new fleet");
    for fault in faults {
        world.faults.add(fault);
    }
    SimCloud::start(world).await.expect("a free port")
}

#[tokio::test]
async fn throttling_is_said_in_the_providers_words_and_ends() {
    let cloud = start([Fault::always(Effect::Throttle { retry_after: Some(2) }).first(1)]).await;
    let answer = call(cloud.addr(), EC2, LIST).await;
    assert_eq!((answer.status, answer.text("Code").as_str()), (503, "RequestLimitExceeded"));
    assert!(answer.head.contains("retry-after: 2"), "{}", answer.head);
    assert_eq!(call(cloud.addr(), EC2, LIST).await.status, 200);
}

#[tokio::test]
async fn fl_074_a_fault_can_be_bound_to_one_region() {
    let fault = Fault::always(Effect::Throttle { retry_after: None }).in_location("eu-west-3");
    let cloud = start([fault]).await;
    let elsewhere = Signer { region: "eu-west-3", ..EC2 };
    assert_eq!(call(cloud.addr(), elsewhere, LIST).await.status, 503);
    assert_eq!(call(cloud.addr(), EC2, LIST).await.status, 200);
}

#[tokio::test]
async fn an_html_page_can_take_the_place_of_an_answer() {
    let body = "<html>Bad gateway</html>".to_owned();
    let html = Effect::Answer { status: 502, body, content_type: "text/html".to_owned() };
    let cloud = start([Fault::always(html).at("DescribeInstances")]).await;
    let answer = call(cloud.addr(), EC2, LIST).await;
    assert_eq!((answer.status, answer.body.as_str()), (502, "<html>Bad gateway</html>"));
    assert!(answer.head.contains("content-type: text/html"));
}

#[tokio::test]
async fn a_cut_body_ends_half_way_to_the_length_that_was_promised() {
    let cloud = start([Fault::always(Effect::Cut).nth(2)]).await;
    let whole = call(cloud.addr(), EC2, LIST).await;
    let whole = whole.body.replace("-000000000001<", "-000000000002<");
    let raw = exchange(cloud.addr(), &request(Some(EC2), LIST)).await.expect("half an answer");
    let cut = parse(&raw);
    assert_eq!(cut.body, whole[..whole.len() / 2]);
    assert!(cut.head.contains(&format!("content-length: {}", whole.len())));
}

#[tokio::test]
async fn a_trickled_body_arrives_whole_after_all() {
    let cloud = start([Fault::always(Effect::Trickle { bytes: 512, every_ms: 1 }).first(1)]).await;
    let slow = call(cloud.addr(), EC2, LIST).await;
    let fast = call(cloud.addr(), EC2, LIST).await;
    assert_eq!(slow.texts("instanceId"), fast.texts("instanceId"));
    assert_eq!(slow.texts("instanceId").len(), 3);
}

#[tokio::test]
async fn a_wrong_media_type_leaves_the_body_alone() {
    let cloud = start([Fault::always(Effect::ContentType("image/png".to_owned()))]).await;
    let answer = call(cloud.addr(), EC2, LIST).await;
    assert!(answer.head.contains("content-type: image/png"));
    assert_eq!(answer.texts("instanceId").len(), 3);
}

#[tokio::test]
async fn a_hangup_closes_the_connection_without_a_byte() {
    let cloud = start([Fault::always(Effect::Hangup)]).await;
    let raw = exchange(cloud.addr(), &request(Some(EC2), LIST)).await.unwrap_or_default();
    assert!(raw.is_empty());
    assert_eq!(cloud.requests().all()[0].status, None);
}

#[tokio::test]
async fn silence_lasts_until_the_server_goes() {
    for effect in [Effect::Silence, Effect::Lost] {
        let cloud = start([Fault::always(effect)]).await;
        let text = request(Some(EC2), LIST);
        let addr = cloud.addr();
        let waiting = tokio::spawn(async move { exchange(addr, &text).await });
        let seen = cloud.wait_until(|requests| requests.len() == 1).await;
        assert_eq!(seen.all()[0].status, None);
        assert!(!waiting.is_finished());
        cloud.shutdown().await;
        let ended = waiting.await.expect("no panic");
        assert!(ended.is_err() || ended.is_ok_and(|answer| answer.is_empty()));
    }
}

#[tokio::test]
async fn after_a_shutdown_nobody_listens() {
    let cloud = start([]).await;
    let addr = cloud.addr();
    cloud.shutdown().await;
    assert!(tokio::net::TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn the_log_tells_changes_from_reads_and_by_whom() {
    let cloud = start([]).await;
    call(cloud.addr(), EC2, LIST).await;
    assert!(cloud.requests().changing().is_empty());
    call(cloud.addr(), EC2, "Action=StopInstances&Version=2016-11-15&InstanceId.1=i-1").await;
    call(cloud.addr(), EC2, "Action=CreateTags&Version=2016-11-15").await;
    let requests = cloud.requests();
    let changing: Vec<_> =
        requests.changing().iter().map(|entry| entry.call.operation.clone()).collect();
    assert_eq!(changing, ["StopInstances", "CreateTags"]);
    let entry = requests.of("StopInstances")[0];
    assert_eq!((entry.provider, entry.call.account.as_str()), ("aws", ACCOUNT));
    assert_eq!(entry.call.location, "eu-west-1");
    assert_eq!(entry.status.map(|status| status.as_u16()), Some(400));
    assert!(entry.form().contains(&("InstanceId.1".to_owned(), "i-1".to_owned())));
    assert!(!format!("{requests:?}").contains(KEY), "credentials are not kept");
}

#[tokio::test]
async fn latency_holds_requests_in_flight_together() {
    let cloud = start([]).await;
    cloud.world().latency_ms = 50;
    let started = tokio::time::Instant::now();
    let elsewhere = Signer { region: "eu-west-3", ..EC2 };
    let addr = cloud.addr();
    tokio::join!(call(addr, EC2, LIST), call(addr, EC2, LIST), call(addr, elsewhere, LIST));
    assert!(started.elapsed() >= Duration::from_millis(50));
    let requests = cloud.requests();
    assert_eq!(requests.max_in_flight(), 3);
    assert_eq!(requests.max_in_flight_in_scope(), 2);
    call(addr, EC2, LIST).await;
    assert_eq!(cloud.requests().all()[3].in_flight, 1, "those before are done");
}

#[tokio::test]
async fn an_unknown_provider_is_not_found() {
    let cloud = start([]).await;
    let text = request(Some(EC2), LIST).replace("/aws/", "/awsome/");
    let answer = parse(&exchange(cloud.addr(), &text).await.expect("an answer"));
    assert_eq!(answer.status, 404);
}

#[test]
fn faults_are_read_from_world_files() {
    let text = r#"
        [[fault]]
        provider = "aws"
        operation = "DescribeInstances"
        location = "eu-west-1"
        skip = 1
        first = 2
        then = { throttle = { retry_after = 3 } }
        [[fault]]
        then = "silence"
        [[fault]]
        then = { answer = { status = 500 } }
        [[fault]]
        then = { rate = { per_second = 5.0, burst = 10 } }
        [[fault]]
        then = { content-type = "text/plain" }
        [[fault]]
        then = { trickle = { bytes = 1, every_ms = 100 } }
    "#;
    World::from_toml(text).expect("a valid world");
    assert!(World::from_toml("[[fault]]\nthen = \"explode\"").is_err());
    assert!(World::from_toml("[[fault]]\nopration = \"x\"\nthen = \"cut\"").is_err());
}
