//! [`AwsProvider`]: the trait `Provider` for one AWS account.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::FutureExt;
use reaper_model::{
    Assets, Bill, Fact, Instance, InstanceId, Location, Offer, Price, ProviderAccount,
    ProviderName, Source, State, Verb,
};
use reaper_provider::{
    AccountSettings, CallContext, Capabilities, Catalogue, Coverage, Delivery, Detail, ErrorKind,
    Identity, MetricsSource, OpenError, Provider, ProviderError, Sink, SkippedLocation, StopPermit,
    Surroundings, TagPermit,
};

use crate::act;
use crate::assets::Survey;
use crate::billing;
use crate::client::{Clients, RegionClient};
use crate::convert::Place;
use crate::details;
use crate::error::from_sdk;
use crate::home;
use crate::listing::Listing;
use crate::metrics::CloudWatch;
use crate::price::{self, Answers};
use crate::settings;
use crate::storage::Storage;
use crate::trace::Trace;
use crate::types::{Nature, TypeBook};
use crate::wire::{INSTANCES, TYPES, Wire};

/// EC2's word for a region that an account has to enable first and has not.
const NOT_OPTED_IN: &str = "not-opted-in";

/// One AWS account.
pub struct AwsProvider {
    clients: Arc<Clients>,
    cloudwatch: CloudWatch,
    catalogue: Catalogue,
    book: TypeBook,
    prices: Answers,
    storage: Storage,
    /// Whether the account may use a region, as far as EC2 was asked.
    enabled: Mutex<BTreeMap<Location, bool>>,
}

impl fmt::Debug for AwsProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwsProvider")
            .field("account", &self.clients.settings().name)
            .finish_non_exhaustive()
    }
}

impl AwsProvider {
    /// Opens an account and sends nothing. Of the surroundings it takes the region, be it that
    /// of a profile; credentials and whatever else is named there, the AWS SDK looks up by itself.
    ///
    /// # Errors
    /// When a setting cannot be, settings contradict each other, or the certificate bundle cannot
    /// be used.
    pub fn open(
        settings: AccountSettings,
        surroundings: Surroundings<'_>,
    ) -> Result<Self, OpenError> {
        let account = settings.name.to_string();
        let refused = |problem: String| OpenError { account: account.clone(), problem };
        settings::check(&settings).map_err(refused)?;
        let catalogue = price::catalogue().map_err(|error| refused(error.to_string()))?;
        let region = home::of_surroundings(&settings, &surroundings);
        let clients = Arc::new(Clients::new(settings, region).map_err(refused)?);
        Ok(Self {
            cloudwatch: CloudWatch::new(Arc::clone(&clients)),
            clients,
            catalogue,
            book: TypeBook::new(),
            prices: Answers::default(),
            storage: Storage::new(),
            enabled: Mutex::default(),
        })
    }

    fn wire<'a>(&self, region: &'a RegionClient, cx: &'a CallContext) -> Wire<'a> {
        Wire { region, cx, page_size: self.clients.settings().limits.page_size }
    }

