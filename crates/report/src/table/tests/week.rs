//! What a terminal shows of a week.

use super::{plain, table};
use crate::fixture;

#[test]
fn a_weekly_report_in_brief() {
    let text = table(&fixture::weekly(), &plain(100));
    let (top, rest) = text.split_once("\nACTIONS").expect("actions");
    let (_, week) = rest.split_once("\nSTOPPED").expect("stops");
    let (week, _) = week.split_once("\nBUDGETS").expect("budgets");
    insta::assert_snapshot!(format!("{top}\n…\n\nSTOPPED{week}"));
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let mut doc = fixture::weekly();
    let report = doc.report.as_mut().expect("a report");
    report.gone = vec![report.gone[0].clone(); 1_406];
    let text = table(&doc, &plain(100));
    assert!(text.contains("GONE (1406) · 10 of 1,406 shown"), "{text}");
    assert_eq!(text.matches("gone-ghost").count(), 10);
}
