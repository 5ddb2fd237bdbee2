//! Under another clock than the wall clock nothing leaves this machine.

use super::{CANARY, Listener, SECRET, gives_nothing_away, house};
use crate::support::{Sim, machine};

/// A Monday, after seven o'clock.
const NOW: &str = "2026-11-30T09:00:00Z";
/// Clouds are simulated all the same.
const ELSEWHERE: &str = "https://hooks.example.org/hunter2-canary-path";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_under_a_false_clock_tells_nobody_on_other_machines() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let listener = Listener::start(204);
    for (variable, name) in [
        ("SLACK_WEBHOOK", "[notify.slack]"),
        ("WEBHOOK_URL", "[notify.webhook]"),
        ("HEARTBEAT_URL", "[notify.heartbeat]"),
    ] {
        assert!(ELSEWHERE.ends_with(CANARY));
        let house = house(&sim, &listener, SECRET).env(variable, ELSEWHERE);
        let asked = sim.cloud.requests().len();
        for line in [&["run", "-vv", "--now", NOW][..], &["run", "--format", "json", "--now", NOW]]
        {
            let ran = house.run(line);
            gives_nothing_away(&ran);
            let ran = ran.exits(3);
            let part = format!("run under another clock (--now, REAPER_NOW): {name} does not lead");
            assert!(ran.stderr.contains(&part), "{}", ran.stderr);
            assert!(!ran.all().contains("hooks.example.org"), "{}", ran.all());
        }
        assert_eq!(sim.cloud.requests().len(), asked, "before anything is asked");
        // What tells nobody anything may go by any clock.
        gives_nothing_away(&house.run(&["run", "--dry-run", "--now", NOW]).exits(0));
        gives_nothing_away(&house.run(&["audit", "--now", NOW]).exits(0));
    }
    assert!(listener.heard().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_under_a_false_clock_mails_nobody_through_other_machines() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    for (host, code) in [("smtp.example.org", 3), ("10.0.0.1", 3), ("localhost", 6), ("::1", 6)] {
        let mail = format!(
            "[notify.email]\nfrom = \"reaper@example.org\"\nreport_to = [\"a@example.org\"]\n\
             smtp = {{ host = \"{host}\", port = 1, tls = \"none\" }}\n"
        );
        let ran = sim.run(&sim.config(&["eu-west-1"], &mail), &["run", "--now", NOW]).await;
        let ran = ran.exits(code);
        let part = format!("the mail server `{host}` does not lead to this machine");
        assert_eq!(ran.stderr.contains(&part), code == 3, "{host}: {}", ran.stderr);
    }
}
