//! Shares of a limit, exact; and as they are printed: cut off, so that 79.995 % never reads as a
//! reached 80.0 %.

use rust_decimal::{Decimal, RoundingStrategy};

/// Which of the thresholds (percent of `limit`) an amount reaches: at the threshold counts.
pub fn reached(amount: Decimal, limit: Decimal, thresholds: &[Decimal]) -> Vec<Decimal> {
    let reaches = |threshold: &&Decimal| {
        amount.saturating_mul(Decimal::ONE_HUNDRED) >= limit.saturating_mul(**threshold)
    };
    thresholds.iter().filter(reaches).copied().collect()
}

/// The share as it is printed: one decimal, cut off.
pub fn shown(amount: Decimal, limit: Decimal) -> String {
    let share = amount.saturating_mul(Decimal::ONE_HUNDRED).checked_div(limit);
    let mut shown =
        share.unwrap_or(Decimal::ZERO).round_dp_with_strategy(1, RoundingStrategy::ToZero);
    shown.rescale(1);
    shown.to_string()
}

/// A threshold as it is written: `80%`.
pub fn written(threshold: Decimal) -> String {
    format!("{}%", threshold.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().expect("a number")
    }

    #[test]
    fn fl_117_exactly_at_the_limit() {
        let thresholds = [number("50"), number("80"), number("100")];
        for (amount, print, count) in [
            ("49.99", "49.9", 0),
            ("50.00", "50.0", 1),
            ("79.995", "79.9", 1),
            ("80.00", "80.0", 2),
            ("100.00", "100.0", 3),
        ] {
            let (amount, limit) = (number(amount), number("100"));
            assert_eq!(shown(amount, limit), print);
            assert_eq!(reached(amount, limit, &thresholds).len(), count, "{amount}");
        }
        assert_eq!(written(number("80.0")), "80%");
        assert_eq!(written(number("99.5")), "99.5%");
    }
}
