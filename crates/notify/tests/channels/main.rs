//! Messages to a server on this machine that answers as it is told: what arrives, what is sent again
//! and when, and that no address and no secret is in any text.

#![cfg(test)]

mod heartbeat;
mod message;
mod server;
mod slack;
mod webhook;
