//! The plan as a document: order, digest, expiry, and every flaw that lint knows.

use chrono::TimeDelta;
use reaper_model::{Currency, Plan, Rate};
use reaper_plan::{Flaw, digest, lint, sealed};

use crate::build::{id, machine, monday, money};
use crate::scene::Scene;

fn scene() -> Scene {
    let names = ["i-1", "i-2", "i-3", "i-4", "i-5"];
    let mut scene = Scene::due(names.map(|name| machine(name, "alice")).to_vec());
    scene.hourly = [
        (id("i-2"), Some(money("12.50 EUR"))),
        (id("i-3"), None),
        (id("i-5"), Some(money("10 USD"))),
    ]
    .into();
    scene.expect = Some(5);
    scene.rates.push(Rate {
        from: Currency::USD,
        to: Currency::EUR,
        rate: "0.9".parse().expect("a number"),
        as_of: "2026-11-28".parse().expect("a day"),
    });
    scene
}

/// Five steps, made on the Thursday after the scene's Monday.
fn plan() -> Plan {
    scene().decide().plan
}

#[test]
fn the_dearest_comes_first_and_what_has_no_price_last() {
    let order: Vec<_> = plan().steps.iter().map(|step| step.id.native.clone()).collect();
    assert_eq!(order, ["i-2", "i-5", "i-1", "i-4", "i-3"]);
}

#[test]
fn a_plan_survives_a_file() {
    let plan = plan();
    let text = serde_json::to_string_pretty(&plan).expect("written");
    let read: Plan = serde_json::from_str(&text).expect("read");
    assert_eq!(read, plan);
    assert_eq!(lint(&read, Some(plan.made_at)), []);
    assert_eq!(plan.expires_at, plan.made_at + TimeDelta::hours(24));
}

#[test]
fn the_digest_covers_everything_that_a_machine_or_a_setting_says() {
    let first = plan();
    let mut other = scene();
    other.machine("i-3").tags = crate::build::tags(&[("owner", "alice"), ("project", "atlas")]);
    let other = other.decide().plan;
    assert_ne!(first.inputs.inventory, other.inputs.inventory);
    assert_ne!(first.digest, other.digest);
    assert_eq!(first.digest, plan().digest, "the same question, the same bytes");
}

#[test]
fn each_flaw_is_found_in_a_plan_that_has_it() {
    type Edit = fn(&mut Plan);
    let late = monday() + TimeDelta::days(3) + TimeDelta::minutes(1);
    let empty = |what| Flaw::Empty { id: id("i-2"), what };
    let cases: Vec<(Edit, Vec<Flaw>)> = vec![
        (|plan| plan.schema = "reaper.plan/2".into(), vec![Flaw::Schema("reaper.plan/2".into())]),
        (|plan| plan.expires_at = monday(), vec![Flaw::Lifetime { expires_at: monday() }]),
        (|plan| plan.steps[0].due_at += TimeDelta::minutes(1), vec![Flaw::NotDue(id("i-2"))]),
        (
            |plan| plan.steps[0].noticed_at = plan.steps[0].due_at + TimeDelta::seconds(1),
            vec![Flaw::NoticedLate(id("i-2"))],
        ),
        (|plan| plan.steps[0].call.clear(), vec![empty("call")]),
        (|plan| plan.steps[0].rule.clear(), vec![empty("rule")]),
        (|plan| plan.steps[0].notice.clear(), vec![empty("notice")]),
        (|plan| plan.steps[0].ground.clear(), vec![empty("ground")]),
        (|plan| plan.steps[0].reasons = vec![" ".into()], vec![empty("reasons")]),
        (
            |plan| {
                plan.steps.pop();
            },
            vec![Flaw::Actions { counted: 5, steps: 4 }],
        ),
        (
            |plan| {
                plan.brake.machines = 4;
                plan.inputs.machines = 4;
            },
            vec![Flaw::Machines(4)],
        ),
        (|plan| plan.inputs.machines = 6, vec![Flaw::Machines(5)]),
        (|plan| plan.steps[4] = plan.steps[3].clone(), vec![Flaw::Twice(id("i-4"))]),
        (|plan| plan.steps.swap(0, 2), vec![Flaw::Order(id("i-2"))]),
        (|plan| plan.steps.swap(2, 3), vec![Flaw::Order(id("i-1"))]),
        (|plan| plan.steps.swap(3, 4), vec![Flaw::Order(id("i-4"))]),
    ];
    for (edit, flaws) in cases {
        let mut plan = plan();
        edit(&mut plan);
        assert_eq!(lint(&sealed(plan), None), flaws);
    }
    let plan = plan();
    assert!(plan.steps.iter().all(|step| step.due_at < late), "the edit above makes one not due");
}

#[test]
fn an_edited_plan_is_known() {
    let edits: [fn(&mut Plan); 5] = [
        |plan| plan.digest = "sha256:00".to_owned(),
        |plan| plan.expires_at += TimeDelta::days(1),
        |plan| plan.steps[0].fingerprint.owner = "bob".to_owned(),
        |plan| plan.brake.held = vec!["held".to_owned()],
        |plan| plan.steps[0].hourly = Some(money("12.51 EUR")),
    ];
    for edit in edits {
        let mut plan = plan();
        edit(&mut plan);
        assert_eq!(lint(&plan, None), [Flaw::Digest]);
        assert_ne!(digest(&plan), plan.digest);
    }
}

#[test]
fn a_plan_holds_for_its_time_and_no_longer() {
    let plan = plan();
    let at = |minutes: i64| lint(&plan, Some(plan.made_at + TimeDelta::minutes(minutes)));
    assert_eq!(at(0), []);
    assert_eq!(at(24 * 60 - 1), []);
    assert_eq!(at(24 * 60), [Flaw::Expired(plan.expires_at)]);
    assert_eq!(at(-1), [Flaw::Ahead(plan.made_at)]);
}
