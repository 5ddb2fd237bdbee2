//! An OVHcloud instance into the model's nouns. A field that makes no sense spoils that field
//! alone; only a machine without an id cannot be told apart from others.

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use reaper_http::Lenient;
use reaper_model::{
    Fact, Gpu, Ignorance, Instance, InstanceId, Location, MachineType, ProviderAccount,
    ProviderName, Purchase, Source, State, Tags, Unit,
};

use crate::nodes::Nodes;
use crate::wire::{self, Flavor};
use crate::{flavor, plan, stop};

/// OVHcloud's Public Cloud opened in this year: an older date is a filler.
pub(crate) const FIRST_YEAR: i32 = 2012;
/// How far ahead of us the provider's clock may be before a date counts as of the future.
pub(crate) const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(5);

/// What stands for a plan that could not be read.
const UNREADABLE: &str = "unreadable";

/// Where and when a listing was made.
pub(crate) struct Place<'a> {
    /// The project.
    pub(crate) account: &'a ProviderAccount,
    /// The listing's own location, for a machine that does not say its region.
    pub(crate) location: &'a Location,
    /// The call.
    pub(crate) source: &'a Source,
    /// The run's clock (UTC).
    pub(crate) now: DateTime<Utc>,
    /// What stands for the tags that machines do not have.
    pub(crate) tags: &'a Fact<Tags>,
}

/// A machine whose id could be read, with what is known of its flavour.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) raw: wire::Instance,
    /// The flavour's name: from the machine itself, the list of flavours, or the plan code.
    pub(crate) flavor: Option<String>,
    /// The flavour's type, or nothing.
    pub(crate) family: String,
}

impl Candidate {
    /// Joins a machine with its flavour; `None` for one without an id.
    pub(crate) fn new<'f>(
        raw: wire::Instance,
        by_id: impl Fn(&str) -> Option<&'f Flavor>,
    ) -> Option<Self> {
        let id = raw.id.good().filter(|id| !id.is_empty())?.clone();
        let joined = raw.flavor_id.good().and_then(|id| by_id(id));
        let flavor = raw.flavor.good().or(joined);
        let of_plan = || Some(plan::read(raw.plan_code.good()?)?.0);
        let name = flavor.and_then(|flavor| flavor.name.good()).map(String::as_str);
        let family = flavor.and_then(|flavor| flavor.family.good()).cloned().unwrap_or_default();
        let flavor = name.or_else(of_plan).filter(|name| !name.is_empty()).map(str::to_owned);
        Some(Self { id, raw, flavor, family })
    }

    /// What its flavour's name and type say; a machine without either may be anything.
    pub(crate) fn kind(&self) -> flavor::Kind {
        match &self.flavor {
            Some(name) => flavor::kind(name, &self.family),
            None => flavor::Kind::Unfamiliar,
        }
    }

    /// Whether its state may cost money.
    pub(crate) fn may_be_billed(&self) -> bool {
        let word = self.raw.status.good().map_or("", String::as_str);
        stop::state(word, &self.purchase()).1.may_be_billed()
    }

    fn purchase(&self) -> Purchase {
        if matches!(self.raw.monthly_billing, Lenient::Good(_)) {
            return Purchase::Monthly;
        }
        let code = match &self.raw.plan_code {
            Lenient::Good(code) => code.as_str(),
            Lenient::Missing => "",
            Lenient::Bad(_) => return Purchase::Other(UNREADABLE.to_owned()),
        };
        match plan::read(code) {
            Some((_, Unit::Month)) => Purchase::Monthly,
            // It may have been turned into a monthly one.
            _ if self.raw.monthly_billing.is_bad() => Purchase::Other(UNREADABLE.to_owned()),
            Some((_, Unit::Hour)) => Purchase::OnDemand,
            None if code.is_empty() => Purchase::OnDemand,
            None => Purchase::Other(code.to_owned()),
        }
    }

    /// The machine.
    pub(crate) fn instance(&self, place: &Place<'_>, gpu: Fact<Gpu>, nodes: &Nodes) -> Instance {
        let now = place.now;
        let raw = self.raw.clone();
        let mut unreadable = Vec::new();
        let purchase = self.purchase();
        let word = required(raw.status, "status", &mut unreadable);
        let (state, meter) = stop::state(&word, &purchase);
        if state == State::Unknown && !word.is_empty() {
            unreadable.push(format!("state `{word}`"));
        }
        let region = required(raw.region, "region", &mut unreadable);
        let location =
            if region.is_empty() { place.location.clone() } else { Location::new(region) };
        let flavor_id = raw.flavor_id.take("flavorId", &mut unreadable);
        raw.flavor.take("flavor", &mut unreadable);
        raw.image.take("image", &mut unreadable);
        raw.plan_code.take("planCode", &mut unreadable);
        raw.monthly_billing.take("monthlyBilling", &mut unreadable);
        if self.flavor.is_none() {
            unreadable.push("flavour".to_owned());
        }
        let machine_type = self.flavor.clone().or(flavor_id).unwrap_or_default();
        let name = name(raw.name, &mut unreadable, place);
        let manager = nodes.manager(&self.id, now);
        let local_storage = flavor::local_storage(&machine_type, now);
        let stop = stop::offer(&word, &purchase, &manager, &local_storage);
        Instance {
            id: InstanceId {
                provider: ProviderName::new("ovhcloud"),
                account: place.account.clone(),
                location,
                native: self.id.clone(),
            },
            name,
            state,
            provider_state: word,
            meter,
            machine_type: MachineType::new(machine_type),
            gpu,
            purchase,
            created_at: created_at(raw.created, &mut unreadable, place),
            running_since: Fact::unknown(
                Ignorance::NotOffered,
                "OVHcloud shows no start but the first",
            ),
            stopped_at: Fact::unknown(
                Ignorance::NotOffered,
                "OVHcloud does not show when a machine was stopped",
            ),
            tags: place.tags.clone(),
            manager,
            guards: Fact::unknown(Ignorance::NotOffered, "OVHcloud's API v1 does not show locks"),
            local_storage,
            stop,
            attached: Vec::new(),
            unreadable,
        }
    }
}

