//! Requests signed with application keys. The time in a signature is the server's: asked for once,
//! then counted on with a clock that nobody sets, so that a wrong local clock does no harm.

use async_trait::async_trait;
use reaper_http::header::HeaderValue;
use reaper_http::{Answer, Call, Client, Dialect, HeaderName, Refusal, Request, Url};
use reaper_provider::{CallContext, ProviderError};
use secrecy::{ExposeSecret, SecretString};
use sha1::{Digest, Sha1};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::error;

/// Signs every request.
#[derive(Debug)]
pub(crate) struct ApplicationKeys {
    pub(crate) application_key: SecretString,
    pub(crate) application_secret: SecretString,
    pub(crate) consumer_key: SecretString,
    pub(crate) clock: ServerClock,
}

/// What time it is at the server (Unix seconds).
#[derive(Debug)]
pub(crate) struct ServerClock {
    client: Client,
    url: Url,
    told: OnceCell<(i64, Instant)>,
}

impl ServerClock {
    /// A clock that asks at `url`, without credentials, when it is first looked at.
    pub(crate) fn new(client: Client, url: Url) -> Self {
        Self { client, url, told: OnceCell::new() }
    }

    async fn now(&self, cx: &CallContext) -> Result<i64, ProviderError> {
        let ask = async || {
            let call = Call::read("ovhcloud:GET /auth/time", self.url.clone());
            let time = self.client.json(cx, &call).await?;
            Ok((time, Instant::now()))
        };
        let (told, at) = self.told.get_or_try_init(ask).await?;
        Ok(told.saturating_add_unsigned(at.elapsed().as_secs()))
    }
}

#[async_trait]
impl Dialect for ApplicationKeys {
    async fn authorize(
        &self,
        cx: &CallContext,
        request: &mut Request,
    ) -> Result<(), ProviderError> {
        let timestamp = self.clock.now(cx).await?;
        let signature = sign(
            &self.application_secret,
            &self.consumer_key,
            [request.method.as_str().as_bytes(), request.url.as_str().as_bytes(), &request.body],
            timestamp,
        );
        request
            .secret_header(HeaderName::from_static("x-ovh-application"), &self.application_key)?;
        request.secret_header(HeaderName::from_static("x-ovh-consumer"), &self.consumer_key)?;
        request.secret_header(HeaderName::from_static("x-ovh-signature"), &signature)?;
        request
            .headers
            .insert(HeaderName::from_static("x-ovh-timestamp"), HeaderValue::from(timestamp));
        Ok(())
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

/// OVHcloud's scheme, version 1. The request is its method, its address with the query, and its
/// body, all exactly as sent.
fn sign(
    application_secret: &SecretString,
    consumer_key: &SecretString,
    request: [&[u8]; 3],
    timestamp: i64,
) -> SecretString {
    let mut hash = Sha1::new();
    for key in [application_secret, consumer_key] {
        hash.update(key.expose_secret());
        hash.update("+");
    }
    for part in request {
        hash.update(part);
        hash.update("+");
    }
    hash.update(timestamp.to_string());
    SecretString::from(format!("$1${:x}", hash.finalize()))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        application_secret: String,
        consumer_key: String,
        timestamp: i64,
        #[serde(rename = "vectors")]
        all: Vec<Vector>,
    }

    #[derive(Deserialize)]
    struct Vector {
        url: String,
        signature: String,
    }

    #[test]
    fn the_published_vectors_come_out_equal() {
        let file = include_str!("../fixtures/signature_vectors.json");
        let file: Vectors = serde_json::from_str(file).expect("vectors");
        assert_eq!(file.all.len(), 3);
        for vector in file.all {
            let signature = sign(
                &file.application_secret.as_str().into(),
                &file.consumer_key.as_str().into(),
                [b"GET", vector.url.as_bytes(), b""],
                file.timestamp,
            );
            assert_eq!(signature.expose_secret(), vector.signature, "{}", vector.url);
        }
    }
}
