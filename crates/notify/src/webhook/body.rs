//! What a request says: its kind, its time, and its data: the audit document, a budget, stops.

use std::borrow::Cow;
use std::io;

use chrono::{DateTime, SecondsFormat, Utc};
use reaper_model::AuditDocument;
use reaper_model::document::Warning;
use reaper_report::finding::is_finding;
use serde::Serialize;
use serde_json::json;

use crate::channel::{Content, Message};

/// Bytes of a request's body. Receivers seldom take more than a megabyte.
pub(super) const LIMIT: usize = 1_000_000;
/// How many entries of each list are tried, one after the other, until the document fits.
const LENGTHS: [usize; 7] = [1_000, 300, 100, 30, 10, 3, 0];

#[derive(Serialize)]
struct Body<'a, T> {
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: String,
    data: &'a T,
}

impl<'a, T> Body<'a, T> {
    fn new(kind: &'static str, at: DateTime<Utc>, data: &'a T) -> Self {
        Self { kind, timestamp: at.to_rfc3339_opts(SecondsFormat::Secs, true), data }
    }
}

/// The body of a request. JSON of our own types cannot fail to be written; if it does, the error
/// says why.
pub(super) fn body(message: &Message<'_>, limit: usize) -> Result<Vec<u8>, serde_json::Error> {
    let at = message.at;
    match message.content {
        Content::Report(doc) => serde_json::to_vec(&report(at, &*fitting(doc, at, limit)?)),
        Content::Alert { budget, covers, id } => {
            let data = json!({ "id": id, "covers": covers, "budget": budget });
            serde_json::to_vec(&Body::new("reaper.alert", at, &data))
        }
        Content::Stops(stops) => {
            let data = json!({ "stopped": stops });
            serde_json::to_vec(&Body::new("reaper.stops", at, &data))
        }
    }
}

fn report(at: DateTime<Utc>, doc: &AuditDocument) -> Body<'_, AuditDocument> {
    Body::new("reaper.report", at, doc)
}

/// The document, or as much of it as fits: machines without findings go first, then the ends of
/// all long lists, which begin with what matters most. What is left out is said in a warning.
fn fitting(
    doc: &AuditDocument,
    at: DateTime<Utc>,
    limit: usize,
) -> Result<Cow<'_, AuditDocument>, serde_json::Error> {
    let fits = |doc: &AuditDocument| fits(&report(at, doc), limit);
    if fits(doc)? {
        return Ok(Cow::Borrowed(doc));
    }
    let mut found = doc.clone();
    found.instances.retain(|machine| !machine.findings.is_empty() || is_finding(machine));
    let mut cut = said(doc, found);
    for most in LENGTHS {
        if fits(&cut)? {
            break;
        }
        // It is said anew of what is then left.
        cut.warnings.pop();
        shorten(&mut cut, most);
        cut = said(doc, cut);
    }
    Ok(Cow::Owned(cut))
}

/// Whether the JSON of a value has at most so many bytes. More are not written to find out.
fn fits(value: &impl Serialize, limit: usize) -> Result<bool, serde_json::Error> {
    let mut measure = Measure { left: limit, is_over: false };
    match serde_json::to_writer(&mut measure, value) {
        Ok(()) => Ok(true),
        Err(_) if measure.is_over => Ok(false),
        Err(error) => Err(error),
    }
}

struct Measure {
    left: usize,
    is_over: bool,
}

