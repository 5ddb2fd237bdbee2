//! What must be read before anything else: an old picture, a run that was cut off, the brake.
//! Plain text, neither cleaned nor escaped.

use reaper_model::AuditDocument;
use reaper_model::document::Mode;

use crate::action;
use crate::coverage;
use crate::figures::Zone;
use crate::mail;

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
    let gap = coverage::gap(doc, |at| Zone::of(doc).day(at))?;
    Some(Alert { title: gap.title.to_uppercase(), lines: vec![gap.line] })
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
