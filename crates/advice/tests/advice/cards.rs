//! Machines with several cards of which some do nothing.

use reaper_model::Gauge;
use reaper_model::document::{AdviceKind, Confidence};

use crate::build::{Card, World, card, saves, types};

const CARDS: AdviceKind = AdviceKind::IdleCards;
const REST: Card = card(0.0, 1.0, 0.3);

fn h100s(cards: &[Card]) -> World {
    World::of("scaleway", "fr-par-2", "H100-SXM-8-80G").doing(cards)
}

#[test]
fn fl_100_the_cards_at_rest_are_counted_and_the_type_with_fewer_is_named() {
    let mut cards = vec![REST; 8];
    cards[2] = card(70.0, 100.0, 60.0);
    let world = h100s(&cards);
    let advice = world.about(CARDS).expect("idle cards");
    assert_eq!(
        advice.text,
        "7 of its 8 × H100-SXM of 80 GiB never got above 2 % and held nothing in their memory in the \
         last 7 days (100 % of the week measured, source DCGM). Fewer of the same card: H100-SXM-2-80G (2 × \
         H100-SXM of 80 GiB, 6.6198 EUR per hour, saves 13,659.03 EUR a month)."
    );
    assert_eq!(advice.confidence, Confidence::High);
    assert_eq!(saves(&advice).as_deref(), Some("13,659.03 EUR"));
    let size = world.about(AdviceKind::Oversized).expect("used 8.8 % in all");
    assert_eq!(types(&world, &size.text)[0], "H100-SXM-2-80G", "{}", size.text);
}

#[test]
fn a_card_that_holds_data_is_needed() {
    let mut cards = vec![card(0.0, 0.0, 40.0); 8];
    cards[0] = card(70.0, 100.0, 60.0);
    assert_eq!(h100s(&cards).about(CARDS), None);
    cards[1..4].fill(REST);
    let world = h100s(&cards);
    let advice = world.about(CARDS).expect("idle cards");
    assert!(advice.text.starts_with("3 of its 8"), "{}", advice.text);
    assert_eq!(types(&world, &advice.text), [""; 0], "five are needed, and four are the next size");
    assert_eq!(advice.saves_per_month, None);
}

#[test]
fn unmeasured_memory_lowers_the_confidence() {
    let mut cards = vec![REST; 8];
    cards[0] = card(70.0, 100.0, 60.0);
    let mut world = h100s(&cards);
    world.mean.series.retain(|series| series.gauge != Gauge::GpuMemory);
    world.peak.series.retain(|series| series.gauge != Gauge::GpuMemory);
    let advice = world.about(CARDS).expect("idle cards");
    assert_eq!(advice.confidence, Confidence::Medium);
    assert!(!advice.text.contains("memory"), "{}", advice.text);
}

#[test]
fn all_at_rest_is_idleness_and_all_at_work_is_none() {
    assert_eq!(h100s(&[REST; 8]).about(CARDS), None);
    assert_eq!(h100s(&[card(30.0, 90.0, 9.0); 8]).about(CARDS), None);
}

#[test]
fn a_moment_of_work_in_the_week_is_work() {
    let mut cards = vec![card(0.0, 30.0, 0.3); 8];
    cards[0] = card(70.0, 100.0, 60.0);
    assert_eq!(h100s(&cards).about(CARDS), None);
}
