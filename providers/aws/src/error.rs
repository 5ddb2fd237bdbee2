//! The SDK's errors into the taxonomy of `reaper-provider`, by code, status and type, never by text.

use std::error::Error;
use std::time::Duration;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_ec2::operation::RequestId;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use reaper_provider::{Delivery, ErrorKind, ProviderError};

use crate::trace::Trace;
use crate::transport::{chain, untrusted};

/// From how many seconds on a wrong clock explains a refused signature. AWS accepts five minutes.
const SKEW_THAT_MATTERS: i64 = 300;

/// Where credentials were looked for, for the person who has to provide some.
pub(crate) const SOURCES_TRIED: &str = "tried: the account's `credentials`, environment \
    (AWS_ACCESS_KEY_ID), profile files (AWS_PROFILE), web identity (AWS_WEB_IDENTITY_TOKEN_FILE), \
    container (AWS_CONTAINER_CREDENTIALS_*); the machine's metadata service is asked only with \
    imds = \"true\"";

/// An error of `call`, followed by `trace`.
pub(crate) fn from_sdk<E>(
    error: &SdkError<E, HttpResponse>,
    call: &str,
    trace: &Trace,
) -> ProviderError
where
    E: ProvideErrorMetadata + RequestId + Error + 'static,
{
    match error {
        SdkError::ServiceError(service) => {
            let (status, meta) = (service.raw().status().as_u16(), service.err().meta());
            let words = meta.message().map_or_else(|| chain(service.err()), str::to_owned);
            let words = trace.masked(&words);
            answered(call, status, meta.code(), &words, trace)
                .with_request_id(service.err().request_id().or_else(|| error.request_id()))
                .with_retry_after(retry_after(service.raw()))
        }
        SdkError::ResponseError(response) => {
            let status = response.raw().status().as_u16();
            let kind = of_status(status).unwrap_or(ErrorKind::Protocol);
            ProviderError::answered(kind, call, format!("HTTP {status}: {}", chain(error)))
                .with_request_id(error.request_id())
        }
        SdkError::TimeoutError(_) => {
            ProviderError::new(ErrorKind::Timeout, Delivery::MaybeSent, call, at(trace, ""))
        }
        SdkError::DispatchFailure(failure) => {
            if let Some(error) = of_credentials(error, call) {
                return error;
            }
            let kind = if untrusted(error) {
                ErrorKind::Untrusted
            } else if failure.is_timeout() {
                ErrorKind::Timeout
            } else {
                ErrorKind::Unreachable
            };
            let cause = failure.as_connector_error().and_then(Error::source);
            let words = cause.map_or_else(|| chain(error), chain);
            ProviderError::new(kind, Delivery::MaybeSent, call, at(trace, &words))
        }
        other => of_credentials(other, call).unwrap_or_else(|| {
            ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, call, chain(other))
        }),
    }
}

fn at(trace: &Trace, words: &str) -> String {
    match trace.host() {
        Some(host) if words.is_empty() => host,
        Some(host) => format!("{host}: {words}"),
        None => words.to_owned(),
    }
}

fn answered(
    call: &str,
    status: u16,
    code: Option<&str>,
    words: &str,
    trace: &Trace,
) -> ProviderError {
    let known = code.and_then(|code| of_code(code, call));
    let mut kind = known.or_else(|| of_status(status)).unwrap_or(match status {
        400..=499 => ErrorKind::Invalid,
        _ => ErrorKind::Protocol,
    });
    let mut detail = match code {
        Some(code) => format!("{code}: {words}"),
        None => format!("HTTP {status}: {words}"),
    };
    let ahead = trace.clock_ahead();
    if matches!(kind, ErrorKind::CredentialsRejected | ErrorKind::CredentialsExpired)
        && ahead.abs() >= SKEW_THAT_MATTERS
    {
        kind = ErrorKind::ClockSkew;
    }
    if kind == ErrorKind::ClockSkew && ahead.abs() >= 60 {
        let side = if ahead > 0 { "behind" } else { "ahead of" };
        let minutes = (ahead.abs() + 30) / 60;
        detail = format!(
            "local clock is about {minutes} minutes off, {side} the provider's clock; {detail}"
        );
    }
    ProviderError::answered(kind, call, detail)
}

