//! Who asks: application keys with a signature, or a token.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use http::StatusCode;
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

use crate::clock::Clock;
use crate::ovhcloud::answer::{Problem, gateway};
use crate::ovhcloud::project::Project;
use crate::ovhcloud::world::OvhWorld;
use crate::wire::Request;

/// How long a token lives, in seconds.
const TOKEN_LIFETIME: i64 = 3_600;

/// The project whose keys came with a request, as far as their names tell; nothing is checked.
pub(crate) fn claimed<'a>(ovh: &'a OvhWorld, request: &Request) -> Option<&'a Project> {
    ovh.project_of_consumer(request.header("x-ovh-consumer")?)
}

/// The project that the request's login may read.
pub(crate) fn authenticate<'a>(
    ovh: &'a OvhWorld,
    clock: &Clock,
    request: &Request,
) -> Result<&'a Project, Problem> {
    let now = ovh.server_time(clock);
    if let Some(token) = request.header("authorization").and_then(|h| h.strip_prefix("Bearer ")) {
        return ovh
            .project_of_token(token, now)
            .ok_or_else(|| gateway(StatusCode::FORBIDDEN, "NOT_CREDENTIAL", "Invalid token"));
    }
    let header = |name| request.header(name).unwrap_or_default();
    if !ovh.knows_application(header("x-ovh-application")) {
        return Err(gateway(StatusCode::FORBIDDEN, "INVALID_KEY", "Invalid application key"));
    }
    let project = claimed(ovh, request).ok_or_else(|| {
        gateway(StatusCode::FORBIDDEN, "NOT_CREDENTIAL", "This credential does not exist")
    })?;
    if project.expires.is_some_and(|expires| clock.resolve(expires) <= now) {
        let words = "This credential is not valid";
        return Err(gateway(StatusCode::FORBIDDEN, "INVALID_CREDENTIAL", words));
    }
    let timestamp = header("x-ovh-timestamp");
    let signed_at = timestamp.parse().ok().and_then(|time| DateTime::from_timestamp(time, 0));
    let in_time = signed_at.is_some_and(|time: DateTime<Utc>| {
        (time - now).num_seconds().abs() <= ovh.max_clock_skew_s.into()
    });
    if !in_time {
        return Err(gateway(StatusCode::BAD_REQUEST, "QUERY_TIME_OUT", "Query out of time"));
    }
    if header("x-ovh-signature") != signature(project, request, timestamp) {
        return Err(gateway(StatusCode::BAD_REQUEST, "INVALID_SIGNATURE", "Invalid signature"));
    }
    Ok(project)
}

fn signature(project: &Project, request: &Request, timestamp: &str) -> String {
    let mut hash = Sha1::new();
    for part in [
        project.application_secret.as_bytes(),
        project.consumer_key.as_bytes(),
        request.method.as_str().as_bytes(),
        request.url.as_bytes(),
        &request.body,
    ] {
        hash.update(part);
        hash.update("+");
    }
    hash.update(timestamp);
    format!("$1${:x}", hash.finalize())
}

/// The entry of the consumer key that asks.
pub(crate) fn current_credential(project: &Project, clock: &Clock) -> Value {
    json!({
        "credentialId": 1,
        "applicationId": 1,
        "status": "validated",
        "creation": "2020-01-01T00:00:00Z",
        "expiration": project.expires.map(|expires| clock.resolve(expires).to_rfc3339()),
        "lastUse": clock.now().to_rfc3339(),
        "ovhSupport": false,
        "allowedIPs": null,
        "rules": [{ "method": "GET", "path": "/cloud/project/*" }],
    })
}

/// A login of a service account by OAuth2 client credentials: as a basic login (OVHcloud's Python
/// client) or in the form.
pub(crate) fn token(
    ovh: &mut OvhWorld,
    clock: &Clock,
    request: &Request,
) -> Result<Value, Problem> {
    let form: BTreeMap<String, String> =
        form_urlencoded::parse(&request.body).into_owned().collect();
    let field = |name: &str| form.get(name).map_or("", String::as_str);
    let problem = |code: &str, words: &str| Problem {
        status: StatusCode::BAD_REQUEST,
        body: json!({ "error": code, "error_description": words }),
    };
    if field("grant_type") != "client_credentials" {
        return Err(problem("unsupported_grant_type", "grant_type is not supported"));
    }
    let basic = request.header("authorization").and_then(|header| header.strip_prefix("Basic "));
    let login = (field("client_id"), field("client_secret"));
    let project = ovh
        .projects()
        .find(|project| {
            let own = project.client_id.as_deref().zip(project.client_secret.as_deref());
            own.is_some_and(|(id, secret)| match basic {
                Some(basic) => basic == base64(&format!("{id}:{secret}")),
                None => login == (id, secret),
            })
        })
        .ok_or_else(|| problem("invalid_client", "ovhcloud oauth2 client does not exists"))?;
    let token = format!("token-{}", request.id());
    let (id, until) =
        (project.id.clone(), clock.now() + chrono::TimeDelta::seconds(TOKEN_LIFETIME));
    ovh.open_session(token.clone(), id, until);
    Ok(json!({
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": TOKEN_LIFETIME,
        "scope": "all",
    }))
}

/// The alphabet of RFC 4648, with padding.
fn base64(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..4 {
            let digit = bits >> (18 - 6 * place) & 63;
            let shown = place <= three.len();
            encoded.push(if shown { ALPHABET[digit as usize].into() } else { '=' });
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain), encoded);
        }
    }
}
