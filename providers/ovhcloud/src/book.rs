//! The public price catalogue: what machines of a flavour cost and which accelerators they have, and
//! what a GiB of storage costs. It is 8 MB of which little is kept: rows are read one by one and
//! dropped unless they price a machine by the hour or the month, or storage by the hour.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use reaper_http::Lenient;
use reaper_model::{Currency, Gpu, Money, Unit};
use rust_decimal::Decimal;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::flavor::linux;
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
    gear: BTreeMap<String, Gear>,
}

/// What the rows of a flavour say of its accelerators.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Gear {
    /// A row that was read whole shows that there are none.
    Ordinary,
    /// A row hints at some, but could not be read.
    Unclear,
    /// A row names them.
    Gpu(Gpu),
}

impl Book {
    /// What a plan costs.
    pub(crate) fn price(&self, plan_code: &str) -> Option<(Money, Unit)> {
        let &(amount, unit) = self.rows.prices.get(plan_code)?;
        Some((Money::new(amount, self.currency), unit))
    }

    /// The currency of all prices.
    pub(crate) const fn currency(&self) -> Currency {
        self.currency
    }

    /// The accelerators of a flavour, as far as the book tells.
    pub(crate) fn gpu(&self, flavor: &str) -> Option<&Gpu> {
        match self.rows.gear.get(flavor)? {
            Gear::Gpu(gpu) => Some(gpu),
            Gear::Ordinary | Gear::Unclear => None,
        }
    }

    /// Every flavour with accelerators, without those whose price holds a licence.
    pub(crate) fn flavors(&self) -> impl Iterator<Item = &str> {
        let told = self.rows.gear.iter().filter(|(_, gear)| matches!(gear, Gear::Gpu(_)));
        told.map(|(flavor, _)| flavor.as_str()).filter(|flavor| linux(flavor) == *flavor)
    }

    /// Whether the book sells a flavour as one without accelerators; one that is not in the book,
    /// or in rows that say nothing of hardware, may be anything.
    pub(crate) fn is_ordinary(&self, flavor: &str) -> bool {
        matches!(self.rows.gear.get(flavor), Some(Gear::Ordinary))
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
    #[serde(default)]
    brick: Lenient<String>,
}

#[derive(Debug, Deserialize)]
struct Technical {
    #[serde(default)]
    gpu: Lenient<Accelerator>,
}

#[derive(Debug, Deserialize)]
struct Accelerator {
    model: String,
    number: NonZeroU32,
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
        let unit = match plan::read(code) {
            _ if plan::is_of_storage(code) => Unit::Hour,
            Some((flavor, unit)) => {
                if let Some(gear) = addon.blobs.good().and_then(Blobs::gear) {
                    self.learn(flavor, gear);
                }
                unit
            }
            None => return,
        };
        if let Some(price) =
            addon.pricings.iter().filter_map(Lenient::good).find_map(|p| p.of(unit))
        {
            self.prices.insert(code.clone(), (price, unit));
        }
    }

    /// A flavour has several rows: the strongest evidence of accelerators holds, in any order.
    fn learn(&mut self, flavor: &str, gear: Gear) {
        let known = self.gear.entry(flavor.to_owned()).or_insert(Gear::Ordinary);
        match (&*known, &gear) {
            (Gear::Ordinary, _) | (Gear::Unclear, Gear::Gpu(_)) => *known = gear,
            (Gear::Gpu(_) | Gear::Unclear, _) => {}
        }
    }
}

