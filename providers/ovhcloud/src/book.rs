//! The public price catalogue: what machines of a flavour cost and which accelerators they have.
//! It is 8 MB of which little is kept: rows are read one by one and dropped unless they price a
//! machine by the hour or the month.

use std::collections::BTreeMap;
use std::fmt;

use reaper_http::Lenient;
use reaper_model::{Currency, Gpu, Money, Unit};
use rust_decimal::Decimal;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::plan;

/// Prices are whole numbers of this many decimal places.
const PRICE_SCALE: u32 = 8;

/// The prices of one subsidiary, without tax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Book {
    currency: Currency,
    rows: Rows,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rows {
    prices: BTreeMap<String, (Decimal, Unit)>,
    /// By flavour; `None` is a flavour without accelerators.
    gpus: BTreeMap<String, Option<Gpu>>,
}

impl Book {
    /// What a plan costs.
    pub(crate) fn price(&self, plan_code: &str) -> Option<(Money, Unit)> {
        let &(amount, unit) = self.rows.prices.get(plan_code)?;
        Some((Money::new(amount, self.currency), unit))
    }

    /// The accelerators of a flavour, as far as the book tells.
    pub(crate) fn gpu(&self, flavor: &str) -> Option<&Gpu> {
        self.rows.gpus.get(flavor)?.as_ref()
    }

    /// Whether the book sells a flavour as one without accelerators; one that is not in the book
    /// may be anything.
    pub(crate) fn is_ordinary(&self, flavor: &str) -> bool {
        matches!(self.rows.gpus.get(flavor), Some(None))
    }
}

