//! One machine of a weekly mail: which it is, what is planned and when, why, what it costs, and how it
//! is kept.

use chrono::Days;
use reaper_model::document::{Billing, MachineView, OwnerStatus, WantedAction};
use reaper_model::price::HOURS_PER_MONTH;
use reaper_model::{InstanceId, Money, Phase};
use reaper_report::finding::{is_announced, is_held};
use reaper_report::utilisation;
use rust_decimal::Decimal;

use super::reader::Reader;
use super::section::{Amount, Line, Row};
use super::view::Weekly;
use crate::field::MISSING;
use crate::notice::commands;
use crate::words::{age, in_full, outside};

/// Characters of a name, an id, a place.
const LONGEST: usize = 80;

/// Characters of a sentence with text from outside.
const LONGEST_SENTENCE: usize = 160;

/// Characters of a reason: evidence of idleness names what was measured, for how long and by whom.
const LONGEST_REASON: usize = 240;

/// Reasons, losses and charges of one machine that are shown.
const MOST: usize = 3;

/// How long the example keeps a machine, in days: any later day will do.
const KEPT_FOR: u64 = 14;

impl Weekly<'_> {
    /// A finding as a row.
    pub(super) fn machine(&self, machine: &MachineView) -> Row {
        let id: Option<InstanceId> = machine.id.parse().ok();
        let mut lines = vec![self.planned(machine)];
        lines.extend(odd_state(machine).map(Line::Plain));
        lines.extend(reasons(machine).into_iter().map(Line::Plain));
        lines.push(Line::Small(which(machine, id.as_ref())));
        if is_announced(machine) {
            lines.extend(afterwards(machine).map(Line::Small));
        }
        if let Some(id) = &id {
            let mut commands = self.keep(machine, id);
            if !is_announced(machine) {
                // The one that goes everywhere: nothing is pressing.
                commands = commands.split_off(commands.len().saturating_sub(1));
            }
            lines.extend(match commands.len() {
                0 => None,
                1 => Some(Line::Small("to keep it:".to_owned())),
                _ => Some(Line::Small("to keep it, one of:".to_owned())),
            });
            lines.extend(commands.into_iter().map(Line::Code));
        }
        Row {
            name: known(machine.name.as_deref(), LONGEST),
            beside: self.beside(machine),
            lines,
            right: money(machine),
        }
    }

    /// GPUs, type and, for a reader who gets everything, whose it is.
    fn beside(&self, machine: &MachineView) -> String {
        let gpus = match &machine.gpu {
            Some(gpu) => format!("{} × {}", gpu.count, outside(&gpu.model, LONGEST)),
            None => format!("GPUs {MISSING}"),
        };
        let mut parts = vec![gpus, outside(machine.machine_type.as_str(), LONGEST)];
        if self.reader == Reader::Digest {
            parts.push(format!("owner {}", owner(machine)));
        }
        parts.join(" · ")
    }

    /// What is planned, with the time where there is one.
    fn planned(&self, machine: &MachineView) -> Line {
        let Some(due) =
            machine.case.as_ref().and_then(|case| case.due_at).filter(|_| is_announced(machine))
        else {
            return Line::Plain(unplanned(machine));
        };
        let terminate = machine.action.wanted == Some(WantedAction::Terminate);
        let (done, noun) =
            if terminate { ("terminated", "termination") } else { ("stopped", "stop") };
        let when = in_full(due.to_utc(), self.zone);
        let over = due <= self.doc.now;
        let held = is_held(self.doc, machine);
        let mut text = match (self.doc.enforces, over) {
            _ if held => format!("its notice ended {when}: held by the brake, and not {done}"),
            (true, false) => format!("will be {done} {when}"),
            (true, true) => format!("its notice ended {when}: it is {done} by the next run"),
            (false, false) => format!("its {noun} was announced for {when}"),
            (false, true) => {
                format!("its {noun} was announced for {when}, and waits for a run that enforces")
            }
        };
        let why = machine.action.result.map(|result| {
            let why = machine.action.result_why.as_deref().map(|why| format!(": {why}"));
            format!("the last try: {}{}", result.name(), why.unwrap_or_default())
        });
        if let Some(why) = why {
            text = format!("{text}; {}", outside(&why, LONGEST_SENTENCE));
        }
        Line::Loud(text)
    }

    /// The commands that keep it, until a day that is surely after the action, and has not passed
    /// where the document is of before.
    fn keep(&self, machine: &MachineView, id: &InstanceId) -> Vec<String> {
        let due = machine.case.as_ref().and_then(|case| case.due_at).map(|due| due.to_utc());
        let sent = self.at.max(self.doc.now.to_utc());
        let from = due.map_or(sent, |due| due.max(sent)).with_timezone(&self.zone).date_naive();
        let until = from.checked_add_days(Days::new(KEPT_FOR)).unwrap_or(from);
        // A command that was cut would be another command; one that is endless is nobody's.
        let commands = commands::keep(id, self.keep_tag, until).into_iter();
        commands
            .filter(|command| command.len() < 4 * LONGEST_SENTENCE)
            .map(|command| outside(&command, 4 * LONGEST_SENTENCE))
            .collect()
    }
}

