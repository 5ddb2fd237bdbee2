//! What a type is made of and costs: the zone's own product list, else the dated one. A type that
//! nobody describes is assumed to be a billable GPU and never left out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use reaper_http::{Amount, Lenient};
use reaper_model::{
    Fact, Gpu, Ignorance, Location, MachineType, Money, Offer, Price, PriceSource, Source, Unit,
};
use reaper_provider::{CallContext, Catalogue, ProviderError};
use rust_decimal::Decimal;

use crate::client::{Api, PRODUCTS};
use crate::price::{CATALOGUE, CURRENCY};
use crate::wire;

/// Families that never had a GPU, for types that the product list no longer or not at all shows.
const FAMILIES_WITHOUT_GPU: [&str; 19] = [
    "BASIC2",
    "BASIC3",
    "COMPUTE3",
    "COPARM1",
    "DEV1",
    "ENT1",
    "GP1",
    "MEMORY3",
    "PLAY2",
    "POP2",
    "PRO2",
    "STANDARD2",
    "STANDARD3",
    "STARDUST1",
    "START1",
    "VC1L",
    "VC1M",
    "VC1S",
    "X64",
];
const BYTES_PER_GIB: u64 = 1 << 30;

/// One type in one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Product {
    /// Its accelerators; `Absent` for none.
    gpu: Fact<Gpu>,
    /// EUR per hour; a missing price and a price of nothing are both unknown.
    pub(crate) hourly: Option<Decimal>,
    /// Whether it is no longer sold.
    ended: bool,
}

/// The product list of one zone.
#[derive(Debug)]
pub(crate) struct Products {
    types: BTreeMap<String, Product>,
    /// When it was read (UTC).
    pub(crate) as_of: DateTime<Utc>,
    failure: Option<ProviderError>,
}

impl Products {
    /// Reads the pages of a list.
    pub(crate) fn new(pages: Vec<wire::Products>, now: DateTime<Utc>) -> Self {
        let source = Source::new(PRODUCTS);
        let types =
            pages.into_iter().flat_map(|page| page.servers).filter_map(|(name, product)| {
                let product = product.take(&name, &mut Vec::new())?;
                let gpu = gpu(&product, &source, now);
                let hourly = product.hourly_price.good().map(|Amount(price)| *price);
                let hourly = hourly.filter(|price| *price > Decimal::ZERO);
                let ended = product.end_of_service.good() == Some(&true);
                Some((name, Product { gpu, hourly, ended }))
            });
        Self { types: types.collect(), as_of: now, failure: None }
    }

    /// The list could not be read.
    pub(crate) fn unread(failure: ProviderError, now: DateTime<Utc>) -> Self {
        Self { types: BTreeMap::new(), as_of: now, failure: Some(failure) }
    }

    /// A type as the list shows it.
    pub(crate) fn get(&self, kind: &str) -> Option<&Product> {
        self.types.get(kind)
    }

    /// What is sold in the zone: types whose GPUs and price are known; `None` where the list could
    /// not be read.
    pub(crate) fn offers(&self) -> Option<Vec<Offer>> {
        let offer = |(kind, product): (&String, &Product)| {
            let price = Price {
                money: Money::new(product.hourly?, CURRENCY),
                unit: Unit::Hour,
                source: PriceSource::ProviderApi,
                as_of: self.as_of.date_naive(),
            };
            let gpu = product.gpu.value()?.clone();
            Some(Offer { machine_type: MachineType::new(kind), gpu, price })
        };
        let sold = self.types.iter().filter(|(_, product)| !product.ended);
        self.failure.is_none().then(|| sold.filter_map(offer).collect())
    }

    /// How the list contradicts itself or the dated one on the GPUs of a type, where it does.
    pub(crate) fn contradiction(&self, kind: &str, catalogue: &Catalogue) -> Option<String> {
        match &self.get(kind)?.gpu {
            Fact::Known { .. } => None,
            Fact::Unknown(gap) => Some(format!("Scaleway's product list on {kind}: {gap}")),
            Fact::Absent { .. } => {
                let Gpu { model, count, .. } = catalogue.gpu(kind)?;
                Some(format!(
                    "Scaleway's product list shows no GPU of {kind}, the dated list {count} {model}: \
                     it counts as a GPU machine"
                ))
            }
        }
    }

