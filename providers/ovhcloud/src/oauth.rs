//! Tokens: of service accounts, fetched by OAuth2 client credentials and renewed in time, or ready
//! made.

use std::time::Duration;

use async_trait::async_trait;
use reaper_http::{Answer, Call, Client, Dialect, Refusal, Request, Url};
use reaper_provider::{CallContext, ProviderError};
use secrecy::SecretString;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::error;
use crate::wire;

/// How long a token is used whose answer does not say how long it lives.
const UNSAID_LIFETIME: Duration = Duration::from_mins(1);

/// A service account.
#[derive(Debug)]
pub(crate) struct ServiceAccount {
    pub(crate) client_id: SecretString,
    pub(crate) client_secret: SecretString,
    pub(crate) client: Client,
    pub(crate) url: Url,
    /// Held while a token is fetched, so that calls side by side log in once.
    pub(crate) token: Mutex<Option<Token>>,
}

/// A token and how long it is used.
#[derive(Debug)]
pub(crate) struct Token {
    text: SecretString,
    until: Instant,
}

/// A ready-made token; nobody renews it.
#[derive(Debug)]
pub(crate) struct AccessToken(pub(crate) SecretString);

impl ServiceAccount {
    async fn token(&self, cx: &CallContext) -> Result<SecretString, ProviderError> {
        let mut token = self.token.lock().await;
        if let Some(token) = token.as_ref().filter(|token| Instant::now() < token.until) {
            return Ok(token.text.clone());
        }
        let call = Call::ask("ovhcloud:POST /auth/oauth2/token", self.url.clone())
            .form_field("grant_type", "client_credentials")
            .form_field("scope", "all")
            .secret_form_field("client_id", &self.client_id)
            .secret_form_field("client_secret", &self.client_secret);
        let asked = Instant::now();
        let answer: wire::Token = self.client.json(cx, &call).await?;
        let lifetime = answer.expires_in.map_or(UNSAID_LIFETIME, Duration::from_secs);
        let text = SecretString::from(answer.access_token);
        // A tenth of its life is kept for the request that it travels on.
        *token = Some(Token { text: text.clone(), until: asked + lifetime / 10 * 9 });
        Ok(text)
    }
}

#[async_trait]
impl Dialect for ServiceAccount {
    async fn authorize(
        &self,
        cx: &CallContext,
        request: &mut Request,
    ) -> Result<(), ProviderError> {
        request.bearer(&self.token(cx).await?)
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

#[async_trait]
impl Dialect for AccessToken {
    async fn authorize(
        &self,
        _cx: &CallContext,
        request: &mut Request,
    ) -> Result<(), ProviderError> {
        request.bearer(&self.0)
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}
