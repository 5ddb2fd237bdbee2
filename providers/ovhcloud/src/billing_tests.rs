//! Usages line by line, against the totals that they name and the list prices.

use reaper_http::Lenient;
use reaper_provider::Catalogue;
use serde_json::{Value, json};

use super::*;

const EXCERPT: &str = include_str!("../fixtures/usage.json");
const BOOK: &str = include_str!("../fixtures/catalogue_FR.json");
const LIST: &str = include_str!("../../../config/prices/ovhcloud.csv");

fn usage(json: &str) -> Usage {
    serde_json::from_str(json).expect("an object")
}

fn lines(drafts: Drafts) -> Vec<BillLine> {
    let book = serde_json::from_str(BOOK).expect("a book");
    let line = |draft: Draft| draft.line(Some(Currency::EUR), Some(&book));
    drafts.lines.into_iter().map(line).collect()
}

fn read(json: &str) -> (Vec<BillLine>, Vec<String>) {
    let drafts = Drafts::of(&usage(json));
    let notes = drafts.notes();
    (lines(drafts), notes)
}

/// An answer with these machines by the hour, and nothing else.
fn with_machines(entries: &Value) -> String {
    let empty = json!({ "instance": [] });
    json!({ "hourlyUsage": { "instance": entries }, "monthlyUsage": empty, "resourcesUsage": [] })
        .to_string()
}

fn cents(lines: &[BillLine]) -> Decimal {
    lines.iter().filter_map(|line| line.amount).map(|amount| amount.amount).sum()
}

/// What an answer itself says that its entries come to.
fn total(json: &str) -> Decimal {
    let of = |entries: &Lenient<Entries>| -> Decimal {
        let entries = entries.good().into_iter().flatten().filter_map(Lenient::good);
        let totals = entries.filter_map(|entry| entry.total_price.good());
        totals
            .map(|total| match total {
                Total::Bare(Amount(amount)) | Total::Named { value: Amount(amount), .. } => amount,
            })
            .sum()
    };
    let usage = usage(json);
    let parts = [&usage.hourly, &usage.monthly];
    let lists = parts.into_iter().filter_map(Lenient::good).flat_map(|part| part.values());
    lists.map(of).sum::<Decimal>() + of(&usage.resources)
}

/// Hours × list price is the amount, to the cent, on every line that has both; the lines make up
/// the totals. How many machines were compared.
fn reconcile(json: &str) -> usize {
    let list = Catalogue::parse(LIST).expect("readable");
    let (lines, _) = read(json);
    assert_eq!(cents(&lines), total(json));
    let mut compared = 0;
    for line in lines.iter().filter(|line| line.kind == BillKind::Compute) {
        let (kind, amount) = (line.machine_type.as_ref(), line.amount.expect("an amount"));
        let kind = kind.expect("a flavour").as_str();
        let unit =
            if line.hours.is_some() { reaper_model::Unit::Hour } else { reaper_model::Unit::Month };
        let price = list.price(kind, "", unit).expect("listed").money;
        let expected = price.times(line.hours.unwrap_or(Decimal::ONE));
        assert_eq!(expected.to_cents(), amount.to_cents(), "{line:?}");
        compared += 1;
    }
    compared
}

#[test]
fn an_excerpt_reconciles_to_the_cent_with_the_list_prices() {
    assert_eq!(reconcile(EXCERPT), 4);
    assert_eq!(total(EXCERPT).to_string(), "1592.76");
}

/// The name of the environment variable is the folder's, not this program's: only this test reads
/// it.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test that needs a folder outside of the crate")]
fn recorded_usages_reconcile_to_the_cent_with_the_list_prices() {
    let Some(root) = std::env::var_os("REAPER_RECORDED") else { return };
    let folder = std::path::Path::new(&root).join("ovhcloud");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("there");
    let current = read("derived__GET_usage_current_200.json");
    assert_eq!(reconcile(&current), 4);
    // 1344.00 + 720.00 by the hour, 1100.00 by the month, 0.13 and 5.28 for disks, 12.40 for AI.
    assert_eq!(total(&current).to_string(), "3181.81");
    assert_eq!(reconcile(&read("derived__GET_usage_current_200_all-null.json")), 0);
}

