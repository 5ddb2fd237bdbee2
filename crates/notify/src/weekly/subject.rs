//! The subject: on a phone it is all that is seen. What will be stopped and when, what is at stake,
//! which budgets are full, and never "all clear" where something was not read.

use chrono::{DateTime, FixedOffset};
use reaper_model::Money;
use reaper_model::document::{BudgetStatus, BudgetView};
use reaper_report::finding::{self, Matter, Stops};
use reaper_report::{Coverage, budget};
use rust_decimal::{Decimal, RoundingStrategy};

use super::contents::{Contents, Sum, per_month};
use super::reader::Reader;
use super::section::grouped;
use super::view::Weekly;
use crate::words::{count, sentence};

/// Thresholds that a subject names.
const MOST_THRESHOLDS: usize = 2;

impl Weekly<'_> {
    /// `reaper: 3 will stop Fri 4 Dec, EUR 1,240/month at stake, 2 budgets over 80 %`.
    pub(super) fn subject(&self, contents: &Contents<'_>) -> String {
        format!("reaper: {}", self.gist(contents))
    }

    /// The subject's statement as a headline.
    pub(super) fn headline(&self, contents: &Contents<'_>) -> String {
        sentence(self.gist(contents))
    }

    fn gist(&self, contents: &Contents<'_>) -> String {
        let machines = contents.machines.iter().copied();
        let matter = finding::matter(self.doc, machines, contents.budgets);
        let mut parts = self.said(&matter, contents);
        if matter == Matter::Blind {
            return parts.join(", ");
        }
        parts.extend(budgets(contents.budgets));
        let coverage = Coverage::of(self.doc);
        if coverage.is_partial() && self.reader == Reader::Digest {
            parts.push(format!("{} NOT read", count(coverage.unread, "region")));
        }
        parts.join(", ")
    }

    /// What was found, and what it costs; or that nothing was.
    fn said(&self, matter: &Matter, contents: &Contents<'_>) -> Vec<String> {
        match matter {
            Matter::Blind => vec!["nothing could be read, so nothing is known".to_owned()],
            Matter::Stops(stops) => {
                let stake = sums(&per_month(contents.stakes()));
                self.will(stops).into_iter().chain([format!("{stake} at stake")]).collect()
            }
            Matter::Found(found) => {
                let looks = if *found == 1 { "looks" } else { "look" };
                let sums = sums(&per_month(contents.findings()));
                vec![format!("{} {looks} forgotten", grouped(*found)), sums]
            }
            // An owner gets a mail for that alone.
            _ if self.reader != Reader::Digest && !contents.stopped.is_empty() => {
                let stopped = count(contents.stopped.len(), "machine");
                vec![format!("{stopped} stopped since the last report")]
            }
            Matter::Unread => vec!["nothing found in what could be read".to_owned()],
            Matter::Unjudged(number) => {
                let unjudged = format!("{} could not be judged", count(*number, "machine"));
                vec!["nothing found".to_owned(), unjudged]
            }
            Matter::Unmeasured(number) => {
                let machines = count(*number, "machine");
                let unmeasured = format!("use of {machines} not measured");
                let mut parts =
                    vec!["nothing found".to_owned(), self.checked(contents), unmeasured];
                parts.extend(budget::unsure(contents.budgets));
                parts
            }
            Matter::Nothing => {
                let mut parts = vec!["nothing found".to_owned(), self.checked(contents)];
                parts.extend(budget::unsure(contents.budgets));
                parts
            }
            Matter::Clear => vec!["all clear".to_owned(), self.checked(contents)],
        }
    }

    /// `41 GPUs checked`.
    fn checked(&self, contents: &Contents<'_>) -> String {
        match self.reader {
            Reader::Digest => {
                let gpus = usize::try_from(self.doc.totals.gpus).unwrap_or(usize::MAX);
                let plural = if gpus == 1 { "" } else { "s" };
                format!("{} GPU{plural} checked", grouped(gpus))
            }
            Reader::Owner(_) => format!("{} checked", count(contents.machines.len(), "machine")),
        }
    }

    /// What is held, and what will stop and when: of what is held nothing is promised.
    fn will(&self, stops: &Stops) -> Vec<String> {
        let mut parts = Vec::new();
        let held = grouped(stops.held);
        parts.extend((stops.held > 0).then(|| format!("{held} held by the brake")));
        let what = match (self.doc.enforces, stops.due.len()) {
            (_, 0) => return parts,
            (true, _) => "will stop",
            (false, 1) => "stop announced",
            (false, _) => "stops announced",
        };
        let ended = match stops.ended {
            0 => String::new(),
            ended => format!(" ({} for good)", grouped(ended)),
        };
        let number = grouped(stops.due.len());
        parts.push(format!("{number} {what}{ended}{}", self.day(&stops.due)));
        parts
    }

    /// The day; of several the first.
    fn day(&self, due: &[DateTime<FixedOffset>]) -> String {
        let Some(&first) = due.first() else { return String::new() };
        if first <= self.doc.now {
            return ", the first now".to_owned();
        }
        let day = |at: DateTime<FixedOffset>| at.with_timezone(&self.zone).date_naive();
        let shown = first.with_timezone(&self.zone).format("%a %-d %b");
        if due.iter().all(|at| day(*at) == day(first)) {
            format!(" {shown}")
        } else {
            format!(", the first {shown}")
        }
    }
}