/// What is planned for a machine of which no stop has been announced.
fn unplanned(machine: &MachineView) -> String {
    let wanted = machine.action.wanted.filter(|&wanted| wanted > WantedAction::Report);
    let phase = machine.case.as_ref().map(|case| case.state);
    let text = match (phase, wanted) {
        (Some(Phase::Contested), _) => {
            "is only reported: it was started again after a stop, and is left alone".to_owned()
        }
        (Some(Phase::Acted), _) => "was acted upon before, and is seen again".to_owned(),
        (_, wanted) => match (machine.action.why.as_deref(), wanted) {
            (Some(why), Some(wanted)) => format!("{} not announced: {why}", wanted.name()),
            (Some(why), None) => format!("nothing is planned: {why}"),
            (None, Some(wanted)) => {
                format!("{} not announced yet: nothing happens before a notice", wanted.name())
            }
            (None, None) => "is only reported".to_owned(),
        },
    };
    outside(&text, LONGEST_SENTENCE)
}

/// Whose it is, and how sure that is.
pub(super) fn owner(machine: &MachineView) -> String {
    let owner = &machine.owner;
    match (owner.status, owner.id.as_deref()) {
        (OwnerStatus::Known, Some(id)) => outside(id, LONGEST),
        (OwnerStatus::Absent | OwnerStatus::Empty, _) => "nobody".to_owned(),
        (status, Some(id)) => format!("{} ({})", outside(id, LONGEST), status.name()),
        (status, None) => status.name().to_owned(),
    }
}

/// What it costs a day, and has cost since its last start.
fn money(machine: &MachineView) -> Vec<Amount> {
    if machine.billing == Billing::NotBilled {
        return vec![Amount { sum: "not billed".to_owned(), what: "" }];
    }
    let cost = machine.cost.as_ref();
    let day = cost.map(|cost| per_day(cost.per_month_if_left));
    let so_far = cost.and_then(|cost| cost.since_start);
    let amount = |sum: Option<Money>, what| {
        let sum = sum.map_or_else(|| MISSING.to_owned(), |sum| sum.to_string());
        Amount { sum, what }
    };
    vec![amount(day, "a day"), amount(so_far, "so far")]
}

fn per_day(per_month: Money) -> Money {
    per_month.times(Decimal::from(24) / Decimal::from(HOURS_PER_MONTH))
}

/// That it looks off and is billed; or a state that is not known.
fn odd_state(machine: &MachineView) -> Option<String> {
    let state = outside(&machine.provider_state, LONGEST);
    if machine.stopped_but_billed {
        return Some(format!("looks off, and is billed in full: its state is {state}"));
    }
    (machine.billing == Billing::Unknown).then(|| format!("state {state}, counted as billed"))
}

