//! Scaleway as it is on the wire: Instances below `/instance/v1`, block storage below `/block/v1`, and
//! as much of IAM, Account, Audit Trail, Autoscaling and Billing as an audit reads. Organisations are told apart by their secret key.
//!
//! Pages are counted, their links are relative and drop the zone, a zone without the product answers
//! 404, and a request too many gets an empty 429. Recorded answers can take the place of any.

mod account;
mod act;
mod billing;
mod cockpit;
mod instance;
mod problem;
mod recording;
mod route;
mod server;
mod storage;
mod things;
mod types;
mod wire;
mod world;

pub use billing::Consumption;
pub use recording::Recording;
pub use server::Server;
pub use storage::{Image, Ip, Snapshot, Storage, Volume};
pub use types::{Gpu, InstanceType};
pub(crate) use wire::ScalewayWire;
pub use world::{Action, Group, Organization, Quirk, ScalewayWorld, ScalewayWorldError};
