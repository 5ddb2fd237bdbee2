//! Who is asking: the access key and the credential scope in the signature, and what they allow.
//! The signature itself is not checked.

use chrono::{DateTime, NaiveDateTime, Utc};
use http::StatusCode;

use crate::aws::account::Account;
use crate::aws::error::{AwsError, Service};
use crate::aws::region::OptIn;
use crate::aws::world::AwsWorld;
use crate::clock::Clock;
use crate::wire::Request;

/// The credential scope: `Credential=KEY/20261130/eu-west-1/ec2/aws4_request`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) key: &'a str,
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
}

/// Who is asking, once that is established.
#[derive(Debug)]
pub(crate) struct Caller<'w> {
    pub(crate) account: &'w Account,
    pub(crate) region: String,
    pub(crate) arn: String,
    pub(crate) user_id: String,
}

impl<'a> Scope<'a> {
    pub(crate) fn of(request: &'a Request) -> Option<Self> {
        let header = request.header("authorization")?.strip_prefix("AWS4-HMAC-SHA256 ")?;
        let credential =
            header.split(',').find_map(|part| part.trim().strip_prefix("Credential="))?;
        let mut parts = credential.split('/');
        let (key, _date) = (parts.next()?, parts.next()?);
        Some(Self { key, region: parts.next()?, service: parts.next()? })
    }

    /// The account that the key belongs to, by itself or through a session.
    pub(crate) fn account<'w>(&self, aws: &'w AwsWorld) -> Option<&'w Account> {
        match aws.session(self.key) {
            Some(session) => aws.account(&session.account),
            None => aws.account_of_key(self.key),
        }
    }
}

/// The client's clock, which it signs with.
pub(crate) fn signed_at(request: &Request) -> Option<DateTime<Utc>> {
    let date = request.header("x-amz-date")?;
    NaiveDateTime::parse_from_str(date, "%Y%m%dT%H%M%SZ").ok().map(|time| time.and_utc())
}

/// Establishes who is asking.
pub(crate) fn authenticate<'w>(
    aws: &'w AwsWorld,
    clock: &Clock,
    request: &Request,
    service: Service,
) -> Result<Caller<'w>, AwsError> {
    let unknown = || match service {
        Service::Ec2 => AwsError::auth_failure(),
        Service::Costs | Service::Prices => AwsError::bad(
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
        ),
        Service::Sts | Service::Metrics(_) => AwsError::new(
            StatusCode::FORBIDDEN,
            "InvalidClientTokenId",
            "The security token included in the request is invalid.",
        ),
    };
    let expired = || match service {
        Service::Ec2 => AwsError::bad("RequestExpired", "Request has expired."),
        Service::Costs | Service::Prices => AwsError::bad(
            "ExpiredTokenException",
            "The security token included in the request is expired",
        ),
        Service::Sts | Service::Metrics(_) => AwsError::new(
            StatusCode::FORBIDDEN,
            "ExpiredToken",
            "The security token included in the request is expired",
        ),
    };
    let scope = Scope::of(request).ok_or_else(|| match service {
        Service::Ec2 => AwsError::auth_failure(),
        Service::Costs | Service::Prices => {
            AwsError::bad("MissingAuthenticationTokenException", "Missing Authentication Token")
        }
        Service::Sts | Service::Metrics(_) => AwsError::new(
            StatusCode::FORBIDDEN,
            "MissingAuthenticationToken",
            "Request is missing Authentication Token",
        ),
    })?;
    let account = scope.account(aws).ok_or_else(unknown)?;
    let id = &account.id;
    let (arn, user_id) = if let Some(session) = aws.session(scope.key) {
        if request.header("x-amz-security-token") != Some(session.token.as_str()) {
            return Err(unknown());
        }
        if session.expires <= clock.now() {
            return Err(expired());
        }
        let arn = format!("arn:aws:sts::{id}:assumed-role/{}/{}", session.role, session.name);
        (arn, format!("{}:{}", role_id(&session.role), session.name))
    } else {
        if account.expired_keys.iter().any(|key| key == scope.key) {
            return Err(expired());
        }
        (format!("arn:aws:iam::{id}:user/{}", account.user), format!("AIDASIMULATED{id}"))
    };
    check_clock(aws, clock, request, service)?;
    let enabled =
        matches!(aws.opt_in(account, scope.region), Some(OptIn::NotRequired | OptIn::OptedIn));
    if !enabled {
        return Err(unknown());
    }
    Ok(Caller { account, region: scope.region.to_owned(), arn, user_id })
}

fn check_clock(
    aws: &AwsWorld,
    clock: &Clock,
    request: &Request,
    service: Service,
) -> Result<(), AwsError> {
    let (Some(limit), Some(signed)) = (aws.max_clock_skew_s(), signed_at(request)) else {
        return Ok(());
    };
    if (clock.now() - signed).num_seconds().unsigned_abs() <= u64::from(limit) {
        return Ok(());
    }
    Err(match service {
        Service::Ec2 => AwsError::bad("RequestExpired", "Request has expired."),
        Service::Costs | Service::Prices => AwsError::bad(
            "InvalidSignatureException",
            "Signature expired: the time of the request differs too much from the server's",
        ),
        Service::Sts | Service::Metrics(_) => AwsError::new(
            StatusCode::FORBIDDEN,
            "SignatureDoesNotMatch",
            "Signature expired: the time of the request differs too much from the server's",
        ),
    })
}

/// The id that stands for a role in user ids.
pub(crate) fn role_id(role: &str) -> String {
    format!("AROASIMULATED{}", role.to_uppercase())
}

impl Caller<'_> {
    /// Refuses what nobody in the account may do.
    pub(crate) fn may(&self, service: Service, operation: &str) -> Result<(), AwsError> {
        let forbidden = StatusCode::FORBIDDEN;
        let (prefix, code, status) = match service {
            Service::Ec2 => ("ec2", "UnauthorizedOperation", forbidden),
            Service::Sts => ("sts", "AccessDenied", forbidden),
            Service::Metrics(_) => ("cloudwatch", "AccessDenied", forbidden),
            Service::Costs => ("ce", "AccessDeniedException", StatusCode::BAD_REQUEST),
            Service::Prices => ("pricing", "AccessDeniedException", StatusCode::BAD_REQUEST),
        };
        let action = format!("{prefix}:{operation}");
        if !self.account.denies(&action, &self.region) {
            return Ok(());
        }
        let arn = &self.arn;
        Err(AwsError::new(
            status,
            code,
            format!(
                "You are not authorized to perform this operation. User: {arn} is not authorized to perform: {action} because no identity-based policy allows the {action} action"
            ),
        ))
    }
}
