//! `--fail-on`: the conditions under which findings become exit code 10.

use std::str::FromStr;

use reaper_budget::Exchange;
use reaper_model::document::{Billing, Verdict};
use reaper_model::{AuditDocument, Money};
use rust_decimal::Decimal;

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Any orphan.
    Findings,
    /// Orphans have cost at least this since their last start.
    Waste(Money),
    /// The spending of the budget of this name has reached a threshold.
    Budget(String),
}

/// What a condition says of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Match {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// It cannot be told, and why; counts as met.
    Undecidable(String),
}

impl FailOn {
    pub(crate) fn check(&self, document: &AuditDocument, exchange: &Exchange) -> Match {
        match self {
            Self::Findings if document.totals.orphans > 0 => Match::Yes,
            Self::Findings => Match::No,
            Self::Waste(limit) => waste(exchange.convert(*limit), document),
            Self::Budget(name) => budget(name, document),
        }
    }
}

/// What is reached is reached; only what is not may still be, where something is missing in the sum.
fn budget(name: &str, document: &AuditDocument) -> Match {
    let Some(budget) = document.budgets.iter().find(|budget| budget.name == name) else {
        return Match::Undecidable(format!("there is no budget {name:?}"));
    };
    if !budget.reached.is_empty() {
        Match::Yes
    } else if budget.at_least {
        Match::Undecidable(format!("what of budget {name:?} is spent is not known in full"))
    } else {
        Match::No
    }
}

/// Compares what is known first; only what is not known then leaves it open.
fn waste(limit: Money, document: &AuditDocument) -> Match {
    let sums = &document.totals.waste_to_date;
    let known = sums.iter().find(|sum| sum.currency == limit.currency);
    if known.map_or(Decimal::ZERO, |sum| sum.amount) >= limit.amount {
        return Match::Yes;
    }
    if let Some(other) = sums.iter().find(|sum| sum.currency != limit.currency) {
        return Match::Undecidable(format!(
            "waste in {} cannot be compared with {} without a rate ([fx])",
            other.currency, limit.currency
        ));
    }
    let uncounted = document.instances.iter().filter(|machine| {
        machine.verdict == Verdict::Orphan
            && machine.billing != Billing::NotBilled
            && machine.cost.as_ref().is_none_or(|cost| cost.since_start.is_none())
    });
    match uncounted.count() {
        0 => Match::No,
        count => Match::Undecidable(format!("what {count} of the orphans have cost is not known")),
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text == "findings" {
            return Ok(Self::Findings);
        }
        if let Some(name) = text.strip_prefix("budget:") {
            let name = name.trim();
            let missing = || "write the budget's name behind `budget:`".to_owned();
            return if name.is_empty() {
                Err(missing())
            } else {
                Ok(Self::Budget(name.to_owned()))
            };
        }
        let Some(amount) = text.strip_prefix("waste>=") else {
            return Err(
                "write `findings`, `budget:NAME` or an amount such as `waste>=100EUR`".to_owned()
            );
        };
        let digits = amount.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(amount.len());
        let (number, currency) = amount.split_at(digits);
        let spaced = format!("{} {currency}", number.trim());
        spaced
            .trim()
            .parse()
            .map(Self::Waste)
            .map_err(|error: reaper_model::money::ParseMoneyError| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_with_or_without_a_blank() {
        let hundred = FailOn::Waste("100 EUR".parse().expect("money"));
        for text in ["waste>=100EUR", "waste>=100 EUR", "waste>= 100EUR"] {
            assert_eq!(text.parse(), Ok(hundred.clone()), "{text}");
        }
        assert_eq!("budget: all-gpu".parse(), Ok(FailOn::Budget("all-gpu".to_owned())));
        assert_eq!("findings".parse(), Ok(FailOn::Findings));
    }

    #[test]
    fn an_amount_without_currency_and_unknown_words_are_refused() {
        for text in ["waste>=100", "waste>100EUR", "orphans", "budget:", "waste>=EUR"] {
            assert!(text.parse::<FailOn>().is_err(), "{text}");
        }
    }
}
