//! The mail to one person about machines.
//!
//! | module | holds |
//! | --- | --- |
//! | `view` | [`Notice`], [`Row`]: what is said, in types |
//! | `subject` | the subject, the opening words, what is at stake |
//! | `card` | one machine as labelled lines, cleaned and cut |
//! | `render` | both parts within their limits, and the list of what did not fit |
//! | `commands` | the commands that keep a machine or start it again |

mod card;
pub mod commands;
mod render;
mod subject;
mod view;

#[cfg(test)]
mod fixture;

pub use render::{RenderError, Rendered};
pub use view::{Fallback, Kind, Notice, Planned, Row};
