//! The weekly report where people, clocks and channels do not do as they should: who gets what, what
//! was really saved, and what one recipient's trouble means for the others.

use chrono::TimeDelta;
use reaper_engine::{ChannelTopics, Reports};
use reaper_model::Class;
use reaper_model::document::{MailKind, WantedAction};
use reaper_timetable::Timetable;

use crate::build::{machine, machines, money};
use crate::house::{ALICE, House, Says as _};
use crate::letters::{Letter, Says};
use crate::loudspeaker::{Heard, Loudspeaker};

const TEAM: &str = "team@example.org";

/// A house that acts, with a weekly report on Monday at 08:00 UTC to these.
fn reporting_to(house: &mut House, to: &[&str]) {
    house.settings.reports = Some(Reports {
        timetable: Timetable::parse("0 8 * * Mon", chrono_tz::UTC).expect("an expression"),
        to: to.iter().map(|to| (*to).to_owned()).collect(),
        link: None,
    });
}

fn only_reporting(to: &[&str]) -> House {
    let mut house = House::new(machines(1));
    house.settings.policy.rules[0].action = WantedAction::Report;
    house.orders.enforces = false;
    house.orders.acts = false;
    reporting_to(&mut house, to);
    house
}

async fn at(house: &mut House, text: &str) -> reaper_engine::Ran {
    house.now = chrono::DateTime::parse_from_rfc3339(text).expect("a time").to_utc();
    house.cloud.time_passes();
    house.run().await
}

fn reports_to(house: &House, to: &str) -> Vec<Letter> {
    let letters = house.letters.got().into_iter();
    letters.filter(|letter| letter.key.starts_with("report-") && letter.to == to).collect()
}

