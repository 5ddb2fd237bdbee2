//! The top of the page: alerts, the figures that everybody asks for first, what could not be read.

use reaper_model::AuditDocument;
use reaper_model::document::Mode;

use super::text::Text;
use crate::{action, advice, alert, budget, leftover, summary, waiting, weekly};

/// A title with lines below it.
pub(super) struct Titled {
    pub(super) title: Text,
    pub(super) lines: Vec<Text>,
}

/// A label with what is to be said of it.
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) parts: Vec<Text>,
}

impl Fact {
    /// `None` where there is nothing to say.
    pub(super) fn of(label: &'static str, parts: &[String]) -> Option<Self> {
        (!parts.is_empty()).then(|| Self { label, parts: Text::all(parts) })
    }
}

/// `reaper: 5 orphans of 10 machines`, `reaper weekly report: …`.
pub(super) fn title(doc: &AuditDocument) -> Text {
    let headline = action::headline(doc).unwrap_or_else(|| summary::headline(doc));
    let first = headline.into_iter().next().unwrap_or_default();
    let kind = if doc.report.is_some() { " weekly report" } else { "" };
    Text::new(format!("reaper{kind}: {first}"))
}

pub(super) fn alerts(doc: &AuditDocument) -> Vec<Titled> {
    alert::alerts(doc)
        .into_iter()
        .map(|alert| Titled {
            title: Text::new(alert.title),
            lines: alert.lines.iter().map(Text::paragraph).collect(),
        })
        .collect()
}

pub(super) fn facts(doc: &AuditDocument) -> Vec<Fact> {
    let mut found = summary::headline(doc);
    let done = action::headline(doc);
    // The first part of one of them is the heading of the page.
    let (done, found) = match done {
        Some(done) => {
            found[0] = found[0].replacen("found ", "", 1);
            (done[1..].to_vec(), found)
        }
        None => (Vec::new(), found[1..].to_vec()),
    };
    let only_a_plan = (doc.mode == Mode::Plan).then(|| summary::ONLY_A_PLAN.to_owned());
    let done: Vec<String> = done.into_iter().chain(only_a_plan).collect();
    let mut read = vec![summary::as_of(doc)];
    if doc.totals.orphans > 0 {
        read.splice(0..0, [summary::coverage(doc), summary::running(doc)]);
    }
    let period = doc.report.as_ref().map(|report| weekly::period(doc, report));
    let week = doc.report.as_ref().map(weekly::headline);
    [
        Fact::of("Deadlines", waiting::headline(doc).as_slice()),
        Fact::of("Read", &read),
        Fact::of(if doc.mode == Mode::Plan { "Plan" } else { "Done" }, &done),
        Fact::of("Found", &found),
        Fact::of("Budgets", &budgets(doc)),
        Fact::of("Left behind", &left(doc)),
        Fact::of("Advice", advice::headline(doc).as_slice()),
        Fact::of("Changed", &week.unwrap_or_default()),
        Fact::of("Period", &period.unwrap_or_default()),
        Fact::of("Mind", &summary::caveats(doc)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn left(doc: &AuditDocument) -> Vec<String> {
    let mut parts = leftover::headline(doc).unwrap_or_default();
    if let Some(first) = parts.first_mut() {
        // The label says the rest.
        *first = leftover::kinds(doc);
    }
    parts
}

fn budgets(doc: &AuditDocument) -> Vec<String> {
    let mut parts = budget::headline(doc).unwrap_or_default();
    if let Some(first) = parts.first_mut() {
        *first = first.trim_start_matches("budgets: ").to_owned();
    }
    parts
}

pub(super) fn unread(doc: &AuditDocument) -> Option<Titled> {
    let unread = summary::unread(doc)?;
    let groups = summary::scope_groups(doc);
    let lines = groups.iter().filter(|group| summary::is_unread(group.status)).map(|group| {
        let status = summary::status_word(group.status);
        Text::paragraph(format!("{status} {}", group.parts().join(" · ")))
    });
    let title = Text::new(format!("{unread}: machines there may be missing"));
    Some(Titled { title, lines: lines.take(MOST_GROUPS).collect() })
}

/// More are in the list of scopes.
const MOST_GROUPS: usize = 50;
