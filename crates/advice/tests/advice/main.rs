//! Advice about whole machines, compared with what the price lists that ship with the program offer.

#![allow(clippy::expect_used, reason = "a test that cannot build its input has failed")]

mod build;
mod cards;
mod evidence;
mod laws;
mod notebooks;
mod payment;
mod places;
mod sizes;
