//! The two ways to speak to CloudWatch: Smithy's RPC protocol in CBOR, which names the operation in
//! the path, and JSON 1.0, which names it in a header.

use chrono::{DateTime, Utc};
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::cbor;
use crate::aws::error::AwsError;
use crate::wire::{Reply, Request};

/// How CloudWatch is called on the wire.
const SERVICE: &str = "GraniteServiceVersion20100801";
const NAMESPACE: &str = "com.amazonaws.cloudwatch";

/// In what a request is written, and so its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    Cbor,
    Json,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Text(String),
    /// A number with a fraction, which is what clients expect of every value.
    Number(f64),
    Time(DateTime<Utc>),
    List(Vec<Node>),
    Map(Vec<(&'static str, Node)>),
}

/// How CloudWatch is asked and for what, if it is.
pub(crate) fn asked(request: &Request) -> Option<(Speech, &str)> {
    if request.header("smithy-protocol") == Some("rpc-v2-cbor") {
        let path = request.path.strip_prefix("/service/")?.strip_prefix(SERVICE)?;
        return Some((Speech::Cbor, path.strip_prefix("/operation/")?));
    }
    let target = request.header("x-amz-target")?.strip_prefix(SERVICE)?;
    Some((Speech::Json, target.strip_prefix('.')?))
}

/// The parameters.
pub(super) fn read<T: DeserializeOwned>(speech: Speech, body: &[u8]) -> Result<T, AwsError> {
    let unreadable = |error: String| AwsError::bad("SerializationException", error);
    let value: Value = match speech {
        Speech::Cbor => cbor::read(body).map_err(|error| unreadable(error.to_string()))?,
        Speech::Json => {
            serde_json::from_slice(body).map_err(|error| unreadable(error.to_string()))?
        }
    };
    serde_json::from_value(value).map_err(|error| unreadable(error.to_string()))
}

/// An answer.
pub(crate) fn reply(speech: Speech, status: StatusCode, node: &Node, request_id: &str) -> Reply {
    let reply = match speech {
        Speech::Cbor => Reply::new(status, "application/cbor", cbor::written(node))
            .with(name("smithy-protocol"), HeaderValue::from_static("rpc-v2-cbor")),
        Speech::Json => Reply::new(status, "application/x-amz-json-1.0", node.json().to_string()),
    };
    with(reply, "x-amzn-requestid", request_id)
}

/// A refusal. The code that the older protocol had for it stands in a header, as for all services
/// that once spoke it.
pub(crate) fn failed(speech: Speech, error: &AwsError, request_id: &str) -> Reply {
    let shape = match error.code {
        "InvalidParameterValue" => "InvalidParameterValueException",
        "AccessDenied" => "AccessDeniedException",
        "Throttling" => "ThrottlingException",
        "ValidationError" => "ValidationException",
        other => other,
    };
    let body = Node::Map(vec![
        ("__type", Node::Text(format!("{NAMESPACE}#{shape}"))),
        ("message", Node::Text(error.message.clone())),
    ]);
    let side = if error.status.is_server_error() { "Receiver" } else { "Sender" };
    let reply = reply(speech, error.status, &body, request_id);
    with(reply, "x-amzn-query-error", &format!("{};{side}", error.code))
}

const fn name(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}

fn with(reply: Reply, header: &'static str, value: &str) -> Reply {
    match HeaderValue::from_str(value) {
        Ok(value) => reply.with(name(header), value),
        Err(_) => reply,
    }
}

impl Node {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Number(number) => json!(number),
            Self::Time(time) => json!(time.timestamp()),
            Self::List(items) => items.iter().map(Self::json).collect(),
            Self::Map(members) => {
                members.iter().map(|(key, member)| ((*key).to_owned(), member.json())).collect()
            }
        }
    }
}