    fn listing<'a>(&'a self, wire: Wire<'a>, place: Place<'a>) -> Listing<'a> {
        Listing {
            wire,
            place,
            book: &self.book,
            catalogue: &self.catalogue,
            prices: &self.prices,
            live: None,
            may_filter: self.on("server_side_filter"),
            seen: BTreeSet::new(),
            accelerated: 0,
            nameless: 0,
            spot: Vec::new(),
            guesses: BTreeMap::new(),
        }
    }

    /// Whether a setting that is on by default is on.
    fn on(&self, key: &str) -> bool {
        self.clients.settings().option(key) != Some("false")
    }

    /// Whether a setting that is off by default is on.
    fn consented(&self, key: &str) -> bool {
        self.clients.settings().option(key) == Some("true")
    }

    /// Asks EC2 about machine types on a bill that nobody knows yet, in a region each where they
    /// were billed. What it does not describe stays unknown.
    async fn describe_billed(
        &self,
        cx: &CallContext,
        kinds: BTreeMap<String, BTreeSet<Option<Location>>>,
    ) {
        let home = &self.clients.account().await.home;
        let mut unknown: BTreeMap<Location, Vec<String>> = BTreeMap::new();
        for (kind, regions) in kinds {
            if self.book.nature(&self.catalogue, &kind).is_none() {
                let region = regions.into_iter().flatten().next().unwrap_or_else(|| home.clone());
                unknown.entry(region).or_default().push(kind);
            }
        }
        for (location, kinds) in unknown {
            let region = self.clients.region(&location).await;
            let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
            match self.wire(&region, cx).types(&kinds).await {
                Ok(infos) => self.book.learn(&Source::new(TYPES), cx.now, &infos),
                Err(error) => tracing::debug!(%location, %error, "types on the bill not described"),
            }
        }
    }

    /// Asks who the credentials are. The region that answers speaks for the account from then on.
    async fn identity_from(
        &self,
        cx: &CallContext,
        home: &Location,
    ) -> Result<Identity, ProviderError> {
        const CALL: &str = "sts:GetCallerIdentity";
        let account = self.clients.account_from(home).await;
        let trace = Trace::new(&cx.requests);
        let before = self.clients.role_requests().sent();
        let answer =
            account.sts.get_caller_identity().customize().interceptor(trace.clone()).send().await;
        for _ in before..self.clients.role_requests().sent() {
            cx.requests.count();
        }
        let answer = answer.map_err(|error| from_sdk(&error, CALL, &trace))?;
        let Some(number) = answer.account().filter(|number| !number.is_empty()) else {
            let words = "the answer names no account";
            return Err(ProviderError::new(ErrorKind::Protocol, Delivery::Answered, CALL, words));
        };
        self.clients.settle(account).await;
        Ok(Identity {
            account: ProviderAccount::new(number),
            login: answer.arn().unwrap_or(number).to_owned(),
        })
    }

    /// Asks which regions the account may use.
    async fn ask_regions(
        &self,
        cx: &CallContext,
    ) -> Result<BTreeMap<Location, bool>, ProviderError> {
        let account = self.clients.account().await;
        let homes = self.clients.homes();
        let regions = homes.ask(&account.home, |home| self.regions_from(cx, home).boxed()).await?;
        self.enabled.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&regions);
        Ok(regions)
    }

    async fn regions_from(
        &self,
        cx: &CallContext,
        home: &Location,
    ) -> Result<BTreeMap<Location, bool>, ProviderError> {
        let region = self.clients.region(home).await;
        let regions = self.wire(&region, cx).regions().await?;
        Ok(regions
            .iter()
            .filter_map(|region| {
                let enabled = region.opt_in_status() != Some(NOT_OPTED_IN);
                Some((Location::new(region.region_name()?), enabled))
            })
            .collect())
    }

    /// EC2 refuses wrong keys, wrong clocks and regions that are not enabled with one and the same
    /// code: the list of regions tells which it was.
    async fn explain_refusal(
        &self,
        cx: &CallContext,
        location: &Location,
        error: ProviderError,
    ) -> ProviderError {
        if !matches!(error.kind, ErrorKind::CredentialsRejected | ErrorKind::ClockSkew) {
            return error;
        }
        let known = self.enabled.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let regions = if known.is_empty() { self.ask_regions(cx).await } else { Ok(known) };
        match regions {
            Ok(regions) if regions.get(location) == Some(&false) => {
                ProviderError { kind: ErrorKind::NotEnabled, ..error }
            }
            _ => error,
        }
    }
}

#[async_trait]
impl Provider for AwsProvider {
    fn name(&self) -> ProviderName {
        ProviderName::new("aws")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tags: true, launch_times: true, deallocate: true, scope_per_location: true }
    }

    async fn identity(&self, cx: &CallContext) -> Result<Identity, ProviderError> {
        let account = self.clients.account().await;
        let homes = self.clients.homes();
        homes.ask(&account.home, |home| self.identity_from(cx, home).boxed()).await
    }

    async fn coverage(&self, cx: &CallContext) -> Result<Coverage, ProviderError> {
        let configured: BTreeSet<Location> =
            self.clients.settings().locations.iter().cloned().collect();
        if !configured.is_empty() && !self.on("name_uncovered_regions") {
            return Ok(Coverage {
                locations: configured.into_iter().collect(),
                ..Coverage::default()
            });
        }
        match self.ask_regions(cx).await {
            Err(error) if !configured.is_empty() && !error.kind.is_account_wide() => {
                let note = format!("the regions that are not scanned cannot be named: {error}");
                Ok(Coverage { notes: vec![note], ..cover(&configured, BTreeMap::new()) })
            }
            answer => Ok(cover(&configured, answer?)),
        }
    }

    async fn list(
        &self,
        cx: &CallContext,
        identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        let region = self.clients.region(location).await;
        let source = Source::new(INSTANCES);
        let place = Place { account: &identity.account, location, source: &source, now: cx.now };
        let mut listing = self.listing(self.wire(&region, cx), place);
        if self.consented("live_prices") {
            listing.live = Some(self.clients.money().await);
        }
        match listing.run(sink).await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.explain_refusal(cx, location, error).await),
        }
    }

    async fn details(
        &self,
        cx: &CallContext,
        location: &Location,
        candidates: &[&Instance],
    ) -> Vec<Detail> {
        let region = self.clients.region(location).await;
        details::details(&self.wire(&region, cx), candidates).await
    }

    async fn read(
        &self,
        cx: &CallContext,
        identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        let (location, source) = (&id.location, Source::new(INSTANCES));
        let region = self.clients.region(location).await;
        let place = Place { account: &identity.account, location, source: &source, now: cx.now };
        let listing = self.listing(self.wire(&region, cx), place);
        let mut machine = match listing.one(&id.native).await {
            Ok(machine) => machine,
            Err(error) => return Err(self.explain_refusal(cx, location, error).await),
        };
        // Of a ghost there is nothing further to be read.
        if machine.state != State::Ended {
            let found = details::details(&self.wire(&region, cx), &[&machine]).await;
            for detail in found {
                detail.merge_into(&mut machine);
            }
        }
        Ok(machine)
    }

    fn call(&self, verb: Verb) -> Option<&'static str> {
        Some(act::call(verb))
    }

    async fn act(&self, cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        let id = permit.id();
        let region = self.clients.region(&id.location).await;
        self.wire(&region, cx).end(permit.verb(), &id.native).await
    }

    fn tag_call(&self) -> Option<&'static str> {
        Some(act::TAG)
    }

    async fn tag(&self, cx: &CallContext, permit: TagPermit) -> Result<(), ProviderError> {
        let id = permit.id();
        let region = self.clients.region(&id.location).await;
        self.wire(&region, cx).tag(&id.native, permit.key(), permit.value()).await
    }

    fn price(&self, instance: &Instance) -> Fact<Price> {
        price::list_price(&self.catalogue, &self.prices, instance)
    }

    fn offers(&self, location: &Location) -> Vec<Offer> {
        price::offers(&self.catalogue, &self.prices, &self.book, location)
    }

    fn metrics(&self) -> Option<&dyn MetricsSource> {
        Some(&self.cloudwatch)
    }

    async fn assets(&self, cx: &CallContext, identity: &Identity, location: &Location) -> Assets {
        let region = self.clients.region(location).await;
        let wire = self.wire(&region, cx);
        let asks = self.consented("live_prices");
        let money = if asks { Some(self.clients.money().await) } else { None };
        let (account, storage) = (&identity.account, &self.storage);
        Survey { wire, account, location, storage, money }.run().await
    }

    async fn bill(
        &self,
        cx: &CallContext,
        identity: &Identity,
    ) -> Result<Option<Bill>, ProviderError> {
        if !self.consented("cost_explorer") {
            return Ok(None);
        }
        let money = self.clients.money().await;
        let costs = billing::ask(&money, cx, &identity.account).await?;
        self.describe_billed(cx, costs.kinds()).await;
        let accelerated =
            |kind: &str| self.book.nature(&self.catalogue, kind) != Some(Nature::Plain);
        Ok(Some(costs.bill(&identity.account, accelerated)))
    }
}