/// `1 budget over the limit`, `2 budgets over 80 %`, `1 budget forecast over the limit`.
fn budgets(budgets: &[BudgetView]) -> Vec<String> {
    let number = |status| budgets.iter().filter(|budget| budget.status == status).count();
    let percent = |text: &String| text.trim_end_matches('%').parse::<Decimal>().ok();
    // Each under the highest threshold that it has reached, the fullest first.
    let mut warned: Vec<(Decimal, &String)> = budgets
        .iter()
        .filter(|budget| budget.status == BudgetStatus::Warn)
        .filter_map(|budget| {
            budget.reached.iter().filter_map(|text| Some((percent(text)?, text))).max()
        })
        .collect();
    warned.sort_by(|one, other| other.cmp(one));
    let over = number(BudgetStatus::Over);
    let forecast = number(BudgetStatus::ForecastOver);
    let mut parts = Vec::new();
    parts.extend((over > 0).then(|| format!("{} over the limit", count(over, "budget"))));
    for equal in warned.chunk_by(|one, other| one.0 == other.0).take(MOST_THRESHOLDS) {
        let threshold = budget::thresholds(std::slice::from_ref(equal[0].1));
        parts.push(format!("{} over {threshold}", count(equal.len(), "budget")));
    }
    parts.extend(
        (forecast > 0).then(|| format!("{} forecast over the limit", count(forecast, "budget"))),
    );
    parts
}

/// `EUR 1,240 + USD 100/month`: in whole units, for there is little room; the mail has the cents.
fn sums(sum: &Sum) -> String {
    let shown: Vec<String> = sum.known.iter().copied().map(whole).collect();
    if shown.is_empty() {
        return "price unknown".to_owned();
    }
    let least = if sum.at_least { "at least " } else { "" };
    format!("{least}{}/month", shown.join(" + "))
}

