//! The FOCUS file as a reader of CSV sees it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use proptest::prelude::*;
use reaper_model::document::PurchaseView;
use reaper_model::{AuditDocument, Charge, Money, Totals};
use rust_decimal::Decimal;

use super::charges::{NOTEBOOK, any_charge, committed, month, named, plan, unpriced, used};
use super::{LeftOut, focus_csv};
use crate::fixture;

/// A row by the names of its columns.
type Read = BTreeMap<String, String>;

/// The file as it is written, and what is not in it.
pub(super) fn written(doc: &AuditDocument, charges: &[Charge]) -> (String, LeftOut) {
    let mut out = Vec::new();
    let left_out = focus_csv(doc, charges, &mut out).expect("a vector takes everything");
    (String::from_utf8(out).expect("UTF-8"), left_out)
}

fn read(text: &str) -> Vec<Read> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("as many cells as columns")).collect()
}

fn rows(charges: &[Charge]) -> Vec<Read> {
    read(&written(&fixture::mixed(), charges).0)
}

fn row(charge: Charge) -> Read {
    let mut rows = rows(&[charge]);
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

#[track_caller]
fn says(row: &Read, expected: &[(&str, &str)]) {
    for (column, value) in expected {
        assert_eq!(row[*column], *value, "{column}");
    }
}

#[test]
fn a_day_of_the_machine_on_the_box() {
    says(
        &row(used(NOTEBOOK, "2026-11-30", "24", "3.50 EUR")),
        &[
            ("BilledCost", "84"),
            ("EffectiveCost", "84"),
            ("ListCost", "84"),
            ("ContractedCost", "84"),
            ("BillingCurrency", "EUR"),
            ("BillingAccountId", "research"),
            ("SubAccountId", "research"),
            ("BillingPeriodStart", "2026-11-01T00:00:00Z"),
            ("BillingPeriodEnd", "2026-12-01T00:00:00Z"),
            ("ChargePeriodStart", "2026-11-30T00:00:00Z"),
            ("ChargePeriodEnd", "2026-12-01T00:00:00Z"),
            ("ChargeCategory", "Usage"),
            ("ChargeClass", ""),
            ("ChargeFrequency", "Usage-Based"),
            (
                "ChargeDescription",
                "Estimate at list price, not invoiced: 24 h of p4d.24xlarge at 3.50 EUR per hour",
            ),
            ("ServiceProviderName", "AWS"),
            ("HostProviderName", "AWS"),
            ("InvoiceIssuerName", "AWS"),
            ("ServiceName", "Amazon Elastic Compute Cloud"),
            ("RegionId", "eu-west-1"),
            ("AvailabilityZone", ""),
            ("ResourceId", "i-0abc1234def567890"),
            ("ResourceName", "notebook-test"),
            ("PricingQuantity", "24"),
            ("PricingUnit", "Hours"),
            ("ConsumedQuantity", "24"),
            ("ConsumedUnit", "Hours"),
            ("ListUnitPrice", "3.5"),
            ("PricingCategory", "Standard"),
            ("SkuId", "p4d.24xlarge"),
            ("SkuPriceId", "p4d.24xlarge/eu-west-1/Hours"),
            (
                "SkuPriceDetails",
                r#"{"InstanceType":"p4d.24xlarge","GpuCount":8,"x_GpuModel":"A100"}"#,
            ),
            ("Tags", r#"{"project":"atlas"}"#),
            ("x_Basis", "estimate"),
            ("x_GpuCount", "8"),
            ("x_GpuModel", "A100"),
            ("x_InstanceId", NOTEBOOK),
            ("x_Owner", "alice"),
            ("x_Rules", "ownerless"),
            ("x_RunId", "r-1"),
            ("x_Verdict", "orphan"),
        ],
    );
}

#[test]
fn fl_109_a_monthly_plan_is_one_purchase_for_its_month() {
    let bought = row(plan(NOTEBOOK, "2028-02-10", "800 EUR"));
    says(
        &bought,
        &[
            ("BilledCost", "800"),
            ("EffectiveCost", "800"),
            ("ListUnitPrice", "800"),
            ("PricingQuantity", "1"),
            ("PricingUnit", "Months"),
            ("ConsumedQuantity", ""),
            ("ConsumedUnit", ""),
            ("ChargeCategory", "Purchase"),
            ("ChargeFrequency", "Recurring"),
            ("ChargePeriodStart", "2028-02-01T00:00:00Z"),
            ("ChargePeriodEnd", "2028-03-01T00:00:00Z"),
        ],
    );
    assert!(
        bought["ChargeDescription"]
            .ends_with("monthly plan of p4d.24xlarge at 800.00 EUR per month")
    );
}

#[test]
fn fl_118_a_plan_belongs_to_the_month_that_it_was_renewed_for() {
    // December begins in Amsterdam at 23:00 UTC.
    let renewed = row(plan(NOTEBOOK, "2026-11-30", "800 EUR"));
    for period in ["Charge", "Billing"] {
        let edges = ["Start", "End"].map(|edge| renewed[&format!("{period}Period{edge}")].clone());
        assert_eq!(edges, ["2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"]);
    }
    let mut doc = fixture::mixed();
    doc.period.timezone = "America/New_York".to_owned();
    let told = |on| {
        let (file, _) = written(&doc, &[plan(NOTEBOOK, on, "800 EUR")]);
        read(&file)[0]["ChargePeriodStart"].clone()
    };
    assert_eq!(told("2026-12-01"), "2026-12-01T00:00:00Z");
    assert_eq!(told("2026-11-30"), "2026-11-01T00:00:00Z");
}

#[test]
fn a_month_may_end_with_the_year() {
    let row = row(used(NOTEBOOK, "2026-12-31", "1", "1 EUR"));
    says(&row, &[("ChargePeriodEnd", "2027-01-01T00:00:00Z")]);
    says(&row, &[("BillingPeriodEnd", "2027-01-01T00:00:00Z")]);
}

#[test]
fn fl_103_a_machine_without_a_price_is_left_out_and_counted() {
    let charges = [
        unpriced("aws/1/eu-west-1/i-3", "2026-11-05", "24"),
        unpriced("aws/1/eu-west-1/i-3", "2026-11-06", "6.5"),
        unpriced("aws/1/eu-west-1/i-4", "2026-11-06", "0.25"),
        committed("aws/1/eu-west-1/i-5", "2026-11-06", "4"),
        used(NOTEBOOK, "2026-11-05", "24", "3.50 EUR"),
    ];
    let (text, left_out) = written(&fixture::mixed(), &charges);
    assert_eq!(read(&text).len(), 1);
    assert!(!text.contains("p9x.192xlarge"), "no row says 0");
    let expected = "not in the FOCUS file, where each row must have a cost: \
                    2 machines without a known price and 1 machine paid by a commitment \
                    (34.8 billed hours)";
    assert_eq!(left_out.sentence().as_deref(), Some(expected));
    assert_eq!(written(&fixture::mixed(), &charges[4..]).1.sentence(), None);
}

#[test]
fn fl_104_a_machine_that_is_gone_keeps_its_cost_and_has_no_verdict() {
    let mut gone = used("aws/research/eu-west-1/i-gone", "2026-11-06", "5", "40 EUR");
    gone.machine_type = "p3.16xlarge".into();
    (gone.name, gone.tags) = (None, [].into());
    gone.owners.clear();
    let expected = [
        ("BilledCost", "200"),
        ("ListUnitPrice", "40"),
        ("ResourceName", ""),
        ("SkuPriceDetails", r#"{"InstanceType":"p3.16xlarge"}"#),
        ("Tags", ""),
        ("x_GpuCount", ""),
        ("x_GpuModel", ""),
        ("x_Owner", ""),
        ("x_Rules", ""),
        ("x_Verdict", ""),
    ];
    says(&row(gone), &expected);
}

#[test]
fn fl_107_each_row_has_its_own_currency() {
    let charges = [
        used(NOTEBOOK, "2026-11-01", "1", "3.50 EUR"),
        used("lambda/a/us-east-3/b", "2026-11-01", "1", "3.29 USD"),
    ];
    let rows = rows(&charges);
    says(&rows[0], &[("BilledCost", "3.5"), ("BillingCurrency", "EUR")]);
    says(&rows[1], &[("BilledCost", "3.29"), ("BillingCurrency", "USD")]);
}

#[test]
fn two_prices_and_two_owners_of_a_day_are_rows_and_nothing_is_none() {
    let charges: Vec<Charge> =
        month().into_iter().filter(|charge| charge.id.to_string() == NOTEBOOK).collect();
    let told: Vec<_> = rows(&charges)
        .iter()
        .map(|row| (row["ChargePeriodStart"][8..10].to_owned(), row["x_Owner"].clone()))
        .collect();
    let expected = [("01", "alice"), ("02", "alice"), ("04", "alice"), ("04", "bob, carol")];
    assert_eq!(told, expected.map(|(day, owner)| (day.to_owned(), owner.to_owned())));
}

#[test]
fn every_provider_is_called_as_it_calls_itself() {
    let told = |id: &str| {
        let row = row(used(id, "2026-11-01", "1", "1 EUR"));
        ["ServiceProviderName", "ServiceName", "RegionId", "AvailabilityZone", "SubAccountId"]
            .map(|column| row[column].clone())
    };
    assert_eq!(told("scaleway/o/fr-par-2/s"), ["Scaleway", "Instances", "fr-par", "fr-par-2", ""]);
    assert_eq!(
        told("ovhcloud/p/GRA11/s"),
        ["OVHcloud", "Public Cloud Instances", "GRA11", "", "p"]
    );
    assert_eq!(told("lambda/k/us-east-3/s"), ["Lambda", "On-Demand Cloud", "us-east-3", "", ""]);
    assert_eq!(told("newcloud/n/moon-1/s"), ["newcloud", "Virtual Machines", "moon-1", "", ""]);
}

#[test]
fn a_spot_machine_has_a_price_that_moves() {
    let mut doc = fixture::mixed();
    let told = |doc: &AuditDocument| {
        let charge = used(NOTEBOOK, "2026-11-01", "1", "1 EUR");
        read(&written(doc, &[charge]).0)[0]["PricingCategory"].clone()
    };
    doc.instances[0].purchase = PurchaseView::Spot;
    assert_eq!(told(&doc), "Dynamic");
    doc.instances[0].purchase = PurchaseView::Reserved;
    assert_eq!(told(&doc), "Other");
}

#[test]
fn a_bare_word_is_a_tag_that_is_true() {
    let tags = |id: &str| {
        let charge = used(id, "2026-11-01", "1", "1 EUR");
        row(Charge { tags: [("gpu".to_owned(), String::new())].into(), ..charge })["Tags"].clone()
    };
    assert_eq!(tags("scaleway/o/fr-par-2/s"), r#"{"gpu":true}"#);
    assert_eq!(tags(NOTEBOOK), r#"{"gpu":""}"#);
}

#[test]
fn fl_147_no_text_of_others_is_a_formula_or_an_order() {
    for text in ["=cmd()", "+1", "-1", "@x"] {
        let row = row(named(text));
        for column in
            ["ResourceName", "ResourceId", "SkuId", "x_Account", "x_MachineType", "RegionId"]
        {
            assert_eq!(row[column], format!("'{text}"), "{column}");
        }
        assert_eq!(row["x_Owner"], format!("'{text}, alice"));
    }
    let (file, _) = written(&fixture::mixed(), &[named("\u{1b}[31m\r\n::error::\u{202e}")]);
    assert!(!file.contains(['\u{1b}', '\u{202e}']));
    assert_eq!(file.lines().count(), 2, "a row is a line:\n{file}");
}

#[test]
fn the_file_is_csv_by_rfc_4180() {
    let (file, _) = written(&fixture::mixed(), &[named("a,\"b\"")]);
    assert!(file.starts_with("BilledCost,EffectiveCost,") && file.ends_with("\r\n"));
    assert!(file.contains(r#","a,""b""","#), "{file}");
    let (empty, _) = written(&fixture::mixed(), &[]);
    assert_eq!(empty.lines().count(), 1, "the names of the columns are always there");
}

#[test]
fn fl_106_every_amount_has_a_currency_and_none_a_sign() {
    let (file, _) = written(&fixture::mixed(), &month());
    assert!(!file.contains(['$', '€']));
    assert!(read(&file).iter().all(|row| row["BillingCurrency"].len() == 3));
}

#[test]
fn fl_148_a_closed_pipe_keeps_its_kind() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    // Closed when the first row comes, and in the middle of many.
    for months in [1, 100] {
        let charges: Vec<Charge> = std::iter::repeat_n(month(), months).flatten().collect();
        let error = focus_csv(&fixture::mixed(), &charges, &mut Closed).expect_err("closed");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}

/// What the rows say in a column of costs, by currency.
fn sums(rows: &[Read], column: &str) -> Totals {
    let cost = |row: &Read| {
        let amount: Decimal = row[column].parse().expect("a number");
        Money::new(amount, row["BillingCurrency"].parse().expect("a currency"))
    };
    rows.iter().map(cost).collect()
}

#[test]
fn the_month_adds_up_to_its_charges() {
    let charges = month();
    let whole: Totals = charges.iter().filter_map(|charge| charge.money).collect();
    for column in ["BilledCost", "EffectiveCost", "ListCost", "ContractedCost"] {
        assert_eq!(sums(&rows(&charges), column), whole, "{column}");
    }
}

proptest! {
    #[test]
    fn rows_add_up_to_the_charges_exactly(charges in prop::collection::vec(any_charge(), 0..40)) {
        let (file, left_out) = written(&fixture::mixed(), &charges);
        prop_assert_eq!(left_out, LeftOut::default());
        let rows = read(&file);
        let mut whole: Totals = charges.iter().filter_map(|charge| charge.money).collect();
        let mut found = sums(&rows, "BilledCost");
        // A currency in which nothing was spent may have no row.
        for currency in ["EUR", "USD", "GBP"] {
            let zero = Money::new(Decimal::ZERO, currency.parse().expect("a currency"));
            found.add(zero);
            whole.add(zero);
        }
        prop_assert_eq!(found, whole);
        for row in &rows {
            let number = |column: &str| row[column].parse::<Decimal>().expect("a number");
            let product = number("ListUnitPrice") * number("PricingQuantity");
            prop_assert!((product - number("ListCost")).abs() < Decimal::new(1, 12));
        }
    }

    #[test]
    fn fl_147_any_text_stays_in_its_cell_and_on_its_line(text in fixture::any_text()) {
        let charge = named(&text);
        let (file, _) = written(&fixture::mixed(), std::slice::from_ref(&charge));
        prop_assert_eq!(file.lines().count(), 2);
        prop_assert!(!file.replace("\r\n", "").contains(char::is_control));
        let rows = read(&file);
        let tags: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&rows[0]["Tags"]).expect("JSON");
        for (key, value) in &charge.tags {
            let expected = if value.is_empty() { true.into() } else { value.as_str().into() };
            prop_assert_eq!(&tags[key], &expected as &serde_json::Value);
        }
        for (column, value) in &rows[0] {
            let formula = value.starts_with(['=', '+', '-', '@', '\t']);
            prop_assert!(!formula, "{}: {:?}", column, value);
        }
    }
}