    /// The accelerators of a type; `None` for a type that surely has none: the product list says
    /// so and the dated list does not know better, or its family never had any.
    pub(crate) fn accelerator(&self, kind: &str, catalogue: &Catalogue) -> Option<Fact<Gpu>> {
        let described = self.get(kind).map(|product| &product.gpu);
        if let Some(known @ Fact::Known { .. }) = described {
            return Some(known.clone());
        }
        if let Some(gpu) = catalogue.gpu(kind) {
            return Some(Fact::known(gpu.clone(), &Source::new(CATALOGUE), self.as_of));
        }
        match described {
            Some(Fact::Absent { .. }) => return None,
            Some(unclear) => return Some(unclear.clone()),
            None => {}
        }
        let family = kind.split('-').next().unwrap_or_default();
        if FAMILIES_WITHOUT_GPU.contains(&family) {
            return None;
        }
        Some(match &self.failure {
            Some(error) => {
                Fact::unknown(Ignorance::ReadFailed, format!("the product list is unread: {error}"))
            }
            None => Fact::unknown(
                Ignorance::NotOffered,
                "Scaleway's product list of the zone does not name the type",
            ),
        })
    }
}

fn gpu(product: &wire::Product, source: &Source, now: DateTime<Utc>) -> Fact<Gpu> {
    let unclear = |why: &str| Fact::unknown(Ignorance::Unusable, why);
    let count = match (&product.gpu, describes_gpus(product)) {
        (Lenient::Good(0) | Lenient::Missing, false) => return Fact::absent(source),
        (Lenient::Good(0), true) => return unclear("it has no GPU, and yet one is described"),
        (Lenient::Missing, true) => return unclear("its GPUs are described and not counted"),
        (Lenient::Bad(_), _) => return unclear("its number of GPUs cannot be read"),
        (Lenient::Good(count), _) => *count,
    };
    let info = product.gpu_info.good();
    let Some(model) = info.and_then(|info| info.gpu_name.good()) else {
        return Fact::unknown(Ignorance::Unusable, format!("it has {count} GPUs of no name"));
    };
    let count = Decimal::from(count);
    let memory_gib = info
        .and_then(|info| info.gpu_memory.good())
        .map(|bytes| (Decimal::from(*bytes) / Decimal::from(BYTES_PER_GIB) * count).normalize());
    Fact::known(Gpu { model: model.clone(), count, memory_gib }, source, now)
}

/// Whether anything is said of what the GPUs of a type are.
fn describes_gpus(product: &wire::Product) -> bool {
    match &product.gpu_info {
        Lenient::Missing => false,
        Lenient::Good(info) => {
            !matches!((&info.gpu_name, &info.gpu_memory), (Lenient::Missing, Lenient::Missing))
        }
        Lenient::Bad(_) => true,
    }
}

/// The product lists that were read, by zone.
#[derive(Debug, Default)]
pub(crate) struct ProductBook(Mutex<BTreeMap<Location, Arc<Products>>>);

impl ProductBook {
    /// The list of a zone, read if nobody has yet; and, told once, why it could not be read.
    pub(crate) async fn read(
        &self,
        api: &Api,
        cx: &CallContext,
        zone: &Location,
    ) -> (Arc<Products>, Option<String>) {
        if let Some(products) = self.of(zone) {
            return (products, None);
        }
        let (products, problem) = match api.products(cx, zone).await {
            Ok(pages) => (Products::new(pages, cx.now), None),
            Err(error) => {
                let text = format!("types and prices are those of the dated list: {error}");
                (Products::unread(error, cx.now), Some(text))
            }
        };
        let products = Arc::new(products);
        let mut zones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        zones.insert(zone.clone(), Arc::clone(&products));
        (products, problem)
    }

    /// The list of a zone, if it was read.
    pub(crate) fn of(&self, zone: &Location) -> Option<Arc<Products>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(zone).cloned()
    }
}

#[cfg(test)]
mod tests {
    use reaper_provider::ErrorKind;

    use super::*;
    use crate::price;