#[test]
fn every_machine_is_a_line_and_deleted_ones_are_there() {
    let (lines, notes) = read(EXCERPT);
    let machines: Vec<_> = lines.iter().filter(|line| line.native.is_some()).collect();
    assert_eq!(machines.len(), 5);
    let gone = machines[1];
    assert_eq!(gone.native.as_deref(), Some("61d0c7aa-0000-4a36-b1c4-000000000099"));
    assert_eq!((gone.kind, gone.hours), (BillKind::Compute, Some(Decimal::from(7))));
    assert_eq!(gone.location.as_ref().map(Location::as_str), Some("SBG5"));
    assert_eq!(gone.amount.map(|amount| amount.to_string()).as_deref(), Some("9.80 EUR"));
    let plain = machines[2].machine_type.as_ref().map(MachineType::as_str);
    assert_eq!(plain, Some("h100-760"), "a reference may be the flavour alone");
    let others = lines.iter().filter(|line| line.kind == BillKind::Other);
    assert_eq!(others.count(), 4, "an ordinary machine, a snapshot, a volume, a notebook");
    assert_eq!(notes, ["OVHcloud's usage leaves out monthlyUsage.certification"]);
}

#[test]
fn fl_109_a_month_of_540_is_540_and_has_no_hours() {
    let (lines, _) = read(EXCERPT);
    let monthly = lines
        .iter()
        .find(|line| line.machine_type.as_ref().is_some_and(|kind| kind.as_str() == "l4-90"));
    let monthly = monthly.expect("a monthly plan");
    assert_eq!((monthly.kind, monthly.hours), (BillKind::Compute, None));
    assert_eq!(monthly.amount.map(|amount| amount.to_string()).as_deref(), Some("540.00 EUR"));
}

#[test]
fn fl_088_null_says_nothing_and_is_never_zero() {
    let all_null = r#"{"hourlyUsage":null,"monthlyUsage":null,"resourcesUsage":null}"#;
    let (lines, notes) = read(all_null);
    assert!(lines.is_empty());
    let words = "OVHcloud's usage leaves out hourlyUsage, monthlyUsage, resourcesUsage";
    assert_eq!(notes, [words]);

    let entries = json!([null, 7, {
        "reference": "l4-90.consumption", "region": null, "quantity": null, "totalPrice": null,
        "details": [
            { "instanceId": "a", "quantity": { "unit": "Hour", "value": null }, "totalPrice": null },
            { "instanceId": null, "quantity": { "unit": "GiBh", "value": 3 }, "totalPrice": 1.5 },
        ],
    }, { "reference": null, "region": "GRA11", "totalPrice": 2, "details": null }]);
    let (lines, notes) = read(&with_machines(&entries));
    assert_eq!(lines.len(), 3);
    assert_eq!((lines[0].amount, lines[0].hours, lines[0].location.as_ref()), (None, None, None));
    assert_eq!((lines[1].native.as_ref(), lines[1].hours), (None, None));
    assert_eq!((lines[2].kind, lines[2].machine_type.as_ref()), (BillKind::Compute, None));
    assert_eq!(cents(&lines).to_string(), "3.5");
    let words = "OVHcloud's usage leaves out an entry of hourlyUsage.instance, \
                 hourlyUsage.instance.details, hourlyUsage.instance.details.instanceId, \
                 hourlyUsage.instance.details.quantity, hourlyUsage.instance.details.totalPrice, \
                 hourlyUsage.instance.totalPrice";
    assert_eq!(notes, [words]);
}

#[test]
fn lines_make_up_a_total_that_the_machines_do_not() {
    let entries = json!([{
        "reference": "l4-90.consumption", "region": "GRA11", "totalPrice": 10.01,
        "quantity": { "unit": "Hour", "value": 12 },
        "details": [
            { "instanceId": "a", "quantity": { "unit": "Minute", "value": 90 }, "totalPrice": 1.13 },
            { "instanceId": "b", "quantity": { "unit": "Hour", "value": 10 }, "totalPrice": null },
        ],
    }]);
    let (lines, notes) = read(&with_machines(&entries));
    assert_eq!(cents(&lines).to_string(), "10.01");
    assert_eq!(lines[0].hours, Some(Decimal::new(15, 1)));
    assert_eq!((lines[2].native.as_ref(), lines[2].hours), (None, None));
    assert!(notes.iter().any(|note| note.starts_with("1 of OVHcloud's totals")), "{notes:?}");
}

