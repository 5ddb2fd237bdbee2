//! Notices for the tests: a stop, a termination for the fallback, and a machine of which little is
//! known.

use chrono_tz::Europe::Amsterdam;

use super::commands;
use super::view::{Fallback, Kind, Notice, Planned, Row};

pub(super) fn notice(kind: Kind) -> Notice {
    let due = "2026-12-04T08:00:00Z".parse().expect("a time");
    let money = |text: &str| Some(text.parse().expect("an amount"));
    let until = "2026-12-18".parse().expect("a day");
    let id = |text: &str| -> reaper_model::InstanceId { text.parse().expect("an id") };
    let aws = id("aws/111122223333/eu-west-1/i-0abcdef1234567890");
    let notebook = Row {
        provider: "AWS".to_owned(),
        account: "research".into(),
        name: Some("notebook-test".to_owned()),
        machine_type: "p4d.24xlarge".into(),
        gpu: Some("8 × A100".to_owned()),
        age: Some("30d 0h".to_owned()),
        cost_so_far: money("2520 EUR"),
        per_month: money("2520 EUR"),
        reasons: vec!["no tag names an owner (rule ownerless)".to_owned()],
        planned: Planned::Stop { due },
        still_charged: vec!["volume vol-01: 80.00 EUR a month".to_owned()],
        losses: vec!["its automatically assigned public address".to_owned()],
        keep: commands::keep(&aws, "reaper-keep", until),
        restart: commands::restart(&aws),
        hastened_by: Vec::new(),
        scarce: true,
        owner: None,
        fallback: None,
        id: aws,
    };
    let lambda = id("lambda/ssh-key:ops-2026/us-west-1/0920582c7ff041399e34823a0be62549");
    let burst = Row {
        provider: "Lambda".to_owned(),
        account: "burst".into(),
        name: Some("train-07".to_owned()),
        machine_type: "gpu_1x_a10".into(),
        gpu: Some("1 × A10".to_owned()),
        per_month: money("120 EUR"),
        planned: Planned::Terminate { due },
        losses: vec!["no file system is attached".to_owned()],
        still_charged: Vec::new(),
        keep: commands::keep(&lambda, "reaper-keep", until),
        restart: None,
        scarce: false,
        owner: Some("r.example".to_owned()),
        fallback: Some(Fallback::NoAddress),
        id: lambda,
        ..notebook.clone()
    };
    let strange = Row {
        provider: "OVHcloud".to_owned(),
        account: "lab".into(),
        name: None,
        machine_type: "b3-9".into(),
        gpu: None,
        age: None,
        cost_so_far: None,
        per_month: None,
        planned: Planned::Report,
        still_charged: Vec::new(),
        losses: Vec::new(),
        keep: Vec::new(),
        restart: None,
        scarce: false,
        id: id("ovhcloud/0123456789abcdef0123456789abcdef/GRA11/2a6b"),
        ..notebook.clone()
    };
    Notice {
        kind,
        zone: Amsterdam,
        contact: Some("gpu-team@example.org".to_owned()),
        rows: vec![notebook, burst, strange],
    }
}
