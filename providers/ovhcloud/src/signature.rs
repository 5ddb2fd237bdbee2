//! Requests signed with application keys. The time in a signature is the server's: asked for once,
//! then counted on with a clock that nobody sets, so that a wrong local clock does no harm.

use async_trait::async_trait;
use reaper_http::header::HeaderValue;
use reaper_http::{Answer, Call, Client, Dialect, HeaderName, Refusal, Signer, Url};
use reaper_provider::{CallContext, ProviderError};
use secrecy::{ExposeSecret, SecretString};
use sha1::{Digest, Sha1};
use tokio::sync::Mutex;
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

/// What time it is at the server.
#[derive(Debug)]
pub(crate) struct ServerClock {
    client: Client,
    url: Url,
    /// Held while the server is asked, so that calls side by side ask once.
    told: Mutex<Option<ServerTime>>,
}

/// What the server told (Unix seconds), and when.
#[derive(Debug, Clone, Copy)]
struct ServerTime {
    told: i64,
    at: Instant,
}

impl ServerTime {
    /// The server's time by now.
    fn now(self) -> i64 {
        self.told.saturating_add_unsigned(self.at.elapsed().as_secs())
    }
}

impl ServerClock {
    /// A clock that asks at `url`, without credentials, when it is first looked at.
    pub(crate) fn new(client: Client, url: Url) -> Self {
        Self { client, url, told: Mutex::new(None) }
    }

    async fn time(&self, cx: &CallContext) -> Result<ServerTime, ProviderError> {
        let mut time = self.told.lock().await;
        if let Some(time) = *time {
            return Ok(time);
        }
        let call = Call::read("ovhcloud:GET /auth/time", self.url.clone());
        let told = self.client.json(cx, &call).await?;
        Ok(*time.insert(ServerTime { told, at: Instant::now() }))
    }
}

#[async_trait]
impl Dialect for ApplicationKeys {
    async fn signer(&self, cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        let time = self.clock.time(cx).await.map_err(error::unsigned)?;
        Ok(Box::new(move |request| {
            let timestamp = time.now();
            let parts = [
                request.method.as_str().as_bytes(),
                request.url.as_str().as_bytes(),
                &request.body,
            ];
            let signature = sign(&self.application_secret, &self.consumer_key, parts, timestamp);
            for (name, secret) in [
                ("x-ovh-application", &self.application_key),
                ("x-ovh-consumer", &self.consumer_key),
                ("x-ovh-signature", &signature),
            ] {
                request.secret_header(HeaderName::from_static(name), secret)?;
            }
            let timestamp = HeaderValue::from(timestamp);
            request.headers.insert(HeaderName::from_static("x-ovh-timestamp"), timestamp);
            Ok(())
        }))
    }

    async fn forget_time(&self) -> bool {
        self.clock.told.lock().await.take();
        true
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

    #[test]
    fn a_signature_covers_method_address_and_body() {
        let url = "https://eu.api.ovh.com/1.0/cloud/project/p/instance/i/shelve";
        let signed = |request: [&str; 3]| {
            let keys = (&SecretString::from("AS"), &SecretString::from("CK"));
            sign(keys.0, keys.1, request.map(str::as_bytes), 7).expose_secret().to_owned()
        };
        // What `printf '%s' 'AS+CK+POST+https://…/shelve++7' | sha1sum` says, and the same with a body.
        assert_eq!(signed(["POST", url, ""]), "$1$2846a56167ceeda61cdd93eb727b561c7d95f102");
        assert_eq!(signed(["POST", url, "{}"]), "$1$3464ffe424569c5930a3fd93ed37fddb969a8e28");
    }
}
