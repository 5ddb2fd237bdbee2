//! Money: decimals with a currency. Two currencies never become one number without a dated rate.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An ISO 4217 code: three capital letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// Euro.
    pub const EUR: Self = Self(*b"EUR");
    /// US dollar.
    pub const USD: Self = Self(*b"USD");

    /// The three letters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }
}

impl FromStr for Currency {
    type Err = ParseMoneyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            &[a, b, c] if [a, b, c].iter().all(u8::is_ascii_uppercase) => Ok(Self([a, b, c])),
            _ => Err(ParseMoneyError::Currency(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Currency {
    type Error = ParseMoneyError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.as_str().to_owned()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not an amount with a currency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseMoneyError {
    /// No currency, or not three capital letters.
    #[error("`{0}` is not a currency: three capital letters are expected, such as EUR or USD")]
    Currency(String),
    /// No number.
    #[error("`{0}` is not an amount: a number and a currency are expected, such as \"3.50 EUR\"")]
    Amount(String),
    /// A number alone.
    #[error("`{0}` has no currency: write for example \"{0} EUR\"")]
    NoCurrency(String),
    /// Below zero.
    #[error("`{0}` is negative")]
    Negative(String),
}

/// An amount in one currency.
///
/// There is no `Add`: amounts are summed in [`Totals`], which keeps currencies apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    /// The amount, exact; rounded only when shown.
    pub amount: Decimal,
    /// Its currency.
    pub currency: Currency,
}

impl Money {
    /// An amount in a currency.
    pub const fn new(amount: Decimal, currency: Currency) -> Self {
        Self { amount, currency }
    }

    /// The most that one price or rate may be; keeps every product of them in range.
    pub const LARGEST: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

    /// The same currency, multiplied. Products of amounts up to [`Money::LARGEST`] with hours and
    /// rates up to that cannot overflow; what is larger stays at the largest number there is.
    #[must_use]
    pub fn times(self, factor: Decimal) -> Self {
        Self { amount: self.amount.saturating_mul(factor), ..self }
    }

    /// Rounded to cents, half away from zero: the one rounding of all outputs.
    pub fn to_cents(self) -> Decimal {
        let mut cents =
            self.amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        cents.rescale(2);
        cents
    }

    /// The same amount in whole cents, rounded as [`Money::to_cents`] does.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self { amount: self.to_cents(), ..self }
    }

    /// The same amount with at most so many digits behind the point.
    #[must_use]
    pub fn with_digits(self, digits: u32) -> Self {
        let strategy = RoundingStrategy::MidpointAwayFromZero;
        Self { amount: self.amount.round_dp_with_strategy(digits, strategy), ..self }
    }

    /// All digits, at least two behind the point: for prices, which have fractions of cents.
    pub fn all_digits(self) -> String {
        let mut price = self.amount.normalize();
        if price.scale() < 2 {
            price.rescale(2);
        }
        price.to_string()
    }
}

impl fmt::Display for Money {
    /// `2,520.00 EUR`: cents, thousands grouped, code behind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} {}", group_thousands(&self.to_cents().to_string()), self.currency))
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency)
    }
}

fn group_thousands(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, cents) = digits.split_once('.').unwrap_or((digits, ""));
    let mut grouped = String::with_capacity(number.len() + 4);
    grouped.push_str(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !cents.is_empty() {
        grouped.push('.');
        grouped.push_str(cents);
    }
    grouped
}

impl FromStr for Money {
    type Err = ParseMoneyError;

    /// Reads `"3.50 EUR"`: a plain decimal, blank, ISO code.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let Some((amount, currency)) = text.split_once(char::is_whitespace) else {
            return Err(match Decimal::from_str_exact(text) {
                Ok(_) => ParseMoneyError::NoCurrency(text.to_owned()),
                Err(_) => ParseMoneyError::Amount(text.to_owned()),
            });
        };
        let amount = Decimal::from_str_exact(amount)
            .map_err(|_| ParseMoneyError::Amount(text.to_owned()))?;
        if amount.is_sign_negative() && !amount.is_zero() {
            return Err(ParseMoneyError::Negative(text.to_owned()));
        }
        Ok(Self { amount, currency: currency.trim().parse()? })
    }
}

