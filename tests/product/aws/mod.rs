//! `reaper audit` of a simulated AWS, whole command: field cases of kinds A, B, F, H, I and the
//! invariants that concern listing and money.

mod accounts;
mod answers;
mod isolation;
mod listing;
mod money;

use crate::support::{classes, found as machine, scope, warnings};
