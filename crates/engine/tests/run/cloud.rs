//! A cloud that does as the test says.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{
    Fact, Gpu, Ignorance, Instance, InstanceId, Location, Meter, Price, ProviderName, Purchase,
    Source, State, StopKind, StopOffer, Verb,
};
use reaper_provider::{
    CallContext, Capabilities, Coverage, Detail, ErrorKind, Identity, Provider, ProviderError,
    Sink, StopPermit,
};

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-30T09:00:00Z").expect("a time").to_utc()
}

/// What it does when asked for details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Details {
    Told,
    Forgotten,
    Never,
}

/// One account of it.
#[derive(Debug)]
pub(crate) struct Cloud {
    account: String,
    regions: Vec<String>,
    machines: usize,
    hangs: bool,
    refusals: Vec<(String, ErrorKind)>,
    details: Details,
}

impl Cloud {
    pub(crate) fn new<'a>(account: &str, regions: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            account: account.to_owned(),
            regions: regions.into_iter().map(str::to_owned).collect(),
            machines: 0,
            hangs: false,
            refusals: Vec::new(),
            details: Details::Told,
        }
    }

    /// Each region has so many machines without owner.
    pub(crate) fn machines(self, machines: usize) -> Self {
        Self { machines, ..self }
    }

    /// After the first page nothing comes any more.
    pub(crate) fn hangs_after_listing(self) -> Self {
        Self { hangs: true, ..self }
    }

    /// Listings of one region are refused.
    pub(crate) fn refuses_in(mut self, region: &str, kind: ErrorKind) -> Self {
        self.refusals.push((region.to_owned(), kind));
        self
    }

    pub(crate) fn hangs_at_details(self) -> Self {
        Self { details: Details::Never, ..self }
    }

    pub(crate) fn forgets_details(self) -> Self {
        Self { details: Details::Forgotten, ..self }
    }

    fn machine(&self, number: usize, location: &Location) -> Instance {
        let source = Source::new("test");
        Instance {
            id: InstanceId {
                provider: self.name(),
                account: self.account.as_str().into(),
                location: location.clone(),
                native: format!("m-{number}"),
            },
            name: Fact::absent(&source),
            state: State::Running,
            provider_state: "running".to_owned(),
            meter: Meter::Running,
            machine_type: "big".into(),
            gpu: Fact::known(
                Gpu { model: "A100".to_owned(), count: 1.into(), memory_gib: None },
                &source,
                now(),
            ),
            purchase: Purchase::OnDemand,
            created_at: Fact::known(now() - TimeDelta::days(9), &source, now()),
            running_since: Fact::known(now() - TimeDelta::days(9), &source, now()),
            stopped_at: Fact::absent(&source),
            tags: Fact::absent(&source),
            manager: Fact::absent(&source),
            guards: Fact::unknown(Ignorance::NotAsked, "asked of candidates only"),
            local_storage: Fact::absent(&source),
            stop: StopOffer {
                kind: StopKind::Deallocate,
                saves: true,
                loses: Vec::new(),
                objections: Vec::new(),
            },
            attached: Vec::new(),
            unreadable: Vec::new(),
        }
    }
}

#[async_trait]
impl Provider for Cloud {
    fn name(&self) -> ProviderName {
        "test".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tags: true, launch_times: true, deallocate: true, scope_per_location: true }
    }

    async fn identity(&self, _cx: &CallContext) -> Result<Identity, ProviderError> {
        Ok(Identity { account: self.account.as_str().into(), login: "tester".to_owned() })
    }

    async fn coverage(&self, _cx: &CallContext) -> Result<Coverage, ProviderError> {
        let locations = self.regions.iter().map(Location::new).collect();
        Ok(Coverage { locations, ..Coverage::default() })
    }

    async fn list(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        let refusal = self.refusals.iter().find(|(region, _)| region == location.as_str());
        if let Some((_, kind)) = refusal {
            return Err(ProviderError::answered(kind.clone(), "list", "no"));
        }
        sink.page((0..self.machines).map(|number| self.machine(number, location)));
        if self.hangs {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn details(
        &self,
        _cx: &CallContext,
        _location: &Location,
        candidates: &[&Instance],
    ) -> Vec<Detail> {
        match self.details {
            Details::Forgotten => Vec::new(),
            Details::Never => std::future::pending().await,
            Details::Told => candidates
                .iter()
                .map(|machine| Detail {
                    id: machine.id.clone(),
                    guards: Fact::absent(&Source::new("test")),
                    purchase: None,
                    stop: None,
                })
                .collect(),
        }
    }

    async fn read(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        let number = id.native.strip_prefix("m-").and_then(|number| number.parse().ok());
        match number {
            Some(number) if number < self.machines => Ok(self.machine(number, &id.location)),
            _ => Err(ProviderError::answered(ErrorKind::NotFound, "read", "no such machine")),
        }
    }

    fn call(&self, _verb: Verb) -> Option<&'static str> {
        None
    }

    async fn act(&self, _cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        panic!("{} was to be stopped by a reading test", permit.id())
    }

    fn price(&self, _instance: &Instance) -> Fact<Price> {
        Fact::unknown(Ignorance::NotOffered, "no price list")
    }
}
