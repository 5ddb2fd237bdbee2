//! Adapter for Scaleway Instances: one API key, every zone, and the servers in them that carry GPUs.
//! What it calls, and what each state costs, is told in this folder's README.
//!
//! | module | holds |
//! | --- | --- |
//! | [`descriptor`] | what the command line must know: options, credentials, the policies |
//! | [`adapter`] | [`ScalewayProvider`]: the trait `Provider` |
//! | [`profile`] | Scaleway's own variables and `config.yaml`, with the precedence of its tools |
//! | `settings` | what an account must say, checked before anything is sent |
//! | `client` | the calls, each with the permission set that it needs |
//! | `identity` | which organisation a key belongs to, from Scaleway's own answers |
//! | `listing` | one zone's listing: pages counted against the announced total |
//! | `products` | what a type is made of and costs, as the zone's product list says |
//! | `single` | one server read alone, by what reads a zone |
//! | `groups` | members of autoscaling groups, which come back when stopped |
//! | `audit_trail` | since when a server is billed, where the Audit Trail may be read |
//! | `billing` | what Scaleway itself has counted this month |
//! | `wire` | the answers, read field by field |
//! | `convert` | a server into the model's nouns |
//! | `tags` | flat tags read as pairs, and the controllers that they name |
//! | `retag` | one tag set or removed, all others as they came |
//! | `assets` | volumes, snapshots, images and addresses, used or not |
//! | `things` | their answers, of the Instances API and of the block API |
//! | `owned` | who uses them |
//! | `rates` | what storage and addresses cost in a month |
//! | `stop` | what each state costs, and what a stop would mean |
//! | `price` | the list price: the product list's, else the dated one |
//! | `error` | Scaleway's refusals into the taxonomy of `reaper-provider` |

pub mod adapter;
mod assets;
mod audit_trail;
mod billing;
mod client;
mod convert;
pub mod descriptor;
mod error;
mod groups;
mod identity;
mod listing;
mod metrics;
mod owned;
mod price;
mod products;
pub mod profile;
mod rates;
#[cfg(test)]
mod recorded;
mod retag;
mod settings;
mod single;
mod stop;
mod tags;
mod things;
mod wire;

pub use adapter::ScalewayProvider;
pub use descriptor::DESCRIPTOR;
pub use profile::fill;
