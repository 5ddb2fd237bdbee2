//! From the machine to the verdict: what a probe has written is what an audit judges.

use super::stand_in::{machine, printing};
use crate::support::{LAMBDA, found};

/// The rule, and the state that the probe writes into.
const TAIL: &str = "[pace]\nlambda = { per_second = 50 }\n[state]\nurl = \"file:state\"\n\
                    [[rule]]\nname = \"idle\"\nwhen = { idle = { below = \"5%\", for = \"2h\" } }\n\
                    action = \"stop\"\n";

const WORLD: &str = "[lambda]\nmin_interval_ms = 0\n[[lambda.instance]]\naccount = \"burst\"\n\
                     region = \"us-east-1\"\nid = \"i-0abc\"\ntype = \"gpu_1x_a10\"\n\
                     launched = \"9h\"\n";

/// A look each minute of the two hours before 09:00; `busy`: the one at 08:12 saw work.
fn looks(busy: bool) -> crate::support::Reaper {
    let script = printing("one-a10.xml");
    let script = if busy {
        let work = "s|<gpu_util>0 %</gpu_util>|<gpu_util>88 %</gpu_util>|";
        let quiet = script.trim_start_matches("exec ");
        format!("if [ -e busy ]; then {quiet} | sed '{work}'; else {quiet}; fi")
    } else {
        script
    };
    let reaper = machine(&script);
    for look in 0..120 {
        let (hour, minute) = (7 + look / 60, look % 60);
        let work = reaper.path().join("busy");
        if busy && (hour, minute) == (8, 12) {
            std::fs::write(&work, "").expect("a file");
        } else if work.exists() {
            std::fs::remove_file(&work).expect("gone");
        }
        let now = format!("2026-11-30T{hour:02}:{minute:02}:00Z");
        let asked = super::stand_in::with(&["--once", "--state", "file:state", "--now", &now]);
        reaper.run(&asked).exits(0);
    }
    reaper
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_probe_saw_is_what_an_audit_judges() {
    for (busy, verdict, said) in [
        (false, "idle", "its GPU never above 0 % in the last 2h, 100 % of samples present"),
        (true, "busy", "GPU utilisation up to 88 %"),
    ] {
        let sim = LAMBDA.serve(WORLD).await;
        let reaper = looks(busy).file("reaper.toml", &LAMBDA.config(&sim, TAIL));
        let reaper = LAMBDA.keys.iter().fold(reaper, |reaper, (name, key)| reaper.env(name, key));
        let asked = ["audit", "--format", "json", "--now", "2026-11-30T09:00:00Z"];
        let document = reaper.beside(&asked).await.exits(0).json();
        let machine = found(&document, "i-0abc");
        let utilisation = &machine["utilisation"];
        assert_eq!(utilisation["verdict"], verdict, "{utilisation}");
        let summary = utilisation["summary"].as_str().expect("a sentence");
        assert!(summary.contains(said), "{summary}");
        assert_eq!(utilisation["source"], "reaper probe");
    }
}
