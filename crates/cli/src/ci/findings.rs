//! What of a document is worth an annotation: what failed, what is found, what was done. Plain text,
//! neither cleaned nor escaped.

use reaper_model::document::{
    AuditDocument, BudgetStatus, BudgetView, MachineView, MailStatus, ScopeStatus, ScopeView,
    Verdict,
};
use reaper_model::{ActionResult, Class};

use super::annotations::Kind;
use crate::failure::Failure;

/// All of it, worst first, in the document's order.
pub(super) fn of(document: &AuditDocument) -> Vec<(Kind, String)> {
    let error = |text| (Kind::Error, text);
    let mut found: Vec<(Kind, String)> =
        document.scopes.iter().filter_map(unread).map(error).collect();
    let held = document.plan.iter().flat_map(|plan| &plan.held);
    found.extend(held.map(|why| error(format!("held by the brake: {why}"))));
    found.extend(document.instances.iter().filter_map(failed).map(error));
    found.extend(undelivered(document).map(error));
    found.extend(document.budgets.iter().filter_map(budget));
    found.extend(document.instances.iter().filter_map(machine));
    found
}

/// Of a command that had nothing to show. Another run at work is nobody's fault.
pub(super) fn of_failure(failure: &Failure) -> (Kind, String) {
    let kind = if failure.class() == Class::Locked { Kind::Warning } else { Kind::Error };
    (kind, failure.text(false))
}

fn unread(scope: &ScopeView) -> Option<String> {
    let word = match scope.status {
        ScopeStatus::Partial => "read in part",
        ScopeStatus::Failed => "not read",
        ScopeStatus::Complete | ScopeStatus::Skipped => return None,
    };
    let place = scope.location.as_ref().map_or(String::new(), |place| format!("/{place}"));
    let why = scope.why.as_deref().unwrap_or("no reason given");
    Some(format!("{}/{}{place} {word}: {why}", scope.provider, scope.account))
}

fn failed(machine: &MachineView) -> Option<String> {
    let action = &machine.action;
    let what = match action.result {
        Some(ActionResult::Unconfirmed) => "not confirmed",
        Some(ActionResult::Refused) => "refused",
        None if action.result_why.is_some() => "no result",
        _ => return None,
    };
    let why = action.result_why.as_deref().unwrap_or("no reason given");
    Some(format!("{} {what}: {why}", identity(machine)))
}

fn undelivered(document: &AuditDocument) -> impl Iterator<Item = String> {
    let failed = document
        .mails
        .iter()
        .filter(|mail| !matches!(mail.status, MailStatus::Accepted | MailStatus::Due));
    failed.map(|mail| {
        let why = mail.why.as_deref().unwrap_or("no reason given");
        format!("mail to {} {}: {why} ({})", mail.to, mail.status.name(), mail.subject)
    })
}

fn budget(budget: &BudgetView) -> Option<(Kind, String)> {
    let at_least = if budget.at_least { "at least " } else { "" };
    let word = match budget.status {
        BudgetStatus::Ok => return None,
        BudgetStatus::Warn => "a threshold is reached",
        BudgetStatus::Over => "over its limit",
        BudgetStatus::ForecastOver => "the month will reach a threshold",
        BudgetStatus::Incomplete => "what is spent is not known in full",
    };
    let BudgetView { name, limit, spent, percent, .. } = budget;
    let text = format!(
        "budget {name}: {at_least}{spent} of {limit} spent ({at_least}{percent} %), {word}"
    );
    Some((Kind::Warning, text))
}

/// An orphan, or one that was.
fn machine(machine: &MachineView) -> Option<(Kind, String)> {
    let done = machine.action.result == Some(ActionResult::Confirmed);
    if done {
        let call = machine.action.call.as_deref().unwrap_or("stopped");
        return Some((Kind::Notice, format!("{}: {call}, confirmed", identity(machine))));
    }
    if machine.verdict != Verdict::Orphan {
        return None;
    }
    let cost = machine.cost.as_ref().map(|cost| cost.per_month_if_left);
    let cost = cost.map_or_else(
        || "what it costs is not known".to_owned(),
        |cost| format!("{cost} a month if left"),
    );
    let why = machine.findings.first().map_or(&machine.why, |finding| &finding.explanation);
    let place = format!("{}/{}/{}", machine.provider, machine.account, machine.location);
    Some((Kind::Warning, format!("{} in {place}: {why}; {cost}", identity(machine))))
}

fn identity(machine: &MachineView) -> String {
    let name = machine.name.as_deref().unwrap_or("a machine without a name");
    format!("{name} ({}, {})", machine.native_id, machine.machine_type)
}
