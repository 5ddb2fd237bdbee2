//! Delivery over SMTP.
//!
//! | module | holds |
//! | --- | --- |
//! | `settings` | [`Smtp`]: server, encryption, login; refused where it would send secrets in clear |
//! | `trouble` | how an SMTP exchange can fail, in kinds and in words |
//! | `oversize` | a mail that is larger than what is taken |
//! | `line` | one connection: opened, encrypted, logged in; one mail over it |
//! | `mailer` | [`SmtpMailer`]: the time limit, the kept connection, the verdict |

mod line;
mod mailer;
mod oversize;
mod settings;
mod trouble;

pub use mailer::SmtpMailer;
pub use settings::{Login, SetupError, Smtp, Tls};
