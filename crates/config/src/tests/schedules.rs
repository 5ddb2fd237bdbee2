//! `[[schedule]]`: what runs when, and what is refused.

use chrono_tz::Tz;
use reaper_timetable::Timetable;

use super::support::{accepted, refused};
use crate::{Job, Schedule};

fn schedule(job: &str, rest: &str) -> String {
    format!("[[schedule]]\njob = \"{job}\"\n{rest}\n")
}

/// Job, expression and zone.
fn shown(schedules: &[Schedule]) -> Vec<String> {
    let shown = |one: &Schedule| {
        let mark = if one.is_default { ", default" } else { "" };
        format!("{} {}, {}{mark}", one.job.name(), one.timetable, one.jitter)
    };
    schedules.iter().map(shown).collect()
}

#[test]
fn without_a_schedule_the_report_is_due_on_mondays_in_the_zone_of_the_file() {
    let config = accepted("timezone = \"Asia/Tokyo\"\n");
    assert_eq!(shown(&config.schedules), ["report 0 7 * * Mon (Asia/Tokyo), 0s, default"]);
    assert_eq!(config.report_times().map(Timetable::zone), Some(Tz::Asia__Tokyo));
    let config = accepted(&schedule("run", "cron = \"17 * * * *\""));
    let expected = ["run 17 * * * * (UTC), 0s", "report 0 7 * * Mon (UTC), 0s, default"];
    assert_eq!(shown(&config.schedules), expected);
}

#[test]
fn everything_that_can_be_said_is_heard() {
    let text = [
        "timezone = \"Europe/Amsterdam\"\n",
        &schedule("report", "cron = \" 30  8 * * Tue,fri \"\ntimezone = \"UTC\""),
        &schedule("run", "cron = \"*/20 6-20 * * Mon-Fri\"\njitter = \"5m\""),
        &schedule("budget", "cron = \"5 * * * *\""),
    ];
    let config = accepted(&text.concat());
    let expected = [
        "report 30 8 * * Tue,fri (UTC), 0s",
        "run */20 6-20 * * Mon-Fri (Europe/Amsterdam), 5m",
        "budget 5 * * * * (Europe/Amsterdam), 0s",
    ];
    assert_eq!(shown(&config.schedules), expected);
    assert_eq!(
        config.schedules.iter().map(|one| one.job).collect::<Vec<_>>(),
        [Job::Report, Job::Run, Job::Budget]
    );
    assert_eq!(config.report_times(), Some(&config.schedules[0].timetable));
    let listed: Vec<String> = config
        .effective()
        .iter()
        .filter(|setting| setting.key.starts_with("schedule."))
        .map(|s| format!("{} = {}{}", s.key, s.value, if s.is_default { " (default)" } else { "" }))
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r"
    schedule.1.timezone = UTC
    schedule.1.jitter = 0s (default)
    schedule.2.timezone = Europe/Amsterdam (default)
    schedule.2.jitter = 5m
    schedule.3.timezone = Europe/Amsterdam (default)
    schedule.3.jitter = 0s (default)
    ");
}

#[test]
fn fl_126_a_weekday_by_number_is_refused_where_it_stands() {
    insta::assert_snapshot!(refused(&schedule("report", "cron = \"0 7 * * 1\"")), @r#"
    error: schedule 1: `cron`: weekday: `1` is a number
     --> reaper.toml:3:8
      |
    3 | cron = "0 7 * * 1"
      |        ^^^^^^^^^^^
      |
      = help: write names, such as Mon, Mon-Fri or Mon,Thu: a number is a different day in different programs
    "#);
    for weekday in ["0", "7", "1-5", "Mon,4", "*/2"] {
        let text = refused(&schedule("run", &format!("cron = \"0 7 * * {weekday}\"")));
        assert!(text.contains("schedule 1: `cron`: weekday") && text.contains("name"), "{text}");
    }
}

#[test]
fn what_is_no_schedule_is_refused() {
    let cron = "cron = \"0 7 * * Mon\"";
    for (text, part) in [
        (schedule("run", ""), "schedule 1 needs `cron`"),
        ("[[schedule]]\ncron = \"0 7 * * Mon\"\n".to_owned(), "schedule 1 needs `job`"),
        (schedule("audit", cron), "report, run, budget"),
        (schedule("run", "cron = \"@weekly\""), "five fields"),
        (schedule("run", "cron = \"0 0 7 * * Mon\""), "has 6 fields"),
        (schedule("run", "cron = \"0 7 30 2 *\""), "never comes"),
        (schedule("run", "cron = \"0 7 1 * Mon\""), "some programs"),
        (schedule("run", "cron = \"\""), "`cron`"),
        (schedule("run", "cron = 7"), "`cron` is text"),
        (schedule("run", &format!("{cron}\ntimezone = \"Europe/Amsterdm\"")), "Europe/Amsterdam"),
        (schedule("run", &format!("{cron}\njitter = 60")), "has no unit"),
        (schedule("run", &format!("{cron}\njitter = \"25h\"")), "more than a day"),
        (schedule("run", &format!("{cron}\nenforce = true")), "`enforce` is not a key"),
        (schedule("run", cron).repeat(2), "schedule 2 is there twice"),
        (
            schedule("report", cron) + &schedule("report", "cron = \"0 7 * * Thu\""),
            "two schedules of the report",
        ),
        ("schedule = { job = \"run\" }".to_owned(), "[[schedule]]"),
    ] {
        let shown = refused(&text);
        assert!(shown.contains(part), "{text}: {shown}");
    }
    // Everything at once, also in a zone that is none.
    let text = refused(&schedule("run", "cron = \"0 7 * * 1\"\ntimezone = \"Mars\""));
    assert!(text.contains("Mars") && text.contains("is a number"), "{text}");
}
