//! CloudWatch as a source of evidence. In each region it is asked which series of accelerators there
//! are, then for their samples, and only of machines on which these show no work, for CPU, network and
//! disks too: each series costs, and a fleet shall take few requests.

mod fetch;
mod listed;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::{join, join_all};
use reaper_model::{
    Gauge, Ignorance, Instance, InstanceId, Location, Measured, Statistic, Unknown, Window,
};
use reaper_provider::{CallContext, MetricsSource, Sight};

use crate::client::{Clients, RegionClient};
use fetch::fetch;
use listed::{Listed, list};
use wanted::{Grid, Wanted};

/// The calls, as AWS's policy language spells them.
pub(crate) const LIST: &str = "cloudwatch:ListMetrics";
pub(crate) const DATA: &str = "cloudwatch:GetMetricData";

/// Its name for people.
const NAME: &str = "CloudWatch";
/// An accelerator above so many percent works, whatever else its machine does.
const WORKS: f64 = 20.0;

/// CloudWatch of one account, in all its regions.
pub(crate) struct CloudWatch(Arc<Clients>);

impl CloudWatch {
    pub(crate) const fn new(clients: Arc<Clients>) -> Self {
        Self(clients)
    }
}

impl fmt::Debug for CloudWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(NAME).field(&self.0.settings().name).finish()
    }
}

#[async_trait]
impl MetricsSource for CloudWatch {
    fn name(&self) -> &str {
        NAME
    }

    fn sight(&self) -> Sight {
        Sight::Gpu
    }

    async fn measure(
        &self,
        cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)> {
        let mut regions: BTreeMap<&Location, Vec<&Instance>> = BTreeMap::new();
        for machine in machines {
            regions.entry(&machine.id.location).or_default().push(machine);
        }
        let regions = regions.into_iter().map(async |(location, machines)| {
            let region = self.0.region(location).await;
            let asked = Asked { region: &region, cx, machines: &machines, window };
            let found = asked.measure().await;
            let named = machines.iter().map(|machine| machine.id.clone()).zip(found);
            named.collect::<Vec<_>>()
        });
        let all = join_all(regions).await.into_iter().flatten();
        all.filter(|(_, found)| !found.series.is_empty() || !found.gaps.is_empty()).collect()
    }
}

/// What is asked of one region.
struct Asked<'a> {
    region: &'a RegionClient,
    cx: &'a CallContext,
    machines: &'a [&'a Instance],
    window: &'a Window,
}

impl Asked<'_> {
    /// What was measured of each machine, in their order.
    async fn measure(&self) -> Vec<Measured> {
        let grid = Grid::of(self.window, self.cx.now);
        let mut found = vec![Measured::default(); self.machines.len()];
        let list = |kind| list(self.region, self.cx, self.machines, self.window, kind);
        let (power, agent) = join(list(Listed::Power), list(Listed::Agent)).await;
        let (mut wanted, mut refused) = (Vec::new(), None);
        for (kind, answer) in [(Listed::Power, power), (Listed::Agent, agent)] {
            match answer {
                Ok(metrics) => wanted.extend(kind.wanted(&metrics, self.machines, &grid)),
                // The same refusal twice is one, whatever the numbers of its requests.
                Err(error) if refused.as_ref() == Some(&error.kind) => {}
                Err(error) => {
                    let gap = unread(&error.to_string());
                    for machine in &mut found {
                        add_gap(machine, gap.clone());
                    }
                    if error.kind.is_account_wide() {
                        return found;
                    }
                    refused = Some(error.kind);
                }
            }
        }
        // How much memory is in use tells what a quiet machine is quiet about, and over days how
        // small a machine would do; of one that works just now, nobody asks.
        let at_once = |one: &Wanted| {
            one.gauge != Gauge::GpuMemory || self.window.statistic == Statistic::Mean
        };
        let (wanted, mut later): (Vec<Wanted>, Vec<Wanted>) = wanted.into_iter().partition(at_once);
        self.take(&grid, wanted, &mut found).await;
        // What could not be read of accelerators is not made up for by what else a machine does.
        let quiet: BTreeSet<usize> = (0..self.machines.len())
            .filter(|index| found[*index].gaps.is_empty() && !works(&found[*index]))
            .collect();
        later.retain(|one| quiet.contains(&one.machine));
        for index in quiet {
            later.extend(wanted::host(index, &self.machines[index].id.native, &grid));
        }
        self.take(&grid, later, &mut found).await;
        found
    }

    async fn take(&self, grid: &Grid, wanted: Vec<Wanted>, found: &mut [Measured]) {
        let answers = fetch(self.region, self.cx, grid, &wanted).await;
        for (machine, more) in wanted::measured(grid, wanted, answers) {
            found[machine].series.extend(more.series);
            more.gaps.into_iter().for_each(|gap| add_gap(&mut found[machine], gap));
        }
    }
}

/// Whether an accelerator was seen at work. What cannot be is no sign of it.
fn works(found: &Measured) -> bool {
    let shown = found.series.iter().filter(|series| series.gauge.shows_work());
    let mut values = shown.flat_map(|series| &series.samples).map(|sample| sample.value);
    values.any(|value| (WORKS..=100.0).contains(&value))
}

fn unread(why: &str) -> Unknown {
    Unknown::new(Ignorance::ReadFailed, format!("{NAME}: {why}"))
}

/// The same reason is said once, however many series it concerns.
fn add_gap(machine: &mut Measured, gap: Unknown) {
    if !machine.gaps.contains(&gap) {
        machine.gaps.push(gap);
    }
}
