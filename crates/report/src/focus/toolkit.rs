//! `focus-data-toolkit`, which others wrote, reads the file against the model of FOCUS 1.4: what our
//! own tests alone find good would prove nothing.

use std::process::{Command, Output, Stdio};

use super::charges::month;
use super::tests::written;
use crate::fixture;

/// What providers of machines at published prices have to fill in besides.
const CONDITIONS: [&str; 4] =
    ["--supports", "SupportsUnitPricing", "--supports", "SupportsMultiplePricingCategories"];

fn validated(file: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("focus.csv");
    std::fs::write(&path, file).expect("a file");
    Command::new(python())
        .args(["-B", "-m", "focus_data_toolkit", "validate", "--dataset", "cost-and-usage"])
        .args(CONDITIONS)
        .arg(&path)
        .env_clear()
        .env("HOME", folder.path())
        // The reader is told UTF-8, the complaint would be in whatever the locale says.
        .env("PYTHONIOENCODING", "utf-8")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("Python starts")
}

#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
fn python() -> String {
    std::env::var("REAPER_TEST_PYTHON")
        .unwrap_or_else(|_| panic!("REAPER_TEST_PYTHON is not set: run the tests with tests/run"))
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_toolkit_finds_every_shape_of_a_month_valid() {
    for doc in [fixture::mixed(), fixture::nasty(), fixture::nothing_found()] {
        let output = validated(&written(&doc, &month()).0);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(said(&output).contains("STRUCTURAL_VALID, SEMANTIC_VALID"), "{}", said(&output));
    }
}

#[test]
fn the_toolkit_finds_what_is_broken() {
    let (good, _) = written(&fixture::mixed(), &month());
    let broken = [
        ("BillingCurrency", "x_BillingCurrency", "missing_mandatory_column"),
        ("SkuMeter", "Meter", "unknown_column"),
        (",EUR,", ",EURO,", "bad_currency"),
        (",Usage,", ",Use,", "not_in_allowed_values"),
        (",Recurring,", ",Usage-Based,", "usage_based_frequency_on_purchase"),
        ("T00:00:00Z", "T00:00:00+00:00", "bad_datetime"),
        ("84,84,84,84,EUR", "84,84,84,85,EUR", "cost_not_unit_price_times_quantity"),
        ("84,84,84,84,EUR", ",84,84,84,EUR", "null_not_allowed"),
        (r#"{""project"":"#, r#"{""project"","#, "bad_json"),
        (",Hours,Standard,", ",,Standard,", "quantity_without_unit"),
    ];
    for (right, wrong, rule) in broken {
        assert!(good.contains(right), "{right}");
        let output = validated(&good.replace(right, wrong));
        assert_eq!(output.status.code(), Some(1), "{wrong}: {}", said(&output));
        assert!(said(&output).contains(rule), "{wrong}: {}", said(&output));
    }
}