    const LIST: &str = r#"{"servers": {
        "L40S-2-48G": {"gpu": 2, "gpu_info": {"gpu_manufacturer": "NVIDIA", "gpu_name": "L40S",
            "gpu_memory": 51539607552}, "hourly_price": 2.939832, "monthly_price": 2146.07736},
        "DEV1-S": {"gpu": null, "gpu_info": null, "hourly_price": 0.01302},
        "GP9-S": {"gpu": 0, "hourly_price": 0},
        "ODD-1": {"gpu": "two", "hourly_price": "dear"},
        "N-1": {"gpu": 1, "gpu_info": null, "hourly_price": 1},
        "L4-1-24G": {"gpu_info": null, "hourly_price": 0.7875}, "H100-1-80G": {"gpu": 0},
        "B1-1": {"gpu": null, "gpu_info": {"gpu_name": "B1"}}, "B1-2": {"gpu_info": "B1"},
        "B1-0": {"gpu": 0, "gpu_info": {"gpu_name": "B1", "gpu_memory": 1}},
        "E1-0": {"gpu": 0, "gpu_info": {}}}}"#;

    fn products() -> Products {
        let page = serde_json::from_str(LIST).expect("a page");
        Products::new(vec![page], DateTime::UNIX_EPOCH)
    }

    fn seen(products: &Products, kind: &str) -> Option<Fact<Gpu>> {
        products.accelerator(kind, &price::catalogue().expect("readable"))
    }

    #[test]
    fn memory_is_that_of_all_gpus_and_the_price_is_exact() {
        let products = products();
        let gpu = seen(&products, "L40S-2-48G").and_then(|fact| fact.value().cloned());
        let expected = Gpu { model: "L40S".into(), count: 2.into(), memory_gib: Some(96.into()) };
        assert_eq!(gpu, Some(expected));
        let hourly = products.get("L40S-2-48G").and_then(|product| product.hourly);
        assert_eq!(hourly.map(|price| price.to_string()).as_deref(), Some("2.939832"));
    }

    #[test]
    fn a_price_of_nothing_is_unknown() {
        let products = products();
        assert_eq!(products.get("GP9-S").and_then(|product| product.hourly), None);
        assert_eq!(products.get("ODD-1").and_then(|product| product.hourly), None);
    }

    #[test]
    fn only_types_that_surely_have_no_gpu_are_left_out() {
        let products = products();
        for none in ["DEV1-S", "GP9-S", "PRO2-XXS", "STARDUST1-S"] {
            assert_eq!(seen(&products, none), None, "{none}");
        }
        for unclear in ["ODD-1", "N-1", "H200-SXM-8-141G", ""] {
            let fact = seen(&products, unclear).expect(unclear);
            assert!(fact.gap().is_some(), "{unclear}");
        }
    }

    #[test]
    fn a_gpu_that_anybody_tells_of_is_never_left_out_and_the_contradiction_is_named() {
        let (products, dated) = (products(), price::catalogue().expect("readable"));
        for kind in ["L4-1-24G", "H100-1-80G"] {
            let fact = seen(&products, kind).expect(kind);
            assert_eq!(fact.source(), Some(&Source::new(CATALOGUE)));
            assert!(products.contradiction(kind, &dated).is_some(), "{kind}");
        }
        for kind in ["B1-0", "B1-1", "B1-2"] {
            let gap = seen(&products, kind).and_then(|fact| fact.gap().map(|gap| gap.kind));
            assert_eq!(gap, Some(Ignorance::Unusable), "{kind}");
            assert!(products.contradiction(kind, &dated).is_some(), "{kind}");
        }
        assert_eq!(seen(&products, "E1-0"), None);
        for kind in ["E1-0", "DEV1-S", "L40S-2-48G", "PRO2-XXS"] {
            assert_eq!(products.contradiction(kind, &dated), None, "{kind}");
        }
    }

    #[test]
    fn fl_022_a_type_nobody_describes_is_assumed_to_be_a_gpu() {
        let error = ProviderError::answered(ErrorKind::ServerFault, PRODUCTS, "");
        let products = Products::unread(error, DateTime::UNIX_EPOCH);
        let gap = seen(&products, "G99-1").and_then(|fact| fact.gap().map(|gap| gap.kind));
        assert_eq!(gap, Some(Ignorance::ReadFailed));
        let known = seen(&products, "L4-2-24G").and_then(|fact| fact.source().cloned());
        assert_eq!(known, Some(Source::new(CATALOGUE)));
        assert_eq!(seen(&products, "DEV1-S"), None);
    }

    #[test]
    fn offers_have_gpus_and_a_price_and_are_still_sold() {
        let list = LIST.replacen(
            r#"{"servers": {"#,
            r#"{"servers": {
            "P9-1": {"gpu": 1, "gpu_info": {"gpu_name": "P9"}, "hourly_price": 1,
                "end_of_service": true},"#,
            1,
        );
        let page = serde_json::from_str(&list).expect("a page");
        let offers = Products::new(vec![page], DateTime::UNIX_EPOCH).offers().expect("read");
        let kinds: Vec<&str> = offers.iter().map(|offer| offer.machine_type.as_str()).collect();
        assert_eq!(kinds, ["L40S-2-48G"]);
        let error = ProviderError::answered(ErrorKind::ServerFault, PRODUCTS, "");
        assert_eq!(Products::unread(error, DateTime::UNIX_EPOCH).offers(), None);
    }
}
