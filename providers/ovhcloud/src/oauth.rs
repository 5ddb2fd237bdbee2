//! Tokens: of service accounts, fetched by OAuth2 client credentials and renewed in time, or ready
//! made.

use std::time::Duration;

use async_trait::async_trait;
use reaper_http::{Answer, Call, Client, Dialect, Lenient, Refusal, Signer, Url};
use reaper_provider::{CallContext, ProviderError};
use secrecy::SecretString;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::error;
use crate::wire;

/// How long a token is used whose answer does not say, in a number, how long it lives.
const UNSAID_LIFETIME: Duration = Duration::from_mins(1);
/// No token is used for longer, whatever its answer says: OVHcloud's live for an hour.
const LONGEST_LIFETIME: Duration = Duration::from_hours(24);

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
        let text = SecretString::from(answer.access_token);
        // A tenth of its life is kept for the request that it travels on.
        let until = asked + lifetime(&answer.expires_in) / 10 * 9;
        *token = Some(Token { text: text.clone(), until });
        Ok(text)
    }
}

/// How long a token lives, from the seconds of its answer.
fn lifetime(expires_in: &Lenient<u64>) -> Duration {
    let seconds = expires_in.good().copied();
    seconds.map_or(UNSAID_LIFETIME, Duration::from_secs).min(LONGEST_LIFETIME)
}

#[async_trait]
impl Dialect for ServiceAccount {
    async fn signer(&self, cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        let token = self.token(cx).await.map_err(error::unsigned)?;
        Ok(Box::new(move |request| request.bearer(&token)))
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

#[async_trait]
impl Dialect for AccessToken {
    async fn signer(&self, _cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        Ok(Box::new(|request| request.bearer(&self.0)))
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_087_an_odd_lifetime_neither_refuses_the_login_nor_ends_the_program() {
        let (minute, day) = (Duration::from_mins(1), Duration::from_hours(24));
        for (fields, expected) in [
            (r#","expires_in":3599"#, Duration::from_secs(3599)),
            (r#","expires_in":18446744073709551615"#, day),
            (r#","expires_in":"3600""#, minute),
            (r#","expires_in":-1"#, minute),
            (r#","expires_in":1e300"#, minute),
            (r#","expires_in":null"#, minute),
            ("", minute),
        ] {
            let json = format!(r#"{{"access_token":"t"{fields}}}"#);
            let answer: wire::Token = serde_json::from_str(&json).expect("a token");
            assert_eq!(lifetime(&answer.expires_in), expected, "{json}");
        }
    }
}
