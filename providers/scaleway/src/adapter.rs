//! [`ScalewayProvider`]: the trait `Provider` for one API key.

use async_trait::async_trait;
use reaper_model::{
    Assets, Bill, Fact, Instance, InstanceId, Location, Offer, Price, ProviderName, Source, Verb,
};
use reaper_provider::{
    AccountSettings, CallContext, Capabilities, Catalogue, Coverage, Delivery, Detail, ErrorKind,
    Identity, MetricsSource, OpenError, Provider, ProviderError, Sink, StopPermit, TagPermit,
};

use crate::assets::Reading;
use crate::billing::Billing;
use crate::client::{ACTION, Api, SERVER, SERVERS, UPDATE};
use crate::convert::Place;
use crate::identity::{self, Question};
use crate::listing::Listing;
use crate::metrics::Cockpit;
use crate::price;
use crate::products::ProductBook;
use crate::retag;
use crate::settings::Settings;

/// Every zone that this version knows. Scaleway has no call that lists them; further ones can be
/// named in the configuration or be the default zone of Scaleway's own tools.
const ZONES: [&str; 10] = [
    "fr-par-1", "fr-par-2", "fr-par-3", "it-mil-1", "nl-ams-1", "nl-ams-2", "nl-ams-3", "pl-waw-1",
    "pl-waw-2", "pl-waw-3",
];

/// One API key and the organisation that it belongs to.
#[derive(Debug)]
pub struct ScalewayProvider {
    api: Api,
    cockpit: Option<Cockpit>,
    settings: Settings,
    /// As configured; empty for all.
    zones: Vec<Location>,
    default_zone: Option<Location>,
    catalogue: Catalogue,
    book: ProductBook,
}

impl ScalewayProvider {
    /// Opens an account and sends nothing.
    ///
    /// # Errors
    /// When there is no secret key, a project is given by name, or an address or certificate bundle
    /// cannot be used.
    pub fn open(account: AccountSettings) -> Result<Self, OpenError> {
        let settings = Settings::read(&account)?;
        let catalogue = price::catalogue().map_err(|error| OpenError {
            account: account.name.to_string(),
            problem: error.to_string(),
        })?;
        let api = Api::open(&account, &settings)?;
        let cockpit = settings.cockpit_token.clone().map(|token| Cockpit {
            api: api.clone(),
            projects: settings.projects.clone(),
            token,
        });
        Ok(Self {
            api,
            cockpit,
            settings,
            default_zone: account.option("default_zone").map(Location::new),
            zones: account.locations,
            catalogue,
            book: ProductBook::default(),
        })
    }

    /// The zones to list, in order.
    fn locations(&self) -> Vec<Location> {
        if !self.zones.is_empty() {
            return self.zones.clone();
        }
        let mut all: Vec<Location> = ZONES.iter().map(Location::new).collect();
        all.extend(self.default_zone.clone().filter(|zone| !all.contains(zone)));
        all
    }

    /// What reads the servers of a zone, facts being those of `source`.
    fn listing<'a>(
        &'a self,
        cx: &'a CallContext,
        identity: &'a Identity,
        zone: &'a Location,
        source: &'a Source,
    ) -> Listing<'a> {
        Listing {
            api: &self.api,
            cx,
            place: Place { organisation: &identity.account, zone, source, now: cx.now },
            projects: &self.settings.projects,
            catalogue: &self.catalogue,
            book: &self.book,
            zone_is_named: self.zones.contains(zone),
        }
    }
}

#[async_trait]
impl Provider for ScalewayProvider {
    fn name(&self) -> ProviderName {
        ProviderName::new("scaleway")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tags: true, launch_times: true, deallocate: true, scope_per_location: true }
    }

    async fn identity(&self, cx: &CallContext) -> Result<Identity, ProviderError> {
        let Self { api, settings, .. } = self;
        identity::identify(&Question { api, cx, settings, zones: &self.locations() }).await
    }

    async fn coverage(&self, _cx: &CallContext) -> Result<Coverage, ProviderError> {
        let locations = self.locations();
        let uncovered =
            ZONES.iter().map(Location::new).filter(|zone| !locations.contains(zone)).collect();
        Ok(Coverage { locations, uncovered, ..Coverage::default() })
    }

    async fn list(
        &self,
        cx: &CallContext,
        identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        self.listing(cx, identity, location, &Source::new(SERVERS)).run(sink).await
    }

    /// The listing shows everything already, protection too.
    async fn details(
        &self,
        _cx: &CallContext,
        _location: &Location,
        candidates: &[&Instance],
    ) -> Vec<Detail> {
        let detail = |machine: &&Instance| Detail {
            id: machine.id.clone(),
            guards: machine.guards.clone(),
            purchase: None,
            stop: None,
        };
        candidates.iter().map(detail).collect()
    }

    async fn read(
        &self,
        cx: &CallContext,
        identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        let source = Source::new(SERVER);
        self.listing(cx, identity, &id.location, &source).one(&id.native).await
    }

    fn call(&self, verb: Verb) -> Option<&'static str> {
        match verb {
            Verb::Stop => Some(ACTION),
            Verb::Terminate => None,
        }
    }

    async fn act(&self, cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        let InstanceId { location, native, .. } = permit.id();
        match permit.verb() {
            Verb::Stop => self.api.power_off(cx, location, native).await,
            Verb::Terminate => {
                let detail = "no server is ever terminated";
                Err(ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, ACTION, detail))
            }
        }
    }

    fn tag_call(&self) -> Option<&'static str> {
        Some(UPDATE)
    }

    async fn tag(&self, cx: &CallContext, permit: TagPermit) -> Result<(), ProviderError> {
        retag::change(&self.api, cx, &permit).await
    }

    fn price(&self, instance: &Instance) -> Fact<Price> {
        let products = self.book.of(&instance.id.location);
        price::list_price(&self.catalogue, products.as_deref(), instance)
    }

    fn offers(&self, location: &Location) -> Vec<Offer> {
        let products = self.book.of(location);
        let offers = products.and_then(|list| list.offers());
        offers.unwrap_or_else(|| self.catalogue.offers(location.as_str()))
    }

    async fn bill(
        &self,
        cx: &CallContext,
        identity: &Identity,
    ) -> Result<Option<Bill>, ProviderError> {
        let billing = Billing {
            api: &self.api,
            cx,
            organisation: &identity.account,
            projects: &self.settings.projects,
            catalogue: &self.catalogue,
            book: &self.book,
        };
        billing.read().await.map(Some)
    }

    fn metrics(&self) -> Option<&dyn MetricsSource> {
        self.cockpit.as_ref().map(|cockpit| -> &dyn MetricsSource { cockpit })
    }

    async fn assets(&self, cx: &CallContext, identity: &Identity, location: &Location) -> Assets {
        let source = Source::new(SERVERS);
        let place =
            Place { organisation: &identity.account, zone: location, source: &source, now: cx.now };
        Reading { api: &self.api, cx, place, projects: &self.settings.projects }.run().await
    }
}
