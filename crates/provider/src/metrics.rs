//! Sources of measurements: a cloud's own monitoring, or a server beside it. They tell what was
//! measured and judge nothing.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_model::{Instance, InstanceId, Measured, Window};

use crate::adapter::CallContext;

/// What a source can see at best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// CPU, network and disks of a machine: evidence for a report, never for an action.
    Host,
    /// Its accelerators.
    Gpu,
}

/// Something that can be asked what was measured.
#[async_trait]
pub trait MetricsSource: Send + Sync + fmt::Debug {
    /// Its name for people, such as `CloudWatch`.
    fn name(&self) -> &str;

    /// What it can see at best.
    fn sight(&self) -> Sight;

    /// Told of the machines of a run before any of them is asked about, so that a source that knows
    /// machines by name can tell whose a name is. `whole`: there are no others.
    fn meet(&self, _machines: &[&Instance], _whole: bool, _now: DateTime<Utc>) {}

    /// What was measured of these machines of one account in `window`, which ends at the clock of
    /// the run. A machine that the source knows nothing of is left out. What was asked for and could
    /// not be read is a gap of kind `ReadFailed` in each machine that it concerns: a failure for one
    /// spoils no other.
    async fn measure(
        &self,
        cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)>;
}