/// Why it is here: the rules that said yes, else the verdict's own reason.
fn reasons(machine: &MachineView) -> Vec<String> {
    if machine.findings.is_empty() {
        return vec![outside(&machine.why, LONGEST_SENTENCE)];
    }
    let mut reasons: Vec<String> = machine
        .findings
        .iter()
        .take(MOST)
        .map(|finding| {
            let why = outside(&finding.explanation, LONGEST_REASON);
            format!("{why} (rule {})", outside(&finding.rule, LONGEST))
        })
        .collect();
    if machine.findings.len() > MOST {
        reasons.push(format!("and {} more rules", machine.findings.len() - MOST));
    }
    let usage = utilisation::beside_reasons(machine);
    reasons.extend(usage.map(|usage| outside(&usage, LONGEST_REASON)));
    reasons
}

/// Id, place, age.
fn which(machine: &MachineView, id: Option<&InstanceId>) -> String {
    let account = id.map_or_else(|| MISSING.to_owned(), |id| outside(id.account.as_str(), LONGEST));
    let hours = machine.age_hours.as_deref().map(|hours| outside(&age(hours), LONGEST));
    format!(
        "id {} · {}, account {} ({account}), {} · age {}",
        outside(&machine.native_id, LONGEST),
        outside(machine.provider.as_str(), LONGEST),
        outside(machine.account.as_str(), LONGEST),
        outside(machine.location.as_str(), LONGEST),
        hours.unwrap_or_else(|| MISSING.to_owned()),
    )
}

/// What a stop does not end, and what it destroys.
fn afterwards(machine: &MachineView) -> impl Iterator<Item = String> {
    let charged = machine.action.still_charged.iter().take(MOST).map(|item| {
        let price = item.per_month.map(|sum| format!(" ({sum} a month)")).unwrap_or_default();
        format!("{} {}{price}", outside(&item.kind, LONGEST), outside(&item.id, LONGEST))
    });
    let charged = said("goes on costing", charged.collect(), machine.action.still_charged.len());
    let loses = machine.action.loses.iter().take(MOST).map(|text| outside(text, LONGEST));
    let lost = said("is lost", loses.collect(), machine.action.loses.len());
    charged.into_iter().chain(lost)
}

fn said(label: &str, mut items: Vec<String>, all: usize) -> Option<String> {
    if all > items.len() {
        items.push(format!("{} more", all - items.len()));
    }
    (!items.is_empty()).then(|| format!("{label}: {}", items.join("; ")))
}

