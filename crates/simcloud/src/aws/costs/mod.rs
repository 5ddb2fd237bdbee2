//! Cost Explorer: what accounts have cost, from the world's machines and charges.

mod lines;
mod query;

pub use lines::Charge;
pub(super) use lines::prefix;
pub(super) use query::cost_and_usage;
