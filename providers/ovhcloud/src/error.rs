//! OVHcloud's error bodies into the taxonomy. Decisions hang on codes and statuses, never on the
//! message. For keys there is no 401: a refused key, a wrong clock and a missing right are all 400
//! or 403, and only the code in the body tells them apart.

use reaper_http::dialect::kind_of_status;
use reaper_http::{Answer, Call, Refusal};
use reaper_provider::{Delivery, ErrorKind, ProviderError};

use crate::wire::Failure;

/// The right that IAM misses, in the details of a refusal.
const MISSING_IN_IAM: &str = "unauthorizedActionsByIAM";

/// What an answer that is no success means.
pub(crate) fn refusal(call: &Call, answer: &Answer) -> Refusal {
    let Some(failure) = answer.json().ok().filter(Failure::says_something) else {
        return foreign(call, answer);
    };
    let code = [&failure.error_code, &failure.error].into_iter().find_map(|code| code.good());
    let kind =
        code.and_then(|code| kind_of_code(code, call)).unwrap_or_else(|| {
            match missing_right(&failure) {
                Some(permission) if answer.status == 403 => ErrorKind::Denied { permission },
                _ => kind_of_status(answer.status, call),
            }
        });
    let message = [&failure.message, &failure.error_description];
    let message = message.into_iter().find_map(|text| text.good()).map_or("", String::as_str);
    let code = code.or(failure.class.good()).map_or("", String::as_str);
    // A gateway may answer in JSON too; OVHcloud's own refusals carry a class or a code.
    let kind = match kind {
        ErrorKind::NotFound if code.is_empty() => ErrorKind::Protocol,
        kind => kind,
    };
    let detail = match (code, message) {
        ("", text) | (text, "") => text.to_owned(),
        (code, message) => format!("{code}: {message}"),
    };
    Refusal::new(kind, detail)
}

/// An answer that is not OVHcloud's own, such as the page of a gateway, passes by its status. But
/// that there is no such thing only OVHcloud can say: a machine that is "not found" counts as gone.
fn foreign(call: &Call, answer: &Answer) -> Refusal {
    let refusal = Refusal::by_status(call, answer);
    let kind = match refusal.kind {
        ErrorKind::NotFound => ErrorKind::Protocol,
        kind => kind,
    };
    Refusal { kind, ..refusal }
}

/// What a failure to get the server's time or a token means for the call that was to be signed with
/// it: that one never left, and nothing was said of what it is about.
pub(crate) fn unsigned(error: ProviderError) -> ProviderError {
    let kind = match error.kind {
        ErrorKind::NotFound | ErrorKind::Conflict => ErrorKind::Protocol,
        kind => kind,
    };
    ProviderError { kind, delivery: Delivery::NotSent, ..error }
}

/// The codes of the gateway (as OVHcloud's Python client lists them) and of the login; `None` for
/// any other.
fn kind_of_code(code: &str, call: &Call) -> Option<ErrorKind> {
    Some(match code {
        "INVALID_SIGNATURE"
        | "INVALID_CREDENTIAL"
        | "NOT_CREDENTIAL"
        | "INVALID_KEY"
        | "invalid_client"
        | "unauthorized_client"
        | "invalid_token" => ErrorKind::CredentialsRejected,
        "QUERY_TIME_OUT" => ErrorKind::ClockSkew,
        "NOT_GRANTED_CALL" => ErrorKind::Denied { permission: call.needed_permission().to_owned() },
        _ => return None,
    })
}

