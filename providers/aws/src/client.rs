//! One SDK configuration per account, made at the first call, and one EC2 client with its limiter
//! per region.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_config::environment::EnvironmentVariableRegionProvider;
use aws_config::identity::IdentityCache;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::ProfileFileRegionProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_ec2::config::retry::RetryPartition;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use reaper_model::Location;
use reaper_provider::{AccountSettings, RequestCounter};
use tokio::sync::OnceCell;

use crate::credentials::{AssumedRole, base};
use crate::limiter::Limiter;
use crate::transport::{NeverRetryUntrusted, http_client};

/// Longest wait for a connection; what takes longer is not there.
const CONNECT: Duration = Duration::from_secs(5);
/// Longest search for credentials where no role has to be assumed.
const CREDENTIALS: Duration = Duration::from_secs(8);
/// Longest pause between two attempts.
const LONGEST_BACKOFF: Duration = Duration::from_secs(10);
/// Where identity and regions are asked when nothing names a region.
const FALLBACK_REGION: &str = "us-east-1";

/// Opens clients of one account.
pub(crate) struct Clients {
    settings: AccountSettings,
    http: SharedHttpClient,
    account: OnceCell<Account>,
    regions: Mutex<BTreeMap<Location, Arc<RegionClient>>>,
    role_requests: RequestCounter,
}

/// What all regions of an account share.
pub(crate) struct Account {
    sdk: SdkConfig,
    /// The region that answers for the account as a whole.
    pub(crate) home: Location,
    /// Asks who the credentials are.
    pub(crate) sts: aws_sdk_sts::Client,
}

/// One region of one account.
pub(crate) struct RegionClient {
    /// Sends the calls.
    pub(crate) ec2: aws_sdk_ec2::Client,
    /// Holds them back.
    pub(crate) limiter: Limiter,
}

impl Clients {
    /// Prepares the account's clients and sends nothing.
    ///
    /// # Errors
    /// In words, when the certificate bundle cannot be used.
    pub(crate) fn new(settings: AccountSettings) -> Result<Self, String> {
        let http = http_client(CONNECT.min(settings.limits.call), settings.ca_bundle.as_deref())?;
        Ok(Self {
            settings,
            http,
            account: OnceCell::new(),
            regions: Mutex::default(),
            role_requests: RequestCounter::default(),
        })
    }

    /// What the configuration says of the account.
    pub(crate) fn settings(&self) -> &AccountSettings {
        &self.settings
    }

    /// Counts the requests that fetched a role's credentials.
    pub(crate) fn role_requests(&self) -> &RequestCounter {
        &self.role_requests
    }

    /// What all regions share; reads environment and profile files at the first call.
    pub(crate) async fn account(&self) -> &Account {
        self.account.get_or_init(|| self.open_account()).await
    }

    /// The client of one region.
    pub(crate) async fn region(&self, location: &Location) -> Arc<RegionClient> {
        let account = self.account().await;
        let mut regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
        let client = regions
            .entry(location.clone())
            .or_insert_with(|| Arc::new(self.open(account, location)));
        Arc::clone(client)
    }

    fn open(&self, account: &Account, location: &Location) -> RegionClient {
        // A bucket of retries of its own: one throttled region must not use up those of others.
        let bucket = format!("reaper-{}-{location}", self.settings.name);
        let config = aws_sdk_ec2::config::Builder::from(&account.sdk)
            .region(Region::new(location.as_str().to_owned()))
            .retry_partition(RetryPartition::custom(bucket).build())
            .retry_classifier(NeverRetryUntrusted)
            .build();
        RegionClient {
            ec2: aws_sdk_ec2::Client::from_conf(config),
            limiter: Limiter::new(&self.settings.limits),
        }
    }

    async fn open_account(&self) -> Account {
        let home = self.home().await;
        let region = Region::new(home.as_str().to_owned());
        let provider_config = ProviderConfig::without_region()
            .with_region(Some(region.clone()))
            .with_http_client(self.http.clone());
        let mut loader = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .region(region)
            .http_client(self.http.clone())
            .timeout_config(self.timeouts())
            .retry_config(
                RetryConfig::standard()
                    .with_max_attempts(self.settings.limits.attempts.max(1))
                    .with_max_backoff(LONGEST_BACKOFF),
            )
            // The time limit of an attempt covers a stalled answer too.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .identity_cache(IdentityCache::lazy().load_timeout(CREDENTIALS).build())
            .credentials_provider(base(&self.settings, &provider_config));
        if let Some(profile) = self.settings.option("profile") {
            loader = loader.profile_name(profile);
        }
        if let Some(url) = &self.settings.endpoint_url {
            loader = loader.endpoint_url(url);
        }
        let mut sdk = loader.load().await;
        if let Some(role) = self.settings.option("assume_role") {
            let role = AssumedRole {
                sts: self.sts(&sdk),
                role: role.to_owned(),
                external_id: self.settings.option("external_id").map(str::to_owned),
                requests: self.role_requests.clone(),
            };
            sdk = sdk
                .into_builder()
                .credentials_provider(SharedCredentialsProvider::new(role))
                .identity_cache(IdentityCache::lazy().load_timeout(self.whole_call()).build())
                .build();
        }
        Account { sts: self.sts(&sdk), sdk, home }
    }

    fn sts(&self, sdk: &SdkConfig) -> aws_sdk_sts::Client {
        let bucket = format!("reaper-{}-sts", self.settings.name);
        let config = aws_sdk_sts::config::Builder::from(sdk)
            .retry_partition(RetryPartition::custom(bucket).build())
            .retry_classifier(NeverRetryUntrusted)
            .build();
        aws_sdk_sts::Client::from_conf(config)
    }

    /// The region named by environment or profile, else the first configured one: it surely lies in
    /// the account's partition.
    async fn home(&self) -> Location {
        let mut profile = ProfileFileRegionProvider::builder();
        if let Some(name) = self.settings.option("profile") {
            profile = profile.profile_name(name);
        }
        let named = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
            .or_else(profile.build())
            .region()
            .await
            .map(|region| Location::new(region.as_ref()));
        named
            .or_else(|| self.settings.locations.first().cloned())
            .unwrap_or_else(|| Location::new(FALLBACK_REGION))
    }

    fn timeouts(&self) -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(CONNECT.min(self.settings.limits.call))
            .operation_attempt_timeout(self.settings.limits.call)
            .operation_timeout(self.whole_call())
            .build()
    }

    /// All attempts of one call with the pauses between them.
    fn whole_call(&self) -> Duration {
        let limits = &self.settings.limits;
        (limits.call + LONGEST_BACKOFF) * limits.attempts.max(1)
    }
}
