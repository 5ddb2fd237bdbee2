//! When jobs are due: cron expressions in time zones, due times that were missed, jitter. Pure: no
//! clock, no IO; the crate `cron` is used here alone.
//!
//! | module | holds |
//! | --- | --- |
//! | [`expression`] | five fields, read and checked: [`BadExpression`] |
//! | [`mod@timetable`] | [`Timetable`]: an expression in a zone, forwards and backwards |
//! | `zone` | local times that do not exist or come twice |
//! | [`mod@due`] | [`Due`]: what is to be done now, and what was missed |
//! | [`mod@jitter`] | a delay that tells equal schedules apart |

pub mod due;
pub mod expression;
pub mod jitter;
pub mod timetable;

mod zone;

pub use due::{Due, MOST_COUNTED, due};
pub use expression::BadExpression;
pub use jitter::jitter;
pub use timetable::Timetable;