impl<'de> Deserialize<'de> for Book {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Document {
            locale: Locale,
            #[serde(default, rename = "addons")]
            rows: Rows,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Locale {
            currency_code: Currency,
        }
        let Document { locale, rows } = Document::deserialize(deserializer)?;
        Ok(Self { currency: locale.currency_code, rows })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Addon {
    plan_code: Lenient<String>,
    #[serde(deserialize_with = "reaper_http::lenient::list")]
    pricings: Vec<Lenient<Pricing>>,
    blobs: Lenient<Blobs>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pricing {
    interval_unit: String,
    price: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Blobs {
    commercial: Lenient<Commercial>,
    technical: Lenient<Technical>,
}

#[derive(Debug, Deserialize)]
struct Commercial {
    brick: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Technical {
    gpu: Option<Accelerator>,
}

#[derive(Debug, Deserialize)]
struct Accelerator {
    model: String,
    number: u32,
    #[serde(default)]
    memory: Lenient<Memory>,
}

#[derive(Debug, Deserialize)]
struct Memory {
    /// GiB of each.
    size: u32,
}

impl Rows {
    fn take(&mut self, addon: &Addon) {
        let Some(code) = addon.plan_code.good() else { return };
        let Some((flavor, unit)) = plan::read(code) else { return };
        let blobs = addon.blobs.good();
        let gpu = blobs.and_then(|blobs| blobs.technical.good()?.gpu.as_ref()).map(model);
        let brick = blobs.and_then(|blobs| blobs.commercial.good()?.brick.as_deref());
        // A row that sells a GPU without saying which leaves the flavour unknown.
        if gpu.is_some() || brick != Some("gpu") {
            self.gpus.insert(flavor.to_owned(), gpu);
        }
        if let Some(price) =
            addon.pricings.iter().filter_map(Lenient::good).find_map(|p| p.of(unit))
        {
            self.prices.insert(code.clone(), (price, unit));
        }
    }
}

impl Pricing {
    /// The price, if it is one per `unit`: the catalogue's word agrees or, in the US, says nothing.
    fn of(&self, unit: Unit) -> Option<Decimal> {
        let agrees = match self.interval_unit.as_str() {
            "none" => true,
            "hour" => unit == Unit::Hour,
            "month" => unit == Unit::Month,
            _ => false,
        };
        (agrees && self.price > 0).then(|| Decimal::new(self.price, PRICE_SCALE).normalize())
    }
}

fn model(gpu: &Accelerator) -> Gpu {
    let memory =
        gpu.memory.good().map(|memory| Decimal::from(memory.size) * Decimal::from(gpu.number));
    Gpu { model: gpu.model.clone(), count: Decimal::from(gpu.number), memory_gib: memory }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneByOne;

        impl<'de> Visitor<'de> for OneByOne {
            type Value = Rows;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of products")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut addons: A) -> Result<Rows, A::Error> {
                let mut rows = Rows::default();
                while let Some(addon) = addons.next_element::<Lenient<Addon>>()? {
                    if let Lenient::Good(addon) = addon {
                        rows.take(&addon);
                    }
                }
                Ok(rows)
            }
        }

        deserializer.deserialize_seq(OneByOne)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FR: &str = include_str!("../fixtures/catalogue_FR.json");
    const US: &str = include_str!("../fixtures/catalogue_US.json");

    fn book(json: &str) -> Book {
        serde_json::from_str(json).expect("a catalogue")
    }

    fn price(book: &Book, plan: &str) -> Option<String> {
        book.price(plan).map(|(money, unit)| format!("{} {unit:?}", money.all_digits()))
    }

    #[test]
    fn fl_109_a_monthly_row_is_not_an_hourly_one() {
        let fr = book(FR);
        assert_eq!(price(&fr, "h100-380.consumption").as_deref(), Some("2.80 Hour"));
        assert_eq!(price(&fr, "h100-380.monthly.postpaid").as_deref(), Some("1940.00 Month"));
        assert_eq!(price(&fr, "win-t1-45.consumption").as_deref(), Some("0.9776 Hour"));
        assert_eq!(fr.currency, Currency::EUR);
    }

    #[test]
    fn fl_109_the_us_book_says_the_unit_in_the_plan_alone() {
        let us = book(US);
        assert_eq!(price(&us, "l40s-90.consumption").as_deref(), Some("1.80 Hour"));
        assert_eq!(price(&us, "win-l4-90.monthly.postpaid").as_deref(), Some("1387.00 Month"));
        assert_eq!(us.currency, Currency::USD);
    }

    #[test]
    fn rows_by_the_minute_and_rows_without_a_unit_are_no_prices_of_machines() {
        assert_eq!(book(FR).price("ai-app-l4-1-gpu.minute.consumption"), None);
        let rows = [("minute", 5), ("", 5), ("hour", 0), ("hour", -1), ("month", 5)];
        for (unit, amount) in rows {
            let odd = format!(
                r#"{{"locale":{{"currencyCode":"EUR"}},"addons":[{{"planCode":"x-1.consumption",
                "pricings":[{{"intervalUnit":"{unit}","price":{amount}}}]}}]}}"#
            );
            assert_eq!(book(&odd).price("x-1.consumption"), None, "{unit} {amount}");
        }
    }

    #[test]
    fn accelerators_are_told_by_the_book() {
        let fr = book(FR);
        let gpu = fr.gpu("h200-1920").expect("a GPU");
        assert_eq!((gpu.model.as_str(), gpu.count), ("H200", Decimal::from(8)));
        assert_eq!(gpu.memory_gib, Some(Decimal::from(1128)));
        assert!(fr.is_ordinary("b2-7"));
        assert!(!fr.is_ordinary("h200-1920") && !fr.is_ordinary("z9-1"));
    }

    #[test]
    fn fl_087_a_row_of_another_shape_spoils_only_itself() {
        let odd = r#"{"addons":[7, null, {"planCode":7}, {"planCode":"a-1.consumption","pricings":null},
            {"planCode":"l4-90.consumption","blobs":"",
             "pricings":[null,{"price":"free"},{"intervalUnit":"hour","price":75000000,"new":1}]}],
            "locale":{"currencyCode":"EUR"}}"#;
        assert_eq!(price(&book(odd), "l4-90.consumption").as_deref(), Some("0.75 Hour"));
        assert!(serde_json::from_str::<Book>(r#"{"addons":[]}"#).is_err(), "no currency");
    }
}
