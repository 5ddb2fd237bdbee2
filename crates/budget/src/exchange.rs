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

    /// The amount in any currency, by way of the report's; `None` where a rate is missing.
    pub fn convert_to(&self, money: Money, currency: Currency) -> Option<Money> {
        if money.currency == currency {
            return Some(money);
        }
        let here = self.convert(money);
        if here.currency != self.to {
            return None;
        }
        if currency == self.to {
            return Some(here);
        }
        let amount = here.amount.checked_div(self.rates.get(&currency)?.rate)?;
        Some(Money { amount, currency })
    }

    /// All rates, by currency.
    pub fn rates(&self) -> impl Iterator<Item = &Rate> {
        self.rates.values()
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

    #[test]
    fn any_currency_is_reached_by_way_of_the_reports() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 28).expect("a day");
        let rate = |from: &str, rate: &str| Rate {
            from: from.parse().expect("a currency"),
            to: Currency::EUR,
            rate: rate.parse().expect("a number"),
            as_of: day,
        };
        let exchange = Exchange::new(Currency::EUR, [rate("USD", "0.80"), rate("GBP", "1.20")]);
        let convert = |text: &str, to: &str| {
            let money = text.parse().expect("money");
            exchange.convert_to(money, to.parse().expect("a currency")).map(|sum| sum.to_string())
        };
        assert_eq!(convert("100 EUR", "USD").as_deref(), Some("125.00 USD"));
        assert_eq!(convert("120 USD", "GBP").as_deref(), Some("80.00 GBP"));
        assert_eq!(convert("7 JPY", "JPY").as_deref(), Some("7.00 JPY"));
        assert_eq!(convert("7 JPY", "EUR"), None);
        assert_eq!(convert("7 EUR", "JPY"), None);
    }
}
