//! Consumptions line by line, against list prices and the one recording of a real account.

use std::path::PathBuf;

use reaper_http::paging::NumberedPage;
use serde_json::json;

use super::*;
use crate::price;

/// Shaped like the recording, with figures of our own: units that mean what they say and units
/// that do not.
const EXCERPT: &str = r#"{"consumptions": [
    {"value": {"currency_code": "EUR", "units": 1215, "nanos": 878400000},
     "product_name": "H100-SXM-8-80G", "resource_name": "H100-SXM-8-80G - FR-PAR-2",
     "sku": "/compute/h100_sxm_8_80g/run_fr-par-2", "project_id": "p1",
     "category_name": "Compute", "unit": "minute", "billed_quantity": "2880"},
    {"value": {"currency_code": "EUR", "units": 56, "nanos": 700000000},
     "product_name": "L4-1-24G", "resource_name": "L4-1-24G - FR-PAR-1",
     "sku": "/compute/l4_1_24g/run_par1", "project_id": "p1",
     "category_name": "Compute", "unit": "minute", "billed_quantity": "4320"},
    {"value": {"currency_code": "EUR", "units": 3, "nanos": 660000000},
     "product_name": "RENDER-S", "resource_name": "RENDER-S - FR-PAR-1",
     "sku": "/compute/render_s/run_par1", "project_id": "p1",
     "category_name": "Compute", "unit": "hour", "billed_quantity": "3"},
    {"value": {"currency_code": "EUR", "units": 0, "nanos": 660000000},
     "product_name": "PRO2-XXS", "resource_name": "PRO2-XXS - FR-PAR-2",
     "sku": "/compute/pro2_xxs/run_fr-par-2", "project_id": "p1",
     "category_name": "Compute", "unit": "minute", "billed_quantity": "11"},
    {"value": {"currency_code": "EUR", "units": 80, "nanos": 170000000},
     "product_name": "L4", "resource_name": "L4 - FR-PAR",
     "sku": "/ai/inference_dedicated/deployment/l4/fr-par", "project_id": "p2",
     "category_name": "AI", "unit": "node_minute", "billed_quantity": "5160"},
    {"value": {"currency_code": "EUR", "units": -2, "nanos": -500000000},
     "product_name": "Block Storage Volume", "resource_name": "Block Storage 5k IOPS - PAR2",
     "sku": "/storage/block/volume-5k/fr-par-2", "project_id": "p2",
     "category_name": "Storage", "unit": "gigabyte_hour", "billed_quantity": "120"}
    ], "total_count": 6, "total_discount_untaxed_value": 0,
    "updated_at": "2026-11-13T22:03:32.749715Z"}"#;

fn entries(json: &str) -> Vec<Consumption> {
    let page: Consumptions = serde_json::from_str(json).expect("a page");
    assert_eq!(page.total(), Some(page.entries() as u64));
    let entries = page.lines.good().expect("a list").iter();
    entries.map(|entry| entry.good().expect("an object").clone()).collect()
}

/// The lines of entries, and what is said of them.
fn read(entries: &[Consumption]) -> (Vec<BillLine>, Vec<String>) {
    let (catalogue, book) = (price::catalogue().expect("readable"), ProductBook::default());
    let mut gaps = Gaps::default();
    let unread = Products::new(Vec::new(), DateTime::UNIX_EPOCH);
    let lines = entries.iter().map(|entry| line(entry, &catalogue, &book, &unread, &mut gaps));
    (lines.collect(), gaps.notes())
}

fn sum(lines: &[BillLine]) -> Decimal {
    lines.iter().filter_map(|line| line.amount).map(|amount| amount.amount).sum()
}

/// Hours × list price is the amount, to the cent, on every GPU line. How many there were.
fn reconcile(lines: &[BillLine]) -> usize {
    let list = price::catalogue().expect("readable");
    let gpus = lines.iter().filter(|line| line.kind == BillKind::Compute);
    let compare = |line: &BillLine| {
        let kind = line.machine_type.as_ref().expect("a type").as_str();
        let price = list.price(kind, "", Unit::Hour).expect("listed").money;
        let expected = price.times(line.hours.expect("hours"));
        assert_eq!(expected.to_cents(), line.amount.expect("an amount").to_cents(), "{kind}");
    };
    gpus.map(compare).count()
}

