//! [`ScalewayProvider`]: the trait `Provider` for one API key.

use async_trait::async_trait;
use reaper_model::{Fact, Instance, Location, Price, ProviderName, Source};
use reaper_provider::{
    AccountSettings, CallContext, Capabilities, Catalogue, Coverage, Detail, Identity, OpenError,
    Provider, ProviderError, Sink,
};

use crate::client::{Api, SERVERS};
use crate::convert::Place;
use crate::identity::{self, Question};
use crate::listing::Listing;
use crate::price;
use crate::products::ProductBook;
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
        Ok(Self {
            api: Api::open(&account, &settings)?,
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
        let source = Source::new(SERVERS);
        let place =
            Place { organisation: &identity.account, zone: location, source: &source, now: cx.now };
        let listing = Listing {
            api: &self.api,
            cx,
            place,
            projects: &self.settings.projects,
            catalogue: &self.catalogue,
            book: &self.book,
            zone_is_named: self.zones.contains(location),
        };
        listing.run(sink).await
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

    fn price(&self, instance: &Instance) -> Fact<Price> {
        let products = self.book.of(&instance.id.location);
        price::list_price(&self.catalogue, products.as_deref(), instance)
    }
}
