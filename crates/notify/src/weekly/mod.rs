//! The weekly mail: to those who get everything, and to owners about their own machines.
//!
//! | module | holds |
//! | --- | --- |
//! | `view` | [`Weekly`]: what a mail is made from, and its stable names |
//! | `reader` | [`Reader`], [`owners`], [`concerns`]: who gets one, and what of a document is theirs |
//! | `contents` | what of the document is told, and its sums |
//! | `coverage` | how much was read, in words |
//! | `subject`, `opening`, `remarks` | the words before and after the lists |
//! | `section`, `sections`, `machine` | the lists, and one machine of them |
//! | `leftovers` | the lists of what was left behind and of what would do for less |
//! | `budgets`, `trend` | money by month and by week |
//! | `render` | the mail within its limits, its picture, its list, its reduced form |

mod budgets;
mod contents;
mod coverage;
mod leftovers;
mod machine;
mod opening;
mod reader;
mod remarks;
mod render;
mod section;
mod sections;
mod subject;
mod trend;
mod view;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

#[cfg(test)]
use crate::address::Address;

pub use reader::{Owner, Reader, concerns, owners, told_of};
pub use render::RenderError;
pub use view::{Weekly, key, thread};
