//! The JSON protocol (version 1.1) of Cost Explorer and the price list: the operation stands in a
//! header, the parameters in the body.

use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::aws::error::{AwsError, Service};
use crate::wire::{Reply, Request};

const MEDIA_TYPE: &str = "application/x-amz-json-1.1";

/// `AWSInsightsIndexService.GetCostAndUsage`
fn target(request: &Request) -> Option<(&str, &str)> {
    request.header("x-amz-target")?.split_once('.')
}

/// The service that is asked, if it is one that speaks JSON.
pub(crate) fn service(request: &Request) -> Option<Service> {
    match target(request)?.0 {
        "AWSInsightsIndexService" => Some(Service::Costs),
        "AWSPriceListService" => Some(Service::Prices),
        _ => None,
    }
}

/// The operation that is asked for.
pub(crate) fn operation(request: &Request) -> Option<&str> {
    service(request).and(target(request)).map(|(_, operation)| operation)
}

/// The parameters.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, AwsError> {
    serde_json::from_slice(body)
        .map_err(|error| AwsError::bad("SerializationException", error.to_string()))
}

/// An answer.
pub(crate) fn reply(status: StatusCode, body: &Value, request_id: &str) -> Reply {
    let reply = Reply::new(status, MEDIA_TYPE, body.to_string());
    match HeaderValue::from_str(request_id) {
        Ok(id) => reply.with(HeaderName::from_static("x-amzn-requestid"), id),
        Err(_) => reply,
    }
}
