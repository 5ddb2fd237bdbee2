//! The trait that every adapter implements, one object per configured account.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_model::document::Warning;
use reaper_model::{
    Assets, Bill, Fact, Guard, Instance, InstanceId, Location, Offer, Price, ProviderAccount,
    ProviderName, Purchase, StopOffer, Verb,
};

use crate::error::{Delivery, ErrorKind, ProviderError};
use crate::metrics::MetricsSource;
use crate::permit::{StopPermit, TagPermit};

/// Who the credentials are, as the provider itself says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The account that `expect_account` is compared with.
    pub account: ProviderAccount,
    /// The login in words for people: a role ARN, a key name. No secret.
    pub login: String,
}

/// A location that is left out on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLocation {
    /// Region or zone.
    pub location: Location,
    /// Why, in plain words.
    pub why: String,
}

/// Which locations a run covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// To be listed.
    pub locations: Vec<Location>,
    /// Not to be listed, and why (not opted in).
    pub skipped: Vec<SkippedLocation>,
    /// Open to this account, but left out by a fixed list in the configuration.
    pub uncovered: Vec<Location>,
    /// What a reader should know of the coverage besides, such as that [`Coverage::uncovered`]
    /// could not be read.
    pub notes: Vec<String>,
}

/// What a provider is able to do, so that rules, documents and tests can be honest about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes/no properties of a cloud")]
pub struct Capabilities {
    /// Machines carry tags that a listing shows.
    pub tags: bool,
    /// A listing shows when a machine was launched.
    pub launch_times: bool,
    /// A machine can be stopped so that the bill ends and it can come back.
    pub deallocate: bool,
    /// Locations are listed one by one (else one call covers all).
    pub scope_per_location: bool,
}

/// Counts requests, retries included. Shared between a scope and its calls.
#[derive(Debug, Clone, Default)]
pub struct RequestCounter(Arc<AtomicU32>);

impl RequestCounter {
    /// One more request was sent.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were sent.
    pub fn sent(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one piece of work brings along: the run's clock and the counter of its requests. The time
/// limit of a scope is kept by the engine, which keeps what the [`Sink`] got until then.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The clock of the run (UTC); adapters read no other.
    pub now: DateTime<Utc>,
    /// Counts this piece of work's requests.
    pub requests: RequestCounter,
}

/// Takes machines page by page, so that what was read survives whatever ends the listing.
pub struct Sink<'a> {
    got: Vec<Instance>,
    warnings: Vec<Warning>,
    progress: &'a (dyn Fn(usize) + Send + Sync),
}

impl<'a> Sink<'a> {
    /// A sink that tells `progress` how many machines each page brought.
    pub fn new(progress: &'a (dyn Fn(usize) + Send + Sync)) -> Self {
        Self { got: Vec::new(), warnings: Vec::new(), progress }
    }

    /// Takes one page, whose machines have been read in full.
    pub fn page(&mut self, instances: impl IntoIterator<Item = Instance>) {
        let before = self.got.len();
        self.got.extend(instances);
        (self.progress)(self.got.len() - before);
    }

    /// All machines taken so far, to complete or correct them at the end of a listing.
    pub fn machines(&mut self) -> &mut Vec<Instance> {
        &mut self.got
    }

    /// Takes something that a reader of the report should know and that belongs to no machine's
    /// facts: two prices that differ, an answer that came only at the second try.
    pub fn warn(&mut self, code: &str, text: impl Into<String>, subject: Option<String>) {
        self.warnings.push(Warning { code: code.to_owned(), text: text.into(), subject });
    }

    /// What [`Sink::warn`] was told.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// What was taken.
    pub fn into_inner(self) -> Vec<Instance> {
        self.got
    }
}

impl fmt::Debug for Sink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").field("got", &self.got.len()).finish_non_exhaustive()
    }
}

/// Facts of one machine that cost a call of their own and are read for candidates only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The machine.
    pub id: InstanceId,
    /// The provider's own protection.
    pub guards: Fact<Vec<Guard>>,
    /// How it is paid for, where a listing alone cannot say (kind of spot request).
    pub purchase: Option<Purchase>,
    /// What a stop would mean, where the detail changes that.
    pub stop: Option<StopOffer>,
}

impl Detail {
    /// Puts what was learnt into the machine that it was asked about.
    pub fn merge_into(self, instance: &mut Instance) {
        instance.guards = self.guards;
        if let Some(purchase) = self.purchase {
            instance.purchase = purchase;
        }
        if let Some(stop) = self.stop {
            instance.stop = stop;
        }
    }
}

