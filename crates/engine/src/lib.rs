//! The imperative shell around the pure middle: reads the clouds, asks the policy, makes the
//! document. Decides nothing itself.
//!
//! | module | holds |
//! | --- | --- |
//! | [`mod@collect`] | identities, coverage, concurrent listings: the [`Inventory`] |
//! | [`prices`] | the price of a machine: override, provider, catalogue |
//! | [`mod@assess`] | details of candidates, judgement, cost: [`Assessed`] machines |
//! | [`audit`] | the [`AuditDocument`](reaper_model::AuditDocument) of it all |
//! | `scope_view` | scopes, read or not, in that document |
//! | `machine_view` | one machine in that document |
//! | `side_by_side` | bounded concurrency |
//! | [`watch`] | time limits |
//! | `warnings` | what a reader should know besides |

pub mod assess;
pub mod audit;
pub mod collect;
mod machine_view;
pub mod prices;
mod scope_view;
mod side_by_side;
mod warnings;
pub mod watch;

pub use assess::{Assessed, RuleCount, Yardstick, assess, probe, rule_counts};
pub use audit::{Frame, document};
pub use collect::{Account, Inventory, Progress, ScopeRead, Silent, collect};
pub use prices::PriceBook;
pub use scope_view::scopes;
pub use warnings::of_inventory as inventory_warnings;
pub use watch::{Limits, Watch};
