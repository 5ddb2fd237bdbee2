//! Mail after mail over one connection, each within the time limit, none sent twice.

use async_trait::async_trait;
use lettre::transport::smtp::client::TlsParameters;
use secrecy::ExposeSecret as _;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::line::Line;
use super::oversize::Oversize;
use super::settings::{SetupError, Smtp, Tls};
use super::trouble::{Step, Trouble, too_late};
use crate::delivery::{Delivery, Post, Refused};
use crate::mail::{Mail, Sender};

/// Attempts in a row to open a connection that may fail before the server is given up.
const MOST_MISSES: u8 = 3;

/// What became of one form of a mail, or that another is to be tried.
type Answer = Result<Delivery, Oversize>;

/// Delivers to one SMTP server, one mail at a time.
///
/// The connection is kept between mails. One that died between two mails is replaced, once, before
/// the server has heard of the next mail. A mail that is larger than what is taken is sent in its
/// reduced form, once, where it has one. A server that can never work (login refused, certificate
/// not trusted) or could not be reached three times in a row is not tried again until
/// [`Post::end`], so that a locked account or a long row of time limits does not follow.
pub struct SmtpMailer {
    settings: Smtp,
    sender: Sender,
    trust: Option<TlsParameters>,
    server: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    line: Option<Line>,
    misses: u8,
    given_up: Option<Delivery>,
}

impl SmtpMailer {
    /// Checks the settings and reads the trusted certificates; connects nowhere yet.
    pub fn new(settings: Smtp) -> Result<Self, SetupError> {
        settings.check()?;
        let trust = match settings.tls {
            Tls::None => None,
            Tls::StartTls | Tls::Implicit => Some(settings.trust()?),
        };
        let sender = Sender {
            from: settings.from.clone(),
            name: settings.from_name.clone(),
            reply_to: settings.reply_to.clone(),
        };
        let server = format!("mail server {}:{}", settings.host, settings.port);
        Ok(Self { settings, sender, trust, server, state: Mutex::default() })
    }

    /// The exchange about one mail over the kept connection, or a new one. Leaves in `line` what
    /// can be used again; dropped half-way, it leaves nothing.
    async fn exchange(
        &self,
        line: &mut Option<Line>,
        step: &mut Step,
        mail: &Mail,
        bytes: &[u8],
    ) -> Result<Answer, Trouble> {
        let mut current = loop {
            let (mut current, kept) = match line.take() {
                Some(current) => (current, true),
                None => (Line::open(&self.settings, self.trust.as_ref(), step).await?, false),
            };
            *step = Step::Sender;
            if let Some(unfit) = self.unfit(&current, mail, bytes) {
                *line = Some(current);
                return Ok(unfit);
            }
            match current.begin(&self.settings.from, &mail.to, bytes).await {
                Ok(()) => break current,
                Err(trouble) if kept && trouble.is_dead() => {
                    tracing::debug!("{}: closed between two mails, connecting anew", self.server);
                }
                Err(trouble) => {
                    *line = trouble.leaves_line().then_some(current);
                    return Err(trouble);
                }
            }
        };
        match current.deliver(&mail.to, bytes, step).await {
            Ok(reply) => {
                *line = Some(current);
                Ok(Ok(Delivery::Accepted { reply: self.without_password(reply) }))
            }
            Err(trouble) => {
                *line = trouble.leaves_line().then_some(current);
                Err(trouble)
            }
        }
    }

    /// What this server could never take, told before it is asked.
    fn unfit(&self, line: &Line, mail: &Mail, bytes: &[u8]) -> Option<Answer> {
        if mail.to.needs_utf8() && !line.features.utf8 {
            return Some(Ok(Delivery::Rejected {
                what: Refused::Recipient,
                permanent: true,
                why: format!("{} cannot be addressed by this server: no SMTPUTF8", mail.to),
            }));
        }
        let limit = line.features.size?;
        Oversize::of(bytes, limit, &self.server, "the mail server takes").map(Err)
    }

