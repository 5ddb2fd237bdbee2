//! What was or would be done, what waits for the end of its notice, and the mails about it.

use reaper_model::AuditDocument;
use reaper_model::document::MachineView;

use super::document::{
    BYTES_FOR_ACTIONS, BYTES_FOR_MAILS, BYTES_FOR_WAITING, Document, cell, cells, code, identity,
    kind, lines,
};
use crate::action;
use crate::figures::Zone;
use crate::machine::{self, MISSING};
use crate::mail;
use crate::waiting;

pub(super) fn write(out: &mut Document, doc: &AuditDocument) {
    actions(out, doc);
    waiting(out, doc);
    mails(out, doc);
}

fn actions(out: &mut Document, doc: &AuditDocument) {
    let actions = action::actions(doc);
    if actions.is_empty() {
        return;
    }
    out.table("Actions", &["Machine", "Outcome", "Where", "Type", "Owner", "Call", "Due", "Money"]);
    out.rows(&actions, BYTES_FOR_ACTIONS, |action| {
        let machine = action.machine;
        let mut outcome = vec![action.outcome()];
        outcome.extend(machine.action.result_why.clone());
        let mut money = vec![action.saving()];
        money.extend(action.price());
        vec![
            identity(machine),
            lines(&outcome),
            cell(&machine::place(machine)),
            kind(machine),
            cell(&machine::owner(machine)),
            format!(
                "{}<br>rule {}",
                code(machine.action.call.as_deref().unwrap_or(MISSING)),
                cell(action.rule())
            ),
            due(machine, doc),
            lines(&money),
        ]
    });
}

fn waiting(out: &mut Document, doc: &AuditDocument) {
    let groups = waiting::groups(doc);
    let machines: Vec<_> = groups
        .iter()
        .flat_map(|group| group.machines.iter().map(move |machine| (group, *machine)))
        .collect();
    if machines.is_empty() {
        return;
    }
    out.table("Waiting", &["Machine", "State", "Due", "Where", "Type", "Owner", "Why"]);
    out.rows(&machines, BYTES_FOR_WAITING, |(group, machine)| {
        vec![
            identity(machine),
            lines(&[group.title.to_lowercase(), group.meaning.to_owned()]),
            due(machine, doc),
            cell(&machine::place(machine)),
            kind(machine),
            cell(&machine::owner(machine)),
            cell(machine.action.why.as_deref().unwrap_or(MISSING)),
        ]
    });
}

fn due(machine: &MachineView, doc: &AuditDocument) -> String {
    cell(waiting::due(machine, Zone::of(doc)).as_deref().unwrap_or(MISSING))
}

fn mails(out: &mut Document, doc: &AuditDocument) {
    let mails = doc.mails.iter().map(|mail| {
        let mut parts = vec![mail.to.clone(), mail::about(mail), mail.subject.clone()];
        parts.extend(mail.why.clone());
        format!("**{}** {}", mail::status(mail), cells(&parts))
    });
    out.list("Mails", BYTES_FOR_MAILS, mails);
}
