//! One connection to the mail server: opened, encrypted, logged in, and one mail over it.

use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Ehlo, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::{Response, Severity};
use secrecy::ExposeSecret as _;
use tokio::net::TcpStream;

use super::settings::{Login, Smtp, Tls};
use super::trouble::{Step, Trouble};
use crate::address::Address;
use crate::words::short;

/// Bytes of the text that are handed over at once.
const CHUNK: usize = 16 * 1024;

/// First bytes of a TLS record: what a port for implicit TLS sends when it sends first.
const TLS_RECORDS: [u8; 3] = [0x14, 0x15, 0x16];

/// An open connection, logged in.
pub(super) struct Line {
    smtp: AsyncSmtpConnection,
    /// What the server said that it can do.
    pub(super) features: Features,
    /// A recipient was refused: the half-begun mail must be dropped first.
    begun: bool,
}

/// What the server announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Features {
    /// The largest mail that it takes, in bytes.
    pub(super) size: Option<u64>,
    announces_size: bool,
    /// Whether it takes addresses outside ASCII.
    pub(super) utf8: bool,
}

impl Features {
    fn of(response: &Response) -> Self {
        let mut features = Self::default();
        for line in response.message() {
            let mut words = line.split_whitespace();
            match words.next().map(str::to_ascii_uppercase).as_deref() {
                Some("SIZE") => {
                    features.announces_size = true;
                    // Zero means no fixed limit.
                    features.size = words.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
                }
                Some("SMTPUTF8") => features.utf8 = true,
                _ => {}
            }
        }
        features
    }
}

impl Line {
    /// Connects, encrypts and logs in.
    pub(super) async fn open(
        settings: &Smtp,
        trust: Option<&TlsParameters>,
        step: &mut Step,
    ) -> Result<Self, Trouble> {
        let hello = ClientId::Domain(settings.from.domain().to_owned());
        let mut smtp = match (settings.tls, trust) {
            (Tls::Implicit, trust) => encrypted(settings, trust, &hello, step).await?,
            (Tls::None, _) => plain(settings, &hello, step).await?,
            (Tls::StartTls, trust) => {
                let mut smtp = plain(settings, &hello, step).await?;
                *step = Step::StartTls;
                upgrade(&mut smtp, trust, &hello).await?;
                smtp
            }
        };
        // lettre keeps only part of the answer; SIZE is not in it.
        *step = Step::Hello;
        let answer = smtp.command(Ehlo::new(hello)).await.map_err(|error| Trouble::of(&error))?;
        let features = Features::of(&answer);
        if let Some(login) = &settings.login {
            *step = Step::Login;
            log_in(&mut smtp, login).await?;
        }
        Ok(Self { smtp, features, begun: false })
    }

