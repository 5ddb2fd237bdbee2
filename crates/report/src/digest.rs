//! The document in a few lines, for channels that take no more: what will be stopped and when, what
//! was, how budgets stand, what was not read. Plain text, neither cleaned nor escaped.

use reaper_model::document::{
    AuditDocument, MachineView, ReportView, ScopeStatus, StoppedView, WantedAction,
};

use crate::figures::{Zone, count};
use crate::finding::{self, Matter, Stops};
use crate::{
    action, advice, alert, budget, leftover, machine, summary, utilisation, waiting, weekly,
};

/// A document in a few lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// One line: what matters most.
    pub title: String,
    /// What must be read before anything else. Usually nothing.
    pub alarms: Vec<String>,
    /// The run as a whole: period, sums, what has changed, coverage.
    pub lead: Vec<String>,
    /// Lists, the most pressing first; none is empty.
    pub parts: Vec<Part>,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What its rows are.
    pub title: &'static str,
    /// What holds for all of them.
    pub note: Option<String>,
    /// What matters most first.
    pub rows: Vec<Row>,
}

/// A machine, a budget, a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is known as.
    pub name: String,
    /// What is to be said of it, what matters most first.
    pub facts: Vec<String>,
}

/// A document in a few lines. What stands in `report` is told where it is there.
pub fn digest(doc: &AuditDocument) -> Digest {
    let alarms = alert::alerts(doc).into_iter().map(|alarm| {
        std::iter::once(alarm.title).chain(alarm.lines).collect::<Vec<_>>().join(" · ")
    });
    let mut lead = Vec::new();
    if let Some(report) = &doc.report {
        lead.push(weekly::period(doc, report).join(" · "));
    }
    lead.push(summary::headline(doc).join(" · "));
    if let Some(report) = &doc.report {
        lead.push(weekly::headline(report).join(" · "));
    }
    // Where nothing was found, the headline has said these already.
    let found = doc.totals.orphans > 0;
    let mut looked = Vec::new();
    looked.extend(found.then(|| summary::coverage(doc)));
    looked.extend(found.then(|| summary::running(doc)));
    looked.extend(summary::unread(doc));
    looked.extend(summary::caveats(doc));
    looked.push(summary::last_complete(doc));
    lead.push(looked.join(" · "));
    lead.extend(leftovers(doc));
    lead.extend(advised(doc));
    Digest { title: title(doc), alarms: alarms.collect(), lead, parts: parts(doc) }
}

/// What was left behind, in one line, with the dearest of it.
fn leftovers(doc: &AuditDocument) -> Option<String> {
    let mut parts = leftover::headline(doc)?;
    parts.extend(doc.leftovers.first().map(|first| {
        format!(
            "the dearest: {} {}, {}, {}, owner {}",
            leftover::noun(first.kind),
            leftover::known_as(first),
            leftover::cost(first),
            leftover::since(first),
            leftover::owner(first)
        )
    }));
    Some(parts.join(" · "))
}

