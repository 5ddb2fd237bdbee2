//! Lambda's error codes into the taxonomy. Decisions hang on code and status, never on the
//! message, which Lambda may change at any time.

use reaper_http::dialect::kind_of_status;
use reaper_http::{Answer, Call, Refusal};
use reaper_provider::ErrorKind;

use crate::client::{INSTANCE, TERMINATE};
use crate::wire::{Failure, Problem};

/// Lambda's word for an instance that it does not know (any more).
const NO_SUCH_OBJECT: &str = "global/object-does-not-exist";

/// What an answer that is no success means.
pub(crate) fn refusal(call: &Call, answer: &Answer) -> Refusal {
    let mut refusal = judge(call, answer);
    // That a machine is gone is only true in this word: a wrong address and a gateway say 404, too.
    if refusal.kind == ErrorKind::NotFound && matches!(call.name(), INSTANCE | TERMINATE) {
        let code = answer.json::<Failure>().ok().and_then(|it| it.error.code.good().cloned());
        if code.as_deref() != Some(NO_SUCH_OBJECT) {
            refusal.kind = ErrorKind::Protocol;
        }
    }
    refusal
}

fn judge(call: &Call, answer: &Answer) -> Refusal {
    let status = answer.status.as_u16();
    // Whatever the body says: too fast. Neither code nor body is documented for it.
    if status == 429 {
        return Refusal { kind: ErrorKind::Throttled, ..Refusal::by_status(call, answer) };
    }
    let Ok(Failure { error: Problem { code, message, request_id } }) = answer.json() else {
        let mut refusal = Refusal::by_status(call, answer);
        // The gateway in front bans hasty clients with a page of its own. Lambda itself always
        // answers in JSON, so a page that forbids is the ban and no verdict on the key.
        if status == 403 {
            refusal.kind = ErrorKind::Throttled;
        }
        return refusal;
    };
    let code = code.good().map_or("", String::as_str);
    let kind = kind_of_code(code, call).unwrap_or_else(|| kind_of_status(answer.status, call));
    let message = message.good().map_or("", String::as_str);
    let detail = match (code, message) {
        ("", "") => format!("HTTP {status}"),
        ("", text) | (text, "") => text.to_owned(),
        (code, message) => format!("{code}: {message}"),
    };
    Refusal { request_id: request_id.good().cloned(), ..Refusal::new(kind, detail) }
}

/// The documented codes; `None` for one that is new.
fn kind_of_code(code: &str, call: &Call) -> Option<ErrorKind> {
    Some(match code {
        "global/invalid-api-key" => ErrorKind::CredentialsRejected,
        // An inactive account is a denial and never "no instances".
        "global/forbidden" | "global/account-inactive" | "global/invalid-address" => {
            ErrorKind::Denied { permission: call.needed_permission().to_owned() }
        }
        "global/not-found" | NO_SUCH_OBJECT => ErrorKind::NotFound,
        "global/conflict" | "filesystems/filesystem-in-use" => ErrorKind::Conflict,
        "global/invalid-parameters" | "global/quota-exceeded" | "global/duplicate" => {
            ErrorKind::Invalid
        }
        "global/internal-error" | "global/unknown" => ErrorKind::ServerFault,
        upstream if upstream.starts_with("provider/") => ErrorKind::ServerFault,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use reaper_http::{HeaderMap, StatusCode, Url};

    use super::*;

    fn refused(status: u16, body: &'static str) -> Refusal {
        refused_at("lambda:ListInstances", status, body)
    }

    fn refused_at(call: &'static str, status: u16, body: &'static str) -> Refusal {
        let url = Url::parse("https://example.org/").expect("valid");
        let call = Call::read(call, url);
        let status = StatusCode::from_u16(status).expect("valid");
        refusal(&call, &Answer { status, headers: HeaderMap::new(), body: body.into() })
    }

    #[test]
    fn the_code_decides_and_a_new_one_leaves_it_to_the_status() {
        let kind = |status, body| refused(status, body).kind;
        let denied = || ErrorKind::Denied { permission: "lambda:ListInstances".into() };
        for (status, body, expected) in [
            (
                401,
                r#"{"error": {"code": "global/invalid-api-key"}}"#,
                ErrorKind::CredentialsRejected,
            ),
            (403, r#"{"error": {"code": "global/account-inactive"}}"#, denied()),
            (404, r#"{"error": {"code": "global/object-does-not-exist"}}"#, ErrorKind::NotFound),
            (400, r#"{"error": {"code": "global/object-does-not-exist"}}"#, ErrorKind::NotFound),
            (
                400,
                r#"{"error": {"code": "provider/internal-unavailable"}}"#,
                ErrorKind::ServerFault,
            ),
            (409, r#"{"error": {"code": "global/conflict"}}"#, ErrorKind::Conflict),
            (400, r#"{"error": {"code": "global/unknown"}}"#, ErrorKind::ServerFault),
            (400, r#"{"error": {"code": "global/brand-new"}}"#, ErrorKind::Invalid),
            (403, r#"{"error": {"code": 5, "message": null}}"#, denied()),
            (429, r#"{"error": {"code": "global/forbidden"}}"#, ErrorKind::Throttled),
            (429, "", ErrorKind::Throttled),
            (403, "<html>banned</html>", ErrorKind::Throttled),
            (401, "<html>proxy</html>", ErrorKind::CredentialsRejected),
            (502, "<html>bad gateway</html>", ErrorKind::ServerFault),
        ] {
            assert_eq!(kind(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn only_its_own_word_says_that_a_machine_is_gone() {
        let gone = r#"{"error": {"code": "global/object-does-not-exist"}}"#;
        for call in [INSTANCE, TERMINATE] {
            assert_eq!(refused_at(call, 404, gone).kind, ErrorKind::NotFound);
            for other in [r#"{"error": {"code": "global/not-found"}}"#, "<html>404</html>", ""] {
                assert_eq!(refused_at(call, 404, other).kind, ErrorKind::Protocol, "{other}");
            }
        }
    }

    #[test]
    fn code_words_and_request_id_are_kept() {
        let refusal = refused(
            401,
            r#"{"error": {"code": "global/invalid-api-key", "message": "Invalid.", "request_id": "r1"}}"#,
        );
        assert_eq!(refusal.detail, "global/invalid-api-key: Invalid.");
        assert_eq!(refusal.request_id.as_deref(), Some("r1"));
    }
}
