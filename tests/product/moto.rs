//! `reaper audit` against moto: the real adapter on an EC2 that others wrote, with every trouble of
//! tags and owners, over three regions. The same table is the proof for invariants that concern
//! what is listed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::schema::validates;
use crate::support::{Moto, Ran, Reaper};

const OWNERS: &str = "owner,email,team,status\n\
    alice,alice@example.org,vision,active\n\
    bob,bob@example.org,vision,active\n\
    carol,carol@example.org,nlp,departed\n\
    a@example.org,a@example.org,nlp,active\n\
    b@example.org,b@example.org,nlp,active\n";

/// Name, verdict, rules that say yes (with their reason), GPUs.
const EXPECTED: [(&str, &str, &str, &str); 37] = [
    ("ownerless", "orphan", "ownerless:owner-absent", "1 A10G"),
    ("owned", "ok", "", "1 A10G"),
    ("owner-empty", "orphan", "ownerless:owner-empty", "1 A10G"),
    ("owner-blank", "orphan", "ownerless:owner-empty", "1 A10G"),
    ("owner-spelled", "ok", "", "1 A10G"),
    ("owner-conflict", "orphan", "contradiction:owner-conflicting", "1 A10G"),
    ("owner-departed", "orphan", "ownerless:owner-departed", "1 T4"),
    ("owner-unknown", "orphan", "ownerless:owner-unknown", "1 T4"),
    ("owner-several", "ok", "", "1 T4"),
    ("project-none", "orphan", "missing-tags:tag-placeholder", "1 T4"),
    ("project-missing", "orphan", "missing-tags:tag-absent", "1 T4"),
    ("project-empty", "orphan", "missing-tags:tag-empty", "1 T4"),
    ("keep", "protected", "ownerless:owner-absent missing-tags:tag-absent", "1 T4"),
    ("keep-shouted", "protected", "ownerless:owner-absent missing-tags:tag-absent", "1 T4"),
    ("keep-false", "orphan", "ownerless:owner-absent missing-tags:tag-absent", "1 T4"),
    ("keep-lapsed", "orphan", "ownerless:owner-absent missing-tags:tag-absent", "1 T4"),
    ("expired", "orphan", "expired:expired", "1 T4"),
    ("expires-later", "ok", "", "1 T4"),
    ("expires-soon", "unjudged", "", "1 T4"),
    ("expires-7d", "orphan", "expired:expired", "1 T4"),
    ("demo-booth", "exempt", "ownerless:owner-absent", "1 T4"),
    ("asg-member", "managed", "ownerless:owner-absent missing-tags:tag-absent", "4 V100"),
    ("eks-node", "managed", "ownerless:owner-absent missing-tags:tag-absent", "1 T4"),
    ("karpenter-node", "managed", "ownerless:owner-absent missing-tags:tag-absent", "1 A10G"),
    ("emr-node", "managed", "ownerless:owner-absent missing-tags:tag-absent", "1 T4"),
    ("spot", "orphan", "ownerless:owner-absent", "1 A10G"),
    ("stop-protected", "protected", "ownerless:owner-absent", "1 A10G"),
    ("stopped", "ok", "", "1 A10G"),
    ("terminated", "ok", "", "1 A10G"),
    ("p4d", "orphan", "ownerless:owner-absent", "8 A100"),
    ("inferentia", "orphan", "ownerless:owner-absent", "1 AWS Inferentia"),
    ("trainium", "orphan", "ownerless:owner-absent", "1 AWS Trainium"),
    ("gaudi", "orphan", "ownerless:owner-absent", "8 Habana Gaudi"),
    ("radeon", "orphan", "ownerless:owner-absent", "1 AMD Radeon"),
    ("fpga", "orphan", "ownerless:owner-absent", "1 "),
    ("far-owned", "ok", "", "1 T4"),
    ("unicode", "ok", "", "1 T4"),
];

fn config(url: &str) -> String {
    format!(
        r#"
version = 1
placeholders = ["none"]

[[account]]
name = "research"
provider = "aws"
expect_account = "123456789012"
regions = ["eu-west-1", "us-east-1", "ap-southeast-2"]
endpoint_url = "{url}"

[owners]
tags = ["owner", "created-by"]
domain = "example.org"
directory = "owners.csv"
fallback = "gpu-team@example.org"

[[rule]]
name = "ownerless"
when = {{ owner = ["absent", "unknown", "departed"], older_than = "2h" }}
action = "stop"

[[rule]]
name = "contradiction"
when = {{ owner = ["conflicting"] }}
action = "stop"

[[rule]]
name = "missing-tags"
when = {{ missing_tags = ["project"], older_than = "24h" }}
action = "report"

[[rule]]
name = "expired"
when = {{ expired = true }}
action = "stop"

[[exempt]]
match = {{ name = "demo-*" }}
owner = "alice"
reason = "trade fair"
until = 2099-12-24
"#
    )
}

