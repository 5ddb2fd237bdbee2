//! `GetProducts` of the price list: what machines and disks cost on demand, each product as a text of JSON, with
//! the neighbours from which a client has to tell it apart.

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::aws::account::Account;
use crate::aws::costs::prefix;
use crate::aws::error::AwsError;
use crate::aws::json;
use crate::aws::paging::{Paging, Quirk};
use crate::aws::prices::StoragePrice;
use crate::aws::world::AwsWorld;
use crate::clock::Clock;

const SERVICE: &str = "AmazonEC2";
const MOST_ON_A_PAGE: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Query {
    service_code: String,
    #[serde(default)]
    filters: Vec<Filter>,
    format_version: Option<String>,
    next_token: Option<String>,
    max_results: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Filter {
    r#type: String,
    field: String,
    value: String,
}

/// One entry of the list.
struct Product {
    sku: String,
    family: &'static str,
    attributes: Value,
    unit: String,
    description: String,
    price: Decimal,
}

pub(crate) fn products(
    aws: &AwsWorld,
    clock: &Clock,
    _account: &Account,
    body: &[u8],
    quirk: Quirk,
) -> Result<Value, AwsError> {
    let invalid = |message: String| AwsError::bad("InvalidParameterException", message);
    let query: Query = json::read(body)?;
    if query.service_code != SERVICE {
        let message = format!("There is no service {}", query.service_code);
        return Err(AwsError::bad("NotFoundException", message));
    }
    if let Some(version) = query.format_version.filter(|version| version != "aws_v1") {
        return Err(invalid(format!("There is no format {version}")));
    }
    let known = ["TERM_MATCH", "EQUALS", "CONTAINS", "ANY_OF", "NONE_OF"];
    if let Some(filter) = query.filters.iter().find(|it| !known.contains(&it.r#type.as_str())) {
        return Err(invalid(format!("There is no filter type {}", filter.r#type)));
    }
    let max = query.max_results.unwrap_or(MOST_ON_A_PAGE);
    if !(1..=MOST_ON_A_PAGE).contains(&max) {
        return Err(invalid(format!("MaxResults {max} is not between 1 and {MOST_ON_A_PAGE}")));
    }
    let paging = Paging::of(Some(max), query.next_token.as_deref(), quirk)
        .ok_or_else(|| AwsError::bad("InvalidNextTokenException", "Invalid NextToken"))?;
    let mut found: Vec<Product> = machines(aws)
        .chain(aws.prices.storage().map(storage))
        .filter(|product| query.filters.iter().all(|filter| filter.passes(product)))
        .collect();
    found.sort_by(|a, b| a.sku.cmp(&b.sku));
    let rest = found
        .iter()
        .filter(|product| paging.after().is_none_or(|(after, _)| product.sku.as_str() > after))
        .map(|product| ((product.sku.as_str(), ""), product.write(clock)));
    let page = paging.take(rest);
    let mut answer = json!({"FormatVersion": "aws_v1", "PriceList": page.items});
    if let Some(next) = page.next {
        answer["NextToken"] = next.into();
    }
    Ok(answer)
}

/// Every machine. Without a hypervisor there are whole ones only.
fn machines(aws: &AwsWorld) -> impl Iterator<Item = Product> {
    aws.prices.all().flat_map(|(kind, region, hourly)| {
        let metal = is_metal(kind);
        let product = |system, tenancy, capacity, hourly| {
            machine((kind, region), system, tenancy, capacity, hourly)
        };
        let dearer = |percent: i64| hourly * Decimal::new(percent, 2);
        let shared = if metal { "Dedicated" } else { "Shared" };
        let mut products = vec![
            product("Linux", shared, "AllocatedCapacityReservation", Decimal::ZERO),
            product("Linux", shared, "UnusedCapacityReservation", hourly),
            product("Linux", shared, "Used", hourly),
            product("Windows", shared, "Used", dearer(145)),
        ];
        if !metal {
            products.push(product("Linux", "Dedicated", "Used", dearer(107)));
        }
        products
    })
}

fn is_metal(kind: &str) -> bool {
    kind.split_once('.').is_some_and(|(_, size)| size.starts_with("metal"))
}

fn machine(
    (kind, region): (&str, &str),
    system: &str,
    tenancy: &str,
    capacity: &str,
    hourly: Decimal,
) -> Product {
    let metal = is_metal(kind);
    Product {
        sku: format!("{kind}.{region}.{system}.{tenancy}.{capacity}"),
        family: if metal { "Compute Instance (bare metal)" } else { "Compute Instance" },
        attributes: json!({
            "servicecode": SERVICE,
            "servicename": "Amazon Elastic Compute Cloud",
            "instanceType": kind,
            "regionCode": region,
            "locationType": "AWS Region",
            "operatingSystem": system,
            "preInstalledSw": "NA",
            "licenseModel": "No License required",
            "tenancy": tenancy,
            "capacitystatus": capacity,
            "marketoption": "OnDemand",
            "operation": if system == "Windows" { "RunInstances:0002" } else { "RunInstances" },
        }),
        unit: "Hrs".to_owned(),
        description: format!("{hourly} USD per {system} {kind}"),
        price: hourly,
    }
}

/// Disks and snapshots. What they are charged for stands in the usage type alone.
fn storage(listed: &StoragePrice) -> Product {
    let StoragePrice { usage, region, price, unit } = listed;
    let family = match usage.as_str() {
        usage if usage.starts_with("EBS:VolumeUsage") => "Storage",
        usage if usage.starts_with("EBS:VolumeP-IOPS") => "System Operation",
        usage if usage.starts_with("EBS:VolumeP-Throughput") => "Provisioned Throughput",
        _ => "Storage Snapshot",
    };
    let prefix = prefix(region);
    let dash = if prefix.is_empty() { "" } else { "-" };
    Product {
        sku: format!("{usage}.{region}"),
        family,
        attributes: json!({
            "servicecode": SERVICE,
            "regionCode": region,
            "locationType": "AWS Region",
            "usagetype": format!("{prefix}{dash}{usage}"),
        }),
        unit: unit.clone(),
        description: format!("{price} USD per {unit} of {usage}"),
        price: *price,
    }
}

impl Product {
    fn write(&self, clock: &Clock) -> String {
        let sku = &self.sku;
        let now = clock.now().format("%Y-%m-%dT00:00:00Z").to_string();
        let (term, rate) = (format!("{sku}.JRTCKXETXF"), format!("{sku}.JRTCKXETXF.6YS6EN2CT7"));
        let dimension = json!({
            "unit": self.unit,
            "beginRange": "0",
            "endRange": "Inf",
            "description": self.description,
            "appliesTo": [],
            "rateCode": rate,
            "pricePerUnit": {"USD": format!("{:.10}", self.price)},
        });
        let terms = json!({term: {
            "sku": sku,
            "offerTermCode": "JRTCKXETXF",
            "effectiveDate": now,
            "termAttributes": {},
            "priceDimensions": {rate: dimension},
        }});
        let product = json!({
            "product": {
                "sku": sku,
                "productFamily": self.family,
                "attributes": self.attributes,
            },
            "serviceCode": SERVICE,
            "terms": {"OnDemand": terms},
            "version": "20260101000000",
            "publicationDate": now,
        });
        product.to_string()
    }
}

impl Filter {
    fn passes(&self, product: &Product) -> bool {
        let said = match self.field.as_str() {
            "productFamily" => product.family,
            "ServiceCode" | "serviceCode" => SERVICE,
            field => product.attributes[field].as_str().unwrap_or_default(),
        };
        let listed = || self.value.split(',').any(|value| value.trim() == said);
        match self.r#type.as_str() {
            "CONTAINS" => said.contains(&self.value),
            "ANY_OF" => listed(),
            "NONE_OF" => !listed(),
            _ => said == self.value,
        }
    }
}
