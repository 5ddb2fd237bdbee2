//! The world that is served: a clock, the weather of the network, and one section per provider.
//! What a section holds is defined in that provider's folder.

use std::time::Duration;

use serde::Deserialize;

use crate::aws::AwsWorld;
use crate::clock::Clock;
use crate::faults::Faults;
use crate::lambda::LambdaWorld;
use crate::meter::Meter;
use crate::ovhcloud::OvhWorld;
use crate::prometheus::PrometheusWorld;
use crate::scaleway::ScalewayWorld;

/// Everything that exists, and everything that goes wrong.
///
/// World files are TOML and refuse keys they do not know:
///
/// ```toml
/// latency_ms = 20
/// clock = { start = "2026-11-30T09:00:00Z" }
///
/// [[aws.account]]
/// id = "111122223333"
/// access_keys = ["AKIAEXAMPLE"]
///
/// [[aws.instance]]
/// account = "111122223333"
/// region = "eu-west-1"
/// id = "i-0abc"
/// type = "g5.xlarge"
/// launched = "720h"
/// act = { takes = "40s" }
///
/// [[meter]]
/// machine = "i-0abc"
/// utilisation = 0.0
///
/// [[fault]]
/// provider = "aws"
/// operation = "DescribeInstances"
/// first = 2
/// then = { throttle = {} }
/// ```
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// What time it is.
    pub clock: Clock,
    /// How long every request takes before it is looked at, in milliseconds.
    pub latency_ms: u64,
    /// What goes wrong, in order.
    #[serde(rename = "fault")]
    pub faults: Faults,
    /// What machines measure.
    #[serde(rename = "meter")]
    pub meters: Vec<Meter>,
    /// EC2 and STS.
    pub aws: AwsWorld,
    /// Lambda Cloud.
    pub lambda: LambdaWorld,
    /// Scaleway.
    pub scaleway: ScalewayWorld,
    /// OVHcloud Public Cloud.
    pub ovhcloud: OvhWorld,
    /// A Prometheus beside the clouds.
    pub prometheus: PrometheusWorld,
}

/// The world file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the world file cannot be used: {0}")]
pub struct WorldError(#[from] toml::de::Error);

impl World {
    /// Reads a world file.
    pub fn from_toml(text: &str) -> Result<Self, WorldError> {
        Ok(toml::from_str(text)?)
    }

    /// Machines that are under way come as far as the clock says.
    pub(crate) fn settle(&mut self) {
        self.aws.settle(&self.clock);
        self.lambda.settle(&self.clock);
        self.scaleway.settle(&self.clock);
        self.ovhcloud.settle(&self.clock);
    }

    /// Somebody starts the machine of this id: it runs from now on, whatever it was on its way to.
    /// Whether there is one that can be started; what was terminated cannot.
    pub fn restart(&mut self, id: &str) -> bool {
        self.settle();
        let now = self.clock.now();
        let started = self.aws.restart(id, &self.clock)
            || self.scaleway.restart(id, now)
            || self.ovhcloud.restart(id)
            || self.lambda.restart(id);
        // From now on it is billed.
        self.settle();
        started
    }

    /// The machine of this id goes without a trace. Whether there was one.
    pub fn remove(&mut self, id: &str) -> bool {
        self.settle();
        let removed = self.aws.remove(id)
            || self.scaleway.remove_server(id).is_some()
            || self.ovhcloud.remove_instance(id).is_some()
            || self.lambda.remove_instance(id).is_some();
        // Its bill ends now.
        self.settle();
        removed
    }

    /// The meters of a machine of which a source with one of these names knows.
    pub fn meters_of<'a>(
        &'a self,
        machine: &'a str,
        names: &'a [&'a str],
    ) -> impl Iterator<Item = &'a Meter> {
        self.meters.iter().filter(move |meter| meter.machine == machine && meter.is_by(names))
    }

    /// How long every request takes before it is looked at.
    pub const fn latency(&self) -> Duration {
        Duration::from_millis(self.latency_ms)
    }
}