#[test]
fn fl_022_a_flavour_never_heard_of_counts_unless_the_book_knows_better() {
    let entry = |reference: &str| json!([{ "reference": reference, "region": "GRA11", "totalPrice": 1, "details": [] }]);
    for (reference, kind) in [
        ("b300-512.consumption", BillKind::Compute),
        ("win-t1-45.consumption", BillKind::Compute),
        ("b2-7.consumption", BillKind::Other),
        ("win-b3-8.consumption.3AZ", BillKind::Other),
    ] {
        let (lines, _) = read(&with_machines(&entry(reference)));
        assert_eq!(lines[0].kind, kind, "{reference}");
    }
    let book = r#"{"locale":{"currencyCode":"EUR"},"addons":[{"planCode":"z9-1.consumption",
        "blobs":{"commercial":{"brick":"compute"},"technical":{"os":{}}}}]}"#;
    let book: Book = serde_json::from_str(book).expect("a book");
    let draft = || {
        let usage = usage(&with_machines(&entry("z9-1.consumption")));
        Drafts::of(&usage).lines.remove(0)
    };
    assert_eq!(draft().line(None, Some(&book)).kind, BillKind::Other);
    assert_eq!(draft().line(None, None).kind, BillKind::Compute);
}

#[test]
fn an_amount_may_name_its_currency_itself() {
    let cluster = json!([{ "reference": "mks", "totalPrice":
        { "value": 9.9, "currencyCode": "CAD", "text": "9.90 $" } }]);
    let json = json!({ "hourlyUsage": { "instance": [], "managedKubernetesService": cluster } });
    let drafts = Drafts::of(&usage(&json.to_string()));
    assert_eq!(drafts.named.iter().map(Currency::as_str).collect::<Vec<_>>(), ["CAD"]);
    assert_eq!(drafts.lines[0].amount.map(|it| it.to_string()).as_deref(), Some("9.9"));
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

#[test]
fn fl_120_a_usage_reaches_as_far_as_it_was_last_filled_and_never_into_the_future() {
    let now = at("2026-11-14T09:00:00Z");
    let month = at("2026-11-01T00:00:00Z");
    let told = |from: Value, to: Value, last: Value| {
        let json = json!({ "period": { "from": from, "to": to }, "lastUpdate": last });
        span(&usage(&json.to_string()), now)
    };
    let until =
        |to: Value, last: Value| told(json!("2026-11-01T00:00:00Z"), to, last).expect("told");
    let yesterday = json!("2026-11-13T23:10:00.000Z");
    let reach = Span::This(month, at("2026-11-13T23:10:00Z"));
    assert_eq!(until(json!("2026-11-14T00:00:00+00:00"), yesterday.clone()), reach);
    assert_eq!(until(json!("2026-11-30T23:59:59Z"), yesterday.clone()), reach);
    assert_eq!(until(Value::Null, yesterday.clone()), reach);
    assert_eq!(until(json!("2026-11-30T23:59:59Z"), Value::Null), Span::This(month, now));
    assert_eq!(until(json!("2026-10-31T23:59:59Z"), Value::Null), Span::This(month, month));
    assert_eq!(told(Value::Null, Value::Null, yesterday).expect("told"), reach);

    let october = told(json!("2026-10-01T00:00:00Z"), json!("2026-10-31T23:59:59Z"), Value::Null);
    assert_eq!(october.expect("told"), Span::Another(at("2026-10-01T00:00:00Z")));
    let silent = told(Value::Null, Value::Null, Value::Null).expect_err("nobody knows");
    assert_eq!(silent.kind, ErrorKind::Protocol);
    assert!(span(&usage(r#"{"period": 7, "lastUpdate": "soon"}"#), now).is_err());
}
