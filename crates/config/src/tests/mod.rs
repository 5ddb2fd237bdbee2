//! Tests over whole files.

mod accepted;
mod acting;
mod budgets;
mod channels;
mod coverage;
mod email;
mod example;
mod files;
mod idle;
mod metrics;
mod refused;
mod schedules;
mod secrets;
mod support;
mod typos;
