//! Invariant 10: no secret in any output, whatever fails and however much is said.

use super::{ALL, four, reaper};
use crate::support::Ran;

/// Longer pieces of a secret than this must not be seen.
const PIECE: usize = 8;

/// All that must not be seen: keys, and what the simulated providers hand out.
fn secrets() -> Vec<&'static str> {
    let keys = ALL.iter().flat_map(|cloud| cloud.keys);
    // Access keys and application keys are names; what is signed with is the secret.
    let public = ["AWS_ACCESS_KEY_ID", "SCW_ACCESS_KEY", "OVH_APPLICATION_KEY"];
    keys.filter(|(name, _)| !public.contains(name))
        .map(|(_, value)| *value)
        .chain(["jupyter-secret"])
        .collect()
}

#[track_caller]
fn silent(ran: &Ran, secrets: &[&str]) {
    let said = ran.all();
    for secret in secrets {
        for start in 0..=secret.len() - PIECE {
            let piece = &secret[start..start + PIECE];
            assert!(!said.contains(piece), "a piece of a secret was printed: {said}");
        }
    }
    for header in ["X-Auth-Token: c", "Bearer ", "X-Ovh-Signature", "$1$", "Signature="] {
        assert!(!said.contains(header), "{header} was printed: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_083_the_most_talkative_level_shows_no_secret() {
    let broken = "[[fault]]\nskip = 6\nthen = { answer = { status = 403, body = \"{}\", \
                  content_type = \"application/json\" } }\n";
    for fault in ["", broken] {
        for command in
            [&["audit", "-vv", "--format", "json"][..], &["check", "-vv"], &["audit", "-vv"]]
        {
            let sim = four(fault).await;
            let ran = reaper(&sim, "[retries]\nattempts = 2\n").beside(command).await;
            assert_eq!(ran.code, if fault.is_empty() { 0 } else { 4 }, "{}", ran.all());
            assert!(ran.stderr.contains("DEBUG"), "it is talkative: {}", ran.stderr);
            silent(&ran, &secrets());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_082_a_pasted_line_end_is_cut_off_and_said_and_never_quoted() {
    for cloud in ALL.iter().filter(|cloud| cloud.provider != "aws") {
        let sim = four("").await;
        let (name, value) = cloud.keys.last().expect("a secret");
        for end in ["\n", "\r\n", " "] {
            let account = cloud.account.split('"').nth(1).expect("a name");
            let reaper = reaper(&sim, "").env(name, &format!("{value}{end}"));
            let ran = reaper.beside(&["audit", "--account", account]).await.exits(0);
            assert!(ran.stderr.contains("cut off"), "{name}: {}", ran.stderr);
            silent(&ran, &secrets());
        }
        let reaper = reaper(&sim, "").env(name, &format!("{}\n{value}", &value[..4]));
        let ran = reaper.beside(&["audit"]).await.exits(2);
        silent(&ran, &secrets());
    }
}
