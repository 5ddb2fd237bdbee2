//! The subject and the opening words: what is reached, how much of what, and that a forecast is one.

use reaper_model::OnLimit;
use reaper_report::budget;

use super::view::{Against, Alert, Repeat, Why};
use crate::words::outside;

const LONGEST_NAME: usize = 60;

impl Alert<'_> {
    pub(super) fn name(&self) -> String {
        outside(&self.budget.name, LONGEST_NAME)
    }

    /// `November 2026`.
    pub(super) fn month(&self) -> String {
        self.budget.from.with_timezone(&self.zone).format("%B %Y").to_string()
    }

    /// `Budget all-gpu: 50 % and 80 % reached (4,212.00 EUR of 5,000.00 EUR, November 2026)`.
    pub(super) fn subject(&self) -> String {
        let sums = match (self.against, self.budget.forecast) {
            (Against::Forecast, Some(forecast)) => {
                let least = if budget::is_incomplete(self.budget) { "at least " } else { "" };
                format!("{least}{forecast} of {}", self.budget.limit)
            }
            _ => budget::spent(self.budget),
        };
        format!("{} ({sums}, {})", self.headline(), self.month())
    }

    /// `Budget all-gpu: 50 % and 80 % reached`.
    pub(super) fn headline(&self) -> String {
        let thresholds = outside(&budget::thresholds(self.covers), LONGEST_NAME);
        match self.against {
            Against::Actual => format!("Budget {}: {thresholds} reached", self.name()),
            Against::Forecast => format!("Budget {}: forecast reaches {thresholds}", self.name()),
        }
    }

    /// The sentences before the figures.
    pub(super) fn opening(&self) -> Vec<String> {
        let why = match self.why {
            Why::Recipient => "you are a recipient of this budget".to_owned(),
            Why::Fallback => "this budget names no recipient, and you are the fallback".to_owned(),
            Why::InsteadOf(other) => {
                let other = outside(other, LONGEST_NAME);
                format!(
                    "the mail server refuses {other}, a recipient of this budget, and you are the fallback"
                )
            }
        };
        let mut sentences = vec![format!("You get this mail because {why}.")];
        let month = self.month();
        sentences.push(match self.against {
            Against::Actual => format!(
                "What has been spent in {month} has reached {} of the limit. Each threshold is told of once a month.",
                budget::thresholds(self.covers)
            ),
            Against::Forecast => format!(
                "This is a forecast, not money spent: if nothing changes, {month} ends at {} of the limit or more.",
                budget::thresholds(self.covers)
            ),
        });
        if budget::is_incomplete(self.budget) {
            sentences.push(
                "Something is missing in the sums, so the true ones are higher; below is said what."
                    .to_owned(),
            );
        }
        let repeat = match self.repeat {
            None => None,
            Some(Repeat::NoHistory) => {
                Some("There is no alert history, so this alert may have been sent before.")
            }
            Some(Repeat::BrokenOff) => {
                Some("An earlier try broke off half-way, so this alert may have been sent before.")
            }
        };
        sentences.extend(repeat.map(|repeat| {
            format!("{repeat} Doubles carry the same Message-ID and the same X-Reaper-Alert.")
        }));
        sentences
    }

    /// The sentence after all figures.
    pub(super) fn closing(&self) -> String {
        let ask = match self.contact {
            Some(contact) => format!(" Questions: {}.", outside(contact, 120)),
            None => String::new(),
        };
        format!(
            "Sent by reaper, which watches what GPU machines cost. Alert {}.{ask}",
            outside(self.id, 180)
        )
    }

    /// What to do about it. Nothing is promised: each stop has a notice of its own.
    pub(super) fn advice(&self) -> String {
        let limit = match self.budget.on_limit {
            OnLimit::Report => "",
            OnLimit::StopOrphans => {
                " Once 100 % are spent, runs that enforce no longer wait for the end of the notice periods of orphans in this budget; a machine whose owner has not been told is not stopped."
            }
        };
        format!(
            "This mail stops nothing. Stop what is not needed, or raise the limit in the configuration: its thresholds then count anew.{limit}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::fixture::{self, with};

    #[test]
    fn two_thresholds_at_once_are_one_subject_naming_both() {
        with(|alert| {
            assert_eq!(
                alert.subject(),
                "Budget all-gpu: 50 % and 80 % reached (4,212.00 EUR of 5,000.00 EUR, November 2026)"
            );
        });
    }

    #[test]
    fn fl_122_a_forecast_is_called_one_and_claims_no_spending() {
        with(|alert| {
            alert.against = Against::Forecast;
            let covers = ["100%".to_owned()];
            let alert = Alert { covers: &covers, ..alert.clone() };
            assert_eq!(
                alert.subject(),
                "Budget all-gpu: forecast reaches 100 % (5,890.00 EUR of 5,000.00 EUR, November 2026)"
            );
            let opening = alert.opening().join(" ");
            assert!(opening.contains("This is a forecast, not money spent"), "{opening}");
            assert!(!opening.contains("has been spent"), "{opening}");
        });
    }

    #[test]
    fn fl_123_a_lower_bound_is_called_one_in_the_subject() {
        let mut budget = fixture::budget();
        budget.at_least = true;
        with(|alert| {
            let alert = Alert { budget: &budget, ..alert.clone() };
            assert!(alert.subject().contains("(at least 4,212.00 EUR of"), "{}", alert.subject());
            assert!(alert.opening().join(" ").contains("Something is missing in the sums"));
        });
    }

    #[test]
    fn fl_115_a_possible_repeat_says_so_and_how_to_know_it() {
        with(|alert| {
            assert!(!alert.opening().join(" ").contains("sent before"));
            alert.repeat = Some(Repeat::NoHistory);
            let opening = alert.opening().join(" ");
            assert!(opening.contains("There is no alert history"), "{opening}");
            assert!(opening.contains("the same X-Reaper-Alert"), "{opening}");
            alert.repeat = Some(Repeat::BrokenOff);
            assert!(alert.opening().join(" ").contains("may have been sent before"));
        });
    }

    #[test]
    fn fl_121_everybody_is_told_why_it_is_they() {
        with(|alert| {
            assert!(alert.opening()[0].ends_with("you are a recipient of this budget."));
            alert.why = Why::Fallback;
            assert!(alert.opening()[0].ends_with("and you are the fallback."));
            alert.why = Why::InsteadOf("gone@example.org");
            assert!(alert.opening()[0].contains("refuses gone@example.org, a recipient"));
        });
    }

    #[test]
    fn no_stop_is_promised() {
        let mut budget = fixture::budget();
        for on_limit in [OnLimit::Report, OnLimit::StopOrphans] {
            budget.on_limit = on_limit;
            with(|alert| {
                let advice = Alert { budget: &budget, ..alert.clone() }.advice();
                assert!(advice.starts_with("This mail stops nothing."));
                assert_eq!(advice.contains("100 %"), on_limit == OnLimit::StopOrphans);
                assert!(!advice.contains("will be stopped"));
            });
        }
    }
}
