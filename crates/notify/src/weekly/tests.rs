//! The weekly mail as a whole: what it reads like, its limits, and what hostile texts come to.

use super::Weekly;
use super::fixture::{self, digest};
use crate::Mail;

fn mail(weekly: &Weekly<'_>) -> Mail {
    weekly.mail().expect("renders")
}

#[test]
fn all_weekly_mails_of_a_month_to_a_reader_refer_to_its_root() {
    let doc = fixture::weekly();
    let weekly = digest(&doc);
    let mail = mail(&weekly);
    assert_eq!((&mail.key, mail.references.as_ref()), (&weekly.key, Some(&weekly.thread)));
}
