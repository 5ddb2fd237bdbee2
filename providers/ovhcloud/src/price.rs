//! The price of one machine: by its plan code from the public catalogue, else from the dated list
//! that ships with the program.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, NaiveTime, Utc};
use reaper_http::Lenient;
use reaper_model::price::HOURS_PER_MONTH;
use reaper_model::{
    Fact, Gpu, Ignorance, Instance, Location, MachineType, Money, Offer, Price, PriceSource,
    Purchase, Source, Unit,
};
use reaper_provider::{CallContext, Catalogue, CatalogueError};
use rust_decimal::Decimal;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::book::Book;
use crate::client::{Api, CATALOGUE};
use crate::flavor::linux;
use crate::notes::Notes;
use crate::plan;
use crate::wire::Flavor;

/// The dated list: the book of the French subsidiary.
const LIST: &str = include_str!("../../../config/prices/ovhcloud.csv");
/// How facts name it.
const LIST_NAME: &str = "config/prices/ovhcloud.csv";
/// Subsidiaries whose books are known to have the French prices. All of them are in euro.
const EURO: [&str; 8] = ["DE", "ES", "FI", "FR", "IE", "IT", "NL", "PT"];
/// How long a listing waits for 8 MB of prices, retries included, before the list has to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// All that is known of prices.
#[derive(Debug)]
pub(crate) struct Prices {
    list: Catalogue,
    /// With the time at which it was read; `None` inside once it could not be.
    book: OnceCell<Option<(Book, DateTime<Utc>)>>,
    plans: Mutex<BTreeMap<String, String>>,
    /// The flavours that each region shows as available.
    sold: Mutex<BTreeMap<Location, BTreeSet<String>>>,
    subsidiary: String,
}

impl Prices {
    pub(crate) fn new(subsidiary: &str) -> Result<Self, CatalogueError> {
        Ok(Self {
            list: Catalogue::parse(LIST)?,
            book: OnceCell::new(),
            plans: Mutex::default(),
            sold: Mutex::default(),
            subsidiary: subsidiary.to_owned(),
        })
    }

    /// The catalogue: asked for once, when somebody needs it, and not again for every machine that
    /// is read by itself. Without it the dated list has to do, so that a failure is pointed out and
    /// does no harm.
    pub(crate) async fn book(&self, api: &Api, cx: &CallContext, notes: &Notes) -> Option<&Book> {
        let fetch = async || {
            let why = match timeout(PATIENCE, api.catalogue(cx)).await {
                Ok(Ok(book)) => return Some((book, cx.now)),
                Ok(Err(error)) => error.to_string(),
                Err(_elapsed) => format!("{CATALOGUE}: not read within {PATIENCE:?}"),
            };
            notes.add("catalogue-unread", format!("{why}; the dated list of prices is used"));
            None
        };
        self.book.get_or_init(fetch).await.as_ref().map(|(book, _)| book)
    }

    /// The accelerators of a flavour, as far as the list or the catalogue tells.
    pub(crate) fn gpu(&self, flavor: &str, now: DateTime<Utc>) -> Option<Fact<Gpu>> {
        if let Some(gpu) = self.list.gpu(flavor).or_else(|| self.list.gpu(linux(flavor))) {
            let day = self.list.newest()?.and_time(NaiveTime::MIN).and_utc();
            return Some(Fact::known(gpu.clone(), &Source::new(LIST_NAME), day));
        }
        let gpu = self.read_book()?.0.gpu(flavor)?;
        Some(Fact::known(gpu.clone(), &Source::new(CATALOGUE), now))
    }

    /// Keeps the plan that a machine names.
    pub(crate) fn note(&self, native: &str, plan_code: &str) {
        self.plans().insert(native.to_owned(), plan_code.to_owned());
    }

