//! Budgets before anything is spent: what `check` says of them, and which it does not accept.

use crate::schema::validates;
use crate::support::{Sim, machine};

const MAIL: &str = "[notify.email]\nfrom = \"reaper@example.org\"\nreport_to = \"a@example.org\"\n\
                    smtp = { host = \"127.0.0.1\", tls = \"none\" }\n";

const BUDGETS: &str = "[owners]\nfallback = \"gpu-team@example.org\"\n\
    [[budget]]\nname = \"all-gpu\"\nlimit = \"5000 USD\"\n\
    [[budget]]\nname = \"atlas\"\nlimit = \"800.50 USD\"\nthresholds = [\"90%\", \"49.99%\"]\n\
    forecast = []\nrecipients = [\"pi@example.org\", \"finance@example.org\"]\n\
    on_limit = \"stop-orphans\"\nscope = { account = \"research\", tag = { project = \"atlas\" } }\n\
    [[budget]]\nname = \"burst\"\nlimit = \"100 USD\"\nscope = { provider = \"lambda\" }\n";

#[tokio::test(flavor = "multi_thread")]
async fn fl_121_check_shows_every_budget_and_whom_it_alerts() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let config = sim.config(&["eu-west-1"], &format!("{BUDGETS}{MAIL}"));
    for arguments in [&["check"][..], &["check", "--offline"]] {
        let ran = sim.run(&config, arguments).await.exits(0);
        let (_, budgets) = ran.stdout.split_once("\nBUDGETS\n").expect("budgets");
        let (budgets, _) = budgets.split_once("\nSCHEDULE\n").expect("schedules");
        assert_eq!(
            budgets,
            "  all-gpu: 5,000.00 USD a calendar month, counting everything\n    \
             of research\n    \
             alerts gpu-team@example.org at 50%, 80%, and when the forecast reaches 100%\n  \
             atlas: 800.50 USD a calendar month, counting account research, and tag project atlas\n    \
             of research\n    \
             alerts pi@example.org, finance@example.org at 49.99%, 90%; of no forecast\n    \
             at 100% the notice periods of orphans in it end\n  \
             burst: 100.00 USD a calendar month, counting provider lambda\n    \
             COUNTS NOTHING: no configured account is in its scope\n    \
             alerts gpu-team@example.org at 50%, 80%, and when the forecast reaches 100%\n"
        );
        let warning = "budget `burst`: no configured account is in its `scope`";
        assert!(ran.stdout.contains(warning), "{}", ran.stdout);
    }
    let json = sim.run(&config, &["check", "--offline", "--format", "json"]).await.exits(0).json();
    validates("check", &json);
    let atlas = &json["budgets"][1];
    assert_eq!(atlas["limit"], serde_json::json!({"amount": "800.50", "currency": "USD"}));
    assert_eq!(atlas["accounts"], serde_json::json!(["research"]));
    assert_eq!(atlas["thresholds"], serde_json::json!(["49.99%", "90%"]));
    assert_eq!(atlas["on_limit"], "stop-orphans");
    assert_eq!(json["budgets"][2]["accounts"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_121_check_fails_where_no_alarm_could_be_sent_and_an_audit_does_not() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let config = sim.config(&["eu-west-1"], BUDGETS);
    for arguments in [&["check"][..], &["check", "--offline"]] {
        let ran = sim.run(&config, arguments).await.exits(2);
        for name in ["all-gpu", "atlas", "burst"] {
            let words = format!("budget `{name}` can alert nobody: there is no [notify.email]");
            assert!(ran.stderr.contains(&words), "{}", ran.stderr);
        }
    }
    assert!(sim.cloud.requests().is_empty(), "refused before anything was asked");
    sim.run(&config, &["audit"]).await.exits(0);
    let deaf = config.replace("fallback = \"gpu-team@example.org\"\n", "");
    let ran = sim.run(&deaf, &["audit"]).await.exits(2);
    assert!(ran.stderr.contains("budget `all-gpu` can alert nobody"), "{}", ran.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_107_a_budget_over_two_currencies_is_refused_by_every_command() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let euros = BUDGETS.replace("5000 USD", "5000 EUR");
    let config = sim.config(&["eu-west-1"], &format!("{euros}{MAIL}"));
    for arguments in [&["check", "--offline"][..], &["audit"], &["plan"], &["run", "--dry-run"]] {
        let ran = sim.run(&config, arguments).await.exits(2);
        let words = "budget `all-gpu` is in EUR and counts USD (account `research`) without a rate";
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let rate = "[fx]\nUSD = { rate = \"0.92\", as_of = 2026-11-28 }\n";
    sim.run(&format!("{config}{rate}"), &["check", "--offline"]).await.exits(0);
}
