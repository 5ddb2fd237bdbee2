//! The one table of keys. The parser's refusals and hints, the JSON schema and the defaults in the
//! documentation all come from here.
//!
//! | module | holds |
//! | --- | --- |
//! | `key` | what a key is |
//! | `file` | every key of the file, and those of later versions |
//! | `acting` | the keys of `[state]`, `[limits]`, `[timeouts]`, `[hooks]` and `[notify]` |
//! | `channels` | the keys of the channels besides mail |
//! | `budget` | the keys of `[[budget]]` |
//! | `metrics` | the keys of `[metrics]` |
//! | `idle` | the keys of idleness and of owners' tags |
//! | `schedule` | the keys of `[[schedule]]` |
//! | `nearest` | which valid name a misspelt one was meant to be |

mod acting;
mod budget;
mod channels;
mod file;
mod idle;
mod key;
mod metrics;
mod nearest;
mod schedule;

#[cfg(test)]
pub(crate) use file::LATER;
pub(crate) use file::file;
pub(crate) use key::{Key, Kind, Table};
pub(crate) use nearest::nearest;
