//! What a CI runner gets besides the output: a job summary, the outputs of the step, annotations,
//! and listings that cannot order it about. Its own variables turn this on; there is no option.
//!
//! Secrets are not announced with `::add-mask::`: that announces by printing them, and no output of
//! ours holds one that would need the mask.

mod annotations;
mod fence;
mod findings;
mod kit;
mod link;
mod orders;
mod outputs;
mod runner;
mod summary;

pub(crate) use fence::Fence;
pub(crate) use kit::Kit;
pub(crate) use link::run_link;
pub(crate) use runner::{Channel, Runner};
