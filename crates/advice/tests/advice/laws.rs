//! Laws that hold for every machine: whatever is advised has the memory, costs less and is sold by the
//! same provider in the same place.

use std::collections::BTreeSet;

use proptest::prelude::*;
use reaper_model::document::AdviceKind;
use reaper_model::{Fact, Ignorance, Offer, Purchase, Unit};
use rust_decimal::prelude::ToPrimitive as _;

use crate::build::{CLOUDS, Card, World, card, offers, price, types};

/// A machine of any type of any cloud, its cards doing anything, its price known or not.
fn any_world() -> impl Strategy<Value = (World, Vec<Card>)> {
    let hour = |offer: &Offer| offer.price.unit == Unit::Hour;
    let kinds: Vec<(&str, &str, Offer)> = CLOUDS
        .iter()
        .flat_map(|&(cloud, location)| {
            let offers = offers(cloud, location).into_iter().filter(hour);
            offers.map(move |offer| (cloud, location, offer)).collect::<Vec<_>>()
        })
        .collect();
    let kind = proptest::sample::select(kinds);
    let doing = proptest::collection::vec((0.0..40.0_f64, 0.0..60.0_f64, 0.0..1.0_f64), 16);
    (kind, doing, 0..4_u8, any::<bool>(), any::<bool>()).prop_map(
        |((cloud, location, offer), doing, pay, notebook, quiet)| {
            let each = offer.gpu.memory_gib.unwrap_or_default().to_f64().expect("a number");
            let count = offer.gpu.count.ceil().to_usize().expect("a number");
            let each = each / count.to_f64().expect("a number");
            let cards: Vec<Card> = (0..count)
                .map(|place| {
                    let (mean, more, full) = doing[place % doing.len()];
                    let mean = if quiet { mean / 5.0 } else { mean };
                    let at_rest = place % 3 == 2;
                    if at_rest {
                        card(0.0, 0.0, 0.0)
                    } else {
                        card(mean, mean + more, full * full * each)
                    }
                })
                .collect();
            let kind = offer.machine_type.as_str();
            let mut world = World::of(cloud, location, kind).doing(&cards);
            match pay {
                0 => world.price = Fact::unknown(Ignorance::NotOffered, "no price"),
                1 => world = world.priced("3.00 GBP", Unit::Hour),
                2 => world.machine.purchase = Purchase::Monthly,
                _ => {}
            }
            (if notebook { world.named("jupyter") } else { world }, cards)
        },
    )
}

/// The offers that a machine is shown as alternatives.
fn advised(world: &World, text: &str) -> Vec<Offer> {
    let names: BTreeSet<String> = types(world, text).into_iter().collect();
    let unit = if world.machine.purchase == Purchase::Monthly { Unit::Month } else { Unit::Hour };
    let of =
        |offer: &&Offer| names.contains(offer.machine_type.as_str()) && offer.price.unit == unit;
    world.offers.iter().filter(of).cloned().collect()
}

proptest! {
    #[test]
    fn whatever_is_advised_holds_the_peak_costs_less_and_is_sold_there(
        (world, cards) in any_world(),
    ) {
        let size = [AdviceKind::Oversized, AdviceKind::Notebook, AdviceKind::IdleCards];
        for advice in world.advice().iter().filter(|advice| size.contains(&advice.kind)) {
            let alternatives = advised(&world, &advice.text);
            let silent = advice.kind == AdviceKind::IdleCards && advice.saves_per_month.is_none();
            prop_assert!(silent || !alternatives.is_empty(), "{}", advice.text);
            for offer in alternatives {
                let total = offer.gpu.memory_gib.expect("known").to_f64().expect("a number");
                let each = total / offer.gpu.count.ceil().to_f64().expect("a number");
                let fullest = cards.iter().map(|card| card.memory_gib).fold(0.0, f64::max);
                let sum: f64 = cards.iter().map(|card| card.memory_gib).sum();
                let known = cards.iter().filter(|card| card.memory_gib <= 1.0).count().to_f64();
                prop_assert!(fullest <= each, "{fullest} of {each} GiB: {}", advice.text);
                prop_assert!(sum <= total + known.expect("a number"), "{sum} of {total} GiB");
                prop_assert!(offer.machine_type != world.machine.machine_type);
                if let Some(own) = world.price.value() {
                    prop_assert_eq!(own.money.currency, offer.price.money.currency);
                    prop_assert!(offer.price.per_month().amount < own.per_month().amount);
                    prop_assert!(offer.price.unit == Unit::Month || own.unit == Unit::Hour);
                } else {
                    prop_assert!(offer.gpu.memory_gib < world.gpu().memory_gib);
                    prop_assert_eq!(advice.saves_per_month, None);
                }
            }
        }
        for advice in world.advice() {
            if let Some(saves) = advice.saves_per_month {
                prop_assert!(saves.amount > 0.into(), "never 0: {}", advice.text);
                prop_assert_eq!(Some(saves.currency), world.price.value().map(|p| p.money.currency));
            }
        }
    }

    #[test]
    fn more_evidence_missing_never_gives_more_advice_about_size(
        (world, _) in any_world(),
        missing in 0..40_usize,
    ) {
        let mut less = world.clone();
        let count = less.mean.series.len();
        less.mean.series.remove(missing % count);
        let size = |world: &World| world.about(AdviceKind::Oversized).is_some();
        prop_assert!(!size(&less) || size(&world));
        let gone = less.mean.series.len() < count;
        prop_assert!(gone);
    }

    #[test]
    fn no_advice_follows_from_nothing(pay in 0..2_u8) {
        let mut world = World::of("aws", "us-east-1", "p4d.24xlarge");
        world.measured = false;
        if pay == 0 {
            world.price = crate::build::known(price("5 USD", Unit::Hour));
        }
        prop_assert_eq!(world.kinds(), [""; 0]);
    }
}
