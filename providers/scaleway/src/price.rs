//! The list price of a machine: the zone's product list wins, the dated list fills its holes.

use chrono::NaiveTime;
use reaper_model::{
    Currency, Fact, Ignorance, Instance, MachineType, Money, Price, PriceSource, Source, Unit,
};
use reaper_provider::{Catalogue, CatalogueError};
use rust_decimal::Decimal;

use crate::client::PRODUCTS;
use crate::products::Products;

/// Prices by type, each with its date and source. They are the same in every zone.
const PRICES: &str = include_str!("../../../config/prices/scaleway.csv");
/// The dated list, as a source.
pub(crate) const CATALOGUE: &str = "config/prices/scaleway.csv";

/// What Scaleway bills in; its product list has no currency field.
pub(crate) const CURRENCY: Currency = Currency::EUR;

/// The embedded list. Its test reads the whole of it.
pub(crate) fn catalogue() -> Result<Catalogue, CatalogueError> {
    Catalogue::parse(PRICES)
}

/// The list price of a machine.
pub(crate) fn list_price(
    catalogue: &Catalogue,
    products: Option<&Products>,
    instance: &Instance,
) -> Fact<Price> {
    let kind = instance.machine_type.as_str();
    let live = products.and_then(|list| Some((list.get(kind)?.hourly?, list.as_of)));
    if let Some((hourly, as_of)) = live {
        let price = Price {
            money: Money::new(hourly, CURRENCY),
            unit: Unit::Hour,
            source: PriceSource::ProviderApi,
            as_of: as_of.date_naive(),
        };
        return Fact::known(price, &Source::new(PRODUCTS), as_of);
    }
    match catalogue.price(kind, instance.id.location.as_str(), Unit::Hour) {
        Some(price) => {
            let as_of = price.as_of.and_time(NaiveTime::MIN).and_utc();
            Fact::known(price.clone(), &Source::new(CATALOGUE), as_of)
        }
        None => Fact::unknown(
            Ignorance::NotOffered,
            format!("no price of {kind} in {} is known; set [[price]]", instance.id.location),
        ),
    }
}

/// How the product list and the dated list contradict each other, where they do.
pub(crate) fn contradiction(
    catalogue: &Catalogue,
    products: &Products,
    kind: &MachineType,
) -> Option<String> {
    let live = products.get(kind.as_str())?.hourly?;
    let dated = catalogue.price(kind.as_str(), "", Unit::Hour)?;
    far_apart(live, dated.money.amount).then(|| {
        format!(
            "Scaleway asks {} EUR per hour for {kind}, the list of {} says {}: its own is used",
            live,
            dated.as_of,
            dated.money.all_digits(),
        )
    })
}

/// Whether two prices differ by more than a tenth of the first.
fn far_apart(live: Decimal, dated: Decimal) -> bool {
    (live - dated).abs() > live / Decimal::TEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_list_is_readable_and_free_of_contradictions() {
        let list = catalogue().expect("readable");
        assert_eq!(list.conflicts(), [""; 0]);
        assert_eq!(list.types().len(), 17);
        for kind in list.types() {
            let price = list.price(kind, "fr-par-2", Unit::Hour).expect("priced");
            assert_eq!(price.money.currency, CURRENCY, "{kind}");
        }
    }

    #[test]
    fn fl_105_a_difference_above_a_tenth_counts() {
        let amount = |text: &str| Decimal::from_str_exact(text).expect("a number");
        assert!(!far_apart(amount("0.7875"), amount("0.75")));
        assert!(far_apart(amount("0.7875"), amount("0.70")));
        assert!(far_apart(amount("0.7875"), amount("0.87")));
    }
}
