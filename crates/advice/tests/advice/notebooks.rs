//! Notebooks on cards for training.

use reaper_model::Fact;
use reaper_model::document::{AdviceKind, Confidence};

use crate::build::{World, card, known, saves, types};

const NOTEBOOK: AdviceKind = AdviceKind::Notebook;

fn unmeasured(cloud: &str, location: &str, kind: &str) -> World {
    let mut world = World::of(cloud, location, kind);
    world.measured = false;
    world
}

#[test]
fn a_notebook_by_name_on_an_a100_is_shown_the_cheapest_card_of_24_gib() {
    let world = unmeasured("lambda", "us-east-1", "gpu_1x_a100_sxm4").named("alice-jupyter");
    let advice = world.about(NOTEBOOK).expect("a notebook");
    assert_eq!(
        advice.text,
        "A notebook, to judge by \"jupyter\" in its name, on 1 × A100 SXM4 40GB of 40 GiB for 1.99 \
         USD per hour. How much it is used was not measured. For exploring, a card of 24 GiB does: \
         gpu_1x_rtx6000 (1 × Quadro RTX 6000 of 24 GiB, 0.69 USD per hour, saves 949.00 USD a month)."
    );
    assert_eq!(advice.confidence, Confidence::Low);
    let tagged = unmeasured("aws", "us-east-1", "p4d.24xlarge").tagged(&[("app", "notebook")]);
    let advice = tagged.about(NOTEBOOK).expect("a notebook");
    assert_eq!(types(&tagged, &advice.text), ["g6.xlarge"]);
    assert_eq!(saves(&advice).as_deref(), Some("15,441.57 USD"));
}

#[test]
fn without_a_sign_or_on_a_small_card_it_is_none() {
    assert_eq!(unmeasured("lambda", "us-east-1", "gpu_1x_a100_sxm4").about(NOTEBOOK), None);
    for (cloud, location, kind) in
        [("aws", "us-east-1", "g5.xlarge"), ("ovhcloud", "GRA11", "l40s-90")]
    {
        let world = unmeasured(cloud, location, kind).named("jupyter");
        assert_eq!(world.about(NOTEBOOK), None, "{kind}");
    }
}

#[test]
fn a_measured_notebook_is_surer_and_a_busy_one_is_left_alone() {
    let doing = |mean, gib| {
        World::of("ovhcloud", "GRA11", "a100-180")
            .named("jupyter-bob")
            .doing(&[card(mean, 80.0, gib)])
    };
    let advice = doing(3.0, 10.0).about(NOTEBOOK).expect("a notebook");
    assert_eq!(advice.confidence, Confidence::Medium);
    assert!(advice.text.contains("used 3 % on average"), "{}", advice.text);
    assert_eq!(doing(40.0, 10.0).about(NOTEBOOK), None);
    let fuller = doing(3.0, 30.0);
    let advice = fuller.about(NOTEBOOK).expect("a notebook");
    assert_eq!(types(&fuller, &advice.text), ["l40s-90"], "36 GiB with a fifth to spare");
    assert_eq!(doing(3.0, 60.0).about(NOTEBOOK), None, "no small card has that");
}

#[test]
fn what_lies_in_memory_counts_though_nothing_works() {
    let world =
        World::of("ovhcloud", "GRA11", "a100-180").named("notebook").doing(&[card(0.0, 0.0, 30.0)]);
    let advice = world.about(NOTEBOOK).expect("a notebook");
    assert_eq!(types(&world, &advice.text), ["l40s-90"]);
}

#[test]
fn lab_is_a_weak_word() {
    let world =
        World::of("ovhcloud", "GRA11", "a100-180").named("ml lab").doing(&[card(3.0, 80.0, 9.0)]);
    assert_eq!(world.about(NOTEBOOK).map(|advice| advice.confidence), Some(Confidence::Low));
}

#[test]
fn tags_that_could_not_be_read_are_no_sign() {
    let mut world = unmeasured("ovhcloud", "GRA11", "a100-180");
    world.machine.tags = Fact::unknown(reaper_model::Ignorance::ReadFailed, "denied");
    world.machine.name = known("x".to_owned());
    assert_eq!(world.kinds(), ["commitment"]);
}
