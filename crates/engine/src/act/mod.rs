//! Acting: a plan's steps carried out, each by reading again, authorising, recording the intent,
//! calling once, and reading until the bill has really ended. Decides nothing that the plan has not
//! decided.
//!
//! | module | holds |
//! | --- | --- |
//! | `carry` | the steps of a plan, one after the other |
//! | `call` | one step up to its call |
//! | `confirm` | reading until the meter has stopped |
//! | `leave` | steps that are not begun |
//! | `hook` | the team's command before a stop |
//! | `outcome` | how a step ended |

mod call;
mod carry;
mod confirm;
mod hook;
mod leave;
mod outcome;

pub use carry::{ActLimits, Acting, Arms, carry_out};
pub use hook::Hook;
pub use leave::{Left, leave};
pub use outcome::Acted;
