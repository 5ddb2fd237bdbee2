//! One SDK configuration per account, made at the first call, one EC2 and one CloudWatch client with
//! their limiters per region, and one pair of clients for costs and prices. A custom address is taken as it is: what the environment says of AWS's own addresses
//! (regions, FIPS, dual stack) has no say there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_config::identity::IdentityCache;
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
use tokio::sync::Mutex as AsyncMutex;

use crate::credentials::{AssumedRole, base};
use crate::home::{self, Homes};
use crate::limiter::Limiter;
use crate::transport::{NeverRetryUntrusted, http_client};

/// Longest wait for a connection; what takes longer is not there.
const CONNECT: Duration = Duration::from_secs(5);
/// Longest search for credentials where no role has to be assumed.
const CREDENTIALS: Duration = Duration::from_secs(8);
/// Longest pause between two attempts.
const LONGEST_BACKOFF: Duration = Duration::from_secs(10);

/// Opens clients of one account.
pub(crate) struct Clients {
    settings: AccountSettings,
    http: SharedHttpClient,
    homes: Homes,
    /// As seen from the region that answers for the account, as far as is known.
    account: AsyncMutex<Option<Arc<Account>>>,
    regions: Mutex<BTreeMap<Location, Arc<RegionClient>>>,
    money: Mutex<Option<Arc<MoneyClient>>>,
    role_requests: RequestCounter,
}

/// What all regions of an account share.
pub(crate) struct Account {
    sdk: SdkConfig,
    /// The region that is asked about the account as a whole.
    pub(crate) home: Location,
    /// Asks who the credentials are.
    pub(crate) sts: aws_sdk_sts::Client,
}

/// One region of one account.
pub(crate) struct RegionClient {
    /// Sends the calls that read.
    pub(crate) ec2: aws_sdk_ec2::Client,
    /// Sends the calls that change something, each once: one that may have arrived must not be
    /// repeated before the machine was read again.
    pub(crate) ec2_once: aws_sdk_ec2::Client,
    /// Holds back all of them.
    pub(crate) limiter: Limiter,
    /// Holds back besides those that change something.
    pub(crate) changes: Limiter,
    /// Asks what was measured.
    pub(crate) cloudwatch: aws_sdk_cloudwatch::Client,
    /// Holds back those that ask what was measured, which CloudWatch counts apart.
    pub(crate) metrics: Limiter,
}

/// What is asked about money, which one place answers for all regions.
pub(crate) struct MoneyClient {
    /// Asks what the account has cost.
    pub(crate) costs: aws_sdk_costexplorer::Client,
    /// Asks for list prices.
    pub(crate) prices: aws_sdk_pricing::Client,
    /// Holds back both.
    pub(crate) limiter: Limiter,
}

