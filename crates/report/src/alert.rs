//! What must be read before anything else: an old picture, a run that was cut off, the brake.
//! Plain text, neither cleaned nor escaped.

use chrono::TimeDelta;
use reaper_model::AuditDocument;
use reaper_model::document::Mode;

use crate::action;
use crate::figures::Zone;
use crate::mail;

/// A weekly schedule, and a day for a late start: silence beyond that is no schedule any more.
const STALE_AFTER: TimeDelta = TimeDelta::days(8);

/// One block before the headline.
pub(crate) struct Alert {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
}

/// All of them, in reading order.
pub(crate) fn alerts(doc: &AuditDocument) -> Vec<Alert> {
    [stale(doc), interrupted(doc), brake(doc)].into_iter().flatten().collect()
}

fn stale(doc: &AuditDocument) -> Option<Alert> {
    let last = doc.last_complete_run?;
    let gap = doc.now - last;
    (gap > STALE_AFTER).then(|| Alert {
        title: format!("THE LAST COMPLETE RUN WAS {} DAYS AGO", gap.num_days()),
        lines: vec![format!(
            "{}: is the schedule still alive? Costs count from launch times, the gap included.",
            Zone::of(doc).day(last)
        )],
    })
}

fn interrupted(doc: &AuditDocument) -> Option<Alert> {
    doc.interrupted.then(|| {
        let mut lines = action::progress(doc);
        let mails = mail::headline(doc);
        lines.extend((!mails.is_empty()).then(|| mails.join(", ")));
        let title = "INTERRUPTED: the run ended before everything was done".to_owned();
        Alert { title, lines }
    })
}

fn brake(doc: &AuditDocument) -> Option<Alert> {
    let plan = doc.plan.as_ref().filter(|plan| !plan.held.is_empty())?;
    let title = match doc.mode {
        Mode::Audit | Mode::Plan => "NOTHING WOULD BE DONE: the brake holds every action",
        Mode::Run | Mode::Apply => "NOTHING WAS DONE: the brake held every action",
    };
    Some(Alert { title: title.to_owned(), lines: plan.held.clone() })
}
