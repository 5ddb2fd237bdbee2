//! STS: who am I, and sessions of roles.

use chrono::TimeDelta;
use http::StatusCode;

use crate::aws::account::Role;
use crate::aws::auth::{authenticate, role_id, signed_at};
use crate::aws::error::{AwsError, Service};
use crate::aws::form::Form;
use crate::aws::world::{AwsWorld, Session};
use crate::aws::xml::{STS_NAMESPACE, Xml};
use crate::wire::Request;
use crate::world::World;

/// Answers an STS request.
pub(crate) fn answer(
    world: &mut World,
    request: &Request,
    operation: &str,
    request_id: &str,
) -> Result<Xml, AwsError> {
    match operation {
        "GetCallerIdentity" => {
            // Nobody can be denied this one, so it is not asked.
            let caller = authenticate(&world.aws, &world.clock, request, Service::Sts)?;
            Ok(envelope(operation, request_id, |xml| {
                xml.leaf("Arn", &caller.arn);
                xml.leaf("UserId", &caller.user_id);
                xml.leaf("Account", &caller.account.id);
            }))
        }
        "AssumeRole" => assume_role(world, request, request_id),
        _ => Err(AwsError::bad(
            "InvalidAction",
            format!("Could not find operation {operation} for version 2011-06-15"),
        )),
    }
}

fn envelope(operation: &str, request_id: &str, write: impl FnOnce(&mut Xml)) -> Xml {
    Xml::bare(|xml| {
        xml.rooted(&format!("{operation}Response"), STS_NAMESPACE, |xml| {
            xml.node(&format!("{operation}Result"), write);
            xml.node("ResponseMetadata", |xml| xml.leaf("RequestId", request_id));
        });
    })
}

fn assume_role(world: &mut World, request: &Request, request_id: &str) -> Result<Xml, AwsError> {
    let form = Form::of(request);
    let caller = authenticate(&world.aws, &world.clock, request, Service::Sts)?;
    caller.may(Service::Sts, "AssumeRole")?;
    let arn = form.required("RoleArn")?;
    let name = form.required("RoleSessionName")?.to_owned();
    let seconds = match form.get("DurationSeconds") {
        None => 3_600,
        Some(text) => {
            text.parse().ok().filter(|seconds| (900..=43_200).contains(seconds)).ok_or_else(
                || {
                    let message = format!("DurationSeconds {text} is not between 900 and 43200");
                    AwsError::bad("ValidationError", message)
                },
            )?
        }
    };
    let (account, role) = find_role(&world.aws, arn)
        .filter(|(_, role)| {
            let id = &caller.account.id;
            (role.trusts.is_empty() || role.trusts.contains(id))
                && role.external_id.as_deref().is_none_or(|id| form.get("ExternalId") == Some(id))
        })
        .ok_or_else(|| {
            let message = format!(
                "User: {} is not authorized to perform: sts:AssumeRole on resource: {arn}",
                caller.arn
            );
            AwsError::new(StatusCode::FORBIDDEN, "AccessDenied", message)
        })?;

    let number = request.number;
    let lifetime = TimeDelta::seconds(seconds);
    let session = Session {
        account: account.to_owned(),
        role: role.name.clone(),
        name,
        token: format!("simulated-session-{number}"),
        expires: world.clock.now() + lifetime,
    };
    let key = format!("ASIASIMULATED{number:07}");
    // The client compares this with its own clock, which need not be the world's.
    let expires = signed_at(request).unwrap_or(world.clock.now()) + lifetime;
    let xml = envelope("AssumeRole", request_id, |xml| {
        xml.node("AssumedRoleUser", |xml| {
            let Session { account, role, name, .. } = &session;
            xml.leaf("AssumedRoleId", &format!("{}:{name}", role_id(role)));
            xml.leaf("Arn", &format!("arn:aws:sts::{account}:assumed-role/{role}/{name}"));
        });
        xml.node("Credentials", |xml| {
            xml.leaf("AccessKeyId", &key);
            xml.leaf("SecretAccessKey", &format!("simulated-secret-{number}"));
            xml.leaf("SessionToken", &session.token);
            xml.time("Expiration", expires);
        });
        xml.value("PackedPolicySize", 6);
    });
    world.aws.open_session(key, session);
    Ok(xml)
}

/// `arn:aws:iam::ACCOUNT:role/PATH/NAME`
fn find_role<'w>(aws: &'w AwsWorld, arn: &str) -> Option<(&'w str, &'w Role)> {
    let (account, role) = arn.strip_prefix("arn:aws:iam::")?.split_once(":role/")?;
    let name = role.rsplit('/').next()?;
    let account = aws.account(account)?;
    let role = account.roles.iter().find(|role| role.name == name)?;
    Some((&account.id, role))
}
