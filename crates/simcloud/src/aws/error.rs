//! Errors of EC2, STS, Cost Explorer, the price list and CloudWatch, each with its own status, in each
//! service's own XML, JSON or CBOR.

use http::StatusCode;
use serde_json::json;

use crate::aws::cloudwatch::{self, Speech};
use crate::aws::json;
use crate::aws::xml::{STS_NAMESPACE, Xml};
use crate::wire::Reply;

/// Whose envelope an error is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Ec2,
    Sts,
    /// Cost Explorer.
    Costs,
    /// The price list.
    Prices,
    /// CloudWatch.
    Metrics(Speech),
}

/// An error of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AwsError {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl AwsError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// A 400.
    pub(crate) fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// The credentials are not accepted here: unknown key, or region that is not enabled.
    pub(crate) fn auth_failure() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "AuthFailure",
            "AWS was not able to validate the provided access credentials",
        )
    }

    /// The request cannot be answered as it is.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::bad("ValidationException", message)
    }

    /// Too many requests.
    pub(crate) fn throttled(service: Service) -> Self {
        match service {
            Service::Ec2 => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "RequestLimitExceeded",
                "Request limit exceeded.",
            ),
            Service::Sts | Service::Metrics(_) => Self::bad("Throttling", "Rate exceeded"),
            Service::Costs => Self::bad("LimitExceededException", "Rate exceeded"),
            Service::Prices => Self::bad("ThrottlingException", "Rate exceeded"),
        }
    }

    /// The error as an answer of that service.
    pub(crate) fn reply(&self, service: Service, request_id: &str) -> Reply {
        let xml = match service {
            Service::Ec2 => Xml::document(|xml| {
                xml.node("Response", |xml| {
                    xml.node("Errors", |xml| {
                        xml.node("Error", |xml| {
                            xml.leaf("Code", self.code);
                            xml.leaf("Message", &self.message);
                        });
                    });
                    xml.leaf("RequestID", request_id);
                });
            }),
            Service::Costs | Service::Prices => {
                let body = json!({"__type": self.code, "message": self.message});
                return json::reply(self.status, &body, request_id);
            }
            Service::Metrics(speech) => return cloudwatch::failed(speech, self, request_id),
            Service::Sts => Xml::bare(|xml| {
                xml.rooted("ErrorResponse", STS_NAMESPACE, |xml| {
                    xml.node("Error", |xml| {
                        let server = self.status.is_server_error();
                        xml.leaf("Type", if server { "Receiver" } else { "Sender" });
                        xml.leaf("Code", self.code);
                        xml.leaf("Message", &self.message);
                    });
                    xml.leaf("RequestId", request_id);
                });
            }),
        };
        xml.reply(self.status)
    }
}
