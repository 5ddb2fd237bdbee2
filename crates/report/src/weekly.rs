//! What only the weekly report tells, in words that all formats share. Plain text, neither cleaned
//! nor escaped.

use chrono::{DateTime, FixedOffset, TimeDelta};
use reaper_model::document::{
    AuditDocument, ChangeView, KeptView, ReportView, StoppedView, WeekView,
};
use reaper_model::{Money, Totals};

use crate::figures::{Zone, amounts, count, listed};
use crate::machine::MISSING;

/// Later than that is worth a word: jobs are seldom started on the minute.
const LATE: TimeDelta = TimeDelta::hours(1);

/// The span that the report covers, how it came to be another than a week, and what was missed.
pub fn period(doc: &AuditDocument, report: &ReportView) -> Vec<String> {
    let zone = Zone::of(doc);
    period_with(doc, report, |at| zone.day(at))
}

/// The same, with times as the caller writes them.
pub fn period_with(
    doc: &AuditDocument,
    report: &ReportView,
    when: impl Fn(DateTime<FixedOffset>) -> String,
) -> Vec<String> {
    let mut parts = vec![format!("{} until {}", when(report.from), when(report.until))];
    parts.extend((report.covers > 1).then(|| joined(report, Zone::of(doc))));
    let late = doc.now - report.due_at;
    if late > LATE && !report.first {
        let hours = late.num_hours();
        let late = if hours < 48 { count(hours, "hour") } else { count(late.num_days(), "day") };
        parts.push(format!("due {}, made {late} later", when(report.due_at)));
    }
    parts.extend(report.first.then(|| FIRST.to_owned()));
    parts
}

/// `covers two weeks: no report went out on Mon 23 Nov`.
fn joined(report: &ReportView, zone: Zone) -> String {
    let missed = report.covers - 1;
    let long = report.due_at - report.from;
    let weekly = WEEK * i32::try_from(report.covers).unwrap_or(i32::MAX);
    let numeral = usize::try_from(missed).ok().and_then(|missed| NUMERALS.get(missed - 1));
    let Some(weeks) = numeral.filter(|_| (long - weekly).abs() <= TimeDelta::days(1)) else {
        let did = if missed == 1 { "that was due before it" } else { "that were due before it" };
        let reports = count(missed, "report");
        return format!("covers more than one period: {reports} {did} did not go out");
    };
    // The same hour in each week, whatever the clock did between.
    let due = zone.local(report.due_at);
    let days: Vec<String> = (1..=missed)
        .rev()
        .map(|weeks| (due - WEEK * i32::try_from(weeks).unwrap_or(0)).date())
        .map(|day| day.format("%a %-d %b").to_string())
        .collect();
    format!("covers {weeks} weeks: no report went out on {}", listed(&days))
}

const WEEK: TimeDelta = TimeDelta::weeks(1);

/// Of more weeks than that the days are not named.
const NUMERALS: [&str; 6] = ["two", "three", "four", "five", "six", "seven"];

/// What a first report cannot tell.
const FIRST: &str = "the first report: what was there when it was first looked at is not new";

/// What has changed, in figures: `3 new`, `1 gone`, `2 kept`, `2 stopped`, what that saved.
pub fn headline(report: &ReportView) -> Vec<String> {
    let mut parts: Vec<String> = [
        (report.new.len(), "new"),
        (report.gone.len(), "gone"),
        (report.kept.len(), "kept"),
        (report.stopped.len(), "stopped"),
    ]
    .into_iter()
    .map(|(number, word)| format!("{number} {word}"))
    .collect();
    parts.extend(saved(report));
    parts
}

/// What the stops of the period have saved; `None` without stops.
pub fn saved(report: &ReportView) -> Option<String> {
    let unknown = report.stopped.iter().any(|stopped| stopped.saved.is_none());
    match amounts(&report.saved) {
        _ if report.stopped.is_empty() => None,
        Some(sum) if unknown => Some(format!("saved at least {sum} (compute)")),
        Some(sum) => Some(format!("saved {sum} (compute)")),
        None => Some("what that has saved is not known".to_owned()),
    }
}

/// A name, else `-`.
pub fn name(name: Option<&str>) -> &str {
    name.filter(|name| !name.trim().is_empty()).unwrap_or(MISSING)
}

/// `aws/research`, or the cloud alone where the account is not known.
fn place(provider: &impl ToString, account: Option<&impl ToString>) -> String {
    let account = account.map_or_else(|| MISSING.to_owned(), ToString::to_string);
    format!("{}/{account}", provider.to_string())
}

/// Where a machine that came or went stands or stood.
pub fn change_place(change: &ChangeView) -> String {
    place(&change.provider, change.account.as_ref())
}

/// Where a stopped machine stands or stood.
pub fn stopped_place(stopped: &StoppedView) -> String {
    place(&stopped.provider, stopped.account.as_ref())
}

/// A text of which nothing may be known.
pub fn known<T: ToString>(text: Option<&T>) -> String {
    text.map_or_else(|| MISSING.to_owned(), ToString::to_string)
}