impl io::Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len()) else {
            self.is_over = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        self.left = left;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// At most so many entries in each list.
fn shorten(doc: &mut AuditDocument, most: usize) {
    doc.instances.truncate(most);
    for machine in &mut doc.instances {
        machine.advice.truncate(most);
    }
    doc.leftovers.truncate(most);
    doc.mails.truncate(most);
    doc.spend.truncate(most);
    doc.scopes.truncate(most);
    doc.budgets.truncate(most);
    doc.bills.truncate(most);
    doc.warnings.truncate(most);
    if let Some(plan) = &mut doc.plan {
        plan.held.truncate(most);
    }
    if let Some(report) = &mut doc.report {
        report.new.truncate(most);
        report.gone.truncate(most);
        report.kept.truncate(most);
        report.stopped.truncate(most);
    }
}

/// With a warning that says how much of each list is there.
fn said(whole: &AuditDocument, mut cut: AuditDocument) -> AuditDocument {
    let lists = |doc: &AuditDocument| {
        let report = doc.report.as_ref();
        [
            ("machines", doc.instances.len()),
            ("pieces of advice", doc.instances.iter().map(|machine| machine.advice.len()).sum()),
            ("leftovers", doc.leftovers.len()),
            ("mails", doc.mails.len()),
            ("owners", doc.spend.len()),
            ("scopes", doc.scopes.len()),
            ("budgets", doc.budgets.len()),
            ("bills", doc.bills.len()),
            ("warnings", doc.warnings.len()),
            ("new machines", report.map_or(0, |report| report.new.len())),
            ("gone machines", report.map_or(0, |report| report.gone.len())),
            ("kept machines", report.map_or(0, |report| report.kept.len())),
            ("stopped machines", report.map_or(0, |report| report.stopped.len())),
        ]
    };
    let parts: Vec<String> = lists(&cut)
        .into_iter()
        .zip(lists(whole))
        .filter(|((_, left), (_, all))| left < all)
        .map(|((name, left), (_, all))| format!("{left} of {all} {name}"))
        .collect();
    cut.warnings.push(Warning {
        code: "webhook-cut".to_owned(),
        text: format!(
            "this document is cut to fit into a request: {}; sums count everything",
            parts.join(", ")
        ),
        subject: None,
    });
    cut
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::weekly::fixture;

    fn read(content: Content<'_>, limit: usize) -> (usize, Value) {
        let key = "report-1".parse().expect("a key");
        let at = "2026-11-30T07:06:00Z".parse().expect("a time");
        let bytes = body(&Message { key, at, content }, limit).expect("written");
        (bytes.len(), serde_json::from_slice(&bytes).expect("JSON"))
    }

    #[test]
    fn a_report_is_the_audit_document() {
        let doc = fixture::weekly();
        let (_, value) = read(Content::Report(&doc), LIMIT);
        assert_eq!(
            (&value["type"], &value["timestamp"]),
            (&json!("reaper.report"), &json!("2026-11-30T07:06:00Z"))
        );
        let data: AuditDocument =
            serde_json::from_value(value["data"].clone()).expect("a document");
        assert_eq!(data, doc);
    }

    #[test]
    fn an_alert_and_stops_carry_the_documents_own_words() {
        let doc = fixture::weekly();
        let covers = ["80%".to_owned()];
        let alert = Content::Alert { budget: &doc.budgets[0], covers: &covers, id: "all-gpu/x" };
        let (_, value) = read(alert, LIMIT);
        assert_eq!(value["type"], "reaper.alert");
        assert_eq!(value["data"]["budget"]["spent"]["amount"], "4212.00");
        assert_eq!(
            (&value["data"]["id"], &value["data"]["covers"]),
            (&json!("all-gpu/x"), &json!(["80%"]))
        );
        let stops = doc.report.expect("a report").stopped;
        let (_, value) = read(Content::Stops(&stops), LIMIT);
        assert_eq!(value["type"], "reaper.stops");
        assert_eq!(value["data"]["stopped"], serde_json::to_value(&stops).expect("JSON"));
    }

    #[test]
    fn what_is_too_large_keeps_findings_first_and_says_what_is_left_out() {
        let mut doc = fixture::weekly();
        let calm = doc.instances.iter().find(|machine| machine.findings.is_empty());
        let calm = calm.expect("one without findings").clone();
        let found = doc.instances.iter().filter(|machine| !machine.findings.is_empty()).count();
        doc.instances.extend(std::iter::repeat_n(calm, 5_000));
        // What looks off and is billed was found as well, though no rule says yes.
        let mut off = doc.instances[4].clone();
        assert!(off.findings.is_empty());
        off.stopped_but_billed = true;
        doc.instances.push(off);
        let found = found + 1;
        let (size, value) = read(Content::Report(&doc), LIMIT);
        assert!(size <= LIMIT);
        let data: AuditDocument =
            serde_json::from_value(value["data"].clone()).expect("a document");
        assert_eq!((data.instances.len(), &data.totals), (found, &doc.totals));
        let said = data.warnings.last().expect("a warning");
        assert_eq!(said.code, "webhook-cut");
        assert!(said.text.contains(&format!("{found} of 5008 machines")), "{}", said.text);
    }

    #[test]
    fn five_thousand_hostile_findings_fit() {
        let mut doc = fixture::weekly();
        let mut orphan = doc.instances[0].clone();
        for text in ["\u{1}\"\\", "größe", "x"] {
            orphan.name = Some(text.repeat(10_000 / text.len()));
            orphan.findings[0].explanation = text.repeat(10_000 / text.len());
            doc.instances = vec![orphan.clone(); 5_000];
            let (size, value) = read(Content::Report(&doc), LIMIT);
            assert!(size <= LIMIT, "{size}");
            let data: AuditDocument =
                serde_json::from_value(value["data"].clone()).expect("a document");
            assert!(!data.instances.is_empty());
            assert!(data.warnings.iter().any(|warning| warning.text.contains("of 5000 machines")));
        }
    }

    #[test]
    fn five_thousand_leftovers_and_pieces_of_advice_fit_and_are_said() {
        let doc = fixture::littered(5_000);
        let (size, value) = read(Content::Report(&doc), LIMIT);
        assert!(size <= LIMIT, "{size}");
        let data: AuditDocument =
            serde_json::from_value(value["data"].clone()).expect("a document");
        let said = &data.warnings.last().expect("a warning").text;
        assert!(said.contains("1000 of 5000 leftovers"), "{said}");
        assert!(said.contains(" of 5002 pieces of advice"), "{said}");
        assert_eq!((data.leftovers.len(), &data.totals), (1_000, &doc.totals));
    }

    #[test]
    fn whatever_the_limit_the_document_stays_one() {
        let doc = fixture::weekly();
        let (size, value) = read(Content::Report(&doc), 6_000);
        assert!(size <= 6_000, "{size}");
        let data: AuditDocument =
            serde_json::from_value(value["data"].clone()).expect("a document");
        assert_eq!(data.totals, doc.totals);
    }
}