impl Clients {
    /// Prepares the account's clients and sends nothing.
    ///
    /// # Errors
    /// In words, when the certificate bundle cannot be used.
    pub(crate) fn new(
        settings: AccountSettings,
        surrounding: Option<Location>,
    ) -> Result<Self, String> {
        let http = http_client(CONNECT.min(settings.limits.call), settings.ca_bundle.as_deref())?;
        Ok(Self {
            homes: Homes::new(&settings, surrounding),
            settings,
            http,
            account: AsyncMutex::default(),
            regions: Mutex::default(),
            money: Mutex::default(),
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

    /// The regions that may answer for the account as a whole.
    pub(crate) const fn homes(&self) -> &Homes {
        &self.homes
    }

    /// What all regions share; may read environment and profile files at the first call.
    pub(crate) async fn account(&self) -> Arc<Account> {
        let mut account = self.account.lock().await;
        if let Some(account) = account.as_ref() {
            return Arc::clone(account);
        }
        Arc::clone(account.insert(Arc::new(self.open_account(self.homes.first()).await)))
    }

    /// The account as seen from one of its [`Clients::homes`].
    pub(crate) async fn account_from(&self, home: &Location) -> Arc<Account> {
        let account = self.account().await;
        if account.home == *home { account } else { Arc::new(self.open_account(home).await) }
    }

    /// From now on this is the account: its home has answered.
    pub(crate) async fn settle(&self, account: Arc<Account>) {
        *self.account.lock().await = Some(account);
    }

    /// The client of one region.
    pub(crate) async fn region(&self, location: &Location) -> Arc<RegionClient> {
        let account = self.account().await;
        let mut regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
        let client = regions
            .entry(location.clone())
            .or_insert_with(|| Arc::new(self.open(&account, location)));
        Arc::clone(client)
    }

    /// The clients that ask about money.
    pub(crate) async fn money(&self) -> Arc<MoneyClient> {
        let account = self.account().await;
        let mut money = self.money.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(money.get_or_insert_with(|| Arc::new(self.open_money(&account))))
    }

    fn open_money(&self, account: &Account) -> MoneyClient {
        let bucket = |service: &str| {
            let name = format!("reaper-{}-{service}", self.settings.name);
            RetryPartition::custom(name).build()
        };
        // The SDK finds the one address of a partition for costs by itself, from any region; prices
        // are served in few regions only.
        let costs = aws_sdk_costexplorer::config::Builder::from(&account.sdk)
            .retry_partition(bucket("costs"))
            .retry_classifier(NeverRetryUntrusted)
            .build();
        let prices = aws_sdk_pricing::config::Builder::from(&account.sdk)
            .region(Region::new(home::of_prices(&account.home)))
            .retry_partition(bucket("prices"))
            .retry_classifier(NeverRetryUntrusted)
            .build();
        MoneyClient {
            costs: aws_sdk_costexplorer::Client::from_conf(costs),
            prices: aws_sdk_pricing::Client::from_conf(prices),
            limiter: Limiter::new(&self.settings.limits),
        }
    }

    fn open(&self, account: &Account, location: &Location) -> RegionClient {
        // A bucket of retries of its own: one throttled region must not use up those of others.
        let bucket = format!("reaper-{}-{location}", self.settings.name);
        let config = aws_sdk_ec2::config::Builder::from(&account.sdk)
            .region(Region::new(location.as_str().to_owned()))
            .retry_partition(RetryPartition::custom(bucket).build())
            .retry_classifier(NeverRetryUntrusted)
            .build();
        let limits = &self.settings.limits;
        let once = config
            .to_builder()
            .retry_config(RetryConfig::disabled())
            .timeout_config(self.timeouts(limits.call))
            .build();
        let bucket = format!("reaper-{}-{location}-metrics", self.settings.name);
        let cloudwatch = aws_sdk_cloudwatch::config::Builder::from(&account.sdk)
            .region(Region::new(location.as_str().to_owned()))
            .retry_partition(RetryPartition::custom(bucket).build())
            .retry_classifier(NeverRetryUntrusted)
            .build();
        RegionClient {
            ec2: aws_sdk_ec2::Client::from_conf(config),
            ec2_once: aws_sdk_ec2::Client::from_conf(once),
            limiter: Limiter::new(limits),
            changes: Limiter::of_changes(limits),
            cloudwatch: aws_sdk_cloudwatch::Client::from_conf(cloudwatch),
            metrics: Limiter::new(limits),
        }
    }

    async fn open_account(&self, home: &Location) -> Account {
        let region = Region::new(home.as_str().to_owned());
        let provider_config = ProviderConfig::without_region()
            .with_region(Some(region.clone()))
            .with_http_client(self.http.clone());
        let credentials = base(&self.settings, &provider_config);
        let sdk = match &self.settings.endpoint_url {
            Some(url) => SdkConfig::builder().behavior_version(behavior()).endpoint_url(url),
            None => self.surroundings(&region, &credentials).await.into_builder(),
        };
        let mut sdk = sdk
            .region(region)
            .http_client(self.http.clone())
            .timeout_config(self.timeouts(self.whole_call()))
            .retry_config(
                RetryConfig::standard()
                    .with_max_attempts(self.settings.limits.attempts.max(1))
                    .with_max_backoff(LONGEST_BACKOFF),
            )
            // The time limit of an attempt covers a stalled answer too.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .identity_cache(IdentityCache::lazy().load_timeout(CREDENTIALS).build())
            .credentials_provider(credentials)
            .build();
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
        Account { sts: self.sts(&sdk), sdk, home: home.clone() }
    }

    /// What environment and profile files say of AWS's addresses.
    async fn surroundings(
        &self,
        region: &Region,
        credentials: &SharedCredentialsProvider,
    ) -> SdkConfig {
        let mut loader = aws_config::defaults(behavior())
            .region(region.clone())
            .http_client(self.http.clone())
            .credentials_provider(credentials.clone());
        if let Some(profile) = self.settings.option("profile") {
            loader = loader.profile_name(profile);
        }
        loader.load().await
    }

    fn sts(&self, sdk: &SdkConfig) -> aws_sdk_sts::Client {
        let bucket = format!("reaper-{}-sts", self.settings.name);
        let config = aws_sdk_sts::config::Builder::from(sdk)
            .retry_partition(RetryPartition::custom(bucket).build())
            .retry_classifier(NeverRetryUntrusted)
            .build();
        aws_sdk_sts::Client::from_conf(config)
    }

    fn timeouts(&self, whole_call: Duration) -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(CONNECT.min(self.settings.limits.call))
            .operation_attempt_timeout(self.settings.limits.call)
            .operation_timeout(whole_call)
            .build()
    }

    /// All attempts of one call with the pauses between them.
    fn whole_call(&self) -> Duration {
        let limits = &self.settings.limits;
        (limits.call + LONGEST_BACKOFF) * limits.attempts.max(1)
    }
}

/// The SDK's defaults of this date; later ones would change under us.
fn behavior() -> BehaviorVersion {
    BehaviorVersion::v2026_01_12()
}
