//! CloudWatch: which metrics there are, and what they were. It speaks Smithy's RPC protocol in CBOR
//! and JSON 1.0 alike; which of them, the request tells.

mod cbor;
mod data;
mod list;
mod series;
mod speech;

pub(super) use data::metric_data;
pub(super) use list::list_metrics;
pub(super) use speech::{Node, Speech, asked, failed, reply};
