//! Simulated clouds: one world of accounts and machines, served over loopback HTTP in the
//! providers' real wire formats.
//!
//! A [`World`] is read from TOML or built in a test, [`SimCloud::start`] serves it, every request
//! is written down in a log, and [`Fault`]s make the network and the providers as bad as they
//! are. Nothing here knows the adapters: they meet it over HTTP alone.

mod act;
pub mod aws;
mod body;
mod clock;
mod faults;
mod hooks;
pub mod lambda;
mod log;
mod meter;
pub mod ovhcloud;
pub mod prometheus;
pub mod scaleway;
mod server;
mod usage;
mod wire;
mod world;

pub use act::{Act, Outcome};
pub use clock::{Clock, ParseWhenError, When};
pub use faults::{Effect, Fault, Faults};
pub use hooks::Trigger;
pub use log::{Change, Entry, Requests};
pub use meter::{But, Curve, Gap, Meter, Part, Step, Summary};
pub use server::SimCloud;
pub use wire::{Call, Reply, Request, Wire};
pub use world::{World, WorldError};