    /// The price of a machine; never an hourly one for a monthly plan or the other way round.
    pub(crate) fn price(&self, instance: &Instance) -> Fact<Price> {
        let machine_type = instance.machine_type.as_str();
        let unit = match &instance.purchase {
            Purchase::Monthly => Unit::Month,
            Purchase::OnDemand => Unit::Hour,
            Purchase::Other(plan) => {
                let why = format!("what plan `{plan}` costs is not known; set [[price]]");
                return Fact::unknown(Ignorance::NotOffered, why);
            }
            Purchase::Spot { .. } | Purchase::Reserved(_) => {
                let why = "OVHcloud has no such way to pay";
                return Fact::unknown(Ignorance::NotOffered, why);
            }
        };
        let named = self.plans().get(&instance.id.native).cloned();
        let ordinary = plan::of(machine_type, unit);
        // A machine whose monthly plan is wanted, but has not begun, still names the hourly one.
        let plan_code =
            named.and_then(|code| plan::in_unit(&code, unit)).unwrap_or_else(|| ordinary.clone());
        if let Some((price, read_at)) = self.booked(&plan_code) {
            return Fact::known(price, &Source::new(CATALOGUE), read_at);
        }
        if !EURO.contains(&self.subsidiary.as_str()) {
            let why = format!(
                "no price of {plan_code} is known: the catalogue of {} did not give it; set [[price]]",
                self.subsidiary
            );
            return Fact::unknown(Ignorance::NotOffered, why);
        }
        // Local zones and regions of three zones have prices of their own, which the list lacks.
        let listed = self.list.price(machine_type, "", unit).filter(|_| plan_code == ordinary);
        match listed {
            Some(price) => {
                let as_of = price.as_of.and_time(NaiveTime::MIN).and_utc();
                Fact::known(price.clone(), &Source::new(LIST_NAME), as_of)
            }
            None => Fact::unknown(
                Ignorance::NotOffered,
                format!("no price of {plan_code} is known; set [[price]]"),
            ),
        }
    }

    /// What can be had in a region, by the hour and by the month: flavours with accelerators that
    /// its list of flavours shows or, where that was not read, those of the dated list. Windows
    /// flavours are left out, for their price holds a licence, and so are regions with prices of
    /// their own (local zones, three zones), whose names say so.
    pub(crate) fn offers(&self, region: &Location) -> Vec<Offer> {
        if !has_ordinary_prices(region) {
            return Vec::new();
        }
        let sold = self.sold.lock().unwrap_or_else(PoisonError::into_inner);
        let mut flavors: BTreeSet<&str> = self.list.types().into_iter().collect();
        if let Some(sold) = sold.get(region) {
            flavors.extend(self.read_book().into_iter().flat_map(|(book, _)| book.flavors()));
            flavors.retain(|flavor| sold.contains(*flavor));
        }
        flavors.retain(|flavor| linux(flavor) == *flavor);
        let units = [Unit::Hour, Unit::Month];
        let offers = flavors.into_iter().flat_map(|flavor| units.map(|unit| (flavor, unit)));
        offers.filter_map(|(flavor, unit)| self.offer(flavor, unit)).collect()
    }

    fn offer(&self, flavor: &str, unit: Unit) -> Option<Offer> {
        let booked = self.booked(&plan::of(flavor, unit)).map(|(price, _)| price);
        let listed = || {
            let holds = EURO.contains(&self.subsidiary.as_str());
            self.list.price(flavor, "", unit).filter(|_| holds).cloned()
        };
        let gpu = self
            .list
            .gpu(flavor)
            .or_else(|| self.read_book().and_then(|(book, _)| book.gpu(flavor)))?
            .clone();
        Some(Offer { machine_type: MachineType::new(flavor), gpu, price: booked.or_else(listed)? })
    }

    /// Keeps which flavours can be had where.
    pub(crate) fn note_flavors(&self, flavors: &[Lenient<Flavor>]) {
        let mut sold: BTreeMap<Location, BTreeSet<String>> = BTreeMap::new();
        for flavor in flavors.iter().filter_map(Lenient::good) {
            if let (Some(region), Some(name)) = (flavor.region.good(), flavor.name.good()) {
                let names = sold.entry(Location::new(region)).or_default();
                if flavor.available.good() != Some(&false) {
                    names.insert(name.clone());
                }
            }
        }
        *self.sold.lock().unwrap_or_else(PoisonError::into_inner) = sold;
    }

    /// What the catalogue says of a plan.
    fn booked(&self, plan_code: &str) -> Option<(Price, DateTime<Utc>)> {
        let &(ref book, read_at) = self.read_book()?;
        let (money, unit) = book.price(plan_code)?;
        let source = PriceSource::ProviderApi;
        Some((Price { money, unit, source, as_of: read_at.date_naive() }, read_at))
    }

    /// What a month of `count` GiB, or addresses, costs by a plan. Only the catalogue knows it: the
    /// dated list has machines alone.
    pub(crate) fn per_month(&self, plan_code: &str, count: Decimal) -> Fact<Money> {
        let found = self.read_book().and_then(|(book, read_at)| {
            let (money, unit) = book.price(plan_code)?;
            (unit == Unit::Hour).then_some((money, *read_at))
        });
        match found {
            Some((hourly, read_at)) => {
                let month = hourly.times(count * Decimal::from(HOURS_PER_MONTH));
                Fact::known(month, &Source::new(CATALOGUE), read_at)
            }
            None => Fact::unknown(
                Ignorance::NotOffered,
                format!("no price of {plan_code} is known: the catalogue did not give it"),
            ),
        }
    }

