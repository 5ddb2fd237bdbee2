//! How the budget stands, as labelled lines: what is spent, on what ground, what the month will end
//! at, and what is missing.

use reaper_model::document::BillView;
use reaper_report::{bill, budget};

use super::view::{Against, Alert};
use crate::field::Field;
use crate::words::in_full;

impl Alert<'_> {
    pub(super) fn facts(&self) -> Vec<Field> {
        let budget = self.budget;
        let (from, until) = (budget.from.to_utc(), budget.until.to_utc());
        let mut spent = vec![format!("{} ({})", budget::spent(budget), budget::used(budget))];
        spent.extend(budget::excess(budget));
        let mut fields = vec![
            Field::text("Spent", spent),
            Field::text("Basis", self.basis()),
            Field::text("Forecast", budget::forecast(budget)),
        ];
        let rates = self.rates();
        if !rates.is_empty() {
            fields.push(Field::text("Rates", rates));
        }
        if !budget.why.is_empty() {
            let label = if budget::is_incomplete(budget) { "Missing" } else { "Note" };
            fields.push(Field::text(label, &budget.why));
        }
        fields.push(Field::text("Scope", [self.scope.unwrap_or("everything that is looked at")]));
        fields.push(Field::text(
            "Month",
            [
                format!("from {}", in_full(from, self.zone)),
                format!("until {}", in_full(until, self.zone)),
                format!("as of {}", in_full(self.at, self.zone)),
            ],
        ));
        fields
    }

    /// What the sum stands on, and how old the providers' own figures are.
    fn basis(&self) -> Vec<String> {
        let mut lines = vec![budget::basis(self.budget).to_owned()];
        if self.bills.is_empty() {
            lines.push("no provider's bill is read for it".to_owned());
        }
        lines.extend(self.bills.iter().map(|bill| self.bill(bill)));
        lines
    }

    fn bill(&self, view: &BillView) -> String {
        let account = bill::account(view);
        if !bill::is_read(view) {
            let why = view.why.as_deref().unwrap_or("the provider did not answer");
            return format!("bill of {account} could not be read: {why}");
        }
        let old = bill::old(view).unwrap_or_else(|| "age unknown".to_owned());
        let until = view.until.map(|until| in_full(until.to_utc(), self.zone));
        let until = until.map(|until| format!(", until {until}")).unwrap_or_default();
        format!("bill of {account}: {old}{until}")
    }

    /// The effect of the rates, and that no threshold is reached by it.
    fn rates(&self) -> Vec<String> {
        let mut lines = budget::rates(self.budget);
        if !lines.is_empty() && self.against == Against::Actual {
            lines.push(
                "the threshold is reached by use: sums keep the rates of their month".to_owned(),
            );
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use reaper_model::document::BillStatus;

    use super::*;
    use crate::alert::fixture::{self, with};

    fn values(alert: &Alert<'_>, label: &str) -> Vec<String> {
        let facts = alert.facts();
        let field = facts.iter().find(|field| field.label == label);
        field.map(|field| field.values.clone()).unwrap_or_default()
    }

    #[test]
    fn fl_120_the_estimate_is_called_one_with_the_age_of_the_bills() {
        with(|alert| {
            assert_eq!(
                values(alert, "Basis"),
                [
                    "estimate from running machines",
                    "bill of aws/research: 1d 8h old, until Sun 29 Nov 2026 01:00 CET (+01:00)",
                    "bill of scaleway/poc could not be read: HTTP 403",
                ]
            );
            alert.bills = &[];
            assert_eq!(values(alert, "Basis")[1], "no provider's bill is read for it");
        });
        let mut bills = fixture::bills();
        bills[0].until = None;
        bills[0].age_hours = None;
        bills[0].status = BillStatus::Read;
        with(|alert| {
            let alert = Alert { bills: &bills, ..alert.clone() };
            assert_eq!(values(&alert, "Basis")[1], "bill of aws/research: age unknown");
        });
    }

    #[test]
    fn fl_108_a_threshold_is_reached_by_use_and_never_by_rates() {
        let mut budget = fixture::budget();
        with(|alert| assert!(values(alert, "Rates").is_empty()));
        budget.at_todays_rates = Some("4301.75 EUR".parse().expect("money"));
        with(|alert| {
            let alert = Alert { budget: &budget, ..alert.clone() };
            assert_eq!(
                values(&alert, "Rates"),
                [
                    "at today's rates 4,301.75 EUR, +89.75 EUR by rates alone",
                    "the threshold is reached by use: sums keep the rates of their month",
                ]
            );
        });
    }

    #[test]
    fn fl_123_what_is_missing_is_said() {
        let mut budget = fixture::budget();
        budget.at_least = true;
        budget.why = vec!["scaleway/poc was not read".to_owned()];
        with(|alert| {
            let alert = Alert { budget: &budget, ..alert.clone() };
            assert_eq!(values(&alert, "Missing"), ["scaleway/poc was not read"]);
            assert_eq!(
                values(&alert, "Spent"),
                ["at least 4,212.00 EUR of 5,000.00 EUR (at least 84.2 %, incomplete)"]
            );
        });
    }

    #[test]
    fn fl_118_the_month_has_its_boundaries_with_zone_and_offset() {
        with(|alert| {
            assert_eq!(
                values(alert, "Month"),
                [
                    "from Sun 1 Nov 2026 00:00 CET (+01:00)",
                    "until Tue 1 Dec 2026 00:00 CET (+01:00)",
                    "as of Mon 30 Nov 2026 09:00 CET (+01:00)",
                ]
            );
        });
    }
}
