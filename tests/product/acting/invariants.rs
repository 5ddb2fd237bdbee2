//! Invariants of acting that only the whole product can show, each under its name.

use reaper_simcloud::{Act, Effect, Fault, Outcome, Trigger};
use serde_json::Value;

use super::Stage;
use super::edits::Edit;
use super::stage::{CLOUDS, Post};
use crate::support::{ORGANISATION, PROJECT, found};

const RULES: &str = r#"
${mail}
[owners]
domain = "example.org"
directory = "owners.csv"
name_pattern = "^(?P<owner>[a-z.]+)--"
fallback = "gpu-team@example.org"
[[rule]]
name = "ownerless"
when = { owner = ["absent", "departed"], older_than = "2h" }
action = "stop"
notice = "3d"
"#;

const FOUND: &str = "2026-12-01T08:00:00Z";
const DUE: &str = "2026-12-04T08:00:00Z";
const ENFORCE: &str = "reaper run --enforce --format json";

/// One orphan at each cloud, called `i-1`, `s-1`, `o-1` and `l-1`; the brake stands where `limits` says.
async fn four(limits: &str) -> Stage {
    let world = format!(
        "${{aws}}\n${{scaleway}}\n${{ovhcloud}}\n${{lambda}}\n\
         [[aws.instance]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\nid = \"i-1\"\n\
         type = \"p3.2xlarge\"\nlaunched = \"240h\"\nvolumes = [{{ id = \"vol-1\" }}]\n\
         [[scaleway.server]]\norganization = \"{ORGANISATION}\"\nzone = \"fr-par-2\"\nid = \"s-1\"\n\
         type = \"L4-1-24G\"\ncreated = \"240h\"\n\
         [[ovhcloud.instance]]\nproject = \"{PROJECT}\"\nregion = \"GRA11\"\nid = \"o-1\"\n\
         name = \"carol--train\"\nflavor = \"a100-180\"\ncreated = \"240h\"\n\
         [[lambda.instance]]\naccount = \"burst\"\nregion = \"us-east-1\"\nid = \"l-1\"\n\
         type = \"gpu_1x_a10\"\nlaunched = \"240h\"\n"
    );
    let config = format!(
        "${{aws}}\n${{scaleway}}\n${{ovhcloud}}\nsubsidiary = \"FR\"\n\
         ${{lambda}}\nallow_terminate = true\n[limits]\n{limits}\n{RULES}"
    );
    let stage = Stage::new(FOUND, &world, &config).await;
    let owners = "owner,email,team,status\ncarol,carol@example.org,asr,departed\n\
                  alice,alice@example.org,asr,active\n";
    std::fs::write(stage.reaper.path().join("owners.csv"), owners).expect("a file");
    stage
}

/// All four found and noticed, and the clock at the announced hour.
async fn due(limits: &str) -> Stage {
    let mut stage = four(limits).await;
    stage.run(ENFORCE).exits(0);
    assert_eq!((stage.mails().len(), stage.calls()), (1, vec![]));
    stage.at(DUE);
    stage
}

const OPEN: &str = "max_share = \"100%\"";

/// The ids that were called, sorted.
fn called(stage: &mut Stage) -> Vec<String> {
    let mut ids: Vec<String> = stage.calls().into_iter().flat_map(|call| call.ids).collect();
    ids.sort();
    ids
}

fn action<'a>(document: &'a Value, id: &str) -> &'a Value {
    &found(document, id)["action"]
}

/// Invariant 2: without an accepted mail nothing is ever due, and after one the whole period counts.
#[tokio::test(flavor = "multi_thread")]
async fn no_action_before_notice() {
    let mut stage = four(OPEN).await;
    stage.serve_mail(Post::Down);
    for day in ["2026-12-01", "2026-12-08", "2027-12-01"] {
        stage.at(&format!("{day}T08:00:00Z"));
        stage.run(ENFORCE).exits(6);
        assert_eq!(called(&mut stage), [""; 0], "{day}");
    }
    stage.serve_mail(Post::Up);
    stage.at("2027-12-02T08:00:00Z");
    stage.run(ENFORCE).exits(0);
    let mails = stage.mails();
    assert_eq!(mails.len(), 1, "one mail about all four clouds");
    assert!(mails[0].text.contains("Sun 5 Dec 2027 08:00"), "{}", mails[0].text);
    stage.at("2027-12-05T07:59:59Z");
    stage.run(ENFORCE).exits(0);
    assert_eq!(called(&mut stage), [""; 0]);
    stage.at("2027-12-05T08:00:00Z");
    stage.run(ENFORCE).exits(0);
    assert_eq!(called(&mut stage), ["i-1", "l-1", "o-1", "s-1"]);
}

