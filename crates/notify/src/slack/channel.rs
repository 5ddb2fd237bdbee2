//! Delivery to an incoming webhook of Slack.

use async_trait::async_trait;
use bytes::Bytes;
use reaper_http::{HeaderMap, HeaderValue, header};

use super::blocks;
use super::content::text;
use crate::channel::{Channel, Message};
use crate::delivery::Delivery;
use crate::endpoint::{Doubles, Endpoint, Target, TargetError};

/// Posts to one channel. Slack does not know a message again, so one that may have arrived is not
/// sent again on its own.
#[derive(Debug)]
pub struct Slack {
    endpoint: Endpoint,
}

impl Slack {
    /// Checks the address of the webhook; connects nowhere yet.
    pub fn new(webhook: &Target) -> Result<Self, TargetError> {
        Ok(Self { endpoint: Endpoint::new(webhook, Doubles::Shown)? })
    }
}

#[async_trait]
impl Channel for Slack {
    fn name(&self) -> &'static str {
        "slack"
    }

    async fn send(&self, message: &Message<'_>) -> Delivery {
        let json = HeaderValue::from_static("application/json; charset=utf-8");
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, json)]);
        let body = Bytes::from(blocks::message(&text(&message.content)));
        self.endpoint.post(self.endpoint.url(), message.at, &headers, &body).await
    }
}
