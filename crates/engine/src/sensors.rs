//! Asking what was measured: the clouds' own monitoring and every other source, side by side. What a
//! source cannot say of a machine is a gap of that machine alone.

pub mod probe;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::future::join_all;
use reaper_model::{Ignorance, Instance, InstanceId, Measured, State, Unknown, Window};
use reaper_provider::{CallContext, MetricsSource, Provider};

use crate::watch::Watch;

/// Who can be asked.
#[derive(Debug, Clone, Default)]
pub struct Sensors {
    /// Whether the clouds' own monitoring is.
    pub clouds: bool,
    /// Whether machines are measured for advice also where no rule asks for it.
    pub always: bool,
    /// Sources beside the clouds.
    pub sources: Vec<Arc<dyn MetricsSource>>,
}

impl Sensors {
    /// Every source for the machines of one account.
    pub fn of<'a>(
        &'a self,
        provider: &'a dyn Provider,
    ) -> impl Iterator<Item = &'a dyn MetricsSource> {
        let cloud = if self.clouds { provider.metrics() } else { None };
        cloud.into_iter().chain(self.sources.iter().map(AsRef::as_ref))
    }

    /// Told of all machines of a run before any is asked about; `whole`: there are no others.
    pub(crate) fn meet(&self, machines: &[&Instance], whole: bool, now: DateTime<Utc>) {
        for source in &self.sources {
            source.meet(machines, whole, now);
        }
    }

    /// What was measured of these machines of one account; every one of them has an entry. Of
    /// machines that are not up, nobody is asked.
    pub(crate) async fn measure(
        &self,
        provider: &dyn Provider,
        machines: &[&Instance],
        window: &Window,
        (cx, watch): (&CallContext, &Watch),
    ) -> BTreeMap<InstanceId, Measured> {
        let mut found: BTreeMap<InstanceId, Measured> =
            machines.iter().map(|machine| (machine.id.clone(), Measured::default())).collect();
        let (up, down): (Vec<&Instance>, Vec<&Instance>) =
            machines.iter().copied().partition(|machine| is_up(machine));
        for machine in down {
            let gap = Unknown::new(
                Ignorance::NotOffered,
                "it is not known to be up, so nothing is measured",
            );
            found.entry(machine.id.clone()).or_default().gaps.push(gap);
        }
        if up.is_empty() {
            return found;
        }
        let asked = self.of(provider).map(|source| {
            let up = &up;
            async move {
                let answer = source.measure(cx, up, window);
                (source.name(), watch.within(source.name(), answer).await)
            }
        });
        for (name, answer) in join_all(asked).await {
            match answer {
                Ok(told) => {
                    for (id, measured) in told {
                        if let Some(entry) = found.get_mut(&id) {
                            entry.merge(measured);
                        }
                    }
                }
                Err(error) => {
                    for machine in &up {
                        let gap = Unknown::new(Ignorance::ReadFailed, format!("{name}: {error}"));
                        found.entry(machine.id.clone()).or_default().gaps.push(gap);
                    }
                }
            }
        }
        found
    }
}

/// Whether anything can be running on it.
pub(crate) fn is_up(machine: &Instance) -> bool {
    matches!(machine.state, State::Running | State::Restarting | State::Failed)
}
