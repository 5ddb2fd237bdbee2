//! How an exchange can fail: where it stood, what kind of failure, and that in words.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use lettre::transport::smtp::Error as SmtpError;

use crate::delivery::{Delivery, Refused};
use crate::words::short;

/// Characters of a server's words that are shown.
const LONGEST_REPLY: usize = 200;

/// How far the exchange about one mail has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Connect,
    ConnectTls,
    Greeting,
    Hello,
    StartTls,
    Login,
    Sender,
    Recipient,
    Data,
    Body,
    /// The final dot may have been sent: from here on the server may have the mail.
    Dot,
}

impl Step {
    /// Whether no session stands yet.
    pub(super) fn is_opening(self) -> bool {
        self <= Self::Login
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connecting",
            Self::ConnectTls => "connecting with TLS",
            Self::Greeting => "waiting for the greeting",
            Self::Hello => "waiting for the answer to EHLO",
            Self::StartTls => "changing to TLS",
            Self::Login => "logging in",
            Self::Sender => "naming the sender",
            Self::Recipient => "naming the recipient",
            Self::Data => "asking to send the text",
            Self::Body => "sending the text",
            Self::Dot => "waiting for the server to take the mail over",
        }
    }
}

/// What went wrong with one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The server answered no.
    Refused {
        /// Its three digits.
        code: u16,
        /// Its words, cleaned and cut.
        said: String,
    },
    /// The connection cannot be used any more, or never could.
    Broken {
        /// In our words.
        why: String,
    },
    /// The other side presents a certificate that is not trusted.
    Untrusted {
        /// In TLS's words.
        why: String,
    },
    /// The other side does not speak the encryption that is configured.
    WrongMode {
        /// Port, expected and found mode.
        why: String,
    },
    /// The server lacks what we insist on.
    Lacking {
        /// What.
        why: String,
    },
}

impl Trouble {
    /// Reads what lettre says; kinds are told apart by type and code.
    pub(super) fn of(error: &SmtpError) -> Self {
        if let Some(code) = error.status() {
            let said = error.source().map(ToString::to_string).unwrap_or_default();
            return Self::Refused { code: code.into(), said: short(&said, LONGEST_REPLY) };
        }
        if let Some(tls) = causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
            return Self::of_tls(tls);
        }
        let io = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>());
        Self::Broken {
            why: match io {
                Some(error) => io_words(error),
                None if error.is_response() => {
                    "it closed the connection or answered what is not SMTP".to_owned()
                }
                None => short(&error.to_string(), LONGEST_REPLY),
            },
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        let why = short(&error.to_string(), LONGEST_REPLY);
        match error {
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => {
                Self::Untrusted { why }
            }
            rustls::Error::InvalidMessage(_) => Self::WrongMode { why },
            _ => Self::Broken { why: format!("TLS: {why}") },
        }
    }

    pub(super) fn of_io(error: &io::Error) -> Self {
        Self::Broken { why: io_words(error) }
    }

    /// Whether the connection is gone: broken, or the server says that it closes it.
    pub(super) const fn is_dead(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::Refused { code: 421, .. })
    }

    /// Whether another mail can follow over the same connection.
    pub(super) const fn leaves_line(&self) -> bool {
        matches!(self, Self::Refused { .. }) && !self.is_dead()
    }

    /// What it means for the mail in whose exchange it happened.
    pub(super) fn verdict(self, step: Step, server: &str) -> Delivery {
        let name = step.name();
        match self {
            Self::Refused { code, said } => {
                let what = refused_what(step, code);
                // The answer to a login may repeat the password.
                let said = if step == Step::Login { String::new() } else { format!(": {said}") };
                let why = format!("{server}, {name}: refused with {code}{said}");
                Delivery::Rejected { what, permanent: code >= 500, why }
            }
            Self::Broken { why } if step == Step::Dot => {
                Delivery::PossiblySent { why: format!("{server}, {name}: {why}") }
            }
            Self::Broken { why } => Delivery::Rejected {
                what: Refused::Server,
                permanent: false,
                why: format!("{server}, {name}: {why}"),
            },
            Self::Untrusted { why } => Delivery::Rejected {
                what: Refused::Server,
                permanent: true,
                why: format!("{server}: its certificate is not trusted: {why}"),
            },
            Self::WrongMode { why } | Self::Lacking { why } => Delivery::Rejected {
                what: Refused::Server,
                permanent: true,
                why: format!("{server}: {why}"),
            },
        }
    }
}

