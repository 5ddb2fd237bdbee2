//! However much there is to tell, the text keeps to its bytes, and no section goes missing.

use super::super::document::FULL;
use super::super::{markdown, markdown_within};
use crate::fixture;

const SECTIONS: [&str; 16] = [
    "## reaper: ",
    "### Waiting",
    "### Mails",
    "### Stopped in the period",
    "### New in the period",
    "### Gone in the period",
    "### Kept",
    "### Weeks",
    "### Budgets",
    "### Orphans",
    "### Left behind",
    "### Advice",
    "### Spent by owner",
    "### Bills",
    "### Scopes",
    "### Basis",
];

#[test]
fn a_fleet_of_orphans_stays_below_what_a_job_summary_may_hold() {
    let text = markdown(&fixture::littered(fixture::fleet(5_000), 5_000));
    assert!(text.len() <= FULL, "{}", text.len());
    for section in SECTIONS {
        assert!(text.contains(section), "{section}");
    }
    let cut = text.lines().find(|line| line.contains(" of 5,000 shown: the rest is in the JSON"));
    assert!(cut.is_some(), "{text}");
    // Orphans, deadlines, what was left behind, advice.
    let cuts = text.matches(" of 5,000 shown: the rest is in the JSON document.").count();
    assert_eq!(cuts, 4);
}

#[test]
fn a_comment_holds_every_section_and_says_what_it_leaves_out() {
    let text = markdown_within(&fixture::littered(fixture::fleet(5_000), 5_000), 65_536);
    assert!(text.len() <= 65_536, "{}", text.len());
    for section in SECTIONS {
        assert!(text.contains(section), "{section}");
    }
    assert!(text.contains("last complete run Sun 29 Nov 2026 09:00 CET"), "the foot is there");
}

#[test]
fn no_limit_is_too_small() {
    let doc = fixture::weekly_with_text(&"&".repeat(10_000));
    for bytes in [0, 1, 60, 500, 5_000, 50_000] {
        let text = markdown_within(&doc, bytes);
        assert!(text.len() <= bytes, "{} of {bytes}", text.len());
    }
}

#[test]
fn a_thousand_accounts_that_could_not_be_read_leave_room_for_the_rest() {
    let mut doc = fixture::weekly();
    let failed = doc.scopes[2].clone();
    doc.scopes = (0..1_000)
        .map(|number| {
            let mut scope = failed.clone();
            scope.account = format!("account-{number}").as_str().into();
            scope.why = Some("&".repeat(2_000));
            scope
        })
        .collect();
    let text = markdown(&doc);
    assert!(text.len() <= FULL && text.contains("### Orphans") && text.contains("### Basis"));
    assert!(text.contains(" of 1,000 shown: the rest is in the JSON document."));
}
