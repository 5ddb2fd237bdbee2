//! `GetProducts` of the price list: what machines cost on demand, each product as a text of JSON, with
//! the neighbours from which a client has to tell it apart.

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::aws::account::Account;
use crate::aws::error::AwsError;
use crate::aws::json;
use crate::aws::paging::{Paging, Quirk};
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
struct Product<'a> {
    kind: &'a str,
    region: &'a str,
    system: &'static str,
    tenancy: &'static str,
    capacity: &'static str,
    hourly: Decimal,
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
    let found: Vec<(String, Product<'_>)> = all(aws)
        .filter(|product| query.filters.iter().all(|filter| filter.passes(product)))
        .map(|product| (product.sku(), product))
        .collect();
    let rest = found
        .iter()
        .filter(|(sku, _)| paging.after().is_none_or(|(after, _)| sku.as_str() > after))
        .map(|(sku, product)| ((sku.as_str(), ""), product.write(sku, clock)));
    let page = paging.take(rest);
    let mut answer = json!({"FormatVersion": "aws_v1", "PriceList": page.items});
    if let Some(next) = page.next {
        answer["NextToken"] = next.into();
    }
    Ok(answer)
}

/// Every product, in the order of its number. Without a hypervisor there are whole machines only.
fn all(aws: &AwsWorld) -> impl Iterator<Item = Product<'_>> {
    aws.prices.all().flat_map(|(kind, region, hourly)| {
        let metal = is_metal(kind);
        let product = move |system, tenancy, capacity, hourly| Product {
            kind,
            region,
            system,
            tenancy,
            capacity,
            hourly,
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
        products.sort_by_key(Product::sku);
        products
    })
}

fn is_metal(kind: &str) -> bool {
    kind.split_once('.').is_some_and(|(_, size)| size.starts_with("metal"))
}

impl Product<'_> {
    fn sku(&self) -> String {
        let Self { kind, region, system, tenancy, capacity, .. } = self;
        format!("{kind}.{region}.{system}.{tenancy}.{capacity}")
    }

    fn family(&self) -> &'static str {
        if is_metal(self.kind) { "Compute Instance (bare metal)" } else { "Compute Instance" }
    }

    fn attributes(&self) -> Value {
        json!({
            "servicecode": SERVICE,
            "servicename": "Amazon Elastic Compute Cloud",
            "instanceType": self.kind,
            "regionCode": self.region,
            "locationType": "AWS Region",
            "operatingSystem": self.system,
            "preInstalledSw": "NA",
            "licenseModel": "No License required",
            "tenancy": self.tenancy,
            "capacitystatus": self.capacity,
            "marketoption": "OnDemand",
            "operation": if self.system == "Windows" { "RunInstances:0002" } else { "RunInstances" },
        })
    }

    fn write(&self, sku: &str, clock: &Clock) -> String {
        let now = clock.now().format("%Y-%m-%dT00:00:00Z").to_string();
        let (term, rate) = (format!("{sku}.JRTCKXETXF"), format!("{sku}.JRTCKXETXF.6YS6EN2CT7"));
        let dimension = json!({
            "unit": "Hrs",
            "beginRange": "0",
            "endRange": "Inf",
            "description": format!("{} USD per {} {}", self.hourly, self.system, self.kind),
            "appliesTo": [],
            "rateCode": rate,
            "pricePerUnit": {"USD": format!("{:.10}", self.hourly)},
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
                "productFamily": self.family(),
                "attributes": self.attributes(),
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
    fn passes(&self, product: &Product<'_>) -> bool {
        let attributes = product.attributes();
        let said = match self.field.as_str() {
            "productFamily" => product.family(),
            "ServiceCode" | "serviceCode" => SERVICE,
            field => attributes[field].as_str().unwrap_or_default(),
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
