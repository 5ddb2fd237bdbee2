//! The price of a machine: for spot capacity the present one; else AWS's own price list, where it was
//! asked; else the dated list that ships with the program: Linux, shared tenancy, on demand.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, NaiveTime, Utc};
use reaper_model::{
    Fact, Ignorance, Instance, Location, MachineType, Money, Offer, Price, PriceSource, Purchase,
    Source, Unit,
};
use reaper_provider::{Catalogue, CatalogueError};
use rust_decimal::Decimal;

use crate::live::PRODUCTS;
use crate::types::TypeBook;

/// Prices by type and region, each with its date and source.
const PRICES: &str = include_str!("../../../config/prices/aws.csv");

/// Families that are no longer sold, though machines of them may still run.
const RETIRED: [&str; 1] = ["p2."];

/// The embedded list. Its test reads the whole of it.
pub(crate) fn catalogue() -> Result<Catalogue, CatalogueError> {
    Catalogue::parse(PRICES)
}

/// What AWS answered about prices so far.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// Of spot machines, by region and id.
    spot: Mutex<BTreeMap<Location, BTreeMap<String, Fact<Price>>>>,
    /// On demand, by region and type.
    live: Mutex<BTreeMap<(Location, MachineType), Live>>,
}

/// What AWS's price list says of a type in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Live {
    /// The price per hour; `None` where the list has none.
    pub(crate) hourly: Option<Money>,
    /// When it was asked.
    pub(crate) as_of: DateTime<Utc>,
}

impl Live {
    fn price(&self) -> Option<Price> {
        Some(Price {
            money: self.hourly?,
            unit: Unit::Hour,
            source: PriceSource::ProviderApi,
            as_of: self.as_of.date_naive(),
        })
    }
}

impl Answers {
    /// Takes the prices of a region's spot machines, in the place of those before.
    pub(crate) fn take_spot(&self, region: &Location, prices: BTreeMap<String, Fact<Price>>) {
        let mut spot = self.spot.lock().unwrap_or_else(PoisonError::into_inner);
        spot.insert(region.clone(), prices);
    }

    /// Takes what AWS's price list says of a type.
    pub(crate) fn take_live(&self, region: &Location, kind: &MachineType, live: Live) {
        let mut known = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert((region.clone(), kind.clone()), live);
    }

    /// What AWS's price list says of a type, where it was asked.
    pub(crate) fn live(&self, region: &Location, kind: &MachineType) -> Option<Live> {
        let known = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(region.clone(), kind.clone())).copied()
    }

    /// Every type of a region that AWS's price list was asked about.
    fn asked(&self, region: &Location) -> BTreeMap<MachineType, Live> {
        let known = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let here = known.iter().filter(|((place, _), _)| place == region);
        here.map(|((_, kind), live)| (kind.clone(), *live)).collect()
    }

    fn spot(&self, instance: &Instance) -> Fact<Price> {
        let spot = self.spot.lock().unwrap_or_else(PoisonError::into_inner);
        let price = spot
            .get(&instance.id.location)
            .and_then(|machines| machines.get(&instance.id.native))
            .cloned();
        price.unwrap_or_else(|| {
            let why = "the price of its spot capacity was not asked; set [[price]] for its type";
            Fact::unknown(Ignorance::NotAsked, why)
        })
    }
}

