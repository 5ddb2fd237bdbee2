//! Delivery of messages to one address, signed by one or several keys.

use async_trait::async_trait;
use bytes::Bytes;
use reaper_http::{HeaderMap, HeaderName, header};
use secrecy::SecretString;

use super::body::{LIMIT, body};
use super::key::{KeyError, SigningKey, signatures};
use crate::channel::{Channel, Message};
use crate::delivery::{Delivery, Refused};
use crate::endpoint::{Doubles, Endpoint, Target, TargetError};

/// Signed requests to one address. A message that may not have arrived is sent again under its
/// own id, by which the receiver drops doubles.
#[derive(Debug)]
pub struct Webhook {
    endpoint: Endpoint,
    keys: Vec<SigningKey>,
}

/// Why nothing can be sent with these settings. No secret is in the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The address cannot be used.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A secret is no key.
    #[error("secret {number}: {source}")]
    Key {
        /// Which, from 1.
        number: usize,
        /// What it should be.
        source: KeyError,
    },
    /// A request without a signature is worth nothing.
    #[error("there is no secret to sign with")]
    NoKey,
}

impl Webhook {
    /// Checks the address and the secrets; connects nowhere yet.
    pub fn new(target: &Target, secrets: &[SecretString]) -> Result<Self, SetupError> {
        let keys = secrets
            .iter()
            .zip(1..)
            .map(|(secret, number)| {
                SigningKey::read(secret).map_err(|source| SetupError::Key { number, source })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() {
            return Err(SetupError::NoKey);
        }
        Ok(Self { endpoint: Endpoint::new(target, Doubles::Dropped)?, keys })
    }

    fn headers(&self, message: &Message<'_>, body: &[u8]) -> Result<HeaderMap, String> {
        let (id, timestamp) = (message.key.to_string(), message.at.timestamp());
        let signatures = signatures(&self.keys, &id, timestamp, body);
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (header::CONTENT_TYPE, "application/json".to_owned()),
            (HeaderName::from_static("webhook-id"), id),
            (HeaderName::from_static("webhook-timestamp"), timestamp.to_string()),
            (HeaderName::from_static("webhook-signature"), signatures),
        ] {
            let value = value.parse().map_err(|error| format!("header {name}: {error}"))?;
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

#[async_trait]
impl Channel for Webhook {
    fn name(&self) -> &'static str {
        "webhook"
    }

    async fn send(&self, message: &Message<'_>) -> Delivery {
        let prepared = body(message, LIMIT)
            .map_err(|error| format!("the message cannot be written as JSON: {error}"))
            .and_then(|body| Ok((self.headers(message, &body)?, body)));
        match prepared {
            Ok((headers, body)) => {
                let url = self.endpoint.url();
                self.endpoint.post(url, message.at, &headers, &Bytes::from(body)).await
            }
            Err(why) => Delivery::Rejected { what: Refused::Mail, permanent: true, why },
        }
    }
}
