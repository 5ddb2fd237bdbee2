//! What Scaleway's refusals mean. Decided on status and the body's `type`, never on its message.

use reaper_http::dialect::kind_of_status;
use reaper_http::{Answer, Call, Lenient, Refusal, lenient};
use reaper_provider::ErrorKind;
use serde::Deserialize;

use crate::client::{ACTION, SERVER, UPDATE};

/// The body of a refusal. Gateways and older products leave most of it out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
    r#type: Lenient<String>,
    resource: Lenient<String>,
    message: Lenient<String>,
    reason: Lenient<String>,
    help_message: Lenient<String>,
    precondition: Lenient<String>,
    #[serde(deserialize_with = "lenient::list")]
    details: Vec<Lenient<Missing>>,
}

/// What a denied call needed, or which argument was wrong.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Missing {
    action: Lenient<String>,
    resource: Lenient<String>,
    argument_name: Lenient<String>,
}

/// What an answer that is no success means.
pub(crate) fn refusal(call: &Call, answer: &Answer) -> Refusal {
    let body = answer.json::<Body>().unwrap_or_default();
    let typed = body.r#type.good().is_some();
    let mut refusal = if typed || body.message.good().is_some_and(|text| !text.is_empty()) {
        Refusal::new(body.kind(call, answer), body.words())
    } else {
        Refusal::by_status(call, answer)
    };
    // That a server is gone is only true in the API's own words: a gateway, another address and a
    // missing zone say 404 as well.
    let of_a_server = typed && body.resource.good().is_none_or(|it| it == "instance_server");
    if refusal.kind == ErrorKind::NotFound && !of_a_server && names_a_server(call) {
        refusal.kind = ErrorKind::Protocol;
    }
    refusal
}

fn names_a_server(call: &Call) -> bool {
    matches!(call.name(), SERVER | ACTION | UPDATE)
}

impl Body {
    fn kind(&self, call: &Call, answer: &Answer) -> ErrorKind {
        let word = self.r#type.good().map_or("", String::as_str);
        match word {
            "denied_authentication" => match self.reason.good().map(String::as_str) {
                Some("expired") => ErrorKind::CredentialsExpired,
                _ => ErrorKind::CredentialsRejected,
            },
            "permissions_denied" => {
                ErrorKind::Denied { permission: call.needed_permission().to_owned() }
            }
            "not_found" | "unknown_resource" | "resource_expired" => ErrorKind::NotFound,
            "invalid_arguments" => ErrorKind::Invalid,
            "too_many_requests" => ErrorKind::Throttled,
            "precondition_failed"
                if self.precondition.good().is_some_and(|it| it == "protected_resource") =>
            {
                ErrorKind::Protected
            }
            "quotas_exceeded"
            | "out_of_stock"
            | "transient_state"
            | "conflict"
            | "locked"
            | "precondition_failed" => ErrorKind::Conflict,
            // Nothing of a power-off could be wrong but its moment.
            "invalid_request_error" if call.name() == ACTION => ErrorKind::Conflict,
            // Sent with 400 for bad requests and with 403 for quotas, which are no missing right.
            "invalid_request_error" if answer.status.as_u16() == 403 => ErrorKind::Conflict,
            _ => kind_of_status(answer.status, call),
        }
    }

    fn words(&self) -> String {
        let details = self.details.iter().filter_map(Lenient::good).filter_map(|detail| {
            let word = |field: &'_ Lenient<String>| field.good().cloned();
            match (word(&detail.action), word(&detail.resource)) {
                (Some(action), Some(resource)) => Some(format!("{action} {resource}")),
                _ => word(&detail.argument_name),
            }
        });
        let texts = [&self.r#type, &self.reason, &self.message, &self.help_message];
        let texts = texts.into_iter().filter_map(Lenient::good).filter(|text| !text.is_empty());
        texts.cloned().chain(details).collect::<Vec<_>>().join(": ")
    }
}

#[cfg(test)]
mod tests {
    use reaper_http::{HeaderMap, StatusCode, Url};

    use super::*;

    fn refused(status: u16, body: &str) -> Refusal {
        refused_at("scaleway:ListServers", status, body)
    }

