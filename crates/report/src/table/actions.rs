//! What was or would be done, what waits for the end of its notice, and the mails about it.

use reaper_model::AuditDocument;
use reaper_model::document::MachineView;

use super::machines::heading;
use crate::action::{self, Action};
use crate::figures::Zone;
use crate::layout::{Page, style};
use crate::machine;
use crate::mail;
use crate::waiting;

const INDENT: usize = 2;
const LABEL_WIDTH: usize = 6;
/// `POSSIBLY SENT`.
const STATUS_WIDTH: usize = 13;
/// `Thu 31 Dec 2026 09:00 CEST`.
const DUE_WIDTH: usize = 26;
/// A bound for sentences that quote a provider or a mail server.
const MOST_LINES: usize = 4;

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    let actions = action::actions(doc);
    if actions.is_empty() {
        return;
    }
    heading(page, "ACTIONS", actions.len(), None);
    for (index, action) in actions.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        write_action(page, Zone::of(doc), action);
    }
}

fn write_action(page: &mut Page, zone: Zone, action: &Action<'_>) {
    let machine = action.machine;
    let mood = match (action.is_failure(), action.is_confirmed()) {
        (true, _) => style::ALARM,
        (false, true) => style::GOOD,
        (false, false) => style::HEADING,
    };
    let first = [machine::name(machine).to_owned(), action.outcome()];
    page.flow(INDENT, mood, &first, MOST_LINES);
    page.flow(INDENT * 2, style::PLAIN, &identity(machine), MOST_LINES);

    let mut note = |label, parts: &[String]| {
        page.labelled(INDENT * 2, (label, LABEL_WIDTH), style::PLAIN, parts, MOST_LINES);
    };
    let mut call: Vec<String> = machine.action.call.clone().into_iter().collect();
    call.push(format!("rule {}", action.rule()));
    call.extend(waiting::due(machine, zone).map(|due| format!("due {due}")));
    note("call", &call);
    note("result", machine.action.result_why.as_slice());
    note("money", &[vec![action.saving()], action.price()].concat());
}

/// Which machine: id, place, type, GPUs, owner.
fn identity(machine: &MachineView) -> Vec<String> {
    vec![
        machine.native_id.clone(),
        machine::place(machine),
        machine.machine_type.to_string(),
        machine::gpus(machine),
        format!("owner {}", machine::owner(machine)),
    ]
}

pub(super) fn write_waiting(page: &mut Page, doc: &AuditDocument) {
    let zone = Zone::of(doc);
    for group in waiting::groups(doc) {
        heading(page, group.title, group.machines.len(), Some(group.meaning));
        for machine in group.machines {
            let name = machine::name(machine);
            let mut parts = identity(machine);
            parts.extend(machine.action.why.clone());
            if let Some(due) = waiting::due(machine, zone) {
                parts.insert(0, name.to_owned());
                page.entry(INDENT, (&due, DUE_WIDTH), style::PLAIN, &parts, MOST_LINES);
            } else {
                page.text(INDENT, style::PLAIN, name, 1);
                page.flow(INDENT * 2, style::DIM, &parts, MOST_LINES);
            }
        }
    }
}

pub(super) fn write_mails(page: &mut Page, doc: &AuditDocument) {
    if doc.mails.is_empty() {
        return;
    }
    heading(page, "MAILS", doc.mails.len(), None);
    for mail in &doc.mails {
        let mood = if mail::is_undelivered(mail) { style::ALARM } else { style::PLAIN };
        let mut parts = vec![mail.to.clone(), mail::about(mail), mail.subject.clone()];
        parts.extend(mail.why.clone());
        page.entry(INDENT, (mail::status(mail), STATUS_WIDTH), mood, &parts, MOST_LINES);
    }
}