/// What AWS's error codes mean. A code that is not listed is judged by the HTTP status.
fn of_code(code: &str, call: &str) -> Option<ErrorKind> {
    Some(match code {
        "UnauthorizedOperation" | "AccessDenied" | "AccessDeniedException" => {
            ErrorKind::Denied { permission: call.to_owned() }
        }
        // EC2's answer both to wrong keys and to a region that is not enabled; which of the two,
        // the adapter decides by the list of enabled regions.
        "AuthFailure"
        | "InvalidClientTokenId"
        | "InvalidAccessKeyId"
        | "UnrecognizedClientException"
        | "SignatureDoesNotMatch"
        | "InvalidSignatureException"
        | "IncompleteSignature"
        | "MissingAuthenticationToken" => ErrorKind::CredentialsRejected,
        "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" => {
            ErrorKind::CredentialsExpired
        }
        "RequestTimeTooSkewed" | "RequestInTheFuture" => ErrorKind::ClockSkew,
        "RequestLimitExceeded"
        | "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "EC2ThrottledException"
        | "TooManyRequestsException"
        | "LimitExceededException"
        | "SlowDown" => ErrorKind::Throttled,
        "OptInRequired" | "RegionDisabledException" => ErrorKind::NotEnabled,
        "InvalidInstanceID.NotFound"
        | "InvalidInstanceID.Malformed"
        | "InvalidSpotInstanceRequestID.NotFound" => ErrorKind::NotFound,
        "IncorrectInstanceState" | "OperationNotPermitted" | "UnsupportedOperation" => {
            ErrorKind::Conflict
        }
        "InternalError" | "InternalFailure" | "Unavailable" | "ServiceUnavailable" => {
            ErrorKind::ServerFault
        }
        _ => return None,
    })
}

fn of_status(status: u16) -> Option<ErrorKind> {
    match status {
        429 => Some(ErrorKind::Throttled),
        500.. => Some(ErrorKind::ServerFault),
        _ => None,
    }
}

/// The failure to get credentials that lies at the bottom of a call that was never sent.
fn of_credentials(error: &(dyn Error + 'static), call: &str) -> Option<ProviderError> {
    let mut cause = Some(error);
    let mut found = None;
    while let Some(error) = cause {
        if let Some(ours) = error.downcast_ref::<ProviderError>() {
            return Some(ours.clone());
        }
        found = found.or_else(|| error.downcast_ref::<CredentialsError>());
        cause = error.source();
    }
    let (kind, detail) = match found? {
        CredentialsError::CredentialsNotLoaded(_) => {
            (ErrorKind::NoCredentials, SOURCES_TRIED.to_owned())
        }
        CredentialsError::ProviderTimedOut(_) => (ErrorKind::Timeout, chain(error)),
        _ => (ErrorKind::NoCredentials, chain(error)),
    };
    Some(ProviderError::new(kind, Delivery::NotSent, call, detail))
}

fn retry_after(response: &HttpResponse) -> Option<Duration> {
    response.headers().get("retry-after")?.parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::operation::describe_instances::DescribeInstancesError;
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;
    use aws_smithy_types::error::ErrorMetadata;
    use reaper_provider::RequestCounter;

    use super::*;

    fn kind(status: u16, code: Option<&str>) -> ErrorKind {
        let mut meta = ErrorMetadata::builder().message("words");
        if let Some(code) = code {
            meta = meta.code(code);
        }
        let status = StatusCode::try_from(status).expect("a status");
        let error = SdkError::service_error(
            DescribeInstancesError::generic(meta.build()),
            HttpResponse::new(status, SdkBody::empty()),
        );
        from_sdk(&error, "ec2:DescribeInstances", &Trace::new(&RequestCounter::default())).kind
    }

    #[test]
    fn throttling_is_told_apart_from_denial_by_code() {
        assert_eq!(kind(503, Some("RequestLimitExceeded")), ErrorKind::Throttled);
        let denied = ErrorKind::Denied { permission: "ec2:DescribeInstances".to_owned() };
        assert_eq!(kind(403, Some("UnauthorizedOperation")), denied);
        assert_eq!(kind(403, Some("AccessDenied")), denied);
    }

    #[test]
    fn expired_and_refused_credentials_concern_the_whole_account() {
        for code in ["ExpiredToken", "RequestExpired", "AuthFailure", "InvalidClientTokenId"] {
            assert!(kind(400, Some(code)).is_account_wide(), "{code}");
        }
    }

    #[test]
    fn a_code_that_is_not_known_is_judged_by_its_status() {
        assert_eq!(kind(503, Some("NeverHeardOf")), ErrorKind::ServerFault);
        assert_eq!(kind(400, Some("NeverHeardOf")), ErrorKind::Invalid);
        assert_eq!(kind(502, None), ErrorKind::ServerFault);
        assert_eq!(kind(429, None), ErrorKind::Throttled);
    }
}
