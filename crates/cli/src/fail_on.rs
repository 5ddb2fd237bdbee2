//! `--fail-on`: the conditions under which findings become exit code 10.

use std::str::FromStr;

use reaper_model::{AuditDocument, Money};

/// One condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Any orphan.
    Findings,
    /// Orphans have cost at least this since their last start.
    Waste(Money),
}

/// What a condition says of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Match {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// There is waste in a currency that cannot be compared; names it.
    Incomparable(String),
}

impl FailOn {
    pub(crate) fn check(self, document: &AuditDocument) -> Match {
        match self {
            Self::Findings if document.totals.orphans > 0 => Match::Yes,
            Self::Findings => Match::No,
            Self::Waste(limit) => {
                let waste = &document.totals.waste_to_date;
                let same = waste.iter().find(|sum| sum.currency == limit.currency);
                if same.is_some_and(|sum| sum.amount >= limit.amount) {
                    return Match::Yes;
                }
                match waste.iter().find(|sum| sum.currency != limit.currency) {
                    Some(other) => Match::Incomparable(other.currency.to_string()),
                    None if limit.amount.is_zero() => Match::Yes,
                    None => Match::No,
                }
            }
        }
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text == "findings" {
            return Ok(Self::Findings);
        }
        if text.starts_with("budget:") {
            return Err("budgets are not supported yet".to_owned());
        }
        let Some(amount) = text.strip_prefix("waste>=") else {
            return Err("write `findings` or an amount such as `waste>=100EUR`".to_owned());
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
            assert_eq!(text.parse(), Ok(hundred), "{text}");
        }
        assert_eq!("findings".parse(), Ok(FailOn::Findings));
    }

    #[test]
    fn an_amount_without_currency_and_unknown_words_are_refused() {
        for text in ["waste>=100", "waste>100EUR", "orphans", "budget:all", "waste>=EUR"] {
            assert!(text.parse::<FailOn>().is_err(), "{text}");
        }
    }
}
