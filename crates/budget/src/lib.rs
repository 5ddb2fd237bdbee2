//! Spend: hours and money, exactly, with the providers' rounding rules. Pure: no clock, no IO.
//!
//! | module | holds |
//! | --- | --- |
//! | [`rounding`] | the one table of how providers round time |
//! | [`month`] | the calendar month in a named zone |
//! | [`cost`] | what a run has cost |
//! | [`exchange`] | dated rates to the report's currency |

pub mod cost;
pub mod exchange;
pub mod month;
pub mod rounding;

pub use cost::{Cost, Run};
pub use exchange::Exchange;
pub use month::Month;
pub use rounding::Rounding;
