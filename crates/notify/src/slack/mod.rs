//! Messages to a Slack channel, by an incoming webhook.
//!
//! | module | holds |
//! | --- | --- |
//! | `text` | text that Slack shows as it is, cut to a length |
//! | `blocks` | a message within Slack's limits |
//! | `content` | what a message says |
//! | `channel` | [`Slack`]: delivery |

mod blocks;
mod channel;
mod content;
mod text;

#[cfg(test)]
mod tests;

pub use channel::Slack;
