//! The weekly report: whether it is due and for which period, what it tells of that period, and its
//! way to each recipient.
//!
//! | module | holds |
//! | --- | --- |
//! | [`period`] | which due time is to be answered, and the period of that report |
//! | [`changes`] | what came, went, is kept and was stopped in the period; what weeks have cost |
//! | [`kept`] | whose word keeps which machine |
//! | [`send`] | the report to each recipient, and stops to channels |

pub(crate) mod changes;
pub(crate) mod kept;
pub(crate) mod period;
pub(crate) mod send;
