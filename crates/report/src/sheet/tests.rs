//! What stands in the sheet, and what no text from outside can do to it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use reaper_model::AuditDocument;

use super::csv;
use crate::fixture;

fn written(doc: &AuditDocument) -> String {
    let mut out = Vec::new();
    csv(doc, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// Column → cell, row by row.
fn rows(doc: &AuditDocument) -> Vec<BTreeMap<String, String>> {
    let text = written(doc);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("as many cells as columns")).collect()
}

#[test]
fn fl_139_a_row_has_everything_that_names_a_machine_and_its_fate() {
    let rows = rows(&fixture::weekly());
    let shown = rows[1].iter().filter(|(_, cell)| !cell.is_empty());
    let lines: Vec<String> = shown.map(|(name, cell)| format!("{name} = {cell}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_columns_keep_their_names_and_order() {
    let text = written(&fixture::mixed());
    let header = text.lines().next().expect("a header");
    insta::assert_snapshot!(header.replace(',', "\n"));
}

#[test]
fn money_is_honest_what_is_not_known_is_empty_and_never_0() {
    let rows = rows(&fixture::mixed());
    let unpriced = &rows[5];
    for column in ["hourly", "so_far", "per_day", "per_month", "saves_per_month"] {
        assert_eq!(unpriced[column], "", "{column}");
    }
    let off = &rows[4];
    assert_eq!((off["per_month"].as_str(), off["billing"].as_str()), ("", "not-billed"));
    assert_eq!(off["still_charged_per_month"], "40.00");
    // A part of what stays has no price: the sum would be a lie.
    assert_eq!(rows[0]["still_charged_per_month"], "");
    assert_eq!((rows[3]["hourly"].as_str(), rows[3]["hourly_currency"].as_str()), ("3.29", "USD"));
}

#[test]
fn fl_097_use_is_empty_where_nobody_asked_and_unknown_where_nobody_could_tell() {
    let rows = rows(&fixture::mixed());
    let used: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| (row["use"].as_str(), row["use_cause"].as_str(), row["use_peak"].as_str()))
        .collect();
    assert_eq!((used[0], used[3]), (("idle", "held", "1.5%"), ("idle", "empty", "1.5%")));
    assert_eq!(
        (used[6], used[8], used[9]),
        (("", "", ""), ("unknown", "", ""), ("busy", "", "96.0%"))
    );
    assert_eq!(rows[8]["use_coverage"], "12%");
    assert!(rows[8]["use_evidence"].starts_with("use unknown: no samples since 14:00"));
    assert_eq!(
        (rows[8]["advice_saves_per_month"].as_str(), rows[8]["advice_saves_currency"].as_str()),
        ("8760.00", "EUR")
    );
    assert!(rows[8]["advice"].starts_with("oversized, confidence high: mean use 9 %"));
    assert_eq!(rows[0]["advice_saves_per_month"], "");
}

#[test]
fn fl_147_no_cell_of_others_is_a_formula() {
    for text in ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"] {
        for row in rows(&fixture::weekly_with_text(text)) {
            for (column, cell) in &row {
                assert!(
                    !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '＝']),
                    "{column}: {cell}"
                );
            }
            assert!(row["name"].starts_with(['\'', '⟨']), "{}", row["name"]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fl_147_any_text_stays_in_its_cell_and_on_its_line(text in fixture::any_text()) {
        let doc = fixture::weekly_with_text(&text);
        let written = written(&doc);
        prop_assert_eq!(written.lines().count(), doc.instances.len() + 1);
        prop_assert!(!written.contains(|c: char| c.is_control() && c != '\n' && c != '\r'));
        prop_assert_eq!(rows(&doc).len(), doc.instances.len());
    }
}

#[test]
fn five_thousand_machines_are_all_there() {
    let text = written(&fixture::fleet(5_000));
    assert_eq!(text.matches("\r\n").count(), 5_001);
    assert!(text.len() < 6_000_000, "{}", text.len());
}
