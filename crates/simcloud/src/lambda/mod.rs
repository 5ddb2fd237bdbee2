//! Lambda Cloud as it is on the wire: JSON below `/api/v1`, accounts told apart by their API key.
//!
//! Two requests of one key in less than a second are one too many, and the gateway says so with a
//! page instead of JSON. There is no stop: a machine runs until it is terminated.

mod answer;
mod audit;
mod ops;
mod types;
mod wire;
mod world;

pub use types::InstanceType;
pub(crate) use wire::LambdaWire;
pub use world::{Account, FileSystem, Instance, LambdaWorld, LambdaWorldError};