/// An amount of which nothing may be known; never 0 for that.
pub fn amount(money: Option<Money>) -> String {
    money.map_or_else(|| "unknown".to_owned(), |money| money.to_string())
}

/// Until when a machine is kept.
pub fn until(doc: &AuditDocument, kept: &KeptView) -> String {
    match kept.until {
        Some(until) => format!("until {}", Zone::of(doc).day(until)),
        None => "without an end".to_owned(),
    }
}

/// What was done to a machine and when, and whether it runs again.
pub fn done(doc: &AuditDocument, stopped: &StoppedView) -> Vec<String> {
    let zone = Zone::of(doc);
    let mut parts = vec![format!("{} {}", stopped.verb.done(), zone.day(stopped.at))];
    parts.push(match &stopped.rule {
        Some(rule) => format!("rule {rule}"),
        None => "rule no longer known".to_owned(),
    });
    parts.extend(stopped.running_again.map(|at| format!("RUNNING AGAIN since {}", zone.day(at))));
    parts
}

/// The first day of a week of the trend: `23 Nov`.
pub fn week(doc: &AuditDocument, week: &WeekView) -> String {
    Zone::of(doc).short_day(week.from)
}

/// What a week has cost, a lower bound where something is missing.
pub fn spent(week: &WeekView) -> String {
    match (amounts(&week.spent), week.at_least) {
        (Some(sums), true) => format!("at least {sums}"),
        (Some(sums), false) => sums,
        (None, true) => "unknown".to_owned(),
        (None, false) => "nothing".to_owned(),
    }
}

/// What the machines of a list cost together in their period.
pub fn cost(changes: &[ChangeView]) -> Option<String> {
    let known: Totals = changes.iter().filter_map(|change| change.cost).collect();
    let known: Vec<Money> = known.iter().collect();
    let at_least = changes.iter().any(|change| change.cost.is_none());
    amounts(&known).map(|sum| if at_least { format!("at least {sum}") } else { sum })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn report() -> (AuditDocument, ReportView) {
        let doc = fixture::weekly();
        let report = doc.report.clone().expect("a report");
        (doc, report)
    }

    #[test]
    fn fl_127_a_late_report_over_two_weeks_says_so() {
        let (mut doc, mut report) = report();
        assert_eq!(
            period(&doc, &report),
            [
                "Mon 23 Nov 2026 07:00 CET until Mon 30 Nov 2026 07:00 CET",
                "due Mon 30 Nov 2026 07:00 CET, made 2 hours later"
            ]
        );
        report.covers = 2;
        report.from = fixture::time("2026-11-16T07:12:00+01:00");
        doc.now = fixture::time("2026-12-02T09:00:00+01:00");
        assert_eq!(
            period(&doc, &report)[1..],
            [
                "covers two weeks: no report went out on Mon 23 Nov",
                "due Mon 30 Nov 2026 07:00 CET, made 2 days later",
            ]
        );
        report.covers = 4;
        report.from = fixture::time("2026-11-02T07:00:00+01:00");
        doc.now = report.due_at;
        assert_eq!(
            period(&doc, &report)[1..],
            ["covers four weeks: no report went out on Mon 9 Nov, Mon 16 Nov and Mon 23 Nov"]
        );
        report.covers = 3;
        assert_eq!(
            period(&doc, &report)[1..],
            ["covers more than one period: 2 reports that were due before it did not go out"]
        );
        report.covers = 60;
        report.from -= TimeDelta::weeks(56);
        assert!(period(&doc, &report)[1].contains("59 reports that were due before it"));
    }

    #[test]
    fn fl_125_a_week_with_an_hour_more_is_a_week() {
        let (mut doc, mut report) = report();
        report.from = fixture::time("2026-10-19T08:00:00+02:00");
        report.until = fixture::time("2026-11-02T08:00:00+01:00");
        (report.due_at, doc.now, report.covers) = (report.until, report.until, 2);
        assert_eq!(
            period(&doc, &report),
            [
                "Mon 19 Oct 2026 08:00 CEST until Mon 2 Nov 2026 08:00 CET",
                "covers two weeks: no report went out on Mon 26 Oct"
            ]
        );
    }

    #[test]
    fn fl_127_a_first_report_calls_nothing_new_that_was_there_before_anybody_looked() {
        let (doc, mut report) = report();
        report.first = true;
        assert_eq!(
            period(&doc, &report).last().map(String::as_str),
            Some("the first report: what was there when it was first looked at is not new")
        );
    }

    #[test]
    fn a_saving_that_is_not_known_is_not_nothing() {
        let (_, mut report) = report();
        assert_eq!(saved(&report).as_deref(), Some("saved at least 588.00 EUR (compute)"));
        report.saved.clear();
        assert_eq!(saved(&report).as_deref(), Some("what that has saved is not known"));
        report.stopped.clear();
        assert_eq!(saved(&report), None);
    }

    #[test]
    fn fl_107_costs_of_two_currencies_stay_apart() {
        let (_, report) = report();
        assert_eq!(cost(&report.new).as_deref(), Some("at least 504.00 EUR and 78.96 USD"));
        assert_eq!(cost(&[]), None);
    }
}
