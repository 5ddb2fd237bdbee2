//! Dated price lists: one CSV per provider, embedded by its adapter. A hole is unknown, never 0.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use reaper_model::{Currency, Gpu, MachineType, Money, Offer, Price, PriceSource, Unit};
use rust_decimal::Decimal;

/// The embedded list cannot be read: a defect of the build, found by its test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("price list line {line}: {problem}")]
pub struct CatalogueError {
    /// Line in the CSV, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: String,
}

/// Prices by type and location, and the accelerators of each type.
///
/// Columns: `type,location,hourly,monthly,currency,gpu_model,gpu_count,gpu_memory_gib,as_of,source`.
/// An empty location holds everywhere; empty prices say that the type is known and its price is not.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    prices: HashMap<(String, String), Vec<Price>>,
    gpus: BTreeMap<String, Gpu>,
    conflicts: Vec<String>,
    newest: Option<NaiveDate>,
}

impl Catalogue {
    /// Reads a list. Two rows for one type and location with different prices: the higher one is
    /// used and [`Catalogue::conflicts`] names both.
    pub fn parse(csv: &str) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        for row in reader.records() {
            let row = row.map_err(|error| CatalogueError {
                line: error.position().map_or(0, csv::Position::line),
                problem: error.to_string(),
            })?;
            let line = row.position().map_or(0, csv::Position::line);
            catalogue.add(&row).map_err(|problem| CatalogueError { line, problem })?;
        }
        Ok(catalogue)
    }

    fn add(&mut self, row: &csv::StringRecord) -> Result<(), String> {
        let [kind, location, hourly, monthly, currency, model, count, memory, as_of, _source] =
            std::array::from_fn(|index| row.get(index).unwrap_or_default().trim());
        let as_of: NaiveDate = as_of.parse().map_err(|_| format!("`{as_of}` is not a date"))?;
        let decimal = |text: &str| {
            Decimal::from_str_exact(text).map_err(|_| format!("`{text}` is not a number"))
        };
        self.newest = self.newest.max(Some(as_of));
        if !model.is_empty() {
            let memory_gib = if memory.is_empty() { None } else { Some(decimal(memory)?) };
            let gpu = Gpu { model: model.to_owned(), count: decimal(count)?, memory_gib };
            self.gpus.insert(kind.to_owned(), gpu);
        }
        for (text, unit) in [(hourly, Unit::Hour), (monthly, Unit::Month)] {
            if text.is_empty() {
                continue;
            }
            let currency: Currency =
                currency.parse().map_err(|_| format!("currency `{currency}`"))?;
            let amount = decimal(text)?;
            if amount <= Decimal::ZERO {
                return Err(format!("price `{text}`: an unknown price is left empty, never 0"));
            }
            let money = Money::new(amount, currency);
            self.add_price(
                kind,
                location,
                Price { money, unit, source: PriceSource::Catalogue, as_of },
            );
        }
        Ok(())
    }

    fn add_price(&mut self, kind: &str, location: &str, price: Price) {
        let rows = self.prices.entry((kind.to_owned(), location.to_owned())).or_default();
        match rows.iter_mut().find(|row| row.unit == price.unit) {
            None => rows.push(price),
            Some(row) if row.money == price.money => {}
            Some(row) => {
                self.conflicts.push(format!(
                    "{kind}{}{location}: two prices, {:?} and {:?}; the higher one is used",
                    if location.is_empty() { "" } else { " in " },
                    row.money,
                    price.money,
                ));
                if price.money.amount > row.money.amount {
                    *row = price;
                }
            }
        }
    }

    /// The price of a type at a location, else the one that holds everywhere.
    pub fn price(&self, machine_type: &str, location: &str, unit: Unit) -> Option<&Price> {
        let find = |location: &str| {
            self.prices
                .get(&(machine_type.to_owned(), location.to_owned()))
                .and_then(|rows| rows.iter().find(|row| row.unit == unit))
        };
        find(location).or_else(|| find(""))
    }

    /// The accelerators of a type, as far as the list knows it.
    pub fn gpu(&self, machine_type: &str) -> Option<&Gpu> {
        self.gpus.get(machine_type)
    }

    /// Every type that the list knows, sorted.
    pub fn types(&self) -> Vec<&str> {
        self.gpus.keys().map(String::as_str).collect()
    }

    /// What the list offers in a location: every type with accelerators once for each unit in which
    /// it has a price there, by type.
    pub fn offers(&self, location: &str) -> Vec<Offer> {
        let units = [Unit::Hour, Unit::Month];
        let rows = self.gpus.iter().flat_map(|(kind, gpu)| units.map(|unit| (kind, gpu, unit)));
        rows.filter_map(|(kind, gpu, unit)| {
            let price = self.price(kind, location, unit)?.clone();
            Some(Offer { machine_type: MachineType::new(kind), gpu: gpu.clone(), price })
        })
        .collect()
    }

    /// Contradictions between rows, each for people.
    pub fn conflicts(&self) -> &[String] {
        &self.conflicts
    }

    /// The date of the newest row.
    pub fn newest(&self) -> Option<NaiveDate> {
        self.newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "type,location,hourly,monthly,currency,gpu_model,gpu_count,gpu_memory_gib,as_of,source\n";

    fn catalogue(rows: &str) -> Result<Catalogue, CatalogueError> {
        Catalogue::parse(&format!("{HEAD}{rows}"))
    }

    #[test]
    fn fl_113_of_two_prices_the_higher_is_used_and_both_are_named() {
        let list = catalogue(
            "t,r,1.00,,USD,A,1,8,2026-01-01,a\nt,r,2.00,,USD,A,1,8,2026-01-01,b\n\
             t,r,2.00,,USD,A,1,8,2026-01-01,c\n",
        )
        .expect("readable");
        let price = list.price("t", "r", Unit::Hour).expect("priced");
        assert_eq!(price.money.to_string(), "2.00 USD");
        assert_eq!(
            list.conflicts(),
            ["t in r: two prices, 1.00 USD and 2.00 USD; the higher one is used"]
        );
    }

    #[test]
    fn a_hole_is_unknown_and_zero_is_refused() {
        let list = catalogue("t,r,,,USD,A,0.125,,2026-01-01,a\n").expect("readable");
        assert_eq!(list.price("t", "r", Unit::Hour), None);
        assert_eq!(list.gpu("t").map(|gpu| gpu.count.to_string()).as_deref(), Some("0.125"));
        let error = catalogue("t,r,0,,USD,A,1,,2026-01-01,a\n").expect_err("zero");
        assert_eq!(error.line, 2);
    }

    #[test]
    fn a_location_of_its_own_beats_the_price_that_holds_everywhere() {
        let list = catalogue("t,,1.00,,EUR,A,1,,2026-01-01,a\nt,r,2.00,,EUR,A,1,,2026-01-01,a\n")
            .expect("readable");
        let at =
            |location| list.price("t", location, Unit::Hour).map(|price| price.money.to_string());
        assert_eq!(at("r").as_deref(), Some("2.00 EUR"));
        assert_eq!(at("elsewhere").as_deref(), Some("1.00 EUR"));
    }

    #[test]
    fn what_has_no_price_in_a_place_is_not_offered_there() {
        let list = catalogue(
            "hole,,,,USD,A,1,8,2026-01-01,a\nplain,,1.00,,USD,,,,2026-01-01,a\n\
             both,,1.00,500,EUR,A,1,8,2026-01-01,a\nhere,r,2.00,,USD,B,2,16,2026-01-01,a\n",
        )
        .expect("readable");
        let offered = |location| {
            let offers = list.offers(location).into_iter();
            let shown = |offer: Offer| {
                format!("{} {:?} {:?}", offer.machine_type, offer.price.money, offer.price.unit)
            };
            offers.map(shown).collect::<Vec<_>>()
        };
        let everywhere = ["both 1.00 EUR Hour", "both 500 EUR Month"];
        assert_eq!(offered("elsewhere"), everywhere);
        assert_eq!(offered("r"), [&everywhere[..], &["here 2.00 USD Hour"]].concat());
    }
}
