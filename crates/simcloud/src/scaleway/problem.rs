//! Refusals in Scaleway's words, each with its own status.

use http::StatusCode;
use serde_json::{Value, json};

use crate::wire::Reply;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    status: StatusCode,
    body: Value,
}

impl Problem {
    /// The key is not known, or has run out.
    pub(crate) fn authentication(reason: &str) -> Self {
        let body = json!({
            "message": "authentication is denied",
            "method": "api_key",
            "reason": reason,
            "type": "denied_authentication",
        });
        Self { status: StatusCode::UNAUTHORIZED, body }
    }

    /// The key may not do this to things of this kind.
    pub(crate) fn denied(action: &str, resource: &str) -> Self {
        let body = json!({
            "details": [{ "action": action, "resource": resource }],
            "message": "insufficient permissions",
            "type": "permissions_denied",
        });
        Self { status: StatusCode::FORBIDDEN, body }
    }

    /// There is no such thing.
    pub(crate) fn not_found(resource: &str, id: &str) -> Self {
        let body = json!({
            "message": "resource is not found",
            "resource": resource,
            "resource_id": id,
            "type": "not_found",
        });
        Self { status: StatusCode::NOT_FOUND, body }
    }

    /// There is no such path, or not in this zone.
    pub(crate) fn no_path() -> Self {
        Self { status: StatusCode::NOT_FOUND, body: json!({ "message": "Not Found" }) }
    }

    /// An argument that cannot be.
    pub(crate) fn invalid(argument: &str, reason: &str, help: &str) -> Self {
        let body = json!({
            "type": "invalid_arguments",
            "message": "invalid argument(s)",
            "details": [{ "argument_name": argument, "reason": reason, "help_message": help }],
        });
        Self { status: StatusCode::BAD_REQUEST, body }
    }

    /// It is protected.
    pub(crate) fn protected() -> Self {
        let body = json!({
            "type": "precondition_failed",
            "message": "precondition is not respected",
            "precondition": "protected_resource",
            "help_message": "server is protected",
        });
        Self { status: StatusCode::BAD_REQUEST, body }
    }

    /// It is in a state that does not allow this.
    pub(crate) fn state(message: &str) -> Self {
        let body = json!({ "type": "invalid_request_error", "message": message });
        Self { status: StatusCode::BAD_REQUEST, body }
    }

    /// Scaleway has locked it. The status is a guess; clients know this refusal by its type.
    pub(crate) fn locked(id: &str) -> Self {
        let body = json!({
            "type": "locked",
            "message": "resource is locked",
            "resource": "instance_server",
            "resource_id": id,
        });
        Self { status: StatusCode::LOCKED, body }
    }

    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }

    /// The refusal as an answer.
    pub(crate) fn reply(&self) -> Reply {
        Reply::json(self.status, &self.body)
    }
}
