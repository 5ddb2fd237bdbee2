//! Where credentials come from: the account's own settings, a named profile, else the usual chain;
//! and from there, where configured, into a role of another account.

use aws_config::ecs::EcsCredentialsProvider;
use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::imds::credentials::ImdsCredentialsProvider;
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::web_identity_token::WebIdentityTokenCredentialsProvider;
use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{
    ProvideCredentials, Result as CredentialsResult, SharedCredentialsProvider, future,
};
use reaper_provider::{AccountSettings, Delivery, ErrorKind, ProviderError, RequestCounter};
use secrecy::{ExposeSecret, SecretString};

use crate::error::from_sdk;
use crate::trace::Trace;

/// The name under which CloudTrail shows what an assumed role did.
const SESSION_NAME: &str = "reaper";

/// The provider of an account's first credentials.
///
/// A named profile is the only source then: keys left in a shell must not win over it. The
/// metadata service is in the chain only when allowed, because elsewhere it answers by silence.
pub(crate) fn base(
    settings: &AccountSettings,
    provider_config: &ProviderConfig,
) -> SharedCredentialsProvider {
    let secret = |key: &str| settings.credentials.get(key).map(SecretString::expose_secret);
    if let (Some(id), Some(key)) = (secret("access_key_id"), secret("secret_access_key")) {
        let token = secret("session_token").map(str::to_owned);
        let credentials = Credentials::new(id, key, token, None, "reaper account settings");
        return SharedCredentialsProvider::new(credentials);
    }
    let profile = ProfileFileCredentialsProvider::builder().configure(provider_config);
    if let Some(name) = settings.option("profile") {
        return SharedCredentialsProvider::new(profile.profile_name(name).build());
    }
    let mut chain = CredentialsProviderChain::first_try(
        "Environment",
        EnvironmentVariableCredentialsProvider::new(),
    )
    .or_else("Profile", profile.build())
    .or_else(
        "WebIdentityToken",
        WebIdentityTokenCredentialsProvider::builder().configure(provider_config).build(),
    )
    .or_else("EcsContainer", EcsCredentialsProvider::builder().configure(provider_config).build());
    if settings.option("imds") == Some("true") {
        chain = chain.or_else(
            "Ec2InstanceMetadata",
            ImdsCredentialsProvider::builder().configure(provider_config).build(),
        );
    }
    SharedCredentialsProvider::new(chain)
}

/// Credentials of a role, from STS. The SDK's cache asks once for all regions and again when they
/// run out.
#[derive(Debug)]
pub(crate) struct AssumedRole {
    /// Asks with the first credentials.
    pub(crate) sts: aws_sdk_sts::Client,
    /// The role's ARN.
    pub(crate) role: String,
    /// The secret handshake of the role's trust policy, where it has one.
    pub(crate) external_id: Option<String>,
    /// Counts the requests, which belong to no scope.
    pub(crate) requests: RequestCounter,
}

impl AssumedRole {
    async fn assume(&self) -> CredentialsResult {
        const CALL: &str = "sts:AssumeRole";
        let trace = Trace::new(&self.requests);
        let answer = self
            .sts
            .assume_role()
            .role_arn(&self.role)
            .role_session_name(SESSION_NAME)
            .set_external_id(self.external_id.clone())
            .customize()
            .interceptor(trace.clone())
            .send()
            .await
            .map_err(|error| CredentialsError::unhandled(from_sdk(&error, CALL, &trace)))?;
        let unreadable = |what: &str| {
            let error = ProviderError::new(ErrorKind::Protocol, Delivery::Answered, CALL, what);
            CredentialsError::unhandled(error)
        };
        let role =
            answer.credentials().ok_or_else(|| unreadable("no credentials in the answer"))?;
        let expiry = std::time::SystemTime::try_from(*role.expiration())
            .map_err(|_| unreadable("no usable expiration in the answer"))?;
        Ok(Credentials::new(
            role.access_key_id(),
            role.secret_access_key(),
            Some(role.session_token().to_owned()),
            Some(expiry),
            "reaper assumed role",
        ))
    }
}

impl ProvideCredentials for AssumedRole {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.assume())
    }
}
