//! The weekly mail: to those who get everything, and to owners about their own machines.
//!
//! | module | holds |
//! | --- | --- |
//! | `view` | [`Weekly`]: what a mail is made from, and its stable names |
//! | `reader` | [`Reader`], [`owners`], [`concerns`]: who gets one, and what of a document is theirs |

mod reader;
mod view;

#[cfg(test)]
mod fixture;

pub use reader::{Owner, Reader, concerns, owners};
pub use view::{Weekly, key, thread};
