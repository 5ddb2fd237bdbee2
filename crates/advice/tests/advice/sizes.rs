//! Cards that are too large: what fits, what it saves, how sure that is.

use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::{Fact, Gauge, Ignorance, Manager, Purchase, Unit};

use crate::build::{World, card, known, price, saves, series, types};

const SIZE: AdviceKind = AdviceKind::Oversized;

/// An A100 of 80 GiB that works at 9 % and never had more than 14 GiB in use.
fn a100() -> World {
    World::of("ovhcloud", "GRA11", "a100-180").doing(&[card(9.0, 60.0, 14.0)])
}

#[test]
fn the_cheapest_three_that_fit_are_named_with_price_and_saving() {
    let world = a100();
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(types(&world, &advice.text), ["l4-90", "a10-45", "l40s-90"]);
    assert_eq!(saves(&advice).as_deref(), Some("1,460.00 EUR"), "2.00 EUR × 730");
    assert_eq!(advice.confidence, Confidence::High);
    assert_eq!(
        advice.text,
        "Its 1 × A100 of 80 GiB was used 9 % on average over the last 7 days (100 % of the week measured, \
         source DCGM); the fullest held 14 GiB of 80 GiB at most, 16.8 GiB with a fifth to spare. \
         Less would do: l4-90 (1 × L4 of 24 GiB, 0.75 EUR per hour, saves 1,460.00 EUR a month), \
         a10-45 (1 × A10 of 24 GiB, 0.76 EUR per hour, saves 1,452.70 EUR a month) or l40s-90 (1 × \
         L40S of 48 GiB, 1.40 EUR per hour, saves 985.50 EUR a month). CPUs and main memory were not \
         compared."
    );
}

#[test]
fn memory_with_a_fifth_to_spare_decides() {
    let fits = |gib: f64| {
        let world = World::of("ovhcloud", "GRA11", "a100-180").doing(&[card(9.0, 60.0, gib)]);
        world.about(SIZE).map(|advice| types(&world, &advice.text)).unwrap_or_default()
    };
    assert_eq!(fits(20.0), ["l4-90", "a10-45", "l40s-90"], "24 of 24 GiB");
    assert_eq!(fits(20.1), ["l40s-90"]);
    assert_eq!(fits(40.1), [""; 0], "48.1 GiB: only A100 and H100 are left, and dearer");
}

#[test]
fn bandwidth_has_to_do_with_room_to_spare() {
    let fits = |mean: f64| {
        let world = World::of("ovhcloud", "GRA11", "a100-180").doing(&[card(mean, 60.0, 14.0)]);
        world.about(SIZE).map(|advice| types(&world, &advice.text)).unwrap_or_default()
    };
    // 70 % of an L4's 300 GB/s is 10.3 % of an A100's 2,039.
    assert_eq!(fits(10.2).first().map(String::as_str), Some("l4-90"));
    assert_eq!(fits(10.4).first().map(String::as_str), Some("a10-45"));
    assert_eq!(fits(15.1), [""; 0], "it is not too large");
}

#[test]
fn busy_hours_that_would_take_longer_lower_the_confidence() {
    let mut world = a100();
    for series in &mut world.mean.series {
        if series.gauge == Gauge::GpuUtilisation {
            series.samples[5].value = 90.0;
        }
    }
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(advice.confidence, Confidence::Medium);
    assert!(
        advice.text.contains("busy hours would take up to 6.8 times as long"),
        "{}",
        advice.text
    );
}

#[test]
fn eight_cards_that_work_together_need_links_unless_one_card_takes_them_all() {
    let together =
        |gib| World::of("aws", "us-east-1", "p4d.24xlarge").doing(&[card(9.0, 60.0, gib); 8]);
    let small = together(5.0);
    let advice = small.about(SIZE).expect("too large");
    assert_eq!(types(&small, &advice.text), ["g7e.2xlarge", "p5.4xlarge"]);
    assert!(advice.text.contains("the work of 8 cards would share one"));
    assert_eq!(saves(&advice).as_deref(), Some("13,574.00 USD"));
    assert_eq!(
        together(11.2).about(SIZE),
        None,
        "no card takes 8 × 13.4 GiB, and no other has links"
    );
}

#[test]
fn cards_that_work_one_after_the_other_need_no_links() {
    let mut world = World::of("aws", "us-east-1", "p4d.24xlarge").doing(&[card(0.0, 60.0, 5.0); 8]);
    for (place, series) in world.mean.series.iter_mut().enumerate() {
        if series.gauge == Gauge::GpuUtilisation {
            series.samples[place].value = 60.0;
        }
    }
    let advice = world.about(SIZE).expect("too large");
    assert!(types(&world, &advice.text).contains(&"g4dn.12xlarge".to_owned()), "{}", advice.text);
    assert!(advice.text.contains("without bfloat16"), "{}", advice.text);
}

