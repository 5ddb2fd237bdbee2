//! What Lambda's machines cost: cents, not dollars.

use serde_json::json;

use super::{HURRY, PATIENT, instance};
use crate::support::{LAMBDA, OWNERLESS, found, warnings};

/// A type of one accelerator at so many cents.
fn kind(name: &str, cents: u32) -> String {
    format!(
        "[lambda.types.{name}]\ndescription = \"1x L9\"\ngpu_description = \"L9 (24 GB)\"\n\
         cents = {cents}\nvcpus = 4\nmemory_gib = 16\nstorage_gib = 100\ngpus = 1\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_111_cents_are_no_dollars_and_zero_is_no_price() {
    let world = [
        PATIENT.to_owned(),
        kind("gpu_1x_l9", 249),
        kind("gpu_1x_free", 0),
        instance("paid", "type = \"gpu_1x_l9\"\nlaunched = \"10h\""),
        instance("zero", "type = \"gpu_1x_free\"\nlaunched = \"10h\""),
    ]
    .concat();
    let sim = LAMBDA.serve(&world).await;
    let document = LAMBDA.audit(&sim, &format!("{HURRY}{OWNERLESS}")).await.exits(0).json();
    assert_eq!(
        found(&document, "paid")["cost"]["since_start"],
        json!({"amount": "24.90", "currency": "USD"})
    );
    let zero = found(&document, "zero");
    assert_eq!((&zero["price"], &zero["cost"]), (&json!(null), &json!(null)));
    assert_eq!(document["totals"]["unpriced"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_105_lambdas_own_price_wins_and_the_difference_is_pointed_out_once() {
    let world =
        [PATIENT.to_owned(), kind("gpu_1x_a10", 199), instance("one", ""), instance("two", "")]
            .concat();
    let sim = LAMBDA.serve(&world).await;
    let document = LAMBDA.audit(&sim, &format!("{HURRY}{OWNERLESS}")).await.exits(0).json();
    assert_eq!(found(&document, "one")["price"]["hourly"]["amount"], "1.99");
    let differs = warnings(&document).into_iter().filter(|code| *code == "price-differs");
    assert_eq!(differs.count(), 1, "{}", document["warnings"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_009_a_machine_that_the_audit_log_does_not_know_has_no_age() {
    let unlogged = instance("m-1", "").replace("launched = \"9h\"\n", "");
    let sim = LAMBDA.serve(&format!("{PATIENT}{unlogged}")).await;
    let document = LAMBDA.audit(&sim, &format!("{HURRY}{OWNERLESS}")).await.exits(0).json();
    let machine = found(&document, "m-1");
    assert_eq!((&machine["verdict"], &machine["age_hours"]), (&json!("unjudged"), &json!(null)));
    assert!(machine["age_why"].is_string());
    assert_eq!(machine["cost"]["since_start"], json!(null), "no age is no sum of 0");
}
