//! Dated exchange rates to the currency of the report. Without a rate an amount stays what it is.

use std::collections::BTreeMap;

use reaper_model::{Currency, Money, Rate};

/// The report's currency and the rates to it.
#[derive(Debug, Clone)]
pub struct Exchange {
    to: Currency,
    rates: BTreeMap<Currency, Rate>,
}

impl Exchange {
    /// Rates to `to`; rates to another currency are of no use here and are left out.
    pub fn new(to: Currency, rates: impl IntoIterator<Item = Rate>) -> Self {
        let rates =
            rates.into_iter().filter(|rate| rate.to == to).map(|rate| (rate.from, rate)).collect();
        Self { to, rates }
    }

    /// The report's currency.
    pub fn currency(&self) -> Currency {
        self.to
    }

    /// The amount in the report's currency, or as it is where no rate is configured.
    #[must_use]
    pub fn convert(&self, money: Money) -> Money {
        self.rates.get(&money.currency).and_then(|rate| rate.convert(money)).unwrap_or(money)
    }

    /// The rate that [`Exchange::convert`] uses for a currency.
    pub fn rate(&self, from: Currency) -> Option<&Rate> {
        self.rates.get(&from)
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    #[test]
    fn fl_107_without_a_rate_nothing_is_converted() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 28).expect("a day");
        let rate = Rate {
            from: Currency::USD,
            to: Currency::EUR,
            rate: "0.92".parse().expect("a number"),
            as_of: day,
        };
        let exchange = Exchange::new(Currency::EUR, [rate]);
        let convert = |text: &str| exchange.convert(text.parse().expect("money")).to_string();
        assert_eq!(convert("100 USD"), "92.00 EUR");
        assert_eq!(convert("100 GBP"), "100.00 GBP");
        assert_eq!(convert("100 EUR"), "100.00 EUR");
    }
}