#[expect(clippy::disallowed_methods, reason = "a test's own switch, read nowhere else")]
fn recorded(name: &str) -> Option<String> {
    let folder = std::env::var_os("REAPER_RECORDED").map(PathBuf::from)?.join("scaleway");
    Some(std::fs::read_to_string(folder.join(name)).expect("there"))
}

#[test]
fn an_excerpt_reconciles_to_the_cent_with_the_list_prices() {
    let (lines, notes) = read(&entries(EXCERPT));
    assert_eq!(reconcile(&lines), 3);
    assert_eq!(sum(&lines).to_string(), "1354.5684");
    assert_eq!(notes, [""; 0]);
    let others = lines.iter().filter(|line| line.kind == BillKind::Other).count();
    assert_eq!(others, 3, "a machine without GPU, an inference deployment, a volume");
    let last = lines.last().and_then(|line| line.amount);
    assert_eq!(last.map(|amount| amount.to_string()).as_deref(), Some("-2.50 EUR"));
    let places: Vec<_> = lines.iter().filter_map(|line| line.location.clone()).collect();
    let expected = ["fr-par-2", "fr-par-1", "fr-par-1", "fr-par-2"].map(Location::new);
    assert_eq!(places, expected);
}

#[test]
fn recorded_gpu_consumptions_reconcile_to_the_cent_with_the_list_prices() {
    let Some(json) = recorded("composed__GET_billing_consumptions_200_gpu.json") else { return };
    let (lines, notes) = read(&entries(&json));
    assert_eq!((reconcile(&lines), sum(&lines).to_string()), (2, "626.8392".to_owned()));
    assert_eq!(notes, [""; 0]);
}

/// That account pays nothing: what is given back is all that it consumed, so the total discount
/// is the total of the lines. They are before discounts, then.
#[test]
fn a_recorded_month_adds_up_to_its_own_total_and_is_before_discounts() {
    let Some(json) = recorded("recorded__GET_billing_consumptions_200.json") else { return };
    let entries = entries(&json);
    let (lines, notes) = read(&entries);
    assert_eq!((lines.len(), sum(&lines).to_string()), (333, "2707.07".to_owned()));
    let whole: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(whole["total_discount_untaxed_value"], 2707.07);
    assert!(lines.iter().all(|line| line.kind == BillKind::Other && line.amount.is_some()));
    assert_eq!(notes, [""; 0]);
    // Lines of machines, none with GPUs: their `minute` are hours, at prices in whole cents.
    let machines = entries.iter().filter(|entry| machine(entry).is_some());
    let of_xxs = machines
        .clone()
        .filter(|entry| entry.product_name.good().is_some_and(|name| name == "PRO2-XXS"));
    let six_cents = Decimal::new(6, 2);
    for entry in of_xxs {
        let Quantity(quantity) = *entry.billed_quantity.good().expect("a quantity");
        let amount = entry.value.good().and_then(money).expect("an amount").amount;
        assert_eq!(entry.unit.good().map(String::as_str), Some("minute"));
        assert_eq!(quantity * six_cents, amount);
        let listed = Some(Decimal::new(561, 4));
        let amount = Some(Money::new(amount, Currency::EUR));
        assert_eq!(hours(entry, amount, listed), Some(quantity));
    }
    assert_eq!(machines.count(), 13);
}

fn line_of(value: &serde_json::Value) -> Consumption {
    serde_json::from_value(value.clone()).expect("an object")
}

#[test]
fn minutes_are_told_from_hours_by_the_amount_and_by_nothing_else() {
    let of = |units: i64, quantity: &str, unit: &str| {
        line_of(&json!({ "sku": "/compute/l4_1_24g/run_par1", "unit": unit,
            "billed_quantity": quantity, "value": { "currency_code": "EUR", "units": units } }))
    };
    for (units, quantity, unit, expected) in [
        (79, "6000", "minute", Some(100)),
        (79, "100", "minute", Some(100)),
        // The price has doubled since.
        (158, "6000", "minute", Some(100)),
        (79, "100", "hour", Some(100)),
        (600, "6000", "minute", None),
        (0, "6000", "minute", None),
        (-79, "6000", "minute", None),
        (79, "6000", "fortnight", None),
        (79, "many", "hour", None),
    ] {
        let (lines, notes) = read(&[of(units, quantity, unit)]);
        assert_eq!(lines[0].hours, expected.map(Decimal::from), "{units} {quantity} {unit}");
        assert_eq!(notes.is_empty(), expected.is_some(), "{notes:?}");
    }
}

