//! The outputs of a step: figures for the steps after it.

use std::fmt::Write as _;
use std::path::Path;

use reaper_model::document::{BudgetStatus, PlannedAction};
use reaper_model::{AuditDocument, Money};

use super::orders::token;

/// The outputs that a document has, by name.
pub(super) fn outputs(
    document: &AuditDocument,
    report: Option<&Path>,
) -> Vec<(&'static str, String)> {
    let totals = &document.totals;
    let over = document.budgets.iter().filter(|budget| budget.status == BudgetStatus::Over);
    vec![
        ("orphans", totals.orphans.to_string()),
        ("will-stop", will_stop(document).to_string()),
        ("monthly-cost", lines(totals.waste_per_month.iter().map(plain))),
        ("over-budget", lines(over.map(|budget| reaper_report::clean(&budget.name).into_owned()))),
        ("report-path", report.map(|path| path.display().to_string()).unwrap_or_default()),
        ("exit-code", document.outcome.exit_code.to_string()),
    ]
}

/// Machines whose action is due and was not tried.
fn will_stop(document: &AuditDocument) -> usize {
    let due = document.instances.iter().filter(|machine| {
        let action = &machine.action;
        matches!(action.planned, PlannedAction::Stop | PlannedAction::Terminate)
            && action.result.is_none()
            && action.result_why.is_none()
    });
    due.count()
}

/// `4380.00 EUR`: for programs, so without groups of thousands.
fn plain(money: &Money) -> String {
    money.to_string().replace(',', "")
}

fn lines(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join("\n")
}

/// The file's text: each value between two lines with a word that no value can hold.
pub(super) fn text(outputs: &[(&'static str, String)]) -> String {
    let mut text = String::new();
    for (name, value) in outputs {
        let token = token();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{name}<<{token}\n{value}\n{token}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_147_a_value_ends_only_where_we_end_it() {
        let value = "a\nEOF\nexit-code<<X\n0\nX".to_owned();
        let text = text(&[("over-budget", value.clone()), ("orphans", "1".to_owned())]);
        let (head, rest) = text.split_once('\n').expect("a line");
        let token = head.strip_prefix("over-budget<<").expect("the name");
        let (inside, rest) = rest.split_once(&format!("\n{token}\n")).expect("an end");
        assert_eq!(inside, value);
        assert!(rest.starts_with("orphans<<reaper-"), "{rest}");
        assert!(!rest.contains(token), "each value has its own word");
    }
}
