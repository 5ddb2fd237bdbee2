//! How requests are signed, and what refusals mean.

use std::time::SystemTime;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reaper_http::dialect::kind_of_status;
use reaper_http::{Answer, Call, Dialect, HeaderName, Refusal, Request, Signer, header};
use reaper_provider::{CallContext, ProviderError};
use secrecy::{ExposeSecret as _, SecretString};

use crate::sigv4::SigV4;
use crate::wire::Envelope;

/// How the server is told who asks.
#[derive(Debug, Clone)]
pub enum Auth {
    /// Not at all.
    None,
    /// By name and password.
    Basic {
        /// Name.
        user: String,
        /// Password.
        password: SecretString,
    },
    /// By a token.
    Bearer(SecretString),
    /// By a token in a header of the server's own.
    Header(HeaderName, SecretString),
    /// By signatures, as Amazon Managed Prometheus wants them.
    SigV4(SigV4),
}

impl Auth {
    fn sign(&self, request: &mut Request) -> Result<(), ProviderError> {
        match self {
            Self::None => Ok(()),
            Self::Basic { user, password } => {
                let login = format!("{user}:{}", password.expose_secret());
                let login = SecretString::from(format!("Basic {}", STANDARD.encode(login)));
                request.hide(password);
                request.secret_header(header::AUTHORIZATION, &login)
            }
            Self::Bearer(token) => request.bearer(token),
            Self::Header(name, token) => request.secret_header(name.clone(), token),
            Self::SigV4(keys) => {
                #[expect(clippy::disallowed_methods, reason = "a signature holds for minutes")]
                let at = SystemTime::now();
                keys.sign(request, at)
            }
        }
    }
}

/// The permissions that the calls need, as the server's policies spell them, to be named when one
/// is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// To ask a query.
    pub query: &'static str,
    /// To ask for the values of a label.
    pub labels: &'static str,
}

impl Auth {
    /// What the calls need; `None` where servers have no names for it.
    pub(crate) fn rights(&self) -> Option<Rights> {
        let amazon = Rights { query: "aps:QueryMetrics", labels: "aps:GetLabels" };
        matches!(self, Self::SigV4(_)).then_some(amazon)
    }
}

#[async_trait]
impl Dialect for Auth {
    async fn signer(&self, _cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        Ok(Box::new(|request| self.sign(request)))
    }

    /// The server's own errors are JSON; a proxy's in front of it are not.
    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        let Ok(problem) = answer.json::<Envelope<()>>() else {
            return Refusal::by_status(call, answer);
        };
        let kind = kind_of_status(answer.status, call);
        Refusal::new(kind, problem.words())
    }
}

impl<T> Envelope<T> {
    /// An error in the server's own words.
    pub(crate) fn words(&self) -> String {
        match (self.error_type.as_str(), self.error.as_str()) {
            ("", "") => "an error without a word".to_owned(),
            ("", text) | (text, "") => text.to_owned(),
            (kind, text) => format!("{kind}: {text}"),
        }
    }
}
