//! Cases: how one is made of plain text, and those that are about no machine.

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use reaper_model::AuditDocument;
use reaper_model::document::BudgetStatus;

use crate::layout::fit;
use crate::{alert, budget, mail, summary};

/// Of a name or a line; the rest is in the JSON document.
const LONGEST_NAME: usize = 240;
const LONGEST_LINE: usize = 2_000;

/// What a case came to, with the word for the kind of trouble.
pub(super) enum Verdict {
    Passed,
    Skipped,
    Failure(&'static str),
    Error(&'static str),
}

/// A suite without cases.
pub(super) fn suite(name: &str, doc: &AuditDocument) -> TestSuite {
    let mut suite = TestSuite::new(line(name, LONGEST_NAME));
    suite.set_timestamp(doc.now);
    suite
}

/// A case. The first line is what a list of cases shows of it.
pub(super) fn case(suite: &str, name: &str, verdict: &Verdict, lines: &[String]) -> TestCase {
    let lines: Vec<String> = lines.iter().map(|text| line(text, LONGEST_LINE)).collect();
    let (mut status, kind) = match verdict {
        Verdict::Passed => (TestCaseStatus::success(), None),
        Verdict::Skipped => (TestCaseStatus::skipped(), None),
        Verdict::Failure(kind) => {
            (TestCaseStatus::non_success(NonSuccessKind::Failure), Some(*kind))
        }
        Verdict::Error(kind) => (TestCaseStatus::non_success(NonSuccessKind::Error), Some(*kind)),
    };
    let passed = matches!(verdict, Verdict::Passed);
    if let (false, Some(first)) = (passed, lines.first()) {
        status.set_message(first);
        status.set_description(lines.join("\n"));
    }
    if let Some(kind) = kind {
        status.set_type(kind);
    }
    let mut case = TestCase::new(line(name, LONGEST_NAME), status);
    case.set_classname(line(suite, LONGEST_NAME));
    if passed && !lines.is_empty() {
        case.set_system_out(lines.join("\n"));
    }
    case
}

/// Cleaned text without what XML cannot hold.
fn line(text: &str, longest: usize) -> String {
    fit(text, longest)
        .chars()
        .map(|c| if matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c })
        .collect()
}

/// What must be read before anything else, and what the picture stands on.
pub(super) fn run(doc: &AuditDocument) -> TestSuite {
    const NAME: &str = "run";
    let mut suite = suite(NAME, doc);
    for (name, value) in [
        ("version", doc.version.clone()),
        ("run", doc.run_id.clone()),
        ("configuration", doc.config.digest.clone()),
        ("data as of", doc.now.to_rfc3339()),
        ("last complete run", summary::last_complete(doc)),
    ] {
        suite.add_property((name.to_owned(), line(&value, LONGEST_LINE)));
    }
    let mut figures = summary::headline(doc);
    figures.extend([summary::coverage(doc), summary::running(doc), summary::as_of(doc)]);
    figures.extend(summary::caveats(doc));
    figures.push(summary::last_complete(doc));
    suite.add_test_case(case(NAME, "summary", &Verdict::Passed, &figures));
    for alert in alert::alerts(doc) {
        let lines: Vec<String> = std::iter::once(alert.title.clone()).chain(alert.lines).collect();
        suite.add_test_case(case(NAME, &alert.title, &Verdict::Error("alert"), &lines));
    }
    suite
}

/// One suite of all budgets; none where there are none.
pub(super) fn budgets(doc: &AuditDocument) -> Option<TestSuite> {
    const NAME: &str = "budgets";
    let mut suite = suite(NAME, doc);
    for budget in budget::budgets(doc) {
        let reached = !budget.reached.is_empty() || budget.status == BudgetStatus::Over;
        let verdict = match budget.status {
            _ if reached => Verdict::Failure("budget"),
            _ if budget::is_incomplete(budget) => Verdict::Error("incomplete"),
            _ => Verdict::Passed,
        };
        let mut lines = vec![format!("{}: {}", budget::standing(budget), budget::spent(budget))];
        lines.extend(budget::excess(budget));
        lines.extend(budget::alert(doc, budget));
        lines.extend(budget::forecast(budget).into_iter().map(|part| format!("forecast {part}")));
        lines.extend(budget.why.clone());
        lines.push(budget::basis(budget).to_owned());
        suite.add_test_case(case(NAME, &budget.name, &verdict, &lines));
    }
    (!doc.budgets.is_empty()).then_some(suite)
}

/// One suite of all mails; none where there are none.
pub(super) fn mails(doc: &AuditDocument) -> Option<TestSuite> {
    const NAME: &str = "mails";
    let mut suite = suite(NAME, doc);
    for mail in &doc.mails {
        let undelivered = mail::is_undelivered(mail);
        let verdict = if undelivered { Verdict::Error("undelivered") } else { Verdict::Passed };
        let mut lines = vec![mail::status(mail).to_owned(), mail.subject.clone()];
        lines.extend(mail.why.clone());
        let name = format!("{}: {} ({})", mail.to, mail::about(mail), mail.key);
        suite.add_test_case(case(NAME, &name, &verdict, &lines));
    }
    (!doc.mails.is_empty()).then_some(suite)
}
