//! The heartbeat: which address hears what, and that a failure is a sentence and nothing more.

use std::time::Duration;

use reaper_notify::Heartbeat;
use tokio::time::Instant;

use crate::message::{CANARY, gives_nothing_away, now, target};
use crate::server::{Behaviour, Server, answer};

fn heartbeat(server: &Server, timeout: Duration) -> Heartbeat {
    let target = target(&server.url(&format!("/ping/{CANARY}")), timeout);
    let heartbeat = Heartbeat::new(&target, "r-1", now()).expect("set up");
    gives_nothing_away(&format!("{heartbeat:?}"));
    heartbeat
}

#[tokio::test]
async fn fl_128_start_success_and_failure_have_addresses_and_one_run() {
    let server = Server::start(vec![answer("200 OK")]).await;
    let heartbeat = heartbeat(&server, Duration::from_secs(5));
    heartbeat.start().await.expect("heard");
    heartbeat.success("exit code 0: findings").await.expect("heard");
    heartbeat.fail("exit code 4: findings, incomplete\u{1b}[31m").await.expect("heard");
    let received = server.received();
    let paths: Vec<&str> =
        received.iter().filter_map(|request| request.target.split('?').next()).collect();
    let base = format!("POST /ping/{CANARY}");
    assert_eq!(paths, [format!("{base}/start"), base.clone(), format!("{base}/fail")]);
    let runs: Vec<&str> =
        received.iter().filter_map(|request| request.target.split("?rid=").nth(1)).collect();
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run.len() == 36 && *run == runs[0]), "{runs:?}");
    let bodies: Vec<&str> = received.iter().map(|request| request.body.as_str()).collect();
    assert_eq!(bodies, ["", "exit code 0: findings", "exit code 4: findings, incomplete⟨1b⟩[31m"]);
}

#[tokio::test]
async fn a_heartbeat_that_is_not_heard_is_a_warning_within_its_time_limit() {
    for behaviour in
        [Behaviour::Silence, Behaviour::Hangup, answer("404 Not Found"), answer("302 Found")]
    {
        let server = Server::start(vec![behaviour]).await;
        let limit = Duration::from_millis(600);
        let started = Instant::now();
        let warning = heartbeat(&server, limit).success("clean").await.expect_err("not heard");
        assert!(started.elapsed() < limit * 3, "{:?}", started.elapsed());
        assert!(warning.contains(&server.address.to_string()), "{warning}");
        gives_nothing_away(&warning);
    }
}
