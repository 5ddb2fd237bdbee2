//! The CI kit: its files against schemas and linters, its scripts run as the runners run them, and
//! what a CI runner is told by the binary.
//!
//! | module | holds |
//! | --- | --- |
//! | `lint` | every file of `config/ci` against the tools of those who read it |
//! | `kit` | `reaper init --ci` |
//! | `hosted` | a GitHub runner, as far as the kit needs one: steps, variables, files, artifacts |
//! | `expression` | the `${{ … }}` of its files |
//! | `orders` | what it takes for an order in what a step prints |
//! | `release` | the release archive, on a real HTTPS server |
//! | `workflow`, `action`, `gitlab` | the scripts of each, run |
//! | `told` | summary, outputs and annotations, with hostile names |
//! | `yaml` | files as data |

mod action;
mod expression;
mod gitlab;
mod hosted;
mod kit;
mod lint;
mod orders;
mod release;
mod told;
mod workflow;
mod yaml;