/// One account at one cloud. Every method only reads, but for those that take a permit.
#[async_trait]
pub trait Provider: Send + Sync + fmt::Debug {
    /// The cloud's name as in the configuration.
    fn name(&self) -> ProviderName;

    /// What this cloud is able to do.
    fn capabilities(&self) -> Capabilities;

    /// Who the credentials are. The first call of every run.
    async fn identity(&self, cx: &CallContext) -> Result<Identity, ProviderError>;

    /// Which locations to list: those configured, else all that are enabled.
    async fn coverage(&self, cx: &CallContext) -> Result<Coverage, ProviderError>;

    /// Lists all accelerated machines of one location into `sink`, page by page, to the end.
    /// `Ok` means: nothing is missing. A field that cannot be read spoils its machine only.
    async fn list(
        &self,
        cx: &CallContext,
        identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError>;

    /// Reads details that cost calls per machine, for the given candidates of one location. What
    /// cannot be read comes back as an unknown fact, never as an error for the others.
    async fn details(
        &self,
        cx: &CallContext,
        location: &Location,
        candidates: &[&Instance],
    ) -> Vec<Detail>;

    /// Reads one machine again, alone and in full: everything that [`Provider::list`] and
    /// [`Provider::details`] say of it together, so that it can be judged anew. Never answered
    /// from anything remembered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] where the provider says that there is no such machine (any more).
    async fn read(
        &self,
        cx: &CallContext,
        identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError>;

    /// The one call that [`Provider::act`] would make, as the provider's permissions spell it
    /// (`ec2:StopInstances`); `None` where no such call is ever made.
    fn call(&self, verb: Verb) -> Option<&'static str>;

    /// Ends the machine's bill by [`Provider::call`] and no other. One request, never repeated
    /// here: who wants to repeat it reads the machine first and needs a new permit. `Ok` means that
    /// the provider took the request, not that the bill has ended.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] with the permission, [`ErrorKind::Protected`], [`ErrorKind::Conflict`]
    /// for a state that does not allow it, [`ErrorKind::NotFound`], and failures of the wire with
    /// their [`Delivery`].
    async fn act(&self, cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError>;

    /// The call by which a tag is set, as the provider's permissions spell it; `None` where
    /// machines take no tags, so that `reaper keep` lives in the state alone.
    fn tag_call(&self) -> Option<&'static str> {
        None
    }

    /// Sets or removes one tag. All other tags stay as they are. Where machines take no tags
    /// ([`Provider::tag_call`] is `None`), nothing is sent.
    async fn tag(&self, _cx: &CallContext, permit: TagPermit) -> Result<(), ProviderError> {
        let detail = format!("{} takes no tags", permit.id());
        Err(ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, "tag", detail))
    }

    /// The list price of a machine, from the provider's answers or the embedded catalogue.
    fn price(&self, instance: &Instance) -> Fact<Price>;

    /// The accelerated types that can be had in a location, each with its price, as far as the
    /// embedded catalogue and the provider's answers say; for advice. A type that is sold by the hour
    /// and by the month is two offers; one without a price, or that is no longer sold, is none.
    fn offers(&self, _location: &Location) -> Vec<Offer> {
        Vec::new()
    }

    /// What the provider has billed for the whole account, all locations together, in its own
    /// calendar month (UTC) that holds the clock of the run. Asked at most once a run, because it
    /// may cost money. `Ok(None)` where the provider has no such answer, or where it was not
    /// consented to.
    ///
    /// # Errors
    ///
    /// As for the other reading calls; nothing is concluded then.
    async fn bill(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
    ) -> Result<Option<Bill>, ProviderError> {
        Ok(None)
    }

    /// The cloud's own monitoring; `None` where it has none, or none that this account may read.
    fn metrics(&self) -> Option<&dyn MetricsSource> {
        None
    }

    /// What costs money beside machines in one of [`Provider::coverage`]'s locations: all volumes,
    /// addresses, snapshots, images, file systems that this account owns, used or not. Where one
    /// call covers all locations, each thing says its own. A kind that could not be read is said in
    /// [`Assets::unread`] and spoils no other.
    async fn assets(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
        _location: &Location,
    ) -> Assets {
        Assets::default()
    }
}
