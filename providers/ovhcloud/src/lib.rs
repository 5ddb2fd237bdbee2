//! Adapter for OVHcloud Public Cloud: one project, all regions in one call. What it calls, and
//! what each state costs, is told in this folder's README.
//!
//! | module | holds |
//! | --- | --- |
//! | [`descriptor`] | what the command line must know: options, credentials, the policies |
//! | [`adapter`] | [`OvhProvider`]: the trait `Provider` |
//! | [`conf`] | what OVHcloud's own tools would read: `OVH_*` and `ovh.conf` |
//! | `endpoint` | ovh-eu, ovh-ca, ovh-us, or another address |
//! | `subsidiary` | what the price books are in |
//! | `login` | which of the three ways to log in the settings name |
//! | `signature` | requests signed with application keys, by the server's clock |
//! | `oauth` | tokens of service accounts |
//! | `client` | the calls and their pace |
//! | `wire` | the answers' JSON, as far as it is needed |
//! | `listing` | one listing, or one machine: flavours, cluster nodes, prices |
//! | `nodes` | which machines belong to a Kubernetes node pool |
//! | `flavor` | which flavours carry accelerators, and which have disks inside |
//! | `convert` | an instance into the model's nouns |
//! | `assets` | volumes, snapshots, images and floating addresses, used or not |
//! | `owned` | who uses them |
//! | `stop` | what each state costs, and what a stop would mean |
//! | `billing` | what OVHcloud itself has billed this month |
//! | `notes` | what a reader should know besides |
//! | `plan` | plan codes: flavour, and hour or month |
//! | `book` | the public price catalogue, read row by row |
//! | `price` | the price of one machine: the catalogue, else the dated list |
//! | `error` | OVHcloud's error bodies into the taxonomy of `reaper-provider` |

pub mod adapter;
mod assets;
mod billing;
mod book;
mod client;
pub mod conf;
mod convert;
pub mod descriptor;
mod endpoint;
mod error;
mod flavor;
mod listing;
mod login;
mod metrics;
mod nodes;
mod notes;
mod oauth;
mod owned;
mod plan;
mod price;
#[cfg(test)]
mod recorded;
mod signature;
mod stop;
mod subsidiary;
mod wire;

pub use adapter::OvhProvider;
pub use conf::fill;
pub use descriptor::DESCRIPTOR;
