//! The imperative shell around the pure middle: reads the clouds, asks policy and plan, records,
//! tells, acts, makes the document. Decides nothing itself.
//!
//! | module | holds |
//! | --- | --- |
//! | [`mod@collect`] | identities, coverage, concurrent listings: the [`Inventory`] |
//! | [`prices`] | the price of a machine: override, provider, catalogue |
//! | [`mod@assess`] | details of candidates, judgement, cost: [`Assessed`] machines |
//! | `advice` | what would do for less |
//! | [`audit`] | the [`AuditDocument`](reaper_model::AuditDocument) of it all |
//! | `belongings` | what costs money beside machines: used, or left behind |
//! | `leftover_view` | one leftover in that document |
//! | [`sensors`] | who is asked what was measured |
//! | `measurements` | what was measured, in that document |
//! | `scope_view` | scopes, read or not, in that document |
//! | `machine_view` | one machine in that document |
//! | [`mod@act`] | a plan's steps carried out: read, authorise, record, call, confirm |
//! | [`candidates`] | assessed machines as decisions look at them |
//! | [`mod@clock`] | the clock of a run |
//! | [`courier`] | one message on its way: intended, sent, answered |
//! | [`error`] | [`RunError`]: why there is no document |
//! | [`mod@interrupt`] | the wish to end early |
//! | [`journal`] | where a run records: the ledger, or nowhere |
//! | [`kept`] | machines kept by `reaper keep` |
//! | [`mod@memory`] | the ledger's state as decisions remember it |
//! | `money` | what was spent, budgets and their alerts |
//! | [`notices`] | notices on their way |
//! | [`mod@observe`] | listings held against earlier ones |
//! | [`orders`] | [`Settings`] and [`Orders`]: what a run is told |
//! | `overlay` | history, decisions and actions in the document |
//! | [`pipeline`] | [`Runner`]: a run from its accounts to its document |
//! | [`mod@schedule`] | jobs at their times, one at a time |
//! | [`settle`] | what earlier runs have left open |
//! | `side_by_side` | bounded concurrency |
//! | [`watch`] | time limits |
//! | `weekly` | the weekly report: when, of what, to whom |
//! | `warnings` | what a reader should know besides |

pub mod act;
mod advice;
pub mod assess;
pub mod audit;
pub mod belongings;
pub mod candidates;
pub mod clock;
pub mod collect;
pub mod courier;
pub mod error;
pub mod interrupt;
pub mod journal;
pub mod kept;
mod leftover_view;
mod machine_view;
mod measurements;
pub mod memory;
mod money;
pub mod notices;
pub mod observe;
pub mod orders;
mod overlay;
pub mod pipeline;
pub mod prices;
pub mod schedule;
mod scope_view;
pub mod sensors;
pub mod settle;
mod side_by_side;
mod warnings;
pub mod watch;
mod weekly;

pub use act::{ActLimits, Hook};
pub use assess::{
    Assessed, Assessment, RuleCount, Yardstick, assess, measured, probe, rule_counts,
};
pub use audit::{Frame, document};
pub use clock::Clock;
pub use collect::{Account, Inventory, Progress, ScopeRead, Silent, collect};
pub use error::RunError;
pub use interrupt::{Interrupt, Interrupter, interrupt};
pub use journal::Journal;
pub use orders::{ChannelTopics, Orders, Reports, Settings, Tells};
pub use pipeline::{Ran, Runner};
pub use prices::PriceBook;
pub use scope_view::scopes;
pub use sensors::Sensors;
pub use warnings::of_inventory as inventory_warnings;
pub use watch::{Limits, Watch};
