//! The public price catalogue, with its traps: products by the minute that look like machines, rows
//! of storage whose hours have no unit, and a US book that leaves it out everywhere.

use http::StatusCode;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value, json};

use crate::ovhcloud::answer::{Problem, refusal};
use crate::ovhcloud::flavor::{Flavor, Gpu};
use crate::ovhcloud::world::OvhWorld;

/// What a GiB costs in an hour, in units of 1e-8, and a floating address, which has no size.
const STORAGE: [(&str, i64); 6] = [
    ("volume.classic.consumption", 5_900),
    ("volume.high-speed.consumption", 11_900),
    ("volume.high-speed-gen2.consumption", 13_200),
    ("volume.snapshot.consumption", 1_500),
    ("snapshot.consumption", 1_500),
    ("floatingip.floatingip.hour.consumption", 250_000),
];

/// The book of a subsidiary. All of them have the same figures here, in their own currency.
pub(crate) fn book(ovh: &OvhWorld, subsidiary: &str) -> Result<Value, Problem> {
    let currency = match subsidiary {
        "DE" | "ES" | "FI" | "FR" | "IE" | "IT" | "NL" | "PT" => "EUR",
        "GB" => "GBP",
        "CA" => "CAD",
        "US" => "USD",
        _ => {
            let words = format!("[ovhSubsidiary] {subsidiary} is no subsidiary");
            return Err(refusal(StatusCode::BAD_REQUEST, "Client::BadRequest", &words));
        }
    };
    let silent = subsidiary == "US";
    let unit = |unit: &'static str| if silent { "none" } else { unit };
    let mut addons = Vec::new();
    for (name, flavor) in ovh.flavors() {
        let mut row = |suffix: &str, of: &'static str, price: Option<Decimal>| {
            if let Some(price) = price {
                addons.push(addon(&format!("{name}{suffix}"), unit(of), price, flavor));
            }
        };
        row(".consumption", "hour", flavor.hourly);
        row(".monthly.postpaid", "month", flavor.monthly);
        row(".consumption.LZ", "hour", flavor.local_zone_hourly);
    }
    let notebook = Flavor {
        family: String::new(),
        hourly: None,
        monthly: None,
        local_zone_hourly: None,
        gpu: Some(Gpu { model: "L4".to_owned(), count: 1, memory: 24 }),
    };
    let by_minute = Decimal::new(125, 4);
    addons.push(addon("ai-app-l4-1-gpu.minute.consumption", "minute", by_minute, &notebook));
    let volume = Flavor { gpu: None, ..notebook };
    addons
        .extend(STORAGE.map(|(plan, price)| addon(plan, "none", Decimal::new(price, 8), &volume)));
    addons.extend((0..ovh.catalogue_fillers).map(|number| {
        addon(&format!("volume.filler-{number}.consumption"), unit("hour"), by_minute, &volume)
    }));
    Ok(json!({
        "catalogId": 1,
        "locale": { "currencyCode": currency, "subsidiary": subsidiary, "taxRate": 20 },
        "plans": [],
        "products": [],
        "addons": addons,
    }))
}

fn addon(plan_code: &str, unit: &str, price: Decimal, flavor: &Flavor) -> Value {
    let gpu = flavor.gpu.as_ref().map(|gpu| {
        json!({
            "model": gpu.model,
            "number": gpu.count,
            "memory": { "size": gpu.memory, "interface": "HBM2" },
        })
    });
    let mut technical = json!({ "os": { "family": "linux" } });
    if let Some(gpu) = gpu {
        technical["gpu"] = gpu;
    }
    json!({
        "planCode": plan_code,
        "product": "publiccloud-instance",
        "invoiceName": plan_code.split('.').next(),
        "pricingType": "consumption",
        "pricings": [{
            "phase": 1,
            "capacities": ["consumption"],
            "commitment": 0,
            "description": "hourly",
            "interval": 1,
            "intervalUnit": unit,
            "price": (price * Decimal::from(100_000_000)).to_i64(),
            "formattedPrice": price.to_string(),
            "tax": 0,
            "mode": "default",
            "mustBeCompleted": false,
        }],
        "blobs": {
            "commercial": { "brick": if flavor.gpu.is_some() { "gpu" } else { "compute" } },
            "tags": ["active"],
            "technical": technical,
        },
    })
}
