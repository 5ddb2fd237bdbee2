//! The commands, one file each.

mod audit;
mod check;
mod demo;
mod dispatch;
mod documents;
mod explain;
mod history;
mod init;
mod keep;
mod probe;
mod probe_view;
mod readings;
mod report;
mod run;
mod schedule;
mod weeks;

pub(crate) use dispatch::dispatch;