/// `{"amount":"2520.00","currency":"EUR"}`: never a float.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Money")]
struct MoneyJson {
    /// Decimal number as text, at least two digits behind the point.
    #[schemars(regex(pattern = r"^-?\d+\.\d{2,}$"))]
    amount: String,
    currency: Currency,
}

impl Serialize for Money {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MoneyJson { amount: self.all_digits(), currency: self.currency }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let MoneyJson { amount, currency } = MoneyJson::deserialize(deserializer)?;
        let amount = Decimal::from_str_exact(&amount).map_err(serde::de::Error::custom)?;
        Ok(Self { amount, currency })
    }
}

impl JsonSchema for Money {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        MoneyJson::json_schema(generator)
    }
}

/// A sum per currency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals(BTreeMap<Currency, Decimal>);

impl Totals {
    /// Adds an amount to its currency's sum.
    pub fn add(&mut self, money: Money) {
        let sum = self.0.entry(money.currency).or_default();
        *sum = sum.saturating_add(money.amount);
    }

    /// The sums, by currency code.
    pub fn iter(&self) -> impl Iterator<Item = Money> + '_ {
        self.0.iter().map(|(&currency, &amount)| Money { amount, currency })
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Money> for Totals {
    fn from_iter<I: IntoIterator<Item = Money>>(iter: I) -> Self {
        let mut totals = Self::default();
        iter.into_iter().for_each(|money| totals.add(money));
        totals
    }
}

/// What one unit of `from` is worth in `to`, and since when that is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// The foreign currency.
    pub from: Currency,
    /// The currency of the report.
    pub to: Currency,
    /// Units of `to` per unit of `from`.
    pub rate: Decimal,
    /// The day of the rate.
    pub as_of: NaiveDate,
}

impl Rate {
    /// Converts an amount, if it is in the rate's foreign currency.
    pub fn convert(&self, money: Money) -> Option<Money> {
        (money.currency == self.from)
            .then(|| Money { amount: money.amount.saturating_mul(self.rate), currency: self.to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(text: &str) -> Money {
        text.parse().expect("a valid amount")
    }

    #[test]
    fn the_month_on_an_a100_reads_as_promised() {
        assert_eq!(money("3.50 EUR").times(Decimal::from(720)).to_string(), "2,520.00 EUR");
    }

    #[test]
    fn thousands_are_grouped_and_cents_rounded_half_up() {
        assert_eq!(money("1234567.005 USD").to_string(), "1,234,567.01 USD");
        assert_eq!(money("999.994 USD").to_string(), "999.99 USD");
        assert_eq!(money("0 EUR").to_string(), "0.00 EUR");
    }

    #[test]
    fn a_number_without_currency_is_refused_with_advice() {
        let error = "80".parse::<Money>().expect_err("no currency");
        assert_eq!(error.to_string(), "`80` has no currency: write for example \"80 EUR\"");
        assert!("80 eur".parse::<Money>().is_err());
        assert!("-1 EUR".parse::<Money>().is_err());
        assert!("1e3 EUR".parse::<Money>().is_err());
    }

    #[test]
    fn totals_keep_currencies_apart() {
        let totals: Totals =
            [money("1.10 EUR"), money("2 USD"), money("0.90 EUR")].into_iter().collect();
        let shown: Vec<_> = totals.iter().map(|sum| sum.to_string()).collect();
        assert_eq!(shown, ["2.00 EUR", "2.00 USD"]);
    }

    #[test]
    fn json_money_is_text() {
        let json = serde_json::to_string(&money("2520 EUR")).expect("serialises");
        assert_eq!(json, r#"{"amount":"2520.00","currency":"EUR"}"#);
    }

    #[test]
    fn hourly_prices_keep_their_digits() {
        assert_eq!(money("0.202 USD").all_digits(), "0.202");
        assert_eq!(money("3.5 EUR").all_digits(), "3.50");
        assert_eq!(money("40 EUR").all_digits(), "40.00");
    }
}
