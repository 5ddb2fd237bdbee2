//! The columns: name and value side by side, so that none can slip.

use reaper_model::document::Basis;

use super::row::Row;
use crate::cell::Cell;

/// A column: its name, and what it holds of a row.
type Column = (&'static str, fn(&Row<'_>) -> Cell);

/// All columns, in the order of the file: those that FOCUS demands, those that it demands of who
/// knows resources, places, list prices, usage and tags, and ours, which begin with `x_`. The first
/// holds a number, so that no text of others begins a line.
pub(super) const COLUMNS: [Column; 51] = [
    ("BilledCost", cost),
    ("EffectiveCost", cost),
    ("ContractedCost", cost),
    ("ListCost", cost),
    ("BillingCurrency", |row| Cell::word(row.money.currency.as_str())),
    ("BillingAccountId", |row| Cell::foreign(row.charge.id.account.as_str())),
    ("BillingAccountName", account),
    ("BillingPeriodStart", |row| Cell::Own(row.month().0)),
    ("BillingPeriodEnd", |row| Cell::Own(row.month().1)),
    ("ChargePeriodStart", |row| Cell::Own(row.period().0)),
    ("ChargePeriodEnd", |row| Cell::Own(row.period().1)),
    ("ChargeCategory", |row| Cell::word(if row.is_plan() { "Purchase" } else { "Usage" })),
    ("ChargeClass", |_| Cell::Null),
    ("ChargeDescription", |row| Cell::foreign(row.description())),
    ("ChargeFrequency", |row| Cell::word(if row.is_plan() { "Recurring" } else { "Usage-Based" })),
    ("InvoiceIssuerName", provider),
    ("ServiceProviderName", provider),
    ("HostProviderName", provider),
    ("ServiceCategory", |_| Cell::word("Compute")),
    ("ServiceSubcategory", |_| Cell::word("Virtual Machines")),
    ("ServiceName", |row| match row.provider {
        Some(provider) => Cell::word(provider.service),
        None => Cell::word("Virtual Machines"),
    }),
    ("PricingQuantity", |row| row.quantity().map_or(Cell::Null, Cell::number)),
    ("PricingUnit", |row| row.quantity().map_or(Cell::Null, |_| Cell::word(row.unit()))),
    ("PricingCategory", |row| Cell::word(row.pricing())),
    ("ListUnitPrice", unit_price),
    ("ContractedUnitPrice", unit_price),
    ("ConsumedQuantity", |row| used(row, Cell::number(row.charge.hours))),
    ("ConsumedUnit", |row| used(row, Cell::word(row.unit()))),
    ("SkuId", |row| Cell::from(&row.charge.machine_type)),
    ("SkuMeter", |_| Cell::word("Compute Usage")),
    ("SkuPriceId", |row| Cell::foreign(row.price_id())),
    ("SkuPriceDetails", |row| Cell::object(row.details())),
    ("SubAccountId", |row| Cell::from(row.sub_account())),
    ("SubAccountName", |row| row.sub_account().map_or(Cell::Null, |_| account(row))),
    ("RegionId", region),
    ("RegionName", region),
    ("AvailabilityZone", |row| Cell::from(row.place().1)),
    ("ResourceId", |row| Cell::foreign(&row.charge.id.native)),
    ("ResourceName", |row| Cell::from(row.charge.name.as_ref())),
    ("ResourceType", |_| Cell::word("Virtual Machine")),
    ("Tags", |row| Cell::object(row.tags())),
    ("x_Account", account),
    ("x_Basis", |_| Cell::word(Basis::Estimate.name())),
    ("x_GpuCount", |row| row.gpu.map_or(Cell::Null, |gpu| Cell::Own(gpu.count.to_string()))),
    ("x_GpuModel", |row| Cell::from(row.gpu.map(|gpu| &gpu.model))),
    ("x_InstanceId", |row| Cell::foreign(row.charge.id.to_string())),
    ("x_MachineType", |row| Cell::from(&row.charge.machine_type)),
    ("x_Owner", |row| Cell::foreign(row.charge.owners.join(", "))),
    ("x_Rules", |row| Cell::from(row.rules())),
    ("x_RunId", |row| Cell::foreign(row.run)),
    ("x_Verdict", |row| {
        row.machine.map_or(Cell::Null, |machine| Cell::word(machine.verdict.name()))
    }),
];

/// All digits, so that the rows add up to the charges.
fn cost(row: &Row<'_>) -> Cell {
    Cell::number(row.money.amount)
}

fn unit_price(row: &Row<'_>) -> Cell {
    Cell::number(row.price.money.amount)
}

fn account(row: &Row<'_>) -> Cell {
    Cell::foreign(row.charge.account.as_str())
}

fn provider(row: &Row<'_>) -> Cell {
    Cell::foreign(row.provider_name())
}

/// No provider's names of its regions are known here; people call them by their identifiers.
fn region(row: &Row<'_>) -> Cell {
    Cell::foreign(row.place().0)
}

/// A purchase uses nothing.
fn used(row: &Row<'_>, cell: Cell) -> Cell {
    if row.is_plan() { Cell::Null } else { cell }
}