    /// Begins a mail. Until this has succeeded the server knows nothing of it.
    pub(super) async fn begin(
        &mut self,
        from: &Address,
        to: &Address,
        mail: &[u8],
    ) -> Result<(), Trouble> {
        if self.begun {
            self.begun = false;
            expect(self.smtp.command(Rset).await, 250)?;
        }
        let mut parameters = Vec::new();
        if self.features.announces_size {
            parameters.push(MailParameter::Size(mail.len()));
        }
        if to.needs_utf8() {
            parameters.push(MailParameter::SmtpUtfEight);
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let from = Some(from.on_the_wire().clone());
        expect(self.smtp.command(MailFrom::new(from, parameters)).await, 250)?;
        self.begun = true;
        Ok(())
    }

    /// Names the recipient and sends the text. Gives the server's words on taking it over.
    pub(super) async fn deliver(
        &mut self,
        to: &Address,
        mail: &[u8],
        step: &mut Step,
    ) -> Result<String, Trouble> {
        *step = Step::Recipient;
        let recipient = Rcpt::new(to.on_the_wire().clone(), Vec::new());
        let answer = self.smtp.command(recipient).await.map_err(|error| Trouble::of(&error))?;
        // 251: it will forward.
        if !answer.has_code(250) && !answer.has_code(251) {
            return Err(unexpected(&answer));
        }
        *step = Step::Data;
        expect(self.smtp.command(Data).await, 354)?;
        *step = Step::Body;
        let text = mail.chunks(CHUNK).chain(std::iter::from_fn(|| {
            // Asked for more than there is: the text is out, and the dot comes next.
            *step = Step::Dot;
            None
        }));
        let answer = self.smtp.message_iter(text).await.map_err(|error| Trouble::of(&error))?;
        if answer.code().severity != Severity::PositiveCompletion {
            return Err(unexpected(&answer));
        }
        self.begun = false;
        let words: Vec<&str> = answer.message().collect();
        Ok(short(&format!("{} {}", answer.code(), words.join(" ")), 200))
    }

    /// Says goodbye.
    pub(super) async fn close(mut self) -> Result<(), Trouble> {
        self.smtp.quit().await.map(drop).map_err(|error| Trouble::of(&error))
    }
}

/// A connection that begins in clear.
async fn plain(
    settings: &Smtp,
    hello: &ClientId,
    step: &mut Step,
) -> Result<AsyncSmtpConnection, Trouble> {
    *step = Step::Connect;
    let address = (settings.host.as_str(), settings.port);
    let stream = TcpStream::connect(address).await.map_err(|error| Trouble::of_io(&error))?;
    *step = Step::Greeting;
    let mut first = [0];
    let seen = stream.peek(&mut first).await.map_err(|error| Trouble::of_io(&error))?;
    if seen > 0 && TLS_RECORDS.contains(&first[0]) {
        let port = settings.port;
        let why = format!("port {port}: expected a plain greeting, found implicit TLS");
        return Err(Trouble::WrongMode { why });
    }
    *step = Step::Hello;
    AsyncSmtpConnection::connect_with_transport(Box::new(stream), hello)
        .await
        .map_err(|error| Trouble::of(&error))
}

/// A connection that is encrypted from the first byte.
async fn encrypted(
    settings: &Smtp,
    trust: Option<&TlsParameters>,
    hello: &ClientId,
    step: &mut Step,
) -> Result<AsyncSmtpConnection, Trouble> {
    *step = Step::ConnectTls;
    let trust = Some(trust.ok_or_else(no_trust)?.clone());
    let address = (settings.host.as_str(), settings.port);
    AsyncSmtpConnection::connect_tokio1(address, None, hello, trust, None).await.map_err(|error| {
        match Trouble::of(&error) {
            Trouble::WrongMode { why } => {
                let port = settings.port;
                let why = format!(
                    "port {port}: expected implicit TLS, found a server that begins in clear, as for starttls ({why})"
                );
                Trouble::WrongMode { why }
            }
            other => other,
        }
    })
}

async fn upgrade(
    smtp: &mut AsyncSmtpConnection,
    trust: Option<&TlsParameters>,
    hello: &ClientId,
) -> Result<(), Trouble> {
    let trust = trust.ok_or_else(no_trust)?.clone();
    if !smtp.can_starttls() {
        let why = "it does not offer STARTTLS; nothing was sent in clear".to_owned();
        return Err(Trouble::Lacking { why });
    }
    smtp.starttls(trust, hello).await.map_err(|error| Trouble::of(&error))
}

fn no_trust() -> Trouble {
    Trouble::Lacking { why: "TLS is not set up".to_owned() }
}

async fn log_in(smtp: &mut AsyncSmtpConnection, login: &Login) -> Result<(), Trouble> {
    let mechanisms = [Mechanism::Plain, Mechanism::Login];
    if smtp.server_info().get_auth_mechanism(&mechanisms).is_none() {
        let why = "it offers no login by password (PLAIN or LOGIN)".to_owned();
        return Err(Trouble::Lacking { why });
    }
    let password = login.password.expose_secret().to_owned();
    let credentials = Credentials::new(login.user.clone(), password);
    expect(smtp.auth(&mechanisms, &credentials).await, 235)
}

/// Exactly this code. Another good one means that answers and commands are out of step, for
/// example because somebody slipped one in before the encryption began.
fn expect(
    answer: Result<Response, lettre::transport::smtp::Error>,
    code: u16,
) -> Result<(), Trouble> {
    match answer {
        Ok(answer) if answer.has_code(code) => Ok(()),
        Ok(answer) => Err(unexpected(&answer)),
        Err(error) => Err(Trouble::of(&error)),
    }
}

fn unexpected(answer: &Response) -> Trouble {
    Trouble::Broken { why: format!("it answered {} out of turn", answer.code()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(lines: &str) -> Features {
        Features::of(&lines.parse().expect("an SMTP answer"))
    }

    #[test]
    fn what_the_server_can_do_is_read_from_its_answer() {
        let full = features("250-mail.test\r\n250-size 1000\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n");
        assert_eq!(full, Features { size: Some(1000), announces_size: true, utf8: true });
        let endless = features("250-mail.test\r\n250 SIZE 0\r\n");
        assert_eq!(endless, Features { size: None, announces_size: true, utf8: false });
        assert_eq!(features("250 mail.test\r\n"), Features::default());
    }
}
