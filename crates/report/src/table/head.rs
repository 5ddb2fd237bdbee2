//! The top of the table: the headline, and loudly what could not be read.

use anstyle::Style;
use reaper_model::AuditDocument;

use crate::layout::{Page, style};
use crate::summary::{self, ScopeGroup};

/// Enough for every region of an account by name, and a bound for the provider's error text.
const MOST_LINES: usize = 12;
const STATUS_WIDTH: usize = 8;

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    let found = doc.totals.orphans > 0;
    let unread = summary::unread(doc);
    let mood = match (found, &unread) {
        (true, _) => style::ORPHAN,
        (false, Some(_)) => style::CAUTION,
        (false, None) => style::GOOD,
    };
    page.flow(0, mood, &summary::headline(doc), MOST_LINES);
    if found {
        let around = [summary::coverage(doc), summary::running(doc)];
        page.flow(0, style::PLAIN, &around, MOST_LINES);
    }
    for caveat in summary::caveats(doc) {
        page.text(0, style::CAUTION, &caveat, MOST_LINES);
    }
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
}

/// One group of scopes: status, places, reason.
pub(super) fn scope_line(page: &mut Page, style: Style, group: &ScopeGroup<'_>) {
    let label = (summary::status_word(group.status), STATUS_WIDTH);
    page.labelled(2, label, style, &group.parts(), MOST_LINES);
}