/// Which of the regions to list: those configured, else all that are enabled. A configured region
/// of which EC2 does not speak is listed: it may be newer than the answer.
fn cover(configured: &BTreeSet<Location>, regions: BTreeMap<Location, bool>) -> Coverage {
    let all = configured.is_empty();
    let mut coverage = Coverage::default();
    for location in configured {
        if regions.get(location) != Some(&false) {
            coverage.locations.push(location.clone());
        }
    }
    for (location, enabled) in regions {
        let asked_for = all || configured.contains(&location);
        match (enabled, asked_for) {
            (true, _) if all => coverage.locations.push(location),
            (true, false) => coverage.uncovered.push(location),
            (false, true) => {
                let why = "not opted in".to_owned();
                coverage.skipped.push(SkippedLocation { location, why });
            }
            (true, true) | (false, false) => {}
        }
    }
    coverage
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    fn covered(configured: &[&str]) -> Coverage {
        let regions =
            [("eu-west-1", true), ("me-south-1", false), ("sa-east-1", true), ("us-east-1", true)];
        cover(
            &configured.iter().map(Location::new).collect(),
            regions.into_iter().map(|(name, enabled)| (Location::new(name), enabled)).collect(),
        )
    }

    fn names(locations: &[Location]) -> Vec<&str> {
        locations.iter().map(Location::as_str).collect()
    }

    #[test]
    fn fl_017_all_enabled_regions_are_covered_and_the_others_said() {
        let coverage = covered(&[]);
        assert_eq!(names(&coverage.locations), ["eu-west-1", "sa-east-1", "us-east-1"]);
        assert_eq!(coverage.skipped.len(), 1);
        assert!(coverage.uncovered.is_empty());
    }

    #[test]
    fn fl_017_a_fixed_list_names_what_it_leaves_out() {
        let coverage = covered(&["eu-west-1"]);
        assert_eq!(names(&coverage.locations), ["eu-west-1"]);
        assert_eq!(names(&coverage.uncovered), ["sa-east-1", "us-east-1"]);
        assert!(coverage.skipped.is_empty());
    }

    #[test]
    fn fl_016_a_region_that_nobody_knows_is_covered_when_configured() {
        assert_eq!(names(&covered(&["xx-new-1"]).locations), ["xx-new-1"]);
    }

    #[test]
    fn fl_059_a_configured_region_that_is_not_opted_in_is_skipped_and_said() {
        let coverage = covered(&["eu-west-1", "me-south-1"]);
        assert_eq!(names(&coverage.locations), ["eu-west-1"]);
        assert_eq!(coverage.skipped[0].location.as_str(), "me-south-1");
    }

    #[test]
    fn debug_output_holds_no_secret() {
        let mut settings = AccountSettings::named("research");
        for key in ["access_key_id", "secret_access_key"] {
            settings.credentials.insert(key.to_owned(), SecretString::from("hunter2"));
        }
        let provider = AwsProvider::open(settings, Surroundings::NONE).expect("opens");
        assert!(!format!("{provider:?}").contains("hunter2"));
    }
}
