//! The shape of answers: states, times, types, names (field cases of kinds A, E and I).

use crate::aws::{machine as find, warnings};
use crate::support::{OWNERLESS, Reaper, Sim, machine};

#[tokio::test(flavor = "multi_thread")]
async fn fl_085_a_type_that_no_list_knows_is_kept_letter_for_letter() {
    let world = machine("i-1", "eu-west-1", "type = \"p9x.192xlarge\"");
    let sim = Sim::aws(&world).await;
    let tail = format!("{OWNERLESS}[protect]\ntypes = [\"p9x.*\"]\n");
    let config = sim.config(&["eu-west-1"], &tail);
    for format in ["json", "table", "markdown"] {
        let ran = sim.run(&config, &["audit", "--format", format]).await;
        assert!(ran.stdout.contains("p9x.192xlarge"), "{format}: {}", ran.stdout);
    }
    let document = sim.audit(&["eu-west-1"], &tail).await.json();
    assert_eq!(find(&document, "i-1")["verdict"], "protected", "usable in the policy");
    assert_eq!(find(&document, "i-1")["price"], serde_json::Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_086_one_new_state_word_spoils_no_other_machine() {
    let mut world = machine("i-odd", "eu-west-1", "state = \"hibernating-deep\"");
    for number in 0..9 {
        world.push_str(&machine(&format!("i-{number}"), "eu-west-1", ""));
    }
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.json();
    let odd = find(&document, "i-odd");
    assert_eq!(odd["provider_state"], "hibernating-deep");
    assert_eq!(odd["billing"], "unknown");
    assert_eq!(odd["verdict"], "unjudged");
    assert!(warnings(&document).contains(&"state-unknown"));
    assert_eq!(document["totals"]["orphans"], 9);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_009_a_launch_time_that_makes_no_sense_is_unknown() {
    let world = [
        machine("i-future", "eu-west-1", "launched = \"2027-06-01T00:00:00Z\""),
        machine("i-year-1", "eu-west-1", "launched = \"0001-01-01T00:00:00Z\""),
    ]
    .concat();
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.json();
    for id in ["i-future", "i-year-1"] {
        let machine = find(&document, id);
        assert_eq!(machine["verdict"], "unjudged", "{id}: {}", machine["why"]);
        assert_eq!(machine["age_hours"], serde_json::Value::Null, "{id}");
        assert!(machine["age_why"].is_string(), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_091_ghosts_are_counted_and_no_orphans() {
    let world = [
        machine("i-gone", "eu-west-1", "state = \"terminated\""),
        machine("i-going", "eu-west-1", "state = \"shutting-down\""),
    ]
    .concat();
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(0).json();
    assert_eq!(document["totals"]["orphans"], 0);
    assert_eq!(document["totals"]["ended"], 2);
    assert_eq!(find(&document, "i-gone")["cost"], serde_json::Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_055_a_stopped_machine_lists_what_is_still_charged() {
    let world = machine(
        "i-off",
        "eu-west-1",
        "state = \"stopped\"\nvolumes = [{ id = \"vol-1\" }, { id = \"vol-2\", device = \"/dev/sdf\" }]",
    );
    let sim = Sim::aws(&world).await;
    let config = sim.config(&["eu-west-1"], OWNERLESS);
    let ran = sim.run(&config, &["audit"]).await.exits(0);
    for volume in ["volume vol-1: price unknown", "volume vol-2: price unknown"] {
        assert!(ran.stdout.contains(volume), "{}", ran.stdout);
    }
    assert!(!ran.stdout.contains(" 0.00"), "{}", ran.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_time_without_a_date_is_unknown_and_a_stuck_stop_is_said() {
    let world = [
        machine("i-service", "eu-west-1", "state = \"stopped\"\ntransition_reason = \"User initiated\""),
        machine(
            "i-stuck",
            "eu-west-1",
            "state = \"stopping\"\ntransition_reason = \"User initiated (2026-11-29 10:00:00 GMT)\"",
        ),
    ]
    .concat();
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.exits(0).json();
    let said = document["warnings"].to_string();
    assert!(said.contains("stuck in stopping since 2026-11-29 10:00"), "{said}");
    assert_eq!(find(&document, "i-service")["verdict"], "ok");
}

/// The controls that XML 1.0 lets through: a terminal takes U+009B for an escape sequence.
#[tokio::test(flavor = "multi_thread")]
async fn fl_147_control_characters_in_a_name_reach_no_terminal() {
    let world = machine(
        "i-evil",
        "eu-west-1",
        r#"tags = { Name = "\u009B31mred\u0085\tback\u202Egnp.exe" }"#,
    );
    let sim = Sim::aws(&world).await;
    let config = sim.config(&["eu-west-1"], OWNERLESS);
    for arguments in [&["audit"][..], &["audit", "--format", "markdown"], &["explain", "i-evil"]] {
        let ran = sim.run(&config, arguments).await;
        for text in [&ran.stdout, &ran.stderr] {
            let bad = text.chars().find(|&c| (c.is_control() && c != '\n') || c == '\u{202e}');
            assert_eq!(bad, None, "{arguments:?}: {text}");
        }
    }
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.json();
    assert_eq!(
        find(&document, "i-evil")["name"],
        "\u{9b}31mred\u{85}\tback\u{202e}gnp.exe",
        "JSON keeps the original"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn spot_and_prepaid_machines_say_what_a_stop_would_save() {
    let world = [
        machine(
            "i-block",
            "eu-west-1",
            "type = \"p5.48xlarge\"\ncapacity_reservation = \"cr-1\"\ncapacity_block = \"cb-1\"",
        ),
        machine("i-host", "eu-west-1", "tenancy = \"host\"\nhost = \"h-1\""),
        machine("i-once", "eu-west-1", "spot = { kind = \"one-time\", request = \"sir-1\" }"),
    ]
    .concat();
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["eu-west-1"], OWNERLESS).await.json();
    for id in ["i-block", "i-host"] {
        let machine = find(&document, id);
        assert_eq!(machine["purchase"], "reserved", "{id}");
        let saves = &machine["action"]["saves_per_month"];
        assert!(saves.is_null() || saves["amount"] == "0.00", "{id}: {saves}");
    }
    let once = find(&document, "i-once");
    assert_eq!(once["purchase"], "spot");
    assert!(once["action"]["why"].as_str().expect("words").contains("terminat"), "{once}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_tells_every_fact_and_every_rule() {
    let world = machine("i-1", "eu-west-1", "tags = { Name = \"notebook\", project = \"atlas\" }");
    let sim = Sim::aws(&world).await;
    let config = sim.config(&["eu-west-1"], OWNERLESS);
    let ran = sim.run(&config, &["explain", " i-1 "]).await.exits(0);
    for part in ["notebook", "ownerless", "owner absent", "10d", "g5.xlarge"] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    let json = sim.run(&config, &["explain", "i-1", "--format", "json"]).await.exits(0).json();
    crate::schema::validates("explain", &json);
    let ran = sim.run(&config, &["explain", "i-2"]).await.exits(2);
    assert!(ran.stderr.contains("unknown id \"i-2\""), "{}", ran.stderr);
}

#[test]
fn fl_158_an_id_is_trimmed_on_the_command_line_before_anything_else() {
    let ran = Reaper::new().run(&["explain", "  "]).exits(2);
    assert!(!ran.stderr.is_empty());
}