/// A field that every machine has; its absence is pointed out too.
fn required(field: Lenient<String>, name: &str, unreadable: &mut Vec<String>) -> String {
    let missing = matches!(field, Lenient::Missing);
    let text = field.take(name, unreadable);
    if missing {
        unreadable.push(format!("missing field `{name}`"));
    }
    text.unwrap_or_default()
}

fn name(field: Lenient<String>, unreadable: &mut Vec<String>, place: &Place<'_>) -> Fact<String> {
    if field.is_bad() {
        field.take("name", unreadable);
        return Fact::unknown(Ignorance::Unusable, "OVHcloud gave no readable name");
    }
    match field.take("name", unreadable).filter(|name| !name.is_empty()) {
        Some(name) => Fact::known(name, place.source, place.now),
        None => Fact::absent(place.source),
    }
}

fn created_at(
    field: Lenient<String>,
    unreadable: &mut Vec<String>,
    place: &Place<'_>,
) -> Fact<DateTime<Utc>> {
    let unusable = |why: String| Fact::unknown(Ignorance::Unusable, why);
    let Some(text) = field.take("created", unreadable) else {
        return unusable("OVHcloud gave no date of creation".to_owned());
    };
    match DateTime::parse_from_rfc3339(&text).map(|time| time.to_utc()) {
        Ok(time) if time.year() >= FIRST_YEAR && time <= place.now + CLOCK_TOLERANCE => {
            Fact::known(time, place.source, place.now)
        }
        Ok(time) => unusable(format!(
            "OVHcloud gave {} as the date of creation",
            time.format("%Y-%m-%d %H:%M UTC")
        )),
        Err(_) => {
            unreadable.push("`created`: no date".to_owned());
            unusable("OVHcloud gave no readable date of creation".to_owned())
        }
    }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