/// Invariant 3: whatever changes between the listing and the read before the call, nothing is called.
#[tokio::test(flavor = "multi_thread")]
async fn fresh_read_before_action() {
    for [a, s, o, l] in [
        [
            "tag i-1 owner=alice",
            "tag s-1 owner=alice",
            "rename o-1 alice--train",
            "tag l-1 owner=alice",
        ],
        ["tag i-1 team=asr", "tag s-1 reaper-keep=", "rename o-1 nobody", "tag l-1 team=asr"],
        ["remove i-1", "remove s-1", "remove o-1", "remove l-1"],
    ] {
        let mut stage = due(OPEN).await;
        for (request, id, edit) in [
            ("DescribeInstances", "i-1", a),
            ("GET /instance/v1/zones/{zone}/servers/{id}", "s-1", s),
            ("GET /cloud/project/{project}/instance/{instance}", "o-1", o),
            ("GET /api/v1/instances/{id}", "l-1", l),
        ] {
            let edit = Edit::read(edit);
            let trigger = Trigger::before(request).naming(id);
            stage.cloud.on_request(trigger, move |world| edit.carry_out(world));
        }
        let document = stage.run(ENFORCE).exits(0).json();
        assert_eq!(called(&mut stage), [""; 0], "{a}");
        for id in ["i-1", "s-1", "o-1", "l-1"] {
            let action = action(&document, id);
            let result = action["result"].as_str().expect("a result");
            assert!(matches!(result, "skipped-changed" | "already-gone"), "{a}: {action}");
            assert!(action["result_why"].as_str().is_some_and(|why| !why.is_empty()));
        }
    }
}

/// Invariant 4: when a call arrives at a provider its intent stands in the log already.
#[tokio::test(flavor = "multi_thread")]
async fn intent_before_call() {
    let stage = due(OPEN).await;
    let (tell, told) = std::sync::mpsc::channel();
    for (call, id) in
        [("StopInstances", "i-1"), ("poweroff", "s-1"), ("shelve", "o-1"), ("terminate", "l-1")]
    {
        let (state, tell) = (stage.reaper.path().join("state"), tell.clone());
        stage.cloud.on_request(Trigger::before(call).naming(id), move |_| {
            let mut log = String::new();
            read_all(&state, &mut log);
            let names =
                |line: &str| line.contains("intended") && line.contains(&format!("\"{id}\""));
            let results = |line: &str| line.contains("ended") && line.contains("\"result\"");
            let of = |line: &&str| names(line) && line.contains("\"plan\"") && !results(line);
            // A test that has failed hears nothing any more.
            let _ = tell.send((id, log.lines().filter(of).count()));
        });
    }
    drop(tell);
    let document = stage.run(ENFORCE).exits(0).json();
    let mut intents: Vec<_> = told.iter().collect();
    intents.sort_unstable();
    assert_eq!(intents, [("i-1", 1), ("l-1", 1), ("o-1", 1), ("s-1", 1)]);
    for id in ["i-1", "s-1", "o-1", "l-1"] {
        assert_eq!(action(&document, id)["result"], "confirmed", "{id}");
    }
}

fn read_all(folder: &std::path::Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the state") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            read_all(&path, text);
        } else if let Ok(part) = std::fs::read_to_string(&path) {
            text.push_str(&part);
            text.push('\n');
        }
    }
}

/// Invariant 6 on every path and for every bound: nothing at all is done.
#[tokio::test(flavor = "multi_thread")]
async fn brake_stops_everything() {
    for limits in [
        "max_share = \"99%\"",
        "max_actions = 3\nmax_share = \"100%\"",
        "max_hourly_value = \"5 EUR\"\nmax_share = \"100%\"",
    ] {
        let mut stage = due(limits).await;
        let plan = stage.run("reaper plan --out plan.json --format json");
        assert_eq!(plan.code, 3, "{limits}: {}", plan.stderr);
        for line in [ENFORCE, "reaper run --enforce --expect 3", "reaper apply plan.json"] {
            let ran = stage.run(line);
            assert_eq!(ran.code, 3, "{limits}: {line}: {}", ran.all());
            assert_eq!(called(&mut stage), [""; 0], "{limits}: {line}");
        }
        stage.run("reaper apply plan.json --expect 4").exits(0);
        assert_eq!(called(&mut stage), ["i-1", "l-1", "o-1", "s-1"], "{limits}");
    }
}

