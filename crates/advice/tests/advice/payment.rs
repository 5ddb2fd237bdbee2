//! The same machine, paid for in another way.

use chrono::TimeDelta;
use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::{Purchase, Unit};

use crate::build::{World, card, known, now, price, saves};

const PAYMENT: AdviceKind = AdviceKind::Commitment;

fn busy(kind: &str) -> World {
    World::of("ovhcloud", "GRA11", kind).doing(&[card(60.0, 100.0, 20.0)])
}

#[test]
fn fl_109_the_month_is_cheaper_from_the_break_even_on() {
    let advice = busy("a100-180").about(PAYMENT).expect("the month is cheaper");
    assert_eq!(
        advice.text,
        "By the month a100-180 costs 1100.00 EUR per month, by the hour 2.75 EUR per hour: from 400 \
         hours in a month on, the month is cheaper. It was up for 720 of the last 730 hours. By the \
         month it saves 907.50 EUR as long as it stays up; a month that has begun is due in full, \
         used or not."
    );
    assert_eq!(saves(&advice).as_deref(), Some("907.50 EUR"));
    assert_eq!(advice.confidence, Confidence::Medium);
}

#[test]
fn a_machine_that_was_up_for_less_gets_no_such_advice() {
    let mut world = busy("a100-180");
    world.machine.running_since = known(now() - TimeDelta::hours(400));
    assert_eq!(world.about(PAYMENT), None);
    world.machine.running_since = known(now() - TimeDelta::hours(401));
    assert!(world.about(PAYMENT).is_some());
    assert_eq!(busy("a10-45").about(PAYMENT), None, "no monthly price is known");
}

#[test]
fn nobody_shall_commit_to_what_is_idle_too_large_or_committed_already() {
    let mut idle = busy("a100-180");
    idle.idle = true;
    assert_eq!(idle.about(PAYMENT), None);
    let large = World::of("ovhcloud", "GRA11", "a100-180").doing(&[card(9.0, 60.0, 14.0)]);
    assert_eq!(large.kinds(), ["oversized"]);
    let mut monthly = busy("a100-180").priced("1100 EUR", Unit::Month);
    monthly.machine.purchase = Purchase::Monthly;
    assert_eq!(monthly.about(PAYMENT), None);
}

#[test]
fn unmeasured_use_lowers_the_confidence() {
    let mut world = World::of("ovhcloud", "GRA11", "a100-180");
    world.measured = false;
    assert_eq!(world.about(PAYMENT).map(|advice| advice.confidence), Some(Confidence::Low));
}

#[test]
fn spare_capacity_takes_a_tag_that_allows_it_and_a_known_price() {
    let mut world = World::of("aws", "us-east-1", "g5.xlarge").tagged(&[("Interruptible", "true")]);
    assert_eq!(world.about(PAYMENT), None);
    world.spot = Some(price("0.35 USD", Unit::Hour));
    let advice = world.about(PAYMENT).expect("spare capacity");
    assert_eq!(saves(&advice).as_deref(), Some("478.88 USD"));
    assert!(advice.text.contains("costs 0.35 USD per hour at present, instead of 1.006 USD"));
    world.spot = Some(price("1.20 USD", Unit::Hour));
    assert_eq!(world.about(PAYMENT), None, "dearer at present");
    world.spot = Some(price("0.35 USD", Unit::Hour));
    assert_eq!(world.tagged(&[("interruptible", "false")]).about(PAYMENT), None);
}
