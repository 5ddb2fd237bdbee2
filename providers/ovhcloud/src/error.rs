//! OVHcloud's error bodies into the taxonomy. Decisions hang on codes and statuses, never on the
//! message. For keys there is no 401: a refused key, a wrong clock and a missing right are all 400
//! or 403, and only the code in the body tells them apart.

use reaper_http::dialect::kind_of_status;
use reaper_http::{Answer, Call, Refusal};
use reaper_provider::ErrorKind;

use crate::wire::Failure;

/// The right that IAM misses, in the details of a refusal.
const MISSING_IN_IAM: &str = "unauthorizedActionsByIAM";

/// What an answer that is no success means.
pub(crate) fn refusal(call: &Call, answer: &Answer) -> Refusal {
    let Ok(failure) = answer.json::<Failure>() else {
        return Refusal::by_status(call, answer);
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
    let detail = match (code, message) {
        ("", "") => return Refusal { kind, ..Refusal::by_status(call, answer) },
        ("", text) | (text, "") => text.to_owned(),
        (code, message) => format!("{code}: {message}"),
    };
    Refusal::new(kind, detail)
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
        assert_eq!(
            kind(404, r#"{"class":"Client::NotFound","message":"no"}"#),
            ErrorKind::NotFound
        );
    }

    #[test]
    fn an_unknown_service_account_answers_400() {
        let body = r#"{"error":"invalid_client","error_description":"does not exist"}"#;
        assert_eq!(kind(400, body), ErrorKind::CredentialsRejected);
        assert_eq!(kind(400, r#"{"code":400,"message":"Ooops..."}"#), ErrorKind::Invalid);
    }
}
