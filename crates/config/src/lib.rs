//! The configuration file: TOML to typed and validated values, with spans and hints.
//!
//! [`load`] reads a file, [`parse`] a text; both give a [`Config`] in which everything was
//! understood, or a [`ConfigError`] that lists every problem with file, line, column, the
//! offending text and the nearest valid key. An absent file is an error, never a set of defaults;
//! an unknown key is an error, never a silence. No secret is in the file, in an error or in a
//! warning: `{ env = "NAME" }` and `{ file = "PATH" }` refer to them.
//!
//! | module | holds |
//! | --- | --- |
//! | [`types`], [`units`] | what a checked configuration is made of |
//! | `enforce` | what it must have before anything is acted upon |
//! | [`problem`] | errors and their rendering |
//! | `keys` | the one table of keys, kinds, defaults and documentation |
//! | `context`, `section` | reading tables: unknown and misplaced keys, typed getters |
//! | `value`, `reference`, `moment`, `currency`, `contact` | reading one value |
//! | `document`, `account`, `rules`, `owners`, `prices`, `settings`, `hooks`, `budgets`, `email`, `channels`, `metrics`, `schedules` | the parts of the file |
//! | `coverage` | whether a budget's currencies come together, and whether anybody hears of it |
//! | `conceal` | what must not be shown in an error's excerpt |
//! | `schema`, `template` | the JSON schema; what `reaper init` writes |

mod account;
mod budgets;
mod channels;
mod conceal;
mod contact;
mod context;
mod coverage;
mod currency;
mod document;
mod email;
mod enforce;
mod hooks;
mod idle;
mod keys;
mod metrics;
mod moment;
mod owners;
mod prices;
pub mod problem;
mod reference;
mod rules;
mod schedules;
mod schema;
mod section;
mod settings;
mod template;
pub mod types;
pub mod units;
mod value;

#[cfg(test)]
mod tests;

pub use context::{Environment, ProviderKeys};
pub use document::{load, parse};
pub use problem::{ConfigError, Position, Problem};
pub use schema::schema;
pub use template::{EXAMPLE, InitAccount, init_template};
pub use types::{
    Account, Channels, Config, ConfigWarning, Email, Heartbeat, Hook, Hooks, Job, Limits, Login,
    Metrics, Mode, Pace, Prometheus, PrometheusAuth, PrometheusServer, Schedule, Setting,
    SigV4Keys, Slack, Smtp, StateUrl, Timeouts, Tls, Told, Webhook,
};
pub use units::{Percent, Size};
