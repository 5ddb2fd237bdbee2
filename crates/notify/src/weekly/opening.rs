//! The words before the first list: which time the mail is about, why it is late or longer than a
//! week, what its figures rest on, and what they come to; and those after the last.

use chrono::{DateTime, TimeDelta};
use reaper_model::document::ReportView;

use super::contents::{Contents, per_month, so_far};
use super::coverage::Coverage;
use super::reader::Reader;
use super::section::grouped;
use super::view::Weekly;
use crate::words::{amounts, count, in_full, listed, outside};

/// Later than that is worth a word: jobs are seldom started on the minute.
const LATE: TimeDelta = TimeDelta::hours(1);

/// Longer without a run that read everything, and that is what is read first.
const LONGEST_GAP: TimeDelta = TimeDelta::days(8);

/// Days of missed reports that are named.
const MOST_DAYS: u32 = 6;

const WEEK: TimeDelta = TimeDelta::weeks(1);

/// Characters of a contact, a version, a digest.
const LONGEST: usize = 120;

impl Weekly<'_> {
    /// That nobody has looked for a while.
    pub(super) fn gap(&self) -> Option<String> {
        let last = self.doc.last_complete_run?.to_utc();
        let gap = self.at - last;
        (gap > LONGEST_GAP).then(|| {
            format!(
                "For {} no run read everything: the last one that did, before this one, ended {}. What came and went between is not known; costs are counted from the times of launch.",
                count(usize::try_from(gap.num_days()).unwrap_or(0), "day"),
                in_full(last, self.zone)
            )
        })
    }

    /// What could not be read: the sentence, and one line each.
    pub(super) fn unread(&self) -> Option<(String, Vec<String>)> {
        let coverage = Coverage::of(self.doc);
        let places = count(coverage.unread, "region");
        (coverage.unread > 0).then(|| match self.reader {
            Reader::Digest => (
                format!(
                    "{places} could not be read in full. Machines there are missing in this mail, and are not gone."
                ),
                coverage.gaps(),
            ),
            Reader::Owner(_) => (
                format!(
                    "{places} could not be read in full: machines of yours may be missing in this mail."
                ),
                Vec::new(),
            ),
        })
    }

    pub(super) fn opening(&self, contents: &Contents<'_>) -> Vec<String> {
        let mut sentences = Vec::new();
        sentences.push(match &self.doc.report {
            Some(report) => self.period(report),
            None => "This is the present state, not the report of a week.".to_owned(),
        });
        sentences.push(format!(
            "Data as of {}; {}.",
            in_full(self.doc.now.to_utc(), self.zone),
            Coverage::of(self.doc).words()
        ));
        sentences.push(self.figures(contents));
        sentences
    }

    /// From when to when, joined weeks, lateness.
    fn period(&self, report: &ReportView) -> String {
        let when = |at: DateTime<chrono::FixedOffset>| in_full(at.to_utc(), self.zone);
        let mut text = format!("From {} to {}", when(report.from), when(report.until));
        if report.covers > 1 {
            text = format!("{text}, which {}", self.joined(report));
        }
        text.push('.');
        let late = self.doc.now - report.due_at;
        if late > LATE {
            let whole = |number: i64| usize::try_from(number).unwrap_or(0);
            let late = match late.num_hours() {
                hours @ 0..48 => count(whole(hours), "hour"),
                _ => count(whole(late.num_days()), "day"),
            };
            text = format!("{text} It was due {} and is {late} late.", when(report.due_at));
        }
        text
    }

    /// `covers two weeks: no report went out on Mon 23 Nov`.
    fn joined(&self, report: &ReportView) -> String {
        let missed = report.covers - 1;
        let due = report.due_at.with_timezone(&self.zone);
        // The same hour in each week, whatever the clock did between.
        let days: Vec<String> = (1..=missed.min(MOST_DAYS))
            .rev()
            .map(|weeks| (due.naive_local() - WEEK * i32::try_from(weeks).unwrap_or(0)).date())
            .map(|day| day.format("%a %-d %b").to_string())
            .collect();
        let long = report.due_at - report.from;
        let weekly = WEEK * i32::try_from(report.covers).unwrap_or(i32::MAX);
        if missed > MOST_DAYS || (long - weekly).abs() > TimeDelta::days(1) {
            let reports = count(usize::try_from(missed).unwrap_or(usize::MAX), "report");
            let did =
                if missed == 1 { "that was due before it" } else { "that were due before it" };
            return format!("covers more than one period: {reports} {did} did not go out");
        }
        let weeks = ["two", "three", "four", "five", "six", "seven"];
        let weeks = weeks.get(usize::try_from(missed).unwrap_or(1) - 1).copied();
        format!(
            "covers {} weeks: no report went out on {}",
            weeks.unwrap_or("several"),
            listed(&days)
        )
    }

    /// What was looked at, found, and costs.
    fn figures(&self, contents: &Contents<'_>) -> String {
        let totals = &self.doc.totals;
        let found = contents.findings().count();
        let looked = match self.reader {
            Reader::Digest => format!(
                "{} with {} GPUs",
                counted(totals.instances, "machine"),
                grouped(usize::try_from(totals.gpus).unwrap_or(usize::MAX))
            ),
            Reader::Owner(_) => format!("{} of yours", counted(contents.machines.len(), "machine")),
        };
        if found == 0 {
            let unread = Coverage::of(self.doc).unread > 0;
            let nothing = if unread {
                "Nothing was found in what could be read"
            } else {
                "Nothing was found"
            };
            let running = match (amounts(totals.hourly.iter().copied()), self.reader) {
                (_, Reader::Owner(_)) => String::new(),
                (Some(sums), Reader::Digest) => {
                    let least = if totals.unpriced > 0 || unread { "at least " } else { "" };
                    format!("; what runs costs {least}{sums} an hour")
                }
                (None, Reader::Digest) if totals.unpriced > 0 => {
                    "; what runs has no known price".to_owned()
                }
                (None, Reader::Digest) => "; no money is running".to_owned(),
            };
            return format!("{nothing}: {looked}{running}.");
        }
        let mut parts = vec![format!(
            "{} of {looked} {} forgotten",
            grouped(found),
            if found == 1 { "looks" } else { "look" }
        )];
        parts.extend(so_far(contents.findings()).words().map(|sums| format!("{sums} so far")));
        let left = per_month(contents.findings()).words();
        parts.extend(left.map(|sums| format!("{sums} a month if left")));
        format!("{}.", parts.join("; "))
    }

    /// What the mail rests on, for whoever has to look it up.
    pub(super) fn closing(&self) -> Vec<String> {
        let doc = self.doc;
        let last = match doc.last_complete_run {
            Some(last) => {
                format!("Last complete run before this one: {}.", in_full(last.to_utc(), self.zone))
            }
            None => "No complete run before this one is known.".to_owned(),
        };
        let why = match self.reader {
            Reader::Digest => "you are named in report_to of the configuration",
            Reader::Owner(_) => "you are the owner of these machines",
        };
        let ask = match self.contact {
            Some(contact) => format!(" Questions: {}.", outside(contact, LONGEST)),
            None => String::new(),
        };
        vec![
            last,
            format!("You get this mail because {why}.{ask}"),
            format!(
                "reaper {} · run {} · policy {}",
                outside(&doc.version, LONGEST),
                outside(&doc.run_id, LONGEST),
                outside(&doc.config.digest, 19)
            ),
        ]
    }
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;
    use reaper_model::AuditDocument;

    fn opening(doc: &AuditDocument) -> Vec<String> {
        let weekly = fixture::digest(doc);
        weekly.opening(&Contents::of(&weekly))
    }

    #[test]
    fn fl_127_joined_weeks_and_lateness_are_said_with_their_days() {
        let mut doc = fixture::joined();
        assert_eq!(
            opening(&doc)[0],
            "From Mon 16 Nov 2026 08:00 CET (+01:00) to Mon 30 Nov 2026 08:00 CET (+01:00), which covers two weeks: no report went out on Mon 23 Nov. It was due Mon 30 Nov 2026 08:00 CET (+01:00) and is 6 hours late."
        );
        let report = doc.report.as_mut().expect("a report");
        report.covers = 4;
        report.from = fixture::time("2026-11-02T08:00:00+01:00");
        assert!(
            opening(&doc)[0].contains(
                "which covers four weeks: no report went out on Mon 9 Nov, Mon 16 Nov and Mon 23 Nov."
            ),
            "{}",
            opening(&doc)[0]
        );
        let report = doc.report.as_mut().expect("a report");
        report.covers = 3;
        assert!(opening(&doc)[0].contains("2 reports that were due before it did not go out"));
    }

    #[test]
    fn fl_125_a_week_with_an_hour_more_is_a_week() {
        let mut doc = fixture::joined();
        doc.now = fixture::time("2026-11-02T08:00:00+01:00");
        let report = doc.report.as_mut().expect("a report");
        report.from = fixture::time("2026-10-19T08:00:00+02:00");
        report.until = fixture::time("2026-11-02T08:00:00+01:00");
        report.due_at = report.until;
        assert_eq!(
            opening(&doc)[0],
            "From Mon 19 Oct 2026 08:00 CEST (+02:00) to Mon 2 Nov 2026 08:00 CET (+01:00), which covers two weeks: no report went out on Mon 26 Oct."
        );
    }

    #[test]
    fn fl_128_a_long_gap_is_said_first_and_the_last_complete_run_always() {
        let doc = fixture::joined();
        let weekly = fixture::digest(&doc);
        let gap = weekly.gap().expect("a gap");
        assert!(gap.starts_with("For 12 days no run read everything: the last one"), "{gap}");
        assert!(gap.contains("Wed 18 Nov 2026 08:05 CET (+01:00)"), "{gap}");
        let mut doc = fixture::weekly();
        let weekly = fixture::digest(&doc);
        assert_eq!(weekly.gap(), None);
        assert_eq!(
            weekly.closing()[0],
            "Last complete run before this one: Sun 29 Nov 2026 08:05 CET (+01:00)."
        );
        doc.last_complete_run = None;
        let weekly = fixture::digest(&doc);
        assert!(weekly.gap().is_none() && weekly.closing()[0].starts_with("No complete run"));
    }

    #[test]
    fn fl_149_nothing_found_says_what_was_looked_at_and_what_runs() {
        let mut doc = fixture::nothing();
        assert_eq!(
            opening(&doc)[1..],
            [
                "Data as of Mon 30 Nov 2026 08:06 CET (+01:00); 4 of 4 providers and 4 of 4 regions read in full.",
                "Nothing was found: 1 machine with 9 GPUs; what runs costs 7.00 EUR an hour."
            ]
        );
        doc.scopes[0].status = reaper_model::document::ScopeStatus::Partial;
        assert!(opening(&doc)[2].starts_with("Nothing was found in what could be read: "));
        assert!(opening(&doc)[2].ends_with("costs at least 7.00 EUR an hour."));
    }

    #[test]
    fn a_document_without_a_report_tells_the_present_state() {
        let mut doc = fixture::weekly();
        doc.report = None;
        assert_eq!(opening(&doc)[0], "This is the present state, not the report of a week.");
    }
}
