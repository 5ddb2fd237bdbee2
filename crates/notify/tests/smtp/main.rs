//! Mail over real SMTP: aiosmtpd on loopback, with the certificates, refusals, silences and broken
//! connections that real servers have.

#![cfg(test)]

mod content;
mod delivery;
mod encryption;
mod server;
mod silence;
mod weekly;
