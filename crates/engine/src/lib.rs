//! The imperative shell around the pure middle: reads the clouds, asks the policy, makes the
//! document. Decides nothing itself.
//!
//! | module | holds |
//! | --- | --- |
//! | [`collect`] | identities, coverage, concurrent listings: the [`Inventory`] |
//! | [`prices`] | the price of a machine: override, provider, catalogue |
//! | [`assess`] | details of candidates, judgement, cost: the [`Assessment`] |
//! | [`audit`] | the [`AuditDocument`](reaper_model::AuditDocument) of it all |
//! | `scope_view` | scopes, read or not, in that document |
//! | `machine_view` | one machine in that document |
//! | `side_by_side` | bounded concurrency |
//! | `warnings` | what a reader should know besides |

pub mod assess;
pub mod audit;
pub mod collect;
mod machine_view;
pub mod prices;
mod scope_view;
mod side_by_side;
mod warnings;

pub use assess::{Assessed, Assessment, Yardstick, assess};
pub use audit::{Frame, document};
pub use collect::{Account, Inventory, Limits, Progress, ScopeRead, Silent, collect};
pub use prices::{PriceBook, PriceOverride};
pub use scope_view::scopes;
pub use warnings::of_inventory as inventory_warnings;
