//! Prices: money per hour or month, with source and date. An unknown price is a gap, never 0.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ident::{Location, MachineType, ProviderName};
use crate::instance::Gpu;
use crate::money::Money;

/// Hours in an average month (8,760 / 12), the convention of the cloud price lists.
pub const HOURS_PER_MONTH: u32 = 730;

/// What the price is per.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Per hour of the metered state.
    Hour,
    /// Per calendar month, used or not (OVHcloud monthly plans).
    Month,
}

/// Where a price comes from; the order is the order of trust when several are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PriceSource {
    /// `[[price]]` in the configuration.
    Override,
    /// The provider's own answer.
    ProviderApi,
    /// The dated list that ships with the program.
    Catalogue,
}

/// The list price of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The amount per unit.
    pub money: Money,
    /// The unit.
    pub unit: Unit,
    /// Who says so.
    pub source: PriceSource,
    /// The day on which it was said.
    pub as_of: NaiveDate,
}

/// A machine type that can be had, with its accelerators and price: by the hour or, as an offer of
/// its own, by the month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The machine type, letter for letter.
    pub machine_type: MachineType,
    /// Its accelerators.
    pub gpu: Gpu,
    /// Its price.
    pub price: Price,
}

/// What the configuration says a machine costs (`[[price]]`): overrides the catalogue or fills a
/// hole in it. Greater than zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceOverride {
    /// The cloud.
    pub provider: ProviderName,
    /// The machine type, letter for letter.
    pub machine_type: MachineType,
    /// One location only; `None` holds everywhere.
    pub location: Option<Location>,
    /// The amount.
    pub money: Money,
    /// Per hour or per month.
    pub unit: Unit,
}

impl Price {
    /// What a month costs if the machine stays as it is. An hourly price counts
    /// [`HOURS_PER_MONTH`]; a monthly price is itself (never times 730).
    pub fn per_month(&self) -> Money {
        match self.unit {
            Unit::Hour => self.money.times(Decimal::from(HOURS_PER_MONTH)),
            Unit::Month => self.money,
        }
    }

    /// What an hour costs. A monthly price is spread over [`HOURS_PER_MONTH`].
    pub fn hourly(&self) -> Money {
        match self.unit {
            Unit::Hour => self.money,
            Unit::Month => {
                Money { amount: self.money.amount / Decimal::from(HOURS_PER_MONTH), ..self.money }
            }
        }
    }

    /// Days between the date of the price and `today`.
    pub fn age_days(&self, today: NaiveDate) -> i64 {
        (today - self.as_of).num_days()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_109_a_monthly_price_is_not_multiplied_by_730() {
        let plan = Price {
            money: "800 EUR".parse().expect("valid"),
            unit: Unit::Month,
            source: PriceSource::Catalogue,
            as_of: NaiveDate::from_ymd_opt(2026, 8, 22).expect("valid"),
        };
        assert_eq!(plan.per_month().to_string(), "800.00 EUR");
    }
}
