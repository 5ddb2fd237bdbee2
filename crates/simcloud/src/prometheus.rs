//! A Prometheus beside the clouds: what the meters of all machines would have put there, by DCGM
//! exporter, `node_exporter` and `reaper probe`, and the range queries that `reaper` asks.
//!
//! It keeps no series of its own: a query is understood as far as `reaper` words it (the highest or
//! the mean over a step, growth of counters, only where a probe lived) and answered from the meters; any other is refused as
//! the real one refuses what it cannot parse. That what it answers is what a real server answers is
//! tested where the queries are made.

mod query;
pub(crate) mod range;
mod series;
mod wire;

use serde::Deserialize;

pub(crate) use wire::PrometheusWire;

/// The Prometheus of a world (`[prometheus]`):
///
/// ```toml
/// [prometheus]
/// token = "canary"                       # the bearer token that it wants; none: nothing is wanted
/// label = "instance"                     # names the machine, with the port of the exporter
/// exporters = ["dcgm", "node", "probe"]  # who was scraped
/// names = { "i-0abc" = "train-7" }       # machines that are called otherwise than by their id
/// ```
///
/// It shows the meters that `prometheus` or the exporter's own name is in `by` of, or nothing.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrometheusWorld {
    /// The bearer token that it wants; empty for none.
    pub token: String,
    /// The label that names machines.
    pub label: String,
    /// Which exporters were scraped: `dcgm`, `node`, `probe`.
    pub exporters: Vec<String>,
    /// What machines are called in the label, by their native id.
    pub names: std::collections::BTreeMap<String, String>,
    /// Said beside every answer, as by a server that found some of its parts silent.
    pub warnings: Vec<String>,
}

impl Default for PrometheusWorld {
    fn default() -> Self {
        Self {
            token: String::new(),
            label: "instance".to_owned(),
            exporters: ["dcgm", "node"].map(str::to_owned).to_vec(),
            names: std::collections::BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
}
