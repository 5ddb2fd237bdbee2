//! What the server asks of every wire format: name the call, then answer it.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};

use crate::aws::AwsWire;
use crate::lambda::LambdaWire;
use crate::ovhcloud::OvhWire;
use crate::prometheus::PrometheusWire;
use crate::scaleway::ScalewayWire;
use crate::world::World;

/// One provider's API as it is on the wire.
pub trait Wire: Send + Sync {
    /// The provider's name, which is also the first part of every path.
    fn provider(&self) -> &'static str;

    /// What is asked, told before anything is done: faults match on it, the log keeps it.
    fn call(&self, world: &World, request: &Request) -> Call;

    /// Carries the call out and answers it.
    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply;

    /// The provider's own way to say "too many requests".
    fn throttled(&self, request: &Request, call: &Call) -> Reply;
}

/// Every wire that is served; one line per provider.
pub(crate) const WIRES: &[&dyn Wire] =
    &[&AwsWire, &LambdaWire, &OvhWire, &PrometheusWire, &ScalewayWire];

/// A request, its path without the provider's prefix.
#[derive(Debug, Clone)]
pub struct Request {
    /// The number of this request, from 1.
    pub number: u64,
    /// The HTTP method.
    pub method: Method,
    /// The URL as the client knows it, for signatures that cover it.
    pub url: String,
    /// The path behind the provider's prefix, with its leading `/`.
    pub path: String,
    /// What stands behind the `?`, not decoded; empty when there is none.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

impl Request {
    /// A header as text; absent and unreadable are the same.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The query's pairs, decoded, in order.
    pub fn query_pairs(&self) -> impl Iterator<Item = (String, String)> {
        form_urlencoded::parse(self.query.as_bytes()).into_owned()
    }

    /// A request id in the form of a UUID, the same in every run of the same test.
    pub fn id(&self) -> String {
        format!("00000000-0000-4000-8000-{:012x}", self.number)
    }
}

/// What a request asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The provider's word for the operation (`DescribeInstances`) or method and path template
    /// (`GET /instance/v1/zones/{zone}/servers`).
    pub operation: String,
    /// Region or zone; empty where the call has none.
    pub location: String,
    /// The provider's account the caller belongs to; empty when nobody can tell.
    pub account: String,
    /// What it does in one word where the operation says more or less than that: `shelve`,
    /// `poweroff`, `terminate`; else the operation.
    pub action: String,
    /// The machines that it names.
    pub ids: Vec<String>,
    /// Whether it would change anything at the provider. An operation that is not known does.
    pub changes: bool,
}

impl Call {
    /// Whether it is of this operation, or does this.
    pub(crate) fn is(&self, operation: &str) -> bool {
        self.operation == operation || self.action == operation
    }

    /// Whether it names this machine.
    pub(crate) fn names(&self, id: &str) -> bool {
        self.ids.iter().any(|named| named == id)
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers; length and date are added by the server.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Reply {
    /// An answer of that media type.
    pub fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        Self { status, headers, body: body.into() }
    }

    /// A JSON answer.
    pub fn json(status: StatusCode, body: &serde_json::Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}
