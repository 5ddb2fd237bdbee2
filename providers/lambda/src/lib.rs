//! Adapter for Lambda Cloud: one API key, all regions in one call. What it calls, what each state
//! costs and how old a machine is, is told in this folder's README.
//!
//! | module | holds |
//! | --- | --- |
//! | [`descriptor`] | what the command line must know: options, credentials |
//! | [`adapter`] | [`LambdaProvider`]: the trait `Provider` |
//! | `client` | the calls, their pace and their credential |
//! | `wire` | the answers' JSON, as far as it is needed |
//! | `convert` | an instance into the model's nouns |
//! | `age` | when a machine was launched: audit events, else its name |
//! | `assets` | file systems, which are charged whether anybody uses them or not |
//! | `stop` | what each state costs, and what a stop would mean |
//! | `price` | cents from the instance itself, else the dated list |
//! | `error` | Lambda's error codes into the taxonomy of `reaper-provider` |

pub mod adapter;
mod age;
mod assets;
mod client;
mod convert;
pub mod descriptor;
mod error;
mod price;
mod stop;
mod wire;

pub use adapter::LambdaProvider;
pub use descriptor::DESCRIPTOR;
