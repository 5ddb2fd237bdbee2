//! The dated list prices that ship with the program: Linux, shared tenancy, on demand.

use chrono::NaiveTime;
use reaper_model::{Fact, Ignorance, Instance, Price, Purchase, Source, Unit};
use reaper_provider::{Catalogue, CatalogueError};

/// Prices by type and region, each with its date and source.
const PRICES: &str = include_str!("../../../config/prices/aws.csv");

/// The embedded list. Its test reads the whole of it.
pub(crate) fn catalogue() -> Result<Catalogue, CatalogueError> {
    Catalogue::parse(PRICES)
}

/// The list price of a machine. A spot machine has none: its price moves, and the list price would
/// be far above it. Prepaid machines keep theirs: it is what their hour is worth.
pub(crate) fn list_price(catalogue: &Catalogue, instance: &Instance) -> Fact<Price> {
    if matches!(instance.purchase, Purchase::Spot { .. }) {
        return Fact::unknown(
            Ignorance::NotOffered,
            "the price of spot capacity varies; set [[price]] for its type",
        );
    }
    let (machine_type, region) = (&instance.machine_type, &instance.id.location);
    match catalogue.price(machine_type.as_str(), region.as_str(), Unit::Hour) {
        Some(price) => {
            let as_of = price.as_of.and_time(NaiveTime::MIN).and_utc();
            Fact::known(price.clone(), &Source::new("config/prices/aws.csv"), as_of)
        }
        None => Fact::unknown(
            Ignorance::NotOffered,
            format!("no price of {machine_type} in {region} is known; set [[price]]"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_list_is_readable_and_free_of_contradictions() {
        let list = catalogue().expect("readable");
        assert_eq!(list.conflicts(), [""; 0]);
        assert_eq!(list.types().len(), 106);
        let head = PRICES.lines().next();
        assert_eq!(
            head,
            Some(
                "type,location,hourly,monthly,currency,gpu_model,gpu_count,gpu_memory_gib,as_of,source"
            )
        );
    }

    #[test]
    fn a_price_holds_in_its_region_alone() {
        let list = catalogue().expect("readable");
        let price = |region| list.price("p4d.24xlarge", region, Unit::Hour);
        assert_eq!(price("us-east-1").map(|p| p.money.all_digits()).as_deref(), Some("21.957642"));
        assert_eq!(price("eu-west-1").map(|p| p.money.all_digits()).as_deref(), Some("23.71569"));
        assert_eq!(price("sa-east-1"), None);
        assert_eq!(list.price("p5e.48xlarge", "us-east-2", Unit::Hour), None);
    }
}
