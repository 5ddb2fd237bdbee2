//! The rigs, one file per provider.

mod aws;
mod lambda;
mod ovhcloud;
mod scaleway;

pub(crate) use aws::Aws;
pub(crate) use lambda::Lambda;
pub(crate) use ovhcloud::Ovhcloud;
pub(crate) use scaleway::Scaleway;
