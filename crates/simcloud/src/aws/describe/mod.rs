//! The reading operations of EC2, one file each.

mod attribute;
mod instances;
mod regions;
mod spot;
mod spot_prices;
mod tags;
mod types;

pub(super) use attribute::instance_attribute;
pub(super) use instances::instances;
pub(super) use regions::regions;
pub(super) use spot::spot_instance_requests;
pub(super) use spot_prices::spot_price_history;
pub(super) use tags::tags;
pub(super) use types::instance_types;
