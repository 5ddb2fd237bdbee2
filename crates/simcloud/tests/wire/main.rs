//! The wire of the simulated clouds, over real sockets.
#![allow(clippy::expect_used, clippy::panic, reason = "a test ends at the first surprise")]

mod assets;
mod client;
mod credentials;
mod demo;
mod lambda_acts;
mod machines;
mod moments;
mod money;
mod network;
mod outcomes;
mod ovhcloud_acts;
mod pages;
mod rig;
mod scaleway_acts;
mod small_world;
mod stops;
mod tags;
