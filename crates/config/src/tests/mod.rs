//! Tests over whole files.

mod accepted;
mod example;
mod files;
mod refused;
mod secrets;
mod support;
mod typos;