#[test]
fn fp8_is_kept_where_it_is_used_and_doubted_where_nobody_says() {
    let h100 = || World::of("scaleway", "fr-par-2", "H100-1-80G").doing(&[card(5.0, 20.0, 10.0)]);
    let world = h100().tagged(&[("precision", "fp8")]);
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(types(&world, &advice.text), ["L4-1-24G", "L40S-1-48G", "L4-2-24G"], "all have FP8");
    let ovh = || World::of("ovhcloud", "GRA11", "h100-380").doing(&[card(10.0, 20.0, 10.0)]);
    let unsaid = ovh().about(SIZE).expect("too large");
    assert!(unsaid.text.contains(" a10-45 ") && unsaid.text.contains("without FP8"));
    assert_eq!(unsaid.confidence, Confidence::Medium);
    let world = ovh().tagged(&[("train", "model-fp8-v2")]);
    let said = world.about(SIZE).expect("too large");
    assert_eq!(types(&world, &said.text), ["l40s-90"], "{}", said.text);
}

#[test]
fn another_world_of_software_is_no_alternative() {
    // Cheaper by the list: Radeon (g4ad), Arm CPUs (g5g), Inferentia, and cards of CUDA 12 (p2, g3).
    let world = World::of("aws", "us-east-1", "g5.xlarge").doing(&[card(1.0, 10.0, 2.0)]);
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(types(&world, &advice.text), ["g6f.large", "g6f.2xlarge", "g4dn.xlarge"]);
    assert!(advice.text.contains("takes the maker's driver for shared cards"));
    assert_eq!(advice.confidence, Confidence::Medium);
}

#[test]
fn fl_103_an_unknown_price_saves_an_unknown_amount_never_0() {
    let mut world = a100();
    world.price = Fact::unknown(Ignorance::NotOffered, "no price");
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(advice.saves_per_month, None);
    assert!(!advice.text.contains("saves"), "{}", advice.text);
    let foreign = a100().priced("3.00 USD", Unit::Hour);
    assert_eq!(foreign.about(SIZE), None, "two currencies are not compared");
}

#[test]
fn a_controller_s_machine_is_told_where_to_change_it() {
    let mut world = a100();
    world.machine.manager = known(Manager {
        kind: "autoscaling-group".to_owned(),
        name: "workers".to_owned(),
        advice: String::new(),
    });
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(advice.confidence, Confidence::Low);
    assert!(
        advice
            .text
            .ends_with("It follows autoscaling-group workers: its type would be changed there.")
    );
}

#[test]
fn fl_052_a_monthly_plan_is_compared_with_months_and_a_reservation_with_nothing() {
    let mut world = a100().priced("1100 EUR", Unit::Month);
    world.machine.purchase = Purchase::Monthly;
    let advice = world.about(SIZE).expect("too large");
    assert_eq!(types(&world, &advice.text), ["l4-90"], "L40S saves less than a tenth");
    assert_eq!(saves(&advice).as_deref(), Some("560.00 EUR"));
    world.machine.purchase = Purchase::Reserved("capacity block cb-1".to_owned());
    assert_eq!(world.kinds(), [""; 0]);
}

#[test]
fn spare_capacity_is_left_only_for_something_cheaper() {
    let mut world = a100().priced("0.70 EUR", Unit::Hour);
    world.machine.purchase = Purchase::Spot { persistent: known(false) };
    assert_eq!(world.about(SIZE), None);
    world.price = known(price("1.00 EUR", Unit::Hour));
    assert_eq!(world.about(SIZE).and_then(|advice| saves(&advice)).as_deref(), Some("182.50 EUR"));
}

#[test]
fn mig_slices_are_counted_together_and_nothing_is_sure() {
    let mut world = World::of("ovhcloud", "GRA11", "a100-180");
    for (slice, percent, gib) in [("1", 6.0, 8.0), ("2", 3.0, 4.0)] {
        for to in [&mut world.mean, &mut world.peak] {
            for (gauge, value) in [(Gauge::GpuEngine, percent), (Gauge::GpuMemory, gib)] {
                let mut part = series(gauge, "0", "DCGM", value);
                part.slice = Some(slice.to_owned());
                to.series.push(part);
            }
        }
    }
    let advice = world.about(SIZE).expect("too large");
    assert!(
        advice.text.contains("used 9 %") && advice.text.contains("held 12 GiB"),
        "{}",
        advice.text
    );
    assert!(advice.text.contains("2 MIG slices"));
    assert_eq!(advice.confidence, Confidence::Low);
}

#[test]
fn what_did_nothing_is_idle_and_not_too_large() {
    assert_eq!(
        World::of("ovhcloud", "GRA11", "a100-180").doing(&[card(0.0, 1.0, 0.4)]).about(SIZE),
        None
    );
    let mut idle = a100();
    idle.idle = true;
    assert_eq!(idle.about(SIZE), None);
}

#[test]
fn a_model_that_the_table_does_not_know_gets_no_advice_about_size() {
    let mut world = a100();
    if let Fact::Known { value, .. } = &mut world.machine.gpu {
        value.model = "Z9000".to_owned();
    }
    assert_eq!(world.about(SIZE), None);
}
