//! What each owner's machines have cost this month, in words that all formats share. Plain text,
//! neither cleaned nor escaped.

use reaper_model::document::SpendView;

use crate::figures::{amounts, count};

/// The owner; what nobody answers for has a row of its own.
pub(crate) fn owner(row: &SpendView) -> String {
    row.owner.clone().unwrap_or_else(|| "nobody".to_owned())
}

/// Sums by currency, a lower bound where a price is missing.
pub(crate) fn spent(row: &SpendView) -> String {
    match amounts(&row.spent) {
        Some(sums) if row.unpriced > 0 => format!("at least {sums}"),
        Some(sums) => sums,
        None if row.unpriced > 0 => "unknown".to_owned(),
        None => "nothing".to_owned(),
    }
}

/// `12`, `12 (2 unpriced)`.
pub(crate) fn machines(row: &SpendView) -> String {
    if row.unpriced > 0 {
        format!("{} ({} unpriced)", row.machines, row.unpriced)
    } else {
        row.machines.to_string()
    }
}

/// [`machines`] where no title says what is counted.
pub(crate) fn machines_in_words(row: &SpendView) -> String {
    let machines = count(row.machines, "machine");
    if row.unpriced > 0 { format!("{machines} ({} unpriced)", row.unpriced) } else { machines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::money;

    fn row(spent: &[&str], unpriced: usize) -> SpendView {
        let spent = spent.iter().map(|text| money(text)).collect();
        SpendView { owner: None, spent, machines: 3, unpriced }
    }

    #[test]
    fn fl_103_an_unpriced_machine_makes_a_sum_a_lower_bound_and_is_never_0() {
        assert_eq!(spent(&row(&["2 EUR", "3 USD"], 1)), "at least 2.00 EUR and 3.00 USD");
        assert_eq!(spent(&row(&[], 3)), "unknown");
        assert_eq!(machines(&row(&[], 3)), "3 (3 unpriced)");
        assert_eq!(spent(&row(&["2 EUR"], 0)), "2.00 EUR");
        assert_eq!(owner(&row(&[], 0)), "nobody");
    }
}