fn recipients(ran: &reaper_engine::Ran) -> Vec<&str> {
    let mails = ran.document.mails.iter().filter(|mail| mail.kind == MailKind::Report);
    mails.map(|mail| mail.to.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn saving_when_confirmed_is_none_where_it_was_started_again_before_anybody_looked() {
    let mut house = House::due(machines(1)).await;
    house.run().await;
    // Its owner starts it again; the provider shows no new start, so that it reads as before.
    house.cloud.edit("i-1", |machine_now| *machine_now = machine("i-1"));
    house.wait("1h");
    house.run().await;
    house.orders.acts = false;
    house.orders.enforces = false;
    house.wait("19h");
    reporting_to(&mut house, &[TEAM]);
    let ran = house.run().await;
    let report = ran.document.report.as_ref().expect("due");
    assert!(report.stopped[0].running_again.is_some(), "{:?}", report.stopped);
    assert_eq!(report.stopped[0].saved, Some(money("0.00 EUR")));
}

#[tokio::test(start_paused = true)]
async fn who_has_missed_a_report_gets_the_next_over_both_weeks_and_nobody_else_does() {
    let mut house = only_reporting(&["a@example.org", "b@example.org"]);
    at(&mut house, "2026-11-02T09:00:00Z").await;
    house.letters.says("b@example.org", std::iter::repeat_n(Says::Later, 7));
    for day in 9..16 {
        at(&mut house, &format!("2026-11-{day:02}T09:00:00Z")).await;
    }
    at(&mut house, "2026-11-16T09:00:00Z").await;
    let state = house.state().await;
    let last = |to: &str| {
        let of = state.reports().filter(|(key, _)| key.to == to);
        let (_, told) = of.last().expect("told");
        (told.intent.from.to_rfc3339(), told.intent.until.to_rfc3339())
    };
    let until = "2026-11-16T09:00:00+00:00".to_owned();
    assert_eq!(last("a@example.org"), ("2026-11-09T09:00:00+00:00".to_owned(), until.clone()));
    assert_eq!(last("b@example.org"), ("2026-11-02T09:00:00+00:00".to_owned(), until));
    let letter = reports_to(&house, "b@example.org").pop().expect("a letter");
    assert!(letter.text.contains("weeks"), "{}", letter.text);
}

#[tokio::test(start_paused = true)]
async fn fl_138_a_notice_of_one_machine_does_not_take_the_place_of_the_whole_list() {
    let mut house = House::new(machines(1));
    reporting_to(&mut house, &[TEAM]);
    at(&mut house, "2026-11-28T09:00:00Z").await;
    house.cloud.add(machine("i-2"));
    let ran = at(&mut house, "2026-11-30T09:00:00Z").await;
    assert_eq!(recipients(&ran), [TEAM, ALICE], "the notice is about i-2 alone");
    let letter = reports_to(&house, ALICE).pop().expect("a report");
    assert!(letter.text.contains("notebook-i-1") && letter.text.contains("notebook-i-2"));
}

#[tokio::test(start_paused = true)]
async fn the_owner_of_a_machine_that_was_stopped_and_is_gone_is_told() {
    let mut house = House::new(machines(1));
    reporting_to(&mut house, &[TEAM]);
    at(&mut house, "2026-11-24T09:00:00Z").await;
    at(&mut house, "2026-11-28T09:00:00Z").await;
    assert_eq!(house.cloud.acts().len(), 1);
    house.cloud.remove("i-1");
    at(&mut house, "2026-11-29T09:00:00Z").await;
    let ran = at(&mut house, "2026-11-30T09:00:00Z").await;
    assert_eq!(recipients(&ran), [TEAM, ALICE]);
    let letter = reports_to(&house, ALICE).pop().expect("a report");
    assert!(letter.text.contains("Stopped since the last report (1)"), "{}", letter.text);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_was_once_ahead_silences_no_report() {
    let mut house = only_reporting(&[TEAM]);
    at(&mut house, "2026-11-02T09:00:00Z").await;
    at(&mut house, "2027-11-02T09:00:00Z").await;
    let mut reports = 0;
    for week in 1..=4 {
        house.now =
            chrono::DateTime::parse_from_rfc3339("2026-11-02T09:00:00Z").expect("a time").to_utc()
                + TimeDelta::weeks(week);
        reports += u32::from(house.run().await.document.report.is_some());
    }
    assert_eq!(reports, 4);
}

#[tokio::test(start_paused = true)]
async fn fl_128_a_run_that_the_brake_holds_has_read_everything() {
    let mut house = House::new(machines(2));
    house.settings.limits.max_actions = 0;
    reporting_to(&mut house, &[TEAM]);
    for day in 16..=30 {
        at(&mut house, &format!("2026-11-{day:02}T09:00:00Z")).await;
    }
    let ran = at(&mut house, "2026-12-07T09:00:00Z").await;
    assert!(ran.has(Class::Refused) && house.cloud.acts().is_empty());
    let last = ran.document.last_complete_run.expect("complete runs");
    assert_eq!(last.to_rfc3339(), "2026-11-30T09:00:00+00:00");
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_is_gone_is_tried_once_a_week_and_one_report_is_kept() {
    let speaker = Loudspeaker::default();
    let mut house = only_reporting(&[TEAM]);
    house.channels = vec![Box::new(speaker.clone())];
    let slack = vec!["slack".to_owned()];
    house.settings.channels = ChannelTopics { reports: slack, ..ChannelTopics::default() };
    speaker.is_closed();
    let mut undelivered = 0;
    let start = house.now;
    for hour in 0..6 {
        house.now = start + TimeDelta::hours(hour);
        undelivered += u32::from(house.run().await.has(Class::Undelivered));
    }
    assert_eq!(undelivered, 1, "it says itself that it would refuse again");
    assert_eq!(reports_to(&house, TEAM).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_recipient_that_was_taken_out() {
    let speaker = Loudspeaker::default();
    let mut house = only_reporting(&[TEAM]);
    house.channels = vec![Box::new(speaker.clone())];
    let slack = vec!["slack".to_owned()];
    house.settings.channels = ChannelTopics { reports: slack, ..ChannelTopics::default() };
    speaker.is_down_for(1);
    house.run().await;
    house.channels.clear();
    house.settings.channels = ChannelTopics::default();
    house.wait("1h");
    assert_eq!(house.run().await.document.report, None);
}

#[tokio::test(start_paused = true)]
async fn a_channel_is_told_of_what_apply_has_stopped() {
    let speaker = Loudspeaker::default();
    let mut house = House::due(machines(1)).await;
    house.channels = vec![Box::new(speaker.clone())];
    let slack = vec!["slack".to_owned()];
    house.settings.channels = ChannelTopics { stops: slack, ..ChannelTopics::default() };
    let plan = house.dry().await.plan;
    house.orders.tells = reaper_engine::Tells::STOPS;
    house.orders.mode = reaper_model::document::Mode::Apply;
    house.apply(plan).await;
    let heard: Vec<Heard> = speaker.heard().into_iter().map(|(_, heard)| heard).collect();
    assert_eq!(heard, [Heard::Stops(vec!["aws/111122223333/r-1/i-1".to_owned()])]);
}

#[tokio::test(start_paused = true)]
async fn partial_is_loud_where_a_listing_is_not_believed() {
    let mut house = House::new(machines(8));
    house.settings.policy.rules[0].action = WantedAction::Report;
    house.orders.acts = false;
    reporting_to(&mut house, &[TEAM]);
    at(&mut house, "2026-12-07T09:00:00Z").await;
    for machine in 1..=8 {
        house.cloud.remove(&format!("i-{machine}"));
    }
    let ran = at(&mut house, "2026-12-14T09:00:00Z").await;
    assert!(ran.has(Class::Incomplete));
    let letter = reports_to(&house, TEAM).pop().expect("a report");
    assert!(!letter.subject.contains("all clear"), "{}", letter.subject);
    assert!(letter.text.contains("!! "), "what was not read stands out: {}", letter.text);
}

#[tokio::test(start_paused = true)]
async fn what_we_have_terminated_ourselves_is_no_loss_of_inventory() {
    let mut house = House::new(machines(4));
    house.consents.terminate = true;
    for machine in 1..=4 {
        house.cloud.edit(&format!("i-{machine}"), |machine| {
            machine.stop.kind = reaper_model::StopKind::Terminate;
        });
    }
    reporting_to(&mut house, &[TEAM]);
    house.run().await;
    house.wait("73h");
    house.run().await;
    assert_eq!(house.cloud.acts().len(), 4);
    for machine in 1..=4 {
        house.cloud.remove(&format!("i-{machine}"));
    }
    house.wait("24h");
    let ran = house.run().await;
    assert!(!ran.has(Class::Incomplete), "{:?}", ran.document.warnings);
}

#[tokio::test(start_paused = true)]
async fn fl_138_a_notice_after_an_outage_takes_the_place_of_the_report_that_failed() {
    let mut house = House::new(machines(1));
    reporting_to(&mut house, &[TEAM]);
    house.letters.says(ALICE, [Says::Later, Says::Later]);
    at(&mut house, "2026-11-30T09:00:00Z").await;
    at(&mut house, "2026-11-30T10:00:00Z").await;
    let before = house.letters.to().iter().filter(|to| *to == ALICE).count();
    at(&mut house, "2026-11-30T11:00:00Z").await;
    let ran = at(&mut house, "2026-11-30T12:00:00Z").await;
    let after = house.letters.to().iter().filter(|to| *to == ALICE).count();
    assert_eq!(ran.document.report, None);
    assert!(after - before <= 1, "{:?}", house.letters.to());
}

#[tokio::test(start_paused = true)]
async fn a_run_of_some_accounts_says_that_the_report_waits() {
    let mut house = only_reporting(&[TEAM]);
    house.settings.all_accounts = false;
    let ran = house.run().await;
    assert_eq!(ran.document.report, None);
    assert_eq!(ran.warnings("report-waits").len(), 1);
    house.settings.all_accounts = true;
    house.wait("1h");
    assert!(house.run().await.document.report.is_some());
}
