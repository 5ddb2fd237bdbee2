//! The SDK's errors into the taxonomy of `reaper-provider`, by code, status and type, never by text.

use std::error::Error;
use std::time::Duration;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_ec2::operation::RequestId;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::http::StatusCode;
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
            let (status, meta) = (service.raw().status(), service.err().meta());
            let words = meta.message().map_or_else(|| chain(service.err()), str::to_owned);
            let words = trace.masked(&words);
            let answered = answered(call, status.as_u16(), meta.code(), &words, trace)
                .with_request_id(service.err().request_id().or_else(|| error.request_id()))
                .with_retry_after(retry_after(service.raw()));
            ProviderError { delivery: delivery(status), ..answered }
        }
        SdkError::ResponseError(response) => {
            let status = response.raw().status();
            let kind = of_status(status.as_u16()).unwrap_or(ErrorKind::Protocol);
            let detail = format!("HTTP {}: {}", status.as_u16(), chain(error));
            ProviderError::new(kind, delivery(status), call, detail)
                .with_request_id(error.request_id())
        }
        SdkError::TimeoutError(_) => {
            ProviderError::new(ErrorKind::Timeout, trace.delivery(), call, at(trace, ""))
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
            ProviderError::new(kind, trace.delivery(), call, at(trace, &words))
        }
        other => of_credentials(other, call).unwrap_or_else(|| {
            ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, call, chain(other))
        }),
    }
}

/// A good answer that cannot be read refuses nothing: the call may have been carried out.
fn delivery(status: StatusCode) -> Delivery {
    if status.is_success() { Delivery::MaybeSent } else { Delivery::Answered }
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
    if ahead.abs() >= SKEW_THAT_MATTERS && code.is_some_and(|code| may_be_skew(code, call)) {
        kind = ErrorKind::ClockSkew;
    }
    let side = if ahead > 0 { "behind" } else { "ahead of" };
    let minutes = (ahead.abs() + 30) / 60;
    let clock = format!("local clock is about {minutes} minutes off, {side} the provider's clock");
    match kind {
        ErrorKind::ClockSkew if minutes > 0 => detail = format!("{clock}; {detail}"),
        ErrorKind::CredentialsRejected | ErrorKind::CredentialsExpired
            if ahead.abs() >= SKEW_THAT_MATTERS =>
        {
            detail = format!("{detail}; besides, the {clock}");
        }
        _ => {}
    }
    ProviderError::answered(kind, call, detail)
}

/// The codes with which AWS refuses a request whose time is too far off, and which it also has for
/// something else: the clock tells which it is. Wrong keys have codes of their own, but for EC2's
/// `AuthFailure`.
fn may_be_skew(code: &str, call: &str) -> bool {
    match code {
        "RequestExpired" | "SignatureDoesNotMatch" | "InvalidSignatureException" => true,
        "AuthFailure" => call.starts_with("ec2:"),
        _ => false,
    }
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
        | "MissingAuthenticationToken"
        | "MissingAuthenticationTokenException" => ErrorKind::CredentialsRejected,
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
        // Cost Explorer has no data of an account that is new or has not enabled it.
        "OptInRequired" | "RegionDisabledException" | "DataUnavailableException" => {
            ErrorKind::NotEnabled
        }
        // The data or its pages changed between two pages.
        "BillExpirationException" | "RequestChangedException" | "ExpiredNextTokenException" => {
            ErrorKind::Inconsistent
        }
        "InvalidInstanceID.NotFound"
        | "InvalidInstanceID.Malformed"
        | "InvalidSpotInstanceRequestID.NotFound" => ErrorKind::NotFound,
        // The machine's stop or termination protection.
        "OperationNotPermitted" => ErrorKind::Protected,
        // A machine that has not run yet or has ended, and one that cannot be stopped at all: spot
        // of a one-time request, a root on a local disk.
        "IncorrectInstanceState" | "UnsupportedOperation" => ErrorKind::Conflict,
        "InternalError"
        | "InternalErrorException"
        | "InternalFailure"
        | "Unavailable"
        | "ServiceUnavailable" => ErrorKind::ServerFault,
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

/// The failure to get credentials that lies at the bottom of a call that was never sent. Where a
/// source was found and gave none (a role that may not be assumed, a login that has run out), the
/// credentials were refused and are not missing.
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
        CredentialsError::ProviderError(_) => (ErrorKind::CredentialsRejected, chain(error)),
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
    use aws_smithy_types::body::SdkBody;
    use aws_smithy_types::error::ErrorMetadata;
    use reaper_provider::RequestCounter;

    use super::*;

    fn error(call: &str, status: u16, code: Option<&str>, trace: &Trace) -> ProviderError {
        let mut meta = ErrorMetadata::builder().message("words");
        if let Some(code) = code {
            meta = meta.code(code);
        }
        let status = StatusCode::try_from(status).expect("a status");
        let error = SdkError::service_error(
            DescribeInstancesError::generic(meta.build()),
            HttpResponse::new(status, SdkBody::empty()),
        );
        from_sdk(&error, call, trace)
    }

    fn kind(status: u16, code: Option<&str>) -> ErrorKind {
        let trace = Trace::new(&RequestCounter::default());
        error("ec2:DescribeInstances", status, code, &trace).kind
    }

    #[test]
    fn fl_080_only_what_aws_says_of_a_wrong_clock_is_a_wrong_clock() {
        let off = Trace::with_clock_ahead(8 * 60);
        let kind = |call, code| error(call, 403, Some(code), &off);
        for code in ["RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"] {
            let error = kind("sts:GetCallerIdentity", code);
            assert_eq!(error.kind, ErrorKind::ClockSkew, "{code}");
            assert!(error.detail.starts_with("local clock is about 8 minutes off"), "{error}");
        }
        assert_eq!(kind("ec2:DescribeInstances", "AuthFailure").kind, ErrorKind::ClockSkew);
        for (code, kind_of_keys) in [
            ("InvalidClientTokenId", ErrorKind::CredentialsRejected),
            ("ExpiredToken", ErrorKind::CredentialsExpired),
        ] {
            let error = kind("sts:GetCallerIdentity", code);
            assert_eq!(error.kind, kind_of_keys);
            assert!(error.detail.contains("besides, the local clock is about 8"), "{error}");
        }
        let denied = kind("ec2:DescribeInstances", "UnauthorizedOperation");
        assert!(!denied.detail.contains("clock"), "{denied}");
    }

    #[test]
    fn fl_080_a_clock_that_is_right_is_not_mentioned() {
        let right = Trace::with_clock_ahead(20);
        for code in ["AuthFailure", "SignatureDoesNotMatch", "RequestExpired"] {
            let error = error("ec2:DescribeInstances", 403, Some(code), &right);
            assert_ne!(error.kind, ErrorKind::ClockSkew, "{code}");
            assert!(!error.detail.contains("clock"), "{error}");
        }
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
    fn a_source_that_fails_gives_refused_credentials_and_none_gives_no_credentials() {
        let kind = |cause: CredentialsError| {
            let error: SdkError<DescribeInstancesError, HttpResponse> =
                SdkError::construction_failure(cause);
            let trace = Trace::new(&RequestCounter::default());
            from_sdk(&error, "ec2:DescribeInstances", &trace).kind
        };
        let refused = CredentialsError::provider_error("AccessDenied");
        assert_eq!(kind(refused), ErrorKind::CredentialsRejected);
        for none in [
            CredentialsError::not_loaded("nothing is set"),
            CredentialsError::invalid_configuration("no such profile"),
        ] {
            assert_eq!(kind(none), ErrorKind::NoCredentials);
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