/// The list price of a machine. That of a spot machine moves, and the price on demand would be far
/// above it. Prepaid machines keep theirs: it is what their hour is worth.
pub(crate) fn list_price(
    catalogue: &Catalogue,
    answers: &Answers,
    instance: &Instance,
) -> Fact<Price> {
    if matches!(instance.purchase, Purchase::Spot { .. }) {
        return answers.spot(instance);
    }
    let (machine_type, region) = (&instance.machine_type, &instance.id.location);
    let live = answers.live(region, machine_type);
    if let Some((price, as_of)) = live.and_then(|live| Some((live.price()?, live.as_of))) {
        return Fact::known(price, &Source::new(PRODUCTS), as_of);
    }
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

/// What can be had on demand in a region. Where AWS's price list was asked about a type, its answer
/// holds alone: a type that it has no price of is not sold there.
pub(crate) fn offers(
    catalogue: &Catalogue,
    answers: &Answers,
    book: &TypeBook,
    region: &Location,
) -> Vec<Offer> {
    let asked = answers.asked(region);
    let mut offers = catalogue.offers(region.as_str());
    offers.retain(|offer| {
        let kind = &offer.machine_type;
        !asked.contains_key(kind) && !RETIRED.iter().any(|family| kind.as_str().starts_with(family))
    });
    offers.extend(asked.into_iter().filter_map(|(machine_type, live)| {
        let gpu = book.gpu(catalogue, machine_type.as_str())?;
        Some(Offer { machine_type, gpu, price: live.price()? })
    }));
    offers
}

/// How AWS's price list and the dated list contradict each other on a type, where they do.
pub(crate) fn contradiction(
    catalogue: &Catalogue,
    answers: &Answers,
    region: &Location,
    kind: &MachineType,
) -> Option<String> {
    let live = answers.live(region, kind)?.hourly?;
    let dated = catalogue.price(kind.as_str(), region.as_str(), Unit::Hour)?;
    far_apart(live, dated.money).then(|| {
        format!(
            "AWS asks {} {} per hour for {kind} in {region}, the list of {} says {} {}: its own is \
             used",
            live.all_digits(),
            live.currency,
            dated.as_of,
            dated.money.all_digits(),
            dated.money.currency,
        )
    })
}

/// Whether two prices differ by more than a tenth of the first, or in their currency.
fn far_apart(live: Money, dated: Money) -> bool {
    live.currency != dated.currency
        || (live.amount - dated.amount).abs() > live.amount / Decimal::TEN
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
    fn fl_105_a_difference_above_a_tenth_counts() {
        let money = |text: &str| text.parse::<Money>().expect("an amount");
        assert!(!far_apart(money("23.7157 USD"), money("21.957642 USD")));
        assert!(far_apart(money("21.957642 USD"), money("32.7726 USD")));
        assert!(far_apart(money("1.00 USD"), money("0.89 USD")));
        assert!(far_apart(money("1.00 CNY"), money("1.00 USD")));
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

    #[test]
    fn offers_have_a_price_in_the_region_and_are_still_sold() {
        let list = catalogue().expect("readable");
        let (answers, book, region) = (Answers::default(), TypeBook::new(), "us-east-1".into());
        let kinds = |answers: &Answers, region: &Location| {
            let offers = offers(&list, answers, &book, region).into_iter();
            offers.map(|offer| (offer.machine_type.to_string(), offer.price)).collect::<Vec<_>>()
        };
        let offered = kinds(&answers, &region);
        let has = |name: &str| offered.iter().any(|(kind, _)| kind == name);
        assert!(has("g6.xlarge") && has("p4d.24xlarge"));
        assert!(!has("p2.xlarge") && !has("p5e.48xlarge") && !has("m5.large"));
        assert_eq!(kinds(&answers, &"sa-east-1".into()), []);
        for (kind, hourly) in [("g6.xlarge", None), ("g5.xlarge", Some("2.00 USD"))] {
            let hourly = hourly.map(|text| text.parse::<Money>().expect("an amount"));
            let live = Live { hourly, as_of: DateTime::UNIX_EPOCH };
            answers.take_live(&region, &kind.into(), live);
        }
        let asked = kinds(&answers, &region);
        assert!(asked.iter().all(|(kind, _)| kind != "g6.xlarge"), "it has no price there");
        let own = asked.iter().find(|(kind, _)| kind == "g5.xlarge").expect("offered");
        assert_eq!(own.1.money.to_string(), "2.00 USD");
        assert_eq!(asked.len(), offered.len() - 1, "each type once");
    }
}