#[test]
fn fl_103_a_type_nobody_describes_counts_and_its_hours_are_not_guessed() {
    let new = json!({ "sku": "/compute/g99_1/run_par1", "unit": "minute",
        "billed_quantity": "60", "value": { "currency_code": "EUR", "units": 3, "nanos": 1 } });
    let (lines, notes) = read(&[line_of(&new)]);
    assert_eq!((lines[0].kind, lines[0].hours), (BillKind::Compute, None));
    assert_eq!(lines[0].amount.map(Money::all_digits).as_deref(), Some("3.000000001"));
    assert!(notes[0].contains("hours of G99-1 are not known"), "{notes:?}");
}

#[test]
fn fl_088_null_is_no_amount_and_never_zero() {
    for value in [
        json!(null),
        json!({ "currency_code": "", "units": 3, "nanos": 0 }),
        json!({ "currency_code": "EUR" }),
        json!({ "units": 3 }),
    ] {
        let (lines, notes) = read(&[line_of(&json!({ "sku": null, "value": value }))]);
        assert_eq!((lines[0].kind, lines[0].amount), (BillKind::Other, None), "{value}");
        assert_eq!(notes, ["1 of Scaleway's lines have no amount"]);
    }
    let zero = json!({ "value": { "currency_code": "EUR", "units": 0, "nanos": null } });
    let (lines, _) = read(&[line_of(&zero)]);
    assert_eq!(lines[0].amount, Some(Money::new(Decimal::ZERO, Currency::EUR)));
}

#[test]
fn only_servers_are_machines() {
    let named = |sku: &str| machine(&line_of(&json!({ "sku": sku })));
    let pair = |kind: &str, zone: &str| Some((kind.to_owned(), zone.to_owned()));
    assert_eq!(named("/compute/h100_sxm_2_80g/run_fr-par-2"), pair("H100-SXM-2-80G", "fr-par-2"));
    assert_eq!(named("/compute/play2_pico/run_ams1"), pair("PLAY2-PICO", "nl-ams-1"));
    for other in [
        "/ai/inference_dedicated/deployment/l4/fr-par",
        "/compute/snapshot/fr-par-1",
        "/compute/a/b/run_par1",
        "/compute//run_par1",
        "/baremetal/em-a115x-ssd/hourly/run_par1",
        "",
    ] {
        assert_eq!(named(other), None, "{other}");
    }
}

fn pass(entries: usize, announced: Option<u64>, updated: &[&str]) -> Pass {
    let entry = |number| Lenient::Good(line_of(&json!({ "sku": format!("/{number}") })));
    Pass {
        entries: (0..entries).map(entry).collect(),
        announced,
        updated: updated.iter().map(|time| utc(time)).collect(),
        unsaid: false,
    }
}

#[test]
fn pages_belong_together_when_they_were_counted_at_once_and_none_is_missing() {
    let (early, late) = ("2026-11-13T10:00:00Z", "2026-11-13T22:00:00Z");
    assert!(pass(3, Some(3), &[early]).adds_up());
    assert!(pass(3, None, &[]).adds_up());
    assert!(!pass(3, Some(4), &[early]).adds_up());
    assert!(!pass(3, Some(3), &[early, late]).adds_up());
    let mut twice = pass(3, Some(3), &[early]);
    twice.entries[2] = twice.entries[0].clone();
    assert!(!twice.adds_up());
}

#[test]
fn fl_120_a_bill_of_unknown_age_is_no_bill() {
    let from = utc("2026-11-01T00:00:00Z").expect("a time");
    let time = utc("2026-11-13T22:03:32.749715Z");
    assert_eq!(pass(1, Some(1), &["2026-11-13T22:03:32.749715Z"]).reach(from), Ok(time));
    assert_eq!(pass(0, Some(0), &[]).reach(from), Ok(None), "nothing is as old as one likes");
    let silent = Pass { unsaid: true, ..pass(0, None, &["2026-11-13T22:03:32.749715Z"]) };
    assert_eq!(silent.reach(from), Ok(Some(from)), "no list is not a list of nothing");
    let error = pass(1, Some(1), &["soon"]).reach(from).expect_err("nobody knows");
    assert_eq!(error.kind, ErrorKind::Protocol);
}