impl Blobs {
    /// What a row says of the hardware, or nothing. Absence takes a technical description without
    /// accelerators and a brick that is another.
    fn gear(&self) -> Option<Gear> {
        let technical = self.technical.good();
        let brick = self.commercial.good().and_then(|commercial| commercial.brick.good());
        match technical.map(|technical| &technical.gpu) {
            Some(Lenient::Good(gpu)) => Some(Gear::Gpu(model(gpu))),
            Some(Lenient::Bad(_)) => Some(Gear::Unclear),
            Some(Lenient::Missing) | None => match brick?.as_str() {
                "" => None,
                "gpu" => Some(Gear::Unclear),
                _ => technical.map(|_| Gear::Ordinary),
            },
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
    let count = Decimal::from(gpu.number.get());
    let memory = gpu.memory.good().map(|memory| Decimal::from(memory.size) * count);
    Gpu { model: gpu.model.clone(), count, memory_gib: memory }
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
    fn storage_is_priced_by_the_hour_though_its_unit_is_not_said() {
        let rows = r#"{"locale":{"currencyCode":"EUR"},"addons":[
            {"planCode":"volume.classic.consumption","pricings":[{"intervalUnit":"none","price":5900}]},
            {"planCode":"snapshot.consumption","pricings":[{"intervalUnit":"hour","price":1500}]},
            {"planCode":"volume.classic.monthly.postpaid",
             "pricings":[{"intervalUnit":"month","price":4000000}]}]}"#;
        let rows = book(rows);
        assert_eq!(price(&rows, "volume.classic.consumption").as_deref(), Some("0.000059 Hour"));
        assert_eq!(price(&rows, "snapshot.consumption").as_deref(), Some("0.000015 Hour"));
        assert_eq!(rows.price("volume.classic.monthly.postpaid"), None);
        assert!(rows.gpu("snapshot").is_none() && !rows.is_ordinary("snapshot"), "no flavour");
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

    /// A book with a row of the flavour `z9-1` for each description of its hardware.
    fn described(blobs: &[&str]) -> Book {
        let rows: Vec<_> = blobs
            .iter()
            .map(|blobs| format!(r#"{{"planCode":"z9-1.consumption","blobs":{blobs}}}"#))
            .collect();
        let rows = rows.join(",");
        book(&format!(r#"{{"locale":{{"currencyCode":"EUR"}},"addons":[{rows}]}}"#))
    }

    const PLAIN: &str = r#"{"commercial":{"brick":"compute"},"technical":{"os":{}}}"#;
    const WITH_L4: &str =
        r#"{"commercial":{"brick":"gpu"},"technical":{"gpu":{"model":"L4","number":2}}}"#;

    #[test]
    fn fl_022_what_cannot_be_read_is_no_proof_that_there_is_no_gpu() {
        assert!(described(&[PLAIN]).is_ordinary("z9-1"));
        for unreadable in [
            "null",
            r#""""#,
            "{}",
            r#"{"commercial":{"brick":"compute"}}"#,
            r#"{"commercial":{"brick":"compute"},"technical":7}"#,
            r#"{"commercial":{"brick":"compute"},"technical":{"gpu":"L4"}}"#,
            r#"{"commercial":{"brick":"compute"},"technical":{"gpu":{"model":"L4","number":0}}}"#,
            r#"{"technical":{}}"#,
            r#"{"commercial":{"brick":7},"technical":{}}"#,
            r#"{"commercial":{"brick":""},"technical":{}}"#,
            r#"{"commercial":{"brick":"gpu"},"technical":{}}"#,
        ] {
            let book = described(&[unreadable]);
            assert!(!book.is_ordinary("z9-1") && book.gpu("z9-1").is_none(), "{unreadable}");
        }
    }

    #[test]
    fn fl_022_evidence_of_a_gpu_outlives_every_other_row() {
        let unclear = r#"{"commercial":{"brick":"gpu"}}"#;
        for rows in [
            [WITH_L4, PLAIN, "null"],
            [PLAIN, WITH_L4, unclear],
            [unclear, PLAIN, WITH_L4],
            [WITH_L4, unclear, "{}"],
        ] {
            let book = described(&rows);
            assert_eq!(book.gpu("z9-1").map(|gpu| gpu.model.as_str()), Some("L4"), "{rows:?}");
            assert!(!book.is_ordinary("z9-1"), "{rows:?}");
        }
        for rows in [[PLAIN, unclear], [unclear, PLAIN]] {
            assert!(!described(&rows).is_ordinary("z9-1"), "{rows:?}");
        }
        assert!(
            described(&["null", PLAIN]).is_ordinary("z9-1"),
            "a row without a say says nothing"
        );
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