fn whole(money: Money) -> String {
    let rounded = money.amount.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
    let shown = Money::new(rounded, money.currency).to_string();
    let units = shown.split('.').next().unwrap_or_default();
    format!("{} {units}", money.currency)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;
    use reaper_model::AuditDocument;
    use reaper_model::document::WantedAction;

    fn subject(doc: &AuditDocument) -> String {
        let weekly = fixture::digest(doc);
        weekly.subject(&Contents::of(&weekly))
    }

    #[test]
    fn an_owner_reads_what_stops_when_and_what_is_at_stake() {
        let doc = fixture::weekly();
        let subject = |to: &str| {
            let to = to.parse().expect("an address");
            let weekly = fixture::to_owner(&doc, &to);
            weekly.subject(&Contents::of(&weekly))
        };
        assert_eq!(
            subject("alice@example.org"),
            "reaper: 1 will stop Fri 4 Dec, EUR 2,555/month at stake"
        );
        assert_eq!(
            subject("bob@example.org"),
            "reaper: 1 will stop Fri 4 Dec, EUR 876/month at stake"
        );
    }

    #[test]
    fn the_digest_names_full_budgets_and_what_was_not_read() {
        let mut doc = fixture::weekly();
        assert_eq!(
            subject(&doc),
            "reaper: 3 will stop, the first Thu 3 Dec, EUR 5,475/month at stake, 1 budget over 80 %, 1 region NOT read"
        );
        doc.enforces = false;
        assert!(subject(&doc).starts_with("reaper: 3 stops announced, the first Thu 3 Dec, EUR"));
        doc.budgets[1].status = BudgetStatus::Warn;
        doc.budgets[1].reached = vec!["50%".to_owned()];
        assert!(subject(&doc).contains(", 1 budget over 80 %, 1 budget over 50 %, "));
        doc.budgets[0].reached.pop();
        assert!(subject(&doc).contains(", 2 budgets over 50 %, "), "{}", subject(&doc));
        doc.budgets[0].status = BudgetStatus::Over;
        assert!(subject(&doc).contains("1 budget over the limit, 1 budget over 50 %,"));
    }

    #[test]
    fn fl_149_all_clear_is_said_only_where_all_was_read_and_judged() {
        let mut doc = fixture::nothing();
        assert_eq!(subject(&doc), "reaper: all clear, 9 GPUs checked");
        doc.budgets[0].status = BudgetStatus::Over;
        assert_eq!(subject(&doc), "reaper: nothing found, 9 GPUs checked, 1 budget over the limit");
        doc.instances[0].verdict = reaper_model::document::Verdict::Unjudged;
        assert!(subject(&doc).starts_with("reaper: nothing found, 1 machine could not be judged"));
        doc.scopes[0].status = reaper_model::document::ScopeStatus::Failed;
        assert_eq!(
            subject(&doc),
            "reaper: nothing found in what could be read, 1 budget over the limit, 1 region NOT read"
        );
        doc.scopes.iter_mut().for_each(|scope| {
            scope.status = reaper_model::document::ScopeStatus::Failed;
        });
        assert_eq!(subject(&doc), "reaper: nothing could be read, so nothing is known");
    }

    #[test]
    fn fl_097_all_clear_is_not_said_of_idleness_that_nobody_could_measure() {
        let mut doc = fixture::nothing();
        doc.instances[0].utilisation.window = Some("6h".to_owned());
        doc.instances[0].utilisation.verdict = reaper_model::document::IdleVerdict::Unknown;
        assert_eq!(
            subject(&doc),
            "reaper: nothing found, 9 GPUs checked, use of 1 machine not measured"
        );
    }

    #[test]
    fn fl_107_two_currencies_stand_side_by_side_and_a_gap_is_at_least() {
        let mut doc = fixture::weekly();
        doc.budgets.clear();
        doc.scopes.clear();
        for machine in &mut doc.instances {
            machine.case = None;
        }
        assert_eq!(subject(&doc), "reaper: 4 look forgotten, EUR 5,475 + USD 2,402/month");
        doc.instances[1].cost = None;
        doc.instances[1].action.saves_per_month = None;
        assert_eq!(subject(&doc), "reaper: 4 look forgotten, at least EUR 3,431 + USD 2,402/month");
    }

    #[test]
    fn a_day_that_has_passed_is_not_announced_again() {
        let mut doc = fixture::weekly();
        doc.now = fixture::time("2026-12-03T10:00:00+01:00");
        assert!(subject(&doc).starts_with("reaper: 3 will stop, the first now, EUR"));
        doc.instances[0].action.wanted = Some(WantedAction::Terminate);
        assert!(subject(&doc).starts_with("reaper: 3 will stop (1 for good), the first now,"));
    }

    #[test]
    fn fl_055_slack_and_mail_find_the_same_where_no_rule_says_yes() {
        let mut doc = fixture::nothing();
        doc.instances[0].stopped_but_billed = true;
        doc.totals.stopped_but_billed = 1;
        assert_eq!(subject(&doc), "reaper: 1 looks forgotten, EUR 5,110/month");
        let title = reaper_report::digest(&doc).title;
        assert_eq!(title, "reaper: 1 machine looks forgotten");
    }

    #[test]
    fn brake_stops_everything_and_the_subject_promises_nothing_of_what_it_holds() {
        let doc = fixture::braked();
        assert_eq!(
            subject(&doc),
            "reaper: 2 held by the brake, 1 will stop Fri 4 Dec, EUR 5,475/month at stake, 1 budget over 80 %, 1 region NOT read"
        );
        let alone = |doc: &AuditDocument| {
            let to = "bob@example.org".parse().expect("an address");
            let weekly = fixture::to_owner(doc, &to);
            weekly.subject(&Contents::of(&weekly))
        };
        let mut doc = doc;
        assert!(alone(&doc).starts_with("reaper: 1 will stop Fri 4 Dec, "), "{}", alone(&doc));
        doc.instances.swap(1, 3);
        doc.instances[3].owner = doc.instances[1].owner.clone();
        doc.instances.remove(1);
        assert!(alone(&doc).starts_with("reaper: 1 held by the brake, EUR"), "{}", alone(&doc));
    }

    #[test]
    fn an_older_document_is_judged_by_its_own_time() {
        let doc = fixture::weekly();
        let subject = |at: &str| {
            let at = fixture::time(at).to_utc();
            let weekly = Weekly { at, ..fixture::digest(&doc) };
            weekly.subject(&Contents::of(&weekly))
        };
        let later = subject("2026-12-20T08:00:00+01:00");
        assert!(later.contains("3 will stop, the first Thu 3 Dec, "), "{later}");
        assert_eq!(later, subject("2026-11-30T08:06:00+01:00"));
    }
}
