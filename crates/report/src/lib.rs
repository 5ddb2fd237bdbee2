//! The audit document in every format. A renderer decides nothing and asks nobody: it shows what
//! [`reaper_model::AuditDocument`] says, in the order in which it says it.
//!
//! | module | holds |
//! | --- | --- |
//! | `clean` | what text from outside may not do to a terminal, a log or a job runner |
//! | `figures` | counts, ages, times and lists of amounts in words |
//! | `layout` | width, wrapping, columns and colour |
//! | [`coverage`] | how much was read |
//! | [`finding`] | what is found and announced, and what that comes to |
//! | [`utilisation`] | whether accelerators work, as far as anybody asked, likewise for all formats |
//! | [`leftover`], [`advice`] | what nobody uses, and what would do for less, likewise |
//! | `summary` | the statements about the whole run that all formats share |
//! | `machine` | the statements about one machine that all formats share |
//! | `alert`, `action`, `waiting`, `mail` | what was, is and will be done, in words for all formats |
//! | [`budget`], `spend`, [`bill`] | budgets with their bars, who spent how much, what was billed, likewise |
//! | [`weekly`] | what only the weekly report tells, likewise |
//! | [`mod@digest`] | the document in a few lines, for channels that take no more |
//! | `prometheus` | the output for Prometheus: figures of one run |
//! | `keep` | the command that keeps a machine |
//! | `table`, `markdown`, `json`, `explain` | one output each for the audit document |
//! | `page` | the document as an HTML page |
//! | `junit` | the document as test cases for CI systems |
//! | `sheet` | its machines as CSV, and what was left behind; `cell` is what all CSV files share |
//! | `focus` | the output for cost tools: what machines have cost, day by day |
//! | `history` | the output for the ledger |

mod action;
pub mod advice;
mod alert;
pub mod bill;
pub mod budget;
mod cell;
mod clean;
pub mod coverage;
pub mod digest;
mod explain;
mod figures;
pub mod finding;
mod focus;
mod format;
mod history;
mod json;
mod junit;
mod keep;
mod layout;
pub mod leftover;
mod machine;
mod mail;
mod markdown;
mod page;
mod prometheus;
mod sheet;
mod spend;
mod summary;
mod table;
pub mod utilisation;
mod waiting;
pub mod weekly;

#[cfg(test)]
mod fixture;

pub use cell::guarded;
pub use clean::clean;
pub use coverage::Coverage;
pub use digest::{Digest, digest};
pub use explain::explain;
pub use focus::{LeftOut, focus_csv};
pub use format::{Format, write};
pub use history::history;
pub use json::json;
pub use junit::junit;
pub use keep::keep_command;
pub use layout::TableOptions;
pub use markdown::{markdown, markdown_within};
pub use page::page;
pub use prometheus::{RunFigures, last_success, prometheus};
pub use sheet::{csv, csv_of, leftovers_csv};
pub use table::table;