    fn refused_at(call: &'static str, status: u16, body: &str) -> Refusal {
        let url = Url::parse("https://api.example.org/").expect("valid");
        let call = Call::read(call, url).permission("InstancesReadOnly");
        let answer = Answer {
            status: StatusCode::from_u16(status).expect("a status"),
            headers: HeaderMap::new(),
            body: body.to_owned().into(),
        };
        refusal(&call, &answer)
    }

    #[test]
    fn a_missing_right_is_named() {
        let body = r#"{"details":[{"action":"read","resource":"server"}],
            "message":"insufficient permissions","type":"permissions_denied"}"#;
        let refusal = refused(403, body);
        let permission = "InstancesReadOnly".to_owned();
        assert_eq!(refusal.kind, ErrorKind::Denied { permission });
        assert_eq!(refusal.detail, "permissions_denied: insufficient permissions: read server");
    }

    #[test]
    fn a_403_that_is_a_quota_is_no_missing_right() {
        let body = r#"{"type":"invalid_request_error","message":"Quota exceeded for this resource.",
            "resource":"compute_snapshots_type_b_ssd_available"}"#;
        assert_eq!(refused(403, body).kind, ErrorKind::Conflict);
        let body = r#"{"details":[{"current":10,"quota":10,"resource":"human"}],
            "message":"quota(s) exceeded for this resource","type":"quotas_exceeded"}"#;
        assert_eq!(refused(403, body).kind, ErrorKind::Conflict);
    }

    #[test]
    fn fl_039_fl_045_protection_and_the_wrong_moment_are_told_apart() {
        let protected = r#"{"type":"precondition_failed","precondition":"protected_resource",
            "message":"precondition is not respected","help_message":"server is protected"}"#;
        assert_eq!(refused_at(ACTION, 400, protected).kind, ErrorKind::Protected);
        let other = r#"{"type":"precondition_failed","precondition":"resource_in_use"}"#;
        assert_eq!(refused_at(ACTION, 412, other).kind, ErrorKind::Conflict);
        let moment = r#"{"type":"invalid_request_error","message":"server should be running"}"#;
        assert_eq!(refused_at(ACTION, 400, moment).kind, ErrorKind::Conflict);
        assert_eq!(refused_at(UPDATE, 400, moment).kind, ErrorKind::Invalid);
    }

    #[test]
    fn only_the_api_itself_says_that_a_server_is_gone() {
        let gone = r#"{"type":"not_found","resource":"instance_server","resource_id":"s"}"#;
        for call in [SERVER, ACTION, UPDATE] {
            assert_eq!(refused_at(call, 404, gone).kind, ErrorKind::NotFound);
            let zone = r#"{"type":"not_found","resource":"zone"}"#;
            for other in ["", zone, r#"{"message":"Not Found"}"#, "<html>404</html>"] {
                assert_eq!(refused_at(call, 404, other).kind, ErrorKind::Protocol, "{other}");
            }
        }
    }

    #[test]
    fn refused_and_expired_keys_are_told_apart() {
        let body = |reason: &str| {
            format!(
                r#"{{"message":"authentication is denied","method":"api_key","reason":"{reason}",
                "type":"denied_authentication"}}"#
            )
        };
        assert_eq!(refused(401, &body("not_found")).kind, ErrorKind::CredentialsRejected);
        assert_eq!(refused(401, &body("expired")).kind, ErrorKind::CredentialsExpired);
    }

    #[test]
    fn fl_069_the_empty_429_is_a_throttle() {
        assert_eq!(refused(429, "").kind, ErrorKind::Throttled);
    }

    #[test]
    fn fl_071_bodies_of_gateways_are_judged_by_their_status() {
        let refusal = refused(502, "<html><body>Bad gateway</body></html>");
        assert_eq!(refusal.kind, ErrorKind::ServerFault);
        assert!(!refusal.detail.contains('<'), "{}", refusal.detail);
        assert_eq!(refused(404, r#"{"message":"Not Found"}"#).kind, ErrorKind::NotFound);
        assert_eq!(refused(404, "").kind, ErrorKind::NotFound);
        assert_eq!(refused(500, r#"{"type":["odd"],"details":null}"#).kind, ErrorKind::ServerFault);
    }
}
