//! The commands, one file each.

mod audit;
mod check;
mod demo;
mod dispatch;
mod documents;
mod explain;
mod init;

pub(crate) use dispatch::dispatch;
