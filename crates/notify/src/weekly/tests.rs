//! The weekly mail as a whole: what it reads like, its limits, and what hostile texts come to.

mod hostile;
mod looks;

use reaper_model::document::ScopeStatus;

use super::fixture::{self, digest, to_owner};
use super::{Weekly, owners};
use crate::Mail;
use crate::address::Address;
use crate::field::COLUMNS;
use crate::frame::MOST_HTML;

fn mail(weekly: &Weekly<'_>) -> Mail {
    weekly.mail().expect("renders")
}

fn address(text: &str) -> Address {
    text.parse().expect("an address")
}

/// A week in which not a single place could be read.
fn blind() -> reaper_model::AuditDocument {
    let mut doc = fixture::nothing();
    for scope in &mut doc.scopes {
        scope.status = ScopeStatus::Failed;
        scope.why = Some("connection refused".to_owned());
    }
    doc.instances.clear();
    doc.totals = reaper_model::document::TotalsView::default();
    doc
}

#[test]
fn the_mails_read_like_this() {
    let snapshot = |name: &str, mail: &Mail| {
        insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("{name}.txt"), mail.text);
            insta::assert_snapshot!(format!("{name}.html"), mail.html);
        });
    };
    let doc = fixture::weekly();
    snapshot("digest", &mail(&digest(&doc)));
    snapshot("owner", &mail(&to_owner(&doc, &address("alice@example.org"))));
    snapshot("all_clear", &mail(&digest(&fixture::nothing())));
    snapshot("nothing_read", &mail(&digest(&blind())));
    snapshot("joined_weeks", &mail(&digest(&fixture::joined())));
}

#[test]
fn fl_135_each_owner_reads_of_their_own_and_of_nobody_elses_name() {
    let doc = fixture::weekly();
    let people = ["alice", "bob", "carol", "dave"];
    for owner in owners(&doc) {
        let mail = mail(&to_owner(&doc, &owner));
        let local = owner.folded().split('@').next().expect("a name").to_owned();
        for person in people.iter().filter(|person| **person != local) {
            for part in [&mail.subject, &mail.text, &mail.html] {
                let part = part.to_lowercase();
                // The machine of bob's is called after him.
                assert!(!part.contains(person), "{owner}: {person}: {part}");
            }
        }
        assert_eq!(mail.to, owner);
        assert!(mail.images.is_empty() && !mail.text.contains("--- Budgets"));
    }
}

#[test]
fn the_plain_part_stands_alone_in_its_columns() {
    for doc in [fixture::weekly(), fixture::joined(), fixture::nothing(), blind()] {
        let text = mail(&digest(&doc)).text;
        for line in text.lines().filter(|line| line.chars().count() > COLUMNS) {
            // Commands are copied whole.
            assert!(line.starts_with("    reaper keep ") || line.starts_with("    aws "), "{line}");
        }
        assert!(!text.contains("\n\n\n") && text.ends_with("…\n"), "{text}");
    }
}

#[test]
fn fl_106_every_amount_has_its_code_and_no_sign_stands_for_one() {
    let Mail { text, html, .. } = mail(&digest(&fixture::weekly()));
    for part in [text, html] {
        assert!(!part.contains(['$', '€']), "{part}");
        for (at, _) in part.match_indices(".00 ").chain(part.match_indices(".70 ")) {
            let code = &part[at + 4..at + 7];
            assert!(["EUR", "USD"].contains(&code), "{}", &part[at..at + 20]);
        }
    }
}

#[test]
fn five_thousand_orphans_stay_below_the_limit_with_totals_over_all_and_the_rest_attached() {
    let mut doc = fixture::weekly();
    let orphan = doc.instances[2].clone();
    doc.instances.extend((0..5_000).map(|index| {
        let mut machine = orphan.clone();
        machine.native_id = format!("m-{index}");
        machine.id = format!("lambda/ssh-key:ops-2026/us-west-1/m-{index}");
        machine
    }));
    let clock = tokio::time::Instant::now();
    let mail = mail(&digest(&doc));
    let took = clock.elapsed();
    // Unoptimised, on a machine that may have other things to do.
    assert!(took < std::time::Duration::from_secs(30), "{took:?}");
    assert!(mail.html.len() <= MOST_HTML, "{}", mail.html.len());
    assert!(mail.text.len() <= MOST_HTML, "{}", mail.text.len());
    for part in [&mail.text, &mail.html] {
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(part.contains("25 of 5,001 shown; all are in the attached machines.csv."));
        // 5,001 machines of 2,401.70 USD.
        assert!(part.contains("12,010,901.70 USD a month if left"), "{part}");
    }
    let list = mail.attachment.expect("a list");
    assert_eq!(list.csv.lines().count(), 1 + doc.instances.len());
    println!("{} bytes of HTML in {took:?}", mail.html.len());
}

