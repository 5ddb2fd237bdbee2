//! The weekly report in whole runs: due by the clock and the log alone, once to each, with periods
//! that join, whatever the runs and the mail server do.

use std::pin::pin;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_engine::{ChannelTopics, Reports, RunError};
use reaper_ledger::state::Step;
use reaper_ledger::{Entry, ReportIntent, ReportKey};
use reaper_model::document::{MailKind, MailStatus, ReportView, WantedAction};
use reaper_model::{Class, Instance};
use reaper_timetable::Timetable;

use crate::build::{id, machine, machines, money, tags};
use crate::house::{ALICE, FALLBACK, House, Says as _, killed_after, until};
use crate::letters::{Letter, Says};
use crate::loudspeaker::{Heard, Loudspeaker};

const TEAM: &str = "team@example.org";
const MANY: usize = 20_000;

/// A house that only reports, weekly, to the team; its one machine is nobody's.
fn house(zone: Tz) -> House {
    house_of(vec![nobodys("i-1")], zone)
}

/// The same with these machines.
fn house_of(machines: Vec<Instance>, zone: Tz) -> House {
    let mut house = House::new(machines);
    house.settings.policy.rules[0].action = WantedAction::Report;
    house.orders.enforces = false;
    house.orders.acts = false;
    house.settings.zone = zone;
    house.settings.routing.fallback = None;
    report_to(&mut house, zone, &[TEAM]);
    house
}

fn report_to(house: &mut House, zone: Tz, to: &[&str]) {
    house.settings.reports = Some(Reports {
        timetable: Timetable::parse("0 8 * * Mon", zone).expect("an expression"),
        to: to.iter().map(|to| (*to).to_owned()).collect(),
        link: None,
    });
}

fn nobodys(native: &str) -> Instance {
    let mut machine = machine(native);
    machine.tags = tags(&[]);
    machine
}

fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
}

fn reports(house: &House) -> Vec<Letter> {
    let letters = house.letters.got().into_iter();
    letters.filter(|letter| letter.key.starts_with("report-")).collect()
}

async fn at(house: &mut House, text: &str) -> reaper_engine::Ran {
    house.now = time(text);
    house.run().await
}

fn view(ran: &reaper_engine::Ran) -> &ReportView {
    ran.document.report.as_ref().expect("a report is due")
}

