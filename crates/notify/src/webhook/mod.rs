//! Messages as signed requests to a program of the user's, as Standard Webhooks 1.0 says.
//!
//! | module | holds |
//! | --- | --- |
//! | `key` | the keys that requests are signed with |
//! | `body` | what a request says, and how a large document is cut to fit |
//! | `channel` | [`Webhook`]: delivery |

mod body;
mod channel;
mod key;

pub use channel::{SetupError, Webhook};
pub use key::KeyError;
