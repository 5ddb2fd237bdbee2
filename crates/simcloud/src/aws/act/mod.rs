//! The operations of EC2 that change something, and how machines that were acted upon move on.

mod order;
mod passage;
mod states;
mod tags;

pub(super) use order::Order;
pub(super) use passage::{End, Key};
pub(super) use states::{stop, terminate};
pub(super) use tags::{create as create_tags, delete as delete_tags};
