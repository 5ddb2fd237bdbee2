//! Machines that somebody keeps by his word in the state.

use reaper_ledger::Entry;
use reaper_model::document::Verdict;
use reaper_model::{ActionResult, Phase};

use crate::build::{id, machines, span};
use crate::cloud::read;
use crate::house::{House, Says};
use crate::script::Next;

fn kept(house: &House, native: &str, time: &str) -> Entry {
    Entry::Exempted {
        id: id(native),
        until: house.now + span(time).delta(),
        reason: "customer demo".to_owned(),
        by: "alice".to_owned(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_kept_machine_is_neither_told_of_nor_stopped_until_the_end_of_its_term() {
    let mut house = House::due(machines(2)).await;
    house.record(vec![kept(&house, "i-1", "48h")]).await;
    let ran = house.run().await;
    assert_eq!(ran.machine("i-1").verdict, Verdict::Exempt);
    assert!(ran.machine("i-1").why.contains("customer demo"), "{}", ran.machine("i-1").why);
    assert_eq!(house.cloud.acts(), ["i-2"]);

    let told = house.letters.got().len();
    house.wait("49h");
    let ran = house.run().await;
    assert_eq!(ran.machine("i-1").verdict, Verdict::Orphan, "its term is over");
    assert_eq!(house.cloud.acts(), ["i-2"], "the notice before it is worth nothing");
    assert_eq!(house.letters.got().len(), told + 1, "a notice of its own");
    house.wait("73h");
    house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-2", "i-1"]);
}

#[tokio::test(start_paused = true)]
async fn a_machine_kept_no_more_starts_anew() {
    let mut house = House::due(machines(1)).await;
    house.record(vec![kept(&house, "i-1", "480h")]).await;
    house.run().await;
    house.record(vec![Entry::ExemptionEnded { id: id("i-1"), by: "alice".to_owned() }]).await;
    house.wait("1h");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    let state = house.state().await;
    let case = &state.machine(&id("i-1")).expect("is remembered").cases["forgotten"];
    assert_eq!(case.phase, Phase::Noticed);
    assert_eq!(case.since, house.now);
}

#[tokio::test(start_paused = true)]
async fn a_keep_binds_the_machine_that_it_names_alone() {
    let house = House::due(machines(12)).await;
    house.record(vec![kept(&house, "i-1", "48h")]).await;
    house.run().await;
    let acts = house.cloud.acts();
    assert_eq!(acts.len(), 11, "{acts:?}");
    assert!(!acts.contains(&"i-1".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_keep_that_comes_while_the_run_is_on_its_way_is_heeded() {
    let house = House::due(machines(2)).await;
    // The first machine's fresh read takes its time; meanwhile somebody keeps both.
    house.cloud.next("i-1", vec![Next::Hangs]);
    let keep = async {
        while !house.cloud.calls().contains(&read("i-1")) {
            tokio::task::yield_now().await;
        }
        house.record(vec![kept(&house, "i-1", "48h"), kept(&house, "i-2", "48h")]).await;
    };
    let (ran, ()) = tokio::join!(house.run(), keep);
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert_eq!(ran.result("i-2"), Some(ActionResult::SkippedChanged), "{}", ran.why("i-2"));
    assert!(ran.why("i-2").contains("customer demo"), "{}", ran.why("i-2"));
}

#[tokio::test(start_paused = true)]
async fn a_keep_that_comes_after_the_plan_drops_its_step() {
    let mut house = House::due(machines(2)).await;
    let plan = house.dry().await.plan;
    house.record(vec![kept(&house, "i-1", "48h")]).await;
    house.wait("1h");
    let ran = house.apply(plan).await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-2"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::SkippedChanged));
}