/// What would do for less, in one line, with the best of it.
fn advised(doc: &AuditDocument) -> Option<String> {
    let headline = advice::headline(doc)?;
    let best = advice::all(doc)
        .first()
        .map(|piece| format!("{}: {}", machine::known_as(piece.machine), piece.advice.text));
    Some([Some(headline), best].into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

fn title(doc: &AuditDocument) -> String {
    let matter = finding::matter(doc, doc.instances.iter(), &doc.budgets);
    let budgets = doc.budgets.iter().filter(|budget| budget::is_pressing(budget)).count();
    let mut parts = said(doc, &matter);
    if matter == Matter::Blind {
        return format!("reaper: {}", parts.join(", "));
    }
    if budgets > 0 {
        parts.push(format!("{} at a threshold or over", count(budgets, "budget")));
    }
    parts.extend(summary::unread(doc));
    format!("reaper: {}", parts.join(", "))
}

/// `3 machines will be stopped, first Fri 4 Dec 2026 09:00 CET`, or that nothing will.
fn said(doc: &AuditDocument, matter: &Matter) -> Vec<String> {
    let machines = |number| count(number, "machine");
    let checked = || format!("{} checked", machines(doc.totals.instances));
    match matter {
        Matter::Blind => vec!["nothing could be read, so nothing is known".to_owned()],
        Matter::Stops(stops) => will(doc, stops),
        Matter::Found(found) => {
            let s = if *found == 1 { "s" } else { "" };
            vec![format!("{} look{s} forgotten", machines(*found))]
        }
        Matter::Unread => vec!["nothing found in what could be read".to_owned()],
        Matter::Unjudged(number) => {
            vec!["nothing found".to_owned(), format!("{} could not be judged", machines(*number))]
        }
        Matter::Unmeasured(number) => {
            let unmeasured = format!("use of {} not measured", machines(*number));
            let mut parts = vec!["nothing found".to_owned(), checked(), unmeasured];
            parts.extend(budget::unsure(&doc.budgets));
            parts
        }
        Matter::Nothing => {
            let mut parts = vec!["nothing found".to_owned(), checked()];
            parts.extend(budget::unsure(&doc.budgets));
            parts
        }
        Matter::Clear => vec!["all clear".to_owned(), checked()],
    }
}

fn will(doc: &AuditDocument, stops: &Stops) -> Vec<String> {
    let machines = |number| count(number, "machine");
    let mut parts = Vec::new();
    parts.extend((stops.held > 0).then(|| format!("{} held by the brake", machines(stops.held))));
    let Some(&first) = stops.due.first() else { return parts };
    // Only a run that can act may promise.
    let will = match (doc.enforces, stops.due.len()) {
        (true, _) => "will be",
        (false, 1) => "is announced to be",
        (false, _) => "are announced to be",
    };
    parts.push(match (stops.due.len(), stops.ended) {
        (all, 0) => format!("{} {will} stopped", machines(all)),
        (all, ended) if all == ended => format!("{} {will} terminated", machines(all)),
        (all, ended) => format!("{} {will} stopped, {ended} of them terminated", machines(all)),
    });
    parts.push(if first > doc.now {
        let order = if stops.due.len() == 1 { "" } else { "first " };
        format!("{order}{}", Zone::of(doc).day(first))
    } else {
        "due now".to_owned()
    });
    parts
}

fn is_ended_by_it(machine: &MachineView) -> bool {
    machine.action.wanted == Some(WantedAction::Terminate)
}

fn parts(doc: &AuditDocument) -> Vec<Part> {
    let mut announced: Vec<&MachineView> =
        doc.instances.iter().filter(|machine| finding::is_announced(machine)).collect();
    announced.sort_by_key(|machine| waiting::due_at(machine));
    let (held, coming): (Vec<&MachineView>, Vec<&MachineView>) =
        announced.into_iter().partition(|machine| finding::is_held(doc, machine));
    let found = doc
        .instances
        .iter()
        .filter(|machine| finding::is_finding(machine) && !finding::is_announced(machine));
    let to_keep = "To keep a machine: reaper keep ID --until DATE --reason \"why\"";
    let stopped = doc.report.iter().flat_map(|report: &ReportView| &report.stopped);
    let unread = [ScopeStatus::Failed, ScopeStatus::Partial];
    let lists = [
        Part {
            title: "Held by the brake",
            note: Some(to_keep.to_owned()),
            rows: held.iter().map(|machine| announced_row(doc, machine)).collect(),
        },
        Part {
            title: if doc.enforces { "Will be stopped" } else { "Announced to be stopped" },
            note: Some(to_keep.to_owned()),
            rows: coming.iter().map(|machine| announced_row(doc, machine)).collect(),
        },
        Part {
            title: "Stopped since the last report",
            note: None,
            rows: stopped.map(|stopped| stopped_row(doc, stopped)).collect(),
        },
        Part {
            title: "Budgets",
            note: None,
            rows: budget::budgets(doc)
                .into_iter()
                .map(|budget| Row {
                    name: budget.name.clone(),
                    facts: [budget::standing(budget), budget::spent(budget)]
                        .into_iter()
                        .chain(
                            budget::forecast(budget)
                                .into_iter()
                                .take(1)
                                .map(|forecast| format!("forecast {forecast}")),
                        )
                        .collect(),
                })
                .collect(),
        },
        Part {
            title: "Not read in full",
            note: None,
            rows: summary::scope_groups(doc)
                .into_iter()
                .filter(|group| unread.contains(&group.status))
                .map(|group| {
                    let mut facts = vec![summary::status_word(group.status).to_owned()];
                    facts.extend(group.why.map(str::to_owned));
                    facts.extend((!group.locations.is_empty()).then(|| group.locations.join(", ")));
                    Row { name: group.account, facts }
                })
                .collect(),
        },
        Part {
            title: "Look forgotten, nothing is announced",
            note: None,
            rows: found
                .map(|machine| Row {
                    name: machine::known_as(machine).to_owned(),
                    facts: about(machine),
                })
                .collect(),
        },
    ];
    lists.into_iter().filter(|part| !part.rows.is_empty()).collect()
}

fn announced_row(doc: &AuditDocument, machine: &MachineView) -> Row {
    let verb = if is_ended_by_it(machine) { "terminated" } else { "stopped" };
    let is_over = waiting::due_at(machine).is_some_and(|due| due <= doc.now);
    let will = match (doc.enforces, is_over) {
        (true, false) => "will be",
        (true, true) => "was to be",
        (false, _) => "announced to be",
    };
    let mut facts = Vec::new();
    facts.extend(waiting::due(machine, Zone::of(doc)).map(|when| format!("{will} {verb} {when}")));
    facts.extend(action::of(doc, machine).map(|action| action.outcome()));
    facts.extend(about(machine));
    Row { name: machine::known_as(machine).to_owned(), facts }
}

/// What a machine costs, whose it is, why it is here, which it is.
fn about(machine: &MachineView) -> Vec<String> {
    let mut cost = vec![format!("{} so far", machine::so_far(machine))];
    cost.extend(machine::per_day(machine).map(|day| format!("{day} a day")));
    let mut facts = vec![cost.join(", "), format!("owner {}", machine::owner(machine))];
    facts.extend(machine.stopped_but_billed.then(|| "stopped but billed".to_owned()));
    facts.extend(machine::reasons(machine).into_iter().take(1));
    facts.extend(utilisation::beside_reasons(machine));
    facts.push(format!("{}, {}", machine.machine_type, machine::gpus(machine)));
    facts.push(format!("age {}", machine::age(machine)));
    facts.push(format!("{}, id {}", machine::place(machine), machine.native_id));
    facts
}

fn stopped_row(doc: &AuditDocument, stopped: &StoppedView) -> Row {
    let named = weekly::name(stopped.name.as_deref());
    let name = if named == machine::MISSING { stopped.id.as_str() } else { named };
    let mut facts = weekly::done(doc, stopped);
    facts.push(format!("saved {}", weekly::amount(stopped.saved)));
    facts.push(format!("owner {}", weekly::known(stopped.owner.as_ref())));
    facts.push(format!(
        "{}, {}",
        weekly::known(stopped.machine_type.as_ref()),
        weekly::stopped_place(stopped)
    ));
    Row { name: name.to_owned(), facts }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use reaper_model::document::{BudgetStatus, Verdict};

    use super::*;
    use crate::fixture;

    fn titles(doc: &AuditDocument) -> Vec<&'static str> {
        digest(doc).parts.into_iter().map(|part| part.title).collect()
    }

    #[test]
    fn fl_149_a_clean_week_says_what_was_looked_at() {
        let digest = digest(&fixture::nothing_found());
        assert_eq!(digest.title, "reaper: all clear, 2 machines checked");
        assert_eq!(digest.alarms, Vec::<String>::new());
        assert_eq!(digest.parts, []);
        assert_eq!(
            digest.lead,
            [
                "nothing found · 2 machines in 2 scopes · 7.00 EUR an hour running",
                "no complete run is recorded"
            ]
        );
    }

    #[test]
    fn what_was_left_behind_and_advice_are_a_line_each() {
        let digest = digest(&fixture::mixed());
        let lines: Vec<&String> = digest.lead.iter().rev().take(2).rev().collect();
        assert_eq!(
            lines,
            [
                "5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system · at least \
                 221.65 EUR and 240.00 USD a month · 1 without a price · the dearest: file system \
                 datasets, 240.00 USD a month, age 200d 0h (counted from its creation: since when \
                 nobody uses it is not told), owner none",
                "4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute \
                 only) · eks-node: mean use 9 % over the last 7 days, at most 22 of 80 GiB of \
                 memory in use on each GPU: g6e.48xlarge (8×L40S) would do"
            ]
        );
    }

    #[test]
    fn fl_097_a_week_in_which_idleness_could_not_be_measured_is_not_all_clear() {
        let mut doc = fixture::nothing_found();
        doc.instances[0].utilisation.verdict = reaper_model::document::IdleVerdict::Unknown;
        doc.totals.unmeasured = 1;
        let digest = digest(&doc);
        assert_eq!(
            digest.title,
            "reaper: nothing found, 2 machines checked, use of 1 machine not measured"
        );
        assert!(digest.lead[1].contains("use not measured of 1 machine"), "{digest:?}");
    }

    #[test]
    fn partial_is_loud_in_the_title() {
        let mut doc = fixture::nothing_found();
        doc.scopes[1].status = ScopeStatus::Failed;
        assert_eq!(
            digest(&doc).title,
            "reaper: nothing found in what could be read, 1 of 2 scopes could not be read in full"
        );
        assert_eq!(titles(&doc), ["Not read in full"]);
        doc.scopes[0].status = ScopeStatus::Failed;
        assert_eq!(digest(&doc).title, "reaper: nothing could be read, so nothing is known");
    }

    #[test]
    fn fl_149_all_clear_is_said_only_where_all_was_judged_and_no_budget_is_full() {
        let mut doc = fixture::nothing_found();
        doc.instances[0].verdict = Verdict::Unjudged;
        assert_eq!(digest(&doc).title, "reaper: nothing found, 1 machine could not be judged");
        doc.instances[0].verdict = Verdict::Ok;
        doc.budgets = fixture::budgeted().budgets;
        assert_eq!(
            digest(&doc).title,
            "reaper: nothing found, 2 machines checked, 4 budgets at a threshold or over"
        );
        doc.budgets.truncate(1);
        doc.budgets[0].status = BudgetStatus::Incomplete;
        assert_eq!(
            digest(&doc).title,
            "reaper: nothing found, 2 machines checked, 1 budget incomplete"
        );
    }

    #[test]
    fn fl_055_a_machine_that_looks_off_and_is_billed_is_no_clear_week() {
        let mut doc = fixture::nothing_found();
        doc.instances[0].stopped_but_billed = true;
        doc.totals.stopped_but_billed = 1;
        let digest = digest(&doc);
        assert_eq!(digest.title, "reaper: 1 machine looks forgotten");
        assert!(digest.lead[0].starts_with("no orphan · 1 stopped but billed · 2 machines in"));
        assert_eq!(digest.parts[0].title, "Look forgotten, nothing is announced");
        assert!(digest.parts[0].rows[0].facts.contains(&"stopped but billed".to_owned()));
    }

    #[test]
    fn brake_stops_everything_and_no_stop_is_promised_of_what_it_holds() {
        let mut doc = fixture::braked();
        doc.enforces = true;
        let digest = digest(&doc);
        assert!(
            digest.title.starts_with(
                "reaper: 2 machines held by the brake, 1 machine will be stopped, Thu 3 Dec 2026"
            ),
            "{}",
            digest.title
        );
        assert_eq!(digest.parts[0].title, "Held by the brake");
        let facts = &digest.parts[0].rows[0].facts;
        assert!(facts[0].starts_with("was to be stopped Mon 30 Nov 2026 08:00"), "{facts:?}");
        assert_eq!(facts[1], "held by the brake");
    }

    #[test]
    fn a_stop_is_promised_only_by_a_run_that_can_act() {
        let mut doc = fixture::planned();
        doc.enforces = true;
        let enforcing = digest(&doc);
        assert!(enforcing.title.contains(" will be stopped"), "{}", enforcing.title);
        doc.enforces = false;
        let reporting = digest(&doc);
        assert!(!format!("{reporting:?}").contains("will be stopped"), "{reporting:?}");
        assert!(reporting.title.contains("announced to be stopped"), "{}", reporting.title);
    }

    #[test]
    fn every_machine_is_in_one_list() {
        let doc = fixture::weekly();
        let digest = digest(&doc);
        let rows: Vec<&Row> = digest
            .parts
            .iter()
            .filter(|part| part.title.contains("stopped") && !part.title.starts_with("Stopped"))
            .chain(digest.parts.iter().filter(|part| part.title.starts_with("Look")))
            .flat_map(|part| &part.rows)
            .collect();
        let distinct: BTreeSet<&Vec<String>> = rows.iter().map(|row| &row.facts).collect();
        assert_eq!(distinct.len(), rows.len());
        assert!(!rows.is_empty());
    }

    #[test]
    fn fl_128_a_schedule_that_has_gone_home_is_said_first() {
        let mut doc = fixture::nothing_found();
        doc.last_complete_run = Some(fixture::time("2026-11-18T09:00:00+01:00"));
        let digest = digest(&doc);
        assert!(digest.alarms[0].starts_with("THE LAST COMPLETE RUN WAS 12 DAYS AGO"));
    }
}
