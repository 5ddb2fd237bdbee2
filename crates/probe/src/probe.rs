//! One machine under observation: a look at it at a time, gathered into what is written.

use chrono::{DateTime, Utc};
use reaper_model::Samples;
use tokio::time::Instant;

use crate::buckets::{Buckets, Passed};
use crate::gpus::Ways;
use crate::history::History;
use crate::host::{Counters, Host, between};
use crate::nvml::Driver;
use crate::reading::{Gpus, HostReading};

/// A machine under observation.
#[derive(Debug)]
pub struct Probe<D> {
    ways: Ways<D>,
    host: Host,
    counters: Option<Counters>,
    buckets: Buckets,
    /// When the last look began, on a clock that nobody sets.
    looked: Option<Instant>,
}

/// What one look has brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Its accelerators.
    pub gpus: Gpus,
    /// The machine itself.
    pub host: HostReading,
}

impl<D: Driver + 'static> Probe<D> {
    /// Goes on from a history, or begins.
    pub fn new(
        ways: Ways<D>,
        host: Host,
        machine: &str,
        version: &str,
        history: Option<History>,
    ) -> Self {
        let (buckets, counters) = match history {
            Some(History { samples, counters }) => (Buckets::resume(&samples, version), counters),
            None => (Buckets::new(machine, version), None),
        };
        Self { ways, host, counters, buckets, looked: None }
    }

    /// Looks once. What could not be read is among the troubles of its accelerators.
    pub async fn look(&mut self, now: DateTime<Utc>) -> Look {
        let began = Instant::now();
        let passed = self.looked.replace(began).map(|before| began.duration_since(before));
        let clock = self.buckets.meet(now, passed);
        let mut gpus = self.ways.read().await.unwrap_or_else(|why| Gpus {
            gpus: Vec::new(),
            troubles: vec![format!("no GPU can be read: {why}")],
        });
        let counters = self.host.read(now);
        let before = self.counters.replace(counters.clone());
        // What passed in a second is not known where seconds are not.
        let before = before.filter(|_| clock == Passed::Steadily);
        let host = before.map(|before| between(&before, &counters)).unwrap_or_default();
        if clock == Passed::Back {
            let why = "the machine's clock was set back: what was measured before is forgotten";
            gpus.troubles.push(why.to_owned());
        }
        self.buckets.add(now, &gpus, host);
        self.buckets.troubles().clone_into(&mut gpus.troubles);
        Look { gpus, host }
    }

    /// The object that is written.
    pub fn samples(&self, now: DateTime<Utc>) -> Samples {
        self.buckets.samples(now)
    }

    /// What is to be remembered over a restart.
    pub fn history(&self, now: DateTime<Utc>) -> History {
        History { samples: self.samples(now), counters: self.counters.clone() }
    }
}