fn audit(moto: &Moto, arguments: &[&str]) -> Ran {
    let now = moto.seeded["now"].as_str().expect("a time");
    let reaper = Reaper::with_config(&config(&moto.url))
        .file("owners.csv", OWNERS)
        .env("AWS_ACCESS_KEY_ID", "AKIATEST")
        .env("AWS_SECRET_ACCESS_KEY", "canary-secret-4711");
    reaper.run(&[&["audit", "--now", now, "-vv"], arguments].concat())
}

fn found(machine: &Value) -> String {
    let findings = machine["findings"].as_array().expect("a list");
    let parts: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!(
                "{}:{}",
                finding["rule"].as_str().expect("a rule"),
                finding["reason"].as_str().expect("a reason")
            )
        })
        .collect();
    parts.join(" ")
}

#[test]
fn the_fleet_on_moto_is_judged_as_expected() {
    let moto = Moto::seeded();
    let ran = audit(&moto, &["--format", "json"]).exits(0);
    let document = ran.json();
    validates("audit", &document);
    let seeded = moto.seeded["machines"].as_object().expect("names to ids");
    let machines: BTreeMap<&str, &Value> = document["instances"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|machine| (machine["native_id"].as_str().expect("an id"), machine))
        .collect();
    for (name, verdict, findings, gpus) in EXPECTED {
        let id = seeded[name].as_str().expect("an id");
        let machine = machines.get(id).unwrap_or_else(|| panic!("{name} ({id}) is not listed"));
        let why = &machine["why"];
        assert_eq!(machine["verdict"], verdict, "{name}: {why}");
        assert_eq!(found(machine), findings, "{name}: {why}");
        let gpu = &machine["gpu"];
        let shown = format!("{} {}", gpu["count"], gpu["model"].as_str().expect("a model"));
        assert!(shown.starts_with(gpus), "{name}: {shown}, not {gpus}");
    }
    // Without any tag there is not even a name.
    for name in ["no-tags", "far-away"] {
        let machine = machines[seeded[name].as_str().expect("an id")];
        assert_eq!(machine["verdict"], "orphan", "{name}");
        assert_eq!(machine["name"], Value::Null, "{name}");
        assert_eq!(machine["tags_read"], true, "{name}");
    }
    for name in ["web", "db", "batch", "far-web"] {
        let id = seeded[name].as_str().expect("an id");
        assert!(!machines.contains_key(id), "{name} has no accelerator");
    }
    assert_eq!(document["scopes"].as_array().map(Vec::len), Some(3));
    assert_eq!(seeded.len(), EXPECTED.len() + 2 + 4, "every seeded machine is expected somehow");
    assert_eq!(document["outcome"]["classes"], serde_json::json!(["findings"]));

    secrets_never_leave(&ran);
    pinned_accounts_only(&moto);
}

/// Invariant 10, at the highest log level.
fn secrets_never_leave(ran: &Ran) {
    for output in [&ran.stdout, &ran.stderr] {
        assert!(!output.contains("canary-secret-4711"));
        assert!(!output.contains("AWS4-HMAC-SHA256"), "a signature");
    }
}

/// Invariant 13: a pin that does not fit refuses the run before anything is listed.
fn pinned_accounts_only(moto: &Moto) {
    let config = config(&moto.url).replace("123456789012", "111122223333");
    let reaper = Reaper::with_config(&config)
        .file("owners.csv", OWNERS)
        .env("AWS_ACCESS_KEY_ID", "AKIATEST")
        .env("AWS_SECRET_ACCESS_KEY", "canary-secret-4711");
    let ran = reaper.run(&["audit", "--format", "json"]).exits(3);
    let document = ran.json();
    assert_eq!(document["instances"], serde_json::json!([]));
    for number in ["123456789012", "111122223333"] {
        assert!(ran.stderr.contains(number), "both accounts are named: {}", ran.stderr);
    }
}
