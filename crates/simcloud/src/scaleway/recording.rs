//! Recorded answers, served letter for letter in place of simulated ones.

use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;

use crate::wire::{Reply, Request};

/// One recorded answer to GETs of a path (`[[scaleway.recording]]`). Pages without a recording of
/// their own, of a path that has some, are empty, as pages beyond the end are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// The path, without query.
    pub path: String,
    /// The page, from 1.
    #[serde(default = "first")]
    pub page: u32,
    /// The status.
    #[serde(default = "ok")]
    pub status: u16,
    /// `X-Total-Count`.
    pub total: Option<u64>,
    /// The body.
    pub body: String,
}

const fn first() -> u32 {
    1
}

const fn ok() -> u16 {
    200
}

impl Recording {
    /// A first page that was answered with success.
    pub fn new(path: impl Into<String>, body: impl Into<String>) -> Self {
        Self { path: path.into(), page: first(), status: ok(), total: None, body: body.into() }
    }

    fn reply(&self) -> Reply {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let reply = Reply::new(status, "application/json", self.body.clone());
        match self.total {
            Some(total) => {
                reply.with(HeaderName::from_static("x-total-count"), HeaderValue::from(total))
            }
            None => reply,
        }
    }
}

/// The answer to one of a path's pages, of which some are recorded.
pub(crate) fn answer(pages: &[&Recording], page: u32) -> Reply {
    match pages.iter().find(|recording| recording.page == page) {
        Some(recording) => recording.reply(),
        None => Reply::json(StatusCode::OK, &json!({ "servers": [] })),
    }
}

/// The page that a request asks for.
pub(crate) fn page_of(request: &Request) -> u32 {
    let page = request.query_pairs().find(|(name, _)| name == "page");
    page.and_then(|(_, page)| page.parse().ok()).unwrap_or(1).max(1)
}