/// What it means that the time for one mail ran out.
pub(super) fn too_late(step: Step, server: &str, limit: Duration) -> Delivery {
    let mut why = format!("{server}, {}: no answer within {limit:?}", step.name());
    if step == Step::Greeting {
        why.push_str(
            "; expected a plain greeting (starttls), found silence, as on a port for implicit TLS",
        );
    }
    match step {
        Step::Dot => Delivery::PossiblySent { why },
        _ => Delivery::Rejected { what: Refused::Server, permanent: false, why },
    }
}

/// Which of our three the server speaks about, by the command that it refused.
const fn refused_what(step: Step, code: u16) -> Refused {
    match (step, code) {
        // Not understood, out of order, login or encryption wanted: not about the recipient.
        (Step::Recipient, 421 | 500 | 502 | 503 | 530 | 534 | 535 | 538) => Refused::Server,
        (Step::Recipient, _) => Refused::Recipient,
        // Larger than the server takes.
        (Step::Sender, 552) | (Step::Data | Step::Body | Step::Dot, _) => Refused::Mail,
        _ => Refused::Server,
    }
}

fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "it closed the connection".to_owned(),
        io::ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
        _ => short(&error.to_string(), LONGEST_REPLY),
    }
}

/// An error and its causes. What an `io::Error` wraps counts as its cause, which its own `source`
/// steps over.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error: &&'a (dyn StdError + 'static)| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn StdError + 'static)),
            None => error.source(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: u16) -> Trouble {
        Trouble::Refused { code, said: "no".to_owned() }
    }

    fn kind(delivery: Delivery) -> (Refused, bool) {
        match delivery {
            Delivery::Rejected { what, permanent, .. } => (what, permanent),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn fl_033_only_a_final_no_to_the_recipient_is_about_the_recipient() {
        for (step, code, expected) in [
            (Step::Recipient, 550, (Refused::Recipient, true)),
            (Step::Recipient, 451, (Refused::Recipient, false)),
            (Step::Recipient, 530, (Refused::Server, true)),
            (Step::Recipient, 421, (Refused::Server, false)),
            (Step::Sender, 550, (Refused::Server, true)),
            (Step::Sender, 552, (Refused::Mail, true)),
            (Step::Login, 535, (Refused::Server, true)),
            (Step::Data, 451, (Refused::Mail, false)),
            (Step::Dot, 554, (Refused::Mail, true)),
            (Step::Greeting, 554, (Refused::Server, true)),
        ] {
            assert_eq!(kind(refused(code).verdict(step, "s")), expected, "{step:?} {code}");
        }
    }

    #[test]
    fn fl_119_a_break_is_possibly_sent_only_once_the_dot_may_be_out() {
        let broken = Trouble::Broken { why: "it closed the connection".to_owned() };
        for step in [Step::Connect, Step::Greeting, Step::Data, Step::Body] {
            let expected = (Refused::Server, false);
            assert_eq!(kind(broken.clone().verdict(step, "s")), expected, "{step:?}");
            assert_eq!(kind(too_late(step, "s", Duration::from_secs(1))), expected, "{step:?}");
        }
        assert!(matches!(broken.verdict(Step::Dot, "s"), Delivery::PossiblySent { .. }));
        let late = too_late(Step::Dot, "s", Duration::from_secs(1));
        assert!(matches!(late, Delivery::PossiblySent { .. }));
    }

    #[test]
    fn fl_083_the_answer_to_a_login_is_not_repeated() {
        let answer = Trouble::Refused { code: 535, said: "wrong: hunter2".to_owned() };
        let verdict = answer.verdict(Step::Login, "smtp.example.org:587");
        assert!(!format!("{verdict:?}").contains("hunter2"), "{verdict:?}");
    }
}
