//! Spend: hours and money, exactly, with the providers' rounding rules; budgets, their thresholds
//! and alerts. Pure: no clock, no IO.
//!
//! | module | holds |
//! | --- | --- |
//! | [`rounding`] | the one table of how providers round time |
//! | [`month`] | the calendar month in a named zone |
//! | [`cost`] | what the present run of a machine has cost |
//! | [`exchange`] | dated rates between currencies |
//! | [`track`] | [`Track`]: the remembered looks at one machine's bill |
//! | [`piece`] | [`pieces`]: the time that is known to have been billed |
//! | [`mod@amount`] | hours and money of pieces within a span of time |
//! | [`scope`] | what counts in a budget |
//! | [`bill`] | a provider's bill held against the estimate |
//! | [`standing`] | [`stand`]: spent, forecast, reached, missing |
//! | [`percent`] | shares of a limit, exact and printed |
//! | [`owners`] | spending by owner |
//! | [`alert`] | which alerts are due |

pub mod alert;
pub mod amount;
pub mod bill;
pub mod cost;
pub mod exchange;
pub mod month;
pub mod owners;
pub mod percent;
pub mod piece;
pub mod rounding;
pub mod scope;
pub mod standing;
pub mod track;

pub use alert::{Against, DueAlert, How, Past, ToldAlert};
pub use amount::{Amount, ahead, amount, charges};
pub use bill::{AccountBill, Reconciled, Unbilled, reconcile};
pub use cost::{Cost, Run};
pub use exchange::Exchange;
pub use month::Month;
pub use owners::{OwnerSpend, by_owner};
pub use piece::{Doubt, DoubtWhy, Piece, pieces};
pub use rounding::Rounding;
pub use standing::{Books, FORECAST_AFTER, Missing, RUN_RATE_AFTER, Standing, Unread, stand};
pub use track::{Look, Track};
