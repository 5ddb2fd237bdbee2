//! What the tests stand on.

mod clouds;
mod document;
mod mail;
mod moto_server;
mod reaper;
mod sim;

pub(crate) use clouds::{Cloud, LAMBDA, ORGANISATION, OVHCLOUD, PROJECT, SCALEWAY};
pub(crate) use document::{classes, found, scope, warnings};
pub(crate) use mail::{Mail, MailServer};
pub(crate) use moto_server::Moto;
pub(crate) use reaper::{Ran, Reaper, optional, variable};
pub(crate) use sim::{ACCOUNT, NOW, OWNERLESS, Sim, machine};
