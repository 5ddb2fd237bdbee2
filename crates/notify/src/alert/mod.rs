//! The mail to one person about one budget.
//!
//! | module | holds |
//! | --- | --- |
//! | `view` | [`Alert`], [`Row`], [`Stop`]: what is said, in types |
//! | `subject` | the subject and the opening words |
//! | `facts` | how the budget stands, as labelled lines, cleaned and cut |
//! | `tables` | the dearest machines, and the stops that would lower the forecast |
//! | `bar` | the bar as cells of a table |
//! | `render` | the mail, within its limits |

mod bar;
mod facts;
mod render;
mod subject;
mod tables;
mod view;

#[cfg(test)]
mod fixture;

pub(crate) use bar::{Segment, segments};
pub use view::{Against, Alert, Repeat, Row, Stop, Why};