/// All reports in the log: due time, recipient, period, step.
async fn told(house: &House) -> Vec<(ReportKey, ReportIntent, Step)> {
    let state = house.state().await;
    state
        .reports()
        .map(|(key, told)| (key.clone(), told.intent.clone(), told.step.clone()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn fl_127_the_first_run_at_or_after_the_due_time_sends_the_report_and_no_other_does() {
    let mut house = house(chrono_tz::UTC);
    at(&mut house, "2026-11-23T09:00:00Z").await;
    assert_eq!(reports(&house).len(), 1, "the first run of all");
    for early in ["2026-11-24T09:00:00Z", "2026-11-30T07:59:59Z"] {
        let ran = at(&mut house, early).await;
        assert_eq!(ran.document.report, None, "{early}");
    }
    // Monday 14:54 instead of 08:00, and once more on Monday, and on Tuesday.
    let ran = at(&mut house, "2026-11-30T14:54:00Z").await;
    let report = view(&ran);
    assert_eq!(report.due_at.to_rfc3339(), "2026-11-30T08:00:00+00:00");
    assert_eq!(report.from.to_rfc3339(), "2026-11-23T09:00:00+00:00");
    assert_eq!(report.until.to_rfc3339(), "2026-11-30T14:54:00+00:00");
    assert_eq!((report.covers, report.first), (1, false));
    for again in ["2026-11-30T15:00:00Z", "2026-12-01T08:00:00Z"] {
        assert_eq!(at(&mut house, again).await.document.report, None, "{again}");
    }
    assert_eq!(reports(&house).len(), 2);
    let ran = at(&mut house, "2026-12-08T03:00:00Z").await;
    assert_eq!(view(&ran).due_at.to_rfc3339(), "2026-12-07T08:00:00+00:00", "only Tuesday");
}

#[tokio::test(start_paused = true)]
async fn fl_127_a_week_that_was_missed_is_covered_by_the_next_report_which_says_so() {
    let mut house = house(chrono_tz::UTC);
    at(&mut house, "2026-11-09T08:00:00Z").await;
    let ran = at(&mut house, "2026-11-30T08:30:00Z").await;
    let report = view(&ran);
    assert_eq!(report.covers, 3);
    assert_eq!(report.from.to_rfc3339(), "2026-11-09T08:00:00+00:00");
    let letter = &reports(&house)[1];
    assert!(letter.text.contains("weeks"), "{}", letter.text);
    assert!(letter.text.contains("16 Nov"), "{}", letter.text);
}

#[tokio::test(start_paused = true)]
async fn fl_125_the_night_with_an_hour_twice_has_one_report() {
    let mut house = house(chrono_tz::Europe::Paris);
    house.settings.reports.as_mut().expect("reports").timetable =
        Timetable::parse("30 2 * * Sun", chrono_tz::Europe::Paris).expect("an expression");
    at(&mut house, "2026-10-20T00:00:00Z").await;
    let before = reports(&house).len();
    // 01:00 to 03:00 in Paris: three hours on that night.
    house.now = time("2026-10-24T23:00:00Z");
    while house.now <= time("2026-10-25T02:00:00Z") {
        house.run().await;
        house.now += TimeDelta::minutes(10);
    }
    assert_eq!(reports(&house).len() - before, 1);
    let last = told(&house).await.pop().expect("a report");
    assert_eq!(last.0.due, time("2026-10-25T00:30:00Z"), "the first 02:30");
}

#[tokio::test(start_paused = true)]
async fn fl_130_monday_is_monday_in_the_zone_of_the_schedule() {
    let mut house = house(chrono_tz::Asia::Tokyo);
    at(&mut house, "2026-11-25T00:00:00Z").await;
    assert_eq!(at(&mut house, "2026-11-29T22:59:00Z").await.document.report, None);
    let ran = at(&mut house, "2026-11-29T23:00:00Z").await;
    assert_eq!(view(&ran).due_at.to_rfc3339(), "2026-11-30T08:00:00+09:00");
}

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[tokio::test(start_paused = true)]
async fn a_year_of_mondays_has_one_report_a_week_and_its_periods_join() {
    for (seed, zone) in [(1, chrono_tz::Europe::Paris), (2, chrono_tz::America::New_York)] {
        let mut chance = Chance(seed);
        let mut house = house(zone);
        let mut day = time("2026-01-01T00:00:00Z");
        let mut delivered_in = Vec::new();
        let end = time("2027-01-08T00:00:00Z");
        while day < end {
            // Most days have a run, some two within a minute, some none, now and then for weeks.
            if chance.below(40) == 0 {
                day += TimeDelta::days(i64::try_from(chance.below(20)).expect("small"));
            }
            let minute = i64::try_from(chance.below(24 * 60)).expect("small");
            for run in 0..[1, 1, 1, 0, 2][usize::try_from(chance.below(5)).expect("small")] {
                if chance.below(6) == 0 {
                    house.letters.says(TEAM, [Says::Later]);
                }
                house.now = day + TimeDelta::minutes(minute + run);
                let ran = house.run().await;
                let taken = |mail: &&reaper_model::document::MailView| {
                    mail.kind == MailKind::Report && mail.status == MailStatus::Accepted
                };
                if let Some(report) = ran.document.mails.iter().find(taken).and(ran.document.report)
                {
                    delivered_in.push((report, house.now));
                }
            }
            day += TimeDelta::days(1);
        }
        let timetable = house.settings.reports.as_ref().expect("reports").timetable.clone();
        assert!(delivered_in.len() > 25, "seed {seed}: only {}", delivered_in.len());
        let mut covered = 0;
        for (place, (report, sent_at)) in delivered_in.iter().enumerate() {
            let newest = timetable.last_at_or_before(*sent_at).expect("a Monday");
            assert_eq!(report.due_at.to_utc(), newest, "seed {seed}: the last Monday's");
            assert!(report.until.to_utc() <= *sent_at);
            covered += report.covers;
            if let Some((next, _)) = delivered_in.get(place + 1) {
                assert_eq!(next.from, report.until, "seed {seed}: periods join");
                assert!(next.due_at > report.due_at, "seed {seed}: one report a week");
            }
        }
        let (first, last) = (&delivered_in[0].0, &delivered_in[delivered_in.len() - 1].0);
        let mondays = timetable.between(first.due_at.to_utc(), last.due_at.to_utc()) + 1;
        let covered = usize::try_from(covered).expect("small");
        assert!((mondays..=mondays + 1).contains(&covered), "{mondays} Mondays, {covered} covered");
        // As many mails as reports and refusals: none came twice.
        let accepted = told(&house).await;
        let accepted = accepted.iter().filter(|(.., step)| *step == Step::Accepted).count();
        assert_eq!(accepted, delivered_in.len(), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_136_who_was_refused_is_tried_again_and_nobody_else() {
    let mut house = house(chrono_tz::UTC);
    report_to(&mut house, chrono_tz::UTC, &["a@example.org", "b@example.org", "c@example.org"]);
    house.letters.says("b@example.org", [Says::Later]);
    house.letters.says("c@example.org", [Says::Nobody]);
    let ran = house.run().await;
    assert!(ran.has(Class::Undelivered));
    let first = view(&ran).clone();
    house.wait("2h");
    let ran = house.run().await;
    let again = view(&ran);
    assert_eq!((again.from, again.until), (first.from, first.until), "the same report");
    assert_eq!(
        house.letters.to(),
        ["a@example.org", "b@example.org", "c@example.org", "b@example.org"]
    );
    house.wait("2h");
    assert_eq!(house.run().await.document.report, None);
}

#[tokio::test(start_paused = true)]
async fn a_report_that_nobody_got_is_covered_by_the_next() {
    let mut house = house(chrono_tz::UTC);
    at(&mut house, "2026-11-16T08:00:00Z").await;
    house.letters.says(TEAM, [Says::NotYou, Says::NotYou]);
    at(&mut house, "2026-11-23T08:00:00Z").await;
    at(&mut house, "2026-11-24T08:00:00Z").await;
    let ran = at(&mut house, "2026-11-30T08:00:00Z").await;
    assert_eq!(view(&ran).covers, 2);
    assert_eq!(view(&ran).from.to_rfc3339(), "2026-11-16T08:00:00+00:00");
}

#[tokio::test(start_paused = true)]
async fn fl_119_what_was_perhaps_sent_is_not_sent_again_that_week() {
    let mut house = house(chrono_tz::UTC);
    house.letters.says(TEAM, [Says::Perhaps]);
    house.run().await;
    house.wait("2h");
    house.run().await;
    assert_eq!(reports(&house).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_report_wherever_a_run_is_killed() {
    for polls in 0..MANY {
        let mut house = house(chrono_tz::UTC);
        let ended = killed_after(house.attempt(), polls).await;
        house.wait("12h");
        house.run().await;
        house.wait("1h");
        house.run().await;
        let reports = reports(&house);
        assert!((1..=2).contains(&reports.len()), "killed after {polls} polls: {reports:?}");
        for report in &reports {
            assert!(report.intended, "killed after {polls} polls: sent without an intent");
            assert_eq!(report.key, reports[0].key, "a second copy is known as one");
        }
        if ended {
            assert_eq!(reports.len(), 1);
            return;
        }
    }
    panic!("no run came to its end");
}

#[tokio::test(start_paused = true)]
async fn fl_132_two_runners_send_one_report() {
    let mut house = house(chrono_tz::UTC);
    house.letters.says(TEAM, [Says::Nothing]);
    {
        let mut first = pin!(house.attempt());
        until(first.as_mut(), || !reports(&house).is_empty()).await;
        assert!(matches!(house.attempt().await, Err(RunError::Locked(_))));
    }
    house.wait("12h");
    house.run().await;
    house.run().await;
    let keys: Vec<String> = reports(&house).into_iter().map(|letter| letter.key).collect();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]), "the silent one, and its second try");
}

#[tokio::test(start_paused = true)]
async fn dry_is_dry_also_for_reports() {
    let mut house = house(chrono_tz::UTC);
    house.run().await;
    house.wait("7d");
    let before = house.state().await;
    let ran = house.dry().await;
    let mail = ran.document.mails.iter().find(|mail| mail.kind == MailKind::Report);
    assert_eq!(mail.map(|mail| mail.status), Some(MailStatus::Due));
    assert_eq!(house.state().await, before);
    assert_eq!(reports(&house).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn fl_135_owners_get_their_own_rows_and_the_team_gets_all() {
    let owned = [("i-1", "alice"), ("i-2", "Alice"), ("i-3", "bob"), ("i-4", "alice")];
    let machines = owned.map(|(native, owner)| {
        let mut machine = machine(native);
        machine.tags = tags(&[("owner", owner)]);
        machine
    });
    let mut house = house_of(machines.to_vec(), chrono_tz::UTC);
    // The notices go out now, and the reminders after the report of the week after.
    house.run().await;
    house.wait("7d");
    house.settings.routing.remind_every = crate::build::span("30d");
    let ran = house.run().await;
    let mails: Vec<(&str, &str)> = ran
        .document
        .mails
        .iter()
        .filter(|mail| mail.kind == MailKind::Report)
        .map(|mail| (mail.to.as_str(), mail.status.name()))
        .collect();
    let all = [(TEAM, "accepted"), (ALICE, "accepted"), ("bob@example.org", "accepted")];
    assert_eq!(mails, all);
    let letters = reports(&house);
    let of = |to: &str| &letters.iter().rfind(|letter| letter.to == to).expect("a letter").text;
    assert!(of(ALICE).contains("notebook-i-2") && !of(ALICE).contains("notebook-i-3"));
    assert!(!of(ALICE).contains("bob"), "{}", of(ALICE));
    assert!(of("bob@example.org").contains("notebook-i-3"));
    assert!(!of("bob@example.org").contains("notebook-i-1"));
    for native in ["i-1", "i-2", "i-3", "i-4"] {
        assert!(of(TEAM).contains(&format!("notebook-{native}")), "{}", of(TEAM));
    }
}

#[tokio::test(start_paused = true)]
async fn fl_138_whoever_gets_a_notice_in_this_run_gets_no_second_mail() {
    let mut house = House::new(machines(2));
    report_to(&mut house, chrono_tz::UTC, &[TEAM]);
    house.run().await;
    let to = house.letters.to();
    assert_eq!(to.iter().filter(|to| *to == ALICE).count(), 1, "{to:?}");
    assert_eq!(to.iter().filter(|to| *to == TEAM).count(), 1, "{to:?}");
}

#[tokio::test(start_paused = true)]
async fn fl_149_a_report_without_findings_says_what_was_looked_at() {
    let mut house = house(chrono_tz::UTC);
    house.settings.policy.rules.clear();
    house.run().await;
    let letters = reports(&house);
    assert_eq!(letters.len(), 1);
    assert!(letters[0].subject.contains("all clear"), "{}", letters[0].subject);
    assert!(letters[0].text.contains("1 machine"), "{}", letters[0].text);
}

#[tokio::test(start_paused = true)]
async fn what_came_went_was_kept_and_stopped_is_told_with_the_money() {
    let mut house = House::due(machines(2)).await;
    report_to(&mut house, chrono_tz::UTC, &[TEAM]);
    let ran = house.run().await;
    assert_eq!(ran.planned(), ["i-1", "i-2"]);
    assert_eq!(view(&ran).stopped.len(), 2);
    house.wait("1h");
    house.cloud.add(nobodys("i-9"));
    house.cloud.remove("i-2");
    house.run().await;
    house
        .record(vec![Entry::Exempted {
            id: id("i-9"),
            until: house.now + TimeDelta::days(30),
            reason: "a demo".to_owned(),
            by: "carol".to_owned(),
        }])
        .await;
    // The next Monday; the stopped machine is still off.
    house.now = time("2026-12-07T09:00:00Z");
    let ran = house.run().await;
    let report = view(&ran);
    let ids = |views: &[reaper_model::document::ChangeView]| {
        views.iter().map(|view| view.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&report.new), ["aws/111122223333/r-1/i-9"]);
    assert_eq!(ids(&report.gone), ["aws/111122223333/r-1/i-2"]);
    assert_eq!(report.kept.len(), 1);
    assert!(report.kept[0].new && report.kept[0].why.contains("a demo"), "{:?}", report.kept);
    assert_eq!(report.stopped, [], "those of the week before");
    // The log begins a week before; when the one that is gone has ended nobody knows.
    let [week] = report.trend.as_slice() else { panic!("{:?}", report.trend) };
    assert_eq!((week.machines, week.at_least, week.spent.len()), (3, true, 1));
}

#[tokio::test(start_paused = true)]
async fn saving_when_confirmed_is_what_the_machine_would_have_cost_since() {
    let mut house = House::due(machines(1)).await;
    house.run().await;
    house.wait("20h");
    report_to(&mut house, chrono_tz::UTC, &[TEAM]);
    let ran = house.run().await;
    let report = view(&ran);
    assert_eq!(report.stopped.len(), 1);
    let saved = report.stopped[0].saved.expect("a price is known");
    // 3.50 EUR an hour for twenty hours, less the seconds until it was confirmed.
    assert!(
        saved.amount > money("69.90 EUR").amount && saved.amount <= money("70 EUR").amount,
        "{saved}"
    );
    assert_eq!(report.saved, [saved]);
    assert_eq!(report.stopped[0].rule.as_deref(), Some("forgotten"));
}

#[tokio::test(start_paused = true)]
async fn channels_are_told_once_and_those_that_are_down_again() {
    let speaker = Loudspeaker::default();
    let mut house = House::new(machines(1));
    let slack = vec!["slack".to_owned()];
    house.channels = vec![Box::new(speaker.clone())];
    house.settings.channels =
        ChannelTopics { reports: slack.clone(), alerts: slack.clone(), stops: slack };
    report_to(&mut house, chrono_tz::UTC, &[TEAM]);
    speaker.is_down_for(1);
    let ran = house.run().await;
    assert!(ran.has(Class::Undelivered));
    assert_eq!(reports(&house).len(), 1, "mail goes on");
    assert_eq!(speaker.heard(), []);
    house.wait("73h");
    speaker.is_down_for(1);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts().len(), 1);
    assert!(ran.has(Class::Undelivered));
    house.wait("1h");
    house.run().await;
    house.wait("1h");
    house.run().await;
    let heard: Vec<Heard> = speaker.heard().into_iter().map(|(_, heard)| heard).collect();
    let stop = Heard::Stops(vec!["aws/111122223333/r-1/i-1".to_owned()]);
    assert_eq!(heard, [Heard::Report, stop]);
    assert_eq!(reports(&house).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn fl_146_the_report_is_kept_before_it_is_sent() {
    let house = house(chrono_tz::UTC);
    house.letters.says(TEAM, [Says::Later]);
    let ran = house.run().await;
    let (object, json) =
        house.store().newest_archived().await.expect("readable").expect("something is kept");
    assert!(object.starts_with("reports/"), "{object}");
    let kept: reaper_model::AuditDocument = serde_json::from_slice(&json).expect("a document");
    assert_eq!(kept.report, ran.document.report);
    assert_eq!(kept.instances, ran.document.instances);
}

#[tokio::test(start_paused = true)]
async fn an_owner_elsewhere_is_not_written_to() {
    let mut foreign = machine("i-1");
    foreign.tags = tags(&[("owner", "mallory@example.net")]);
    let mut house = house_of(vec![foreign], chrono_tz::UTC);
    house.settings.routing.fallback = Some(FALLBACK.to_owned());
    house.run().await;
    house.wait("7d");
    house.run().await;
    let mut to = house.letters.to();
    to.sort_unstable();
    to.dedup();
    assert_eq!(to, [FALLBACK, TEAM]);
}
