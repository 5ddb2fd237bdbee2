//! AWS as it is on the wire: the query protocols of EC2 (version 2016-11-15) and STS (2011-06-15),
//! the JSON of Cost Explorer and of the price list, and the CBOR of CloudWatch.
//!
//! Accounts are told apart by the access key in the signature, regions by its credential scope;
//! signatures themselves are not checked.

mod account;
mod act;
mod assets;
mod auth;
mod cloudwatch;
mod costs;
mod describe;
mod error;
mod find;
mod fleet;
mod form;
mod instance;
mod json;
mod paging;
mod prices;
mod products;
mod region;
mod sts;
mod types;
mod wire;
mod world;
mod xml;

pub use account::{Account, Role};
pub use assets::{Address, Image, LooseVolume, Snapshot};
pub use costs::Charge;
pub use instance::{Becomes, Instance, Operator, Ran, Spot, Volume};
pub use paging::Quirk;
pub use prices::{Price, SpotPrice, StoragePrice};
pub use types::{Device, Disk, Gpu, InstanceType};
pub(crate) use wire::AwsWire;
pub use world::{AwsWorld, AwsWorldError};
