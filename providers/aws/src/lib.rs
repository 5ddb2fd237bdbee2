//! Adapter for AWS EC2: one account, its regions, and the machines in them that carry accelerators.
//! What it calls, and what each state costs, is told in this folder's README.
//!
//! | module | holds |
//! | --- | --- |
//! | [`descriptor`] | what the command line must know: options, credentials, the policies |
//! | [`adapter`] | [`AwsProvider`]: the trait `Provider`, listing by listing |
//! | `settings` | what the settings of an account may be |
//! | `home` | which region is asked about the account as a whole, and which in its stead |
//! | `partition` | what a price list is in: dollars, and yuan in China |
//! | `profile` | the region of a profile in AWS's own files |
//! | `client` | one SDK configuration per account, one client and limiter per region |
//! | `credentials` | where credentials come from, and roles in other accounts |
//! | `transport` | TLS, proxies, certificate authorities |
//! | `trace` | what each attempt of a call tells: count, host, clock |
//! | `lenient` | answers with an unreadable date, which must not cost a whole page |
//! | `limiter` | requests in flight and their pace, per account and region |
//! | `listing` | one region's listing: pages, types, missing tags, the change to a filter |
//! | `wire` | the calls that read, and their paging |
//! | `act` | the calls that change something |
//! | `details` | the closer look at single machines |
//! | `types` | which types carry accelerators: built-in lists, else AWS's own description |
//! | `convert` | an EC2 instance into the model's nouns |
//! | `classify` | who manages a machine, and how it is paid for |
//! | `stop` | what each state costs, and what a stop would mean |
//! | `price` | which price counts: spot, AWS's own list, the dated list |
//! | `spot` | what spot capacity costs at present |
//! | `live` | AWS's own price list |
//! | `metrics` | CloudWatch: what was measured of machines |
//! | `storage` | what disks, snapshots and addresses cost |
//! | `assets` | what costs money beside machines, and who uses it |
//! | `billing` | what AWS has billed |
//! | `usage` | the usage types on a bill |
//! | `error` | the SDK's errors into the taxonomy of `reaper-provider` |

mod act;
pub mod adapter;
mod assets;
mod billing;
mod classify;
mod client;
mod convert;
mod credentials;
pub mod descriptor;
mod details;
mod error;
mod home;
mod lenient;
mod limiter;
mod listing;
mod live;
mod metrics;
mod partition;
mod price;
mod profile;
mod settings;
mod spot;
mod stop;
mod storage;
mod trace;
mod transport;
mod types;
mod usage;
mod wire;

pub use adapter::AwsProvider;
pub use descriptor::DESCRIPTOR;
