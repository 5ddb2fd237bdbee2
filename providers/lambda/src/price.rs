//! Prices: what the instance itself says, in US cents per hour, else the dated list. Zero cents
//! are no price.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;
use reaper_model::{
    Currency, Fact, Gpu, Ignorance, Instance, Location, MachineType, Money, Offer, Price,
    PriceSource, Source, Unit,
};
use reaper_provider::{Catalogue, CatalogueError};
use rust_decimal::Decimal;

/// The dated list that ships with the program.
const LIST: &str = include_str!("../../../config/prices/lambda.csv");
/// What Lambda's cents are a hundredth of.
pub(crate) const CURRENCY: Currency = Currency::USD;
/// A difference between list and provider from which on it is pointed out: a tenth.
const NOTABLE: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

/// What Lambda said of one machine's price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    /// Cents per hour.
    Cents(Decimal),
    /// Nothing: the field is missing or cannot be read.
    Silent,
}

/// The list, and what the instances said when they were read last.
#[derive(Debug)]
pub(crate) struct Prices {
    list: Catalogue,
    quoted: Mutex<BTreeMap<String, (Decimal, NaiveDate)>>,
}

impl Prices {
    pub(crate) fn new() -> Result<Self, CatalogueError> {
        Ok(Self { list: Catalogue::parse(LIST)?, quoted: Mutex::default() })
    }

    /// The accelerators of a type, as far as the list knows it.
    pub(crate) fn gpu(&self, machine_type: &str) -> Option<&Gpu> {
        self.list.gpu(machine_type)
    }

    /// What the list offers in a region; it is the same in all of them.
    pub(crate) fn offers(&self, region: &Location) -> Vec<Offer> {
        self.list.offers(region.as_str())
    }

    /// Keeps what a machine says about its price.
    pub(crate) fn keep(&self, native: &str, quote: Quote, day: NaiveDate) {
        match quote {
            Quote::Cents(cents) => self.quoted().insert(native.to_owned(), (cents, day)),
            Quote::Silent => self.quoted().remove(native),
        };
    }

    /// How what a machine says contradicts the list, where it does.
    pub(crate) fn contradiction(&self, machine_type: &MachineType, quote: Quote) -> Option<String> {
        let Quote::Cents(cents) = quote else { return None };
        let listed = self.list.price(machine_type.as_str(), "", Unit::Hour)?;
        let said = dollars(cents);
        let apart = (said - listed.money.amount).abs() > listed.money.amount * NOTABLE;
        (!cents.is_zero() && apart).then(|| {
            format!(
                "Lambda asks {said} USD per hour for {machine_type}, the list of {} says {}: its \
                 own is used",
                listed.as_of,
                listed.money.all_digits(),
            )
        })
    }

    /// The price of one machine.
    pub(crate) fn of(&self, instance: &Instance) -> Fact<Price> {
        let quoted = self.quoted().get(&instance.id.native).copied();
        let (price, source) = match quoted {
            Some((cents, _)) if cents <= Decimal::ZERO => {
                return Fact::unknown(
                    Ignorance::Unusable,
                    format!("Lambda says {cents} cents per hour, which is no price"),
                );
            }
            Some((cents, as_of)) => {
                let money = Money::new(dollars(cents), CURRENCY);
                let source = PriceSource::ProviderApi;
                (Price { money, unit: Unit::Hour, source, as_of }, "lambda:ListInstances")
            }
            None => match self.list.price(instance.machine_type.as_str(), "", Unit::Hour) {
                Some(price) => (price.clone(), "lambda.csv"),
                None => {
                    return Fact::unknown(
                        Ignorance::NotOffered,
                        format!(
                            "neither Lambda nor the list names one for {}",
                            instance.machine_type
                        ),
                    );
                }
            },
        };
        let as_of = price.as_of.and_time(chrono::NaiveTime::MIN).and_utc();
        Fact::known(price, &Source::new(source), as_of)
    }

    fn quoted(&self) -> MutexGuard<'_, BTreeMap<String, (Decimal, NaiveDate)>> {
        self.quoted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn dollars(cents: Decimal) -> Decimal {
    cents / Decimal::ONE_HUNDRED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_readable_and_without_contradictions() {
        let prices = Prices::new().expect("readable");
        assert!(prices.list.conflicts().is_empty());
        assert_eq!(prices.list.types().len(), 23);
        let a10 = prices.list.price("gpu_1x_a10", "", Unit::Hour).expect("priced");
        assert_eq!(a10.money.to_string(), "1.29 USD");
        assert_eq!(a10.money.currency, CURRENCY);
        assert_eq!(prices.list.price("gpu_8x_h100_sxm5gdr", "", Unit::Hour), None);
        assert!(prices.gpu("cpu_4x_general").is_none());
    }
}