/// A text, else `-`.
pub(super) fn known(text: Option<&str>, most: usize) -> String {
    let text = text.map(|text| outside(text, most)).filter(|text| !text.is_empty());
    text.unwrap_or_else(|| MISSING.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    fn row(machine: &MachineView, change: impl FnOnce(&mut reaper_model::AuditDocument)) -> String {
        let mut doc = fixture::weekly();
        change(&mut doc);
        let Row { name, beside, lines, right } = fixture::digest(&doc).machine(machine);
        let lines: Vec<String> = lines.into_iter().map(|line| format!("{line:?}")).collect();
        let right: Vec<String> = right.iter().map(ToString::to_string).collect();
        format!("{name} · {beside} | {} | {}", lines.join(" | "), right.join(" | "))
    }

    #[test]
    fn fl_139_a_row_says_everything_and_what_is_missing_is_a_dash() {
        let machines = fixture::machines();
        let full = row(&machines[0], |_| {});
        for part in [
            "notebook-test",
            "8 × A100",
            "p4d.24xlarge",
            "owner alice",
            "Loud(\"will be stopped Fri 4 Dec 2026 09:00 CET (+01:00)\")",
            "no use of its GPUs above 2 % for 6 h (rule idle)",
            "id i-0alice1 · aws, account research (111122223333), eu-west-1 · age 30d 0h",
            "goes on costing: volume vol-01 (80.00 EUR a month)",
            "aws ec2 create-tags --region eu-west-1 --resources i-0alice1",
            "reaper keep aws/111122223333/eu-west-1/i-0alice1 --until 2026-12-18",
            "84.00 EUR a day",
            "2,520.00 EUR so far",
        ] {
            assert!(full.contains(part), "{part}: {full}");
        }
        let bare = row(&machines[6], |_| {});
        for part in ["- · GPUs - ·", "owner unreadable", "age -", "- a day", "- so far"] {
            assert!(bare.contains(part), "{part}: {bare}");
        }
    }

    #[test]
    fn only_a_run_that_enforces_promises_a_stop() {
        let machine = &fixture::machines()[0];
        let told = row(machine, |doc| doc.enforces = false);
        assert!(told.contains("its stop was announced for Fri 4 Dec"), "{told}");
        assert!(!told.contains("will be stopped"), "{told}");
    }

    #[test]
    fn fl_139_what_is_not_announced_says_why() {
        let mut machine = fixture::machines().remove(2);
        let mut told = |wanted, why: Option<&str>| {
            machine.action.wanted = Some(wanted);
            machine.action.why = why.map(str::to_owned);
            let shown = row(&machine, |_| {});
            shown.split("Plain(\"").nth(1).expect("a line").split('"').next().map(str::to_owned)
        };
        let (report, stop) = (WantedAction::Report, WantedAction::Stop);
        for (wanted, why, shown) in [
            (report, None, "is only reported"),
            (
                report,
                Some("report only: its rule asks for no more"),
                "nothing is planned: report only: its rule asks for no more",
            ),
            (stop, Some("report only: x"), "stop not announced: report only: x"),
            (stop, Some("runs do not enforce"), "stop not announced: runs do not enforce"),
            (stop, None, "stop not announced yet: nothing happens before a notice"),
        ] {
            assert_eq!(told(wanted, why).as_deref(), Some(shown));
        }
    }

    #[test]
    fn a_stop_that_is_overdue_says_why_it_has_not_happened() {
        let mut machine = fixture::machines().remove(0);
        let late = |doc: &mut reaper_model::AuditDocument| {
            doc.now = fixture::time("2026-12-07T08:00:00+01:00");
        };
        assert!(row(&machine, late).contains("its notice ended Fri 4 Dec"));
        machine.action.result = Some(reaper_model::ActionResult::Refused);
        machine.action.result_why = Some("HTTP 403".to_owned());
        assert!(row(&machine, late).contains("the last try: refused: HTTP 403"));
        machine.action.wanted = Some(WantedAction::Terminate);
        assert!(row(&machine, |_| {}).contains("will be terminated Fri 4 Dec"));
    }

    #[test]
    fn brake_stops_everything_and_the_row_promises_nothing() {
        let doc = fixture::braked();
        let shown = row(&doc.instances[0], |doc| *doc = fixture::braked());
        assert!(shown.contains("(+01:00): held by the brake, and not stopped\")"), "{shown}");
        assert!(!shown.contains("by the next run") && !shown.contains("will be"), "{shown}");
    }

    #[test]
    fn an_older_document_tells_what_held_when_it_was_made() {
        let doc = fixture::weekly();
        let at = fixture::time("2027-01-11T08:00:00+01:00").to_utc();
        let weekly = Weekly { at, ..fixture::digest(&doc) };
        let lines = format!("{:?}", weekly.machine(&doc.instances[0]).lines);
        assert!(lines.contains("will be stopped Fri 4 Dec 2026"), "{lines}");
        // A day that has passed would keep nothing.
        assert!(lines.contains("--until 2027-01-25"), "{lines}");
    }

    #[test]
    fn fl_055_a_machine_that_looks_off_and_is_billed_says_so() {
        let shown = row(&fixture::machines()[1], |_| {});
        assert!(
            shown.contains("looks off, and is billed in full: its state is SHUTOFF"),
            "{shown}"
        );
    }

    #[test]
    fn text_from_outside_is_cleaned_cut_and_no_link() {
        let mut machine = fixture::machines().remove(0);
        machine.name = Some(format!("\u{202e}https://evil.example/{}", "x".repeat(9_000)));
        let shown = row(&machine, |_| {});
        assert!(shown.starts_with("⟨202e⟩https:⟨2f⟩/evil"), "{shown}");
        assert!(shown.chars().count() < 1_200, "{}", shown.chars().count());
    }
}
