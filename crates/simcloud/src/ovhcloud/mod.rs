//! OVHcloud as it is on the wire: the API `/1.0` of Public Cloud projects, logins, usage, what
//! costs money beside machines, and the public price catalogue. Signatures are checked, by the server's own clock, which may differ from the
//! world's.

mod act;
mod answer;
mod auth;
mod catalogue;
mod flavor;
mod instance;
mod monitoring;
mod project;
mod storage;
mod usage;
mod wire;
mod world;

pub use flavor::{Flavor, Gpu};
pub use instance::Instance;
pub use project::Project;
pub use storage::{FloatingIp, Image, Snapshot, Storage, Volume};
pub use usage::Charge;
pub(crate) use wire::OvhWire;
pub use world::{OvhWorld, OvhWorldError};
