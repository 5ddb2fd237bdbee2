//! Where data are, and what the rest of the week costs.

use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::{Asset, AssetKind, Fact, Ignorance, Purchase, User};

use crate::build::{World, known, source};

fn region(world: &World) -> Option<(String, Confidence)> {
    world.about(AdviceKind::Region).map(|advice| (advice.text, advice.confidence))
}

#[test]
fn a_bucket_in_another_region_is_named_with_both_regions() {
    let world = World::of("aws", "us-east-1", "g5.xlarge");
    let far = world.clone().tagged(&[("data", "https://train.s3.eu-west-1.amazonaws.com/set")]);
    let (text, confidence) = region(&far).expect("far away");
    assert_eq!(
        text,
        "Its bucket https://train.s3.eu-west-1.amazonaws.com/set (tag data) is in eu-west-1, the \
         machine in us-east-1: what it reads and writes there crosses regions, which is slower and is \
         often charged by the byte. What that costs is not known."
    );
    assert_eq!(confidence, Confidence::Medium);
    let beside = [("bucket", "s3://train"), ("bucket_region", "eu-west-1")];
    assert!(region(&world.clone().tagged(&beside)).is_some());
    for near in [
        &[("data", "https://train.s3.us-east-1.amazonaws.com")][..],
        &[("data", "s3://train")],
        &[("bucket", "s3://train"), ("bucket-region", "us-east-1")],
        &[("bucket-region", "eu-west-1")],
    ] {
        assert_eq!(region(&world.clone().tagged(near)), None, "{near:?}");
    }
}

#[test]
fn zones_of_one_region_are_near_and_other_clouds_far() {
    let world = World::of("scaleway", "fr-par-2", "L4-1-24G");
    let near = world.clone().tagged(&[("data", "https://x.s3.fr-par.scw.cloud")]);
    assert_eq!(region(&near), None);
    let other = world.tagged(&[("data", "https://x.s3.eu-west-3.amazonaws.com")]);
    let (text, confidence) = region(&other).expect("far away");
    assert!(text.contains("is in eu-west-3 at aws"), "{text}");
    assert_eq!(confidence, Confidence::Low);
}

#[test]
fn a_volume_that_the_provider_shows_elsewhere_is_sure() {
    let mut world = World::of("ovhcloud", "GRA11", "l4-90");
    let volume = |location: &str| Asset {
        id: format!("ovhcloud/account/{location}/vol-1").parse().expect("an id"),
        kind: AssetKind::Volume,
        name: known("weights".to_owned()),
        size_gib: None,
        created_at: Fact::unknown(Ignorance::NotOffered, "none"),
        detached_at: Fact::unknown(Ignorance::NotOffered, "none"),
        tags: Fact::absent(&source()),
        user: User::Machine("i-1".to_owned()),
        per_month: Fact::unknown(Ignorance::NotOffered, "none"),
    };
    world.assets = vec![volume("GRA9")];
    assert_eq!(region(&world), None);
    world.assets.push(volume("SBG5"));
    let (text, confidence) = region(&world).expect("far away");
    assert!(text.starts_with("Its volume weights is in SBG5, the machine in GRA11"), "{text}");
    assert_eq!(confidence, Confidence::High);
}

#[test]
fn the_rest_of_the_week_is_told_of_idle_machines_and_notebooks() {
    let mut world = World::of("aws", "us-east-1", "p4d.24xlarge");
    assert_eq!(world.about(AdviceKind::Hours), None);
    world.idle = true;
    let advice = world.about(AdviceKind::Hours).expect("idle");
    assert_eq!(
        advice.text,
        "If nobody switches it off, it runs for another 149.5 hours this week, until Mon 7 Dec 2026, \
         00:00 +01:00: 3,282.67 USD at 21.957642 USD per hour."
    );
    assert_eq!((advice.saves_per_month, advice.confidence), (None, Confidence::High));
    world.switched_off = true;
    assert_eq!(world.about(AdviceKind::Hours), None);
}

#[test]
fn a_machine_that_is_paid_for_anyway_or_has_no_price_has_no_such_hours() {
    let mut world = World::of("aws", "us-east-1", "p4d.24xlarge").named("jupyter");
    assert!(world.about(AdviceKind::Hours).is_some());
    world.machine.purchase = Purchase::Monthly;
    assert_eq!(world.about(AdviceKind::Hours), None);
    world.machine.purchase = Purchase::OnDemand;
    world.price = Fact::unknown(Ignorance::NotOffered, "no price");
    assert_eq!(world.about(AdviceKind::Hours), None);
}
