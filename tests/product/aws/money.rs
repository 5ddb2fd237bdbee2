//! Invariant 12, `money_is_honest`, and the field cases of kind K that concern prices.

use serde_json::json;

use crate::aws::{machine as find, warnings};
use crate::support::{OWNERLESS, Sim, machine};

/// No sum over currencies without a dated rate, unknown prices are never 0, and "at least" is said.
#[tokio::test(flavor = "multi_thread")]
async fn money_is_honest() {
    let world = [
        machine("i-usd", "us-east-1", "type = \"g5.xlarge\"\nlaunched = \"100h\""),
        machine("i-eur", "us-east-1", "type = \"g4dn.xlarge\"\nlaunched = \"100h\""),
        machine("i-unknown", "us-east-1", "type = \"p9x.192xlarge\"\nlaunched = \"100h\""),
    ]
    .concat();
    let sim = Sim::aws(&world).await;
    let price = "[[price]]\nprovider = \"aws\"\ntype = \"g4dn.xlarge\"\nhourly = \"0.50 EUR\"\n";

    let document = sim.audit(&["us-east-1"], &format!("{OWNERLESS}{price}")).await.json();
    assert_eq!(
        document["totals"]["waste_to_date"],
        json!([{"amount": "50.00", "currency": "EUR"}, {"amount": "100.60", "currency": "USD"}]),
        "two subtotals"
    );
    assert_eq!(document["totals"]["unpriced"], 1);
    let unknown = find(&document, "i-unknown");
    assert_eq!((&unknown["price"], &unknown["cost"]), (&json!(null), &json!(null)));
    assert!(unknown["price_why"].is_string());
    let config = sim.config(&["us-east-1"], &format!("{OWNERLESS}{price}"));
    let table = sim.run(&config, &["audit"]).await;
    assert!(table.stdout.contains("at least"), "{}", table.stdout);

    let rate = "[fx]\nUSD = { rate = \"0.92\", as_of = 2026-11-28 }\n";
    let document = sim.audit(&["us-east-1"], &format!("{OWNERLESS}{price}{rate}")).await.json();
    assert_eq!(
        document["totals"]["waste_to_date"],
        json!([{"amount": "142.55", "currency": "EUR"}]),
        "50.00 EUR and 100.60 USD at 0.92"
    );
    assert_eq!(document["rates"][0]["as_of"], "2026-11-28");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_103_one_warning_a_type_not_a_machine() {
    let world: String = (0..5)
        .map(|number| machine(&format!("i-{number}"), "us-east-1", "type = \"p9x.192xlarge\""))
        .collect();
    let sim = Sim::aws(&world).await;
    let document = sim.audit(&["us-east-1"], OWNERLESS).await.json();
    let unpriced = warnings(&document).into_iter().filter(|code| *code == "price-unknown");
    assert_eq!(unpriced.count(), 1);
    assert_eq!(document["totals"]["unpriced"], 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_105_old_list_prices_are_pointed_out() {
    let sim = Sim::aws(&machine("i-1", "us-east-1", "")).await;
    let document = sim.audit(&["us-east-1"], OWNERLESS).await.json();
    let said = document["warnings"].to_string();
    assert!(said.contains("price-stale") && said.contains("2026-07-20"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_106_with_one_currency_no_other_sign_is_printed() {
    let sim = Sim::aws(&machine("i-1", "us-east-1", "")).await;
    let rate = "[fx]\nUSD = { rate = \"1\", as_of = 2026-11-28 }\n";
    let config = sim.config(&["us-east-1"], &format!("{OWNERLESS}{rate}"));
    for format in ["table", "markdown", "json"] {
        let ran = sim.run(&config, &["audit", "--format", format]).await;
        assert!(!ran.stdout.contains('$'), "{format}: {}", ran.stdout);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fail_on_waste_compares_in_its_own_currency() {
    let sim = Sim::aws(&machine("i-1", "us-east-1", "launched = \"100h\"")).await;
    let config = sim.config(&["us-east-1"], OWNERLESS);
    let code =
        async |condition: &str| sim.run(&config, &["audit", "--fail-on", condition]).await.code;
    assert_eq!(code("waste>=100.60USD").await, 10);
    assert_eq!(code("waste>=100.61USD").await, 0);
    assert_eq!(code("findings").await, 10);
    assert_eq!(code("waste>=1EUR").await, 10, "what cannot be compared counts as met");
    let rate = "[fx]\nUSD = { rate = \"0.50\", as_of = 2026-11-28 }\n";
    let config = sim.config(&["us-east-1"], &format!("{OWNERLESS}{rate}"));
    let code =
        async |condition: &str| sim.run(&config, &["audit", "--fail-on", condition]).await.code;
    assert_eq!(code("waste>=1000USD").await, 0, "the limit is converted like the waste");
    assert_eq!(code("waste>=100USD").await, 10);
    assert_eq!(code("waste>=50.31EUR").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn fail_on_waste_counts_as_met_while_a_cost_is_unknown() {
    let sim = Sim::aws(&machine("i-1", "us-east-1", "type = \"p9x.192xlarge\"")).await;
    let config = sim.config(&["us-east-1"], OWNERLESS);
    let ran = sim.run(&config, &["audit", "--fail-on", "waste>=100EUR", "--format", "json"]).await;
    assert_eq!(ran.code, 10);
    assert!(warnings(&ran.json()).contains(&"fail-on-undecidable"), "{}", ran.stdout);
}
