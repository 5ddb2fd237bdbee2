//! One suite per scope: how it was read, and its machines.

use std::collections::BTreeMap;

use quick_junit::{TestCase, TestSuite};
use reaper_model::document::{AuditDocument, MachineView, ScopeStatus, ScopeView};
use reaper_model::{Class, State};

use super::cases::{self, Verdict};
use crate::figures::Zone;
use crate::{action, advice, keep, machine, summary, utilisation, waiting};

/// A scope by provider, account and location, in the document's order; machines elsewhere follow.
pub(super) fn suites(doc: &AuditDocument) -> Vec<TestSuite> {
    let mut order: Vec<String> = Vec::new();
    let mut suites: BTreeMap<String, TestSuite> = BTreeMap::new();
    let mut add = |place: String, case: TestCase| {
        let suite = suites.entry(place.clone()).or_insert_with(|| {
            order.push(place.clone());
            cases::suite(&place, doc)
        });
        suite.add_test_case(case);
    };
    for scope in &doc.scopes {
        let place = place(scope);
        add(place.clone(), reading(&place, scope));
    }
    for machine in doc.instances.iter().filter(|machine| machine.state != State::Ended) {
        let place = machine::place(machine);
        add(place.clone(), judged(doc, &place, machine));
    }
    order.iter().filter_map(|place| suites.remove(place)).collect()
}

fn place(scope: &ScopeView) -> String {
    let account = format!("{}/{}", scope.provider, scope.account);
    scope.location.as_ref().map_or(account.clone(), |location| format!("{account}/{location}"))
}

fn reading(place: &str, scope: &ScopeView) -> TestCase {
    let verdict = match scope.status {
        ScopeStatus::Complete => Verdict::Passed,
        ScopeStatus::Skipped => Verdict::Skipped,
        ScopeStatus::Partial => Verdict::Error("partial"),
        ScopeStatus::Failed => Verdict::Error("unread"),
    };
    let mut lines = vec![summary::status_word(scope.status).to_owned()];
    if let Some(why) = &scope.why {
        lines.insert(0, format!("{}: {why}", summary::status_word(scope.status)));
        lines.truncate(1);
    }
    cases::case(place, "scope was read in full", &verdict, &lines)
}

fn judged(doc: &AuditDocument, place: &str, machine: &MachineView) -> TestCase {
    use reaper_model::document::Verdict as Found;
    let verdict = match machine.verdict {
        Found::Ok => Verdict::Passed,
        Found::Orphan => Verdict::Failure("orphan"),
        Found::Unjudged if doc.outcome.classes.contains(&Class::Incomplete) => {
            Verdict::Error("unjudged")
        }
        Found::Unjudged | Found::Exempt | Found::Protected | Found::Managed => Verdict::Skipped,
    };
    let name = match machine::name(machine) {
        machine::MISSING => machine.native_id.clone(),
        name => format!("{name} ({})", machine.native_id),
    };
    cases::case(place, &name, &verdict, &lines(doc, machine))
}

/// The reason first, then everything that tells a reader which machine it is and what comes next.
fn lines(doc: &AuditDocument, machine: &MachineView) -> Vec<String> {
    let orphan = machine.verdict == reaper_model::document::Verdict::Orphan;
    let mut lines = if orphan { machine::reasons(machine) } else { vec![machine.why.clone()] };
    if let Some(state) = machine::odd_state(machine) {
        let first = if machine.stopped_but_billed { 0 } else { lines.len() };
        lines.insert(first, state);
    }
    lines.extend(utilisation::beside_reasons(machine));
    lines.extend(machine::gaps(machine));
    lines.push(format!("verdict: {}", machine.verdict.name()));
    lines.push(format!("id: {}", machine.id));
    let mut make = vec![machine.machine_type.to_string(), machine::gpus(machine)];
    make.extend(machine::purchase(machine).map(str::to_owned));
    lines.push(format!("type: {}", make.join(", ")));
    lines.push(format!("age: {}", machine::age(machine)));
    lines.push(format!("owner: {}", machine::owner(machine)));
    lines.push(format!("cost so far: {}", machine::so_far(machine)));
    lines.push(format!("a further month: {}", machine::per_month(machine)));
    let pieces = advice::pieces(doc, std::iter::once(machine));
    lines.extend(pieces.iter().map(|piece| format!("advice: {}", piece.line())));
    if !orphan {
        return lines;
    }
    let mut planned = action::planned(machine);
    planned.extend(machine.action.why.clone());
    lines.push(format!("planned in this run: {}", planned.join(", ")));
    lines.extend(waiting::due(machine, Zone::of(doc)).map(|due| format!("due: {due}")));
    let outcome = action::of(doc, machine).map(|action| action.outcome());
    lines.extend(outcome.map(|outcome| format!("outcome: {outcome}")));
    lines.extend(machine.action.result_why.clone());
    lines
        .extend(machine::still_charged_short(machine).map(|what| format!("still charged: {what}")));
    lines.push(format!("to keep it: {}", keep::command(doc, machine)));
    lines
}