/// Invariant 7 with everything due: commands that only look send nothing and write nothing, and what
/// they announce is what the run then does.
#[tokio::test(flavor = "multi_thread")]
async fn dry_is_dry() {
    let mut stage = due(OPEN).await;
    let before = stage.state();
    for line in [
        "reaper audit",
        "reaper check",
        "reaper plan --out plan.json",
        "reaper run --dry-run",
        "reaper run --enforce --dry-run",
        "reaper explain i-1",
        "reaper history",
        "reaper history --verify",
    ] {
        stage.run(line).exits(0);
        assert_eq!(stage.calls(), [], "{line}");
        assert!(stage.mails().is_empty(), "{line}");
        assert!(stage.state() == before, "{line}");
    }
    let plan = stage.run("reaper plan --format json").exits(0).json();
    let announced = super::rehearsal::announced(&plan);
    stage.run(ENFORCE).exits(0);
    assert_eq!(called(&mut stage), announced.into_iter().collect::<Vec<_>>());
}

/// Invariant 9: what the provider has not shown to be off is no saving; what is still charged is said.
#[tokio::test(flavor = "multi_thread")]
async fn saving_when_confirmed() {
    let mut stage = due(OPEN).await;
    let lie = Act::outcome(Outcome::Lie);
    stage.cloud.edit(|world| {
        world.scaleway.server_mut("s-1").expect("there").act = lie;
        world.ovhcloud.instance_mut("o-1").expect("there").act = lie;
        world.lambda.instance_mut("l-1").expect("there").act = lie;
    });
    let table = stage.run("reaper run --enforce");
    assert_eq!(table.code, 5, "{}", table.all());
    // 3 EUR an hour, 730 hours a month: of the four only the one that is really off.
    let headline = table.stdout.lines().next().expect("a headline");
    assert!(headline.contains("stopped 1 of 4"), "{headline}");
    assert!(headline.contains("saves 2,190.00 EUR a month"), "{headline}");
    assert!(table.stdout.contains("still charged afterwards: 1 volume"), "{}", table.stdout);
    assert_eq!(called(&mut stage), ["i-1", "l-1", "o-1", "s-1"]);
}

/// Invariant 10 in runs that act, fail and mail: no key in any output, in any mail, in the state.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_never_leave() {
    let public = ["AWS_ACCESS_KEY_ID", "SCW_ACCESS_KEY", "OVH_APPLICATION_KEY"];
    let keys = CLOUDS.iter().flat_map(|cloud| cloud.keys);
    let secrets: Vec<&str> =
        keys.filter(|(name, _)| !public.contains(name)).map(|(_, secret)| *secret).collect();
    let mut stage = four(OPEN).await;
    let mut said = stage.run("reaper run --enforce -vv").exits(0).all();
    said.extend(stage.mails().into_iter().map(|mail| mail.subject + &mail.text));
    stage.at(DUE);
    let broken = Effect::Answer {
        status: 403,
        body: "{}".to_owned(),
        content_type: "application/json".to_owned(),
    };
    for call in ["StopInstances", "poweroff", "shelve", "terminate"] {
        stage.cloud.add_fault(Fault::always(broken.clone()).at(call));
    }
    let failing = stage.run("reaper run --enforce -vv");
    assert_eq!(failing.code, 5, "{}", failing.all());
    assert!(failing.stderr.contains("DEBUG"), "it is talkative");
    said.push_str(&failing.all());
    said.push_str(&stage.run("reaper history").exits(0).all());
    read_all(&stage.reaper.path().join("state"), &mut said);
    for secret in secrets {
        assert!(!said.contains(secret), "a secret was written: {secret}");
    }
}

/// Invariant 13: with the keys of another account nothing is done, however due it is; without a pin
/// only that account is left alone.
#[tokio::test(flavor = "multi_thread")]
async fn pinned_accounts_only() {
    let mut stage = due(OPEN).await;
    let path = stage.reaper.path().join("reaper.toml");
    let pinned = std::fs::read_to_string(&path).expect("a configuration");
    let pin = "expect_account = \"111122223333\"\n";
    let write = |text: String| std::fs::write(&path, text).expect("a configuration");

    write(pinned.replace(pin, "expect_account = \"444455556666\"\n"));
    let wrong = stage.run(ENFORCE);
    assert_eq!(wrong.code, 3, "{}", wrong.all());
    for account in ["111122223333", "444455556666"] {
        assert!(wrong.stdout.contains(account), "both are shown: {}", wrong.stdout);
    }
    assert_eq!(called(&mut stage), [""; 0]);

    write(pinned.replace(pin, ""));
    let unpinned = stage.run(ENFORCE);
    assert_eq!(unpinned.code, 3, "{}", unpinned.all());
    assert_eq!(called(&mut stage), ["l-1", "o-1", "s-1"]);
    let why = action(&unpinned.json(), "i-1")["why"].as_str().map(str::to_owned);
    assert!(why.is_some_and(|why| why.contains("not pinned")), "the reason is told");
}
