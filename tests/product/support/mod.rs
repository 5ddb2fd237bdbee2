//! What the tests stand on.

mod moto_server;
mod reaper;
mod sim;

pub(crate) use moto_server::Moto;
pub(crate) use reaper::{Ran, Reaper, variable};
pub(crate) use sim::{ACCOUNT, NOW, OWNERLESS, Sim, machine};
