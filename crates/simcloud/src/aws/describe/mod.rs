//! The reading operations of EC2, one file each.

mod addresses;
mod attribute;
mod images;
mod instances;
mod named;
mod regions;
mod snapshots;
mod spot;
mod spot_prices;
mod tags;
mod types;
mod volumes;

pub(super) use addresses::addresses;
pub(super) use attribute::instance_attribute;
pub(super) use images::images;
pub(super) use instances::instances;
pub(super) use regions::regions;
pub(super) use snapshots::snapshots;
pub(super) use spot::spot_instance_requests;
pub(super) use spot_prices::spot_price_history;
pub(super) use tags::tags;
pub(super) use types::instance_types;
pub(super) use volumes::volumes;
