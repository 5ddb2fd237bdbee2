//! The price of a machine: the configuration's override, else what the adapter knows.

use chrono::NaiveDate;
use reaper_model::{Fact, Instance, Price, PriceOverride, PriceSource, Source};
use reaper_provider::Provider;

/// The overrides of a run.
#[derive(Debug, Clone, Default)]
pub struct PriceBook {
    overrides: Vec<PriceOverride>,
    today: NaiveDate,
}

impl PriceBook {
    /// Overrides as the configuration says today.
    pub fn new(overrides: Vec<PriceOverride>, today: NaiveDate) -> Self {
        Self { overrides, today }
    }

    /// The price of a machine. An override for its location beats one that holds everywhere.
    pub fn price(&self, instance: &Instance, provider: &dyn Provider) -> Fact<Price> {
        let fits = |entry: &&PriceOverride| {
            entry.provider == instance.id.provider && entry.machine_type == instance.machine_type
        };
        let here = |entry: &&PriceOverride| entry.location.as_ref() == Some(&instance.id.location);
        let everywhere = |entry: &&PriceOverride| entry.location.is_none();
        let entries = || self.overrides.iter().filter(fits);
        match entries().find(here).or_else(|| entries().find(everywhere)) {
            Some(entry) => Fact::known(
                Price {
                    money: entry.money,
                    unit: entry.unit,
                    source: PriceSource::Override,
                    as_of: self.today,
                },
                &Source::new("[[price]] in the configuration"),
                self.today.and_time(chrono::NaiveTime::MIN).and_utc(),
            ),
            None => provider.price(instance),
        }
    }
}