    /// One form of a mail, within the time for one.
    async fn attempt(&self, mail: &Mail) -> Answer {
        let bytes = match mail.compose(&self.sender) {
            Ok(bytes) => bytes,
            Err(error) => {
                let why = error.to_string();
                return Ok(Delivery::Rejected { what: Refused::Mail, permanent: true, why });
            }
        };
        let most = self.settings.max_size;
        let says = "max_size in the configuration allows";
        if let Some(oversize) =
            most.and_then(|most| Oversize::of(&bytes, most, "the configured max_size", says))
        {
            return Err(oversize);
        }
        let mut state = self.state.lock().await;
        if let Some(verdict) = &state.given_up {
            return Ok(verdict.clone());
        }
        let mut line = state.line.take();
        let mut step = Step::Sender;
        let limit = self.settings.timeout;
        let exchange = self.exchange(&mut line, &mut step, mail, &bytes);
        let mut too_large = false;
        let answer = match timeout(limit, exchange).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(Trouble::Refused { code, said })) => {
                let said = self.without_password(said);
                too_large = is_too_large(step, code);
                Ok(Trouble::Refused { code, said }.verdict(step, &self.server))
            }
            Ok(Err(trouble)) => Ok(trouble.verdict(step, &self.server)),
            Err(_) => Ok(too_late(step, &self.server, limit)),
        };
        state.line = line;
        match answer {
            Ok(verdict) => {
                state.remember(step, &verdict);
                if too_large { Err(Oversize::Said { refusal: verdict }) } else { Ok(verdict) }
            }
            Err(oversize) => {
                state.misses = 0;
                Err(oversize)
            }
        }
    }

    fn without_password(&self, text: String) -> String {
        match &self.settings.login {
            Some(login) if text.contains(login.password.expose_secret()) => {
                "(the answer repeats the password)".to_owned()
            }
            _ => text,
        }
    }
}

#[async_trait]
impl Post for SmtpMailer {
    async fn post(&self, mail: &Mail) -> Delivery {
        let oversize = match self.attempt(mail).await {
            Ok(delivery) => return delivery,
            Err(oversize) => oversize,
        };
        let reason = oversize.reason();
        let Some(reduced) = mail.reduced(&reason) else { return oversize.refusal() };
        tracing::info!("{}: sending the reduced form, because {reason}", self.server);
        match self.attempt(&reduced).await {
            Ok(Delivery::Accepted { reply }) => {
                Delivery::Accepted { reply: format!("{reply} (the reduced form: {reason})") }
            }
            Ok(delivery) => delivery,
            Err(oversize) => oversize.refusal(),
        }
    }

    async fn end(&self) {
        let State { line, .. } = std::mem::take(&mut *self.state.lock().await);
        let Some(line) = line else { return };
        match timeout(self.settings.timeout, line.close()).await {
            Ok(Ok(())) => {}
            // All mail is delivered already: a goodbye that fails changes nothing.
            Ok(Err(trouble)) => tracing::debug!("{}: goodbye: {trouble:?}", self.server),
            Err(_) => tracing::debug!("{}: no answer to the goodbye", self.server),
        }
    }
}

impl State {
    /// Counts failures to open a connection, and gives up where another attempt is pointless.
    fn remember(&mut self, step: Step, verdict: &Delivery) {
        match verdict {
            Delivery::Rejected { permanent, .. } if step.is_opening() => {
                self.misses += 1;
                if *permanent || self.misses >= MOST_MISSES {
                    self.given_up = Some(verdict.clone());
                }
            }
            _ => self.misses = 0,
        }
    }
}

/// Whether the server means the size of the mail, and not that of the mailbox: 552 is said of both.
fn is_too_large(step: Step, code: u16) -> bool {
    code == 552 && step != Step::Recipient && !step.is_opening()
}
