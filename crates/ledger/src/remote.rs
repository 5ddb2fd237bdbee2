//! How a bucket is reached. Settings are asked for by the names that everybody knows from the
//! environment, and the HTTP client comes ready made (trust, proxy, time-outs): this crate reads
//! no environment and makes no TLS of its own.
//!
//! | bucket | settings |
//! | --- | --- |
//! | `s3://` | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; or `AWS_WEB_IDENTITY_TOKEN_FILE` with `AWS_ROLE_ARN`; or `AWS_CONTAINER_CREDENTIALS_…`; or `AWS_EC2_METADATA_DISABLED=false` to ask the instance. `AWS_REGION`, `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` |
//! | `gs://` | `GOOGLE_APPLICATION_CREDENTIALS` or `GOOGLE_SERVICE_ACCOUNT_KEY` |
//! | `az://` | `AZURE_STORAGE_ACCOUNT_NAME` with `AZURE_STORAGE_ACCOUNT_KEY`, or `AZURE_CLIENT_ID`, `AZURE_TENANT_ID` with `AZURE_CLIENT_SECRET` or `AZURE_FEDERATED_TOKEN_FILE` |

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::{ClientOptions, HttpClient, HttpConnector};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{ObjectStore, RetryConfig};

use crate::address::Cloud;
use crate::error::Cause;

/// Retries of one request end after this time; the run's own deadline may come earlier.
const RETRY_FOR: Duration = Duration::from_mins(1);

const AWS: [&str; 13] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];
const AWS_CREDENTIALS: [&str; 4] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];
/// Asked for literally, as everywhere; only an explicit `false` lets the instance be asked.
const AWS_METADATA: &str = "AWS_EC2_METADATA_DISABLED";

const GOOGLE: [&str; 3] =
    ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_BASE_URL"];
const GOOGLE_CREDENTIALS: [&str; 2] =
    ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT_KEY"];

const AZURE: [&str; 7] = [
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_TENANT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
];
const AZURE_CREDENTIALS: [&str; 3] =
    ["AZURE_STORAGE_ACCOUNT_KEY", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"];

/// What a bucket needs and this crate does not make.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    /// A setting by its name in the environment; see the [module](self).
    pub setting: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// The HTTP client, made when a bucket is really wanted. It should bound the time of a request.
    pub client: &'a (dyn Fn() -> Result<reqwest::Client, Cause> + Sync),
}

impl fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

impl Access<'_> {
    /// No settings and no client: for a ledger in a folder or in memory.
    pub const LOCAL: Access<'static> = Access {
        setting: &|_| None,
        client: &|| Err("a bucket needs an HTTP client, and none was given".into()),
    };

    pub(crate) fn bucket(&self, cloud: Cloud, bucket: &str) -> Result<Arc<dyn ObjectStore>, Cause> {
        let retry = RetryConfig { retry_timeout: RETRY_FOR, ..RetryConfig::default() };
        match cloud {
            Cloud::S3 => {
                if !self.metadata_allowed() {
                    self.any_of(&AWS_CREDENTIALS)?;
                }
                let builder = AmazonS3Builder::new()
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_http_connector(Ready((self.client)()?));
                let settings = self.given::<AmazonS3ConfigKey>(&AWS)?;
                let with = |builder: AmazonS3Builder, (key, value)| builder.with_config(key, value);
                Ok(Arc::new(settings.into_iter().fold(builder, with).build()?))
            }
            Cloud::Google => {
                self.any_of(&GOOGLE_CREDENTIALS)?;
                let builder = GoogleCloudStorageBuilder::new()
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_http_connector(Ready((self.client)()?));
                let settings = self.given::<GoogleConfigKey>(&GOOGLE)?;
                let with = |builder: GoogleCloudStorageBuilder, (key, value)| {
                    builder.with_config(key, value)
                };
                Ok(Arc::new(settings.into_iter().fold(builder, with).build()?))
            }
            Cloud::Azure => {
                self.any_of(&AZURE_CREDENTIALS)?;
                let builder = MicrosoftAzureBuilder::new()
                    .with_container_name(bucket)
                    .with_retry(retry)
                    .with_http_connector(Ready((self.client)()?));
                let settings = self.given::<AzureConfigKey>(&AZURE)?;
                let with =
                    |builder: MicrosoftAzureBuilder, (key, value)| builder.with_config(key, value);
                Ok(Arc::new(settings.into_iter().fold(builder, with).build()?))
            }
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        (self.setting)(name).filter(|value| !value.trim().is_empty())
    }

    fn metadata_allowed(&self) -> bool {
        self.value(AWS_METADATA).is_some_and(|value| value.eq_ignore_ascii_case("false"))
    }

    /// Without this, the search for credentials would ask a metadata address that does not answer.
    fn any_of(&self, names: &[&str]) -> Result<(), Cause> {
        if names.iter().any(|name| self.value(name).is_some()) {
            return Ok(());
        }
        Err(format!("no credentials: none of {} is set", names.join(", ")).into())
    }

    fn given<K: FromStr<Err = object_store::Error>>(
        &self,
        names: &[&str],
    ) -> Result<Vec<(K, String)>, object_store::Error> {
        let given = names.iter().filter_map(|name| Some((name, self.value(name)?)));
        given.map(|(name, value)| Ok((name.to_ascii_lowercase().parse()?, value))).collect()
    }
}

/// Hands the ready client to the store in place of one that the store would make.
#[derive(Debug)]
struct Ready(reqwest::Client);

impl HttpConnector for Ready {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_name_that_the_store_knows() {
        let access = Access { setting: &|_| Some("x".to_owned()), ..Access::LOCAL };
        assert_eq!(access.given::<AmazonS3ConfigKey>(&AWS).expect("known").len(), AWS.len());
        assert_eq!(access.given::<GoogleConfigKey>(&GOOGLE).expect("known").len(), GOOGLE.len());
        assert_eq!(access.given::<AzureConfigKey>(&AZURE).expect("known").len(), AZURE.len());
    }

    #[test]
    fn fl_084_without_credentials_nobody_is_asked() {
        for cloud in [Cloud::S3, Cloud::Google, Cloud::Azure] {
            let error = Access::LOCAL.bucket(cloud, "bucket").expect_err("refused");
            assert!(error.to_string().starts_with("no credentials: none of "), "{error}");
        }
    }
}
