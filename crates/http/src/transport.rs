//! The seam below the kit: one request out, one answer in, no policy. Real clouds are behind
//! [`crate::ReqwestTransport`]; tests of waiting put a scripted transport here.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use http::{HeaderMap, StatusCode};
use reaper_provider::{Delivery, ErrorKind};

use crate::call::Request;

/// Sends requests. Time limits are the caller's: it drops the future.
#[async_trait]
pub trait Transport: Send + Sync + fmt::Debug {
    /// Sends one request and returns as soon as status and headers are there.
    async fn send(&self, request: Request) -> Result<Response, TransportError>;
}

/// An answer whose body is still arriving.
pub struct Response {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, piece by piece.
    pub body: BoxStream<'static, Result<Bytes, TransportError>>,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("status", &self.status).finish_non_exhaustive()
    }
}

/// No answer, or not all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransportError {
    /// [`ErrorKind::Unreachable`], [`ErrorKind::Untrusted`], [`ErrorKind::Timeout`], or
    /// [`ErrorKind::Invalid`] for a request that cannot be built.
    pub kind: ErrorKind,
    /// Whether the request may have arrived.
    pub delivery: Delivery,
    /// For people; names the host, never path, query or headers.
    pub detail: String,
}