    /// The catalogue, if it was needed and could be read.
    fn read_book(&self) -> Option<&(Book, DateTime<Utc>)> {
        self.book.get()?.as_ref()
    }

    fn plans(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `GRA11` and `US-EAST-VA-1`, not `EU-WEST-LZ-BRU-A` or `EU-WEST-PAR`.
fn has_ordinary_prices(region: &Location) -> bool {
    let name = region.as_str();
    name.ends_with(|last: char| last.is_ascii_digit()) && !name.contains("-LZ-")
}

#[cfg(test)]
mod tests {
    use reaper_model::Currency;

    use super::*;
    use crate::subsidiary;

    #[test]
    fn the_whole_list_is_readable_and_free_of_contradictions() {
        let list = Catalogue::parse(LIST).expect("readable");
        assert_eq!(list.conflicts(), [""; 0]);
        assert_eq!(list.types().len(), 33);
    }

    #[test]
    fn fl_109_hours_and_months_stand_apart_and_a_hole_stays_one() {
        let list = Catalogue::parse(LIST).expect("readable");
        let price =
            |flavor, unit| list.price(flavor, "", unit).map(|price| price.money.all_digits());
        assert_eq!(price("h100-380", Unit::Hour).as_deref(), Some("2.80"));
        assert_eq!(price("h100-380", Unit::Month).as_deref(), Some("1940.00"));
        assert_eq!(price("h100-760", Unit::Month), None);
        assert_eq!(price("a10-180", Unit::Hour), None);
    }

    #[test]
    fn fl_107_the_french_list_stands_in_for_books_in_euro_alone() {
        for subsidiary in EURO {
            assert_eq!(subsidiary::currency(subsidiary), Some(Currency::EUR), "{subsidiary}");
        }
        let list = Catalogue::parse(LIST).expect("readable");
        let price = list.price("h100-380", "", Unit::Hour).expect("priced");
        assert_eq!(price.money.currency, Currency::EUR);
    }

    #[test]
    fn windows_has_the_gpu_of_the_same_flavour_without() {
        let prices = Prices::new("FR").expect("readable");
        let gpu = prices.gpu("win-l4-90", DateTime::UNIX_EPOCH).expect("known");
        assert_eq!(gpu.value().map(|gpu| gpu.model.as_str()), Some("L4"));
        assert!(prices.gpu("b300-512", DateTime::UNIX_EPOCH).is_none());
    }

    /// Type and price of what a region offers.
    fn offered(prices: &Prices, region: &str) -> Vec<String> {
        let shown = |offer: Offer| {
            format!("{} {:?} {:?}", offer.machine_type, offer.price.money, offer.price.unit)
        };
        prices.offers(&region.into()).into_iter().map(shown).collect()
    }

    #[test]
    fn fl_109_the_month_is_an_offer_of_its_own_and_a_hole_is_none() {
        let prices = Prices::new("FR").expect("readable");
        let offers = offered(&prices, "GRA11");
        for one in ["l4-90 0.75 EUR Hour", "l4-90 540 EUR Month", "h100-760 5.60 EUR Hour"] {
            assert!(offers.contains(&one.to_owned()), "{one}");
        }
        for none in ["h100-760 5.60 EUR Month", "a10-180", "win-t1-45"] {
            assert!(!offers.iter().any(|offer| offer.starts_with(none)), "{none}");
        }
    }

    #[test]
    fn what_a_region_does_not_show_is_not_offered_there() {
        let prices = Prices::new("FR").expect("readable");
        let flavors = r#"[{"name":"l4-90","region":"GRA11","available":true}, {"name":7},
            {"name":"h100-380","region":"GRA11","available":false},
            {"name":"b2-7","region":"DE1","available":true}]"#;
        prices.note_flavors(&serde_json::from_str::<Vec<_>>(flavors).expect("flavours"));
        assert_eq!(offered(&prices, "GRA11"), ["l4-90 0.75 EUR Hour", "l4-90 540 EUR Month"]);
        assert_eq!(offered(&prices, "DE1"), [""; 0]);
        assert!(!offered(&prices, "SBG5").is_empty(), "its flavours were not shown");
    }

    #[test]
    fn fl_107_places_and_books_with_other_prices_offer_nothing_by_the_french_list() {
        let prices = Prices::new("FR").expect("readable");
        for region in ["EU-WEST-LZ-BRU-A", "EU-WEST-PAR", "AF-NORTH-LZ-RBA-1"] {
            assert_eq!(offered(&prices, region), [""; 0], "{region}");
        }
        assert_eq!(offered(&Prices::new("US").expect("readable"), "US-EAST-VA-1"), [""; 0]);
    }
}
