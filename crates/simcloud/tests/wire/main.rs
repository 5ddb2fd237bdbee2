//! The wire of the simulated clouds, over real sockets.
#![allow(clippy::expect_used, clippy::panic, reason = "a test ends at the first surprise")]

mod client;
mod credentials;
mod demo;
mod machines;
mod network;
mod pages;
mod small_world;
