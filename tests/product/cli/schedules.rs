//! Schedules in `reaper check`: the next times as they will come, and who gets the report.

use serde_json::json;

use crate::support::Reaper;

fn reaper(rest: &str) -> Reaper {
    let text = format!(
        "version = 1\ntimezone = \"Europe/Paris\"\n{rest}\n[[account]]\nname = \"poc\"\n\
         provider = \"scaleway\"\nendpoint_url = \"http://127.0.0.1:1\"\n"
    );
    Reaper::with_config(&text)
        .env("SCW_ACCESS_KEY", "SCW0123456789ABCDEFG")
        .env("SCW_SECRET_KEY", "c0ffee00-4711-4a5e-9d3b-5ca1ab1e0001")
}

/// The evening before clocks go back there.
const BEFORE_AUTUMN: &str = "2026-10-24T20:00:00Z";

#[test]
fn fl_126_check_shows_the_next_three_times_of_every_schedule() {
    let schedules = "[[schedule]]\njob = \"run\"\ncron = \"30 * * * *\"\njitter = \"10m\"\n\
                     [[schedule]]\njob = \"report\"\ncron = \"0 8 * * Mon\"\ntimezone = \"Asia/Tokyo\"\n\
                     [[schedule]]\njob = \"budget\"\ncron = \"30 2 * * *\"\n";
    let reaper = reaper(schedules);
    let line = ["check", "--offline", "--now", BEFORE_AUTUMN];
    let ran = reaper.run(&line).exits(0);
    for part in [
        "SCHEDULE",
        "run: 30 * * * * in Europe/Paris, up to 10m later",
        "next Sat 24 Oct 2026 22:30 +02:00, Sat 24 Oct 2026 23:30 +02:00, Sun 25 Oct 2026 00:30 +02:00",
        "report: 0 8 * * Mon in Asia/Tokyo",
        "next Mon 26 Oct 2026 08:00 +09:00, Mon 2 Nov 2026 08:00 +09:00, Mon 9 Nov 2026 08:00 +09:00",
        "next Sun 25 Oct 2026 02:30 +02:00, Mon 26 Oct 2026 02:30 +01:00, Tue 27 Oct 2026 02:30 +01:00",
        "the weekly report goes to NOBODY",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    let line = [&line[..], &["--format", "json"]].concat();
    let json = reaper.run(&line).exits(0).json();
    crate::schema::validates("check", &json);
    assert_eq!(json["report_to"], json!([]));
    assert_eq!(
        json["schedules"][1],
        json!({
            "job": "report",
            "cron": "0 8 * * Mon",
            "timezone": "Asia/Tokyo",
            "jitter": "0s",
            "default": false,
            "next": ["2026-10-26T08:00:00+09:00", "2026-11-02T08:00:00+09:00", "2026-11-09T08:00:00+09:00"],
        })
    );
}

#[test]
fn without_a_schedule_check_shows_when_the_report_is_due_and_to_whom_it_goes() {
    let mail = "[notify.email]\nfrom = \"reaper@example.org\"\nreport_to = [\"a@example.org\"]\n\
                smtp = { host = \"127.0.0.1\", tls = \"none\" }\n\
                [notify.slack]\nwebhook = { env = \"SLACK_WEBHOOK\" }\n";
    let reaper = reaper(mail).env("SLACK_WEBHOOK", "http://127.0.0.1:1/hook");
    let ran = reaper.run(&["check", "--offline", "--now", BEFORE_AUTUMN]).exits(0);
    for part in [
        "report: 0 7 * * Mon in Europe/Paris  (default)",
        "next Mon 26 Oct 2026 07:00 +01:00",
        "the weekly report goes to a@example.org, slack",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
}

#[test]
fn fl_126_a_weekday_by_number_never_runs() {
    let reaper = reaper("[[schedule]]\njob = \"run\"\ncron = \"0 7 * * 1\"\n");
    for line in [&["check", "--offline"][..], &["audit"], &["schedule"]] {
        let ran = reaper.run(line).exits(2);
        assert!(ran.stderr.contains("`1` is a number"), "{}", ran.stderr);
        assert!(ran.stderr.contains("Mon-Fri"), "{}", ran.stderr);
    }
}

#[test]
fn fl_130_the_zone_of_the_runner_changes_nothing() {
    let shown = |zone: Option<&str>| {
        let reaper = reaper(
            "[[schedule]]\njob = \"run\"\ncron = \"0 0 * * Mon\"\ntimezone = \"Asia/Tokyo\"\n",
        );
        let reaper = zone.into_iter().fold(reaper, |reaper, zone| reaper.env("TZ", zone));
        // Sunday in UTC, Monday there.
        let line = ["check", "--offline", "--format", "json", "--now", "2026-11-29T15:30:00Z"];
        reaper.run(&line).exits(0).json()["schedules"].clone()
    };
    let expected = shown(None);
    assert_eq!(expected[0]["next"][0], "2026-12-07T00:00:00+09:00");
    for zone in ["America/Los_Angeles", "UTC", "No/Such_Zone"] {
        assert_eq!(shown(Some(zone)), expected, "{zone}");
    }
}
