//! Measurements from Prometheus and servers that speak like it (Thanos, Mimir,
//! Amazon Managed Prometheus): what DCGM exporter, `reaper probe` and `node_exporter` put there.
//!
//! A server is asked three things: which of the series that could tell something it has, which
//! machines they name, and then one range query per quantity for all machines together. Whether
//! what comes back means idle is judged in `reaper-policy`.
//!
//! | module | holds |
//! | --- | --- |
//! | [`source`] | [`Prometheus`]: the source of measurements |
//! | `wanted` | which series tell what, and the query for each |
//! | `machines` | whom the value of a label means |
//! | `promql` | quoting, and lists of values short enough for one query |
//! | [`api`] | [`Api`]: the calls; [`Grid`]: the points in time of a range query |
//! | [`auth`] | [`Auth`]: how requests are signed |
//! | `sigv4` | signatures for Amazon Managed Prometheus |
//! | `wire` | answers as they come |

pub mod api;
pub mod auth;
mod machines;
mod promql;
mod sigv4;
pub mod source;
mod wanted;
mod wire;

pub use api::{Api, Grid, Row};
pub use auth::{Auth, Rights};
pub use promql::quoted;
pub use sigv4::SigV4;
pub use source::{Prometheus, Server};
