//! Mail and other channels: who may be written to, what a message says, and what became of it.
//!
//! | module | holds |
//! | --- | --- |
//! | [`address`] | [`Address`], checked once |
//! | [`mail`] | [`Mail`]: one mail to one recipient, and its form on the wire |
//! | [`channel`] | [`Channel`]: whatever delivers messages that are no mail |
//! | [`delivery`] | [`Delivery`]: what became of a mail; [`Post`]: whatever delivers |
//! | [`smtp`] | [`SmtpMailer`]: delivery to an SMTP server |
//! | [`outbox`] | [`Outbox`]: mail into a folder, to be looked at |
//! | [`notice`] | [`Notice`]: the mail to an owner about machines |
//! | [`alert`] | [`Alert`]: the mail about a budget of which a threshold is reached |
//! | [`weekly`] | [`Weekly`]: the weekly report, to whoever gets all of it or to an owner |
//! | [`slack`] | [`Slack`]: messages to a Slack channel |
//! | [`webhook`] | [`Webhook`]: signed requests to a program of the user's |
//! | [`heartbeat`] | [`Heartbeat`]: an address that hears of each run |
//! | [`endpoint`] | [`Target`]: a secret address, and what a message posted to it comes to |
//! | `chart` | bars over time as a picture |
//! | `frame`, `words`, `field` | what the forms and texts of all mails share |
//!
//! Everything but [`smtp`] and what posts by [`endpoint`] is pure. Whom to write to, when, and what
//! a delivery means for a case is decided elsewhere.

pub mod address;
pub mod alert;
pub mod channel;
pub mod delivery;
pub mod endpoint;
pub mod heartbeat;
pub mod mail;
pub mod notice;
pub mod outbox;
pub mod slack;
pub mod smtp;
pub mod webhook;
pub mod weekly;

#[cfg(feature = "chart")]
mod chart;
mod field;
mod frame;
mod words;

pub use address::{Address, AddressError};
pub use alert::Alert;
pub use channel::{Channel, Content, GivenUp, Message};
pub use delivery::{Delivery, Post, Refused};
pub use endpoint::{Target, TargetError};
pub use heartbeat::Heartbeat;
pub use mail::{Attachment, Image, Key, List, Mail, Reduced};
pub use notice::Notice;
pub use outbox::Outbox;
pub use slack::Slack;
pub use smtp::{Login, SetupError, Smtp, SmtpMailer, Tls};
pub use webhook::Webhook;
pub use weekly::Weekly;