fn missing_right(failure: &Failure) -> Option<String> {
    failure.details.good()?.get(MISSING_IN_IAM)?.good().filter(|right| !right.is_empty()).cloned()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use reaper_http::{HeaderMap, StatusCode, Url};

    use super::*;

    const RIGHT: &str = "publicCloudProject:apiovh:instance/get";

    fn kind(status: u16, body: &str) -> ErrorKind {
        let url = Url::parse("https://eu.api.ovh.com/1.0/x").expect("valid");
        let call = Call::read("ovhcloud:GET /x", url).permission(RIGHT);
        let answer = Answer {
            status: StatusCode::from_u16(status).expect("valid"),
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        };
        let refusal = refusal(&call, &answer);
        assert!(!refusal.detail.is_empty(), "{body}");
        assert!(!refusal.detail.contains('<'), "{}", refusal.detail);
        refusal.kind
    }

    fn gateway(code: &str) -> String {
        format!(r#"{{"errorCode":"{code}","httpCode":"4xx","message":"words"}}"#)
    }

    #[test]
    fn fl_081_refused_keys_are_told_from_missing_rights() {
        for code in ["INVALID_CREDENTIAL", "NOT_CREDENTIAL", "INVALID_KEY"] {
            assert_eq!(kind(403, &gateway(code)), ErrorKind::CredentialsRejected, "{code}");
        }
        assert_eq!(kind(400, &gateway("INVALID_SIGNATURE")), ErrorKind::CredentialsRejected);
        let denied = ErrorKind::Denied { permission: RIGHT.to_owned() };
        assert_eq!(kind(403, &gateway("NOT_GRANTED_CALL")), denied);
        assert_eq!(kind(403, r#"{"class":"Client::Forbidden","message":"not granted"}"#), denied);
    }

    #[test]
    fn the_right_that_iam_misses_is_named() {
        let body = r#"{"class":"Client::Forbidden","message":"User not granted for this request",
            "details":{"unauthorizedActionsByAuthentication":"",
            "unauthorizedActionsByIAM":"publicCloudProject:apiovh:flavor/get"}}"#;
        let permission = "publicCloudProject:apiovh:flavor/get".to_owned();
        assert_eq!(kind(403, body), ErrorKind::Denied { permission });
    }

    #[test]
    fn fl_080_a_signature_out_of_time_is_the_clock_and_not_the_key() {
        assert_eq!(kind(400, &gateway("QUERY_TIME_OUT")), ErrorKind::ClockSkew);
    }

    #[test]
    fn fl_071_pages_of_gateways_pass_by_their_status() {
        let page = "<html><body><p>test</p></body></html>";
        assert_eq!(kind(503, page), ErrorKind::ServerFault);
        assert_eq!(kind(408, page), ErrorKind::Timeout);
        assert_eq!(kind(429, "{}"), ErrorKind::Throttled);
    }

    #[test]
    fn fl_045_only_ovhcloud_itself_says_that_there_is_no_such_machine() {
        let own = r#"{"class":"Client::NotFound","message":"no"}"#;
        assert_eq!(kind(404, own), ErrorKind::NotFound);
        let gateway = r#"{"message":"no route to that path"}"#;
        for page in
            ["<html><body>404</body></html>", gateway, "{}", "[]", "null", r#"{"message":""}"#, ""]
        {
            assert_eq!(kind(404, page), ErrorKind::Protocol, "{page}");
        }
    }

    #[test]
    fn fl_045_a_state_that_does_not_allow_it_is_a_conflict() {
        let body = r#"{"class":"Client::Conflict","message":"Instance is locked"}"#;
        assert_eq!(kind(409, body), ErrorKind::Conflict);
    }

    #[test]
    fn what_cannot_be_signed_was_not_sent_and_says_nothing_of_its_machine() {
        for (kind, expected) in [
            (ErrorKind::NotFound, ErrorKind::Protocol),
            (ErrorKind::Conflict, ErrorKind::Protocol),
            (ErrorKind::ServerFault, ErrorKind::ServerFault),
        ] {
            let error = unsigned(ProviderError::answered(kind, "ovhcloud:GET /auth/time", ""));
            assert_eq!((error.kind, error.delivery), (expected, Delivery::NotSent));
        }
    }

    #[test]
    fn an_unknown_service_account_answers_400() {
        let body = r#"{"error":"invalid_client","error_description":"does not exist"}"#;
        assert_eq!(kind(400, body), ErrorKind::CredentialsRejected);
        assert_eq!(kind(400, r#"{"code":400,"message":"Ooops..."}"#), ErrorKind::Invalid);
    }
}
