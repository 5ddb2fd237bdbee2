//! The top of the table: alerts, headlines, and loudly what could not be read.

use anstyle::Style;
use reaper_model::AuditDocument;
use reaper_model::document::Mode;

use super::{budgets, leftovers, week};
use crate::action::{self, Action};
use crate::alert;
use crate::finding::is_finding;
use crate::layout::{Page, style};
use crate::mail;
use crate::summary::{self, ScopeGroup};

/// Enough for every region of an account by name, and a bound for the provider's error text.
const MOST_LINES: usize = 12;
const STATUS_WIDTH: usize = 8;

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    for alert in alert::alerts(doc) {
        page.text(0, style::ALARM, &alert.title, MOST_LINES);
        for line in alert.lines {
            page.text(2, style::CAUTION, &line, MOST_LINES);
        }
        page.blank();
    }
    if let Some(done) = action::headline(doc) {
        page.flow(0, mood_of_actions(doc), &done, MOST_LINES);
    }
    if doc.mode == Mode::Plan {
        page.text(0, style::PLAIN, summary::ONLY_A_PLAN, MOST_LINES);
    }
    let found = doc.totals.orphans > 0;
    let unread = summary::unread(doc);
    let unsure = unread.is_some() || doc.totals.unmeasured > 0;
    let mood = match (found || doc.instances.iter().any(is_finding), unsure) {
        (true, _) => style::ORPHAN,
        (false, true) => style::CAUTION,
        (false, false) => style::GOOD,
    };
    page.flow(0, mood, &summary::headline(doc), MOST_LINES);
    let mut around = vec![summary::as_of(doc)];
    if found {
        around.splice(0..0, [summary::coverage(doc), summary::running(doc)]);
    }
    page.flow(0, style::PLAIN, &around, MOST_LINES);
    week::write_headline(page, doc);
    budgets::write_headline(page, doc);
    page.flow(0, style::CAUTION, &summary::caveats(doc), MOST_LINES);
    let apart = unread.is_some();
    if let Some(unread) = unread {
        page.blank();
        let alarm = format!("{unread}: machines there may be missing");
        page.text(0, style::ALARM, &alarm, MOST_LINES);
        for group in summary::scope_groups(doc) {
            if summary::is_unread(group.status) {
                scope_line(page, style::ALARM, &group);
            }
        }
    }
    leftovers::write_headline(page, doc, apart);
}

fn mood_of_actions(doc: &AuditDocument) -> Style {
    let actions = action::actions(doc);
    if actions.iter().any(Action::is_failure) || doc.mails.iter().any(mail::is_undelivered) {
        style::ALARM
    } else if actions.iter().any(Action::is_confirmed) {
        style::GOOD
    } else {
        style::HEADING
    }
}

/// One group of scopes: status, places, reason.
pub(super) fn scope_line(page: &mut Page, style: Style, group: &ScopeGroup<'_>) {
    let label = (summary::status_word(group.status), STATUS_WIDTH);
    page.labelled(2, label, style, &group.parts(), MOST_LINES);
}
