//! What the Markdown tells of a week.

use super::super::markdown;
use crate::fixture;

#[test]
fn a_weekly_report() {
    let text = markdown(&fixture::weekly());
    let (top, rest) = text.split_once("### Actions").expect("actions");
    let (_, week) = rest.split_once("### Stopped").expect("stops");
    let (week, _) = week.split_once("### Budgets").expect("budgets");
    insta::assert_snapshot!(format!("{top}…\n\n### Stopped{week}"));
}

#[test]
fn fl_128_the_first_lines_say_how_long_nothing_was_read_in_full() {
    let mut doc = fixture::weekly();
    doc.last_complete_run = Some(fixture::time("2026-11-18T08:00:00+01:00"));
    let text = markdown(&doc);
    let top: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        top,
        [
            "> [!CAUTION]",
            "> **THE LAST COMPLETE RUN WAS 12 DAYS AGO**",
            "> - Wed 18 Nov 2026 08:00 CET: is the schedule still alive? Costs count from launch times, the gap included."
        ]
    );
}