#[test]
fn five_thousand_leftovers_and_pieces_of_advice_stay_below_the_limit() {
    let doc = fixture::littered(5_000);
    let mail = mail(&digest(&doc));
    assert!(mail.html.len() <= MOST_HTML, "{}", mail.html.len());
    assert!(mail.text.len() <= MOST_HTML, "{}", mail.text.len());
    for part in [&mail.text, &mail.html] {
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(part.contains("Left behind (5,000)"), "{part}");
        assert!(part.contains("950,000.00 EUR a month."), "{part}");
        assert!(part.contains("5 of 5,000 shown"), "{part}");
    }
    let reduced = mail.reduced("it is large").expect("a reduced form");
    assert!(reduced.html.contains("3 of 5,000 shown"), "{}", reduced.html);
}

#[test]
fn an_owner_with_a_long_list_gets_their_own_machines_attached() {
    let mut doc = fixture::weekly();
    let own = doc.instances[2].clone();
    doc.instances.extend((0..40).map(|index| {
        let mut machine = own.clone();
        machine.id = format!("lambda/ssh-key:ops-2026/us-west-1/m-{index}");
        machine
    }));
    let mail = mail(&to_owner(&doc, &address("alice@example.org")));
    let list = mail.attachment.expect("a list").csv;
    assert_eq!(list.lines().count(), 1 + 42);
    assert!(!list.contains("bob") && !list.contains("carol"), "{list}");
}

#[test]
fn nothing_is_attached_where_all_is_shown() {
    assert_eq!(mail(&digest(&fixture::weekly())).attachment, None);
}

#[test]
fn the_present_state_has_no_week_and_no_empty_lists() {
    let mut doc = fixture::weekly();
    doc.report = None;
    let mail = mail(&digest(&doc));
    assert!(mail.text.contains("This is the present state") && mail.images.is_empty());
    for absent in ["since the last report", "Kept by exception", "Spent by week"] {
        assert!(!mail.text.contains(absent) && !mail.html.contains(absent), "{absent}");
    }
    assert!(mail.html.contains("Will be stopped (3)"));
}

#[test]
fn without_the_picture_its_figures_stand_in_words() {
    let doc = fixture::weekly();
    let reduced = mail(&digest(&doc)).reduced("it is large").expect("a reduced form");
    let html = reduced.html;
    assert!(!html.contains("<img") && !html.contains("cid:"));
    assert!(html.contains("Spent by week, oldest first: at least 612.40 EUR to 12 Oct,"));
}

#[test]
fn an_older_document_is_told_by_its_own_time() {
    let doc = fixture::weekly();
    let at = fixture::time("2026-12-30T08:00:00+01:00").to_utc();
    let later = mail(&Weekly { at, ..digest(&doc) });
    let then = mail(&digest(&doc));
    assert_eq!((later.at, &later.subject), (at, &then.subject));
    // Only the day up to which a command keeps a machine is another.
    let told = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("    "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told(&later.text), told(&then.text));
    for false_then in ["days ago", "the month is over", "its notice ended"] {
        assert!(!later.text.contains(false_then), "{false_then}");
    }
}

#[test]
fn a_link_to_the_run_is_one_of_the_web_or_none() {
    let doc = fixture::weekly();
    let with = |link: &str| {
        let link = link.parse().expect("a link");
        mail(&Weekly { link: Some(&link), ..digest(&doc) })
    };
    let mail = with("https://ci.example.org/runs/7?a=1&b=%22");
    assert!(mail.html.contains("<a href=\"https://ci.example.org/runs/7?a=1&#38;b=%22\""));
    assert!(mail.text.ends_with("Run: https://ci.example.org/runs/7?a=1&b=%22\n"));
    assert!(!with("javascript:alert(1)").html.contains("href"));
}

#[test]
fn the_reduced_form_says_why_and_is_shorter() {
    let doc = fixture::weekly();
    let mail = mail(&digest(&doc));
    let reduced = mail.reduced("the server said <no>").expect("a reduced form");
    assert!(reduced.images.is_empty() && reduced.attachment.is_none() && reduced.reduced.is_none());
    assert!(reduced.html.contains("because the server said &lt;no&gt;. It shows"));
    assert!(reduced.text.contains("because\nthe server said <no>.\nIt shows fewer machines"));
    assert_eq!((&reduced.key, &reduced.subject), (&mail.key, &mail.subject));
    for part in [&reduced.text, &reduced.html, &mail.text, &mail.html] {
        assert!(!part.contains('\u{1}'));
    }
}
