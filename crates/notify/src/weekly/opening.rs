//! The words before the first list: which time the mail is about, why it is late or longer than a
//! week, what its figures rest on, and what they come to; and those after the last.

use chrono::{DateTime, FixedOffset};
use reaper_model::document::ReportView;
use reaper_report::coverage::{self, Coverage};
use reaper_report::weekly;

use super::contents::{Contents, per_month, so_far};
use super::coverage::{gaps, words};
use super::reader::Reader;
use super::section::grouped;
use super::view::Weekly;
use crate::words::{amounts, count, in_full, outside, sentence};

/// Characters of a contact, a version, a digest.
const LONGEST: usize = 120;

impl Weekly<'_> {
    /// That nobody had looked for a while.
    pub(super) fn gap(&self) -> Option<String> {
        let gap = coverage::gap(self.doc, |at| self.when(at))?;
        Some(format!("{}, {}", sentence(gap.title), gap.line))
    }

    /// What could not be read: the sentence, and one line each.
    pub(super) fn unread(&self) -> Option<(String, Vec<String>)> {
        let coverage = Coverage::of(self.doc);
        let places = count(coverage.unread, "region");
        coverage.is_partial().then(|| match self.reader {
            Reader::Digest => (
                format!(
                    "{places} could not be read in full. Machines there are missing in this mail, and are not gone."
                ),
                gaps(self.doc),
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
            self.when(self.doc.now),
            words(&Coverage::of(self.doc))
        ));
        sentences.push(self.figures(contents));
        sentences
    }

    /// From when to when, joined weeks, lateness.
    fn period(&self, report: &ReportView) -> String {
        let parts = weekly::period_with(self.doc, report, |at| self.when(at));
        format!("From {}.", parts.join("; "))
    }

    fn when(&self, at: DateTime<FixedOffset>) -> String {
        in_full(at.to_utc(), self.zone)
    }

    /// What was looked at, found, and costs.
    fn figures(&self, contents: &Contents<'_>) -> String {
        let coverage = Coverage::of(self.doc);
        if coverage.is_blind() {
            return "Of what runs and what it costs nothing is known.".to_owned();
        }
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
            let unread = coverage.is_partial();
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
                format!("Last complete run before this one: {}.", self.when(last))
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
        assert_eq!(
            opening(&fixture::joined())[0],
            "From Mon 16 Nov 2026 08:00 CET (+01:00) until Mon 30 Nov 2026 08:00 CET (+01:00); covers two weeks: no report went out on Mon 23 Nov; due Mon 30 Nov 2026 08:00 CET (+01:00), made 6 hours later."
        );
    }

    #[test]
    fn fl_128_a_long_gap_is_said_first_and_the_last_complete_run_always() {
        let doc = fixture::joined();
        let weekly = fixture::digest(&doc);
        let gap = weekly.gap().expect("a gap");
        assert_eq!(
            gap,
            "The last complete run was 12 days ago, Wed 18 Nov 2026 08:05 CET (+01:00): is the schedule still alive? Costs count from launch times, the gap included."
        );
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
        for scope in &mut doc.scopes {
            scope.status = reaper_model::document::ScopeStatus::Failed;
        }
        assert_eq!(opening(&doc)[2], "Of what runs and what it costs nothing is known.");
    }

    #[test]
    fn a_document_without_a_report_tells_the_present_state() {
        let mut doc = fixture::weekly();
        doc.report = None;
        assert_eq!(opening(&doc)[0], "This is the present state, not the report of a week.");
    }
}
